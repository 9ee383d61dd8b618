"""Every example does what it says."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest
from starlette.testclient import TestClient

from mockserver import create_app
from mockserver.api.endpoint import Routes
from mockserver.application import DEFAULT_SCENARIO
from mockserver.chain.implementations import IMPLEMENTATIONS
from mockserver.domain.wallets.accounts import create_contract_account, create_eoa
from mockserver.domain.wallets.wallets import create_wallet
from mockserver.scenario.apply import apply
from mockserver.scenario.load import read
from mockserver.server.app import App
from mockserver.server.assembly import ENDPOINTS
from mockserver.state.project import Project
from mockserver.state.wallets import Account
from mockserver.state.world import World
from tests.transport import InProcessTransport

FOLDER = Path(__file__).parents[2] / "scenarios"
FILES = sorted(FOLDER.glob("*.yaml"))
ROUTES = Routes(ENDPOINTS)

Play = Callable[[str], None]


@pytest.fixture
def play(app: App, world: World, project: Project) -> Play:
    """Loads an example by its name."""

    def load(name: str) -> None:
        text = (FOLDER / f"{name}.yaml").read_text()
        apply(world, project, read(text, name, ROUTES), app.pipeline.answer)

    return load


def client(app: App, key: str) -> httpx.Client:
    """A client with a key of its own."""
    headers = {"authorization": f"Bearer {key}"}
    return httpx.Client(transport=InProcessTransport(app), base_url="http://mock", headers=headers)


def create_smart_account(project: Project) -> Account:
    """A smart account that the mock signs for."""
    owner = create_eoa(project, create_wallet(project), "EVM", held_by="Developer")
    account = create_contract_account(project, owner, 80002, IMPLEMENTATIONS["UpgradeableV6"])
    project.undo.mark()
    return account


def create(api: httpx.Client, number: int = 1, **members: Any) -> httpx.Response:
    """Register a contract."""
    body = {"name": f"Contract {number}", "chainId": 80002, "address": f"0x{number:040x}", **members}
    return api.post("/v1/contracts", json=body)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_every_example_is_valid_short_and_explains_itself(path: Path) -> None:
    text = path.read_text()
    read(text, path.name, ROUTES)
    assert 5 <= len(text.splitlines()) <= 30
    assert "\nabout: " in text


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_every_example_is_loaded_and_tested_here(path: Path, play: Play) -> None:
    play(path.stem)
    assert f'play("{path.stem}")' in Path(__file__).read_text()


def test_every_example_is_listed_in_the_readme() -> None:
    readme = (FOLDER / "README.md").read_text()
    assert [path.name for path in FILES if f"({path.name})" not in readme] == []


def test_the_grammar_in_the_readme_is_a_scenario(
    app: App, world: World, project: Project, api: httpx.Client
) -> None:
    text = (FOLDER / "README.md").read_text().partition("```yaml\n")[2].partition("```")[0]
    loaded = apply(world, project, read(text, "README.md", ROUTES), app.pipeline.answer)
    assert loaded.name == "checkout"
    assert len(loaded.rules) == 7
    assert api.get("/v1/contracts").json() == {"error": {"message": "Away"}}


def test_rate_limit(play: Play, api: httpx.Client, project: Project) -> None:
    play("rate-limit")
    assert [create(api, number).status_code for number in range(4)] == [200, 200, 200, 429]
    wait_s = int(create(api, 4).headers["retry-after"])
    assert wait_s == 10
    project.clock.move_to(project.clock.now_ms + wait_s * 1000)
    assert create(api, 4).status_code == 200


def test_flaky_create(play: Play, api: httpx.Client) -> None:
    play("flaky-create")
    first, second, third = create(api), create(api), create(api)
    assert [first.status_code, second.status_code, third.status_code] == [503, 503, 200]
    assert (first.headers["retry-after"], first.headers["content-type"]) == ("1", "text/html")


def test_all_examples_load_together_as_a_mounted_directory() -> None:
    with TestClient(create_app(scenarios=FOLDER, clock="frozen")) as client:
        headers = {"authorization": "Bearer sk_test_default"}
        listed = client.get("/_mock/projects/-/scenarios", params={"limit": 100}, headers=headers).json()
        assert listed["total"] == len(FILES)
        assert client.post("/_mock/projects/-/reset", headers=headers).status_code == 200


def test_lost_answer(play: Play, api: httpx.Client, project: Project) -> None:
    play("lost-answer")
    rule = {"action": "accept", "operation": "sponsorEvmTransaction", "criteria": []}
    sent: dict[str, Any] = {
        "json": {"scope": "account", "rules": [rule]},
        "headers": {"x-idempotency-key": "order 17"},
    }
    with pytest.raises(httpx.ReadError):
        api.post("/v2/policies", **sent)
    retried = api.post("/v2/policies", **sent)
    assert api.get("/v2/policies").json()["data"] == [retried.json()]


def test_broken_connection(play: Play, api: httpx.Client) -> None:
    play("broken-connection")
    for _ in range(2):
        with pytest.raises(httpx.RemoteProtocolError):
            create(api)
    assert create(api).status_code == 200


def test_slow_answer(play: Play, api: httpx.Client, project: Project) -> None:
    play("slow-answer")
    spans = []
    for _ in range(4):
        before_ms = project.clock.now_ms
        api.get("/v1/contracts")
        spans.append(project.clock.now_ms - before_ms)
    assert spans == [0, 2_500, 0, 2_500]


def test_patched_answer(play: Play, api: httpx.Client) -> None:
    play("patched-answer")
    contract_id = api.get("/v1/contracts").json()["data"][0]["id"]
    answer = api.get(f"/v1/contracts/{contract_id}").json()
    assert answer["name"] == "Token (renamed)"
    assert answer["futureMember"] == {"of": ["clients", "that", "are", "strict"]}
    assert "publicVerification" not in answer
    assert answer["chainId"] == 80002


def test_scoped_key(play: Play, app: App) -> None:
    play("scoped-key")
    with client(app, "sk_test_reader") as reader:
        assert reader.get("/v1/contracts").json()["total"] == 1
        assert create(reader).status_code == 403


def test_declared_live_key(play: Play, app: App, api: httpx.Client) -> None:
    play("declared-live-key")
    assert create(api).status_code == 200
    with client(app, "sk_live_made_up_for_this_test") as live:
        assert live.get("/v1/contracts").json()["total"] == 0
        assert create(live, chainId=80002).status_code == 400
        assert create(live, chainId=137).status_code == 200
    with client(app, "sk_live_declared_nowhere") as stranger:
        assert stranger.get("/v1/contracts").status_code == 401


def test_error_from_catalogue(play: Play, api: httpx.Client) -> None:
    play("error-from-catalogue")
    taken = create(api, address="0x5FbDB2315678afecb367f032d93F642f64180aa3")
    assert (taken.status_code, taken.json()["error"]["code"]) == (409, "contract_already_exists")
    assert create(api, address=f"0x{2:040x}").status_code == 200
    gone = api.get("/v1/contracts/con_gone_for_good")
    assert gone.status_code == 404
    assert gone.json()["error"]["message"] == "It was here a minute ago."
    assert gone.json()["error"]["param"] == "id"


def test_states(play: Play, api: httpx.Client, project: Project) -> None:
    play("states")
    assert create(api, 1).status_code == 200
    assert create(api, 2, name="The last call").status_code == 200
    assert project.scenario_state == "maintenance"
    down = create(api, 3)
    assert (down.status_code, down.json()["error"]["message"]) == (503, "Down for maintenance.")
    assert api.get("/v1/contracts").json()["total"] == 2
    assert create(api, 3).status_code == 200


def test_reverted_transaction(play: Play, api: httpx.Client, project: Project) -> None:
    play("reverted-transaction")
    account_id = next(iter(project.wallets.accounts)).id
    calls = [{"to": f"0x{1:040x}", "value": "1"}]
    body = {"accountId": account_id, "chainId": 80002, "calls": calls}
    began_ms = project.clock.now_ms
    first = api.post("/v2/transactions", json=body).json()
    assert (first["status"], project.clock.now_ms - began_ms) == ("reverted", 5_000)
    assert "transfer amount exceeds balance" in first["receipt"]["error"]["reason"]
    assert api.post("/v2/transactions", json=body).json()["status"] == "successful"


def test_the_default_scenario_gives_something_to_start_with(
    app: App, world: World, project: Project, api: httpx.Client
) -> None:
    apply(world, project, read(DEFAULT_SCENARIO.read_text(), "default.yaml", ROUTES), app.pipeline.answer)
    account = next(
        row for row in api.get("/v2/accounts").json()["data"] if row["accountType"] == "Smart Account"
    )
    assert account["chainId"] == 80002
    assert api.get("/v1/contracts").json()["data"][0]["name"] == "Token"
    sponsorship = api.get("/v2/fee-sponsorship").json()["data"][0]
    assert sponsorship["chainId"] == 80002
    assert api.get(f"/v2/policies/{sponsorship['policyId']}").status_code == 200


def test_dry_sponsor(play: Play, api: httpx.Client, project: Project) -> None:
    play("dry-sponsor")
    account = create_smart_account(project)
    sponsorship = api.get("/v2/fee-sponsorship").json()["data"][0]["id"]
    body = {
        "accountId": account.id,
        "chainId": 80002,
        "calls": [{"to": f"0x{1:040x}"}],
        "feeSponsorshipId": sponsorship,
    }
    made = [api.post("/v2/transactions", json=body).json() for _ in range(5)]
    assert [row["status"] for row in made] == ["successful"] * 4 + ["failed"]
    assert made[4]["receipt"]["error"]["reason"] == "AA31: paymaster deposit too low"


def test_reorganization(play: Play, api: httpx.Client, project: Project) -> None:
    play("reorganization")
    account = create_smart_account(project)
    body = {"accountId": account.id, "chainId": 80002, "calls": [{"to": f"0x{1:040x}"}]}
    row = api.post("/v2/transactions", json=body).json()
    assert row["status"] == "successful"
    logs = api.get(f"/v2/transactions/{row['id']}", params={"expand": "logs"}).json()["receipt"]["logs"]
    assert {log.get("orphaned", False) for log in logs} == {True, False}


def test_poor_and_pricey(play: Play, api: httpx.Client, project: Project) -> None:
    play("poor-and-pricey")
    account_id = next(iter(project.wallets.accounts)).id
    body = {"accountId": account_id, "chainId": 80002, "calls": [{"to": f"0x{1:040x}"}]}
    made = [api.post("/v2/transactions", json=body).json() for _ in range(10)]
    statuses = [row["status"] for row in made]
    assert statuses == sorted(statuses, reverse=True)
    assert set(statuses) == {"successful", "failed"}
    fee = int(made[0]["receipt"]["gasFee"])
    assert fee == int(made[0]["receipt"]["gasUsed"]) * (50 * 10**9 + 10**8)
    assert float(made[0]["costUsd"]) == pytest.approx(fee / 10**18 / 2, abs=1e-8)
