"""Effects: what the journal and a list of their own say about the rows and timers that calls changed."""

from typing import Any

import pytest
from httpx import Client

from mockserver.api.call import Request
from mockserver.domain.time import loop
from mockserver.server.answering.pipeline import Pipeline, WaitingCall
from mockserver.server.assembly import assemble
from mockserver.state.history.changes import merge_changes
from mockserver.state.project import Project
from mockserver.state.world import World
from tests.accounts import AMOY, account_of
from tests.operations.transactions.helpers import create
from tests.tables import cases

EFFECTS = "/_mock/projects/-/effects"
JOURNAL = "/_mock/projects/-/journal"
CLOCK = "/_mock/projects/-/clock"
SCENARIOS = "/_mock/projects/-/scenarios"
SOLANA = "/_mock/projects/-/solana/transactions"
YAML = {"content-type": "application/yaml"}
CONTRACT = {"name": "Token", "chainId": AMOY, "address": "0x" + "ab" * 20}
NOTHING = {"rows": [], "timers_set": [], "timers_cancelled": [], "fired": [], "omitted": 0}
SIGN_UP = {"name": "Ada", "email": "ada@example.com", "password": "correct horse"}


def latest(api: Client, **query: Any) -> Any:
    """The effects of the latest exchange in the journal."""
    [exchange] = api.get(JOURNAL, params={"order": "desc", "limit": 1, **query}).json()["data"]
    return exchange["effects"]


def entries(api: Client, **query: Any) -> Any:
    """The entries of the list of effects."""
    found = api.get(EFFECTS, params=query)
    assert found.status_code == 200, found.text
    return found.json()["data"]


def changed(effects: Any) -> list[tuple[str, str]]:
    """The table of each changed row, and what became of the row."""
    return [(row["table"], row["change"]) for row in effects["rows"]]


def test_a_created_row_is_shown_whole(api: Client) -> None:
    contract = api.post("/v1/contracts", json=CONTRACT).json()
    [row] = latest(api)["rows"]
    assert (row["table"], row["id"], row["change"]) == ("onchain.contracts", contract["id"], "created")
    assert row["before"] is None
    assert (row["after"]["name"], row["after"]["chain_id"]) == ("Token", AMOY)


def test_of_a_changed_row_the_members_that_differ_are_shown(api: Client) -> None:
    contract = api.post("/v1/contracts", json=CONTRACT).json()["id"]
    api.post(f"/v1/contracts/{contract}", json={**CONTRACT, "name": "Coin"})
    [row] = latest(api)["rows"]
    assert (row["change"], row["before"], row["after"]) == ("changed", {"name": "Token"}, {"name": "Coin"})


def test_a_removed_row_is_shown_as_it_was(api: Client) -> None:
    api.post("/iam/v2/auth/sign-up/email", json=SIGN_UP)
    user = api.get("/v2/users").json()["data"][0]["id"]
    assert api.delete(f"/v2/users/{user}").status_code == 200
    removed = {row["table"]: row for row in latest(api)["rows"] if row["change"] == "removed"}
    assert (removed["identity.users"]["before"]["name"], removed["identity.users"]["after"]) == ("Ada", None)


def test_a_call_that_reads_or_is_refused_has_no_effects(api: Client) -> None:
    api.get("/v1/contracts")
    assert latest(api) == NOTHING
    api.post("/v1/contracts", json={})
    assert latest(api) == NOTHING
    assert entries(api) == []


def test_several_changes_of_a_row_in_a_call_are_one(api: Client, project: Project) -> None:
    transaction = create(api, account_of(project, "plain"))
    rows = [row for row in latest(api)["rows"] if row["id"] == transaction["id"]]
    assert [(row["change"], row["after"]["status"]) for row in rows] == [("created", "successful")]


