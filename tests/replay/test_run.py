"""A recording in memory: its steps, a beginning of it, and the project that it is about."""

from io import BytesIO

import pytest
from httpx import Client

from mockserver.replay.export.history import CannotExport, Exchange, read_history
from mockserver.replay.shrinking.run import Run, read_run
from mockserver.replay.steps import Step
from mockserver.server.recording.reading import BadRecording
from mockserver.state.project import Project
from tests.replay.invented_runs import answer, get
from tests.replay.invented_runs import run_of as run_of_exchanges
from tests.replay.recorded import Record, contract
from tests.tables import cases


@pytest.fixture
def run(api: Client, record: Record) -> Run:
    """A run of a call that changes a row, one that reads, one that changes."""
    contract(api, "a1")
    api.get("/v1/contracts")
    contract(api, "b2")
    return run_of(record)


def run_of(record: Record) -> Run:
    return read_run(BytesIO(record().read_bytes()))


def test_a_run_knows_its_requests_answers_and_what_changed_rows(run: Run) -> None:
    assert run.began_at == "2026-01-01T00:00:00.000Z"
    assert [(step.n, step.request is not None) for step in run.steps] == [(1, True), (2, True), (3, True)]
    assert [request.method for request in run.requests().values()] == ["POST", "GET", "POST"]
    assert {number: answer.status for number, answer in run.answers().items()} == {1: 200, 2: 200, 3: 200}
    assert run.writes == {1, 3}
    assert "con" in run.streams
    assert run.opening.startswith(b'{"mockserver_recording":2}\n')
    assert run.opening.splitlines()[-1].startswith(b'{"begin"')


@cases("number", 1, 2, 3)
def test_a_run_up_to_an_exchange_has_those_before_it_and_itself(run: Run, number: int) -> None:
    assert [*run.up_to(number).requests()] == [1, 2, 3][:number]


def test_time_that_passed_is_no_exchange() -> None:
    tick = Step(tick="pro_1", real_ms=5)
    run = run_of_exchanges((get(), answer()), (get(), None))
    run = run._replace(steps=(run.steps[0], tick, run.steps[1], tick))
    assert [step.n for step in run.up_to(2).steps] == [1, 0, 2]
    assert [step.n for step in run.up_to(1).steps] == [1]
    with pytest.raises(IndexError):
        run.up_to(0)


@cases("number", -1, 0, 4)
def test_there_is_no_run_up_to_an_exchange_that_there_is_not(run: Run, number: int) -> None:
    with pytest.raises(IndexError):
        run.up_to(number)


@cases(
    "before, after, message",
    ('{"n":2,"request"', '{"n":3,"request"', "the exchange after 1 has the number 3"),
    ('{"n":2,"request"', '{"n":2,"withheld":"request"}\n{"n":3,"request"', "exchange 2 was withheld"),
    ('{"begin"', '{"began"', "line 6: is no line of a project"),
)
def test_a_recording_with_a_gap_in_its_exchanges_is_refused(
    before: str, after: str, message: str, api: Client, record: Record
) -> None:
    for byte in ("a1", "b2"):
        contract(api, byte)
    raw = record().read_bytes().replace(before.encode(), after.encode())
    with pytest.raises(BadRecording, match=message):
        read_run(BytesIO(raw))


def test_a_deleted_projects_history_ends_before_that(api: Client, project: Project, record: Record) -> None:
    contract(api, "a1")
    api.get("/_mock/projects/-/journal")
    api.delete("/_mock/projects/-")
    history = read_history(run_of(record))
    assert [item.number for item in history.items if isinstance(item, Exchange)] == [1]
    assert (history.project.id, len(history.project.onchain.contracts)) == (project.id, 1)


def test_a_project_that_is_only_deleted_has_no_calls(api: Client, project: Project, record: Record) -> None:
    api.delete("/_mock/projects/-")
    history = read_history(run_of(record))
    assert (history.project.id, history.items, history.start_ms) == (project.id, (), project.clock.now_ms)


def test_a_deletion_that_is_recorded_as_failed_is_refused(api: Client, record: Record) -> None:
    contract(api, "a1")
    api.delete("/_mock/projects/-")
    before, _, after = record().read_bytes().rpartition(b'"status":200')
    with pytest.raises(CannotExport, match="is deleted when the run is made again"):
        read_history(read_run(BytesIO(before + b'"status":500' + after)))


def test_a_project_made_anew_has_its_own_history(api: Client, project: Project, record: Record) -> None:
    contract(api, "a1")
    api.delete("/_mock/projects/-")
    api.post("/_mock/projects", json={"name": project.name, "clock": {"now": "2030-01-01T00:00:00Z"}})
    contract(api, "b2")
    api.delete("/_mock/projects/-")
    history = read_history(run_of(record))
    assert [item.number for item in history.items if isinstance(item, Exchange)] == [4]
    assert (history.start_ms, history.began) == (1_893_456_000_000, None)


def test_a_look_that_a_later_call_needs_is_kept(api: Client, project: Project, record: Record) -> None:
    code = {"email": "ada@example.com", "type": "sign-in"}
    api.post("/iam/v2/auth/email-otp/send-verification-otp", json=code, headers=keys(project))
    (mail,) = api.get("/_mock/projects/-/outbox").json()["data"]
    api.get("/_mock/projects/-/outbox")
    body = {"email": "ada@example.com", "otp": mail["code"]}
    api.post("/iam/v2/auth/sign-in/email-otp", json=body, headers=keys(project))
    history = read_history(run_of(record))
    assert [item.number for item in history.items if isinstance(item, Exchange)] == [1, 2, 4]


def keys(project: Project) -> dict[str, str]:
    """The headers of a user's client."""
    return {"x-project-key": project.publishable_key}


def test_a_run_without_a_project_has_no_history(api: Client, record: Record) -> None:
    api.get("/_mock/health")
    with pytest.raises(CannotExport, match="none of the exchanges up to 1 is about a project"):
        read_history(run_of(record))


def test_a_history_is_the_last_projects(api: Client, project: Project, record: Record) -> None:
    contract(api, "a1")
    api.post("/v1/contracts", headers={"authorization": "Bearer sk_test_another"}, json={})
    api.post("/_mock/projects/-/clock/advance", json={"seconds": 5})
    contract(api, "b2")
    api.post("/_mock/projects/-/clock/advance", json={"seconds": 7})
    history = read_history(run_of(record))
    assert (history.project.id, history.start_ms) == (project.id, 1_767_225_600_000)
    assert [getattr(item, "number", None) or getattr(item, "span_ms", None) for item in history.items] == [
        1,
        5_000,
        4,
        7_000,
    ]
    assert history.began is not None
