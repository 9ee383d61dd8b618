"""Which calls of a run become a scenario: those that its state came from."""

from collections.abc import Callable
from typing import Any

import pytest
import yaml
from httpx import Client

from mockserver.replay.export.history import Advance, CannotExport, Exchange, History
from mockserver.replay.export.scenario_file import ScenarioFile, to_scenario
from mockserver.server.assembly import assemble
from mockserver.server.edge.app import App
from mockserver.state.project import Project
from mockserver.state.world import EPOCH_MS, World
from tests.replay.recorded import contract, history_of, sign_up
from tests.transport import InProcessTransport
from tests.wallet_auth import WalletAuth

YAML = {"content-type": "application/yaml"}
Export = Callable[[], ScenarioFile]


@pytest.fixture
def export(app: App) -> Export:
    """Makes a scenario of what is recorded from here on."""
    app.recordings.start()
    return lambda: to_scenario(history_of(app), "story")


def load(api: Client, text: str) -> None:
    """Load a scenario."""
    answer = api.post("/_mock/projects/-/scenarios", content=text, headers=YAML)
    assert answer.status_code == 201, answer.text


def rule(path: str) -> str:
    """A scenario with one rule."""
    return f"rules: [{{when: 'GET {path}', then: {{fault: empty_response}}}}]"


def document(export: Export) -> Any:
    """The scenario, of which nothing is left out."""
    found = export()
    assert found.notes == ()
    return yaml.safe_load(found.text)


def paths(scenario: Any) -> list[str]:
    """The paths that its rules are about."""
    return [each["when"].partition(" ")[2] for each in scenario.get("rules", [])]


def test_rules_loaded_later_come_first_until_unloaded(api: Client, export: Export) -> None:
    load(api, rule("/v1/contracts/gone"))
    assert api.delete("/_mock/projects/-/scenarios").is_success
    load(api, rule("/v1/contracts/a"))
    load(api, rule("/v1/contracts/b"))
    assert api.post("/_mock/projects/-/scenarios", content="rules: 7", headers=YAML).status_code == 400
    assert paths(document(export)) == ["/v1/contracts/b", "/v1/contracts/a"]


def test_a_password_is_reset_by_the_mailed_token(api: Client, project: Project, export: Export) -> None:
    sign_up(api, project, "ada")
    auth, key = "/iam/v2/auth", {"x-project-key": project.publishable_key}
    api.post(f"{auth}/request-password-reset", json={"email": "ada@example.com"}, headers=key)
    (mail,) = api.get("/_mock/projects/-/outbox").json()["data"]
    assert f"/reset-password/{mail['token']}?" in mail["url"]
    body = {"newPassword": "longer still", "token": mail["token"]}
    assert api.post(f"{auth}/reset-password", json=body, headers=key).status_code == 200
    *_, last = document(export)["given"]
    assert (last["call"], last["body"]["token"]) == ("resetUserPassword", "${outbox.data[0].token}")


def test_a_reset_takes_back_rules_and_time(api: Client, export: Export) -> None:
    load(api, rule("/v1/contracts/a"))
    api.post("/_mock/projects/-/clock/advance", json={"seconds": 60})
    contract(api, "a1")
    api.post("/_mock/projects/-/reset")
    contract(api, "b2")
    found = document(export)
    assert (found["clock"], "rules" in found) == ("2026-01-01T00:00:00.000Z", False)
    assert [step["body"]["name"] for step in found["given"]] == ["b2"]


def test_moves_of_the_clock_between_calls_are_steps(api: Client, export: Export) -> None:
    contract(api, "a1")
    for seconds in (30, 60.5):
        api.post("/_mock/projects/-/clock/advance", json={"seconds": seconds})
    contract(api, "b2")
    api.post("/_mock/projects/-/clock/advance", json={"seconds": 5})
    found = document(export)
    assert found["name"] == "story"
    assert [step["call"] for step in found["given"]] == [
        "CreateContract",
        "AdvanceClock",
        "CreateContract",
        "AdvanceClock",
    ]
    assert [step["body"] for step in found["given"][1::2]] == [{"seconds": 90.5}, {"seconds": 5}]


def test_only_answers_that_are_needed_have_names(api: Client, export: Export) -> None:
    made = contract(api, "a1").json()["id"]
    contract(api, "b2")
    assert api.delete(f"/v1/contracts/{made}").is_success
    contract(api, "c3")
    found = document(export)
    assert [(step["call"], step.get("as")) for step in found["given"]] == [
        ("CreateContract", "contract"),
        ("CreateContract", None),
        ("DeleteContract", None),
        ("CreateContract", None),
    ]
    assert found["given"][2]["path"] == {"id": "${contract.id}"}


