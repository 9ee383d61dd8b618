"""Faults of calls: what is left of the call, when a fault is over, and how a scenario spells it."""

from typing import Any

import httpx
import pytest
from jsonschema import Draft202012Validator

from mockserver.api.endpoint import Routes
from mockserver.scenario.checking.json_schema import scenario_schema
from mockserver.scenario.checking.load import read
from mockserver.scenario.reading.findings import ScenarioError
from mockserver.scenario.running.apply import unload
from mockserver.server.assembly import ROUTES
from mockserver.state.project import Project
from mockserver.state.world import World
from tests.scenario.conftest import Load
from tests.tables import cases

TOKEN = {"name": "Token", "chainId": 80002, "address": "0x" + "ab" * 20}
RAISED: dict[str, type[httpx.TransportError]] = {
    "connection_reset_by_peer": httpx.ReadError,
    "empty_response": httpx.RemoteProtocolError,
    "malformed_response_chunk": httpx.RemoteProtocolError,
    "random_data_then_close": httpx.RemoteProtocolError,
    "timeout": httpx.ReadTimeout,
    "truncate_body": httpx.RemoteProtocolError,
    "wrong_content_length": httpx.RemoteProtocolError,
}
KINDS = [
    *RAISED,
    "duplicate_request",
    "malformed_json",
    "server_error",
    "slow_response",
    "wrong_content_type",
]
DONE = {"duplicate_request", "truncate_body", "wrong_content_length", "wrong_content_type", "malformed_json"}


def rules(then: str, call: str = "CreateContract") -> str:
    return f"rules: [{{name: broken, when: {call}, then: {then}}}]"


def attempt(api: httpx.Client, **headers: str) -> int | str:
    """The status of an attempt to register a contract, or the name of what it raises."""
    try:
        return api.post("/v1/contracts", json=TOKEN, headers=headers).status_code
    except httpx.TransportError as error:
        return type(error).__name__


# --- what is left of the call ---------------------------------------------------------------------------


@cases("kind", *RAISED)
@cases("effect", "none", "done")
def test_in_process_a_fault_raises_what_httpx_raises(
    load: Load, api: httpx.Client, project: Project, kind: str, effect: str
) -> None:
    load(rules(f"{{fault: {{{kind}: {{effect: {effect}}}}}}}"))
    with pytest.raises(RAISED[kind]):
        api.post("/v1/contracts", json=TOKEN)
    assert len(project.onchain.contracts) == (effect == "done")


@cases(
    "kind, is_done",
    *[(kind, kind in DONE) for kind in KINDS if kind != "slow_response"],
)
def test_a_fault_leaves_the_effect_only_where_it_shows(
    load: Load, api: httpx.Client, project: Project, kind: str, is_done: bool
) -> None:
    load(rules(f"{{fault: {kind}}}"))
    attempt(api)
    assert len(project.onchain.contracts) == is_done


@cases("answered", "error: contract_already_exists", "answer: 503")
def test_a_fault_of_what_a_rule_answers_leaves_no_effect(
    load: Load, api: httpx.Client, project: Project, answered: str
) -> None:
    load(rules(f"{{{answered}, fault: malformed_json}}"))
    assert api.post("/v1/contracts", json=TOKEN).text.startswith("{")
    assert len(project.onchain.contracts) == 0


def test_a_retry_gets_the_lost_answer(load: Load, api: httpx.Client, project: Project) -> None:
    load(rules("{fault: {connection_reset_by_peer: {effect: done, times: 1}}}"))
    key = {"x-idempotency-key": "order 17"}
    assert attempt(api, **key) == "ReadError"
    (made,) = project.onchain.contracts
    again = api.post("/v1/contracts", json=TOKEN, headers=key)
    assert (again.status_code, again.json()["id"]) == (200, made.id)
    assert len(project.onchain.contracts) == 1


