"""Which calls a rule is about."""

import json
from textwrap import dedent, indent
from typing import Any

from httpx import Client

from mockserver.api.access import Scheme
from mockserver.api.call import Identified, Request
from mockserver.api.endpoint import Endpoint, Routes
from mockserver.scenario.checking.load import read
from mockserver.scenario.grammar.schema import LoadedRule
from mockserver.scenario.grammar.then import Actions
from mockserver.scenario.grammar.when import When, operations_of
from mockserver.scenario.running.matching import NearMiss, near_misses
from mockserver.scenario.running.matching import meets as meets_rule
from mockserver.scenario.running.request_view import RequestView
from mockserver.state.project import Project
from mockserver.state.world import World
from tests.scenario.conftest import Load
from tests.tables import cases


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
    project = World().create()
    project.scenario_state = state
    request = Request(method, path, query, sent, body.encode())
    return RequestView(routes, endpoint, request, Identified(project, Scheme.SECRET_KEY, frozenset()))


def meets(when: When, view: RequestView) -> bool:
    """Whether a call is one that a rule is about."""
    return meets_rule(LoadedRule("rule", "rule", when, Actions(), "", 0, False), view)


def missed_by(project: Project, routes: Routes, operation: str, request: Request) -> list[NearMiss]:
    """The rules that a call with the project's secret key nearly meets."""
    identified = Identified(project, Scheme.SECRET_KEY, frozenset())
    return near_misses(RequestView(routes, routes.by_operation[operation], request, identified))


@cases(
    "pattern, call, fits",
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
)
def test_a_call_is_named_or_given_by_its_path(pattern: str, call: str, fits: bool, routes: Routes) -> None:
    assert meets(when(f"call: {pattern}", routes), seen(routes, call)) is fits


@cases(
    "test, body, fits",
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
    ("{a: {one_of: [1, x]}}", '{"a": "x"}', True),
    ("{a: {one_of: [1, x]}}", '{"a": "1"}', False),
    ("{a: {subset: {b: 1, c: {d: 2}}}}", '{"a": {"b": 1, "c": {"d": 2, "e": 3}}}', True),
    ("{a: {subset: {b: 1, c: {d: 2}}}}", '{"a": {"b": 1, "c": {"e": 3}}}', False),
    ("{a: {subset: [{b: 1}, {b: 3}]}}", '{"a": [{"b": 1, "c": 0}, {"b": 2}, {"b": 3}]}', True),
    ("{a: {subset: [{b: 3}, {b: 1}]}}", '{"a": [{"b": 1}, {"b": 2}, {"b": 3}]}', False),
    ("{'': {subset: {a: 1}}}", '{"a": 1, "b": 2}', True),
    ("{/a/0/b~1c: x}", '{"a": [{"b/c": "x"}]}', True),
    ("{/a/b.c: x}", '{"a": {"b.c": "x"}}', True),
    ("{/a/1: x}", '{"a": ["x"]}', False),
    ("{a: {length: 2}}", '{"a": [1, 2]}', True),
    ("{a: {length: {at_least: 3}}}", '{"a": [1, 2]}', False),
    ("{a: {length: 3}}", '{"a": "abc"}', True),
    ("{a: {any: 2}}", '{"a": [1, 2]}', True),
    ("{a: {any: {matches: '^b'}}}", '{"a": ["abc", "xyz"]}', False),
    (
        "{a: {any: {has: {to: x, value: {above: 5}}}}}",
        '{"a": [{"to": "x"}, {"to": "x", "value": "6"}]}',
        True,
    ),
    ("{a: {any: {has: {to: x, value: {above: 5}}}}}", '{"a": [{"to": "x"}, {"to": "y", "value": 6}]}', False),
    ("{a: {each: {has: {value: {present: false}}}}}", '{"a": [{"to": "x"}, {}]}', True),
    ("{a: {each: {above: 0}}}", '{"a": [1, 0]}', False),
    ("{a: {each: {above: 0}}}", '{"a": []}', True),
    ("{a: {each: {above: 0}}}", '{"a": 1}', False),
    ("{a: {above: 99999999999999999999}}", '{"a": "100000000000000000000"}', True),
    ("{a: {at_most: 5, at_least: 5}}", '{"a": 5}', True),
    ("{a: {below: 5}}", '{"a": "five"}', False),
    ("{a: {below: 5}}", '{"a": true}', False),
    ("{a: {below: 0.5}}", '{"a": 0.25}', True),
)
def test_a_body_is_compared_as_json(test: str, body: str, fits: bool, routes: Routes) -> None:
    assert meets(when(f"body: {test}", routes), seen(routes, body=body)) is fits