def test_an_earlier_snapshot_cannot_be_restored_in_a_scenario(app: App, api: Client) -> None:
    api.post("/_mock/projects/-/snapshots", json={"name": "s"})
    app.recordings.start()
    api.post("/_mock/projects/-/snapshots/s/restore")
    with pytest.raises(CannotExport, match="exchange 1 restores a snapshot that is not taken in the run"):
        to_scenario(history_of(app), "story")
    app.recordings.start()
    assert api.post("/_mock/projects/-/snapshots/none/restore").status_code == 404
    contract(api, "a1")
    assert to_scenario(history_of(app), "story").notes == ()


def test_calls_that_are_left_out_are_told_up_to_twenty(api: Client, export: Export) -> None:
    contract(api, "a1")
    for number in range(22):
        load(api, f"name: s{number}\nkeys: [sk_test_other{number}]\n")
    found = export()
    reason = "LoadScenario, is left out: it loads a scenario with keys"
    assert found.notes == (*(f"exchange {n}, {reason}" for n in range(2, 22)), "more calls are left out")
    assert found.text.splitlines()[:21] == [f"# {note}" for note in found.notes]


def test_a_scenario_whose_clock_ticks_is_left_out(api: Client, export: Export) -> None:
    contract(api, "a1")
    load(api, "clock: ticking\n")
    assert [note.partition(": ")[2] for note in export().notes] == [
        "it loads a scenario with a clock that ticks"
    ]


def test_what_a_loaded_scenario_does_are_steps(api: Client, export: Export, project: Project) -> None:
    wallet = "given: [{call: createBackendWallet, body: {chainType: EVM}, as: wallet}]\n"
    set_up = "clock: 2026-01-02T00:00:00Z\nsettings: {starting_balance_wei: 5000000000000000001}\n"
    set_up += "fates: [{outcome: reverted, after: 5s}]\n"
    load(api, wallet)
    load(api, f"name: other\n{set_up}{wallet}{rule('/v2/accounts/${wallet.id}')}")
    first, _ = (row.id for row in project.wallets.accounts)
    load(api, f"name: third\n{rule(f'/v2/accounts/{first}')}")
    found = document(export)
    assert [(step["call"], step.get("as")) for step in found["given"]] == [
        ("createBackendWallet", "wallet"),
        ("AdvanceClock", None),
        ("ChangeSettings", None),
        ("createBackendWallet", "wallet_2"),
        ("CreateFate", None),
    ]
    assert paths(found) == ["/v2/accounts/${wallet.id}", "/v2/accounts/${wallet_2.id}"]


def test_texts_of_a_loaded_scenario_mean_the_same_in_a_step(api: Client, export: Export) -> None:
    name, address = "a$${b} of ${project.id}", "0x" + "a1" * 20
    load(
        api,
        f"given: [{{call: CreateContract, body: {{name: '{name}', chainId: 80002, address: '{address}'}}}}]",
    )
    assert [step["body"]["name"] for step in document(export)["given"]] == [name]


def test_only_headers_that_a_call_needs_are_in_its_step(
    api: Client, export: Export, project: Project
) -> None:
    token = sign_up(api, project, "ada").json()["token"]
    headers = {"authorization": f"Bearer {token}", "x-project-key": project.publishable_key, "x-trace": "1"}
    assert api.post("/iam/v2/auth/sign-out", json={}, headers=headers).is_success
    contract(api, "a1", headers={"x-trace": "1"})
    assert [step.get("headers") for step in document(export)["given"]] == [
        None,
        {"authorization": "Bearer ${sign_up_email.token}"},
        None,
    ]


def test_what_a_client_sends_in_vain_is_in_no_step(api: Client, export: Export, project: Project) -> None:
    key = {"x-project-key": project.publishable_key}
    assert api.post("/iam/v2/auth/sign-in/anonymous", json={}, headers=key).is_success
    made = {"name": "T", "chainId": 80002, "address": "0x" + "ab" * 20, "colour": "red"}
    assert api.post("/v1/contracts?colour=red", json=made).is_success
    guest, registered = document(export)["given"]
    assert guest == {"call": "signInAnonymous"}
    assert ("query" in registered, "colour" in registered["body"]) == (False, False)


