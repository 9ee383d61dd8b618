"""What rules do to calls."""

from typing import Any

from httpx import Client
from hypothesis import given
from hypothesis import strategies as st

from mockserver.scenario.grammar.then import Actions
from mockserver.scenario.running.effects import RuleEffects, merge
from mockserver.server.edge.app import App
from mockserver.state.project import Project
from tests.scenario.conftest import Load, transact
from tests.tables import cases
from tests.transport import InProcessTransport

RULE = "x-mockserver-rule"


def contract(number: int = 1, **members: Any) -> dict[str, Any]:
    """A contract to register."""
    return {"name": f"C{number}", "chainId": 80002, "address": f"0x{number:040x}", **members}


def statuses(api: Client, times: int) -> list[int]:
    """What as many lists of contracts answer."""
    return [api.get("/v1/contracts").status_code for _ in range(times)]


def test_the_first_rule_that_matches_decides_and_says_so(load: Load, api: Client) -> None:
    load("""
        rules:
          - {when: GetContract, then: {answer: 500}}
          - {name: this one, when: GetContracts, then: {answer: 501}}
          - {when: GetContracts, then: {answer: 502}}
    """)
    response = api.get("/v1/contracts")
    assert (response.status_code, response.headers[RULE], response.content) == (501, "this one", b"")


def test_calls_that_no_rule_is_about_are_answered_as_ever(load: Load, api: Client) -> None:
    load("rules:\n  - {when: GetContract, then: {answer: 500}}\n")
    response = api.get("/v1/contracts")
    assert response.status_code == 200
    assert RULE not in response.headers


def test_the_scenario_that_was_loaded_last_is_asked_first(load: Load, api: Client) -> None:
    load("rules:\n  - {when: GetContracts, then: {answer: 500}}\n")
    load("rules:\n  - {when: {call: GetContracts, nth: 1}, then: {answer: 501}}\n")
    assert statuses(api, 2) == [501, 500]


def test_a_rule_without_a_name_is_called_by_its_number(load: Load, api: Client) -> None:
    load("name: outage\nrules:\n  - {when: GetContract, then: {answer: 500}}\n  - {then: {answer: 503}}\n")
    assert api.get("/v1/contracts").headers[RULE] == "outage #2"


def test_every_rule_counts_its_calls_whichever_rule_decides(load: Load, api: Client) -> None:
    load("""
        rules:
          - {when: {call: GetContracts, nth: 1}, then: {answer: 501}}
          - {when: {call: GetContracts, nth: 2}, then: {answer: 502}}
          - {when: {call: GetContracts, nth: {from: 4, every: 2, to: 6}}, then: {answer: 503}}
    """)
    assert statuses(api, 9) == [501, 502, 200, 503, 200, 503, 200, 200, 200]


def test_names_of_headers_may_be_written_in_capitals(load: Load, api: Client) -> None:
    load("""
        rules:
          - when: {call: GetContracts, headers: {X-STAGE: blue}}
            then: {answer: {status: 503, headers: {RETRY-AFTER: 7}}}
    """)
    answers = [api.get("/v1/contracts", headers={name: "blue"}) for name in ("x-stage", "X-Stage", "x-other")]
    assert [answer.status_code for answer in answers] == [503, 503, 200]
    assert answers[0].headers["retry-after"] == "7"


@cases(
    "method, path, status, message",
    ("POST", "/iam/v2/auth/forget-password/email-otp", 400, "User not found"),
    ("GET", "/iam/v2/auth/verify-email?token=x", 401, "user_not_found"),
)
def test_an_error_of_a_shared_code_is_the_operations_own(
    load: Load, api: Client, method: str, path: str, status: int, message: str
) -> None:
    load("rules:\n  - {then: {error: USER_NOT_FOUND}}\n")
    response = api.request(method, path)
    assert (response.status_code, response.json()["message"]) == (status, message)


def test_counting_survives_a_call_that_is_refused(load: Load, api: Client) -> None:
    load("rules:\n  - {when: {call: CreateContract, nth: 2}, then: {answer: 503}}\n")
    assert api.post("/v1/contracts", json={}).status_code == 400
    assert api.post("/v1/contracts", json=contract()).status_code == 503


