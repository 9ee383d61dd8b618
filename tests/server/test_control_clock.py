"""A project's clock, by hand."""

from collections.abc import Iterator

import pytest
from httpx import Client

from mockserver.api.call import Request
from mockserver.server.answering.pipeline import WaitingCall
from mockserver.server.assembly import assemble
from mockserver.server.edge.app import App
from mockserver.state.project import Project
from mockserver.state.world import World
from mockserver.testing.clock import read_clock
from tests.tables import cases
from tests.transport import InProcessTransport

CLOCK = "/_mock/projects/-/clock"
SOLANA = "/_mock/projects/-/solana/transactions"


class RealTime:
    """A real time that a test moves."""

    def __init__(self) -> None:
        self.now_ms = 1_800_000_000_000

    def __call__(self) -> int:
        return self.now_ms


@pytest.fixture
def real() -> RealTime:
    return RealTime()


@pytest.fixture
def ticking(real: RealTime) -> Iterator[Client]:
    transport = InProcessTransport(assemble(World(real_ms=real)))
    headers = {"authorization": "Bearer sk_test_ticking"}
    with Client(transport=transport, base_url="http://mock", headers=headers) as client:
        client.put(CLOCK, json={"mode": "ticking"})
        yield client


def test_a_frozen_clock_stands_still(api: Client) -> None:
    expected = {"now": "2026-01-01T00:00:00.000Z", "mode": "frozen", "rate": 1.0}
    assert [api.get(CLOCK).json() for _ in range(2)] == [expected, expected]


def test_advancing_answers_what_happened_on_the_way_in_order(api: Client) -> None:
    late = api.post(SOLANA, json={}).json()["id"]
    api.post("/_mock/projects/-/clock/advance", json={"seconds": 0.25})
    later = api.post(SOLANA, json={}).json()["id"]
    answer = api.post(f"{CLOCK}/advance", json={"seconds": 10}).json()
    assert answer["now"] == "2026-01-01T00:00:10.250Z"
    common = {"kind": "solana_transaction", "event": "confirm", "from": "sent", "to": "confirmed"}
    assert answer["fired"] == [
        {"at": "2026-01-01T00:00:01.000Z", "id": late, **common},
        {"at": "2026-01-01T00:00:01.250Z", "id": later, **common},
    ]


def test_other_calls_are_answered_while_many_timers_fire(app: App, project: Project) -> None:
    for number in range(450):
        project.timers.set(project.clock.now_ms + number, "none", f"row_{number}", "event")
    project.commit()
    path = f"/_mock/projects/{project.id}/clock/advance"
    advance = Request("POST", path, "", {"content-type": "application/json"}, b'{"seconds": 1}')
    outcome, left = app.pipeline.answer(advance), list[int]()
    while isinstance(outcome, WaitingCall):
        left.append(len(project.timers))
        outcome = app.pipeline.resume(outcome)
    assert (outcome.status, left, len(project.timers)) == (200, [250, 50], 0)


def test_what_is_not_due_yet_does_not_happen(api: Client) -> None:
    api.post(SOLANA, json={})
    before = api.post(f"{CLOCK}/advance", json={"to": "2026-01-01T00:00:00.999Z"}).json()
    after = api.post(f"{CLOCK}/advance", json={"to": "2026-01-01T00:00:01Z"}).json()
    assert before["fired"] == []
    assert len(after["fired"]) == 1


@cases("call", ("POST", "/advance", "to"), ("PUT", "", "now"))
def test_time_does_not_go_back(api: Client, call: tuple[str, str, str]) -> None:
    method, path, member = call
    response = api.request(method, CLOCK + path, json={member: "2025-12-31T23:59:59.999Z"})
    assert (response.status_code, response.json()["type"]) == (409, "urn:mockserver:time-passed")
    assert "2026-01-01T00:00:00.000Z" in response.json()["detail"]
    assert api.get(CLOCK).json()["now"] == "2026-01-01T00:00:00.000Z"


def test_a_clock_that_is_set_forward_fires_what_is_due(api: Client, project: Project) -> None:
    submitted = api.post(SOLANA, json={}).json()["id"]
    clock = api.put(CLOCK, json={"now": "2026-01-01T00:01:00Z"}).json()
    assert (clock["now"], clock["mode"]) == ("2026-01-01T00:01:00.000Z", "frozen")
    assert [(fired["id"], fired["to"]) for fired in clock["fired"]] == [(submitted, "confirmed")]
    assert project.onchain.solana_transactions[submitted].status == "confirmed"


