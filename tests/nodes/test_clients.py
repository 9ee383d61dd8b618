"""What applications do with a node and a bundler, by the libraries that they use."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from mockserver.testing.server import LiveServer
from tests.chain.evm import machines
from tests.clients.installing import installed
from tests.nodes.node import CHAIN
from tests.tables import cases

pytestmark = pytest.mark.clients

HERE = Path(__file__).parent / "clients"
CONTRACTS = Path(machines.__file__).with_name("contracts.json")
RULE = {"action": "accept", "operation": "sponsorEvmTransaction", "criteria": []}


@cases("mode", "frozen", "ticking")
def test_clients_of_nodes_and_bundlers_work_unchanged(tmp_path: Path, mode: str) -> None:
    (tmp_path / "node_modules").symlink_to(installed(HERE), target_is_directory=True)
    shutil.copy(HERE / "flows.mjs", tmp_path)
    with LiveServer() as server:
        project = server.control.create_project(name="chains", clock={"mode": mode})
        with project.connect() as api:
            policy = api.post("/v2/policies", json={"scope": "project", "rules": [RULE]}).json()
            sponsorship = {"strategy": {"sponsorSchema": "pay_for_user"}, "policyId": policy["id"]}
            assert api.post("/v2/fee-sponsorship", json=sponsorship).is_success
        node = f"{server.url}/_mock/projects/{project.id}/chains/{CHAIN}/rpc"
        bundler = f"{server.url}/rpc/{CHAIN}"
        ran = subprocess.run(
            ["node", "flows.mjs", node, bundler, project.publishable_key, str(CONTRACTS)],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
    assert ran.returncode == 0, ran.stderr
    assert json.loads(ran.stdout.splitlines()[-1]) == []
