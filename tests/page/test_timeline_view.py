"""The timeline: stepping, rows at a moment, comparing, going back and forking, in a browser."""

from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest
from httpx import Client

from mockserver.testing.project import MockProject
from mockserver.testing.server import LiveServer

if TYPE_CHECKING:
    from playwright.sync_api import Page

Open = Callable[[str], "Page"]
SHOWN = "main .detail h2"


def create(client: Client, name: str) -> None:
    """Make a contract with a two-digit name."""
    client.post("/v1/contracts", json={"name": name, "chainId": 80002, "address": "0x" + name * 20})


@pytest.fixture
def three(client: Client) -> Client:
    """Three exchanges, each of which makes a contract."""
    for name in ("a1", "b2", "c3"):
        create(client, name)
    return client


@pytest.fixture
def page(open_view: Open, three: Client) -> "Page":
    """The timeline with the three exchanges."""
    page = open_view("timeline")
    page.wait_for_selector("text=3 moments")
    return page


def go_back_to_the_first(open_view: Open) -> "Page":
    """Let the timeline take the project back to its first moment."""
    page = open_view("timeline?moment=1")
    page.click("button:has-text('Go back')")
    page.click("dialog button:has-text('Go back')")
    return page


def test_calls_and_clock_moves_appear(page: "Page", three: Client, shop: MockProject) -> None:
    shop.call("POST", "/solana/transactions", json={})
    shop.call("POST", "/clock/advance", json={"seconds": 60})
    page.wait_for_selector(".row:has-text('AdvanceClock') >> text=fired")
    three.get("/v1/contracts")
    page.wait_for_selector("text=6 moments")
    page.click(".row:has-text('AdvanceClock')")
    page.wait_for_selector(".detail table.fired")


def test_after_a_burst_the_list_is_the_servers(page: "Page", three: Client, shop: MockProject) -> None:
    for number in range(150):
        three.get(f"/v1/contracts/con_{number}")
    page.wait_for_selector("text=153 moments")
    shop.reset()
    page.wait_for_selector("text=Nothing has happened yet")


def test_keys_and_buttons_step_through_it(page: "Page") -> None:
    page.keyboard.press("j")
    page.wait_for_selector("dd code:has-text('3')")
    page.click("button:has-text('Earlier')")
    page.wait_for_selector("dd code:has-text('2')")
    page.wait_for_selector(".detail details.change:has-text('onchain.contracts')")
    page.click("button:has-text('Later')")
    page.wait_for_selector("dd code:has-text('3')")
    page.keyboard.press("j")
    page.wait_for_selector("dd code:has-text('2')")
    assert "moment=2" in page.url
    page.keyboard.press("Escape")
    page.wait_for_selector(".detail", state="hidden")
    page.keyboard.press("Enter")
    page.wait_for_selector("dd code:has-text('2')")


def test_rows_are_looked_at_as_they_were(open_view: Open, three: Client) -> None:
    page = open_view("timeline?moment=1")
    page.click("text=Rows at this moment")
    page.wait_for_selector("text=As it was after 1")
    page.click("nav a:has-text('onchain.contracts')")
    page.wait_for_selector("text=1 row")
    page.click(".row")
    page.wait_for_selector(".detail dd:has-text('a1')")
    page.click("text=Show now")
    page.wait_for_selector("text=3 rows")


def test_two_moments_are_compared(open_view: Open, three: Client) -> None:
    page = open_view("timeline?moment=1")
    page.wait_for_selector(SHOWN)
    page.keyboard.press("m")
    page.wait_for_selector("button[aria-pressed=true]:has-text('Mark')")
    page.click(".row >> nth=0")
    page.wait_for_selector("text=From 1 to 3: 2 rows differ")
    other = open_view(page.url.split("/")[-1])
    other.wait_for_selector("text=From 1 to 3: 2 rows differ")
    other.click("text=Mark")
    other.wait_for_selector("text=From 1 to 3", state="detached")


def test_a_project_is_forked_from_a_moment(open_view: Open, three: Client, server: LiveServer) -> None:
    page = open_view("timeline?moment=2")
    page.click("button:has-text('Fork')")
    page.fill("input[aria-label='Name of the fork']", "shop")
    page.keyboard.press("Enter")
    page.wait_for_selector("dialog [role=alert]:has-text('shop')")
    page.fill("input[aria-label='Name of the fork']", "aside")
    page.keyboard.press("Enter")
    page.wait_for_selector("nav a:has-text('onchain.contracts') >> text=2")
    assert server.control.project("sk_test_aside").call("GET", "/tables/onchain.contracts")["total"] == 2


def test_a_long_id_of_a_row_stays_within_the_view(open_view: Open, shop: MockProject) -> None:
    shop.fund(80002, "0x" + "ab" * 20, token="0x" + "cd" * 20, amount=1)
    page = open_view("timeline?moment=1")
    shown = page.wait_for_selector(".detail details.change:has-text('chains.token_holdings') summary")
    assert shown is not None
    assert shown.evaluate("each => each.scrollWidth <= each.clientWidth")


def test_the_project_goes_back(open_view: Open, three: Client) -> None:
    page = go_back_to_the_first(open_view)
    page.wait_for_selector(".row:has-text('TravelTo')")
    assert three.get("/v1/contracts").json()["total"] == 1


def test_an_unreachable_moment_is_refused(open_view: Open, three: Client, shop: MockProject) -> None:
    shop.load("name: none\nrules: []\n")
    page = go_back_to_the_first(open_view)
    page.wait_for_selector("[role=alert]:has-text('other scenarios are loaded now')")


def test_what_the_timeline_does_is_shown_as_curl(open_view: Open, three: Client, shop: MockProject) -> None:
    page = open_view("timeline?moment=3&from=1")
    page.wait_for_selector("text=From 1 to 3")
    page.keyboard.press("c")
    for call in ("timeline?order=desc", "effects?since=", "differences?earlier=1"):
        page.wait_for_selector(f"dialog >> text=projects/{shop.id}/{call}")
