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


def test_the_clock_is_the_test_s(run: Run) -> None:
    run("""
        def test_clock(mock_project):
            clock = mock_project.clock
            assert clock.now == "2026-01-01T00:00:00.000Z"
            assert clock.advance(90.5) == []
            assert clock.now == "2026-01-01T00:01:30.500Z"
            clock.advance(to="2026-01-02T00:00:00Z")
            clock.tick(rate=1_000_000)
            began_s = clock.now_s
            assert any(clock.now_s > began_s for _ in range(1_000))
            clock.freeze(at="2036-02-01T00:00:00Z")
            assert clock.now == "2036-02-01T00:00:00.000Z"
        """).assert_outcomes(passed=1)


def test_a_clock_takes_python_s_times(run: Run) -> None:
    run("""
        from datetime import UTC, datetime, timedelta, timezone

        def test_clock(mock_project):
            clock = mock_project.clock
            began_s = clock.now_s
            clock.advance(timedelta(minutes=1, milliseconds=500))
            assert (clock.now, clock.now_s - began_s) == ("2026-01-01T00:01:00.500Z", 60)
            clock.advance(to=datetime(2026, 2, 1))
            assert clock.now == "2026-02-01T00:00:00.000Z"
            clock.freeze(at=datetime(2026, 3, 1, 2, tzinfo=timezone(timedelta(hours=2))))
            assert clock.now_s == datetime(2026, 3, 1, tzinfo=UTC).timestamp()
        """).assert_outcomes(passed=1)


def test_the_outbox_says_what_it_holds_instead(run: Run) -> None:
    run("""
        import pytest

        def test_outbox(mock_project):
            missing = "no message to=ada@example.com kind=x; it holds nothing"
            with pytest.raises(LookupError, match=missing):
                mock_project.outbox.latest(to="ada@example.com", kind="x")
            with pytest.raises(LookupError, match=missing):
                mock_project.outbox.wait(to="ada@example.com", kind="x", timeout_s=0)
            assert list(mock_project.outbox) == []
        """).assert_outcomes(passed=1)


def test_the_journal_has_what_was_asked_and_answered(run: Run) -> None:
    run("""
        import threading
        import pytest

        def test_journal(mock_project, mock_api):
            mock_api.get("/v1/contracts")
            mock_api.get("/v1/contracts/con_none")
            assert [entry["status"] for entry in mock_project.journal] == [200, 404]
            assert [entry["n"] for entry in mock_project.journal.list(status="4xx")] == [2]
            assert len(mock_project.journal) == 2

        def test_wait(mock_project, mock_api):
            found = []
            wait = lambda: found.append(mock_project.journal.wait(path="/v1/contracts"))
            waiting = threading.Thread(target=wait)
            waiting.start()
            mock_api.get("/v1/contracts")
            waiting.join()
            assert found[0]["operation"] == "GetContracts"
            missing = "fits path=/v9 method=GET; the latest are GET /v1/contracts 200"
            with pytest.raises(LookupError, match=missing):
                mock_project.journal.wait(path="/v9", method="GET", timeout_s=0)
        """).assert_outcomes(passed=2)


def test_a_snapshot_is_gone_back_to(run: Run) -> None:
    run("""
        def test_snapshot(mock_project, mock_api):
            contract = {"name": "Token", "chainId": 80002, "address": "0x" + "ab" * 20}
            empty = mock_project.snapshot()
            first = mock_api.post("/v1/contracts", json=contract).text
            mock_project.restore(empty)
            assert mock_api.get("/v1/contracts").json()["total"] == 0
            assert mock_api.post("/v1/contracts", json=contract).text == first
            mock_project.reset()
            assert mock_api.get("/v1/contracts").json()["total"] == 0
        """).assert_outcomes(passed=1)


