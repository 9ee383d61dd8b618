"""The journal as it happens, in a browser."""

import shlex
import subprocess
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest
from httpx import Client, ReadError

from mockserver.state.history.history import History
from mockserver.testing.project import MockProject
from mockserver.testing.server import LiveServer
from tests.live import project_of
from tests.page.story import COUPON, send_coupon
from tests.tables import cases

if TYPE_CHECKING:
    from playwright.sync_api import Page

Open = Callable[[str], "Page"]

RULE = """
name: outage
rules:
  - name: away
    when: {call: GetContracts, query: {name: one}}
    then: {answer: 503}
"""

LOST = """
name: lost
rules:
  - {when: GetContracts, then: {fault: {connection_reset_by_peer: {effect: done}}}}
"""


def rows_of(page: "Page") -> list[str]:
    """The paths of the rows, in the order of the document."""
    paths: list[str] = page.locator(".row.exchange .path").all_text_contents()
    return paths


def wait_for_rows(page: "Page", count: int) -> None:
    """Wait until so many rows are seen."""
    page.wait_for_function("count => document.querySelectorAll('.row').length === count", arg=count)


def test_requests_appear_as_they_arrive_the_newest_first(open_view: Open, client: Client) -> None:
    page = open_view("journal")
    page.wait_for_selector("text=No requests yet")
    client.get("/v1/contracts")
    client.get("/v1/players")
    wait_for_rows(page, 2)
    assert rows_of(page) == ["/v1/players", "/v1/contracts"]
    client.get("/v1/policies")
    wait_for_rows(page, 3)
    assert rows_of(page) == ["/v1/policies", "/v1/players", "/v1/contracts"]


def test_a_lost_answer_is_struck_through(open_view: Open, client: Client, shop: MockProject) -> None:
    shop.load(LOST)
    client.get("/v1/players")
    with pytest.raises(ReadError):
        client.get("/v1/contracts")
    page = open_view("journal")
    page.wait_for_selector(".row .badge.bad:has(s:text-is('200')):has-text('lost')")
    page.click("button:has-text('Failed')")
    wait_for_rows(page, 1)
    assert rows_of(page) == ["/v1/contracts"]
    page.click(".row")
    page.wait_for_selector(".detail >> text=its client got no answer")


def test_an_answer_that_was_spoilt_is_not_green(open_view: Open, client: Client, shop: MockProject) -> None:
    shop.load(LOST.replace("connection_reset_by_peer", "malformed_json"))
    client.get("/v1/contracts")
    page = open_view("journal?failed=true")
    page.wait_for_selector(".row .status .badge.warn")


def test_headers_are_found(open_view: Open, client: Client) -> None:
    client.get("/v1/contracts", headers={"x-request-id": "req-77"})
    client.get("/v1/players", headers={"x-idempotency-key": "order-9"})
    page = open_view("journal?text=REQ-77")
    wait_for_rows(page, 1)
    assert rows_of(page) == ["/v1/contracts"]
    page.goto(page.url.replace("journal?text=REQ-77", "search?q=order-9"))
    page.click("text=1 request mentions it")
    page.wait_for_selector(".row:has-text('/v1/players')")


def test_the_end_of_the_journal_says_how_many_were_dropped(
    open_view: Open, client: Client, server: LiveServer, shop: MockProject
) -> None:
    project_of(server, shop).history = History(max_count=2)
    page = open_view("journal")
    for _ in range(3):
        client.get("/v1/contracts")
    page.wait_for_selector(".end:has-text('1 older exchange was dropped')")
    client.get("/v1/contracts")
    page.wait_for_selector(".end:has-text('2 older exchanges were dropped')")
    assert "the latest 2,000 events, of 16 MiB at most" in page.locator(".end").inner_text()
    assert "64 MiB (--journal-bytes)" in page.locator(".end").inner_text()


def test_columns_have_names_colours_and_times(open_view: Open, client: Client, shop: MockProject) -> None:
    send_coupon(client, shop, COUPON)
    client.get("/v1/contracts")
    page = open_view("journal")
    page.wait_for_selector(".row:has-text('CreateTransaction') .took:has-text('2 s')")
    heads = page.locator(".columns > :not(:empty)").all_inner_texts()
    assert heads == ["#", "Time", "Method", "Path", "Operation", "Took", "Status"]
    colours = {
        method: page.locator(f".row[data-method={method}] .method >> nth=0").evaluate(
            "each => getComputedStyle(each).color"
        )
        for method in ("GET", "POST")
    }
    assert colours["GET"] != colours["POST"]