def test_a_retry_without_a_key_repeats_the_effect(load: Load, api: httpx.Client) -> None:
    load(rules("{fault: {empty_response: {effect: done, times: 1}}}", "CreatePolicyV2"))
    rule = {"action": "accept", "operation": "sponsorEvmTransaction", "criteria": []}
    policy = {"scope": "account", "rules": [rule]}
    with pytest.raises(httpx.RemoteProtocolError):
        api.post("/v2/policies", json=policy)
    assert api.post("/v2/policies", json=policy).status_code == 201
    assert api.get("/v2/policies").json()["total"] == 2


@cases("headers, made", ({}, 2), ({"x-idempotency-key": "order 17"}, 1))
def test_what_a_request_does_that_arrives_twice(
    load: Load, api: httpx.Client, project: Project, headers: dict[str, str], made: int
) -> None:
    load("""
        given:
          - {call: createBackendWallet, body: {chainType: EVM}, as: wallet}
        rules:
          - {name: broken, when: CreateTransaction, then: {fault: duplicate_request}}
    """)
    account_id = next(iter(project.wallets.accounts)).id
    calls = [{"to": f"0x{1:040x}", "value": "1"}]
    body = {"accountId": account_id, "chainId": 80002, "calls": calls}
    answer = api.post("/v2/transactions", json=body, headers=headers)
    assert answer.headers["x-mockserver-rule"] == "broken"
    paid = [row.id for row in project.onchain.transactions]
    # The answer is the second one, and both are one exchange.
    assert (len(paid), answer.json()["id"]) == (made, paid[-1])
    (exchange,) = project.history.answered_since(0)
    assert (exchange.status, exchange.fault) == (200, "duplicate_request")


def test_what_is_refused_the_second_time_is_done(load: Load, api: httpx.Client, project: Project) -> None:
    load(rules("{fault: duplicate_request}"))
    answer = api.post("/v1/contracts", json=TOKEN)
    assert answer.json()["error"]["code"] == "contract_already_exists"
    assert len(project.onchain.contracts) == 1
    assert api.post("/v1/contracts", json={}).status_code == 400


def test_a_refused_call_is_refused_though_lost(load: Load, api: httpx.Client, project: Project) -> None:
    load(rules("{fault: {empty_response: {effect: done}}}"))
    with pytest.raises(httpx.RemoteProtocolError):
        api.post("/v1/contracts", json={})
    assert [exchange.status for exchange in project.history.answered_since(0)] == [400]


def test_faults_within_an_answer_are_answers(load: Load, api: httpx.Client) -> None:
    load(rules("{fault: malformed_json}"))
    load(rules("{fault: {wrong_content_type: {content_type: text/plain}}}", "GetContracts"))
    load(rules("{fault: {server_error: {status: 502}}}", "GetContract"))
    cut = api.post("/v1/contracts", json=TOKEN)
    with pytest.raises(ValueError, match="Expecting"):
        cut.json()
    assert (cut.status_code, cut.headers["content-length"]) == (200, str(len(cut.content)))
    typed = api.get("/v1/contracts")
    assert (typed.headers["content-type"], typed.json()["total"]) == ("text/plain", 1)
    away = api.get("/v1/contracts/con_1")
    assert (away.status_code, away.headers["content-type"]) == (502, "text/html")
    assert "502 Bad Gateway" in away.text
    assert away.headers["x-mockserver-rule"] == "broken"


def test_a_length_that_is_too_small_cuts_what_is_read(load: Load, api: httpx.Client) -> None:
    whole = api.get("/v1/contracts").content
    load(rules("{fault: {wrong_content_length: {by: -3}}}", "GetContracts"))
    assert api.get("/v1/contracts").content == whole[:-3]


@cases("fault, received, more", ("wrong_content_length", 1.0, 1), ("truncate_body", 0.5, 0))
def test_how_much_an_answer_lacks_unless_the_rule_says_so(
    load: Load, api: httpx.Client, fault: str, received: float, more: int
) -> None:
    size = len(api.get("/v1/contracts").content)
    load(rules(f"{{fault: {fault}}}", "GetContracts"))
    said = f"received {int(size * received)} bytes, expected {size + more}"
    with pytest.raises(httpx.RemoteProtocolError, match=said):
        api.get("/v1/contracts")


