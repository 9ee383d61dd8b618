"""What every view has to be: accessible, in both colour schemes, on a phone, and calm where asked for."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest
from httpx import Client

from mockserver.testing.project import MockProject
from mockserver.testing.server import LiveServer
from tests.page.story import tell_story
from tests.tables import cases

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

VIEWS = (
    "journal",
    "journal?n=2",
    "outbox",
    "webhooks",
    "clock",
    "chain",
    "chain?address=0x0000000000000000000000000000000000c0ffee",
    "tables",
    "errors",
    "scenarios",
    "scenarios?edit=true",
    "timeline",
    "timeline?moment=2&from=1",
    "snapshots",
    "recordings",
    "search?q=ada",
    "projects",
)
PHONE = {"width": 320, "height": 640}
"""The least for which there may be no scrolling sideways (WCAG 2.2, 1.4.10)."""


@pytest.fixture
def visit(browser: "Browser", client: Client, server: LiveServer, shop: MockProject) -> "Callable[..., Page]":
    """Open a view in a new window of a kind."""
    tell_story(client, shop)

    def open_window(view: str, **kind: Any) -> "Page":
        # axe is a script of its own, which the page's policy would refuse.
        window = browser.new_context(bypass_csp=True, **kind).new_page()
        window.goto(f"{server.url}/_mock/#/{shop.id}/{view}")
        window.wait_for_selector(".dot.on")
        window.wait_for_timeout(300)
        return window

    return open_window


@cases("scheme", "light", "dark")
@cases("view", *VIEWS)
def test_axe_finds_nothing(visit: "Callable[..., Page]", view: str, scheme: str) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    page = visit(view, color_scheme=scheme)
    found = axe.run(page)
    page.context.close()
    assert found.violations_count == 0, found.generate_report()


def test_axe_finds_nothing_on_a_phone(visit: "Callable[..., Page]") -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    page = visit("journal", viewport=PHONE)
    found = axe.run(page)
    page.context.close()
    assert found.violations_count == 0, found.generate_report()


@cases("view", *VIEWS)
def test_nothing_is_wider_than_a_phone(visit: "Callable[..., Page]", view: str) -> None:
    page = visit(view, viewport=PHONE)
    width = page.evaluate(
        "Math.max(...[...document.querySelectorAll('html, .scroll, .detail')].map(each => each.scrollWidth))"
    )
    page.context.close()
    assert width <= PHONE["width"]


def test_the_colours_follow_the_system_and_the_button(visit: "Callable[..., Page]") -> None:
    page = visit("journal", color_scheme="dark")
    back = "getComputedStyle(document.body).backgroundColor"
    dark = page.evaluate(back)
    page.click("button[aria-label^='Colours']")
    assert page.evaluate(back) == "rgb(255, 255, 255)" != dark
    page.context.close()


def test_nothing_moves_where_that_is_asked_for(visit: "Callable[..., Page]") -> None:
    page = visit("journal", reduced_motion="reduce")
    moving = page.evaluate("document.getAnimations().length")
    page.context.close()
    assert moving == 0