def test_an_empty_journal_offers_a_request(open_view: Open, server: LiveServer, shop: MockProject) -> None:
    page = open_view("journal")
    page.click("button[aria-label='Copy the variables']")
    page.wait_for_selector("text=Copied")
    lines = page.evaluate("navigator.clipboard.readText()").splitlines()
    variables = dict(line.split("=", 1) for line in lines)
    assert variables.items() <= shop.env.items()
    assert variables["OPENFORT_SECRET_KEY"] == shop.secret_key
    page.click("text=Copy with the wallet secret")
    page.wait_for_function(
        "secret => navigator.clipboard.readText().then(text => text.includes(secret))", arg=shop.wallet_secret
    )
    page.click("button[aria-label='Copy the command']")
    page.wait_for_function("() => navigator.clipboard.readText().then(text => text.startsWith('curl'))")
    command = page.evaluate("navigator.clipboard.readText()")
    assert subprocess.run(["sh", "-c", command], capture_output=True, check=False).returncode == 0
    page.wait_for_selector(".row:has-text('/v1/contracts')")


def test_an_exchange_shows_what_nearly_matched(open_view: Open, client: Client, shop: MockProject) -> None:
    shop.load(RULE)
    client.get("/v1/contracts", params={"name": "one"})
    client.get("/v1/contracts", params={"name": "two"})
    page = open_view("journal?n=2")
    page.wait_for_selector(".detail >> text=Matched the rule away")
    page.goto(page.url.replace("n=2", "n=3"))
    page.wait_for_selector(".detail >> text=Rules that nearly match it")
    detail = page.locator(".detail").inner_text()
    assert "name in the query is" in detail
    assert '"object": "list"' in detail


def test_filters_are_in_the_address_for_another_tab(open_view: Open, client: Client) -> None:
    client.get("/v1/contracts")
    client.get("/v1/contracts/con_1")
    client.get("/v1/players/pla_1")
    page = open_view("journal")
    wait_for_rows(page, 3)
    page.click("button:has-text('Failed')")
    wait_for_rows(page, 2)
    page.fill("input[name=text]", "PLA_1")
    wait_for_rows(page, 1)
    page.keyboard.press("Escape")
    page.keyboard.press("j")
    page.keyboard.press("Enter")
    page.wait_for_selector(".detail h2")
    other = open_view(page.url.split("/")[-1])
    other.wait_for_selector(".detail h2:has-text('/v1/players/pla_1')")
    assert other.locator("input[name=text]").input_value() == "PLA_1"
    assert rows_of(other) == ["/v1/players/pla_1"]


def test_a_misspelt_operation_is_explained(open_view: Open) -> None:
    page = open_view("journal?operation=GetContract5")
    page.wait_for_selector("text=did you mean GetContract")


def test_what_arrives_passes_the_filters_as_well(open_view: Open, client: Client) -> None:
    page = open_view("journal?status=4xx")
    client.get("/v1/contracts")
    client.get("/v1/contracts/con_1")
    wait_for_rows(page, 1)
    assert rows_of(page) == ["/v1/contracts/con_1"]


def test_keys_move_open_close_and_search(open_view: Open, client: Client) -> None:
    for number in range(60):
        client.get(f"/v1/contracts/con_{number}")
    page = open_view("journal")
    page.wait_for_selector(".row")
    for key in "jjjk":
        page.keyboard.press(key)
    page.keyboard.press("Enter")
    page.wait_for_selector(".detail h2:has-text('con_58')")
    page.keyboard.press("Escape")
    page.wait_for_selector(".detail", state="hidden")
    assert page.locator("[aria-selected=true] .path").inner_text() == "/v1/contracts/con_58"
    page.keyboard.press("/")
    assert page.evaluate("document.activeElement.name") == "text"
    page.keyboard.press("Escape")
    page.keyboard.press("?")
    page.wait_for_selector("dialog:has-text('Next, previous row')")
    page.keyboard.press("Escape")
    page.locator(".vlist").focus()
    page.keyboard.press("ArrowDown")
    page.wait_for_function("() => document.querySelector('.vlist').scrollTop > 0")
    assert page.locator("[aria-selected=true] .path").inner_text() == "/v1/contracts/con_58"


def test_the_way_back_of_the_browser_closes_what_was_opened(open_view: Open, client: Client) -> None:
    client.get("/v1/contracts")
    page = open_view("journal?status=2xx")
    page.click(".row")
    page.wait_for_selector(".detail h2")
    page.go_back()
    page.wait_for_selector(".detail", state="hidden")
    assert page.url.endswith("journal?status=2xx")


