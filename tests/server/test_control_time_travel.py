"""Time travel: forks, going back, and comparing moments, by the control API and in Python."""

import pytest
from httpx import Client
from jsonschema import Draft202012Validator

from mockserver.server.assembly import ENDPOINTS
from mockserver.server.control.history.moments import events_after
from mockserver.server.edge.app import App
from mockserver.server.openapi import document
from mockserver.state.history.event import Cause
from mockserver.state.project import Project
from mockserver.testing.client import MockServer
from mockserver.testing.connection import ControlApiError
from tests.tables import cases
from tests.transport import InProcessTransport

PLACE = "/_mock/projects/-"


@pytest.fixture
def three(api: Client) -> Client:
    """A project with three exchanges, each of which makes a contract."""
    for byte in ("a1", "b2", "c3"):
        create(api, byte)
    return api


def create(api: Client, byte: str) -> dict[str, object]:
    body = {"name": byte, "chainId": 80002, "address": "0x" + byte * 20}
    answer: dict[str, object] = api.post("/v1/contracts", json=body).json()
    return answer


def names(api: Client) -> list[str]:
    return [row["name"] for row in api.get("/v1/contracts?order=asc").json()["data"]]


def test_a_fork_has_the_state_after_an_exchange_and_own_keys(three: Client) -> None:
    fork = three.post(f"{PLACE}/forks", json={"at": 2, "name": "aside"}).json()
    headers = {"authorization": f"Bearer {fork['secret_key']}"}
    assert fork["secret_key"] == "sk_test_aside"
    rows = three.get("/v1/contracts?order=asc", headers=headers).json()["data"]
    assert [row["name"] for row in rows] == ["a1", "b2"]
    body = {"name": "c3", "chainId": 80002, "address": "0x" + "c3" * 20}
    again = three.post("/v1/contracts", json=body, headers=headers).json()
    assert again == three.get("/v1/contracts?order=desc").json()["data"][0]
    assert three.get(f"/_mock/projects/{fork['id']}/journal").json()["data"][0]["n"] == 3


def test_the_name_of_a_fork_must_be_free(three: Client) -> None:
    three.post(f"{PLACE}/forks", json={"at": 1, "name": "aside"})
    assert three.post(f"{PLACE}/forks", json={"at": 1, "name": "aside"}).status_code == 409


def test_a_project_goes_back_and_forth(three: Client) -> None:
    three.post(f"{PLACE}/clock/advance", json={"seconds": 60})
    assert three.post(f"{PLACE}/travel", json={"to": 1}).json() == {"n": 1, "now": "2026-01-01T00:00:00.000Z"}
    assert names(three) == ["a1"]
    assert three.post(f"{PLACE}/travel", json={"to": 3}).status_code == 200
    assert names(three) == ["a1", "b2", "c3"]
    assert create(three, "d4")["name"] == "d4"


def test_a_restored_snapshot_is_one_more_change(three: Client) -> None:
    three.post(f"{PLACE}/snapshots", json={"name": "three"})
    create(three, "d4")
    three.post(f"{PLACE}/snapshots/three/restore")
    create(three, "e5")
    three.post(f"{PLACE}/travel", json={"to": 4})
    assert names(three) == ["a1", "b2", "c3", "d4"]


def test_two_moments_are_compared_row_by_row(three: Client) -> None:
    rows = three.get(f"{PLACE}/differences?earlier=1&later=2").json()["data"]
    assert [(row["table"], row["change"], row["after"]["name"]) for row in rows] == [
        ("onchain.contracts", "created", "b2")
    ]
    back = three.get(f"{PLACE}/differences?earlier=3&later=1").json()["data"]
    assert [row["change"] for row in back] == ["removed", "removed"]
    assert len(three.get(f"{PLACE}/differences?earlier=1").json()["data"]) == 2


def test_secrets_are_masked_unless_asked_for(api: Client) -> None:
    create(api, "a1")
    user = {"name": "Ada", "email": "ada@example.com", "password": "long enough"}
    api.post("/iam/v2/auth/sign-up/email", json=user, headers={"x-project-key": "pk_test_x"})
    assert "long enough" not in api.get(f"{PLACE}/differences?earlier=1").text


@cases("number", 4, 99)
def test_an_exchange_that_is_not_there_is_refused(three: Client, number: int) -> None:
    refused = three.post(f"{PLACE}/travel", json={"to": number})
    assert (refused.status_code, refused.json()["param"]) == (404, "to")
    assert three.post(f"{PLACE}/travel", json={"to": 0}).status_code == 400


def test_what_the_history_no_longer_holds_is_refused(three: Client, project: Project) -> None:
    project.history.evict_oldest()
    refused = three.post(f"{PLACE}/travel", json={"to": 1})
    assert (refused.status_code, refused.json()["param"]) == (404, "to")
    assert refused.json()["detail"] == "The history holds no event number 1 any more."
    assert three.post(f"{PLACE}/travel", json={"to": 2}).status_code == 200


def test_other_scenarios_than_now_are_refused(three: Client) -> None:
    three.post(f"{PLACE}/scenarios", content="rules: []\nname: none\n", headers={"content-type": "text/yaml"})
    refused = three.post(f"{PLACE}/forks", json={"at": 1})
    assert (refused.status_code, refused.json()["param"]) == (409, "at")
    assert "other scenarios are loaded now" in refused.json()["detail"]


