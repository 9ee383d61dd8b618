"""Tabs of one browser share one event stream, and a page that is not seen has none."""

from collections.abc import Callable
from typing import TYPE_CHECKING

import httpx

from mockserver.state.project import Project
from mockserver.testing.project import MockProject
from mockserver.testing.server import LiveServer
from tests.live import project_of

if TYPE_CHECKING:
    from playwright.sync_api import Page

Open = Callable[[str], "Page"]

HIDE = """hidden => {
  Object.defineProperty(document, "hidden", { value: hidden, configurable: true });
  document.dispatchEvent(new Event("visibilitychange"));
}"""


def wait_for_streams(page: "Page", project: Project, count: int) -> None:
    """Give the browser time until so many streams are open."""
    for _ in range(200):
        if project.listeners == count:
            return
        page.wait_for_timeout(20)
    assert project.listeners == count


def test_eight_tabs_share_one_stream_and_all_of_them_follow(
    open_view: Open, client: httpx.Client, server: LiveServer, shop: MockProject
) -> None:
    tabs = [open_view("journal") for _ in range(8)]
    project = project_of(server, shop)
    wait_for_streams(tabs[0], project, 1)
    client.get("/v1/contracts")
    for tab in tabs:
        tab.wait_for_selector(".row")
    assert project.listeners == 1


def test_another_tab_goes_on_when_the_reading_one_is_closed(
    open_view: Open, client: httpx.Client, server: LiveServer, shop: MockProject
) -> None:
    first, second = open_view("journal"), open_view("journal")
    first.close()
    client.get("/v1/contracts")
    second.wait_for_selector(".row")
    wait_for_streams(second, project_of(server, shop), 1)


def test_a_hidden_page_has_no_stream_and_catches_up(
    open_view: Open, client: httpx.Client, server: LiveServer, shop: MockProject
) -> None:
    page, project = open_view("journal"), project_of(server, shop)
    wait_for_streams(page, project, 1)
    page.evaluate(HIDE, True)
    wait_for_streams(page, project, 0)
    client.get("/v1/contracts")
    assert page.locator(".row").count() == 0
    page.evaluate(HIDE, False)
    page.wait_for_selector(".row")


def test_a_tab_of_another_project_follows_its_own(
    open_view: Open, context: object, client: httpx.Client, server: LiveServer, shop: MockProject
) -> None:
    page = open_view("journal")
    other = server.control.create_project(name="other")
    tab = page.context.new_page()
    tab.goto(f"{server.url}/_mock/#/{other.id}/journal")
    tab.wait_for_selector("text=No requests yet")
    httpx.get(f"{server.url}/v1/contracts", headers={"authorization": f"Bearer {other.secret_key}"})
    tab.wait_for_selector(".row")
    wait_for_streams(page, project_of(server, shop), 1)
