"""Reading scenarios: what is wrong, and where."""

import copy
from pathlib import Path
from textwrap import dedent
from typing import Any, NamedTuple

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mockserver.api.endpoint import Routes
from mockserver.scenario.checking.load import read
from mockserver.scenario.grammar.then import put_in_order
from mockserver.scenario.grammar.timed import ClockDelay
from mockserver.scenario.reading.bounds import Bounds
from mockserver.scenario.reading.findings import Finding, ScenarioError
from tests.scenario.mutations import EXAMPLES, WORDS, junk, replaced
from tests.tables import cases

MOST_EXPLAINED = 20

MARK = "^^"

CREATE = """\
given:
  - call: CreateContract
    body: {name: T, chainId: 80002, address: "0x5FbDB2315678afecb367f032d93F642f64180aa3"}
    as: token
"""


def findings(text: str, routes: Routes) -> list[Finding]:
    """What is wrong with a scenario that is wrong."""
    with pytest.raises(ScenarioError) as caught:
        read(text, "s.yaml", routes)
    return caught.value.findings


class Mistake(NamedTuple):
    """A scenario with a mark before what is wrong, what is said of it, and the nearest name."""

    marked: str
    message: str
    nearest: str | None = None


def step(call: str, message: str, nearest: str | None = None) -> Mistake:
    return Mistake(f"given:\n  - {call}", message, nearest)


def when(condition: str, message: str, nearest: str | None = None) -> Mistake:
    return Mistake(f"rules:\n  - {{when: {condition}, then: {{delay: 1s}}}}", message, nearest)


def then(actions: str, message: str, nearest: str | None = None) -> Mistake:
    return Mistake(f"rules:\n  - then: {actions}", message, nearest)


