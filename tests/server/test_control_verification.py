"""Verification of calls by the control API."""

from typing import Any

import pytest
from httpx import Client, Response

from mockserver.api.call import Request
from mockserver.server.answering.pipeline import WaitingCall
from mockserver.server.assembly import assemble
from mockserver.state.history.history import History
from mockserver.state.project import Project
from mockserver.state.world import World
from tests.accounts import AMOY, account_of
from tests.tables import cases

VERIFY = "/_mock/projects/-/verify"
SEQUENCE = "/_mock/projects/-/verify-sequence"


def contract(name: str = "Token") -> dict[str, Any]:
    """The body of a contract to create."""
    return {"name": name, "chainId": AMOY, "address": "0x" + "ab" * 20}


@pytest.fixture
def busy(api: Client) -> Client:
    """A project with two contracts created, one refused, and a list of them."""
    api.post("/v1/contracts", json=contract("One"), headers={"x-request-id": "first"})
    api.post("/v1/contracts", json=contract("Two") | {"address": "0x" + "cd" * 20})
    api.post("/v1/contracts", json={"name": "Three"})
    api.get("/v1/contracts?limit=5")
    return api


def verify(api: Client, path: str = VERIFY, **members: Any) -> Response:
    """Verify calls."""
    return api.post(path, json=members)


def failure(answer: Response) -> tuple[str, dict[str, str]]:
    """What a failed verification says, and of each call."""
    problem = answer.json()
    assert (answer.status_code, problem["type"]) == (409, "urn:mockserver:verification-failed"), answer.text
    return problem["detail"], {name: each["message"] for name, each in problem.get("errors", {}).items()}


def test_a_call_counts_also_when_its_key_is_gone(api: Client, world: World) -> None:
    live = world.create(name="gone", livemode=True)
    key = {"authorization": f"Bearer {live.secret_key}"}
    assert api.get("/v1/contracts", headers=key).status_code == 200
    world.withdraw(live.secret_key)
    asked = {"call": "GetContracts", "exactly": 1}
    assert api.post(f"/_mock/projects/{live.id}/verify", json=asked).json() == {"found": 1}


@cases(
    "members, message",
    ({"body": {f"n{number}": 1 for number in range(33)}}, "body: a matcher has at most 32 conditions"),
    ({"call": ["GetContracts"] * 33}, "call: a matcher has at most 32 conditions"),
    ({"call": "GET /" + "v" * 1_000}, "a pattern of calls has at most 1000 characters"),
    ({"body": {"a." * 500 + "a": 1}}, "a path has at most 1000 characters"),
)
def test_a_matcher_is_bounded(api: Client, members: dict[str, Any], message: str) -> None:
    answer = verify(api, **members)
    assert answer.status_code == 400
    assert message in answer.json()["detail"]
    step = {"calls": ["GetContracts", members]}
    assert api.post(SEQUENCE, json=step).json()["param"].startswith("calls.1.")


@cases(
    "members, found",
    ({}, 4),
    ({"call": "CreateContract"}, 3),
    ({"call": "CreateContract", "exactly": 3}, 3),
    ({"call": "CreateContract", "at_least": 2, "at_most": 3}, 3),
    ({"call": "CreateContract", "between": [1, 3]}, 3),
    ({"call": "CreateContract", "at_most": 5}, 3),
    ({"call": "CreateAccount", "never": True}, 0),
    ({"call": "CreateAccount", "exactly": 0}, 0),
    ({"call": ["CreateContract", "GetContracts"], "exactly": 4}, 4),
    ({"call": "POST /v1/contracts", "exactly": 3}, 3),
    ({"call": "CreateContract", "body": {"name": "Two"}, "exactly": 1}, 1),
    ({"body": {"name": {"matches": "^T"}}, "exactly": 2}, 2),
    ({"headers": {"x-request-id": "first"}, "exactly": 1}, 1),
    ({"query": {"limit": "5"}, "exactly": 1}, 1),
    ({"call": "CreateContract", "since": 1, "exactly": 2}, 2),
)
def test_calls_that_are_as_expected_pass(busy: Client, members: Any, found: int) -> None:
    answer = verify(busy, **members)
    assert answer.status_code == 200, answer.text
    assert answer.json() == {"found": found}


def test_too_few_calls_are_told_with_the_closest(busy: Client) -> None:
    text, closest = failure(verify(busy, call="CreateContract", body={"name": "Four"}, at_least=2))
    assert text == "expected at least 2 calls of CreateContract with name 'Four' in the body, found 0"
    assert closest == {
        "#1 CreateContract": "name in the body is 'One'; expected 'Four'",
        "#2 CreateContract": "name in the body is 'Two'; expected 'Four'",
        "#3 CreateContract": "name in the body is 'Three'; expected 'Four'",
    }


def test_too_many_calls_are_named_with_their_answers(busy: Client) -> None:
    text, closest = failure(verify(busy, call="CreateContract", at_most=1))
    assert text == "expected at most 1 call of CreateContract, found 3"
    assert closest == {
        "#1 CreateContract": "answered 200",
        "#2 CreateContract": "answered 200",
        "#3 CreateContract": "answered 400",
    }


def test_of_very_many_calls_ten_are_named(api: Client) -> None:
    for _ in range(160):
        api.get("/v1/contracts")
    text, closest = failure(verify(api, call="GetContracts", at_least=170))
    assert text == "expected at least 170 calls of GetContracts, found 160"
    assert closest == {}
    text, closest = failure(verify(api, never=True))
    assert (text, len(closest)) == ("expected no calls, found 160", 10)


