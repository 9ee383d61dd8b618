"""The report of a failed test: its sections, as JSON and as a text, and the calls to undeclared keys."""

import json
from typing import Any

import pytest
from httpx import Client, TransportError

from mockserver.api.call import Request
from mockserver.server.answering.pipeline import WaitingCall
from mockserver.server.control.history.exchange_lines import abridge
from mockserver.server.edge.app import App
from mockserver.state.project import Project
from mockserver.state.world import World
from tests.replay.runs import play
from tests.tables import cases

REPORT = "/_mock/projects/-/report"
UNDECLARED = "/_mock/undeclared-calls"
OUTAGE = """
name: outage
rules:
  - {name: away, when: {call: GetContracts, query: {limit: 5}}, then: {answer: 503}}
  - {name: maybe, when: GetAccounts, then: {answer: 503}, optional: true}
"""
PAUSED = "name: paused\nrules: [{name: broken, when: CreateTransaction, then: {fate: reverted}}]"
LOST = "name: lost\nrules: [{name: broken, when: GetContract, then: {fault: empty_response}}]"
UNUSED = [
    "away (scenario outage) never fired: 0 calls matched it",
    "  #2 GetContracts: limit in the query is 9; expected 5",
]


def sections(api: Client, **query: Any) -> dict[str, list[str]]:
    """The lines of each section of the report."""
    return {section["id"]: section["lines"] for section in api.get(REPORT, params=query).json()["sections"]}


def load(api: Client, scenario: str) -> str:
    """Load a scenario; its id."""
    headers = {"content-type": "application/yaml"}
    return str(api.post("/_mock/projects/-/scenarios", content=scenario, headers=headers).json()["id"])


def call_with(api: Client, *keys: str) -> None:
    """A call with each of some other keys."""
    for key in keys:
        api.get("/v1/contracts", headers={"authorization": f"Bearer {key}"})


def test_a_report_is_text_for_who_asks_for_text_and_not_json(api: Client) -> None:
    load(api, OUTAGE)
    api.get("/v1/contracts?limit=9")
    api.post("/_mock/projects/-/fates", json={"outcome": "reverted", "chain_id": 80002})
    call_with(api, "sk_test_wrong")
    answer = api.get(REPORT, headers={"accept": "text/plain"})
    assert answer.headers["content-type"] == "text/plain; charset=utf-8"
    assert answer.text.splitlines() == [
        "--- mockserver journal ---",
        "   2  GET /v1/contracts?limit=9  200",
        '      < {"object": "list", "url": "/v1/contracts", "data": [], "start": 0, "end": 0, "total": 0}',
        "      near miss: rule away (scenario outage): limit in the query is 9; expected 5",
        "--- mockserver rules ---",
        *UNUSED,
        "--- mockserver fates ---",
        "reverted waits for a transaction: kind transaction, chain_id 80002",
        "--- mockserver undeclared keys ---",
        "1 call went to sk_test_wr…, which nothing declares (did you mean sk_test_te…?)",
    ]
    both = {"accept": "application/json, text/plain, */*"}
    assert api.get(REPORT, headers=both).json() == api.get(REPORT).json()


def test_a_member_that_was_ignored_is_named(api: Client) -> None:
    body = {"name": "Coin", "chainID": 1, "chainId": 80002, "address": "0x" + "ab" * 20, "zzz": {"a": 1}}
    assert api.post("/v1/contracts", json=body).is_success
    api.post("/v1/contracts", content=b"[", headers={"content-type": "application/json"})
    api.post("/v1/contracts/nowhere/nothing", json=body)
    lines = sections(api)["journal"]
    assert lines[1:3] == [
        "      hint the body has no member 'chainID' (did you mean chainId?): it is ignored",
        "      hint the body has no member 'zzz': it is ignored",
    ]
    assert str(lines).count("it is ignored") == 2