# What is wrong is marked with ^^, which is taken out before the text is read.
WRONG_FORM = [
    # The parts of a scenario.
    Mistake("^^- a", "a scenario is a mapping"),
    Mistake("^^{}", "the scenario is empty"),
    Mistake("^^rulez: []", "'rulez' is not part of a scenario", "rules"),
    Mistake("seed: ^^[1]", "seed is text"),
    Mistake("seed: ^^{a: b}", "seed is text"),
    # Clock.
    Mistake("clock: {mode: ^^frozn}", "'frozn' is not a mode", "frozen"),
    Mistake("clock: {mode: ticking, rate: ^^0}", "rate is a number above 0"),
    # Keys.
    Mistake("keys:\n  - ^^{scopes: [contracts:read]}", "a declared key has a key"),
    # Settings.
    Mistake("settings: ^^[1]", "settings is a mapping"),
    Mistake(
        "settings:\n  ^^unknown_chain: refuse", "'unknown_chain' is not part of settings", "unknown_chains"
    ),
    Mistake("settings: {unknown_chains: ^^deny}", "'accept' or 'refuse'"),
    Mistake("settings: {require_https: ^^yes}", "valid boolean"),
    Mistake("settings: {one_time_code: ^^123456}", "valid string"),
    Mistake("settings: {password_min_length: ^^0}", "greater than or equal to 1"),
    Mistake(
        "settings: {chains: {80002: {base_fee: ^^1}}}",
        "chains.80002.base_fee: is not a member of chains (did you mean base_fee_wei?)",
    ),
    # Given.
    step("call: ^^CreateContrac", "'CreateContrac' is not an operation", "CreateContract"),
    Mistake("given: ^^'${project.id}'", "given is a list"),
    then("^^null", "then is a mapping of"),
    Mistake("keys: [^^null]", "key is text"),
    step("call: ^^5", "'5' is not an operation"),
    step("^^body: {}", "a step has a call"),
    step("{call: GetContracts, query: ^^5}", "query is"),
    # When.
    when("{call: CreateContract, body: {name: ^^{}}}", "a test has at least one of"),
    when("{nth: ^^{}}", "nth is a number, a list of numbers, or"),
    Mistake(
        "rules:\n  - then: {delay: 1s}\n    when: ^^GetContrats",
        "'GetContrats' is not an operation",
        "GetContracts",
    ),
    Mistake("rules:\n  - {when: {^^position: a}, then: {state: a}}", "'position' is not part of when"),
    Mistake("rules: ^^null", "rules is null; leave it out"),
    when("^^null", "when is null; leave it out"),
    when("{^^cal: X}", "'cal' is not part of when", "call"),
    when("^^{}", "when says nothing"),
    when("{nth: ^^0}", "nth is a whole number from 1"),
    when("{nth: ^^[]}", "nth is an empty list"),
    when("{body: {a: {^^match: x}}}", "'match' is not part of a test", "matches"),
    when("{body: {a: {present: ^^1}}}", "present is true or false"),
    when("{probability: ^^0}", "probability is a number above 0"),
    when("{caller: {key: ^^secrt}}", "key is secret or publishable"),
    when("{resource: {account: {body: ^^[accountId]}}}", "is text"),
    when("{resource: {user: a, exists: ^^{a: 1}}}", "exists is true or false, not a mapping"),
    when("{any: [{^^cal: X}]}", "'cal' is not part of a condition", "call"),
    when("{any: ^^[]}", "any is an empty list"),
    # Then.
    Mistake("rules:\n  - ^^when: GetContracts", "a rule has a then"),
    then("^^{}", "then says nothing"),
    then("{^^dely: 1s}", "'dely' is not part of then", "delay"),
    then("{delay: ^^5}", "delay is a time span"),
    then("{delay: {real: ^^5}}", "real is a time span"),
    then("{delay: {real: 5s, ^^clock: 1s}}", "'clock' is not part of a delay"),
    then("^^[]", "then is an empty list"),
    then("[{^^dely: 1s}]", "'dely' is not part of then", "delay"),
    then("[{delay: 1s, ^^state: up}]", "an entry of a list is one action"),
    then("{^^effect: done}", "effect stands in a list of actions"),
    then("[{effect: ^^none}]", "effect is done"),
    then("{limit: {count: 1, per: 1s, by: ^^ip}}", "by is one of project"),
    then("{limit: {count: 1, per: 1s, kind: ^^leaky}}", "kind is one of fixed_window"),
    then("{fault: {wrong_content_length: {by: ^^'5'}}}", "by is a whole number"),
    then("{fault: {wrong_content_length: {by: ^^1.5}}}", "by is a whole number"),
    then("{error: ^^{message: x}}", "an error has a code"),
    then("{limit: ^^{count: 3}}", "a limit has a per"),
    then("{limit: {count: ^^-1, per: 1s}}", "count is a whole number"),
    then("{answer: ^^99}", "status is a whole number from 200 to 599"),
    then("{patch: ^^text}", "patch is a mapping"),
    then("{fate: ^^revert}", "'revert' is not an outcome", "reverted"),
    then("{fate: {outcome: reverted, ^^reson: x}}", "not an option of reverted", "reason"),
    then("{fate: {outcome: failed, code: ^^AA99999}}", "'AA99999' is not an error", "AA99"),
    then("{fate: {outcome: dropped, ^^count: 2}}", "not part of this fate"),
    then("{fate: ^^{reason: x}}", "a fate has an outcome"),
    Mistake("fates:\n  - ^^{count: 2}", "a fate has an outcome"),
    Mistake("fates:\n  - {outcome: dropped, after: ^^soon}", "after is a time span"),
    Mistake("fates:\n  - {outcome: dropped, ^^after_ms: 5}", "not part of this fate", "after"),
    Mistake("fates:\n  - {outcome: never_mined, ^^after: 5s}", "'after' is not an option of never_mined"),
    Mistake(
        "fates:\n  - {outcome: dropped, count: ^^0}", "count: Input should be greater than or equal to 1"
    ),
    Mistake(
        "fates:\n  - {outcome: confirmed, kind: ^^solana}", "'solana' is not a kind", "solana_transaction"
    ),
]
"""What the JSON Schema takes no more than the reader does."""