def test_a_pause_counts_what_arrives_meanwhile(open_view: Open, client: Client) -> None:
    page = open_view("journal")
    page.keyboard.press("p")
    for _ in range(3):
        client.get("/v1/contracts")
    page.wait_for_selector("text=3 new while paused")
    assert rows_of(page) == []
    page.keyboard.press("p")
    wait_for_rows(page, 3)


def test_a_burst_is_skipped_and_said_so_and_can_be_scrolled_to(open_view: Open, client: Client) -> None:
    page = open_view("journal")
    page.keyboard.press("p")
    for number in range(250):
        client.get(f"/v1/contracts/con_{number}")
    page.wait_for_selector("text=250 new while paused")
    page.keyboard.press("p")
    page.wait_for_selector("text=150 skipped")
    page.evaluate("document.querySelector('.vlist').scrollTop = 1e9")
    page.wait_for_selector("text=con_0")


def test_a_request_is_copied_without_secrets(open_view: Open, client: Client, shop: MockProject) -> None:
    client.post("/v1/contracts", json={"name": "it's", "chainId": 80002, "address": f"0x{1:040x}"})
    page = open_view("journal?n=1")
    page.click("text=Copy as curl")
    page.wait_for_selector("text=Copied")
    masked = page.evaluate("navigator.clipboard.readText()")
    assert shop.secret_key not in masked
    assert "curl --globoff --path-as-is -X POST http://127.0.0.1" in masked
    assert "it'\\''s" in masked
    page.click("text=with secrets")
    page.wait_for_function(
        "key => navigator.clipboard.readText().then(text => text.includes(key))", arg=shop.secret_key
    )


COPIED = """async ([method, path, query, headers, body]) => {
  const { exchangeAsCurl } = await import("./page/curl.js");
  return exchangeAsCurl({ method, path, query, request: { headers, body } });
}"""
LONG = "é" * 100_000


@cases(
    "exchange, words",
    (["HEAD", "/v1/a b", "", {"x-a": "$(id)"}, None], ["--head", "URL/v1/a%20b", "-H", "x-a: $(id)"]),
    (
        ["GET", "/a", "a[]=1", {}, "@/etc/passwd"],
        ["-X", "GET", "URL/a?a[]=1", "-H", "content-type:", "--data-raw", "@/etc/passwd"],
    ),
    (
        ["A;id", "/a", "", {"content-type": "text/plain"}, ""],
        ["-X", "A;id", "URL/a", "-H", "content-type: text/plain", "--data-raw", ""],
    ),
    (["GET", "/a/../b%2Fc?#%", "", {"x-empty": ""}, None], ["URL/a/../b%2Fc%3F%23%25", "-H", "x-empty;"]),
)
def test_a_copied_request_is_one_call_of_curl(
    open_view: Open, server: LiveServer, exchange: list[Any], words: list[str]
) -> None:
    copied = open_view("journal").evaluate(COPIED, exchange)
    assert shlex.split(copied.replace("\\\n", "")) == [
        "curl",
        "--globoff",
        "--path-as-is",
        *(word.replace("URL", server.url) for word in words),
    ]


def test_a_body_that_no_argument_can_have_is_piped(open_view: Open, shop: MockProject) -> None:
    exchange = ["POST", "/v1/players", "", {"authorization": f"Bearer {shop.secret_key}"}, LONG]
    copied = open_view("journal").evaluate(COPIED, exchange)
    subprocess.run(["sh"], input=copied, text=True, check=True, capture_output=True)
    assert shop.call("GET", "/journal/1?unmasked=true")["request"]["body"] == LONG


def test_the_calls_of_the_page_are_shown_as_curl(open_view: Open, shop: MockProject) -> None:
    page = open_view("journal?status=5xx")
    page.keyboard.press("c")
    page.wait_for_selector(f"dialog >> text=projects/{shop.id}/journal?brief=true")


def test_a_reset_empties_the_list(open_view: Open, client: Client, shop: MockProject) -> None:
    client.get("/v1/contracts")
    page = open_view("journal")
    wait_for_rows(page, 1)
    shop.reset()
    page.wait_for_selector("text=No requests yet")


def test_what_was_typed_last_does_not_filter_the_next_view(open_view: Open) -> None:
    page = open_view("journal")
    page.wait_for_selector("text=No requests yet")
    page.evaluate("""async () => {
          const field = document.querySelector("input[name=text]");
          field.value = "pla_1";
          field.dispatchEvent(new Event("input"));
          location.hash = location.hash.replace("journal", "clock");
          await new Promise((done) => setTimeout(done, 300));
        }""")
    assert page.url.endswith("/clock")