def test_a_member_that_was_ignored_may_be_within_another(api: Client) -> None:
    body = {"accountId": "acc_1", "chainId": 80002, "calls": [{"to": "0x" + "ab" * 20, "vlaue": "1"}]}
    api.post("/v2/transactions", json=body)
    target = {"chain": "eip155:84532", "currency": "0x" + "00" * 20, "address": "0x" + "11" * 20}
    api.post("/v2/funding/sessions", json={"target": target, "metadata": {"anything": "goes"}})
    lines = [line for line in sections(api)["journal"] if "hint" in line]
    assert lines == [
        "      hint the body has no member 'calls[0].vlaue' (did you mean value?): it is ignored"
    ]


def test_of_many_members_that_were_ignored_some_are_named(api: Client) -> None:
    calls = [{"to": "0x" + "ab" * 20, "vlaue": "1"}] * 200
    api.post("/v2/transactions", json={"accountId": "acc_1", "chainId": 80002, "calls": calls})
    assert str(sections(api)["journal"]).count("it is ignored") == 10


def test_an_id_that_was_not_found_is_said_to_be_elsewhere(api: Client, world: World) -> None:
    def create(headers: dict[str, str]) -> str:
        return str(api.post("/v1/players", json={"name": "Ada"}, headers=headers).json()["id"])

    ours, gone, theirs = create({}), create({}), create({"authorization": "Bearer sk_test_others"})
    other = world.key("sk_test_others").project
    api.delete(f"/v1/players/{gone}")
    for asked in (f"accounts/{ours}", f"players/{gone}", f"players/{theirs}", f"players/{ours[:-1]}"):
        api.get(f"/v1/{asked}")
    assert [line.strip() for line in sections(api)["errors"] if line.startswith("      ")] == [
        f"{ours} is in wallets.wallets",
        f"{gone} was removed by #3 DeletePlayer",
        f"{theirs} is in wallets.wallets of the project {other.name} ({other.id})",
    ]
    # The rows of a project that is put away are not looked at.
    other.put_away()
    assert [line for line in sections(api)["errors"] if line.startswith(f"      {theirs}")] == []


def test_of_many_ids_that_were_not_found_five_are_looked_for(api: Client) -> None:
    created = [api.post("/v1/players", json={"name": "Ada"}).json()["id"] for _ in range(6)]
    error = {"code": "player_not_found", "message": " ".join(created)}
    rule = {"when": "GetContracts", "then": {"answer": {"status": 404, "body": {"error": error}}}}
    load(api, json.dumps({"rules": [rule]}))
    api.get("/v1/contracts")
    lines = [line for line in sections(api)["errors"] if "is in wallets.wallets" in line]
    assert [line.split()[0] for line in lines] == created[:5]


def test_an_id_that_a_restore_took_away_says_so(api: Client) -> None:
    project = "/_mock/projects/-"
    snapshot = api.post(f"{project}/snapshots").json()["id"]
    user = api.post("/v1/players", json={"name": "Ada"}).json()["id"]
    api.post(f"{project}/snapshots/{snapshot}/restore")
    api.get(f"/v1/players/{user}")
    assert sections(api)["errors"][1:] == [f"      {user} was removed by #2 RestoreSnapshot"]


def test_a_report_is_of_the_calls_after_an_exchange(api: Client) -> None:
    assert api.get(REPORT).json() == {"exchanges": 0, "sections": []}
    for name in ("first", "second"):
        api.get(f"/v1/contracts/con_{name}")
    assert api.get(REPORT, params={"since": 1}).json()["exchanges"] == 1
    found = sections(api, since=1)
    before, call, _ = found.pop("journal")
    assert before == "1 to 1 came before the calls of the test itself"
    assert call == "   2  GET /v1/contracts/con_second  404"
    assert found == {"errors": [f"{call}  contract_not_found: There is no contract con_second."]}


def test_a_call_of_a_node_that_failed_is_shown_with_its_method(api: Client, project: Project) -> None:
    path = f"/_mock/projects/{project.id}/chains/80002/rpc"
    api.post(path, json={"jsonrpc": "2.0", "id": 1, "method": "eth_call", "params": [{"to": "0x12"}]})
    (error,) = sections(api)["errors"]
    assert error.startswith(f"   1  POST {path} eth_call  error  -32602: ")