def test_rows_are_compared_whatever_scenarios_are_loaded(three: Client) -> None:
    rule = "rules: [{name: away, when: CreateContract, then: {answer: 503}}]\n"
    three.post(f"{PLACE}/scenarios", content=rule, headers={"content-type": "text/yaml"})
    assert three.post("/v1/contracts").status_code == 503
    assert len(three.get(f"{PLACE}/differences?earlier=1").json()["data"]) == 2
    assert three.get(f"{PLACE}/tables/onchain.contracts?at=1").json()["total"] == 1


def test_time_travel_in_python(three: Client, project: Project, app: App) -> None:
    given = MockServer("http://mock", transport=InProcessTransport(app)).project(project.secret_key)
    assert given.fork(1).secret_key != given.secret_key
    assert len(given.differences(1, 3)) == 2
    given.travel(2)
    assert names(three) == ["a1", "b2"]
    assert [each["n"] for each in given.timeline()] == [1, 2, 3, 4, 5]
    with pytest.raises(ControlApiError):
        given.travel(77)


def timeline(api: Client) -> list[tuple[int, str, str | None, int, int]]:
    found = api.get(f"{PLACE}/timeline").json()["data"]
    return [(each["n"], each["cause"], each["operation"], each["rows"], each["fired"]) for each in found]


@cases("cause, shown", ("clock", []), ("control", ["control"]))
def test_time_that_only_passed_is_no_moment(project: Project, cause: Cause, shown: list[Cause]) -> None:
    project.clock.move_to(project.clock.now_ms + 1_000)
    project.record(cause)
    assert len(project.history) == 1
    assert [event.cause for event in events_after(project, 0)] == shown


def test_the_timeline_has_calls_and_other_changes(three: Client) -> None:
    three.post(f"{PLACE}/solana/transactions", json={})
    three.post(f"{PLACE}/clock/advance", json={"seconds": 3600})
    three.get("/v1/contracts")
    made, sent, moved, read = timeline(three)[2:]
    assert made == (3, "call", "CreateContract", 1, 0)
    assert sent[1:4] == ("control", "SubmitSolanaTransaction", 1)
    assert moved[1:3] == ("control", "AdvanceClock")
    assert moved[4] > 0
    assert read == (6, "call", "GetContracts", 0, 0)


def test_the_timeline_shows_calls_as_the_journal_does(three: Client) -> None:
    last = three.get(f"{PLACE}/timeline?order=desc&limit=1").json()
    assert last["total"] == 3
    journal = three.get(f"{PLACE}/journal?order=desc&limit=1&brief=true").json()
    assert last["data"][0]["exchange"] == journal["data"][0]
    effects = three.get(f"{PLACE}/effects", params={"since": last["data"][0]["n"] - 1}).json()
    assert effects["data"][0]["n"] == 3


def test_a_move_of_the_clock_is_a_moment_to_fork_from(three: Client) -> None:
    three.post(f"{PLACE}/solana/transactions", json={})
    three.post(f"{PLACE}/clock/advance", json={"seconds": 3600})
    moment = timeline(three)[-1][0]
    assert moment == 5
    create(three, "d4")
    fork = three.post(f"{PLACE}/forks", json={"at": moment, "name": "later"}).json()
    assert fork["now"] == "2026-01-01T01:00:00.000Z"
    headers = {"authorization": f"Bearer {fork['secret_key']}"}
    body = {"name": "d4", "chainId": 80002, "address": "0x" + "d4" * 20}
    again = three.post("/v1/contracts", json=body, headers=headers).json()
    assert again == three.get("/v1/contracts?order=desc").json()["data"][0]
    assert three.get(f"/_mock/projects/{fork['id']}/journal").json()["data"][0]["n"] == 6
    went = three.post(f"{PLACE}/travel", json={"to": moment}).json()
    assert went == {"n": 5, "now": "2026-01-01T01:00:00.000Z"}
    assert names(three) == ["a1", "b2", "c3"]


def test_rows_are_shown_as_they_were(three: Client) -> None:
    rows = three.get(f"{PLACE}/tables/onchain.contracts?at=2").json()
    assert [row["row"]["name"] for row in rows["data"]] == ["a1", "b2"]
    counts = three.get(f"{PLACE}/tables?at=1&limit=1000").json()["data"]
    assert {"name": "onchain.contracts", "rows": 1} in counts
    first = rows["data"][0]["id"]
    assert three.get(f"{PLACE}/tables/onchain.contracts/{first}?at=1").status_code == 200
    second = rows["data"][1]["id"]
    assert three.get(f"{PLACE}/tables/onchain.contracts/{second}?at=1").status_code == 404
    assert names(three) == ["a1", "b2", "c3"]


@cases("name", "0", "change-1", "later", "1.5", "-1")
def test_what_names_no_moment_is_refused(three: Client, name: str) -> None:
    refused = three.get(f"{PLACE}/tables", params={"at": name})
    assert (refused.status_code, refused.json()["param"]) == (400, "at")


def test_the_timeline_goes_on_after_a_moment(three: Client) -> None:
    for after, total in ((0, 3), (1, 2), (3, 0), (99, 3)):
        assert three.get(f"{PLACE}/timeline", params={"after": after}).json()["total"] == total


@cases("at, status", (0, 400), (1, 201), (2**53 - 1, 404), (2**53, 400), (True, 400), ("1", 400))
def test_a_moment_is_named_by_the_numbers_that_are_described(three: Client, at: object, status: int) -> None:
    assert three.post(f"{PLACE}/forks", json={"at": at}).status_code == status
    described = document(ENDPOINTS, True)["components"]["schemas"]["ForkProject"]["properties"]["at"]
    assert Draft202012Validator(described).is_valid(at) is (status != 400)
