"""Which calls a rule is about."""

import json
from textwrap import dedent, indent

import httpx
import pytest

from mockserver.api.call import Request
from mockserver.api.endpoint import Endpoint, Routes
from mockserver.scenario.load import read
from mockserver.scenario.matching import RequestView, meets, near_misses
from mockserver.scenario.when import When
from mockserver.state.project import Project
from tests.scenario.conftest import Load


def when(text: str, routes: Routes) -> When:
    """The `when` of a text."""
    rule = f"rules:\n  - then: {{delay: 1s}}\n    when:\n{indent(dedent(text).strip(), ' ' * 6)}\n"
    return read(rule, "s.yaml", routes).rules[0].when


def seen(
    routes: Routes,
    call: str = "POST /v1/contracts",
    body: str = "",
    query: str = "",
    state: str = "start",
    **headers: str,
) -> RequestView:
    """A request as rules look at it."""
    method, _, path = call.partition(" ")
    endpoint: Endpoint = routes.find(path)[0][method]
    sent = {name.replace("_", "-"): value for name, value in headers.items()}
    return RequestView(endpoint, Request(method, path, query, sent, body.encode()), state)


@pytest.mark.parametrize(
    ("pattern", "call", "fits"),
    [
        ("CreateContract", "POST /v1/contracts", True),
        ("CreateContract", "GET /v1/contracts", False),
        ("POST /v1/contracts", "POST /v1/contracts", True),
        ("POST /v1/contracts", "GET /v1/contracts", False),
        ('"* /v1/contracts"', "GET /v1/contracts", True),
        ("GET /v1/contracts/{id}", "GET /v1/contracts/con_1", True),
        ("GET /v1/contracts/{id}", "GET /v1/contracts/con_1/read", False),
        ("GET /v1/contracts/con_*", "GET /v1/contracts/con_1", True),
        ("GET /v1/contracts/con_*", "GET /v1/contracts/tok_1", False),
        ("GET /v1/*", "GET /v1/contracts/con_1", False),
        ("GET /v1/**", "GET /v1/contracts/con_1/read", True),
        ("GET /v1/contracts/**", "GET /v1/contracts", True),
        ("GET /v1/contracts/**", "GET /v1/contracts/con_1", True),
        ("GET /v1/**/read", "GET /v1/contracts/con_1/read", True),
        ("GET /v1/**/read", "GET /v1/contracts/con_1", False),
        ('"* **"', "GET /v2/accounts", True),
        ("[GetContracts, CreateContract]", "POST /v1/contracts", True),
        ("[GetContracts, GET /v2/**]", "POST /v1/contracts", False),
        ("GET /v1/contracts/con.1", "GET /v1/contracts/conx1", False),
    ],
)
def test_a_call_is_named_by_its_operation_or_by_method_and_path(
    pattern: str, call: str, fits: bool, routes: Routes
) -> None:
    assert meets(when(f"call: {pattern}", routes), seen(routes, call)) is fits