@cases(
    "members, param, words",
    ({"call": "CreateContrat"}, "call.0", "CreateContract"),
    ({"call": "CreateContract", "body": {"nme": "One"}}, "body.nme", "did you mean name?"),
    ({"exactly": 1, "never": True}, "never", "exactly says already"),
    ({"at_least": 3, "at_most": 2}, "at_most", "no number is at least 3 and at most 2"),
    ({"between": [3]}, "between", "2"),
    ({"exactly": -1}, "exactly", "0"),
    ({"within": "soon"}, "within", "time span"),
    ({"header": {}}, "header", "headers"),
)
def test_what_cannot_be_verified_is_refused(api: Client, members: Any, param: str, words: str) -> None:
    answer = verify(api, **members)
    assert (answer.status_code, answer.json().get("param")) == (400, param), answer.text
    assert words in answer.json()["detail"]


def test_a_sequence_allows_other_calls_in_between(busy: Client) -> None:
    calls = [{"call": "CreateContract", "body": {"name": "One"}}, "GetContracts"]
    assert verify(busy, SEQUENCE, calls=calls).json() == {"found": 2}


def test_a_disordered_sequence_fails_at_its_first_missing_step(busy: Client) -> None:
    text, closest = failure(
        verify(busy, SEQUENCE, calls=["CreateContract", "GetContracts", "CreateContract"])
    )
    assert text == "expected CreateContract as step 3 of 3 after #4 GetContracts, found none"
    assert closest == {}


def test_a_call_counts_once_in_a_sequence(api: Client) -> None:
    api.get("/v1/contracts")
    text, _ = failure(verify(api, SEQUENCE, calls=["GetContracts", "GetContracts"]))
    assert text == "expected GetContracts as step 2 of 2 after #1 GetContracts, found none"


def test_a_journal_that_dropped_never_gives_a_wrong_count(api: Client, project: Project) -> None:
    project.history = History(max_count=3)
    for _ in range(5):
        api.get("/v1/contracts")
    assert verify(api, call="GetContracts", at_least=3).json() == {"found": 3}
    assert verify(api, call="GetContracts", exactly=3, since=2).json() == {"found": 3}
    unsure: list[dict[str, Any]] = [{"exactly": 3}, {"at_least": 5}, {"at_most": 4}]
    for members in unsure:
        answer = verify(api, call="GetContracts", **members)
        assert answer.json()["type"] == "urn:mockserver:journal-incomplete"
        assert "the journal has dropped 2 exchanges" in answer.json()["detail"]
    certain: list[dict[str, Any]] = [{"at_least": 6}, {"at_most": 2}]
    for members in certain:
        failure(verify(api, call="GetContracts", **members))
    sequence = verify(api, SEQUENCE, calls=["CreateContract", "GetContracts"])
    assert sequence.json()["type"] == "urn:mockserver:journal-incomplete"


def test_a_cleared_journal_counts_from_there(busy: Client) -> None:
    busy.delete("/_mock/projects/-/journal")
    assert verify(busy, never=True).status_code == 200


def transaction(project: Project) -> Request:
    """A request that waits for its transaction when the clock ticks."""
    account = account_of(project, "plain")
    body = b'{"chainId": 80002, "accountId": "%s", "calls": [{"to": "0x%s"}]}'
    headers = {"authorization": f"Bearer {project.secret_key}"}
    return Request("POST", "/v2/transactions", "", headers, body % (account.id.encode(), b"ab" * 20))


def test_a_call_counts_when_it_arrives(world: World, project: Project) -> None:
    pipeline = assemble(world).pipeline
    project.clock.tick(world.real_ms)
    pending = pipeline.answer(transaction(project))
    assert isinstance(pending, WaitingCall)
    read = Request("GET", "/v1/contracts", "", {"authorization": f"Bearer {project.secret_key}"})
    pipeline.answer(read)
    asked = Request(
        "POST",
        SEQUENCE,
        "",
        {"authorization": f"Bearer {project.secret_key}", "content-type": "application/json"},
        b'{"calls": ["CreateTransaction", "GetContracts"]}',
    )
    before = pipeline.answer(asked)
    pipeline.finish(pending)
    after = pipeline.answer(asked)
    for answer in (before, after):
        assert not isinstance(answer, WaitingCall)
        assert answer.status == 200, answer.body
    assert next(exchange.operation for exchange in project.history.answered_since(0)) == "GetContracts"
    assert project.history.calls == 2


@cases(
    "path, body",
    (VERIFY, b'{"call": "GetContracts", "exactly": 2, "within": "5s"}'),
    (SEQUENCE, b'{"calls": ["GetContracts", "GetContracts"], "within": "5s"}'),
)
def test_a_verification_waits_for_the_calls(world: World, project: Project, path: str, body: bytes) -> None:
    pipeline = assemble(world).pipeline
    key = {"authorization": f"Bearer {project.secret_key}", "content-type": "application/json"}
    waiting = pipeline.answer(Request("POST", path, "", key, body))
    assert isinstance(waiting, WaitingCall)
    for is_over in (False, True):
        pipeline.answer(Request("GET", "/v1/contracts", "", key))
        assert waiting.until.ready() is is_over
    assert pipeline.finish(waiting).status == 200


def test_a_verification_that_no_call_comes_waits_until_one_does(world: World, project: Project) -> None:
    pipeline = assemble(world).pipeline
    key = {"authorization": f"Bearer {project.secret_key}", "content-type": "application/json"}
    waiting = pipeline.answer(Request("POST", VERIFY, "", key, b'{"never": true, "within": "5s"}'))
    assert isinstance(waiting, WaitingCall)
    assert not waiting.until.ready()
    pipeline.answer(Request("GET", "/v1/contracts", "", key))
    assert waiting.until.ready()
    assert pipeline.finish(waiting).status == 409