WRONG_MEANING = [
    # The parts of a scenario.
    Mistake("name: ^^|\n  two\n  lines", "one line"),
    Mistake("name: ^^''", "name is empty"),
    # Clock.
    Mistake("clock: ^^tickling", "'tickling' is not the clock", "ticking"),
    Mistake("clock: ^^2026-02-30T00:00:00Z", "'2026-02-30T00:00:00Z' is not the clock"),
    Mistake("clock: ^^1969-12-31T23:59:59Z", "before 1970"),
    Mistake("clock: ^^9999-12-31T23:59:59-01:00", "after 9999"),
    Mistake("clock: {rate: ^^2}", "a frozen clock has no rate"),
    # Keys.
    Mistake("keys:\n  - ^^sk_prod_x", "a key is of the form"),
    Mistake(
        "keys:\n  - {key: sk_test_x, scopes: [^^contract:read]}",
        "'contract:read' is not a scope",
        "contracts:read",
    ),
    Mistake("keys:\n  - {key: pk_test_x, scopes: ^^[contracts:read]}", "a publishable key has no scopes"),
    Mistake("keys:\n  - sk_live_x\n  - ^^sk_live_x", "declared twice, first in line 2"),
    Mistake("keys:\n  - {key: sk_test_x, scopes: ^^[]}", "without scopes a key may do everything"),
    # Settings.
    Mistake("settings: {chains: {amoy: ^^{}}}", "chains.amoy: is not a chain id"),
    # Given.
    step("call: ^^POST /v1/contract", "not a method and path of the API", "POST /v1/contracts"),
    Mistake(CREATE.replace("name: T,", "name: T, ^^abbi: [],"), "'abbi' is not part of this body", "abi"),
    step(
        "{call: CreateTransaction, body: {chainId: 1, accountId: acc_1, calls: [{^^valu: x}]}}",
        "'valu' is not part of this body",
        "value",
    ),
    step("call: ^^GetContract", "needs a value: path: {id: ...}"),
    step("{call: GetContract, path: {^^ID: x, id: y}}", "'ID' is not part of the path", "id"),
    step("{call: GetContracts, body: ^^{}}", "GetContracts takes no body"),
    step("{call: GetContracts, query: {limit: ^^x}}", "limit: "),
    Mistake(
        "given:\n  - call: CreateContract\n    body: {name: T, address: '${project.id}', chainId: ^^many}",
        "chainId: ",
    ),
    Mistake(
        CREATE + "  - {call: GetContract, path: {id: ^^'${tokn.id}'}}", "'tokn' is not captured", "token"
    ),
    Mistake(
        CREATE + "  - {call: GetContract, path: {id: ^^'${project.key}'}}",
        "'project.key' is not one of",
        "project.id",
    ),
    Mistake(
        CREATE + "  - {call: GetContract, path: {id: ^^'${project.id.a}'}}", "is not one of", "project.id"
    ),
    Mistake(CREATE + "  - {call: GetContract, path: {id: ^^'${token..id}'}}", "not of the form name.member"),
    Mistake(CREATE + "  - {call: GetContracts, as: ^^token}", "the name 'token' is taken"),
    step("{call: GetContracts, as: ^^1st}", "'1st' is no name"),
    step("{call: GetContracts, as: ^^project}", "the name 'project' is taken"),
    step("{call: GetContract, path: {id: x}, query: ^^{a: 1}}", "GetContract takes no query"),
    step(
        "{call: CreateTransaction, body: {chainId: 1, accountId: acc_1, calls: [{to: ^^{}}]}}",
        "calls[0].to: ",
    ),
    step("{call: CreateTransaction, body: {chainId: 1, accountId: acc_1, calls: [^^5]}}", "calls[0]"),
    step("{call: CreateContract, body: ^^5}", "should be an object"),
    step('{call: GetAccount, path: {id: ^^""}}', "id is empty"),
    # When.
    when(
        f"{{body: {{a: {{matches: ^^{'a' * 501}}}}}}}",
        f"the pattern '{'a' * 117}...' has 501 characters; 500 are allowed",
    ),
    when("^^GET /v1/contract", "that any operation has", "GET /v1/contracts"),
    step("{call: GetContracts, query: {^^nam: x}}", "'nam' is not part of this query", "name"),
    when(
        "{call: CreateContract, body: {^^chanId: 80002}}",
        "'chanId' is not part of a body of CreateContract",
        "chainId",
    ),
    when(
        "{call: [CreateTransaction, GetContracts], body: {'calls[0].to': x, ^^'calls[0].tu': x}}",
        "'calls[0].tu' is not part of a body of CreateTransaction or GetContracts",
        "calls[0].to",
    ),
    when(
        "{call: CreatePlayer, body: {metadata.a: 1, ^^metadat.a: 1}}",
        "'metadat.a' is not part of a body of CreatePlayer",
        "metadata.a",
    ),
    when("^^GETS /v1/contracts", "'GETS' is not a method", "GET"),
    Mistake("rules:\n  - {name: ^^null, then: {delay: 1s}}", "name is null; leave it out"),
    when("{nth: {from: 3, to: ^^2}}", "no call comes from 3 on"),
    when("{body: {a: {matches: ^^'['}}}", "is not a pattern that RE2 reads: missing ]: ["),
    when("{body: {a: {matches: ^^'a(?=b)'}}}", "is not a pattern that RE2 reads: invalid perl operator"),
    when("{call: ^^GET /v1/con**}", "** stands for whole segments of a path"),
    Mistake("rules:\n  - {when: {state: ^^paid}, then: {state: payed}}", "'paid' is not a state", "payed"),
    when("{call: CreateContract, body: {chainId: ^^'80002'}}", "chainId is a number, not the text '80002'"),
    when("{call: CreateContract, body: {name: {one_of: [a, ^^5]}}}", "name is text, not 5"),
    when(
        "{call: CreateTransaction, body: {^^calls.to: x}}",
        "'calls.to' is not part of a body of CreateTransaction",
        "calls[0].to",
    ),
    when(
        "{call: CreateTransaction, body: {^^/calls/0/tu: x}}",
        "'/calls/0/tu' is not part of a body of CreateTransaction",
        "/calls/0/to",
    ),
    when(
        "{call: CreateTransaction, body: {calls: {any: {has: {^^valu: x}}}}}",
        "'valu' is not part of an entry of calls of a body of CreateTransaction",
        "value",
    ),
    when(
        "{call: CreateTransaction, body: {chainId: {^^length: 1}}}",
        "length is about a list and text; chainId is a number",
    ),
    when(
        "{call: CreateTransaction, not: {body: {^^chanId: 1}}}",
        "'chanId' is not part of a body of CreateTransaction",
        "chainId",
    ),
    when("{call: createAccountV2, body: {chainType: ^^EWM}}", "'EWM' is not a value of chainType", "EVM"),
    when("{caller: {scope: ^^contract:write}}", "'contract:write' is not a scope", "contracts:write"),
    when("{clock: {after: 2m, before: ^^1m}}", "no time is after 2m"),
    when("{clock: {after: ^^soon}}", "'soon' is not a time span"),
    when(
        "{resource: {transaction: x, has: {^^statu: sent}}}",
        "'statu' is not part of the answer of GetTransaction",
        "status",
    ),
    when("{resource: {transaction: x, has: {status: ^^sennt}}}", "'sennt' is not a value of status", "sent"),
    when("{resource: ^^{has: {a: 1}}}", "a resource has one of"),
    when("{resource: {user: a, ^^account: b}}", "user and account exclude each other"),
    when("{resource: {user: {query: a, ^^text: b}}}", "query and text exclude each other"),
    when("{resource: {user: a, exists: false, has: ^^{a: 1}}}", "what must not be there has no members"),
    Mistake(
        "rules:\n  - {when: {not: {state: ^^paid}}, then: {state: payed}}", "'paid' is not a state", "payed"
    ),
    when("{body: {a: {above: 3, below: ^^3}}}", "no number is above 3 and below 3"),
    # Then.
    then("{clock: ^^5m}", "'5m' is not a span such as +5m, or a time"),
    then("{clock: ^^+5}", "clock is a time span"),
    then("[{answer: 503}, {^^limit: sign_in}]", "answer and limit exclude each other"),
    then("[{answer: 503}, {^^answer: 503}]", "answer is there already"),
    then("[{answer: 503}, {^^effect: done}]", "which answer prevents"),
    then("[{^^effect: done}, {fault: timeout}]", "a fault without effect prevents"),
    then("{outbox: ^^{to: a@b.co}}", "a message has a text, a code or a url"),
    then("{outbox: {to: '+15550100', text: x, ^^subject: x}}", "a text message has no"),
    then("{limit: ^^sign_inn}", "'sign_inn' is not a rate limit with a name", "sign_in"),
    then(
        "{limit: {count: ^^10001, per: 1s, kind: sliding_window}}",
        "a sliding window counts at most 10,000 calls",
    ),
    then("{delay: ^^0ms}", "at least 1ms"),
    then("{delay: ^^8785h}", "at most 366d"),
    then("{error: ^^contract_not_fund}", "not the code of an error", "contract_not_found"),
    then("{error: ^^not-ready}", "not the code of an error"),
    then("{answer: {status: 204, ^^body: x}}", "has no body"),
    then("{answer: {status: 205, ^^body: x}}", "has no body"),
    then("{answer: {status: 304, ^^body: null}}", "has no body"),
    then("{answer: 204, ^^fault: malformed_json}", "which an answer with the status 204 does not"),
    then("[answer: {status: 304}, ^^fault: {truncate_body: {}}]", "this fault is about a body"),
    then("{answer: {headers: {^^content-length: 1}}}", "the server itself sets"),
    then('{answer: {headers: {a: ^^"b\\r\\nc: d"}}}', "printable ASCII"),
    then("{answer: {headers: {^^'a b': c}}}", "'a b' is not the name of a header"),
    then("{answer: 500, ^^error: rate_limited}", "answer and error exclude"),
    then("{answer: 500, ^^patch: {}}", "patch is about the real answer"),
    Mistake("rules:\n  - {when: GetContract, then: {^^fate: dropped}}", "calls of GetContract create none"),
    Mistake("rules:\n  - {when: GET /v2/**, then: [{^^fate: dropped}]}", "these calls create none"),
    Mistake("rules:\n  - {when: Signature, then: {^^fate: dropped}}", "calls of Signature create none"),
    Mistake("rules:\n  - {when: CreateTransaction, then: {^^fate: confirmed}}", "no call creates a Solana"),
    Mistake("fates:\n  - ^^{outcome: failed, reason: x, code: AA21}", "a failure has one of reason and code"),
    Mistake("fates:\n  - {outcome: reverted, error: A(uint8), args: [^^256]}", "256 is out of range"),
]