def test_a_call_that_moves_the_clock_is_a_move_of_it(api: Client, export: Export) -> None:
    load(api, "rules: [{when: GetContracts, then: {delay: 1.5s}}]\n")
    assert api.get("/v1/contracts").is_success
    api.post("/_mock/projects/-/clock/advance", json={"seconds": 2}).raise_for_status()
    contract(api, "a1")
    assert export().notes == ()
    moved, _ = document(export)["given"]
    assert moved["body"] == {"to": "2026-01-01T00:00:03.500Z"}


def test_a_spent_wallet_token_is_no_part_of_a_state(api: Client, export: Export) -> None:
    auth = WalletAuth(api.post("/_mock/projects/-/wallet-secret").json()["wallet_secret"])
    made = api.post("/v2/accounts/backend", json={"chainType": "EVM"}, auth=auth).json()
    sign = f"/v2/accounts/backend/{made['id']}/sign"
    assert api.post(sign, json={"data": "0x" + "ab" * 32}, auth=auth).is_success
    assert api.post(sign, json={"data": "0x"}, auth=auth).is_error
    assert export().notes == ()


def test_a_call_that_json_rpc_refused_is_no_step(api: Client, export: Export, project: Project) -> None:
    def call(method: str, *params: object) -> Any:
        body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        return api.post(f"/_mock/projects/{project.id}/chains/84532/rpc", json=body).json()

    assert "error" in call("eth_sendRawTransaction", "0x02")
    assert "result" in call("anvil_setBalance", "0x" + "ab" * 20, "0x1")
    (step,) = document(export)["given"]
    assert step["body"]["method"] == "anvil_setBalance"


def test_an_unloaded_scenario_leaves_what_it_did(api: Client, export: Export) -> None:
    both = f"given: [{{call: createBackendWallet, body: {{chainType: EVM}}}}]\n{rule('/v1/contracts/a')}"
    made = api.post("/_mock/projects/-/scenarios", content=both, headers=YAML).json()
    assert api.delete(f"/_mock/projects/-/scenarios/{made['id']}").is_success
    found = document(export)
    assert ([step["call"] for step in found["given"]], paths(found)) == (["createBackendWallet"], [])


# --- the history behind it ------------------------------------------------------------------------------


def items_of(history: History) -> list[object]:
    """The items, calls by their numbers."""
    return [item.number if isinstance(item, Exchange) else item for item in history.items]


def test_time_that_passed_on_a_frozen_clock_is_a_span(app: App, api: Client, project: Project) -> None:
    app.recordings.start()
    api.get("/v1/contracts")
    api.get(f"/_mock/projects/{project.id}")
    api.get("/v1/contracts")
    for seconds in (5, 7):
        api.post("/_mock/projects/-/clock/advance", json={"seconds": seconds})
        api.get("/v1/contracts")
    api.post("/_mock/projects/-/clock/advance", json={"seconds": 1})
    history = history_of(app)
    assert history.start_ms == EPOCH_MS
    assert items_of(history) == [1, 3, Advance(5_000), 5, Advance(7_000), 7, Advance(1_000)]


def test_a_project_only_looked_at_has_no_calls(app: App, api: Client, project: Project) -> None:
    app.recordings.start()
    assert api.get(f"/_mock/projects/{project.id}").is_success
    history = history_of(app)
    assert (history.project.id, history.items, history.start_ms) == (project.id, (), EPOCH_MS)
    app.recordings.start()
    api.get("/v1/contracts")
    assert items_of(history_of(app)) == [1]


def test_time_that_passed_on_a_ticking_clock_leads_to_a_time() -> None:
    now_ms = [EPOCH_MS]
    world = World(real_ms=lambda: now_ms[0])
    project = world.create(name="a")
    app = assemble(world)
    headers = {"authorization": f"Bearer {project.secret_key}"}
    app.recordings.start()
    with Client(transport=InProcessTransport(app), base_url="http://mock", headers=headers) as api:
        assert api.put("/_mock/projects/-/clock", json={"mode": "ticking"}).is_success
        now_ms[0] += 5_000
        assert contract(api, "a1").is_success
    now_ms[0] += 250
    app.pipeline.tick(project)
    history = history_of(app)
    assert history.start_ms == EPOCH_MS
    assert items_of(history) == [Advance(5_000, EPOCH_MS + 5_000), 2, Advance(250, EPOCH_MS + 5_250)]
    clock = yaml.safe_load(to_scenario(history, "story").text)["clock"]
    assert clock == {"mode": "ticking", "at": "2026-01-01T00:00:00.000Z", "rate": 1.0}
