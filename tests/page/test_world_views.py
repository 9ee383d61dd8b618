"""Tables, search, lifecycles, decisions and scenarios, in a browser."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from httpx import Client

from mockserver.testing.project import MockProject
from tests.page.story import COUPON, SCENARIO, tell_story

if TYPE_CHECKING:
    from playwright.sync_api import Page

Open = Callable[[str], "Page"]


def test_a_transaction_is_a_picture(open_view: Open, client: Client, shop: MockProject) -> None:
    transaction = tell_story(client, shop)
    page = open_view(f"tables?table=onchain.transactions&row={transaction}")
    page.wait_for_selector("svg.lifecycle")
    label = page.locator("svg.lifecycle").get_attribute("aria-label") or ""
    assert label.startswith("Lifecycle: new after 0 ms, sent")
    assert "successful after 2 s" in label
    detail = page.locator(".detail").inner_text()
    assert "0.00015" in detail
    for text in ("sponsored", "this rule decided", "value 1 is not > 5", "chainId 80002 is in chainIds"):
        assert text in detail


def test_ids_lead_from_row_to_row(open_view: Open, client: Client, shop: MockProject) -> None:
    transaction = tell_story(client, shop)
    page = open_view(f"tables?table=onchain.transactions&row={transaction}")
    page.click(".detail dd a:has-text('acc_')")
    page.click("tr:has-text('wallets.accounts') a")
    page.wait_for_selector(".detail h2:has-text('acc_')")
    page.go_back()
    page.wait_for_selector("td:has-text('wallets.accounts')")


def test_a_policy_is_shown_as_rules(open_view: Open, client: Client, shop: MockProject) -> None:
    tell_story(client, shop)
    page = open_view("tables?table=guardrails.policies")
    page.wait_for_selector("text=ply_")
    page.keyboard.press("j")
    page.keyboard.press("Enter")
    page.wait_for_selector(".detail .tree >> text=sponsorEvmTransaction")
    page.keyboard.press("Escape")
    page.wait_for_selector(".detail", state="hidden")


def test_one_search_finds_rows_and_requests(open_view: Open, client: Client, shop: MockProject) -> None:
    tell_story(client, shop)
    page = open_view("search")
    page.fill("input[aria-label=Search]", COUPON)
    page.wait_for_selector("tr:has-text('onchain.contracts')")
    page.click("text=requests mention it")
    page.wait_for_selector(".row.exchange")
    assert page.locator("input[name=text]").input_value() == COUPON


def test_scenarios_tell_which_rules_fired(open_view: Open, client: Client, shop: MockProject) -> None:
    tell_story(client, shop)
    page = open_view("scenarios")
    page.wait_for_selector("tr:has-text('catalogue is away once') >> text=fired once")
    page.wait_for_selector("tr:has-text('no answer for bob') >> text=did not fire")
    page.click("text=catalogue is away once")
    page.wait_for_selector(".row.exchange")
    assert page.locator(".row.exchange").count() == 1


def test_a_scenario_is_pasted_and_findings_are_at_their_lines(open_view: Open, shop: MockProject) -> None:
    page = open_view("scenarios")
    page.fill("textarea", SCENARIO.replace("when: {call: CreatePlayer", "wen: {call: CreatePlayer"))
    page.click("button:has-text('Load')")
    page.wait_for_selector(".findings >> text=did you mean when")
    page.click(".findings button >> nth=0")
    chosen = page.evaluate(
        "() => { const t = document.activeElement; return t.value.slice(t.selectionStart, t.selectionEnd) }"
    )
    assert "wen:" in chosen or "bob" in chosen
    page.fill("textarea", SCENARIO)
    page.click("button:has-text('Load')")
    page.wait_for_selector(".scenario:has-text('a rough evening')")
    page.click("button:has-text('Unload')")
    page.click("dialog button:has-text('Unload')")
    page.wait_for_selector("text=None.")


def test_snapshots_are_compared_and_restored(open_view: Open, client: Client, shop: MockProject) -> None:
    page = open_view("snapshots")
    page.fill("input[aria-label='Name of a snapshot']", "before")
    page.keyboard.press("Enter")
    page.wait_for_selector("td:has-text('before')")
    client.post("/v1/contracts", json={"name": "Coupon", "chainId": 80002, "address": COUPON})
    page.click("text=Compare")
    page.wait_for_selector("text=Since before: 1 row differs")
    page.wait_for_selector("summary:has-text('onchain.contracts')")
    page.click("button:has-text('Go back')")
    page.click("dialog button:has-text('Go back')")
    page.wait_for_selector("dialog", state="detached")
    page.wait_for_timeout(200)
    assert client.get("/v1/contracts").json()["total"] == 0
    page.click("button:has-text('Delete')")
    page.click("dialog button:has-text('Delete')")
    page.wait_for_selector("text=None.")