def test_an_answer_stands_in_for_the_real_one(load: Load, api: Client, project: Project) -> None:
    load("""
        rules:
          - when: CreateContract
            then:
              answer: {status: 201, headers: {X-Served-By: edge, x-count: 7}, body: {id: [1, null, "0x1", Ä]}}
          - when: GetContracts
            then: {answer: {status: 502, headers: {content-type: text/html}, body: "<h1>Bad gateway</h1>"}}
    """)
    created = api.post("/v1/contracts", json=contract())
    assert (created.status_code, created.text) == (201, '{"id":[1,null,"0x1","Ä"]}')
    assert created.headers["x-served-by"] == "edge"
    assert created.headers["content-type"] == "application/json"
    assert len(project.onchain.contracts) == 0
    listed = api.get("/v1/contracts")
    assert (listed.headers["content-type"], listed.text) == ("text/html", "<h1>Bad gateway</h1>")


def test_a_catalogue_error_has_the_envelope_of_its_family(load: Load, api: Client) -> None:
    load("""
        rules:
          - {when: GetContract, then: {error: contract_not_found}}
          - {when: CreateContract, then: {error: contract_already_exists}}
          - {when: signInEmail, then: {error: {code: INVALID_EMAIL_OR_PASSWORD, message: Not today}}}
    """)
    gone = api.get("/v1/contracts/con_1")
    assert (gone.status_code, gone.json()["error"]["message"]) == (404, "There is no contract con_1.")
    taken = api.post("/v1/contracts", json=contract(7))
    assert (taken.status_code, taken.json()["error"]["code"]) == (409, "contract_already_exists")
    assert f"0x{7:040x} on chain 80002" in taken.json()["error"]["message"]
    refused = api.post("/iam/v2/auth/sign-in/email", json={"email": "a@b.co", "password": "12345678"})
    assert refused.status_code == 401
    assert refused.json() == {"code": "INVALID_EMAIL_OR_PASSWORD", "message": "Not today"}


def test_a_limit_is_over_when_its_window_is(load: Load, api: Client, project: Project) -> None:
    load("rules:\n  - {name: two, when: GetContracts, then: {limit: {count: 2, per: 10s}}}\n")
    assert statuses(api, 2) == [200, 200]
    project.clock.move_to(project.clock.now_ms + 2_500)
    refused = api.get("/v1/contracts")
    assert (refused.status_code, refused.headers["retry-after"], refused.headers[RULE]) == (429, "8", "two")
    assert refused.json()["error"]["code"] == "rate_limited"
    assert refused.json()["error"]["message"] == "Too many requests. Please try again later."
    project.clock.move_to(project.clock.now_ms + 7_499)
    assert api.get("/v1/contracts").headers["retry-after"] == "1"
    project.clock.move_to(project.clock.now_ms + 1)
    assert statuses(api, 3) == [200, 200, 429]


def test_what_a_limit_lets_through_meets_the_rules_after_it(load: Load, api: Client) -> None:
    load("""
        rules:
          - {when: GetContracts, then: {limit: {count: 1, per: 10s}}}
          - {when: GetContracts, then: {answer: 503}}
    """)
    assert statuses(api, 2) == [503, 429]


def test_a_delay_moves_a_frozen_clock(load: Load, api: Client, project: Project) -> None:
    load("rules:\n  - {then: {delay: 1.5s}}\n")
    before_ms = project.clock.now_ms
    assert api.get("/v1/contracts").status_code == 200
    assert project.clock.now_ms == before_ms + 1_500
    assert api.get("/v1/contracts/con_nope").status_code == 404
    assert project.clock.now_ms == before_ms + 3_000


def test_a_patch_changes_successes_and_no_errors(load: Load, api: Client, project: Project) -> None:
    load("rules:\n  - {then: {patch: {name: Patched, abi: null, extra: {a: [1]}}}}\n")
    created = api.post("/v1/contracts", json=contract()).json()
    assert (created["name"], created["extra"]) == ("Patched", {"a": [1]})
    assert "abi" not in created
    assert created["chainId"] == 80002
    assert next(iter(project.onchain.contracts)).name == "C1"
    refused = api.post("/v1/contracts", json=contract())
    assert set(refused.json()) == {"error"}
    assert refused.headers[RULE] == "test #1"


@cases("status, patched", (199, False), (200, True), (299, True), (300, False), (404, False))
def test_a_patch_is_for_every_answer_that_succeeds(project: Project, status: int, patched: bool) -> None:
    effects = RuleEffects(project, "rule", "rule", 0, Actions(patches=({"a": 2},)))
    _, _, body = effects.change(status, (), b'{"a":1}')
    assert body == (b'{"a":2}' if patched else b'{"a":1}')


