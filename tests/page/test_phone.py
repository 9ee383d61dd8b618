"""The page on a phone: a menu, folded filters, the browser's way back, and whole times."""

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import pytest
from httpx import Client

from mockserver.testing.project import MockProject
from mockserver.testing.server import LiveServer
from tests.page.conftest import PATIENCE_MS
from tests.page.story import send_mail
from tests.page.test_values import CLIPPED

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page

Open = Callable[[str], "Page"]


@pytest.fixture
def context(browser: "Browser") -> "Iterator[BrowserContext]":
    """A phone."""
    opened = browser.new_context(viewport={"width": 390, "height": 760}, has_touch=True)
    opened.set_default_timeout(PATIENCE_MS)
    yield opened
    opened.close()


def fill_journal(client: Client, count: int = 80) -> None:
    """Send as many requests."""
    for number in range(count):
        client.get(f"/v1/contracts/con_{number}")


def test_the_views_are_in_a_menu_that_shows_all_of_them(open_view: Open, client: Client) -> None:
    page = open_view("journal")
    page.tap("button.menu:has-text('Journal')")
    assert page.locator("#top nav a:visible").count() == 13
    assert page.evaluate(CLIPPED, ["#top", "#top nav a"]) == 0
    page.tap("#top nav a:has-text('Projects')")
    page.wait_for_selector("button.menu:has-text('Projects')")
    assert page.locator("#top nav").is_hidden()


def test_filters_are_folded_and_counted(open_view: Open, client: Client) -> None:
    fill_journal(client, 2)
    page = open_view("journal?status=4xx")
    page.wait_for_selector("button:has-text('Filters (1)')")
    assert page.locator("input[name=operation]").is_hidden()
    page.tap("button.more")
    page.tap("button:has-text('Failed')")
    page.wait_for_selector("button:has-text('Filters (2)')")
    page.tap("button.more")
    assert page.locator("input[name=operation]").is_hidden()
    assert page.locator("input[name=text]").is_visible()


def test_the_way_back_leads_to_the_place_in_the_list(open_view: Open, client: Client) -> None:
    fill_journal(client)
    page = open_view("journal")
    page.wait_for_selector(".row")
    page.evaluate("document.querySelector('.vlist').scrollTop = 1040")
    page.wait_for_function("() => location.hash.includes('top=60')")
    page.tap(".row:has-text('con_55')")
    page.wait_for_selector(".detail h2:has-text('con_55')")
    assert page.locator(".bar").is_hidden()
    page.go_back()
    page.wait_for_selector(".row:has-text('con_59')")
    assert page.locator(".detail").is_hidden()
    page.wait_for_function("() => document.querySelector('.vlist').scrollTop === 1040")


def test_the_way_back_from_what_was_closed_leaves_the_list(open_view: Open, client: Client) -> None:
    fill_journal(client, 3)
    page = open_view("outbox")
    page.tap("button.menu")
    page.tap("#top nav a:has-text('Journal')")
    for number in (1, 2):
        page.tap(f".row:has-text('con_{number}')")
        page.tap(".detail button:has-text('Close')")
        page.wait_for_selector(".detail", state="hidden")
    page.go_back()
    page.wait_for_selector("text=No messages")


def test_times_and_marks_are_whole(open_view: Open, client: Client, shop: MockProject) -> None:
    fill_journal(client, 2)
    send_mail(client, shop, "ada@example.com")
    page = open_view("journal")
    page.wait_for_selector(".row")
    assert page.locator("#top a.mono").inner_text() == "2026-01-01 00:00:00"
    assert page.evaluate(CLIPPED, ["#top", "#top a.mono"]) == 0
    assert page.locator(".row time >> nth=0").inner_text() == "00:00:00.000"
    assert page.evaluate(CLIPPED, [".vlist", ".row .time"]) == 0
    page.goto(page.url.replace("journal", "outbox"))
    page.wait_for_selector(".row .to:has-text('ada@example.com')")
    assert page.evaluate(CLIPPED, [".vlist", ".row > *"]) == 0


def test_cells_of_a_table_are_below_each_other(open_view: Open, client: Client, server: LiveServer) -> None:
    page = open_view("projects")
    page.wait_for_selector("td:has-text('sk_test_shop')")
    assert page.evaluate(CLIPPED, ["#main", "td"]) == 0
