"""A run goes on when its server, or the folder of its recordings, is lost in the middle of it."""

import asyncio

import httpx
import pytest

from mockserver.testing.client import MockServer
from mockserver.testing.server import LiveServer
from tests.plugin.conftest import Run
from tests.tables import cases

pytest_plugins = ["pytester"]

MODULE = """
def test_before(mock_api):
    assert mock_api.get("/v1/contracts").is_success

def test_loses_it(mock_api, mockserver):
    mock_api.get("/v1/contracts")
    mockserver.control.close()
    assert False

def test_without_it(mock_api):
    assert mock_api.get("/v1/contracts").is_success

def test_other():
    pass
"""


@cases("options", (), ("--mockserver-record=all",))
def test_a_lost_server_fails_the_tests_that_use_it(run: Run, options: tuple[str, ...]) -> None:
    result = run(MODULE, *options)
    result.assert_outcomes(passed=2, failed=1, errors=2)
    assert "no report: RuntimeError: Cannot send a request" in result.stdout.str()


def test_a_lost_server_that_others_use_does_not_end_the_run(run: Run) -> None:
    with LiveServer() as server:
        result = run(MODULE, "--mockserver-record=all", f"--mockserver-url={server.url}")
    result.assert_outcomes(passed=2, failed=1, errors=2)


def test_an_error_of_a_lost_server_says_where_it_was() -> None:
    with LiveServer() as server:
        control = MockServer(server.url)
        project = control.create_project()
        api, beside = project.connect(), project.connect_async()
    gone = f"the mock server at {server.url} does not answer: "
    with api, pytest.raises(httpx.ConnectError, match=gone):
        api.get("/v1/contracts")
    with pytest.raises(httpx.ConnectError, match=gone):
        asyncio.run(beside.get("/v1/contracts"))
    with control, pytest.raises(httpx.ConnectError, match=gone):
        project.clock.advance(1)


def test_the_error_of_a_test_is_not_hidden_by_a_lost_server(run: Run) -> None:
    result = run("""
        from mockserver.testing.reporting import reporting

        def test_it(mockserver):
            project = mockserver.control.create_project()
            with reporting(project):
                mockserver.control.close()
                raise ValueError("the error of the test")
        """)
    result.assert_outcomes(failed=1, errors=0)
    shown = result.stdout.str()
    assert "the error of the test" in shown
    assert "Cannot send a request" in shown


def test_a_lost_folder_of_recordings_does_not_end_the_run(run: Run, pytester: pytest.Pytester) -> None:
    result = run(
        """
        import shutil
        from pathlib import Path

        def test_loses_it(mock_api, pytestconfig):
            folder = Path(pytestconfig.rootpath, ".mockserver")
            shutil.rmtree(folder)
            folder.write_text("of another program")

        def test_fails(mock_api):
            mock_api.get("/v1/contracts")
            assert False

        def test_other(mock_api):
            pass
        """,
        "--mockserver-record=failed",
    )
    result.assert_outcomes(passed=2, failed=1)
    assert "none: [Errno 20] Not a directory" in result.stdout.str()
