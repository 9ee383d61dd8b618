"""The messages of errors that rules answer."""

import re
from dataclasses import replace

from httpx import Client

from mockserver import errors
from mockserver.api.call import Request
from mockserver.api.endpoint import Routes
from mockserver.api.wire import adapter
from mockserver.scenario.grammar.answers import ErrorSpec, error_codes
from mockserver.scenario.running.error_messages import make_error
from mockserver.state.project import Project
from mockserver.state.world import World
from tests.scenario.conftest import Load
from tests.tables import cases


@cases("code", *sorted(set(error_codes())))
def test_no_message_of_the_catalogue_has_a_blank(code: str, project: Project, routes: Routes) -> None:
    endpoint = routes.by_operation["GetContract"]
    spec = adapter(ErrorSpec).validate_python({"code": code})
    rows = [row for row in errors.catalogue() if row.code == code]
    for row in rows:
        own = replace(endpoint, errors=(row,))
        found = make_error(spec, project, own, Request("GET", "/v1/contracts/x", "", {}), {})
        assert not re.search(r"\([a-z_]+\)|\{[a-z_]+\}", found.message.replace("{session}", ""))


@cases(
    "livemode, said",
    (False, "is a mainnet; a test key works with testnets."),
    (True, "is a testnet; a live key works with mainnets."),
)
def test_a_message_is_about_the_mode_of_the_key(
    world: World, routes: Routes, livemode: bool, said: str
) -> None:
    spec = adapter(ErrorSpec).validate_python({"code": "chain_of_other_mode"})
    project, endpoint = world.create(livemode=livemode), routes.by_operation["CreateContract"]
    found = make_error(spec, project, endpoint, Request("POST", "/v1/contracts", "", {}), {})
    assert found.message.endswith(said)


@cases(
    "method, path, body, code, message",
    ("GET", "/v1/contracts/con_7", None, "contract_not_found", "There is no contract con_7."),
    (
        "POST",
        "/v1/contracts",
        {"name": "C", "chainId": 80002, "address": "0x" + "ab" * 20},
        "contract_already_exists",
        f"The contract 0x{'ab' * 20} on chain 80002 is already registered as "
        "con_00000000-0000-4000-8000-000000000000.",
    ),
    (
        "POST",
        "/v2/transactions",
        {"accountId": "acc_7", "chainId": 80002, "policy": "pol_7", "calls": []},
        "fee_sponsorship_disabled",
        "The fee sponsorship pol_7 is disabled.",
    ),
    (
        "POST",
        "/v2/transactions",
        {"accountId": "acc_7"},
        "account_disabled",
        "The account acc_7 is disabled: it makes no transactions.",
    ),
    ("GET", "/v2/accounts?user=usr_7", None, "user_not_found", "There is no user usr_7."),
    ("GET", "/v1/contracts", None, "scope_missing", "The secret key lacks the scope contracts:read."),
)
def test_a_message_says_what_the_call_says(
    load: Load, api: Client, method: str, path: str, body: object, code: str, message: str
) -> None:
    load(f"rules: [{{then: {{error: {code}}}}}]")
    assert api.request(method, path, json=body).json()["error"]["message"] == message


def test_a_field_is_named_in_the_summary(load: Load, api: Client) -> None:
    load("rules: [{then: {error: {code: invalid_parameters, param: name}}}]")
    error = api.get("/v1/contracts").json()["error"]
    assert (error["param"], error["message"]) == ("name", "name: a scenario answers so.")


def test_a_message_of_the_rules_own_is_sent_as_it_stands(load: Load, api: Client) -> None:
    load("rules: [{then: {error: {code: contract_not_found, message: 'Not {id} today'}}}]")
    assert api.get("/v1/contracts").json()["error"]["message"] == "Not {id} today"