def test_a_hanging_pattern_answers_at_once(routes: Routes) -> None:
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


def test_a_path_near_many_wildcards_is_compared_at_once(routes: Routes) -> None:
    rule = when(f"call: 'GET /v1/contracts/{'*a' * 200}*b'", routes)
    assert not meets(rule, seen(routes, f"GET /v1/contracts/{'a' * 50_000}"))
    assert meets(rule, seen(routes, f"GET /v1/contracts/{'a' * 50_000}b"))


def test_a_form_is_compared_as_text(routes: Routes) -> None:
    form = {"content_type": "application/x-www-form-urlencoded"}
    rule = when("body: {chainId: 80002, 'strategy.sponsorSchema': {contains: pay}}", routes)
    assert meets(rule, seen(routes, body="chainId=80002&strategy[sponsorSchema]=pay_for_user", **form))
    assert not meets(rule, seen(routes, body="chainId=1&strategy[sponsorSchema]=pay_for_user", **form))


def test_headers_are_compared_whatever_the_case_of_names(routes: Routes) -> None:
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


@cases("name", "expand", "expand[]", "expand[0]")
@cases("sent", "expand", "expand[]", "expand[0]", "expand%5B0%5D")
def test_a_query_member_is_the_same_however_it_repeats(name: str, sent: str, routes: Routes) -> None:
    assert meets(when(f"query: {{'{name}': calls}}", routes), seen(routes, query=f"{sent}=calls"))


def test_a_state_is_one_of_those_named(routes: Routes) -> None:
    assert meets(when("state: start", routes), seen(routes))
    assert not meets(when("state: start", routes), seen(routes, state="later"))


def test_near_misses_say_what_a_call_lacks(load: Load, api: Client, project: Project, routes: Routes) -> None:
    load("""
        name: story
        rules:
          - name: two things wrong
            when: {call: GetContracts, query: {limit: 5}, headers: {x-a: {matches: b}}}
            then: {answer: 500}
          - name: another call
            when: {call: CreateContract, query: {chainId: {present: true}}}
            then: {answer: 500}
          - {name: by header, when: {call: CreateContract, headers: {x-a: c}}, then: {answer: 500}}
          - {name: far off, when: {call: CreateContract, query: {limit: 5}}, then: {answer: 500}}
          - {name: second, when: {call: GetContracts, nth: 2}, then: {answer: 500}}
          - {name: elsewhere, when: {state: away}, then: {answer: 500}}
          - {name: leads there, when: RemoveAccount, then: {state: away}}
          - {name: met, when: {call: GetContracts, nth: 1}, then: {delay: 1s}}
    """)
    request = Request("GET", "/v1/contracts", "chainId=80002", {"x-a": "c"})
    missed = {miss.rule: miss.missed for miss in missed_by(project, routes, "GetContracts", request)}
    assert missed == {
        "two things wrong": (
            "the header x-a is 'c'; expected a match for 'b'",
            "limit in the query is missing; expected 5",
        ),
        "another call": ("the call is GetContracts, not CreateContract",),
        "by header": ("the call is GetContracts, not CreateContract",),
        "second": ("it would be call number 1 of its kind, which the rule's nth leaves out",),
        "elsewhere": ("the state is start, not away",),
    }
    assert list(missed)[-1] == "two things wrong"
    api.get("/v1/contracts")
    missed = {miss.rule: miss.missed for miss in missed_by(project, routes, "GetContracts", request)}
    assert "second" not in missed
    assert missed["met"] == (
        "it would be call number 2 of its kind, which the rule's nth leaves out, and is over",
    )


def test_near_misses_show_numbers_as_numbers(load: Load, project: Project, routes: Routes) -> None:
    load("""
        rules:
          - name: all of it
            when:
              call: CreateContract
              query: {a: 5}
              body: {chainId: 1, publicVerification: true, name: "5", abi: {subset: [{type: event}]}}
            then: {answer: 500}
    """)
    body = b'{"chainId": 80002, "publicVerification": "true", "name": 5, "abi": []}'
    request = Request("POST", "/v1/contracts", "a=9", {"content-type": "application/json"}, body)
    (miss,) = missed_by(project, routes, "CreateContract", request)
    assert miss.missed == (
        "a in the query is 9; expected 5",
        "chainId in the body is 80002; expected 1",
        "publicVerification in the body is 'true'; expected true",
        "name in the body is 5; expected '5'",
        'abi in the body is []; expected at least [{"type":"event"}]',
    )


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
    (miss,) = missed_by(project, routes, "GetContracts", request)
    assert miss.missed == (
        "the header x-a is 'c'; expected something with 'b' and it to be there",
        "the header x-b is 'd'; expected it not to be there",
    )