@cases("marked, message, nearest", *WRONG_FORM, *WRONG_MEANING)
def test_what_is_wrong_is_named_with_place_and_nearest_name(
    marked: str, message: str, nearest: str | None, routes: Routes
) -> None:
    before = marked.partition(MARK)[0]
    found = findings(marked.replace(MARK, ""), routes)
    place = (before.count("\n") + 1, len(before) - before.rfind("\n"))
    assert [(f.source, f.line, f.column) for f in found] == [("s.yaml", *place)], found
    assert message in found[0].message
    assert found[0].nearest == nearest


def test_the_control_api_is_out_of_reach(routes: Routes) -> None:
    text = dedent("""\
        given:
          - call: GET /_mock/health
        rules:
          - {when: ListSnapshots, then: {delay: 1s}}
          - {when: DELETE /_mock/**, then: {delay: 1s}}
    """)
    assert [(f.line, f.column) for f in findings(text, routes)] == [(2, 11), (4, 12), (5, 12)]


def test_everything_that_is_wrong_is_found_at_once(routes: Routes) -> None:
    text = dedent("""\
        clock: later
        seeds: 1
        given:
          - call: CreateContrac
        rules:
          - when: {nth: 0, hedaers: {}}
            then: {error: nope, delay: soon}
    """)
    with pytest.raises(ScenarioError) as caught:
        read(text, "dir/s.yaml", routes)
    assert [(f.line, f.column) for f in caught.value.findings] == [
        (1, 8), (2, 1), (4, 11), (6, 17), (6, 20), (7, 19), (7, 32),
    ]  # fmt: skip
    lines = str(caught.value).splitlines()
    assert len(lines) == 7
    assert lines[1] == "dir/s.yaml:2:1: 'seeds' is not part of a scenario (did you mean seed?)"


