"""Contracts with code from a scenario file, from the Python client, in reports, and on the command line."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from httpx import Client

from mockserver import cli
from mockserver.cli import trace
from mockserver.scenario.checking.files import read_text
from mockserver.scenario.reading.findings import ScenarioError
from mockserver.state.project import Project
from mockserver.testing.server import LiveServer
from tests.operations.contracts_with_code.chain import AMOY, THERE, Chain, artifact_of
from tests.operations.responses import ok
from tests.tables import cases

SCENARIO = f"""\
given:
  - call: DeployContract
    path: {{chain: 80002}}
    body: {{artifact: out/Token.json, args: [Gold, GLD, "1000"], sender: "{THERE}"}}
    as: token
  - call: SetChainAddress
    path: {{chain: 80002, address: "${{token.address}}"}}
    body: {{balance_wei: "7"}}
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "Token.json").write_text(json.dumps(artifact_of("Token")))
    (tmp_path / "token.yaml").write_text(SCENARIO)
    return tmp_path / "token.yaml"


def test_a_scenario_file_names_artifacts_by_their_paths(api: Client, project: Project, file: Path) -> None:
    text = read_text(file)
    assert "out/Token.json" not in text
    assert text.count("\n") == SCENARIO.count("\n")
    headers = {"content-type": "application/yaml"}
    loaded = api.post("/_mock/projects/-/scenarios", content=text.encode(), headers=headers)
    assert loaded.status_code == 201, loaded.text
    token = loaded.json()["captured"]["token"]
    chain = Chain.of(api, project)
    assert chain.read(token, "balanceOf", THERE) == "1000"
    assert chain.address(token["address"])["balance_wei"] == "7"


@cases(
    "path, said",
    ("out/Tokn.json", "there is no file out/Tokn.json (did you mean Token.json?)"),
    ("token.yaml", "token.yaml is no compiled contract"),
)
def test_an_artifact_that_is_not_there_is_a_finding(file: Path, path: str, said: str) -> None:
    file.write_text(SCENARIO.replace("out/Token.json", path))
    with pytest.raises(ScenarioError) as refused:
        read_text(file)
    assert f"{file}:4:" in str(refused.value)
    assert said in str(refused.value)


def test_the_python_client_deploys_a_file(file: Path) -> None:
    with LiveServer() as server:
        project = server.control.create_project()
        project.places = [file.parent]
        token = project.deploy("out/Token.json", "Gold", "GLD", "5", chain_id=AMOY, sender=THERE)
        with project.connect() as api:
            query = {"functionName": "balanceOf", "functionArgs": THERE}
            assert ok(api.get(f"/v1/contracts/{token['contract_id']}/read", params=query))["result"] == "5"
        with pytest.raises(FileNotFoundError, match=r"no artifact file Coin\.json"):
            project.deploy("Coin.json", chain_id=AMOY)


@cases("text", "[]", "{", '{"contracts": []}')
def test_the_python_client_names_a_file_that_is_no_contract(tmp_path: Path, text: str) -> None:
    file = tmp_path / "Odd.json"
    file.write_text(text)
    with LiveServer() as server, pytest.raises(ValueError, match=r"Odd\.json is no compiled contract: "):
        server.control.create_project(name="odd").deploy(file, chain_id=AMOY)


def test_reports_name_where_a_transaction_failed(api: Client, project: Project) -> None:
    chain = Chain.of(api, project)
    token = chain.deploy("Token", "Gold", "GLD", "3", sender=chain.account.address)
    row = chain.send(token, "transfer", THERE, "10")
    report = api.get("/_mock/projects/-/report", headers={"accept": "text/plain"}).text
    expected = (
        f"{row['id']}: reverted in Token.transfer: ERC20InsufficientBalance({chain.account.address}, 3, 10)"
    )
    assert expected in report


def test_a_trace_shown_on_the_command_line_drives_no_terminal() -> None:
    call = {"depth": 1, "kind": "CALL", "call": "a\x9bb.f()", "value_wei": "0", "gas_used": 9, "error": "\n"}
    lines = [*trace.describe({"calls": [call], "failure": "reverted: \n"})]
    assert lines == [r"  CALL a\x9bb.f() [9 gas] \n", r"reverted: \n"]


def test_a_trace_is_shown_on_the_command_line(capsys: pytest.CaptureFixture[str]) -> None:
    with LiveServer() as server:
        project = server.control.create_project()
        wallet = project.given.sponsored_wallet(chain_id=AMOY)
        factory = project.deploy(artifact_of("Factory"), chain_id=AMOY, name="Factory")
        call = {
            "contractId": factory["contract_id"],
            "functionName": "make",
            "functionArgs": ["7", "0x" + "ab" * 32],
        }
        with project.connect() as api:
            body = {"chainId": AMOY, "accountId": wallet.id, "calls": [call]}
            made, again = (ok(api.post("/v2/transactions", json=body)) for _ in range(2))
        given = ["--url", server.url, "--key", project.secret_key]
        assert cli.main(["trace", made["id"], *given]) == 0
        first, second = capsys.readouterr().out.splitlines()
        assert first.startswith(f"CALL Factory.make(7, 0x{'ab' * 32}) [")
        assert second.startswith("  CREATE2 new 0x")
        assert cli.main(["trace", again["id"], *given]) == 0
        failure = capsys.readouterr().out.splitlines()[-1]
        assert re.fullmatch("reverted in new 0x.{40}: contract address collision", failure)
        assert cli.main(["trace", "tin_0", *given]) == 3
        capsys.readouterr()
        with pytest.raises(SystemExit, match="2"):
            cli.main(["trace", made["id"], "--key", "shop"])
        assert "a key is of the form sk_test_..." in capsys.readouterr().err


UNUSED = """
import sys
from mockserver.testing.server import LiveServer
with LiveServer() as server:
    project = server.control.create_project()
    wallet = project.given.sponsored_wallet(chain_id=80002)
    calls = [{"to": "0x" + "11" * 20, "data": "0xa9059cbb" + "00" * 64}]
    with project.connect() as api:
        body = {"chainId": 80002, "accountId": wallet.id, "calls": calls}
        assert api.post("/v2/transactions", json=body).json()["status"] == "successful"
print([name for name in sys.modules if name.startswith("mockserver.chain.evm")])
"""


def test_the_machine_is_imported_only_for_code() -> None:
    done = subprocess.run([sys.executable, "-c", UNUSED], capture_output=True, text=True, check=False)
    assert (done.stdout.strip(), done.returncode) == ("[]", 0), done.stderr