def test_the_last_twenty_calls_and_first_ten_errors_are_shown(api: Client) -> None:
    load(api, LOST)
    for number in range(25):
        with pytest.raises(TransportError):
            api.get(f"/v1/contracts/con_{number}")
    found = sections(api)
    assert [line[:4] for line in found["journal"] if line[3] != " "] == [f"{n:>4}" for n in range(7, 27)]
    assert found["errors"][0] == "   2  GET /v1/contracts/con_0  no answer  rule broken  fault empty_response"
    assert found["errors"][10:] == ["      and 15 more"]


def test_secrets_are_masked_and_telling_headers_shown(api: Client) -> None:
    policy = {"scope": "account", "rules": [{"action": "accept", "operation": "signEvmHash"}]}
    of_browsers = {"sec-fetch-site": "cross-site", "sec-ch-ua": "Chromium", "referer": "http://localhost:1/"}
    api.post("/v2/policies", json=policy, headers={"idempotency-key": "order-7", **of_browsers})
    ada = {"email": "ada@example.com", "password": "hunter2hunter2"}
    keys = {"x-project-key": "pk_test_tests", "authorization": "Bearer pk_test_tests"}
    api.post("/iam/v2/auth/sign-in/email", json=ada, headers=keys)
    text = "\n".join(sections(api)["journal"])
    assert "      hint account-policy-without-account: A policy " in text
    assert "      > idempotency-key: order-7\n" in text
    assert "authorization: Bearer pk_test_te…" in text
    assert "x-project-key: pk_test_te…" in text
    assert '      > {"email": "ada@example.com", "password": "…"}\n' in text
    assert not any(dull in text for dull in ("hunter2", "user-agent", "content-length", "sk_test"))


def test_no_line_has_control_characters(api: Client) -> None:
    api.get("/v1/%1b%5b2J")
    api.post("/v1/contracts", json={"name": "\x1b[2J", "chainId": 80002, "address": "\x1b[2J"})
    said = [line for lines in sections(api).values() for line in lines]
    assert len(said) > 2
    assert all(line.isprintable() for line in said)


def test_only_the_sections_that_are_asked_for_are_made(api: Client) -> None:
    load(api, OUTAGE)
    api.get("/v1/contracts/con_none")
    assert [*sections(api, sections=["rules", "errors"])] == ["errors", "rules"]
    assert api.get(REPORT, params={"sections": "rule"}).status_code == 400


def test_the_rules_of_the_scenarios_of_a_test_are_why_it_fails(api: Client) -> None:
    outage = load(api, OUTAGE)
    api.get("/v1/contracts?limit=9")
    lost = load(api, LOST)
    why = "rules of the test's scenarios never fired:"
    assert sections(api, sections="rules", scenarios=outage) == {"rules": [why, *UNUSED]}
    assert len(sections(api, scenarios=[outage, lost])["rules"]) == 4
    assert sections(api)["rules"][:2] == UNUSED
    api.get("/v1/contracts?limit=5")
    assert sections(api, sections="rules", scenarios=outage) == {}


def test_the_two_calls_that_came_closest_to_a_rule_are_told(api: Client) -> None:
    load(api, "rules: [{when: {call: GetContracts, query: {limit: 5, skip: 7}}, then: {answer: 503}}]")
    for query in ("limit=1", "limit=5", "limit=2"):
        api.get(f"/v1/contracts?{query}")
    assert [line[:4] for line in sections(api)["rules"][1:]] == ["  #3", "  #4"]


def test_a_rule_whose_nth_no_call_has_never_fired(api: Client) -> None:
    load(api, "rules: [{name: away, when: {call: GetContracts, nth: 3}, then: {answer: 503}}]")
    for _ in range(2):
        api.get("/v1/contracts")
    (line,) = sections(api)["rules"]
    assert line.endswith("never fired: 2 calls matched it, and its nth is about others")


def test_calls_without_a_project_are_told_since_it_was_made(api: Client, world: World) -> None:
    api.get("/v1/contracts", headers={"authorization": ""})
    late = world.create(name="late")
    api.get("/v1/contracts", headers={"authorization": "Bearer sk_live_mine"})
    line = "      of no project: GET GetContracts  401  live_key_undeclared: This live key was not declared"
    (section,) = api.get(f"/_mock/projects/{late.id}/report").json()["sections"]
    assert (section["id"], section["lines"][0][: len(line)], len(section["lines"])) == ("errors", line, 1)
    first, second = sections(api)["errors"]
    assert first.startswith(
        "      of no project: GET GetContracts  401  api_key_missing: No API key was sent."
    )
    assert second == section["lines"][0]