def test_a_missing_member_of_a_body_is_found_at_the_body(routes: Routes) -> None:
    found = findings("given:\n  - call: CreateContract\n    body: {name: T}\n", routes)
    assert {f.message.partition(":")[0] for f in found} == {"chainId", "address"}
    assert {(f.line, f.column) for f in found} == {(3, 11)}


@cases(
    "text, place, message",
    ("fates:\n- reverted\n- reverted\n- reverted\n- nonsense\n", (5, 3), "fates has more than 3 entries"),
    ("rules: [{}, {}, {}, x]", (1, 21), "rules has more than 3 entries"),
    ("given:\n- call: X\n- call: X\n- call: X\n", (4, 3), "given has more than 2 steps"),
    (
        "rules: [{when: {any: [{not: [{}, {}]}]}, then: x}, {when: {all: {}}, then: x}]",
        (1, 65),
        "the rules have more than 3 conditions within all, any and not",
    ),
    ("about: [1, 2, {a: 3, b: 4}, 5, 6, 7]", (1, 35), "the scenario has more than 12 values"),
)
def test_what_is_too_large_is_refused_by_its_first_place_beyond(
    text: str, place: tuple[int, int], message: str, routes: Routes
) -> None:
    with pytest.raises(ScenarioError) as caught:
        read(text, "test.yaml", routes, Bounds(values=12 if "about" in text else 50, entries=3, steps=2))
    (found,) = caught.value.findings
    assert ((found.line, found.column), found.message.startswith(message)) == (place, True)


