"""Loading scenarios into projects, all or nothing."""

import copy
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
import yaml
from httpx import Client, TransportError
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mockserver.api.endpoint import Routes
from mockserver.kernel.entropy import Entropy
from mockserver.scenario.checking.load import read
from mockserver.scenario.reading.findings import ScenarioError
from mockserver.scenario.running.apply import apply, unload
from mockserver.server.assembly import assemble
from mockserver.server.edge.app import App
from mockserver.state.project import Project
from mockserver.state.world import EPOCH_MS, ProjectDefaults, World
from tests.scenario.conftest import Everything, Load
from tests.scenario.mutations import EXAMPLES, junk, replaced
from tests.tables import cases

RULES = """
rules:
  - when:
      call: [CreateContract, "GET /v1/**"]
      headers: {x-a: {one_of: [a, b]}}
      query: {limit: {above: 3}}
      body: {name: {length: {at_most: 5}}, "": {subset: {name: T}}}
      caller: {key: secret, user: {present: false}, scope: contracts:read}
      resource: {contract: {path: id}, exists: false}
      clock: {after: 1ms, before: 2030-01-01T00:00:00Z}
      any: [GetContracts, {not: {state: start}}]
      probability: 0.5
      nth: {every: 2}
    then: {patch: {a: 1}}
"""
"""Every matcher once."""

TOKEN = '{name: Token, chainId: 80002, address: "0x5FbDB2315678afecb367f032d93F642f64180aa3"}'
OTHER = '{name: Other, chainId: 80002, address: "0x00000000000000000000000000000000000000AA"}'


def test_a_step_creates_through_the_public_api(load: Load, api: Client) -> None:
    load(f"given:\n  - {{call: CreateContract, body: {TOKEN}}}\n")
    assert [row["name"] for row in api.get("/v1/contracts").json()["data"]] == ["Token"]


def test_values_of_a_step_s_headers_are_sent_as_they_are(load: Load, project: Project) -> None:
    load(f"""
        given:
          - call: CreateContract
            body: {TOKEN}
            as: token
          - call: signUpEmail
            headers:
              X-PROJECT-KEY: "${{project.publishable_key}}"
              User-Agent: "A test of ${{token.name}} on ${{token.chainId}}; v/2"
            body: {{name: Ada, email: ada@example.com, password: correct horse battery}}
    """)
    (session,) = project.identity.sessions
    assert session.user_agent == "A test of Token on 80002; v/2"


def test_references_reach_into_captured_answers(load: Load, project: Project) -> None:
    load(f"""
        given:
          - call: CreateContract
            body: {TOKEN}
            as: token
          - call: GetContract
            path: {{id: "${{token.id}}"}}
            as: again
          - call: GET /v1/contracts/${{again.id}}
          - call: GetContracts
            query: {{chainId: "${{token.chainId}}", limit: 1}}
            as: page
          - call: CreateContract
            body:
              name: "$${{}} ${{page.data[0].name}} on ${{token.chainId}} of ${{project.id}}"
              chainId: "${{token.chainId}}"
              address: "0x00000000000000000000000000000000000000AA"
    """)
    names = [row.name for row in project.onchain.contracts]
    assert names == ["Token", f"${{}} Token on 80002 of {project.id}"]


def test_steps_use_the_projects_keys_unseen_by_the_journal(load: Load, project: Project) -> None:
    load("""
        given:
          - call: signUpEmail
            headers: {x-project-key: "${project.publishable_key}"}
            body: {name: Ada, email: ada@example.com, password: correct horse battery}
            as: ada
          - call: getUserSession
            headers: {authorization: "Bearer ${ada.token}", X-Project-Key: "${project.publishable_key}"}
    """)
    assert [user.email for user in project.identity.users] == ["ada@example.com"]
    assert project.history.calls == 0


def test_a_step_that_needs_the_wallet_secret_is_signed_with_it(load: Load, project: Project) -> None:
    load("given:\n  - {call: createBackendWallet, body: {chainType: EVM}}\n")
    assert len(project.wallets.accounts) == 1


CREATE = f"given:\n  - {{call: CreateContract, body: {TOKEN}, as: c}}\n"

REFUSED = [
    (f"{CREATE}  - {{call: CreateContract, body: {TOKEN}}}\n", 3, 5),
    ("given:\n  - {call: GetContract, path: {id: con_nope}}\n", 2, 5),
    (CREATE + "  - {call: GetContract, path: {id: '${c.ID}'}}\n", 3, 36),
    (CREATE + "  - {call: GetContract, path: {id: 'a${c.abi}'}}\n", 3, 36),
    (CREATE + "rules:\n  - {when: {nth: '${c.id}'}, then: {delay: 1s}}\n", 4, 18),
    (CREATE + "fates:\n  - {outcome: dropped, chain_id: '${c.id}'}\n", 4, 34),
]


