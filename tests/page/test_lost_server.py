"""What the page says when its project or its server is gone, or comes back as another."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from httpx import Client

from mockserver.testing.project import MockProject
from mockserver.testing.server import LiveServer

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, Page

Open = Callable[[str], "Page"]

BANNER = "#banner:not([hidden])"
GREYED = "getComputedStyle(document.querySelector('#main')).filter"
COUNTS = "[...document.querySelectorAll('#top .count')].map(each => each.textContent).join('')"


def send(server: LiveServer, project: MockProject, *names: str) -> None:
    """Send a request of each name."""
    headers = {"authorization": f"Bearer {project.secret_key}"}
    with Client(transport=server.transport, base_url="http://127.0.0.1", headers=headers) as client:
        for name in names:
            client.get(f"/v1/contracts/con_{name}")


def restart(server: LiveServer, control_token: str | None = None) -> LiveServer:
    """Another server, with nothing of what the first one held, whose URL is the same once it is asked for."""
    port = int(server.url.rpartition(":")[2])
    server.stop()
    return LiveServer(port=port, control_token=control_token)


def test_a_deleted_project_is_said_to_be_gone(
    open_view: Open, client: Client, server: LiveServer, shop: MockProject
) -> None:
    other = server.control.create_project(name="other")
    client.get("/v1/contracts")
    page = open_view("journal")
    page.wait_for_selector(".row")
    shop.delete()
    page.wait_for_selector(f"{BANNER} >> text=This project is gone")
    assert page.locator(".row").count() == 1
    assert page.evaluate(GREYED) == "grayscale(1)"
    assert page.evaluate(COUNTS) == ""
    page.click("#banner a:has-text('other')")
    page.wait_for_selector("text=No requests yet")
    page.wait_for_selector(BANNER, state="detached")
    assert other.id in page.url
    assert page.evaluate(GREYED) == "none"


def test_the_clock_of_a_project_that_is_gone_stands_still(
    context: "BrowserContext", open_view: Open, shop: MockProject
) -> None:
    context.clock.install()
    shop.clock.tick()
    page = open_view("clock")
    page.wait_for_selector("#main .now")
    shop.delete()
    page.wait_for_selector(f"{BANNER} >> text=This project is gone")
    shown = page.inner_text("#main .now")
    page.clock.fast_forward(60_000)
    assert page.inner_text("#main .now") == shown


def test_an_address_of_an_unknown_project_shows_no_other_one(
    open_view: Open, client: Client, server: LiveServer, shop: MockProject
) -> None:
    client.get("/v1/contracts")
    page = open_view("journal")
    page.wait_for_selector(".row")
    page.goto(f"{server.url}/_mock/#/pro_nowhere/")
    page.wait_for_selector(f"{BANNER} >> text=This project is gone")
    assert page.evaluate(COUNTS) == ""
    assert page.locator(".row").count() == 0
    page.click("#banner a:has-text('shop')")
    page.wait_for_selector(".row")


def test_a_project_has_not_its_formers_counts(open_view: Open, client: Client, server: LiveServer) -> None:
    client.get("/v1/contracts")
    other = server.control.create_project(name="other")
    page = open_view("journal")
    page.wait_for_selector("#top .count:has-text('1')")
    page.route(f"**/{other.id}/events", lambda route: None)
    page.goto(f"{server.url}/_mock/#/{other.id}/tables")
    page.wait_for_selector("#top a[aria-current]:has-text('Tables')")
    assert page.evaluate(COUNTS) == ""


def test_a_server_back_as_another_is_told(open_view: Open, server: LiveServer, shop: MockProject) -> None:
    send(server, shop, "first", "second", "third")
    page, beside = open_view("journal"), open_view("journal")
    page.wait_for_selector(".row:has-text('con_third')")
    again = restart(server)
    for tab in (page, beside):
        tab.wait_for_selector(f"{BANNER} >> text=The server does not answer")
        assert tab.locator(".row").count() == 3
        assert tab.evaluate(GREYED) == "grayscale(1)"
    with again:
        made = again.control.create_project(name="shop")
        assert made.id == shop.id
        send(again, made, "other")
        assert again.url == server.url
        for tab in (page, beside):
            tab.wait_for_selector(f"{BANNER} >> text=The server was restarted")
            tab.wait_for_selector(".row:has-text('con_other')")
            assert tab.locator(".row").count() == 1
            assert tab.evaluate(GREYED) == "none"
            tab.wait_for_function(
                "() => document.querySelector('#top select').selectedOptions[0].text === 'shop'"
            )
        page.click("#banner button:has-text('OK')")
        page.wait_for_selector(BANNER, state="detached")


def test_a_server_back_with_a_token_asks_for_it(open_view: Open, server: LiveServer) -> None:
    page = open_view("journal")
    again = restart(server, control_token="a-token-of-my-own")
    page.wait_for_selector(f"{BANNER} >> text=The server does not answer")
    with again:
        again.control.create_project(name="shop")
        assert again.url == server.url
        page.wait_for_selector("form.token >> text=needs its control token")
        page.wait_for_selector(BANNER, state="detached")
        assert page.evaluate(GREYED) == "none"
        page.fill("input[type=password]", "a-token-of-my-own")
        page.keyboard.press("Enter")
        page.wait_for_selector(".dot.on")


def test_a_page_opened_in_a_restart_has_text(open_view: Open, server: LiveServer, shop: MockProject) -> None:
    other = server.control.create_project(name="other")
    send(server, shop, "first")
    page = open_view("journal")
    page.wait_for_selector(".row")
    again = restart(server)
    page.wait_for_selector(f"{BANNER} >> text=The server does not answer")
    page.goto(page.url.replace(f"{shop.id}/journal", f"{other.id}/tables"))
    page.wait_for_selector("#top a[aria-current]:has-text('Tables')")
    page.wait_for_selector(f"{BANNER} >> text=The server does not answer")
    with again:
        made = again.control.create_project(name="other")
        again.control.create_project(name="shop")
        made.fund(80002, "0x" + "ab" * 20, 10**18)
        assert again.url == server.url
        page.wait_for_selector("nav.names a:has-text('chains.accounts')")
        page.wait_for_selector(BANNER, state="detached")


def test_a_server_without_projects_shows_the_first_to_come(context: "BrowserContext") -> None:
    with LiveServer() as server:
        page = context.new_page()
        page.goto(f"{server.url}/_mock/")
        page.wait_for_selector("text=This server has no projects")
        server.control.create_project(name="shop")
        page.wait_for_selector("text=No requests yet")
