"""The JSON Schema of the grammar."""

import json
from pathlib import Path
from typing import Any

import pytest
from httpx import Client
from jsonschema import Draft202012Validator

from mockserver.api.endpoint import Routes
from mockserver.launch.application import DEFAULT_SCENARIO
from mockserver.scenario.checking.json_schema import scenario_schema, schema_text
from mockserver.scenario.checking.load import read
from mockserver.scenario.reading.compose import parse
from mockserver.scenario.reading.findings import Findings, ScenarioError
from mockserver.server.assembly import ROUTES
from tests.scenario.test_load import MARK, WRONG_FORM
from tests.tables import cases

EXAMPLES = [DEFAULT_SCENARIO, *sorted((Path(__file__).parents[2] / "scenarios").glob("*.yaml"))]


@pytest.fixture(scope="module")
def schema() -> Draft202012Validator:
    """What holds a document against the grammar."""
    return Draft202012Validator(scenario_schema(ROUTES))


def document(text: str) -> Any:
    """The values of a YAML text, as scenarios read it."""
    return parse(text, Findings("test.yaml")).plain()


def test_the_schema_is_valid_json_schema(schema: Draft202012Validator) -> None:
    Draft202012Validator.check_schema(schema.schema)
    assert scenario_schema(ROUTES)["$schema"] == "https://json-schema.org/draft/2020-12/schema"


@cases("path", *EXAMPLES, ids=lambda path: path.name)
def test_every_example_fits_the_schema(path: Path, schema: Draft202012Validator) -> None:
    assert [error.message for error in schema.iter_errors(document(path.read_text()))] == []


@cases(
    "text",
    "clock: {mode: ticking, at: 2026-01-31T12:00:00Z, rate: 60}",
    "keys: [sk_live_x, {key: sk_test_x, scopes: [contracts:read]}]",
    "fates: [dropped, {outcome: reverted, error: A, args: [1], after: 5s, count: all}, expired]",
    "rules: [{when: GetContracts, then: {answer: 503, fate: {outcome: failed, code: AA21}}}]",
    "rules: [{when: {call: [GetContracts, GetContract], nth: [1], state: [a, b]}, then: {state: c}}]",
    "rules: [{when: {nth: '${token.chainId}', body: {a: null, b: {equals: null}}}, then: {delay: 1.5s}}]",
    "rules: [{then: [{delay: {real: 1s}}, {effect: done}, {clock: +5m}, {patch: {a: 1}}]}]",
    "rules: [{then: [{delay: 1s}]}, {then: [{answer: 503}]}]",
    "rules: [{when: {call: [GetContracts], state: [a]}, then: {limit: {preset: sign_in, by: [key]}}}]",
    "rules: [{then: {limit: sign_in}}, {then: {limit: {preset: sign_in, by: [key, user]}}}]",
    "rules: [{then: {outbox: {to: a@b.co, kind: sign-in, subject: x, code: 1, url: x, text: x}}}]",
    "rules: [{then: {error: {code: a, message: b, param: c}}}, {then: {limit: {count: 0, per: 1m}}}]",
    "expect: [{call: CreateFate, body: {a: b}}, {advance: 5s}, {outbox: {to: '${a.b}'}, as: c}]",
    "expect: [{call: GET /v1/contracts, answer: 503, repeat: 2}, {follow: '${a.url}', takes: 1s}]",
    "expect: [{call: Me, raises: ReadError}, {call: Me, answer: {headers: {a: b}, body: {a.b: 5}}}]",
)
def test_short_and_long_forms_fit_the_schema(text: str, schema: Draft202012Validator) -> None:
    assert [error.message for error in schema.iter_errors(document(text))] == []


CAPTURE = "given:\n  - {call: GetContracts, as: seen}\n"