@pytest.mark.parametrize(
    ("test", "body", "fits"),
    [
        ("{chainId: 80002}", '{"chainId": 80002}', True),
        ("{chainId: 80002}", '{"chainId": "80002"}', False),
        ("{chainId: '80002'}", '{"chainId": 80002}', False),
        ("{a: 1}", '{"a": true}', False),
        ("{a: true}", '{"a": 1}', False),
        ("{a: 1}", '{"a": 1.0}', True),
        ("{a: null}", '{"a": null}', True),
        ("{a: null}", "{}", False),
        ("{a: [1, {b: false}]}", '{"a": [1, {"b": false}]}', True),
        ("{a: [1, {b: false}]}", '{"a": [1, {"b": 0}]}', False),
        ("{a: {equals: {b: 1}}}", '{"a": {"b": 1}}', True),
        ("{a: {equals: {b: 1}}}", '{"a": {"b": 1, "c": 2}}', False),
        ("{'a[1].b': x}", '{"a": [0, {"b": "x"}]}', True),
        ("{a.1.b: x}", '{"a": [0, {"b": "x"}]}', True),
        ("{'a[2].b': x}", '{"a": [0, {"b": "x"}]}', False),
        ("{a: {contains: ell}}", '{"a": "hello"}', True),
        ("{a: {contains: ELL}}", '{"a": "hello"}', False),
        ("{a: {contains: 2}}", '{"a": [1, 2]}', True),
        ("{a: {contains: 2}}", '{"a": ["2"]}', False),
        ("{a: {contains: a}}", '{"a": {"a": 1}}', False),
        ("{a: {matches: '^0x[0-9a-f]{4}$'}}", '{"a": "0xbeef"}', True),
        ("{a: {matches: '^0x[0-9a-f]{4}$'}}", '{"a": "0xbeefs"}', False),
        ("{a: {matches: '^8000[0-9]$'}}", '{"a": 80002}', True),
        ("{a: {present: true}}", '{"a": null}', True),
        ("{a: {present: false}}", '{"b": 1}', True),
        ("{a: {present: false}}", '{"a": 1}', False),
        ("{a: {present: false}}", "not json", True),
        ("{a: {contains: x, matches: y}}", '{"a": "xy"}', True),
        ("{a: {contains: x, matches: y}}", '{"a": "x"}', False),
        ("{a: 1, b: 2}", '{"a": 1, "b": 3}', False),
        ("{a: 1}", "[" * 100_000, False),
        ("{a: 0x10}", '{"a": "0x10"}', True),
    ],
)
def test_a_body_is_compared_as_json(test: str, body: str, fits: bool, routes: Routes) -> None:
    assert meets(when(f"body: {test}", routes), seen(routes, body=body)) is fits


def test_a_pattern_that_would_hang_a_backtracking_engine_answers_at_once(routes: Routes) -> None:
    rule = when("body: {a: {matches: '^(a+)+$'}}", routes)
    assert not meets(rule, seen(routes, body=json.dumps({"a": "a" * 8_000 + "!"})))
    assert meets(rule, seen(routes, body=json.dumps({"a": "a" * 8_000})))


def test_a_text_that_is_too_long_for_patterns_matches_none(routes: Routes) -> None:
    rule = when("body: {a: {matches: '^a'}}", routes)
    assert meets(rule, seen(routes, body=json.dumps({"a": "a" * 8_192})))
    assert not meets(rule, seen(routes, body=json.dumps({"a": "a" * 8_193})))


def test_the_patterns_of_all_rules_share_the_work_of_one_call(routes: Routes) -> None:
    rule = when("body: {a: {matches: '^(ab|cd){200}'}}", routes)
    view = seen(routes, body=json.dumps({"a": "ab" * 4_000}))
    met = [meets(rule, view) for _ in range(100)]
    assert met[0]
    assert not met[-1]
    assert view.effort.left >= 0


def test_a_path_that_nearly_fits_many_wildcards_is_compared_at_once(routes: Routes) -> None:
    rule = when(f"call: 'GET /v1/contracts/{'*a' * 200}*b'", routes)
    assert not meets(rule, seen(routes, f"GET /v1/contracts/{'a' * 50_000}"))
    assert meets(rule, seen(routes, f"GET /v1/contracts/{'a' * 50_000}b"))


def test_a_form_is_compared_as_text(routes: Routes) -> None:
    form = {"content_type": "application/x-www-form-urlencoded"}
    rule = when("body: {chainId: 80002, 'strategy.sponsorSchema': {contains: pay}}", routes)
    assert meets(rule, seen(routes, body="chainId=80002&strategy[sponsorSchema]=pay_for_user", **form))
    assert not meets(rule, seen(routes, body="chainId=1&strategy[sponsorSchema]=pay_for_user", **form))


def test_headers_are_compared_as_text_whatever_the_case_of_their_names(routes: Routes) -> None:
    rule = when("headers: {X-Attempt: 2, user-agent: {matches: '^Node'}, x-no: {present: false}}", routes)
    assert meets(rule, seen(routes, x_attempt="2", user_agent="Node 20"))
    assert not meets(rule, seen(routes, x_attempt="3", user_agent="Node 20"))
    assert not meets(rule, seen(routes, x_attempt="2", user_agent="Node 20", x_no=""))
    assert not meets(rule, seen(routes, x_attempt="2"))


