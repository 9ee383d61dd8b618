"""The API reference: it is there at once, and each call can be tried with the keys of a project."""

from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

from mockserver.testing.project import MockProject
from mockserver.testing.server import LiveServer
from tests.tables import cases

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, Page

MOST_S = 2
"""The browser's own work until the first group is there, on a thread of its own: others may be busy."""

Visit = Callable[[str], "Page"]


@pytest.fixture
def visit(context: "BrowserContext", errors: list[str], server: LiveServer, shop: MockProject) -> Visit:
    """Open the reference with a query and an operation."""

    def open_reference(address: str) -> "Page":
        tab = context.new_page()
        tab.goto(f"{server.url}/_mock/docs{address}")
        return tab

    return open_reference


def try_it(tab: "Page", operation: str) -> tuple[str, str]:
    """Try an operation as it is; the status of its answer, and the command that the reference shows."""
    place = f"#operations-{operation}"
    tab.click(f"{place} .try-out__btn")
    tab.click(f"{place} .execute")
    status = tab.locator(f"{place} .live-responses-table .response td.response-col_status >> nth=0")
    command = tab.locator(f"{place} .curl-command").inner_text()
    return status.inner_text().strip(), command


@cases("api", "public", "control")
def test_the_first_group_is_there_at_once(visit: Visit, api: str) -> None:
    tab = visit("/LICENSE")
    session = tab.context.new_cdp_session(tab)
    session.send("Performance.enable", {"timeDomain": "threadTicks"})
    tab.goto(tab.url.replace("/LICENSE", f"?api={api}"))
    tab.wait_for_selector(".opblock-tag", timeout=60_000)
    measured = session.send("Performance.getMetrics")["metrics"]
    (spent,) = [each["value"] for each in measured if each["name"] == "TaskDuration"]
    assert spent < MOST_S


def test_an_operation_says_how_true_it_is(visit: Visit) -> None:
    tab = visit("#/Contracts/GetContracts")
    said = tab.locator("#operations-Contracts-GetContracts >> text=Fidelity: imitated").inner_text()
    assert "Last shown against: the published OpenAPI document" in said


def test_a_call_can_be_tried_at_once(visit: Visit, shop: MockProject) -> None:
    status, command = try_it(visit("#/Contracts/GetContracts"), "Contracts-GetContracts")
    assert status == "200"
    assert f"Bearer {shop.secret_key}" in command


def test_it_is_tried_with_the_keys_of_the_shown_project(visit: Visit, server: LiveServer) -> None:
    other = server.control.create_project(name="other")
    tab = visit(f"?project={other.id}#/Contracts/GetContracts")
    assert f"Bearer {other.secret_key}" in try_it(tab, "Contracts-GetContracts")[1]
    assert tab.locator(f"nav a[href*='{other.id}']").count() == 2


def test_a_call_of_the_control_api_is_for_that_project(visit: Visit, server: LiveServer) -> None:
    other = server.control.create_project(name="other")
    tab = visit(f"?api=control&project={other.id}#/Clock/AdvanceClock")
    status, command = try_it(tab, "Clock-AdvanceClock")
    assert status == "200"
    assert f"/_mock/projects/{other.id}/clock/advance" in command


def test_an_operation_shows_what_it_refers_to(visit: Visit) -> None:
    tab = visit("#/Policies/CreatePolicyV2")
    body = tab.locator("#operations-Policies-CreatePolicyV2 .opblock-section-request-body")
    body.locator("button:has-text('Schema')").click()
    body.locator("text=rules").first.wait_for()
    assert tab.locator(".errors-wrapper").count() == 0


def test_a_server_with_a_token_is_called_with_that_of_the_page(context: "BrowserContext") -> None:
    with LiveServer(control_token="a-token-of-my-own") as server:
        server.control.create_project(name="shop")
        tab = context.new_page()
        tab.goto(f"{server.url}/_mock/docs#/Contracts/GetContracts")
        assert "Bearer" not in try_it(tab, "Contracts-GetContracts")[1]
        tab.evaluate("sessionStorage.setItem('mockserver-control-token', 'a-token-of-my-own')")
        tab.reload()
        assert "Bearer sk_test_shop" in try_it(tab, "Contracts-GetContracts")[1]