@cases(
    "body",
    {},
    {"seconds": 1, "to": "2026-01-02T00:00:00Z"},
    {"seconds": -1},
    {"seconds": "1"},
    {"seconds": 10**18},
    {"seconds": 253_402_300_799},
    {"to": "tomorrow"},
    {"to": "1969-12-31T23:59:59Z"},
    {"to": "9999-12-31T23:59:59-01:00"},
    {"to": 1_800_000_000},
)
def test_a_length_of_time_that_is_none_is_refused(api: Client, body: dict[str, object]) -> None:
    assert api.post(f"{CLOCK}/advance", json=body).status_code == 400
    assert api.get(CLOCK).json()["now"] == "2026-01-01T00:00:00.000Z"


@cases("text", "2026-01-02T00:00:00", "2026-01-02", "2026-01-02T02:00:00+02:00")
@cases("call", ("POST", "/advance", "to"), ("PUT", "", "now"))
def test_a_time_is_in_utc_unless_it_has_a_zone(api: Client, call: tuple[str, str, str], text: str) -> None:
    method, path, member = call
    assert api.request(method, CLOCK + path, json={member: text}).json()["now"] == "2026-01-02T00:00:00.000Z"


@cases("body", {"mode": "backwards"}, {"mode": "ticking", "rate": 0}, {"rate": 2})
def test_a_clock_that_cannot_be_is_refused(api: Client, body: dict[str, object]) -> None:
    assert api.put(CLOCK, json=body).status_code == 400


def test_a_ticking_clock_follows_real_time(ticking: Client, real: RealTime) -> None:
    real.now_ms += 1_500
    assert ticking.get(CLOCK).json() == {"now": "2026-01-01T00:00:01.500Z", "mode": "ticking", "rate": 1.0}


def test_a_ticking_clock_may_be_faster(ticking: Client, real: RealTime) -> None:
    ticking.put(CLOCK, json={"rate": 60})
    real.now_ms += 1_000
    assert ticking.get(CLOCK).json()["now"] == "2026-01-01T00:01:00.000Z"


def test_an_advanced_ticking_clock_goes_on_from_there(ticking: Client, real: RealTime) -> None:
    ticking.post(f"{CLOCK}/advance", json={"seconds": 3600})
    real.now_ms += 2_000
    assert ticking.get(CLOCK).json()["now"] == "2026-01-01T01:00:02.000Z"


def test_a_frozen_clock_forgets_the_real_time_that_passed(ticking: Client, real: RealTime) -> None:
    ticking.put(CLOCK, json={"mode": "frozen"})
    real.now_ms += 5_000
    ticking.put(CLOCK, json={"mode": "ticking"})
    real.now_ms += 1_000
    assert ticking.get(CLOCK).json()["now"] == "2026-01-01T00:00:01.000Z"


def test_timers_that_fell_due_between_requests_have_fired(ticking: Client, real: RealTime) -> None:
    ticking.post(SOLANA, json={"external_id": "order-1"})
    real.now_ms += 2_000
    found = ticking.get(
        "/v1/solana/transactions",
        params={"externalId": "order-1"},
        headers={"authorization": "Bearer pk_test_ticking"},
    )
    assert found.json()["status"] == "confirmed"


def test_a_clock_that_is_set_forward_goes_on_as_it_did(ticking: Client, real: RealTime) -> None:
    ticking.put(CLOCK, json={"rate": 60})
    shown = ticking.put(CLOCK, json={"now": "2026-03-01T00:00:00Z"}).json()
    assert shown == {"now": "2026-03-01T00:00:00.000Z", "mode": "ticking", "rate": 60.0, "fired": []}
    real.now_ms += 1_000
    assert ticking.get(CLOCK).json()["now"] == "2026-03-01T00:01:00.000Z"


def test_a_clock_is_not_set_back(ticking: Client) -> None:
    before = ticking.get(CLOCK).json()
    refused = ticking.put(CLOCK, json={"now": "2025-12-31T23:59:59Z", "mode": "frozen"})
    assert (refused.status_code, refused.json()["param"]) == (409, "now")
    assert ticking.get(CLOCK).json() == before


def test_a_word_that_is_no_clock_is_refused_before_it_is_sent() -> None:
    with pytest.raises(ValueError, match="frozen, ticking, now, or a time"):
        read_clock("noon")