def test_nearest_names_are_looked_for_only_at_first(routes: Routes) -> None:
    found = findings("rules:\n" + "- {when: GetContrac, then: {delay: 1s}}\n" * 30, routes)
    assert {each.nearest for each in found} == {"GetContract"}
    found = findings("".join(f"settin{n}: 1\n" for n in range(150)), routes)
    assert [each.nearest for each in found] == ["settings"] * MOST_EXPLAINED + [None] * (100 - MOST_EXPLAINED)


def test_a_hundred_references_do_not_hide_what_is_wrong(routes: Routes) -> None:
    delays = "- {when: CreateContract, then: {delay: '${project.id}'}}\n" * 150
    (found,) = findings(f"rules:\n{delays}- {{when: GetContrac, then: {{delay: 1s}}}}\n", routes)
    assert (found.line, found.nearest) == (152, "GetContract")


def test_a_key_with_a_slip_is_not_repeated_in_the_finding(routes: Routes) -> None:
    assert "secret" not in str(findings("keys: ['sk_live_secret of a user']\n", routes)[0])


def test_a_reference_may_stand_where_another_type_is_wanted(routes: Routes) -> None:
    text = CREATE + dedent("""\
        fates:
          - {outcome: dropped, chain_id: "${token.chainId}"}
        rules:
          - when: {call: GetContract, nth: "${token.chainId}"}
            then: {delay: 1s}
    """)
    scenario = read(text, "s.yaml", routes)
    assert (scenario.rules, scenario.fates) == ((), ())


@cases("span, span_ms", ("1ms", 1), ("366d", 366 * 86_400_000))
def test_a_delay_may_be_as_short_and_as_long_as_said(span: str, span_ms: int, routes: Routes) -> None:
    (rule,) = read(f"rules:\n  - {{then: {{delay: {span}}}}}\n", "s.yaml", routes).rules
    assert put_in_order(rule.then).after == (ClockDelay(span_ms),)