def test_what_the_control_api_refuses_is_a_telling_exception(run: Run) -> None:
    run("""
        import pytest
        from mockserver.testing.connection import ControlApiError

        def test_refused(mock_project):
            with pytest.raises(ControlApiError, match="2026-01-01T00:00:00.000Z") as refused:
                mock_project.clock.advance(to="2020-01-01T00:00:00Z")
            assert refused.value.status == 409
            assert refused.value.problem["param"] == "to"

        def test_every_finding_is_named(mock_project):
            with pytest.raises(ControlApiError) as refused:
                mock_project.load("rulez: []\\nsettings: {chains: {amoy: {}}}")
            said = str(refused.value).splitlines()
            assert said[1] == "  1:1: 'rulez' is not part of a scenario (did you mean rules?)"
            assert said[2].startswith("  2:27: chains.amoy: is not a chain id")
        """).assert_outcomes(passed=2)


def test_a_test_signs_in_reads_mail_and_decides_a_fate(run: Run) -> None:
    run(
        """
        from eth_account import Account
        from eth_account.messages import encode_defunct

        def test_user(mock_project, mock_api):
            ada = {"name": "Ada", "email": "ada@example.com", "password": "correct horse"}
            keyed = {"x-project-key": mock_project.publishable_key}
            user = mock_api.post("/iam/v2/auth/sign-up/email", json=ada, headers=keyed).json()["user"]
            mock_api.post("/iam/v2/auth/forget-password", json={"email": ada["email"]}, headers=keyed)
            mail = mock_project.outbox.latest(to="ada@example.com")
            assert mail == list(mock_project.outbox)[-1] == mock_project.outbox.wait(kind=mail["kind"])
            assert mail["url"]
            mock_project.outbox.clear()
            assert mock_project.outbox.list() == []

            wanted = {"user": user["id"], "accountType": "Externally Owned Account", "chainType": "EVM"}
            account = mock_api.post("/v2/accounts", json=wanted).json()
            signature = mock_project.sign(account["id"], message="hello")
            signer = Account.recover_message(encode_defunct(text="hello"), signature=signature)
            assert signer == account["address"]

            fate = mock_project.fate(outcome="reverted", reason="no luck")
            assert fate["reason"] == "no luck"
            assert mock_project.call("GET", "/fates")["total"] == 1
        """,
        # eth_account warns of its own accord when it is imported.
        "-W",
        "ignore::DeprecationWarning",
    ).assert_outcomes(passed=1)


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


def test_why_a_rule_left_a_call_alone(run: Run) -> None:
    run("""
        import pytest

        RULES = "rules: [{name: big, when: {call: GetContracts, query: {limit: 5}}, then: {answer: 503}}]"

        @pytest.mark.mockserver(scenario=RULES)
        def test_near(mock_project, mock_api):
            mock_api.get("/v1/contracts?limit=4")
            (miss,) = mock_project.near_misses()
            assert miss["missed"] == ["limit in the query is 4; expected 5"]
            mock_api.get("/v1/contracts?limit=5")
            assert mock_project.near_misses() == []
            assert mock_project.near_misses(2) == [miss]
        """).assert_outcomes(passed=1)


def test_a_client_signs_with_the_wallet_secret(run: Run) -> None:
    run("""
        import asyncio
        import httpx
        import pytest

        PATH = "/v2/accounts/backend"

        @pytest.mark.parametrize("clock", ["frozen", "ticking"])
        def test_signed(mock_project, mock_api, clock):
            if clock == "ticking":
                mock_project.clock.tick()
            made = mock_api.post(PATH, json={"chainType": "EVM"}, auth=mock_project.wallet_auth)
            assert made.status_code == 200
            path = f"{PATH}/{made.json()['id']}"
            assert mock_api.delete(path).status_code == 401
            assert mock_api.delete(path, auth=mock_project.wallet_auth).is_success

        def test_an_asynchronous_client(mock_project, mock_asgi):
            async def ask():
                headers = {"authorization": f"Bearer {mock_project.secret_key}"}
                transport, auth = httpx.ASGITransport(mock_asgi), mock_project.wallet_auth
                async with httpx.AsyncClient(
                    transport=transport, base_url="http://mock", headers=headers, auth=auth
                ) as client:
                    return await client.post(PATH, json={"chainType": "SVM"})

            assert asyncio.run(ask()).status_code == 200
        """).assert_outcomes(passed=3)