def test_a_timer_that_a_call_set_is_shown_until_it_fires(api: Client) -> None:
    submitted = api.post(SOLANA, json={}).json()["id"]
    timer = {
        "due": "2026-01-01T00:00:01.000Z",
        "kind": "solana_transaction",
        "id": submitted,
        "event": "confirm",
    }
    [submit] = entries(api)
    assert submit["effects"]["timers_set"] == [timer]
    api.post(f"{CLOCK}/advance", json={"seconds": 5})
    [_, advance] = entries(api)
    assert (advance["cause"], advance["operation"]) == ("control", "AdvanceClock")
    assert [(fired["id"], fired["to"]) for fired in advance["effects"]["fired"]] == [(submitted, "confirmed")]
    assert advance["effects"]["timers_cancelled"] == []
    [row] = advance["effects"]["rows"]
    assert (row["before"]["status"], row["after"]["status"]) == ("sent", "confirmed")


def test_a_wait_on_a_frozen_clock_says_what_fired(api: Client, project: Project) -> None:
    transaction = create(api, account_of(project, "plain"))
    effects = latest(api)
    assert [(fired["id"], fired["to"]) for fired in effects["fired"]] == [(transaction["id"], "successful")]
    assert (effects["timers_set"], effects["timers_cancelled"]) == ([], [])


def test_what_a_delay_lets_happen_is_an_entry_of_the_clock(api: Client) -> None:
    api.post(SOLANA, json={})
    api.post(SCENARIOS, content="rules: [{when: {call: GetContracts}, then: {delay: 2s}}]", headers=YAML)
    api.get("/v1/contracts")
    [last] = entries(api, skip=1)
    assert (last["cause"], last["operation"]) == ("clock", None)
    assert [fired["to"] for fired in last["effects"]["fired"]] == ["confirmed"]


def test_secrets_are_masked_unless_the_test_asks_for_them(api: Client) -> None:
    api.post("/iam/v2/auth/sign-up/email", json=SIGN_UP)
    token = api.get(JOURNAL, params={"unmasked": True}).json()["data"][-1]["response"]["body"]["token"]
    assert token not in api.get(EFFECTS).text
    assert token not in api.get(JOURNAL).text
    assert token in api.get(EFFECTS, params={"unmasked": True}).text
    [session] = [row["after"] for row in latest(api)["rows"] if row["table"] == "identity.sessions"]
    assert session["token"] == "…"


def test_codes_that_were_sent_are_masked(api: Client, project: Project) -> None:
    api.post(
        "/iam/v2/auth/email-otp/send-verification-otp", json={"email": "a@example.com", "type": "sign-in"}
    )
    [message] = project.outbox
    assert message.code is not None
    assert message.code not in api.get(EFFECTS).text
    assert message.code in api.get(EFFECTS, params={"unmasked": True}).text


def test_internal_rows_are_not_shown(api: Client, project: Project) -> None:
    api.post("/v1/contracts", json=CONTRACT, headers={"x-idempotency-key": "one"})
    assert changed(latest(api)) == [("onchain.contracts", "created")]
    [event] = project.history
    assert [change.table for change in project.changes_of(event).rows] == [
        "onchain.contracts",
        "requests.first_answers",
    ]


def test_what_a_refused_call_spent_is_logged(api: Client, project: Project) -> None:
    api.post(SCENARIOS, content="rules: [{when: {call: CreateContract}, then: {delay: 1s}}]", headers=YAML)
    before = project.history.last_number
    api.post("/v1/contracts", json={})
    [call, delay] = project.history.since(before)
    assert [change.table for change in project.changes_of(call).rows] == ["requests.rule_states"]
    assert delay.cause == "clock"


def test_a_loaded_scenario_is_one_entry_with_its_steps(api: Client) -> None:
    text = """
    given:
      - call: CreateContract
        body: {name: One, chainId: 80002, address: "0xabababababababababababababababababababab"}
    """
    assert api.post(SCENARIOS, content=text, headers=YAML).status_code == 201
    [entry] = entries(api)
    assert (entry["cause"], entry["operation"]) == ("control", "LoadScenario")
    assert changed(entry["effects"]) == [("onchain.contracts", "created")]


