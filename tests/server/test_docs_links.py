"""Where a problem and an exchange say that the server shows their operation."""

from httpx import Client
from starlette.applications import Starlette
from starlette.routing import Mount
from starlette.testclient import TestClient

from mockserver.server.assembly import assemble
from mockserver.state.world import World

CONTROL = "/_mock/docs?api=control"


def test_a_problem_of_the_control_api_leads_to_its_operation(api: Client) -> None:
    problem = api.post("/_mock/projects/-/clock/advance", json={"seconds": -1}).json()
    assert problem["docs"] == f"{CONTROL}#/Clock/AdvanceClock"


def test_a_problem_without_an_operation_leads_to_the_page(api: Client) -> None:
    assert api.get("/_mock/nowhere").json()["docs"] == CONTROL


def test_an_error_of_the_imitated_api_has_no_member_of_the_mock(api: Client) -> None:
    assert set(api.get("/v1/contracts/con_none").json()["error"]) == {"type", "message", "code"}


def test_an_exchange_leads_to_its_operation(api: Client) -> None:
    api.get("/v1/accounts")
    assert (
        api.get("/_mock/projects/-/journal/1").json()["docs"]
        == "/_mock/docs#/Accounts%20%28v1%29/GetAccounts"
    )


def test_below_a_mount_links_begin_with_its_path() -> None:
    app = Starlette(routes=[Mount("/tools/mock", app=assemble(World()))])
    with TestClient(app) as client:
        assert client.get("/tools/mock/_mock/nowhere").json()["docs"] == f"/tools/mock{CONTROL}"