@cases(
    "text",
    "rules: [{then: {delay: '${seen.delay}'}}]",
    "rules: [{then: {limit: {count: '${seen.count}', per: '${seen.per}s'}}}]",
    "rules: [{then: {fate: {outcome: reverted, error: Bad, args: '${seen.args}'}}}]",
    "rules: [{then: {fate: {outcome: dropped, after: '${seen.after}'}}}]",
    "rules: [{then: {fate: {outcome: reorged, reincluded: '${seen.reincluded}'}}}]",
    "rules: [{when: '${seen.when}', then: '${seen.then}'}]",
    "rules: [{when: {call: '${seen.calls}', nth: '${seen.nth}'}, then: {delay: 1s}}]",
    "rules: [{when: {body: '${seen.body}', query: {a: '${seen.query}'}}, then: {delay: 1s}}]",
    "rules: [{when: {nth: ['${seen.nth}']}, then: {answer: {status: '${seen.status}'}}}]",
    "rules: [{then: [{outbox: {to: '${seen.to}', subject: x, code: '${seen.code}'}}, '${seen.action}']}]",
    "rules: [{then: [{clock: '${seen.time}'}, {delay: {real: '${seen.span}'}}]}]",
    "rules: '${seen.rules}'",
    "rules: ['${seen.rule}']",
    "fates: '${seen.fates}'",
    "fates: ['${seen.fate}', {outcome: '${seen.outcome}', count: '${seen.count}'}]",
)
def test_reader_and_schema_agree(text: str, schema: Draft202012Validator, routes: Routes) -> None:
    read(CAPTURE + text, "s.yaml", routes)
    assert [error.message for error in schema.iter_errors(document(CAPTURE + text))] == []


@cases(
    "text",
    "clock: {mode: ticking, rate: '${seen.rate}'}",
    "settings: {rate_limits: '${seen.limits}'}",
    "settings: {chains: '${seen.chains}'}",
    "keys: '${seen.keys}'",
    "given: '${seen.steps}'",
)
def test_wherever_no_reference_may_stand_neither_takes_one(
    text: str, schema: Draft202012Validator, routes: Routes
) -> None:
    with pytest.raises(ScenarioError):
        read(text, "s.yaml", routes)
    assert not schema.is_valid(document(text))


@cases(
    "text",
    *(mistake.marked.replace(MARK, "") for mistake in WRONG_FORM),
    "given:\n  - {call: GetContracts, as: [x]}",
    "given:\n  - {call: ListJournal}",
    "expect:\n  - {call: GetContracts, answr: 503}",
    "expect:\n  - {call: GetContracts, answer: {body: {a: {match: x}}}}",
    "expect:\n  - {call: GetContracts, raises: OSError}",
    "expect:\n  - {advance: 5}",
    "expect:\n  - {outbox: {from: me}}",
    "expect:\n  - {advance: 5s, call: GetContracts}",
    "rules:\n  - then: {limit: {by: key}}",
)
def test_what_has_the_wrong_form_does_not_fit_the_schema(text: str, schema: Draft202012Validator) -> None:
    assert not schema.is_valid(document(text))


def test_the_schema_has_meanings_and_operations() -> None:
    schema = scenario_schema(ROUTES)
    assert schema["properties"]["given"]["description"].startswith("Calls of the API that set the project up")
    assert "CreateContract" in schema["$defs"]["operation"]["enum"]
    assert "ListJournal" not in schema["$defs"]["setup-operation"]["enum"]
    assert "AdvanceClock" in schema["$defs"]["project-operation"]["enum"]


def test_the_schema_is_text_indented_by_two() -> None:
    text = schema_text(ROUTES)
    assert text.startswith('{\n  "$schema": "https://json-schema.org/draft/2020-12/schema",\n  "')
    assert text.endswith("\n}\n")
    assert json.loads(text) == scenario_schema(ROUTES)


def test_the_server_answers_the_schema(api: Client) -> None:
    assert api.get("/_mock/scenario.schema.json").json() == scenario_schema(ROUTES)
