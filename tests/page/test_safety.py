"""What hostile texts and hostile pages cannot do."""

import json
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import pytest
from httpx import Client

from mockserver.state.outbox import Message
from mockserver.testing.project import MockProject
from mockserver.testing.server import LiveServer
from tests.page.serving import served_page

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, Page

Open = Callable[[str], "Page"]

PAYLOAD = '<img src=x onerror="window.hacked=1"><script>window.hacked=1</script>\'"`{window.hacked=1}'


@pytest.fixture
def foreign_page() -> Iterator[str]:
    """The URL of a page of another site."""
    with served_page("<!doctype html><title>foreign</title><h1>foreign</h1>") as port:
        yield f"http://foreign.example:{port}/"


def send_payloads(client: Client, shop: MockProject) -> None:
    """Put a payload into every field that a client can fill."""
    name = json.dumps(PAYLOAD)
    shop.load(f"name: {name}\nrules:\n  - {{name: {name}, when: GetContracts, then: {{answer: 200}}}}\n")
    client.get("/v1/contracts", params={PAYLOAD: PAYLOAD}, headers={"x-mark": PAYLOAD})
    client.get(f"/v1/{PAYLOAD}")
    client.post(
        "/v1/contracts",
        json={"name": PAYLOAD, "chainId": 80002, "address": f"0x{1:040x}", PAYLOAD: PAYLOAD},
        headers={"x-request-id": "1"},
    )
    client.post("/v2/players", content=PAYLOAD, headers={"content-type": PAYLOAD.replace("`", "")})
    client.post(
        "/iam/v2/auth/email-otp/send-verification-otp",
        json={"email": '"<img/src=x/onerror=window.hacked=1>"@example.com', "type": "sign-in"},
        headers={"authorization": "", "x-project-key": shop.publishable_key},
    )


def test_hostile_texts_are_shown_as_text_everywhere(
    open_view: Open, client: Client, server: LiveServer, shop: MockProject
) -> None:
    send_payloads(client, shop)
    project = server.world.get(shop.id)
    assert project is not None
    project.outbox.insert(
        Message(
            "msg_1", 0, "email", PAYLOAD, PAYLOAD, PAYLOAD, PAYLOAD, PAYLOAD, "javascript:window.hacked=1"
        )
    )
    page = open_view("journal")
    page.wait_for_selector(".row")
    for n in (call.number for call in project.history.answered_since(0)):
        page.goto(f"{server.url}/_mock/#/{shop.id}/journal?n={n}")
        page.wait_for_selector(f".detail[data-n='{n}'] h2")
    page.goto(f"{server.url}/_mock/#/{shop.id}/outbox?message=msg_1")
    page.wait_for_selector(".detail h2:has-text('<img src=x')")
    assert page.locator(".detail a").count() == 0
    for moment in shop.timeline():
        page.goto(f"{server.url}/_mock/#/{shop.id}/timeline?moment={moment['n']}")
        page.wait_for_selector(f".detail[data-moment='{moment['n']}'] h2")
    for view in ("scenarios", "tables?table=outbox&at=1", "snapshots", "recordings", "projects"):
        page.goto(f"{server.url}/_mock/#/{shop.id}/{view}")
        page.wait_for_selector("#main >> *")
    assert page.evaluate("window.hacked") is None
    assert page.locator("img, main script").count() == 0


def test_no_script_of_the_page_can_write_html(open_view: Open) -> None:
    page = open_view("journal")
    refused = page.evaluate(
        "() => { try { document.body.innerHTML = '<b>x</b>'; return false } catch (error) { return true } }"
    )
    assert refused


def test_a_foreign_page_reads_nothing_and_changes_nothing(
    context: "BrowserContext", foreign_page: str, server: LiveServer, shop: MockProject
) -> None:
    page = context.new_page()
    page.goto(foreign_page)
    attempt = """async ([url, options]) => {
      try {
        const answer = await fetch(url, options);
        return answer.type === "opaque" ? "opaque" : await answer.text();
      } catch { return "refused" }
    }"""
    projects = f"{server.url}/_mock/projects"
    assert page.evaluate(attempt, [projects, {}]) == "refused"
    reset = {"method": "POST", "mode": "no-cors", "body": "{}"}
    client_version = len(server.world)
    page.evaluate(attempt, [f"{projects}/{shop.id}/reset", reset])
    page.evaluate(attempt, [projects, reset])
    assert len(server.world) == client_version
    page.evaluate(
        """url => {
          const frame = document.createElement("iframe");
          frame.src = url;
          document.body.append(frame);
        }""",
        f"{server.url}/_mock/",
    )
    page.wait_for_timeout(300)
    frames = [frame for frame in page.frames if frame is not page.main_frame]
    assert all(frame.locator("nav").count() == 0 for frame in frames)


def test_a_rebound_name_does_not_get_the_page(context: "BrowserContext", server: LiveServer) -> None:
    page = context.new_page()
    port = server.url.rpartition(":")[2]
    for path in ("", "page/codemirror.js", "page/timeline.js"):
        answer = page.goto(f"http://foreign.example:{port}/_mock/{path}")
        assert answer is not None
        assert answer.status == 403


def test_a_server_with_a_token_asks_for_it(context: "BrowserContext") -> None:
    with LiveServer(control_token="a-token-of-my-own") as server:
        server.control.create_project(name="shop")
        page = context.new_page()
        page.goto(f"{server.url}/_mock/")
        page.fill("input[type=password]", "another-token")
        page.keyboard.press("Enter")
        page.wait_for_selector("text=is not the control token")
        page.fill("input[type=password]", "a-token-of-my-own")
        page.keyboard.press("Enter")
        page.wait_for_selector(".dot.on")
        page.wait_for_selector("text=No requests yet")
