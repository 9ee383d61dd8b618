"""Clients, rows and an environment for the code under test."""

import pytest

from tests.plugin.conftest import Run

pytest_plugins = ["pytester"]


def test_an_asynchronous_client_calls_the_api(run: Run) -> None:
    run("""
        import asyncio

        def test_async(mock_project, mock_async_api):
            async def ask():
                assert not mock_async_api.is_closed
                return await mock_async_api.get("/v1/contracts")

            assert asyncio.run(ask()).json()["total"] == 0
            assert len(mock_project.journal) == 1
            assert not mock_async_api.cookies
        """).assert_outcomes(passed=1)


def test_the_environment_is_set_for_a_test_only(run: Run) -> None:
    run("""
        import os

        def test_set(mock_env, mock_project):
            assert os.environ["OPENFORT_SECRET_KEY"] == mock_project.secret_key
            assert os.environ["OPENFORT_BASE_URL"] == mock_project.url
            assert {name: os.environ[name] for name in mock_env} == mock_env

        def test_undone():
            assert "OPENFORT_SECRET_KEY" not in os.environ
        """).assert_outcomes(passed=2)


def test_a_proxy_of_the_environment_is_not_asked(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.setenv("NO_PROXY", "intra.example")
    run("""
        import os
        import httpx

        def test_set(mock_env):
            assert os.environ["NO_PROXY"].startswith("intra.example,localhost,")
            assert httpx.get(f"{os.environ['OPENFORT_BASE_URL']}/_mock/health").is_success
        """).assert_outcomes(passed=1)


def test_a_clock_may_begin_at_the_real_time(run: Run) -> None:
    run("""
        import time
        import pytest

        @pytest.mark.mockserver(clock="now")
        def test_now(mock_project):
            assert abs(mock_project.clock.now_s - time.time()) < 5
            assert mock_project.call("GET", "/clock")["mode"] == "ticking"
        """).assert_outcomes(passed=1)
