"""The outbox, the clock and the projects, in a browser."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from httpx import Client

from mockserver.testing.project import MockProject
from mockserver.testing.server import LiveServer
from tests.tables import cases

if TYPE_CHECKING:
    from playwright.sync_api import Page

Open = Callable[[str], "Page"]


def send_code(client: Client, shop: MockProject, to: str) -> None:
    """Let the service mail a one-time code."""
    client.post(
        "/iam/v2/auth/email-otp/send-verification-otp",
        json={"email": to, "type": "sign-in"},
        headers={"authorization": "", "x-project-key": shop.publishable_key},
    )


def test_messages_appear_with_their_codes(open_view: Open, client: Client, shop: MockProject) -> None:
    page = open_view("outbox")
    page.wait_for_selector("text=No messages")
    send_code(client, shop, "ada@example.com")
    page.wait_for_selector(".row >> text=ada@example.com")
    page.keyboard.press("j")
    page.keyboard.press("Enter")
    code = shop.call("GET", "/outbox")["data"][0]["code"]
    page.wait_for_selector(f".detail p.code >> text={code}")
    page.click("text=Copy code")
    page.wait_for_selector("text=Copied")
    assert page.evaluate("navigator.clipboard.readText()") == code
    assert "message=" in page.url
    page.keyboard.press("Escape")
    page.wait_for_selector(".detail", state="hidden")


def test_messages_are_found_by_their_recipient(open_view: Open, client: Client, shop: MockProject) -> None:
    for name in ("ada", "bob"):
        send_code(client, shop, f"{name}@example.com")
    page = open_view("outbox?to=bob@example.com")
    page.wait_for_selector(".row")
    assert page.locator(".row .to").all_inner_texts() == ["bob@example.com"]


def test_the_clock_is_advanced_and_says_what_fired(open_view: Open, shop: MockProject) -> None:
    shop.call("POST", "/solana/transactions", json={})
    page = open_view("clock")
    page.click("text=+1 day")
    page.wait_for_selector(".moves td:has-text('sent → confirmed')")
    page.wait_for_selector("p.now:has-text('2026-01-02 00:00:00.000')")
    page.fill("input[aria-label='Advance to']", "2020-01-01T00:00:00Z")
    page.keyboard.press("Enter")
    page.wait_for_selector("text=Time only goes forward")


def test_the_clock_ticks_and_freezes(open_view: Open, shop: MockProject) -> None:
    page = open_view("clock")
    page.click("text=Tick at this rate")
    page.wait_for_selector("dd:has-text('ticking')")
    page.click("text=Freeze")
    page.wait_for_selector("dd:has-text('frozen')")
    assert shop.call("GET", "/clock")["mode"] == "frozen"


def test_projects_are_shown_made_and_deleted(open_view: Open, server: LiveServer, shop: MockProject) -> None:
    page = open_view("projects")
    page.wait_for_selector("code:has-text('sk_test_shop')")
    page.fill("input[aria-label='Name of a new project']", "second")
    page.keyboard.press("Enter")
    row = page.locator("tr:has-text('sk_test_second')")
    row.locator("button:has-text('Delete')").click()
    page.locator("dialog button:has-text('Delete')").click()
    page.wait_for_selector("code:has-text('sk_test_second')", state="detached")
    assert len(server.world) == 1


@cases(
    "name, text, value",
    ("one_time_code", "424242", "424242"),
    ("session_lifetime_ms", "1 h 30 min", 5_400_000),
    ("link_lifetime_ms", "2500", 2500),
    ("sponsor_deposit_wei", "1234567890123456789012345", 1234567890123456789012345),
    ("access_token_lifetime_ms", "2 days", 2 * 86_400_000),
    ("trusted_origins", '["https://shop.example"]', ["https://shop.example"]),
)
def test_a_setting_is_changed_and_set_to_its_default_again(
    open_view: Open, shop: MockProject, name: str, text: str, value: object
) -> None:
    before = shop.call("GET", "/settings")[name]
    page = open_view("projects")
    page.fill(f"#setting-{name}", text)
    page.keyboard.press("Enter")
    page.wait_for_selector(f"#notice:has-text('{name} is')")
    assert shop.call("GET", "/settings")[name] == value
    page.click(f"button[aria-label='Set {name} to its default']")
    page.wait_for_selector(".setting .badge:has-text('changed')", state="detached")
    assert shop.call("GET", "/settings")[name] == before


def test_settings_are_switches_choices_and_durations(open_view: Open, shop: MockProject) -> None:
    page = open_view("projects")
    page.check("#setting-rate_limits")
    page.wait_for_selector("#notice:has-text('rate_limits is true')")
    page.select_option("#setting-unknown_chains", "refuse")
    page.wait_for_selector("#notice:has-text('unknown_chains is refuse')")
    changed = shop.call("GET", "/settings")
    assert (changed["rate_limits"], changed["unknown_chains"]) == (True, "refuse")
    assert page.input_value("#setting-session_lifetime_ms") == "7 days"
    help_text = page.locator("#help-session_lifetime_ms").inner_text()
    assert help_text == "How long a session is valid after its last renewal."
    page.fill("input[aria-label='Find a setting']", "nonce of sign-in")
    assert page.locator(".setting:visible label").all_inner_texts() == ["siwe_nonce_lifetime_ms"]


@cases(
    "name, text, reason",
    ("messages_kept", "0", "greater than or equal to 1"),
    ("messages_kept", "many", "not valid JSON"),
    ("session_lifetime_ms", "a week", "A duration is such as 7 days"),
    ("session_lifetime_ms", "5 ms", "greater than or equal to 1000"),
)
def test_a_wrong_setting_is_said_at_its_field(open_view: Open, name: str, text: str, reason: str) -> None:
    page = open_view("projects")
    page.fill(f"#setting-{name}", text)
    page.keyboard.press("Enter")
    page.wait_for_selector(f"#problem-{name}:has-text('{reason}')")
    assert page.get_attribute(f"#setting-{name}", "aria-invalid") == "true"


def test_a_webhook_is_looked_at_and_delivered_again(
    open_view: Open, client: Client, shop: MockProject
) -> None:
    shop.webhooks.subscribe(shop.webhooks.inbox("orders"), "test")
    shop.webhooks.fate("lost")
    client.post("/v1/subscriptions/test")
    page = open_view("webhooks")
    page.click(".row >> text=test")
    page.wait_for_selector(".detail >> text=lost")
    page.click("text=Deliver again")
    page.wait_for_selector(".row >> text=succeeded")
    assert shop.webhooks.list()[0]["status"] == "succeeded"
    page.wait_for_selector(".detail >> text=answered 200")


def test_errors_that_were_met_and_were_not(open_view: Open, client: Client, shop: MockProject) -> None:
    page = open_view("errors")
    page.wait_for_selector("text=None. The first call of the API")
    shop.load("rules: [{when: GetContracts, then: {error: rate_limited}}]")
    client.get("/v1/contracts")
    cells = page.locator("tr:has-text('GetContracts') td")
    cells.first.wait_for()
    found = shop.call("GET", "/error-coverage")
    missing = found["missing"]["GetContracts"]
    count = f"1 of {1 + len(missing)}"
    assert cells.all_inner_texts() == ["GetContracts", count, "429", ", ".join(missing)]
    assert page.locator("p.now").inner_text() == f"{found['percent']:.0f} % met"
    with page.expect_download() as saved:
        page.click("text=Save as HTML")
    assert f"<td>{count}</td><td>429</td>" in saved.value.path().read_text()
    page.click("td a >> text=GetContracts")
    page.wait_for_selector(".row.exchange")