def test_a_budget_is_read_and_set(run: Run) -> None:
    run("""
        def test_budget(mock_project, mock_api):
            accept = {"action": "accept", "operation": "sponsorEvmTransaction"}
            policy = mock_api.post("/v2/policies", json={"scope": "project", "rules": [accept]}).json()
            wanted = {"policyId": policy["id"], "strategy": {"sponsorSchema": "pay_for_user"}}
            made = mock_api.post("/v2/fee-sponsorship", json=wanted).json()["id"]
            assert mock_project.budget(made)["left_wei"] is None
            assert mock_project.budget(made, 5)["left_wei"] == "5"
            assert mock_project.budget(made)["budget_wei"] == "5"
            assert mock_project.budget(made, None)["budget_wei"] is None
        """).assert_outcomes(passed=1)


def test_the_same_objects_drive_a_server_elsewhere(run: Run) -> None:
    run("""
        import httpx
        from mockserver.testing.client import MockServer

        def test_remote(mockserver):
            with MockServer(mockserver.url + "/") as server:
                assert server.ready()
                with MockServer("http://127.0.0.1:9") as absent:
                    assert not absent.ready()
                project = server.create_project(name="far", settings={"one_time_code": "123456"})
                assert project.url == mockserver.url
                assert server.project(project.secret_key).id == project.id
                assert project.change()["one_time_code"] == "123456"
                project.clock.advance(5)
                assert project.clock.now == "2026-01-01T00:00:05.000Z"
                project.delete()
                assert [found.id for found in server.projects()] == []
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


def test_many_threads_may_call_at_once(run: Run) -> None:
    run("""
        from concurrent.futures import ThreadPoolExecutor
        import httpx

        def test_threads(mock_project, mock_api):
            headers = {"authorization": f"Bearer {mock_project.secret_key}"}

            def make(turn):
                contract = {"name": "Token", "chainId": 80002, "address": f"0x{turn:040x}"}
                return (live if turn % 2 else mock_api).post("/v1/contracts", json=contract)

            with httpx.Client(base_url=mock_project.url, headers=headers) as live:
                with ThreadPoolExecutor(4) as pool:
                    made = list(pool.map(make, range(1, 41)))
            assert len({answer.json()["id"] for answer in made}) == 40
            assert mock_api.get("/v1/contracts").json()["total"] == 40
            assert [entry["n"] for entry in mock_project.journal] == list(range(1, 42))
        """).assert_outcomes(passed=1)


def test_a_project_hands_out_what_clients_need(run: Run) -> None:
    run("""
        def test_credentials(mock_project, mock_api):
            person = {"name": "Ada", "email": "ada@example.com", "password": "correct horse"}
            path = "/iam/v2/auth/sign-up/email"
            token = mock_api.post(path, json=person, headers=mock_project.headers()).json()["token"]
            me = mock_api.get("/iam/v2/me", headers=mock_project.headers(token)).json()
            assert me["email"] == person["email"]
            assert not mock_api.cookies, "one user's cookie is not sent with another's call"
            assert mock_project.env["OPENFORT_WALLET_SECRET"] == mock_project.wallet_secret
            assert mock_project.env["OPENFORT_SECRET_KEY"] == mock_project.secret_key
        """).assert_outcomes(passed=1)


def test_a_live_server_may_be_stopped_twice() -> None:
    server = LiveServer()
    assert server.url.startswith("http://127.0.0.1:")
    server.stop()
    server.stop()


def test_a_session_passes_multi_factor_authentication(run: Run) -> None:
    run("""
        def test_mfa(mock_project, mock_api):
            session = mock_api.post(
                "/iam/v2/auth/sign-in/anonymous", headers={"x-project-key": mock_project.publishable_key}
            ).json()
            passed = mock_project.pass_mfa(session["token"])
            assert (passed["user"], passed["aal2"]) == (session["user"]["id"], True)

        def test_journal(mock_project, mock_api):
            mock_api.get("/v1/contracts")
            mock_project.journal.clear()
            assert mock_project.journal.list() == []
            mock_api.get("/v1/contracts")
            assert [entry["n"] for entry in mock_project.journal] == [2]
        """).assert_outcomes(passed=2)
