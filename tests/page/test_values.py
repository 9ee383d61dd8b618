"""How values are shown: lifecycles, amounts, ids, times and states, in a browser."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest
from httpx import Client

from mockserver.testing.project import MockProject
from mockserver.testing.server import LiveServer
from tests.page.story import CHAIN, COUPON, send_coupon
from tests.tables import cases

if TYPE_CHECKING:
    from playwright.sync_api import Page

Open = Callable[[str], "Page"]
TABLE = "tables?table=onchain.transactions"
CLIPPED = """([outer, inner]) => {
  const edge = document.querySelector(outer).getBoundingClientRect();
  return [...document.querySelectorAll(inner)].filter((each) => {
    const { left, right } = each.getBoundingClientRect();
    return left < edge.left - 1 || right > edge.right + 1 || each.scrollWidth > each.clientWidth + 1;
  }).length;
}"""


@pytest.fixture
def send(client: Client, shop: MockProject) -> Callable[..., Any]:
    """Send a transaction that a fate awaits; returns it."""

    def send_with_fate(**fate: Any) -> Any:
        send_coupon(client, shop, COUPON)
        account = shop.call("GET", "/tables/wallets.accounts?order=desc")["data"][0]["id"]
        if fate:
            shop.fate(**fate)
        body = {"chainId": CHAIN, "accountId": account, "calls": [{"to": COUPON, "value": "1500000000000"}]}
        answer = client.post("/v2/transactions", json=body, auth=shop.wallet_auth)
        assert answer.is_success, answer.text
        return answer.json()

    return send_with_fate


def facts_of(page: "Page") -> dict[str, str]:
    """The facts of what is opened, by their names."""
    page.wait_for_selector(".detail .picture dl")
    names = page.locator(".detail .picture dt").all_inner_texts()
    return dict(zip(names, page.locator(".detail .picture dd").all_inner_texts(), strict=True))


def test_a_transaction_that_was_reverted_says_why(open_view: Open, send: Callable[..., Any]) -> None:
    row = send(outcome="reverted", reason="ERC20: transfer amount exceeds balance")
    facts = facts_of(open_view(f"{TABLE}&row={row['id']}"))
    assert facts["Reverted because"] == "ERC20: transfer amount exceeds balance"


def test_a_transaction_that_failed_says_what_helps(open_view: Open, send: Callable[..., Any]) -> None:
    row = send(outcome="failed", code="AA21")
    facts = facts_of(open_view(f"{TABLE}&row={row['id']}"))
    assert facts["Failed because"].startswith("AA21")
    assert facts["What helps"].startswith("Fund the account")


def test_a_reorganization_is_a_crossed_out_block_and_a_new_one(
    open_view: Open, send: Callable[..., Any], shop: MockProject
) -> None:
    row = send(outcome="reorged")
    shop.clock.advance(6)
    receipt = shop.call("GET", f"/tables/onchain.transactions/{row['id']}")["row"]["receipt"]
    before, after = receipt["orphaned"][0]["place"], receipt["place"]
    page = open_view(f"{TABLE}&row={row['id']}")
    page.wait_for_selector(f"g.block.orphaned:has(path.cross):has-text('block {before['block_number']}')")
    page.wait_for_selector(f"g.block:not(.orphaned):has-text('block {after['block_number']}')")
    facts = facts_of(page)
    assert before["block_hash"] in facts["Orphaned"]
    assert after["block_hash"] in facts["Block"]
    label = page.get_attribute("svg.lifecycle", "aria-label") or ""
    assert f"block {before['block_number']} was orphaned" in label


def test_wei_is_shown_in_coins_too(open_view: Open, send: Callable[..., Any], shop: MockProject) -> None:
    row = send()
    page = open_view(f"{TABLE}&row={row['id']}")
    assert facts_of(page)["Sends"] == "0.0000015 POL"
    page.wait_for_selector(".detail [title='1500000000000 wei']")
    assert facts_of(page)["Chain"] == f"{CHAIN} Polygon Amoy"
    address = "0x" + "ab" * 20
    shop.fund(CHAIN, address, 1234567890123456789012345)
    page = open_view(f"tables?table=chains.accounts&row={CHAIN}:{address}")
    page.wait_for_selector(
        ".row [title='1234567890123456789012345 wei']:has-text('1,234,567.890123456789012345')"
    )


def test_a_token_has_its_decimals_and_symbol_of_the_settings(open_view: Open, shop: MockProject) -> None:
    token, holder = "0x" + "cd" * 20, "0x" + "ab" * 20
    shop.change(tokens={token: {"decimals": 6, "symbol": "USDC"}})
    shop.call(
        "PUT",
        f"/chains/{CHAIN}/addresses/{holder}",
        json={"tokens": [{"contract": token, "balance": "2500000"}]},
    )
    page = open_view("tables?table=chains.token_holdings")
    page.wait_for_selector(".row [title='2500000 units']:has-text('2.5')")
    assert page.locator(".row [title='2500000 units'] >> nth=0").inner_text() == "2.5 USDC"


def test_a_difference_is_shown_in_coins_as_well(open_view: Open, shop: MockProject, client: Client) -> None:
    address = "0x" + "ab" * 20
    shop.fund(CHAIN, address, 10**18)
    shop.snapshot("before")
    shop.fund(CHAIN, address, 2 * 10**18)
    page = open_view("snapshots")
    page.click("button:has-text('Compare')")
    page.click("summary:has-text('chains.accounts')")
    page.wait_for_selector("li:has-text('balance 1 POL → 2 POL')")


def test_tables_have_short_ids_times_of_day_and_chips(
    open_view: Open, send: Callable[..., Any], shop: MockProject
) -> None:
    row = send(outcome="reverted")
    page = open_view(TABLE)
    line = page.locator(f".row:has-text('{row['id']}')")
    line.wait_for()
    head, end = line.locator(".middle >> nth=0").evaluate(
        "each => [each.firstChild.getBoundingClientRect(), each.getBoundingClientRect()]"
        ".map(box => Math.round(box.right))"
    )
    # What is cut ends before the end of the id, which has its place.
    assert head < end
    assert line.locator(".badge.bad").inner_text() == "reverted"
    assert line.locator("time >> nth=0").inner_text() == "00:00:02.000"
    shop.clock.advance(86_400)
    send()
    page.wait_for_selector(f".row:has-text('{row['id']}') time:has-text('01-01 00:00:02')")


def test_underlines_are_below_the_underscores_of_ids(open_view: Open, send: Callable[..., Any]) -> None:
    row = send()
    page = open_view(f"{TABLE}&row={row['id']}")
    style = page.locator(".detail dd a:has-text('acc_')").evaluate(
        "each => [getComputedStyle(each).textUnderlineOffset, getComputedStyle(each).fontSize]"
    )
    offset, size = (float(text.removesuffix("px")) for text in style)
    assert offset >= 0.3 * size - 0.1


@cases("width", 1440, 1024, 800)
def test_no_link_of_the_navigation_is_clipped(open_view: Open, server: LiveServer, width: int) -> None:
    project = server.control.create_project(name="a-project-of-a-test-with-a-long-name")
    page = open_view("journal")
    page.set_viewport_size({"width": width, "height": 800})
    page.goto(f"{server.url}/_mock/#/{project.id}/journal")
    page.wait_for_selector("#top select:has(option:checked:text-is('a-project-of-a-test-with-a-long-name'))")
    # As many as a journal and an outbox may have.
    page.evaluate("for (const each of document.querySelectorAll('#top .count')) each.textContent = '10,000'")
    assert page.evaluate(CLIPPED, ["#top nav", "#top nav a"]) == 0
    assert page.evaluate("document.querySelector('#top nav').scrollWidth") <= width


def test_times_are_whole_beside_what_is_opened(open_view: Open, client: Client, shop: MockProject) -> None:
    shop.load("name: away\nrules:\n  - {name: all of the evening, when: GetContracts, then: {answer: 503}}\n")
    client.get("/v1/contracts")
    shop.clock.advance(86_400)
    page = open_view("journal?n=2")
    page.wait_for_selector(".detail h2")
    assert page.locator(".row time").inner_text() == "01-01 00:00:00"
    for width in (1440, 1024):
        page.set_viewport_size({"width": width, "height": 800})
        assert page.evaluate(CLIPPED, [".vlist", ".row :is(.time, .status)"]) == 0


def test_executed_calls_are_a_tree(open_view: Open, client: Client, shop: MockProject) -> None:
    send_coupon(client, shop, COUPON)
    account = shop.call("GET", "/tables/wallets.accounts?order=desc")["data"][0]["id"]
    # Creation code of a contract that calls the identity and then reverts with four bytes.
    runtime = "5f5f5f5f5f60045af15063baadf00d5f526004601cfd"
    bytecode = f"0x60{len(runtime) // 2:02x}600a5f3960{len(runtime) // 2:02x}5ff3{runtime}"
    made = shop.call("POST", f"/chains/{CHAIN}/contracts", json={"bytecode": bytecode, "name": "Door"})
    body = {"chainId": CHAIN, "accountId": account, "calls": [{"to": made["address"], "data": "0x01020304"}]}
    row = client.post("/v2/transactions", json=body, auth=shop.wallet_auth).json()
    page = open_view(f"{TABLE}&row={row['id']}")
    page.wait_for_selector(".detail .trace .trace")
    assert "reverted in Door.0x01020304" in page.locator(".detail").inner_text()
    assert page.locator(".detail .trace li").count() == 2