def test_a_scenario_that_is_refused_has_no_effects(api: Client) -> None:
    text = """
    given:
      - call: CreateContract
        body: {name: One, chainId: 80002, address: "0xabababababababababababababababababababab"}
      - call: GetContract
        path: {id: con_unknown}
    """
    assert api.post(SCENARIOS, content=text, headers=YAML).status_code == 400
    assert entries(api) == []


@cases("replace", "reset", "restore")
def test_replacing_all_rows_leaves_no_effects_of_before(api: Client, replace: str) -> None:
    snapshot = api.post("/_mock/projects/-/snapshots", json={}).json()["id"]
    api.post("/v1/contracts", json=CONTRACT)
    path = {"reset": "reset", "restore": f"snapshots/{snapshot}/restore"}[replace]
    assert api.post(f"/_mock/projects/-/{path}").is_success
    before = entries(api, order="desc", limit=1)
    api.post("/v1/contracts", json=CONTRACT)
    last = entries(api)[-1]
    assert changed(last["effects"]) == [("onchain.contracts", "created")]
    assert last["n"] == max([entry["n"] for entry in before], default=1) + 1


def test_entries_are_found_by_table_row_and_number(api: Client) -> None:
    one = api.post("/v1/contracts", json=CONTRACT).json()["id"]
    other = api.post("/v1/contracts", json={**CONTRACT, "address": "0x" + "cd" * 20}).json()["id"]
    api.post(f"/v1/contracts/{one}", json={**CONTRACT, "name": "Coin"})
    submitted = api.post(SOLANA, json={}).json()["id"]
    api.post(f"{CLOCK}/advance", json={"seconds": 5})
    assert [entry["operation"] for entry in entries(api, row=one)] == ["CreateContract", "UpdateContract"]
    assert [entry["n"] for entry in entries(api, row=other)] == [2]
    assert [entry["n"] for entry in entries(api, row=submitted)] == [4, 5]
    assert [entry["n"] for entry in entries(api, table="onchain.contracts", since=1)] == [2, 3]


def test_an_unknown_table_is_an_error_that_names_the_nearest(api: Client) -> None:
    refused = api.get(EFFECTS, params={"table": "onchain.contract"})
    assert refused.status_code == 400
    assert "did you mean onchain.contracts" in refused.json()["detail"]


def test_of_very_many_effects_the_first_are_shown(api: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loop, "_TIMERS_IN_A_SLICE", 2_000)
    for _ in range(1_005):
        api.post(SOLANA, json={})
    api.post(f"{CLOCK}/advance", json={"seconds": 5})
    [last] = entries(api, order="desc", limit=1)
    effects = last["effects"]
    assert (len(effects["rows"]), len(effects["fired"]), effects["omitted"]) == (1_000, 1_000, 10)


def test_a_waiting_call_has_the_effects_around_its_wait(world: World, project: Project) -> None:
    pipeline: Pipeline = assemble(world).pipeline
    project.clock.tick(world.real_ms)
    account = account_of(project, "plain")
    project.record("clock")
    before = project.history.last_number
    body = b'{"chainId": 80002, "accountId": "%s", "calls": [{"to": "0x%s"}]}' % (
        account.id.encode(),
        b"ab" * 20,
    )
    headers = {"authorization": f"Bearer {project.secret_key}", "x-idempotency-key": "one"}
    pending = pipeline.answer(Request("POST", "/v2/transactions", "", headers, body))
    assert isinstance(pending, WaitingCall)
    pipeline.finish(pending)
    [arrived, answered] = project.history.since(before)
    assert [(event.cause, event.status) for event in (arrived, answered)] == [
        ("call", None),
        ("resumed", 200),
    ]
    changes = merge_changes([*map(project.changes_of, project.history.parts_of(answered))])
    assert {"onchain.transactions", "requests.first_answers"} <= {change.table for change in changes.rows}