def test_a_query_that_cannot_be_read_has_no_members(routes: Routes) -> None:
    rule = when("query: {limit: {present: false}}", routes)
    assert meets(rule, seen(routes, query="&".join(f"limit={number}" for number in range(1_001))))


@cases(
    "condition, fits",
    ("any: [GetContracts, {query: {limit: 5}}]", True),
    ("any: [GetContracts, {query: {limit: 6}}]", False),
    ("any: CreateContract", True),
    ("all: [CreateContract, {query: {limit: 5}}]", True),
    ("all: [CreateContract, {query: {limit: 6}}]", False),
    ("not: GetContracts", True),
    ("not: {call: CreateContract, query: {limit: 5}}", False),
    ("not: {any: [GetContracts, {not: {query: {limit: 5}}}]}", True),
    ("{call: CreateContract, not: {state: start}}", False),
)
def test_conditions_combine(condition: str, fits: bool, routes: Routes) -> None:
    assert meets(when(condition, routes), seen(routes, query="limit=5")) is fits


@cases(
    "condition, operations",
    ("GetContract", {"GetContract"}),
    ("{state: start}", None),
    ("{call: [GetContract, GetContracts]}", {"GetContract", "GetContracts"}),
    ("{any: [{call: GetContract}, {call: GetContracts}]}", {"GetContract", "GetContracts"}),
    ("{any: [{call: GetContract}, {state: start}]}", None),
    ("{all: [{call: GetContract}, {state: start}]}", {"GetContract"}),
    (
        "{call: [GetContract, GetContracts], any: [GetContracts, {call: GetContracts, state: start}]}",
        {"GetContracts"},
    ),
    ("{all: [{call: GetContract}, {call: GetContracts}]}", set()),
    ("{call: GetContract, not: {call: GetContracts}}", {"GetContract"}),
)
def test_only_these_operations_are_compared(condition: str, operations: Any, routes: Routes) -> None:
    assert operations_of(when(condition, routes)) == operations


def test_a_rule_may_be_about_a_span_of_the_clock(load: Load, api: Client, project: Project) -> None:
    loaded_ms = project.clock.now_ms
    load("rules: [{when: {clock: {after: 10s, before: 20s}}, then: {answer: 503}}]")
    statuses = []
    for span_s in (0, 9.999, 10, 19.999, 20):
        project.clock.move_to(loaded_ms + int(span_s * 1000))
        statuses.append(api.get("/v1/contracts").status_code)
    assert statuses == [200, 200, 503, 503, 200]


def test_a_rule_may_be_about_times(load: Load, api: Client, project: Project) -> None:
    load("rules: [{when: {clock: {after: 2030-01-01T00:00:00Z}}, then: {answer: 503}}]")
    assert api.get("/v1/contracts").status_code == 200
    project.clock.move_to(1_893_456_000_000)
    assert api.get("/v1/contracts").status_code == 503


def test_a_rule_may_be_about_a_caller(load: Load, api: Client, project: Project) -> None:
    load("""
        keys: [{key: sk_test_reader, scopes: [contracts:read]}]
        given:
          - call: signUpEmail
            headers: {x-project-key: "${project.publishable_key}"}
            body: {name: Ada, email: ada@example.com, password: correct horse}
            as: ada
        rules:
          - {when: {caller: {user: "${ada.user.id}"}}, then: {answer: 501}}
          - {when: {caller: {key: publishable}}, then: {answer: 502}}
          - {when: {caller: {scope: contracts:write}}, then: {answer: 503}}
    """)
    token = project.scenarios[next(iter(project.scenarios)).id].captured["ada"]["token"]
    publishable = {"x-project-key": project.publishable_key}

    def status(**headers: str) -> int:
        return api.get("/v2/accounts", headers=headers).status_code

    assert status(authorization=f"Bearer {token}", **publishable) == 501
    assert status(authorization=f"Bearer {project.publishable_key}", **{"x-player-token": token}) == 501
    assert status(authorization=f"Bearer {project.publishable_key}") == 502
    assert status() == 503
    assert status(authorization="Bearer sk_test_reader") == 403