def test_any_of_the_repeated_members_of_a_query_will_do(routes: Routes) -> None:
    rule = when("query: {expand: calls, limit: 10, deleted: true}", routes)
    assert meets(rule, seen(routes, query="expand=a&expand=calls&limit=10&deleted=true"))
    assert meets(rule, seen(routes, query="expand[]=calls&limit=10&deleted=true"))
    assert meets(rule, seen(routes, query="expand[0]=a&expand[1]=calls&limit=10&deleted=true"))
    assert not meets(rule, seen(routes, query="expand=a&limit=10&deleted=true"))
    assert not meets(rule, seen(routes, query="expand=calls&limit=10"))


@pytest.mark.parametrize("name", ["expand", "expand[]", "expand[0]"])
@pytest.mark.parametrize("sent", ["expand", "expand[]", "expand[0]", "expand%5B0%5D"])
def test_a_member_of_the_query_is_the_same_however_its_repetition_is_spelled(
    name: str, sent: str, routes: Routes
) -> None:
    assert meets(when(f"query: {{'{name}': calls}}", routes), seen(routes, query=f"{sent}=calls"))


def test_a_state_is_one_of_those_named(routes: Routes) -> None:
    assert meets(when("state: start", routes), seen(routes))
    assert not meets(when("state: start", routes), seen(routes, state="later"))


def test_near_misses_say_what_a_call_lacks(
    load: Load, api: httpx.Client, project: Project, routes: Routes
) -> None:
    load("""
        name: story
        rules:
          - name: two things wrong
            when: {call: GetContracts, query: {limit: 5}, headers: {x-a: {matches: b}}}
            then: {answer: 500}
          - name: another call
            when: {call: CreateContract, query: {chainId: {present: true}}}
            then: {answer: 500}
          - {name: far off, when: {call: CreateContract, query: {limit: 5}}, then: {answer: 500}}
          - {name: second, when: {call: GetContracts, nth: 2}, then: {answer: 500}}
          - {name: elsewhere, when: {state: away}, then: {answer: 500}}
          - {name: leads there, when: RemoveAccount, then: {state: away}}
          - {name: met, when: {call: GetContracts, nth: 1}, then: {delay: 1s}}
    """)
    request = Request("GET", "/v1/contracts", "chainId=80002", {"x-a": "c"})
    missed = {
        miss.rule: miss.missed for miss in near_misses(project, routes.by_operation["GetContracts"], request)
    }
    assert missed == {
        "two things wrong": (
            "the header x-a is 'c'; expected a match for 'b'",
            "limit in the query is missing; expected '5'",
        ),
        "another call": ("the call is GetContracts, not CreateContract",),
        "second": ("it would be call number 1 of its kind, which the rule's nth leaves out",),
        "elsewhere": ("the state is start, not away",),
    }
    assert list(missed)[-1] == "two things wrong"
    api.get("/v1/contracts")
    missed = {
        miss.rule: miss.missed for miss in near_misses(project, routes.by_operation["GetContracts"], request)
    }
    assert "second" not in missed
    assert missed["met"] == ("it would be call number 2 of its kind, which the rule's nth leaves out",)


def test_near_misses_say_what_a_test_wants_in_words(load: Load, project: Project, routes: Routes) -> None:
    load("""
        rules:
          - name: all of it
            when:
              call: GetContracts
              headers:
                x-a: {contains: b, present: true}
                x-b: {present: false}
            then: {answer: 500}
    """)
    request = Request("GET", "/v1/contracts", "", {"x-a": "c", "x-b": "d"})
    (miss,) = near_misses(project, routes.by_operation["GetContracts"], request)
    assert miss.missed == (
        "the header x-a is 'c'; expected something with 'b' and it to be there",
        "the header x-b is 'd'; expected it not to be there",
    )


def test_a_query_that_cannot_be_read_has_no_members(routes: Routes) -> None:
    rule = when("query: {limit: {present: false}}", routes)
    assert meets(rule, seen(routes, query="&".join(f"limit={number}" for number in range(1_001))))
