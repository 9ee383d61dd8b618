"""A test that is exported for vitest passes there, and fails where the server answers otherwise."""

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from httpx import Client, TransportError

from mockserver import cli
from mockserver.server.edge.app import App
from mockserver.state.project import Project
from mockserver.testing.server import LiveServer
from tests.clients.installing import ROOT, installed
from tests.replay.recorded import account_of, contract, sign_up, transfer
from tests.wallet_auth import WalletAuth

pytestmark = pytest.mark.clients

RULES = """
settings: {one_time_code: "123456"}
rules: [{when: GET /v1/contracts/gone, then: {fault: connection_reset_by_peer}}]
"""
_LIMIT_S = 120


@pytest.fixture
def vitest(tmp_path: Path) -> Callable[[str], tuple[int, str]]:
    """Runs the source of a test; the exit code, and what it says."""
    modules = tmp_path / "node_modules"
    modules.mkdir()
    package = ROOT / "clients" / "node"
    (modules / "vitest").symlink_to(installed(package) / "vitest", target_is_directory=True)
    (modules / "wallet-api-double").symlink_to(package, target_is_directory=True)

    def run(source: str) -> tuple[int, str]:
        (tmp_path / "run.test.mjs").write_text(source, encoding="utf-8")
        with LiveServer() as server:
            ran = subprocess.run(
                ["node", str(modules / "vitest" / "vitest.mjs"), "run", "--no-color"],
                cwd=tmp_path,
                env={"PATH": os.environ["PATH"], "HOME": str(tmp_path), "MOCKSERVER_URL": server.url},
                capture_output=True,
                text=True,
                timeout=_LIMIT_S,
                check=False,
            )
        return ran.returncode, f"{ran.stdout}{ran.stderr}"

    return run


def some_calls(api: Client, project: Project) -> None:
    """Calls with faults and errors, with signatures, and with values from all places of answers."""
    headers = {"content-type": "application/yaml"}
    loaded = api.post(f"/_mock/projects/{project.id}/scenarios", content=RULES, headers=headers)
    assert loaded.status_code == 201
    contract(api, "a1")
    assert contract(api, "a1").status_code == 409
    with pytest.raises(TransportError):
        api.get("/v1/contracts/gone")
    api.post("/v1/contracts", content=b"\xff\x00 no text")
    api.post("/v1/contracts", json={"name": 'it\'s "so" é\N{SNOWMAN}\n' * 20, "chainId": 2**60})
    user = sign_up(api, project, "ada")
    cookie, token = user.headers["set-cookie"].partition(";")[0], user.json()["token"]
    key = project.publishable_key
    for sent in (
        {"cookie": cookie, "authorization": f"Bearer {key}"},
        {"authorization": f"Bearer {token}"},
    ):
        found = api.get("/iam/v2/auth/get-session", headers={"x-project-key": key, **sent})
        assert found.json()["user"]["email"] == "ada@example.com"
    auth = WalletAuth(api.post(f"/_mock/projects/{project.id}/wallet-secret").json()["wallet_secret"])
    wallet = api.post("/v2/accounts/backend?a=1", json={"chainType": "EVM"}, auth=auth).json()["id"]
    assert api.get(f"/v2/accounts/{wallet}").status_code == 200
    api.post(f"/_mock/projects/{project.id}/clock/advance", json={"seconds": 90})
    batch = [{"jsonrpc": "2.0", "id": 1, "method": each} for each in ("eth_chainId", "eth_none")]
    for asked in (batch, *batch):
        api.post(f"/_mock/projects/{project.id}/chains/80002/rpc", json=asked)
    assert transfer(api, project, account_of(api, user.json()["user"]["id"])).json()["status"] == "successful"


def test_an_exported_test_passes_with_vitest(
    app: App,
    api: Client,
    project: Project,
    vitest: Callable[[str], tuple[int, str]],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    file = tmp_path / "run.jsonl"
    app.recordings.start(file)
    some_calls(api, project)
    app.recordings.close()
    assert cli.main(["export", str(file), "--to", "vitest", "--assert", "/status", "/accountId"]) == 0
    source = capsys.readouterr().out
    assert max(map(len, source.splitlines())) <= 110
    for part in (
        "walletAuth: true",
        "mockProject.sign(",
        ".cookies",
        ".rejects.toThrow(",
        ".clock.advance(90)",
    ):
        assert part in source
    code, said = vitest(source)
    assert code == 0, f"{said}\n{source}"
    assert "1 passed" in said
    code, said = vitest(source.replace('toEqual("successful")', 'toEqual("failed")'))
    assert (code, "1 failed" in said) == (1, True), said