def test_a_rule_may_be_about_an_accounts_balance(load: Load, api: Client, project: Project) -> None:
    load("""
        settings: {starting_balance_wei: 1000}
        given:
          - {call: createBackendWallet, body: {chainType: EVM}, as: wallet}
        rules:
          - when:
              call: CreateTransaction
              resource: {account: {body: accountId}, has: {balance: {below: "5000"}}}
            then: {answer: 402}
    """)
    account_id = next(iter(project.wallets.accounts)).id
    body = {"accountId": account_id, "chainId": 80002, "calls": [{"to": f"0x{1:040x}"}]}
    assert api.post("/v2/transactions", json=body).status_code == 402
    address = next(iter(project.wallets.accounts)).address
    api.put(
        f"/_mock/projects/-/chains/80002/addresses/{address}", json={"balance_wei": "10000000000000000000"}
    )
    assert api.post("/v2/transactions", json=body).status_code == 200


def test_a_rule_may_be_about_the_state_of_the_calls_resource(load: Load, api: Client) -> None:
    created = api.post("/v1/contracts", json={"name": "T", "chainId": 80002, "address": f"0x{1:040x}"}).json()
    load("""
        rules:
          - {when: {call: GetContract, resource: {contract: {path: id}, has: {name: T}}}, then: {answer: 503}}
          - {when: {call: GetContract, resource: {contract: {path: id}, exists: false}}, then: {answer: 410}}
    """)
    assert api.get(f"/v1/contracts/{created['id']}").status_code == 503
    assert api.get("/v1/contracts/con_none").status_code == 410
    api.post(f"/v1/contracts/{created['id']}", json={"name": "U"})
    assert api.get(f"/v1/contracts/{created['id']}").status_code == 200


CHANCE = """
    name: chance
    rules:
      - {when: {call: GetContracts, probability: 0.5}, then: {answer: 503}}
      - {when: {call: GetContracts, probability: 0.5}, then: {answer: 502}}
"""


def test_chance_follows_from_the_seed(load: Load, api: Client, project: Project) -> None:
    load(CHANCE)
    begun = project.snapshot()
    first = [api.get("/v1/contracts").status_code for _ in range(64)]
    assert {200, 502, 503} == {*first}
    assert 16 < first.count(503) < 48
    project.restore(begun)
    again = []
    for number in range(64):
        api.post("/v1/contracts", json={"name": "T", "chainId": 80002, "address": f"0x{number:040x}"})
        again.append(api.get("/v1/contracts").status_code)
    assert again == first


def test_another_seed_gives_other_chances(load: Load, api: Client, project: Project) -> None:
    load(CHANCE)
    begun = project.snapshot()
    first = [api.get("/v1/contracts").status_code for _ in range(64)]
    circumstances = begun.circumstances._replace(seed="another")
    project.restore(begun._replace(circumstances=circumstances))
    assert [api.get("/v1/contracts").status_code for _ in range(64)] != first


def test_near_misses_tell_every_matcher(load: Load, api: Client, project: Project, routes: Routes) -> None:
    load("""
        clock: 2026-06-01T00:00:00Z
        rules:
          - name: clock
            when: {call: GetContracts, clock: {before: 2026-05-01T00:00:00Z}}
            then: {answer: 500}
          - name: caller
            when: {call: GetContracts, caller: {key: publishable, user: usr_1}}
            then: {answer: 500}
          - {name: gone, when: {call: GetContracts, resource: {user: usr_1}}, then: {answer: 500}}
          - {name: any, when: {any: [{query: {a: 1}}, CreateContract]}, then: {answer: 500}}
          - {name: all, when: {call: GetContracts, all: {query: {a: 1}}}, then: {answer: 500}}
          - {name: not, when: {call: GetContracts, not: {query: {limit: 5}}}, then: {answer: 500}}
          - {name: chance, when: {call: GetContracts, probability: 0.000001}, then: {answer: 500}}
          - {name: spent, when: GetContracts, then: {fault: {malformed_json: {times: 1}}}}
    """)
    api.get("/v1/contracts?limit=5")
    request = Request("GET", "/v1/contracts", "limit=5", {})
    missed = {miss.rule: miss.missed for miss in missed_by(project, routes, "GetContracts", request)}
    (chance,) = missed.pop("chance")
    assert chance.startswith("the draw of call number 2 is 0.")
    assert missed == {
        "clock": ("the clock is at 2026-06-01T00:00:00.000Z, not before 2026-05-01T00:00:00Z: it is over",),
        "caller": ("the key is secret, not publishable", "the caller's user is missing; expected 'usr_1'"),
        "gone": ("the user 'usr_1' does not exist",),
        "any": (
            "none of any holds: a in the query is missing; expected 1; "
            "nor: the call is GetContracts, not CreateContract",
        ),
        "all": ("one of all does not hold: a in the query is missing; expected 1",),
        "not": ("what the rule's not describes holds",),
        "spent": ("its fault has happened 1 times, and is over",),
    }


