"""A chain as a block explorer shows it, in a browser."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from httpx import Client

from mockserver.testing.project import MockProject
from tests.page.story import CHAIN, COUPON, tell_story

if TYPE_CHECKING:
    from playwright.sync_api import Page

Open = Callable[[str], "Page"]


def test_a_block_leads_to_its_transactions(open_view: Open, client: Client, shop: MockProject) -> None:
    transaction = tell_story(client, shop)
    page = open_view("chain")
    page.click(".scroll td a")
    page.wait_for_selector("h2:has-text('Block ')")
    page.click(".scroll td a")
    page.wait_for_selector(f".detail h2:has-text('{transaction}')")
    page.click(".detail dd a:has-text('Polygon Amoy')")
    page.wait_for_selector("h2:has-text('Blocks with transactions')")


def test_all_blocks_are_listed_in_pages(open_view: Open, client: Client, shop: MockProject) -> None:
    tell_story(client, shop)
    page = open_view(f"chain?chain={CHAIN}")
    page.click("text=All blocks")
    page.wait_for_selector("h2:text-is('Blocks')")
    assert page.locator("tbody tr").count() == 25
    newest = int(page.locator("tbody tr >> nth=0").locator("a").inner_text())
    page.click("text=Older")
    page.wait_for_selector(f"a:text-is('{newest - 25}')")
    assert page.locator("tbody tr").count() == 25


def test_an_address_shows_what_it_holds(open_view: Open, client: Client, shop: MockProject) -> None:
    tell_story(client, shop)
    holder = f"0x{7:040x}"
    body = {"balance_wei": "1", "tokens": [{"contract": COUPON, "balance": "2500000000000000000"}]}
    shop.call("PUT", f"/chains/{CHAIN}/addresses/{holder}", json=body)
    page = open_view(f"search?q={holder}")
    page.click("text=Look it up on a chain")
    page.wait_for_selector("td:has-text('2.5 tokens')")
    page.click("td a:has-text('0x')")
    page.wait_for_selector("h3:has-text('Holders')")
    assert page.locator("td:has-text('2.5 tokens')").count() == 1


def test_the_field_finds_blocks_and_transactions(open_view: Open, client: Client, shop: MockProject) -> None:
    transaction = tell_story(client, shop)
    (block,) = shop.call("GET", f"/chains/{CHAIN}/blocks", params={"filled": "true"})["data"]
    page = open_view("chain")
    field = "input[aria-label='Block, address or hash']"
    page.fill(field, str(block["block_number"]))
    page.press(field, "Enter")
    page.wait_for_selector(f"h2:has-text('Block {block['block_number']}')")
    page.fill(field, "0x" + "ab" * 32)
    page.press(field, "Enter")
    page.wait_for_selector("text=No block, address or transaction is 0xab")
    page.fill(field, block["transactions"][0]["transaction_hash"])
    page.press(field, "Enter")
    page.wait_for_selector(f".detail h2:has-text('{transaction}')")