@cases(
    "target, patch, result",
    # RFC 7396, appendix A, as far as a patch that is an object goes.
    ({"a": "b"}, {"a": "c"}, {"a": "c"}),
    ({"a": "b"}, {"b": "c"}, {"a": "b", "b": "c"}),
    ({"a": "b"}, {"a": None}, {}),
    ({"a": "b", "b": "c"}, {"a": None}, {"b": "c"}),
    ({"a": ["b"]}, {"a": "c"}, {"a": "c"}),
    ({"a": "c"}, {"a": ["b"]}, {"a": ["b"]}),
    ({"a": {"b": "c"}}, {"a": {"b": "d", "c": None}}, {"a": {"b": "d"}}),
    ({"a": [{"b": "c"}]}, {"a": [1]}, {"a": [1]}),
    ({"e": None}, {"a": 1}, {"e": None, "a": 1}),
    ([1, 2], {"a": "b", "c": None}, {"a": "b"}),
    ({}, {"a": {"bb": {"ccc": None}}}, {"a": {"bb": {}}}),
)
def test_merging_follows_rfc_7396(target: Any, patch: Any, result: Any) -> None:
    assert merge(target, patch) == result


objects = st.dictionaries(st.sampled_from("abc"), st.recursive(
    st.none() | st.integers(0, 3), lambda inner: st.dictionaries(st.sampled_from("abc"), inner, max_size=3)
), max_size=3)  # fmt: skip


@given(objects, objects)
def test_merging_twice_is_merging_once(target: Any, patch: Any) -> None:
    once = merge(target, patch)
    assert merge(once, patch) == once


def test_rules_lead_from_state_to_state(load: Load, api: Client, project: Project) -> None:
    load("""
        rules:
          - {when: {call: GetContracts, state: start}, then: {answer: 503, state: down}}
          - {when: {call: GetContracts, state: [start, down]}, then: {answer: 502, state: up}}
    """)
    assert statuses(api, 3) == [503, 502, 200]
    assert project.scenario_state == "up"


def test_a_fate_is_for_the_transactions_of_its_call_alone(load: Load, api: Client, project: Project) -> None:
    load("""
        given:
          - {call: createBackendWallet, body: {chainType: EVM}, as: wallet}
        rules:
          - when: {call: CreateTransaction, body: {accountId: "${wallet.id}"}, nth: [1, 2]}
            then: {fate: {outcome: reverted, reason: not now}, patch: {costUsd: "0"}}
    """)
    assert transact(api, project, calls=[]).status_code == 400
    assert len(project.onchain.fates) == 0
    # The answer waits for the receipt, and the patch waits with it.
    reverted = transact(api, project).json()
    assert (reverted["status"], reverted["costUsd"]) == ("reverted", "0")
    assert project.history.get(project.history.last_number).response_body.endswith(b'"costUsd":"0"}')  # type: ignore[union-attr]
    assert transact(api, project).json()["status"] == "successful"


def test_a_fate_that_no_transaction_took_is_gone(load: Load, api: Client, project: Project) -> None:
    load("rules:\n  - {then: {fate: dropped}}\n")
    assert statuses(api, 1) == [200]
    assert len(project.onchain.fates) == 0


def test_other_projects_do_not_notice(load: Load, app: App) -> None:
    load("rules:\n  - {then: {answer: 503}}\n")
    headers = {"authorization": "Bearer sk_test_somebody_else"}
    with Client(transport=InProcessTransport(app), base_url="http://mock", headers=headers) as other:
        assert other.get("/v1/contracts").status_code == 200


def test_the_journal_names_the_rule(load: Load, api: Client, project: Project) -> None:
    load("rules:\n  - {name: outage, then: {answer: 503}}\n")
    api.get("/v1/contracts")
    assert [exchange.rule for exchange in project.history.answered_since(0)] == ["outage"]


def test_a_patch_leaves_a_success_alone_that_is_not_json(project: Project) -> None:
    effects = RuleEffects(project, "scn_1/1", "patched", project.generation, Actions(patches=({"a": 1},)))
    assert effects.change(200, (), b"<html>") == (200, ((RULE.encode(), b"patched"),), b"<html>")
    assert effects.change(200, (), b"{}")[2] == b'{"a":1}'