def test_near_misses_tell_an_ended_fault(load: Load, api: Client, project: Project, routes: Routes) -> None:
    load("""
        rules:
          - {name: a, when: {headers: {x-a: a}}, then: {fault: {server_error: {times: 2}}}}
          - {name: b, when: {headers: {x-a: b}}, then: {fault: {server_error: {attempts: 1}}}}
          - {name: c, when: {headers: {x-a: c}}, then: {fault: {server_error: {window: 10s}}}}
    """)

    def missed(name: str) -> tuple[str, ...]:
        request = Request("GET", "/v1/contracts", "", {"x-a": name})
        found = {miss.rule: miss.missed for miss in missed_by(project, routes, "GetContracts", request)}
        return found.get(name, ())

    def call(name: str) -> int:
        return api.get("/v1/contracts", headers={"x-a": name}).status_code

    assert [missed(name) for name in "abc"] == [(), (), ()]
    assert [call(name) for name in "abc"] == [503, 503, 503]
    assert [missed(name) for name in "abc"] == [
        (),
        ("its fault has met 1 attempts of this request, and is over",),
        (),
    ]
    assert call("a") == 503
    assert missed("a") == ("its fault has happened 2 times, and is over",)
    project.clock.move_to(project.clock.now_ms + 9_999)
    assert missed("c") == ()
    project.clock.move_to(project.clock.now_ms + 1)
    assert missed("c") == ("its fault began at 2026-01-01T00:00:00.000Z, and its window is over",)


@cases(
    "nth, over",
    ("{from: 2, to: 3}", {1: "", 4: ", and is over"}),
    ("[1, 3]", {2: "", 4: ", and is over"}),
    ("{from: 2, every: 2}", {1: "", 3: "", 5: ""}),
)
def test_near_misses_say_that_no_further_call_is_meant(
    load: Load, api: Client, project: Project, routes: Routes, nth: str, over: dict[int, str]
) -> None:
    load(f"rules: [{{when: {{call: GetContracts, nth: {nth}}}, then: {{answer: 503}}}}]")
    found = {}
    for number in range(1, 6):
        request = Request("GET", "/v1/contracts", "", {})
        for miss in missed_by(project, routes, "GetContracts", request):
            (found[number],) = miss.missed
        assert (api.get("/v1/contracts").status_code == 503) is (number not in found)
    left_out = "it would be call number {} of its kind, which the rule's nth leaves out{}"
    assert {number: found[number] for number in over} == {
        number: left_out.format(number, said) for number, said in over.items()
    }


def test_near_misses_tell_what_is_lacking(load: Load, api: Client, project: Project, routes: Routes) -> None:
    created = api.post("/v1/contracts", json={"name": "T", "chainId": 80002, "address": f"0x{1:040x}"}).json()
    contract = "contract: {path: id}"
    load(f"""
        rules:
          - {{name: other, when: {{resource: {{{contract}, has: {{name: U}}}}}}, then: {{answer: 503}}}}
          - {{name: gone, when: {{resource: {{{contract}, exists: false}}}}, then: {{answer: 503}}}}
          - {{name: fits, when: {{resource: {{{contract}, has: {{name: T}}}}}}, then: {{answer: 503}}}}
          - {{name: unnamed, when: {{resource: {{user: {{query: user}}}}}}, then: {{answer: 503}}}}
    """)
    path = f"/v1/contracts/{created['id']}"
    request = Request("GET", path, "", {})
    missed = {miss.rule: miss.missed for miss in missed_by(project, routes, "GetContract", request)}
    assert missed == {
        "other": (f"name of the contract '{created['id']}' is 'T'; expected 'U'",),
        "gone": (f"the contract '{created['id']}' exists",),
        "unnamed": ("the user in user of the query does not exist",),
    }


@cases(
    "chain_type, chain, status",
    ("EVM", "'80002'", 402),
    ("EVM", "amoy", 404),
    ("EVM", "{query: chain}", 404),
    ("SVM", "'80002'", 404),
)
def test_an_account_has_a_balance_only_where_it_has_an_address(
    load: Load, api: Client, chain_type: str, chain: str, status: int
) -> None:
    load(f"""
        given:
          - {{call: createBackendWallet, body: {{chainType: {chain_type}}}, as: wallet}}
        rules:
          - when:
              call: GetContract
              resource: {{account: "${{wallet.id}}", chain: {chain}, has: {{balance: {{present: true}}}}}}
            then: {{answer: 402}}
    """)
    assert api.get("/v1/contracts/con_none").status_code == status
