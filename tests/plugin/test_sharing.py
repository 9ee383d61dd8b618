"""One server for several processes."""

import pytest

from mockserver.state.world import ProjectDefaults, World
from mockserver.testing.server import LiveServer
from tests.plugin.conftest import Run

pytest_plugins = ["pytester"]


def test_the_workers_of_xdist_share_a_server_on_request(run: Run, pytester: pytest.Pytester) -> None:
    run(
        """
        from pathlib import Path

        def test_url(mockserver, mock_session_project, worker_id, pytestconfig):
            Path(pytestconfig.rootpath, f"{worker_id}.txt").write_text(mockserver.url)
        """,
        "-n2",
        "--dist=each",
        "--mockserver-share",
    ).assert_outcomes(passed=2)
    urls = [path.read_text() for path in pytester.path.glob("*.txt")]
    assert len(urls) == 2
    assert urls[0] == urls[1]


def test_tests_on_a_shared_server_have_projects_of_their_own(run: Run) -> None:
    run(
        """
        import pytest

        @pytest.mark.parametrize("turn", range(4))
        def test_project(mock_session_project, mock_api, turn):
            assert mock_api.get("/v1/contracts").json()["total"] == 0
        """,
        "-n2",
        "--mockserver-share",
    ).assert_outcomes(passed=4)


MODULE = """
import asyncio
import httpx
import pytest

@pytest.mark.mockserver(scenario="given: [{call: createBackendWallet, body: {chainType: EVM}, as: wallet}]")
def test_it(mockserver, mock_project, mock_api, mock_async_api):
    assert mock_api.get("/v1/contracts").json()["total"] == 0
    assert mock_project.captured["wallet"]["id"]
    assert mock_project.given.user().token
    with httpx.Client(transport=mockserver.transport, base_url="http://mock") as client:
        key = {"authorization": f"Bearer {mock_project.secret_key}"}
        assert client.get("/v1/contracts", headers=key).is_success

    async def ask():
        return await mock_async_api.get("/v1/contracts")

    assert asyncio.run(ask()).is_success

def test_more_projects(mock_project_factory):
    mock_project_factory.create("one")
    mock_project_factory.create("two").delete()

def test_asgi(mock_asgi):
    pass
"""


def test_tests_use_a_server_that_runs_already_and_leave_nothing(run: Run) -> None:
    with LiveServer() as server:
        for _ in range(2):
            result = run(MODULE, f"--mockserver-url={server.url}")
            result.assert_outcomes(passed=2, errors=1)
            result.stdout.fnmatch_lines(["*mock_asgi is the application of a server in this process*"])
            assert server.control.projects() == []


def test_what_a_killed_run_left_is_replaced(run: Run) -> None:
    module = """
        def test_killed(mock_project, mock_api):
            assert mock_api.get("/v1/contracts").json()["total"] == 0
            contract = {"name": "Token", "chainId": 80002, "address": "0x" + "ab" * 20}
            mock_api.post("/v1/contracts", json=contract)
            print("NAME", mock_project.name)
    """
    with LiveServer() as server:
        result = run(module, f"--mockserver-url={server.url}", "-s")
        (name,) = [line.partition("NAME ")[2] for line in result.outlines if "NAME " in line]
        left = server.control.create_project(name=name)
        with left.connect() as api:
            api.post("/v1/contracts", json={"name": "T", "chainId": 80002, "address": "0x" + "cd" * 20})
        run(module, f"--mockserver-url={server.url}").assert_outcomes(passed=1)


BEGINNINGS = """
import pytest

contract = {"name": "Token", "chainId": 80002, "address": "0x" + "ab" * 20}

def begin(project):
    clock = project.call("GET", "/clock")
    with project.connect() as api:
        return clock["mode"], clock["now"], api.post("/v1/contracts", json=contract).json()["id"]

def test_usual(mock_project):
    print("BEGINS", *begin(mock_project))
    mock_project.reset()
    assert mock_project.clock.now == "2026-01-01T00:00:00.000Z"

@pytest.mark.mockserver(clock="frozen")
def test_frozen(mock_project):
    print("BEGINS", *begin(mock_project))

@pytest.mark.mockserver(clock="ticking")
def test_ticking(mock_project):
    mode, now, made = begin(mock_project)
    print("BEGINS", mode, now[:10], made)

def test_wider(mock_session_project, mock_project_factory):
    print("BEGINS", *begin(mock_session_project))
    print("BEGINS", *begin(mock_project_factory.create("wide")), mock_session_project.secret_key)
"""


def test_a_project_begins_alike_on_any_server(run: Run) -> None:
    def beginnings(*arguments: str) -> list[str]:
        result = run(BEGINNINGS, "-s", *arguments)
        result.assert_outcomes(passed=4)
        return [line.partition("BEGINS ")[2] for line in result.outlines if "BEGINS " in line]

    own = beginnings()
    assert len(own) == 5
    assert own[0].startswith("frozen 2026-01-01T00:00:00.000Z con_")
    others = ProjectDefaults(now_ms=None, mode="ticking")
    with LiveServer(World("shop", real_ms=lambda: 1_900_000_000_000, defaults=others)) as server:
        assert beginnings(f"--mockserver-url={server.url}") == own


def test_a_url_without_a_server_is_a_clear_error(run: Run) -> None:
    result = run("def test_it(mock_project): pass", "--mockserver-url=http://127.0.0.1:9")
    result.stdout.fnmatch_lines(["*no mock server is ready at http://127.0.0.1:9*"])


def test_calls_to_undeclared_keys_may_be_of_other_processes(run: Run) -> None:
    with LiveServer() as server:
        result = run(
            """
            import pytest

            @pytest.mark.mockserver(strict_keys=True)
            def test_it(mock_api):
                mock_api.get("/v1/contracts", headers={"authorization": "Bearer sk_test_typo"})
            """,
            f"--mockserver-url={server.url}",
        )
        result.assert_outcomes(failed=1)
        result.stdout.fnmatch_lines(
            [
                "1 call went to sk_test_ty…, which nothing declares*",
                "Other processes use this server, too: such calls may be of their tests.",
            ]
        )