def test_transactions_that_wait_say_for_what(api: Client) -> None:
    users = api.post("/v1/accounts", json={"chainId": 80002, "externalOwnerAddress": "0x" + "22" * 20}).json()
    wallet = api.post("/v1/accounts", json={"chainId": 80002}).json()
    rest = {"chainId": 80002, "calls": [{"to": "0x" + "11" * 20}], "waitForReceipt": False}
    ids = []
    for account, outcome in ((users, None), (wallet, None), (wallet, "never_mined"), (wallet, None)):
        if outcome is not None:
            api.post("/_mock/projects/-/fates", json={"outcome": outcome})
        ids.append(api.post("/v2/transactions", json={**rest, "accountId": account["id"]}).json()["id"])
    api.post("/_mock/projects/-/clock/advance", json={"seconds": 1})
    at = "2026-01-01T00:00:02.000Z, and the project's clock is at 2026-01-01T00:00:01.000Z"
    assert f"{ids[1]}: sent: due at {at}" in sections(api)["transactions"]
    api.post("/_mock/projects/-/clock/advance", json={"seconds": 1})
    assert sections(api)["transactions"] == [
        f"{ids[0]}: awaiting_signature: the owner of its account has to sign the hash in nextAction",
        f"{ids[2]}: sent: its fate is never_mined",
        f"{ids[3]}: sent: it waits for {ids[2]}, whose nonce is lower",
    ]
    other = api.post("/v1/accounts", json={"chainId": 80002}).json()
    api.post("/v2/transactions", json={**rest, "accountId": other["id"]})
    api.put("/_mock/projects/-/settings", json={"chains": {"80002": {"base_fee_wei": 10**15}}})
    api.post("/_mock/projects/-/clock/advance", json={"seconds": 5})
    assert sections(api)["transactions"][-1].endswith(": sent: it offers less for gas than the base fee")


def test_a_transaction_that_no_policy_matched_says_why(api: Client) -> None:
    addresses = {"type": "evmAddress", "operator": "in", "addresses": ["0x" + "cd" * 20]}
    rule = {"action": "reject", "operation": "sendEvmTransaction", "criteria": [addresses]}
    policy = api.post("/v2/policies", json={"scope": "project", "rules": [rule]}).json()["id"]
    account = api.post("/v1/accounts", json={"chainId": 80002}).json()["id"]
    sent = {"chainId": 80002, "accountId": account, "calls": [{"to": "0x" + "11" * 20}]}
    paid = api.post("/v2/transactions", json=sent).json()
    (line,) = sections(api)["transactions"]
    assert line == (
        f"{paid['id']}: successful: No policy rule matched: in {policy}, evmAddress:"
        f" to 0x{'11' * 20} is not in addresses. It is sent all the same."
    )


def test_a_rule_whose_fate_no_transaction_took_never_fired(api: Client) -> None:
    paused = load(api, PAUSED)
    assert api.post("/v2/transactions", json={"calls": []}).status_code == 400
    lines = [
        "rules of the test's scenarios never fired:",
        "broken (scenario paused) never fired: 1 call matched it",
        "  #2 CreateTransaction: created no transaction for the fate of the rule",
    ]
    assert sections(api, sections="rules", scenarios=paused) == {"rules": lines}
    account = api.post("/v1/accounts", json={"chainId": 80002}).json()["id"]
    sent = {"chainId": 80002, "accountId": account, "calls": [{"to": "0x" + "11" * 20}]}
    assert api.post("/v2/transactions", json=sent).json()["status"] == "reverted"
    assert sections(api, sections="rules", scenarios=paused) == {}


def test_a_report_names_undeclared_keys_since_its_project(api: Client, world: World) -> None:
    call_with(api, "sk_test_early")
    late = world.create(name="late")
    call_with(api, "sk_test_lat")
    answer = api.get(f"/_mock/projects/{late.id}/report").json()
    lines = ["1 call went to sk_test_la…, which nothing declares; the test's own only begins alike"]
    title = "mockserver undeclared keys"
    assert answer["sections"] == [{"id": "undeclared_keys", "title": title, "lines": lines}]


