"""What cannot be undone is asked about first."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from httpx import Client

from mockserver.testing.project import MockProject
from tests.page.story import SCENARIO, send_mail

if TYPE_CHECKING:
    from playwright.sync_api import Page

Open = Callable[[str], "Page"]


def refuse_then_agree(page: "Page", button: str, verb: str, still: str) -> None:
    """Press a button and close the dialog, which changes nothing; then press it again and agree."""
    page.click(button)
    page.click("dialog button:has-text('Close')")
    assert page.locator(still).count() > 0
    page.click(button)
    page.click(f"dialog button.risky:has-text('{verb}')")
    page.wait_for_selector(still, state="detached")


def test_messages_are_deleted(open_view: Open, client: Client, shop: MockProject) -> None:
    send_mail(client, shop, "ada@example.com")
    page = open_view("outbox")
    page.wait_for_selector(".row")
    refuse_then_agree(page, "button:has-text('Delete all')", "Delete all", ".row")
    assert shop.call("GET", "/outbox")["total"] == 0


def test_a_scenario_is_unloaded(open_view: Open, shop: MockProject) -> None:
    shop.load(SCENARIO)
    page = open_view("scenarios")
    refuse_then_agree(page, "button:has-text('Unload')", "Unload", ".scenario")


def test_a_snapshot_is_deleted(open_view: Open, shop: MockProject) -> None:
    shop.snapshot("before")
    page = open_view("snapshots")
    refuse_then_agree(page, "button:has-text('Delete')", "Delete", "td:has-text('before')")


def test_a_recording_is_ended_and_replaced_by_another(open_view: Open, client: Client) -> None:
    page = open_view("recordings")
    page.click("button:has-text('Start')")
    page.wait_for_selector(".badge:has-text('recording')")
    client.get("/v1/contracts")
    refuse_then_agree(page, "button:has-text('Stop')", "Stop", ".badge:has-text('recording')")
    refuse_then_agree(page, "button:has-text('Start')", "Start", ".badge:has-text('stopped')")


def test_a_text_is_replaced_by_a_copy_and_outlives_other_views(open_view: Open, shop: MockProject) -> None:
    shop.load(SCENARIO)
    page = open_view("scenarios")
    page.fill("textarea", "name: mine")
    page.click("#top a:has-text('Clock')")
    page.wait_for_selector("h2:has-text('Clock')")
    page.click("#top a:has-text('Scenarios')")
    page.wait_for_selector(".scenario")
    assert page.locator("textarea").input_value() == "name: mine"
    page.click("button:has-text('Edit a copy')")
    page.click("dialog button:has-text('Replace it')")
    page.wait_for_selector(".cm-content:has-text('a rough evening')")
