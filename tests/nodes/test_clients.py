"""What applications do with a node and a bundler, by the libraries that they use."""

import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from mockserver.testing.project import MockProject
from mockserver.testing.server import LiveServer
from tests.chain.evm import machines
from tests.clients.installing import installed
from tests.nodes.node import CHAIN
from tests.thoroughness import sampled

pytestmark = pytest.mark.clients

HERE = Path(__file__).parent / "clients"
ROOT = Path(__file__).parents[2]
CONTRACTS = Path(machines.__file__).with_name("contracts.json")
RULE = {"action": "accept", "operation": "sponsorEvmTransaction", "criteria": []}


CLOCKS: dict[str, dict[str, str | int]] = {
    "frozen": {"mode": "frozen"},
    "ticking": {"mode": "ticking", "rate": 20},
}
"""A ticking clock has a block every 0.1 seconds of real time."""


@pytest.fixture(params=sampled(CLOCKS, 2))
def project(request: pytest.FixtureRequest) -> Iterator[MockProject]:
    """A project of a server, with what its paymaster needs."""
    with LiveServer() as server:
        project = server.control.create_project(name="chains", clock=CLOCKS[request.param])
        with project.connect() as api:
            policy = api.post("/v2/policies", json={"scope": "project", "rules": [RULE]}).json()
            sponsorship = {"strategy": {"sponsorSchema": "pay_for_user"}, "policyId": policy["id"]}
            assert api.post("/v2/fee-sponsorship", json=sponsorship).is_success
        yield project


def failed_flows(folder: Path, script: str, *arguments: str, within: tuple[str, ...] = ()) -> list[str]:
    """What failed of the flows of a script, which another command may run."""
    (folder / "node_modules").symlink_to(installed(HERE), target_is_directory=True)
    for name in (script, "flow.mjs"):
        shutil.copy(HERE / name, folder)
    command = [*within, "node", script, *arguments]
    ran = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120, check=False)
    assert ran.returncode == 0, ran.stderr
    failed: list[str] = json.loads(ran.stdout.splitlines()[-1])
    return failed


def test_clients_of_nodes_and_bundlers_work_unchanged(tmp_path: Path, project: MockProject) -> None:
    bundler, key = f"{project.url}/rpc/{CHAIN}", project.publishable_key
    assert failed_flows(tmp_path, "evm.mjs", project.rpc_url(CHAIN), bundler, key, str(CONTRACTS)) == []


def test_wagmi_and_web3_js_work_unchanged(tmp_path: Path, project: MockProject) -> None:
    assert failed_flows(tmp_path, "wagmi_web3.mjs", project.rpc_url(CHAIN), str(CONTRACTS)) == []


def test_rollups_and_payments_work_unchanged(tmp_path: Path, project: MockProject) -> None:
    nodes = project.rpc_url(CHAIN), project.rpc_url(11155111)
    assert failed_flows(tmp_path, "payments.mjs", *nodes, str(CONTRACTS)) == []


def test_clients_of_solana_work_unchanged(tmp_path: Path, project: MockProject) -> None:
    node = f"{project.url}/_mock/projects/{project.id}/solana/devnet/rpc"
    assert failed_flows(tmp_path, "solana.mjs", node) == []


def test_umi_and_anchor_work_unchanged(tmp_path: Path, project: MockProject) -> None:
    node = f"{project.url}/_mock/projects/{project.id}/solana/devnet/rpc"
    assert failed_flows(tmp_path, "solana_programs.mjs", node) == []


def test_programs_with_fixed_hosts_work_unchanged(tmp_path: Path) -> None:
    hosts = tmp_path / "hosts.yaml"
    hosts.write_text("sepolia.base.org: 84532\napi.devnet.solana.com: solana/devnet\n")
    exec_ = (sys.executable, "-m", "mockserver", "exec", "--redirect-hosts", str(hosts), "--")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", str(ROOT))
        assert failed_flows(tmp_path, "redirected.mjs", within=exec_) == []