@cases("text, line, column", *REFUSED)
def test_a_scenario_that_is_refused_changes_nothing(
    text: str, line: int, column: int, load: Load, api: Client, everything: Everything
) -> None:
    load("rules:\n  - {when: GetContracts, then: {state: on}}\n")
    api.get("/v1/contracts")
    before = everything()
    head = "settings: {require_https: true}\nclock: 2027-01-01T00:00:00Z\nkeys: [sk_test_b, sk_live_b]\n"
    with pytest.raises(ScenarioError) as caught:
        load(head + text)
    assert [(f.line, f.column) for f in caught.value.findings] == [(line + 3, column)]
    assert everything() == before


@cases("batch", False, True)
def test_a_step_that_json_rpc_refuses_rejects_the_scenario(batch: bool, load: Load) -> None:
    call = "{jsonrpc: '2.0', id: 1, method: eth_sendRawTransaction, params: ['0x02']}"
    body = f"[{call}]" if batch else call
    with pytest.raises(ScenarioError, match=r":1:9: HandleNodeRequest was refused with an error"):
        load(f"given: [{{call: HandleNodeRequest, path: {{chain: 84532}}, body: {body}}}]")


def test_a_seed_that_is_taken_back_leaves_no_trace(load: Load, everything: Everything) -> None:
    before = everything()
    with pytest.raises(ScenarioError, match=r"404 contract_not_found: There is no contract con_nope"):
        load("seed: x\nclock: 2020-01-01T00:00:00Z\ngiven:\n  - {call: GetContract, path: {id: con_nope}}\n")
    assert everything() == before


def test_the_same_seed_gives_the_same_ids_in_any_project(routes: Routes) -> None:
    ids = set()
    for name in ("one", "two"):
        world = World(name)
        project = world.create(name=name)
        text = f"seed: 42\ngiven:\n  - {{call: CreateContract, body: {TOKEN}}}\n"
        apply(world, project, read(text, "s", routes), assemble(world).pipeline.answer)
        ids.add(next(iter(project.onchain.contracts)).id)
        assert project.seed == "42"
    expected = Entropy("42").uuid("con")
    assert ids == {f"con_{expected}"}


def test_a_rejected_call_draws_nothing_from_a_scenarios_seed(load: Load, api: Client) -> None:
    load("seed: 42")
    # It creates a player and an account before it finds that the contract does not exist.
    rejected = {"chainId": 80002, "interactions": [{"contract": "con_nope", "functionName": "mint"}]}
    assert api.post("/v1/transaction_intents", json=rejected).status_code == 404
    player = api.post("/v1/players", json={"name": "Ada"}).json()["id"]
    assert player == f"pla_{Entropy('42').uuid('pla')}"


def test_a_scenarios_seed_ends_with_reset_and_restore(load: Load, project: Project) -> None:
    own, before = project.seed, project.snapshot()
    load("seed: 42")
    project.restore(before)
    assert (project.seed, project.new_id("acc")) == (own, f"acc_{Entropy(own).uuid('acc')}")
    project.restore(before)
    load("seed: 42")
    project.reset()
    assert (project.seed, project.new_id("acc")) == (own, f"acc_{Entropy(own).uuid('acc')}")


def test_a_seed_is_only_for_an_empty_project(load: Load, api: Client) -> None:
    load(f"given:\n  - {{call: CreateContract, body: {TOKEN}}}\n")
    with pytest.raises(ScenarioError, match="still empty"):
        load("seed: 42")


def test_a_project_with_a_snapshot_is_not_empty(load: Load, project: Project, api: Client) -> None:
    api.post(f"/_mock/projects/{project.id}/snapshots", json={})
    with pytest.raises(ScenarioError, match="still empty"):
        load("seed: 42")


def test_the_clock_stands_where_it_is_told_to(load: Load, project: Project, api: Client) -> None:
    load("clock: 2020-06-01T12:00:00+02:00")
    assert project.clock.read() == (1_591_005_600_000, "frozen", 1.0)
    load("clock: {mode: ticking, at: 2026-03-01T00:00:00Z, rate: 60}")
    assert project.clock.read() == (1_772_323_200_000, "ticking", 60.0)
    for mode in ("frozen", "ticking"):
        load(f"clock: {mode}")
        assert project.clock.read().mode == mode
    with pytest.raises(ScenarioError, match="time only goes forward"):
        load("clock: 2020-06-01T12:00:00Z")


