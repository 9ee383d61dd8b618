"""The links to operations open them on the page of the OpenAPI document, in a browser."""

from typing import TYPE_CHECKING

from httpx import Client

from mockserver.testing.project import MockProject
from mockserver.testing.server import LiveServer

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import BrowserContext, Page


def test_the_link_of_a_problem_opens_the_operation(
    context: "BrowserContext", errors: list[str], server: LiveServer, shop: MockProject, client: Client
) -> None:
    problem = client.post(f"/_mock/projects/{shop.id}/clock/advance", json={"seconds": -1}).json()
    tab = context.new_page()
    tab.goto(server.url + problem["docs"])
    tab.wait_for_selector("#operations-Clock-AdvanceClock.is-open", timeout=60_000)


def test_an_exchanges_operation_links_to_itself(open_view: "Callable[[str], Page]", client: Client) -> None:
    client.get("/v1/contracts")
    tab = open_view("journal")
    tab.click(".row.exchange")
    tab.click("a:text-is('GetContracts')")
    # The page reads the whole document first.
    tab.wait_for_selector("#operations-Contracts-GetContracts.is-open", timeout=60_000)