def test_a_drip_is_one_delay_in_process(load: Load, api: httpx.Client) -> None:
    load(rules("{fault: {slow_response: {chunk_size: 1000, chunk_delay: 1ms}}}", "GetContracts"))
    assert api.get("/v1/contracts").json()["total"] == 0


def test_an_answer_of_the_rule_may_be_spoilt_too(load: Load, api: httpx.Client, project: Project) -> None:
    load(rules("{answer: {body: {id: 1}}, fault: wrong_content_type}"))
    answered = api.post("/v1/contracts", json=TOKEN)
    assert (answered.json(), answered.headers["content-type"]) == ({"id": 1}, "text/html")
    assert len(project.onchain.contracts) == 0


def test_without_effect_a_success_with_nothing_in_it_is_spoilt(load: Load, api: httpx.Client) -> None:
    load(rules("{fault: {malformed_json: {effect: none}}}"))
    assert api.post("/v1/contracts", json=TOKEN).content == b"{"


def test_the_journal_names_the_rule_and_the_fault(load: Load, api: httpx.Client) -> None:
    load(rules("{fault: {timeout: {effect: done}}}"))
    load(rules("{fault: timeout}", "GetContracts"))
    attempt(api)
    with pytest.raises(httpx.ReadTimeout):
        api.get("/v1/contracts")
    listed = api.get("/_mock/projects/-/journal").json()["data"]
    assert [(each["rule"], each["fault"], each["status"]) for each in listed] == [
        ("broken", "timeout", 200),
        ("broken", "timeout", 0),
    ]
    assert listed[0]["response"]["body"]["name"] == "Token"
    assert listed[1]["response"] == {"headers": {}, "body": None}
    assert api.get("/_mock/projects/-/journal", params={"status": "0"}).json()["total"] == 1


# --- when it is over ------------------------------------------------------------------------------------


def test_a_fault_is_over_after_its_times(load: Load, api: httpx.Client) -> None:
    load(rules("{fault: {server_error: {times: 2}}}"))
    assert [attempt(api) for _ in range(3)] == [503, 503, 200]


def test_a_fault_is_over_after_its_window(load: Load, api: httpx.Client, project: Project) -> None:
    load(rules("{fault: {empty_response: {window: 10s}}}"))
    project.clock.move_to(project.clock.now_ms + 60_000)
    assert attempt(api) == "RemoteProtocolError"
    project.clock.move_to(project.clock.now_ms + 9_999)
    assert attempt(api) == "RemoteProtocolError"
    project.clock.move_to(project.clock.now_ms + 1)
    assert attempt(api) == 200


@cases("header", "x-request-id", "x-idempotency-key")
def test_attempts_are_counted_by_request(load: Load, api: httpx.Client, header: str) -> None:
    load(rules("{fault: {server_error: {attempts: 2}}}"))
    found = [attempt(api, **{header: name}) for name in ("a", "b", "a", "a", "b", "b")]
    assert found == [503, 503, 503, 200, 503, 409]


def test_attempts_of_calls_without_a_name_are_counted_together(load: Load, api: httpx.Client) -> None:
    load(rules("{fault: {server_error: {attempts: 2}}}"))
    assert [attempt(api) for _ in range(3)] == [503, 503, 200]


def test_a_fault_that_is_over_leaves_the_call_to_the_next_rule(load: Load, api: httpx.Client) -> None:
    load("""
        rules:
          - {when: CreateContract, then: {fault: {timeout: {times: 1}}}}
          - {when: CreateContract, then: {answer: 418}}
    """)
    assert [attempt(api), attempt(api)] == ["ReadTimeout", 418]


def test_a_snapshot_restores_counts(load: Load, api: httpx.Client, project: Project, world: World) -> None:
    load(rules("{fault: {server_error: {attempts: 1}}}"))
    state = project.snapshot()
    assert [attempt(api), attempt(api)] == [503, 200]
    project.restore(state, world.real_ms)
    assert [attempt(api), attempt(api)] == [503, 200]


def test_unloading_forgets_the_attempts(load: Load, api: httpx.Client, project: Project) -> None:
    loaded = load(rules("{fault: {server_error: {attempts: 1}}}"))
    assert attempt(api) == 503
    unload(project, loaded.id)
    assert attempt(api) == 200
    assert len(project.requests.fault_attempts) == 0