def test_the_clock_ticks_on_after_steps_taken_while_it_stood(routes: Routes) -> None:
    real = [EPOCH_MS]
    world = World(real_ms=lambda: real[0], defaults=ProjectDefaults(now_ms=None, mode="ticking"))
    project = world.create(name="ticks")
    text = f"given:\n  - {{call: CreateContract, body: {TOKEN}}}\n"
    apply(world, project, read(text, "s", routes), assemble(world).pipeline.answer)
    assert project.clock.read() == (EPOCH_MS, "ticking", 1.0)
    assert project.clock.target_ms(EPOCH_MS + 500) == EPOCH_MS + 500


def test_declared_keys_open_the_project_or_its_other_mode(load: Load, world: World, project: Project) -> None:
    load("""
        clock: 2026-02-01T00:00:00Z
        settings: {unknown_chains: refuse}
        keys:
          - {key: sk_test_reader, scopes: [contracts:read]}
          - sk_live_shop
    """)
    assert world.key("sk_test_reader").project is project
    assert world.key("sk_test_reader").scopes == {"contracts:read"}
    live = world.key("sk_live_shop").project
    assert live.livemode
    assert (live.name, live.settings.unknown_chains) == (project.name, "refuse")
    assert live.clock.read() == project.clock.read()


def test_a_key_of_another_project_is_refused(load: Load, world: World, everything: Everything) -> None:
    world.create(name="other")
    before = everything()
    with pytest.raises(ScenarioError, match=r"test.yaml:2:5: another project has this key"):
        load("keys:\n  - sk_test_other\n")
    assert everything() == before


def test_settings_that_are_not_named_stay(load: Load, project: Project) -> None:
    load("settings: {wait_limit_ms: 5}")
    load("settings: {one_time_code: '123456'}")
    assert (project.settings.wait_limit_ms, project.settings.one_time_code) == (5, "123456")


def test_steps_do_not_meet_the_rules_of_other_scenarios(load: Load, project: Project) -> None:
    load("rules:\n  - {then: {answer: 503}}\n")
    load(f"given:\n  - {{call: CreateContract, body: {TOKEN}}}\n")
    assert len(project.onchain.contracts) == 1
    assert len(project.scenarios) == 2


def test_steps_are_taken_although_the_project_wants_https(load: Load, project: Project) -> None:
    load(f"settings: {{require_https: true}}\ngiven:\n  - {{call: CreateContract, body: {TOKEN}}}\n")
    assert len(project.onchain.contracts) == 1


def test_fates_wait_for_transactions(load: Load, project: Project) -> None:
    load("""
        fates:
          - {outcome: reverted, reason: no, after: 5s, count: 2}
          - {outcome: confirmed, count: all}
          - {outcome: expired, kind: transaction}
          - {outcome: expired, kind: solana_transaction}
        """)
    first, second, *expired = project.onchain.fates
    assert (first.outcome, first.remaining, first.options) == (
        "reverted",
        2,
        {"reason": "no", "after_ms": 5000},
    )
    assert (second.kind, second.remaining) == ("solana_transaction", None)
    assert [fate.kind for fate in expired] == ["transaction", "solana_transaction"]


def test_unloading_takes_away_its_rules_only(load: Load, project: Project, api: Client) -> None:
    loaded = load(f"""
        given:
          - {{call: CreateContract, body: {TOKEN}}}
        rules:
          - {{when: GetContracts, then: {{answer: 503, state: broken}}}}
    """)
    assert api.get("/v1/contracts").status_code == 503
    assert project.scenario_state == "broken"
    unload(project, loaded.id)
    assert api.get("/v1/contracts").json()["total"] == 1
    assert (len(project.requests.rule_states), project.scenario_state) == (0, "start")
    with pytest.raises(KeyError):
        unload(project, loaded.id)


def test_a_snapshot_holds_rules_counters_and_state(load: Load, project: Project, api: Client) -> None:
    load("rules:\n  - {when: {call: GetContracts, nth: 1}, then: {answer: 503, state: later}}\n")
    state = project.snapshot()
    assert api.get("/v1/contracts").status_code == 503
    assert api.get("/v1/contracts").status_code == 200
    project.restore(state)
    assert project.scenario_state == "start"
    assert api.get("/v1/contracts").status_code == 503


