"""What a test that uses the plugin is given."""

import pytest

from mockserver.testing.server import LiveServer
from tests.plugin.conftest import Run

pytest_plugins = ["pytester"]

SPOILT = """
rules:
  - when: GetContracts
    then: {answer: {status: 503}}
"""


def test_a_test_gets_a_project_of_its_own_and_a_client_for_it(run: Run) -> None:
    run("""
        import pytest

        @pytest.mark.parametrize("turn", [1, 2])
        def test_contract(mock_api, turn):
            contract = {"name": "Token", "chainId": 80002, "address": "0x" + "ab" * 20}
            assert mock_api.get("/v1/contracts").json()["total"] == 0
            assert mock_api.post("/v1/contracts", json=contract).is_success
            assert mock_api.get("/v1/contracts").json()["total"] == 1
        """).assert_outcomes(passed=2)


def test_http_in_process_and_asgi_reach_the_same_project(run: Run) -> None:
    run("""
        import asyncio
        import httpx

        def test_ways(mockserver, mock_project, mock_api, mock_asgi):
            headers = {"authorization": f"Bearer {mock_project.secret_key}"}
            contract = {"name": "Token", "chainId": 80002, "address": "0x" + "ab" * 20}
            made = mock_api.post("/v1/contracts", json=contract).json()
            path = f"/v1/contracts/{made['id']}"
            assert mock_project.url == mockserver.url
            assert httpx.get(mock_project.url + path, headers=headers).json() == made

            async def ask():
                transport = httpx.ASGITransport(mock_asgi)
                async with httpx.AsyncClient(transport=transport, base_url="http://mock") as client:
                    return (await client.get(path, headers=headers)).json()

            assert asyncio.run(ask()) == made
        """).assert_outcomes(passed=1)


def test_a_project_is_the_same_in_every_run_and_gone_after_it(run: Run) -> None:
    module = """
        import pytest

        def test_it(mock_project, mock_api):
            contract = {"name": "Token", "chainId": 80002, "address": "0x" + "ab" * 20}
            print("SEEN", mock_project.id, mock_api.post("/v1/contracts", json=contract).text)

        @pytest.mark.parametrize("name", ["a/b", "a b"])
        def test_other(mock_project, name):
            print("SEEN", mock_project.id)

        def test_none_is_left(mockserver):
            assert mockserver.control.projects() == []
        """
    seen = []
    for arguments in (("-s",), ("-s", "-k", "not other")):
        result = run(module, *arguments)
        assert result.ret == 0
        seen.append([line.partition("SEEN ")[2] for line in result.outlines if "SEEN " in line])
    assert len(set(seen[0])) == 3
    assert seen[1] == seen[0][:1]


def test_a_scenario_is_loaded_from_a_text_or_a_file(run: Run, pytester: pytest.Pytester) -> None:
    pytester.path.joinpath("spoilt.yaml").write_text(SPOILT)
    run("""
        import pytest
        from pathlib import Path
        from mockserver.testing.connection import ControlApiError

        HERE = Path(__file__).parent / "spoilt.yaml"

        @pytest.mark.mockserver(scenario="spoilt.yaml")
        def test_marker_with_a_file(mock_api):
            assert mock_api.get("/v1/contracts").status_code == 503

        @pytest.mark.mockserver(scenario=HERE.read_text())
        def test_marker_with_a_text(mock_api):
            assert mock_api.get("/v1/contracts").status_code == 503

        def test_load_from_elsewhere(mock_project, mock_api, monkeypatch, tmp_path):
            monkeypatch.chdir(tmp_path)
            mock_project.load("spoilt.yaml")
            assert mock_api.get("/v1/contracts").status_code == 503
            with pytest.raises(FileNotFoundError, match=f"no scenario file lost.yaml in {HERE.parent} or"):
                mock_project.load("lost.yaml")
            (tmp_path / "latin.yaml").write_bytes(b"name: x\\nabout: caf\\xe9")
            with pytest.raises(ControlApiError, match="latin.yaml:2:1: is not UTF-8"):
                mock_project.load("latin.yaml")

        def test_load(mock_project, mock_api):
            assert mock_api.get("/v1/contracts").status_code == 200
            assert mock_project.load(HERE)["name"] == "spoilt"
            assert mock_api.get("/v1/contracts").status_code == 503
            with pytest.raises(ControlApiError, match="did you mean rules"):
                mock_project.load("rulez: []")
        """).assert_outcomes(passed=4)


def test_what_scenarios_captured_is_at_hand(run: Run) -> None:
    run("""
        import pytest

        ONE = "given: [{call: createBackendWallet, body: {chainType: EVM}, as: wallet}]"

        @pytest.mark.mockserver(scenario=ONE)
        def test_captured(mock_project, mock_api):
            first = mock_project.captured["wallet"]
            assert mock_api.get(f"/v2/accounts/{first['id']}").json()["address"] == first["address"]
            second = mock_project.load(ONE)["captured"]["wallet"]
            assert mock_project.captured == {"wallet": second} != {"wallet": first}
        """).assert_outcomes(passed=1)


def test_each_worker_of_xdist_has_its_server(run: Run) -> None:
    run(
        """
        import pytest

        @pytest.mark.parametrize("turn", range(6))
        def test_it(mockserver, mock_api, turn):
            assert mock_api.get("/v1/contracts").json()["total"] == 0
            assert len(mockserver.control.projects()) == 1
        """,
        "-n2",
    ).assert_outcomes(passed=6)


def test_a_live_server_may_be_stopped_twice() -> None:
    server = LiveServer()
    assert server.url.startswith("http://127.0.0.1:")
    server.stop()
    server.stop()