def test_large_numbers_in_settings_keep_every_digit(routes: Routes) -> None:
    scenario = read("settings: {starting_balance_wei: 123456789012345678901}", "s.yaml", routes)
    assert scenario.settings == {"starting_balance_wei": 123456789012345678901}


@cases("value", '"5000"', "5000")
def test_a_number_of_any_setting_may_be_a_text(value: str, routes: Routes) -> None:
    scenario = read(f"settings: {{link_lifetime_ms: {value}}}", "s.yaml", routes)
    assert scenario.settings == {"link_lifetime_ms": 5000}


def test_a_scenario_is_named_after_its_file_by_default(routes: Routes) -> None:
    assert read("seed: a", "dir/rate-limit.yaml", routes).name == "rate-limit"
    assert read("name: mine\nseed: a", "dir/rate-limit.yaml", routes).name == "mine"


# --- nothing but ScenarioError --------------------------------------------------------------------------


def _places(text: str, routes: Routes) -> list[tuple[int, int]] | None:
    """Where a scenario is wrong, or None when it is right."""
    try:
        read(text, "s.yaml", routes)
    except ScenarioError as error:
        return [(finding.line, finding.column) for finding in error.findings]
    return None


def _all_or_a_scenario_error(text: str, routes: Routes) -> None:
    places = _places(text, routes)
    assert places is None or (places and min(min(places)) >= 1)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.sampled_from(EXAMPLES), st.lists(st.tuples(st.lists(st.integers(0, 9), max_size=7), junk), max_size=3)
)
def test_mutants_raise_nothing_else(routes: Routes, path: Path, changes: list[tuple[list[int], Any]]) -> None:
    tree: Any = yaml.safe_load(path.read_text())
    for steps, value in changes:
        tree = replaced(copy.deepcopy(tree), steps, value)
    _all_or_a_scenario_error(yaml.safe_dump(tree), routes)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.dictionaries(WORDS, junk, max_size=4))
def test_made_up_scenarios_raise_nothing_else(routes: Routes, tree: dict[str, Any]) -> None:
    _all_or_a_scenario_error(yaml.safe_dump(tree), routes)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.sampled_from(EXAMPLES), st.integers(0, 900), st.integers(0, 40), st.text(max_size=5))
def test_damaged_files_raise_nothing_else(routes: Routes, path: Path, at: int, cut: int, put: str) -> None:
    text = path.read_text()
    _all_or_a_scenario_error(text[:at] + put + text[at + cut :], routes)


def test_a_rule_may_ask_for_what_a_body_has_or_lacks(routes: Routes) -> None:
    text = """
rules:
  - when:
      call: CreateTransaction
      body: {"calls[0].functionArgs[1]": "5", unknown: {present: false}}
    then: {answer: 503}
  - when: {call: CreateAuthPlayer, body: {metadata.anything: x}}
    then: {answer: 503}
  - when: {call: "POST /v2/**", body: {whatever: x}}
    then: {answer: 503}
  - when: {body: {whatever: x}}
    then: {answer: 503}
"""
    assert len(read(text, "s.yaml", routes).rules) == 4


def test_the_patterns_of_a_scenario_have_a_limit_together(routes: Routes) -> None:
    rules = [f"  - {{when: {{body: {{a: {{matches: {'a' * 500}}}}}}}, then: {{delay: 1s}}}}\n"] * 11
    read("rules:\n" + "".join(rules[:10]), "s.yaml", routes)
    with pytest.raises(ScenarioError, match=r"patterns of 5,500 characters together; 5,000 are allowed"):
        read("rules:\n" + "".join(rules), "s.yaml", routes)


@cases("text", "!tag {}", "<<: {}", "1: {}")
def test_an_empty_scenario_with_a_mistake_is_not_called_empty(routes: Routes, text: str) -> None:
    (finding,) = findings(text, routes)
    assert "is empty" not in finding.message