def test_random_bytes_repeat_with_the_seed(load: Load, api: httpx.Client, project: Project) -> None:
    before = project.entropy.draws().get("fault", 0)
    load(rules("{fault: {random_data_then_close: {size: 8}}}"))
    attempt(api)
    attempt(api)
    assert project.entropy.draws()["fault"] == before + 2


# --- how it is spelt ------------------------------------------------------------------------------------


def findings(text: str, routes: Routes) -> str:
    with pytest.raises(ScenarioError) as found:
        read(text, "test.yaml", routes)
    return "\n".join(map(str, found.value.findings))


@cases(
    "fault, wanted",
    ("connection_reset", "did you mean connection_reset_by_peer?"),
    ("CONNECTION_RESET_BY_PEER", "did you mean connection_reset_by_peer?"),
    ("reset_peer", "did you mean connection_reset_by_peer?"),
    ("down", "did you mean connection_reset_by_peer?"),
    ("slicer", "did you mean slow_response?"),
    ("bandwidth", "did you mean slow_response?"),
    ("limit_data", "did you mean truncate_body?"),
    ("slow_close", "did you mean timeout?"),
    ("{reset_peer: {times: 1}}", "did you mean connection_reset_by_peer?"),
    ("latency", "not a fault but an action of its own: `delay`"),
    ("[timeout]", "a fault is a mapping of connection_reset_by_peer"),
    ("{}", "a fault is one of connection_reset_by_peer"),
    ("{timeout: {}, truncate_body: {}}", "timeout and truncate_body exclude each other"),
    ("{timeout: {chunk_size: 1}}", "'chunk_size' is not part of timeout"),
    ("{slow_response: {chunksize: 1}}", "did you mean chunk_size?"),
    ("{slow_response: {chunk_size: 0}}", "chunk_size is a whole number from 1"),
    ("{slow_response: {chunk_delay: 5}}", "chunk_delay is a time span"),
    ("{timeout: {effect: lost}}", "effect is none or done, not 'lost'"),
    ("{duplicate_request: {effect: none}}", "effect is done, not 'none'"),
    ("{server_error: {status: 404}}", "status is a whole number from 500 to 599"),
    ("{random_data_then_close: {size: 1000000}}", "size is a whole number from 1 to 65536"),
    ("{wrong_content_type: {content_type: 'a\\r\\nb: c'}}", "a content type is of the form"),
)
def test_a_mistake_is_found_with_the_nearest_name(fault: str, wanted: str, routes: Routes) -> None:
    assert wanted in findings(rules(f"{{fault: {fault}}}"), routes)


@cases(
    "then, wanted",
    ("{limit: {count: 1, per: 1s}, fault: timeout}", "limit and fault exclude each other"),
    ("{answer: 500, fault: {timeout: {effect: done}}}", "the real answer, which answer prevents"),
    ("{answer: 500, fault: duplicate_request}", "the real answer, which answer prevents"),
    ("{fault: timeout, delivery: lost}", "which a fault without effect prevents"),
    ("{fault: timeout, fate: dropped}", "which a fault without effect prevents"),
    ("{fault: {truncate_body: {effect: none}}, patch: {a: 1}}", "which a fault without effect prevents"),
)
def test_what_leaves_nothing_to_do_is_a_mistake(then: str, wanted: str, routes: Routes) -> None:
    assert wanted in findings(rules(then), routes)


@cases("kind", *KINDS)
def test_every_fault_fits_the_schema_with_and_without_options(kind: str) -> None:
    schema = Draft202012Validator(scenario_schema(ROUTES))
    options: list[Any] = [kind, {kind: {}}, {kind: {"effect": "done", "times": 2, "window": "1m"}}]
    for fault in options:
        document = {"rules": [{"when": "GetContracts", "then": {"fault": fault}}]}
        assert [error.message for error in schema.iter_errors(document)] == []
    wrong = {"rules": [{"then": {"fault": f"{kind}s"}}]}
    assert not schema.is_valid(wrong)