def test_a_failure_of_our_own_takes_everything_back_too(
    world: World, project: Project, routes: Routes, everything: Everything, app: App
) -> None:
    def broken(_request: object) -> object:
        raise RuntimeError("broken")

    before = everything()
    text = f"seed: 7\nkeys: [sk_live_b]\ngiven:\n  - {{call: CreateContract, body: {OTHER}}}\n"
    with pytest.raises(RuntimeError):
        apply(world, project, read(text, "s", routes), broken)
    assert everything() == before


def test_a_whole_reference_becomes_that_list_or_object(load: Load, project: Project) -> None:
    abi = "[{type: function, name: mint, inputs: [{name: to, type: address}]}]"
    load(f"""
        given:
          - call: CreateContract
            body: {{name: One, chainId: 80002, address: "0x{"11" * 20}", abi: {abi}}}
            as: one
          - call: CreateContract
            body: {{name: Two, chainId: 80002, address: "0x{"22" * 20}", abi: "${{one.abi}}"}}
          - call: CreateContract
            body: {{name: Three, chainId: 80002, address: "0x{"33" * 20}", abi: ["${{one.abi[0]}}"]}}
    """)
    one, two, three = project.onchain.contracts
    assert one.abi
    assert one.abi == two.abi == three.abi


def test_a_refused_scenarios_key_has_its_former_scopes(load: Load, everything: Everything) -> None:
    load("keys:\n  - {key: sk_test_shop, scopes: [contracts:read]}\n")
    before = everything()
    with pytest.raises(ScenarioError):
        load("keys: [sk_test_shop]\ngiven:\n  - {call: GetContract, path: {id: con_none}}\n")
    assert everything() == before


def test_a_step_that_is_answered_without_json_captures_null(load: Load, everything: Everything) -> None:
    captured = load("""
        given:
          - call: GET /iam/v2/auth/reset-password/none
            query: {callbackURL: /here}
            headers: {x-project-key: "${project.publishable_key}"}
            as: redirect
    """).captured
    assert captured == {"redirect": None}


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.sampled_from([*EXAMPLES, RULES]),
    st.lists(st.tuples(st.lists(st.integers(0, 9), max_size=7), junk), max_size=3),
)
def test_a_changed_scenario_takes_effect_wholly_or_not(
    api: Client, everything: Everything, example: Path | str, changes: list[tuple[list[int], Any]]
) -> None:
    tree: Any = yaml.safe_load(example if isinstance(example, str) else example.read_text())
    for steps, value in changes:
        tree = replaced(copy.deepcopy(tree), steps, value)
    before = everything()
    loaded = api.post(
        "/_mock/projects/-/scenarios",
        content=yaml.safe_dump(tree),
        headers={"content-type": "application/yaml"},
    )
    assert loaded.status_code in (201, 400)
    if loaded.status_code == 400:
        assert everything() == before
        assert loaded.json()["errors"]
    for call in ("GET /v1/contracts?limit=5", "POST /v1/contracts", "GET /v2/transactions/tin_1"):
        method, _, target = call.partition(" ")
        with suppress(TransportError):
            answer = api.request(method, target, json={"name": "T"} if method == "POST" else None)
            assert answer.status_code != 500 or "x-mockserver-rule" in answer.headers
    api.delete("/_mock/projects/-/scenarios")


@cases(
    "reference, message",
    ("${c.ID}", "${c.ID}: c has no 'ID'; there is id, object, createdAt"),
    ("${c.id.x}", "${c.id.x}: c.id has no 'x'"),
    ("${c.abi[0].kind}", "${c.abi[0].kind}: c.abi.0 has no 'kind'; there is"),
    ("a${c.abi}", "${c.abi} is a list or an object, which does not fit into a text"),
    ("${c.abi[0]}b", "${c.abi[0]} is a list or an object, which does not fit into a text"),
)
def test_a_reference_to_nothing_is_told_with_what_is(load: Load, reference: str, message: str) -> None:
    abi = "[{type: function, name: mint, inputs: []}]"
    contract = f"{{name: One, chainId: 80002, address: '0x{'11' * 20}', abi: {abi}}}"
    with pytest.raises(ScenarioError) as caught:
        load(f"""
            given:
              - {{call: CreateContract, body: {contract}, as: c}}
              - {{call: GetContract, path: {{id: '{reference}'}}}}
        """)
    (finding,) = caught.value.findings
    assert finding.message.startswith(message)


@cases("name", "${GetContracts", "$${GetContracts}", "$${project.id}")
def test_what_is_no_reference_hides_no_mistake(load: Load, name: str) -> None:
    with pytest.raises(ScenarioError, match="is not an operation"):
        load(f"rules: [{{when: '{name}', then: {{delay: 1s}}}}]")
