"""The file of a red test is exported as it is: what the plugin asked is no part of the run."""

from pathlib import Path

import pytest
import yaml

from mockserver import cli
from tests.plugin.conftest import Run
from tests.tables import cases

pytest_plugins = ["pytester"]

MODULE = '''
    import pytest

    TOKEN = {"name": "Token", "chainId": 80002, "address": "0x" + "ab" * 20}

    @pytest.fixture(scope="module")
    def shop(mock_project_factory):
        project = mock_project_factory.create("shop")
        yield project
        project.delete()

    SCENARIO = """
    given:
      - {call: createBackendWallet, body: {chainType: EVM}, as: wallet}
      - {call: getBackendWallet, path: {id: "${wallet.id}"}}
    rules: [{name: away, when: {call: GetContracts, nth: 1}, then: {answer: 503}}]
    """

    @pytest.mark.mockserver(scenario=SCENARIO, clock="2030-01-01T00:00:00Z")
    def test_red(shop, mock_project, mock_api):
        with shop.connect() as other:
            other.get("/v1/contracts")
        mock_project.change(one_time_code="123456")
        first, second = (mock_project.given.sponsored_wallet() for _ in "12")
        mock_project.clock.advance(5)
        mock_project.fate(outcome="reverted", reason="paused")
        call = {"to": "0x" + "cd" * 20, "value": "1", "data": "0x" + "12" * 100}
        wanted = {"chainId": second.chain_id, "accountId": second.id, "calls": [call]}
        mock_api.post("/v2/transactions", json=wanted)
        assert mock_api.get("/v1/contracts").status_code == 503
        assert mock_project.journal.list(status="503")
        assert mock_api.post("/v1/contracts", json=TOKEN).status_code == 409
'''


@pytest.fixture
def red(run: Run, pytester: pytest.Pytester) -> Path:
    """The recording of a test that failed."""
    run(MODULE, "--mockserver-record=failed").assert_outcomes(failed=1)
    (file,) = (pytester.path / ".mockserver" / "recordings").iterdir()
    return file


def export(file: Path, kind: str, capsys: pytest.CaptureFixture[str]) -> str:
    """What a recording is exported as, of which nothing is left out but, in a test, the call of the shop."""
    capsys.readouterr()
    assert cli.main(["export", str(file), "--to", kind]) == 0
    printed = capsys.readouterr()
    is_of_one = kind in ("pytest", "vitest", "scenario")
    assert printed.err.splitlines()[is_of_one:] == []
    assert ("calls of others are left out (1)" in printed.err) is is_of_one
    return printed.out


def test_as_a_test_that_shows_the_same(red: Path, run: Run, capsys: pytest.CaptureFixture[str]) -> None:
    source = export(red, "pytest", capsys)
    assert not any(word in source for word in ("/journal", "/report", "undeclared"))
    red.parents[2].joinpath("test_exported.py").write_text(source)
    run("", "test_exported.py").assert_outcomes(passed=1)
    assert source.splitlines()[-1] == "    assert answer.status_code == 200"


def test_as_a_scenario_that_gives_its_state(red: Path, run: Run, capsys: pytest.CaptureFixture[str]) -> None:
    text = export(red, "scenario", capsys)
    assert max(map(len, text.splitlines())) <= 110
    scenario = yaml.safe_load(text)
    calls = [step["call"] for step in scenario["given"]]
    assert calls.count("createBackendWallet") == 3
    assert (calls[-1], [rule["name"] for rule in scenario["rules"]]) == ("CreateContract", ["away"])
    red.parents[2].joinpath("red.yaml").write_text(text)
    run("""
        import pytest

        @pytest.mark.mockserver(scenario="red.yaml", unused_rules="allow")
        def test_it(mock_project, mock_api):
            (sent,) = mock_api.get("/v2/transactions").json()["data"]
            assert sent["status"] == "reverted"
            assert mock_project.change()["one_time_code"] == "123456"
        """).assert_outcomes(passed=1)


@cases("kind", "curl", "har")
def test_as_requests(kind: str, red: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "/v2/transactions" in export(red, kind, capsys)