def test_a_report_of_an_undeclared_project_leaves_out_its_key(api: Client) -> None:
    own = {"authorization": "Bearer sk_test_own"}
    assert api.get("/v1/contracts", headers=own).json()["total"] == 0
    assert [section["id"] for section in api.get(REPORT, headers=own).json()["sections"]] == ["journal"]
    call_with(api, "sk_test_wrong")
    lines = api.get(REPORT, headers=own).json()["sections"][-1]["lines"]
    assert lines == ["1 call went to sk_test_wr…, which nothing declares (did you mean sk_test_ow…?)"]


def test_calls_with_the_key_of_a_project_that_is_gone_say_so(api: Client) -> None:
    call_with(api, "sk_test_own")
    lines = api.post(UNDECLARED, json={"keys": ["sk_test_own", "sk_test_own2"]}).json()["lines"]
    gone = "whose project was deleted, or lost when the server was restarted"
    assert lines == [f"1 call went to sk_test_ow…, {gone}"]


def test_calls_to_undeclared_keys_are_since_they_were_counted(api: Client) -> None:
    call_with(api, "sk_test_first", "sk_test_second", "sk_test_second")
    before = {"sk_test_first": 1, "sk_test_second": 1, "sk_test_gone": 7}
    lines = api.post(UNDECLARED, json={"before": before}).json()["lines"]
    assert lines == ["1 call went to sk_test_se…, which nothing declares"]
    lines = api.post(UNDECLARED, json={"keys": ["sk_live_other"]}).json()["lines"]
    assert lines[1] == "2 calls went to sk_test_se…, which nothing declares; the test has sk_live_…"
    call_with(api, *(f"sk_test_{number}" for number in range(21)))
    assert api.post(UNDECLARED).json()["lines"][20:] == ["      and 3 more"]


def test_a_report_with_rules_is_made_call_by_call(api: Client, app: App, project: Project) -> None:
    load(api, OUTAGE)
    for _ in range(3):
        api.get("/v1/contracts?limit=9")
    expected = api.get(REPORT).json()
    app.recordings.start()
    asked = Request("GET", f"/_mock/projects/{project.id}/report", "", {}, raw_headers=[(b"host", b"mock")])
    outcome = app.pipeline.answer(asked)
    assert isinstance(outcome, WaitingCall)
    for _ in range(2):
        outcome = app.pipeline.resume(outcome)
        assert isinstance(outcome, WaitingCall)
    assert json.loads(app.pipeline.finish(outcome).body) == expected
    app.recordings.stop()
    assert play(app.recordings.read())[1] == []


# --- bodies --------------------------------------------------------------------------------------------

ABI = [{"type": "function", "name": "mint", "inputs": []}, {"type": "event", "name": "Minted", "inputs": []}]


@cases(
    "body, shown",
    ({"name": "Token", "n": 1}, {"name": "Token", "n": 1}),
    ([1, 2, 3, 4, 5], [1, 2, 3, "… (2 more)"]),
    ({"abi": ABI}, {"abi": "… (ABI of 2 entries)"}),
    ("0x" + "ab" * 100, "0x" + "ab" * 23 + "… (202 characters)"),
    ({"a": {"b": ["x" * 130]}}, {"a": {"b": ["x" * 48 + "… (130 characters)"]}}),
)
def test_what_is_dull_in_a_body_is_cut(body: object, shown: object) -> None:
    assert json.loads(abridge(body)) == shown


def test_members_that_tell_something_are_kept_of_many() -> None:
    body = {f"member{n}": n for n in range(40)} | {"status": "failed", "error": {"message": "why"}}
    shown = json.loads(abridge(body))
    assert len(shown) == 17
    assert shown["status"] == "failed"
    assert shown["error"] == {"message": "why"}
    assert shown["…"] == "26 more"


def test_a_body_that_is_long_all_the_same_ends_somewhere() -> None:
    body = {f"member{n}": "x" * 100 for n in range(16)}
    assert len(abridge(body)) < 750
    assert abridge(body).endswith("characters)")
