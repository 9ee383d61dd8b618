"""A request of 1 MiB, or among many rows, does not keep others from being answered."""

import json
from collections.abc import Callable
from inspect import unwrap
from typing import Any

import pytest

from mockserver.api.call import Request
from mockserver.crypto.typed_data import hash_message
from mockserver.domain.identity.sessions import open_session
from mockserver.domain.identity.users import create_user
from mockserver.server.answering.pipeline import Pipeline
from mockserver.server.answering.render import Response
from mockserver.server.edge.app import App
from mockserver.state.guardrails import Policy, PolicyRule
from mockserver.state.identity import User
from mockserver.state.project import Project
from tests.adversary.costs import is_within_budget, time_slices_ms
from tests.tables import cases
from tests.thoroughness import sampled

JSON = "application/json"
FORM = "application/x-www-form-urlencoded"
LARGEST = 1024 * 1024 - 1_000
ADDRESS = "0x" + "11" * 20

BODIES = {
    "integers": b"[" + b"1," * (LARGEST // 2) + b"1]",
    "integers of a member": b'{"abi":[' + b"1," * 15_000 + b"1]}",
    "members": b"{" + b",".join(b'"%d":1' % number for number in range(90_000)) + b"}",
    "fewer members": b"{" + b",".join(b'"%d":1' % number for number in range(19_000)) + b"}",
    "objects": b"[" + b"{}," * (LARGEST // 3) + b"{}]",
    "depth": b'{"a":' * 100_000 + b"1" + b"}" * 100_000,
    "long integers": b"[" + (b"1" * 4_000 + b",") * 250 + b"1]",
    "a long integer": b"1" * LARGEST,
    "texts": b"[" + b'"",' * (LARGEST // 3) + b'""]',
    "question marks": b'{"name":"' + b"?" * 50_000 + b'"}',
    "beginnings of tokens": b'{"name":"' + b"eyJ" * 20_000 + b'"}',
}
FORMS = {
    "pairs": b"a=1&" * (LARGEST // 4),
    "long names": b"&".join(b"a%d%s=1" % (number, b"[x]" * 300) for number in range(999)),
}
OPERATIONS = [
    ("POST", "/v1/contracts"),
    ("POST", "/v2/transactions"),
    ("POST", "/v2/policies"),
    ("POST", "/iam/v2/auth/sign-up/email"),
    ("POST", "/_mock/projects/{p}/fates"),
    ("POST", "/_mock/projects"),
    ("PUT", "/_mock/projects/{p}/imports"),
]

Ask = Callable[..., Request]


@pytest.fixture(autouse=True)
def undescribed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Answers are not checked against OpenAPI here: that takes longer than to answer."""
    monkeypatch.setattr(Pipeline, "_send", unwrap(Pipeline._send))


@pytest.fixture
def ask(project: Project) -> Ask:
    """A request with the project's secret key."""

    def make(method: str, path: str, body: Any = b"", query: str = "", **headers: str) -> Request:
        content = body if isinstance(body, bytes) else json.dumps(body).encode()
        own = {"authorization": f"Bearer {project.secret_key}", "content-type": JSON}
        return Request(method, path.replace("{p}", project.id), query, own | headers, content)

    return make


@cases("operation", *sampled(OPERATIONS, 3), ids=" ".join)
def test_no_body_and_no_journal_of_it_stalls_the_loop(app: App, ask: Ask, operation: tuple[str, str]) -> None:
    for name, body in (BODIES | FORMS).items():
        content_type = FORM if name in FORMS else JSON
        assert is_within_budget(app, ask(*operation, body, **{"content-type": content_type})), name
        for query in ("limit=1&order=desc", "limit=1&order=desc&unmasked=true"):
            assert is_within_budget(app, ask("GET", "/_mock/projects/{p}/journal", query=query)), name


def policy_with(operation: str, **criterion: Any) -> Any:
    rule = {"action": "accept", "operation": operation, "criteria": [criterion]}
    return {"scope": "project", "rules": [rule]}


def function(name: str, inputs: int) -> Any:
    parameters = [{"name": f"a{number}", "type": "uint256"} for number in range(inputs)]
    return {"type": "function", "name": name, "inputs": parameters, "outputs": [], "stateMutability": "view"}


def contract_with(abi: Any) -> Any:
    return {"name": "x", "chainId": 80002, "address": ADDRESS, "publicVerification": False, "abi": abi}


LARGE_ABI = json.dumps([function(f"f{number}", 8) for number in range(1_500)])
WIDE_ABI = json.dumps([function("f", 3_000)])
CALLS = {
    "an ABI of many functions": (
        "/v1/contracts",
        contract_with([function(f"f{n}", 1) for n in range(1_900)]),
    ),
    "a function of many arguments": ("/v1/contracts", contract_with([function("f", 6_000)])),
    "a type of many lists": (
        "/v1/contracts",
        contract_with([{"type": "function", "name": "f", "inputs": [{"type": "uint256" + "[]" * 400_000}]}]),
    ),
    "addresses of a policy": (
        "/v2/policies",
        policy_with("sendEvmTransaction", type="evmAddress", operator="in", addresses=[ADDRESS] * 18_000),
    ),
    "texts that are no addresses": (
        "/v2/policies",
        policy_with("sendEvmTransaction", type="evmAddress", operator="in", addresses=["x"] * 18_000),
    ),
    "an ABI of a policy": (
        "/v2/policies",
        policy_with("sendEvmTransaction", type="evmData", operator="in", abi=LARGE_ABI, functionName="f7"),
    ),
    "constraints of a policy": (
        "/v2/policies",
        policy_with(
            "sendEvmTransaction",
            type="evmData",
            operator="in",
            abi=WIDE_ABI,
            functionName="f",
            args={f"a{number}": ["1"] for number in range(3_000)},
        ),
    ),
    "a hundred patterns with Unicode classes": (
        "/v2/policies",
        {
            "scope": "project",
            "rules": [
                {
                    "action": "accept",
                    "operation": "signEvmMessage",
                    "criteria": [
                        {"type": "evmMessage", "operator": "match", "pattern": rf"[\pL\pN]\pS{rule}x{n}"}
                        for n in range(10)
                    ],
                }
                for rule in range(10)
            ],
        },
    ),
    "long data": (
        "/v2/policies/evaluate",
        {"operation": "sendEvmTransaction", "payload": {"to": ADDRESS, "data": "0x" + "ab" * 500_000}},
    ),
}


@cases("name", *CALLS)
def test_what_is_valid_and_large_does_not_stall_the_loop(app: App, ask: Ask, name: str) -> None:
    path, body = CALLS[name]
    assert is_within_budget(app, ask("POST", path, body))


@cases("operator", "in", "not in")
def test_many_policies_do_not_stall_it(app: App, ask: Ask, project: Project, operator: str) -> None:
    criteria = ({"type": "evmAddress", "operator": operator, "addresses": [ADDRESS]},) * 3
    rules = (PolicyRule("plr_1", 0, "accept", "sendEvmTransaction", criteria),)
    for number in range(10_000):
        project.guardrails.policies.insert(Policy(f"ply_{number}", 0, "project", None, None, True, 0, rules))
    project.undo.mark()
    body = {"operation": "sendEvmTransaction", "payload": {"to": "0x" + "22" * 20, "chainId": 80002}}
    assert is_within_budget(app, ask("POST", "/v2/policies/evaluate", body))
    assert is_within_budget(app, ask("POST", "/_mock/projects/{p}/policies/evaluate", body))
    names = "&".join(f"operation=x{number}" for number in range(999))
    assert is_within_budget(app, ask("GET", "/v2/policies", query=names))
    assert is_within_budget(app, ask("GET", "/v2/policies", query="limit=10000"))


def scenario(part: str, entry: str, count: int) -> str:
    """A scenario with a part of many entries, each with its number where it says `{n}`."""
    return f"{part}:\n" + "".join(f"- {entry}\n".replace("{n}", str(number)) for number in range(count))


def flow(entry: str, count: int) -> str:
    return ", ".join(entry.replace("{n}", str(number)) for number in range(count))


UNKNOWN_CALL = "{when: X{n}, then: {delay: 1s}}"
SCENARIOS = {
    "rules that name no operation": scenario("rules", UNKNOWN_CALL, 28_000),
    "as many of them as are read": scenario("rules", UNKNOWN_CALL, 1_000),
    "rules of unknown members": scenario("rules", "{name: r{n}, when: X{n}, then: {bogus{n}: 1}}", 900),
    "rules": scenario("rules", "{when: CreateContract, then: {delay: 1s}}", 16_000),
    "as many rules as are read": scenario("rules", "{when: CreateContract, then: {delay: 1s}}", 1_000),
    "rules that are compared": scenario(
        "rules", "{when: {call: CreateContract, headers: {a: {matches: a{n}}}}, then: {delay: 1s}}", 600
    ),
    "calls of a rule that are no operations": f"rules: [{{when: [{flow('X{n}', 9_900)}], then: x}}]",
    "conditions that name no operation": f"rules: [{{when: {{any: [{flow('X{n}', 9_900)}]}}, then: x}}]",
    "as many of them as conditions": f"rules: [{{when: {{any: [{flow('X{n}', 1_000)}]}}, then: x}}]",
    "states that no rule leads to": (
        f"rules: [{{when: {{state: [{flow('s{n}', 9_900)}]}}, then: {{delay: 1s}}}}]"
    ),
    "a list": f"x: [{'1, ' * 300_000}]",
    "a long list of a part": f"requires: [{'x, ' * 300_000}]",
    "settings": "settings:\n" + "".join(f"  s{number}: 1\n" for number in range(20_000)),
    "parts": "".join(f"s{number}: 1\n" for number in range(20_000)),
    "fates": scenario("fates", "reverted", 20_000),
    "fates of no outcome": scenario("fates", "reverted{n}", 1_000),
    "references to nothing": scenario("fates", '"${x.y}"', 1_000),
    "keys": scenario("keys", "sk_test_k{n}", 20_000),
    "steps": scenario("given", "{call: CreatePlayer, body: {name: p{n}}}", 3_000),
    "as many steps as are sent": scenario("given", "{call: CreatePlayer, body: {name: p{n}}}", 500),
}


@cases("name", *sampled(SCENARIOS, 3))
def test_no_scenario_and_no_finding_about_it_stalls_the_loop(app: App, ask: Ask, name: str) -> None:
    body, headers = SCENARIOS[name].encode(), {"content-type": "application/yaml"}
    assert len(body) < LARGEST
    for path in ("/_mock/scenarios/check", "/_mock/projects/{p}/scenarios"):
        assert is_within_budget(app, ask("POST", path, body, **headers)), path


def test_lists_of_all_of_many_rows_are_answered_in_slices(app: App, ask: Ask, project: Project) -> None:
    for number in range(20_000):
        project.identity.users.insert(User(f"usr_{number}", 0, 0, f"Ada {number}"))
    ada = create_user(project, name="Ada", email="ada@mock.example")
    sessions = [open_session(project, ada) for _ in range(5_000)]
    project.undo.mark()
    assert is_within_budget(app, ask("GET", "/v2/users", query="limit=100000"))
    assert is_within_budget(app, ask("GET", "/v2/users", query="name=Nemo"))
    for path in ("search", "tables/identity.users"):
        assert (
            len(list(time_slices_ms(app, ask("GET", f"/_mock/projects/{{p}}/{path}", query="text=nemo"))))
            > 10
        )
    own = {"authorization": f"Bearer {sessions[0].token}"}
    assert is_within_budget(app, ask("GET", "/iam/v2/auth/list-sessions", **own))


JSON_LINES = {"content-type": "application/jsonl"}


def test_a_large_state_is_that_of_its_request(app: App, ask: Ask, project: Project) -> None:
    for number in range(20_000):
        project.identity.users.insert(User(f"usr_{number}", 0, 0, f"Ada {number}"))
    project.undo.mark()
    query = ask("GET", "/_mock/projects/{p}/state")
    assert is_within_budget(app, query)
    outcome = app.pipeline.answer(query)
    while not isinstance(outcome, Response):
        app.answer(ask("POST", "/v1/players", {"name": "Bob"}))
        outcome = app.pipeline.resume(outcome)
    assert len(project.identity.users) > 20_010
    put = ask("PUT", "/_mock/projects/{p}/state", outcome.body, query="replace=1", **JSON_LINES)
    app.answer(put)
    found = app.pipeline.world.get(project.id)
    assert found is not None
    assert len(found.identity.users) == 20_000


@cases("unmasked", "true", "false")
def test_the_whole_journal_does_not_stall_the_loop(app: App, ask: Ask, unmasked: str) -> None:
    for number in range(2_000):
        app.pipeline.answer(ask("POST", "/v1/contracts", {"name": f"{number}", "members": [{"a": 1}] * 50}))
    query = f"limit=2000&unmasked={unmasked}&wait=1"
    assert is_within_budget(app, ask("GET", "/_mock/projects/{p}/journal", query=query))


def test_the_log_of_large_requests_is_answered_in_slices(app: App, ask: Ask) -> None:
    for number in range(20):
        app.pipeline.answer(
            ask("POST", "/v1/contracts", {"name": f"{number}", "members": [{"a": 1}] * 5_000})
        )
    assert len(list(time_slices_ms(app, ask("GET", "/v1/logs", query="limit=20")))) > 10


MATCHERS: dict[str, tuple[str, dict[str, Any]]] = {
    "members": (
        "verify",
        {"body": {f"n{number}": {"present": False} for number in range(32)}, "never": True},
    ),
    "query": ("verify", {"query": {f"n{number}": {"present": False} for number in range(32)}}),
    "steps": ("verify-sequence", {"calls": ["CreateContract"] * 1_000}),
}


@cases("name", *MATCHERS)
def test_verifying_a_full_journal_does_not_stall_the_loop(app: App, ask: Ask, name: str) -> None:
    for number in range(2_000):
        app.pipeline.answer(ask("POST", "/v1/contracts", {"name": f"{number}"}))
    path, body = MATCHERS[name]
    assert is_within_budget(app, ask("POST", f"/_mock/projects/{{p}}/{path}", body))


@cases("rules", 0, 100)
def test_a_report_of_large_calls_does_not_stall_the_loop(app: App, ask: Ask, rules: int) -> None:
    when = {"call": "CreateContract", "body": {"name": {"matches": "^(a+)+b$"}}}
    scenario = {"rules": [{"when": when, "then": {"answer": 500}}] * rules}
    app.pipeline.answer(ask("POST", "/_mock/projects/{p}/scenarios", scenario))
    for body in [*BODIES.values(), *[json.dumps({"name": "a" * 300_000}).encode()] * 20]:
        app.pipeline.answer(ask("POST", "/v1/contracts", body))
    assert is_within_budget(app, ask("GET", "/_mock/projects/{p}/report"))


def test_typed_data_that_multiplies_is_refused_soon() -> None:
    chain = {f"T{n}": [{"name": "x", "type": f"T{n + 1}"}] for n in range(1_500)}
    root = [{"name": f"a{n}", "type": f"T{n}"} for n in range(1_500)]
    wide = [{"name": f"x{n}", "type": "P"} for n in range(1_000)]
    for document, reason in (
        ({"types": {"M": root, **chain}, "primaryType": "M", "message": {}}, "more than 100 types"),
        (
            {
                "types": {"M": [{"name": "a", "type": "P[]"}], "P": wide},
                "primaryType": "M",
                "message": {"a": [{}] * 9_000},
            },
            "20,000 other values",
        ),
    ):
        with pytest.raises(ValueError, match=reason):
            hash_message(document)
