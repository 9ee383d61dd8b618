"""What a view does when what it shows changes beneath it."""

import re
from collections.abc import Callable
from typing import TYPE_CHECKING

from httpx import Client

from mockserver.testing.project import MockProject
from tests.page.story import send_mail
from tests.tables import cases

if TYPE_CHECKING:
    from playwright.sync_api import Page, Route

Open = Callable[[str], "Page"]

FOCUSED = "document.activeElement.getAttribute('aria-label') ?? document.activeElement.textContent"
A_DAY_S = 86_400


def test_the_navigation_counts_what_the_journal_holds(
    open_view: Open, client: Client, shop: MockProject
) -> None:
    client.get("/v1/contracts")
    shop.call("POST", "/clock/advance", json={"seconds": 1})
    page = open_view("journal")
    page.wait_for_selector("#top .count:text-is('1')")
    page.wait_for_selector("text=1 exchange")


def test_an_answer_that_is_late_hides_no_later_state(open_view: Open, shop: MockProject) -> None:
    page = open_view("snapshots")
    page.wait_for_selector("text=None. A snapshot")
    held: list[Route] = []
    page.route(re.compile("/snapshots"), lambda route: held.append(route), times=1)
    shop.call("POST", "/snapshots", json={"name": "first"})
    while not held:
        page.evaluate("() => new Promise(requestAnimationFrame)")
    answer = held[0].fetch()
    shop.call("POST", "/snapshots", json={"name": "second"})
    page.evaluate("() => new Promise(done => setTimeout(done, 500))")
    with page.expect_response(re.compile("/snapshots")):
        held[0].fulfill(response=answer)
    page.wait_for_selector("td:has-text('second')")
    assert page.locator("#main tbody tr").count() == 2


def test_folds_and_focus_stay_when_more_happens(open_view: Open, client: Client, shop: MockProject) -> None:
    shop.load("name: outage\nrules: [{when: GetContracts, then: {answer: 503}}]")
    page = open_view("scenarios")
    page.click("summary:has-text('Text')")
    page.focus("button:has-text('Unload')")
    client.get("/v1/contracts")
    page.wait_for_selector("text=fired once")
    assert page.evaluate(FOCUSED) == "Unload outage"
    assert page.locator(".scenario pre").is_visible()


@cases("view", "journal", "outbox", "timeline")
def test_times_get_their_date_when_a_day_has_passed(
    open_view: Open, client: Client, shop: MockProject, view: str
) -> None:
    send_mail(client, shop, "ada@example.com")
    page = open_view(view)
    page.wait_for_selector(".row time:has-text('00:00:00.000')")
    shop.call("POST", "/clock/advance", json={"seconds": A_DAY_S})
    page.wait_for_selector(".row time:has-text('01-01 00:00:00')")


def test_a_dialog_closes_on_the_way_back(open_view: Open) -> None:
    page = open_view("journal")
    page.click("#top a:has-text('Projects')")
    page.click("#main button:has-text('Delete')")
    page.wait_for_selector("dialog")
    page.go_back()
    page.wait_for_selector("dialog", state="detached")


@cases("view", "outbox", "timeline")
def test_what_a_reset_has_removed_is_closed(
    open_view: Open, client: Client, shop: MockProject, view: str
) -> None:
    send_mail(client, shop, "ada@example.com")
    page = open_view(view)
    page.click(".row")
    page.wait_for_selector(".detail h2")
    shop.reset()
    page.wait_for_selector(".empty:visible")
    page.wait_for_selector(".detail", state="hidden")


def test_a_message_that_is_gone_is_closed(open_view: Open, client: Client, shop: MockProject) -> None:
    for name in ("ada", "bob"):
        send_mail(client, shop, f"{name}@example.com")
    page = open_view("outbox")
    page.click(".row >> text=bob@example.com")
    page.wait_for_selector(".detail h2")
    shop.call("POST", "/travel", json={"to": 1})
    page.wait_for_selector(".detail", state="hidden")
    assert page.locator(".row .to").all_inner_texts() == ["ada@example.com"]
