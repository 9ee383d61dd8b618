"""The report of a failed test: what it leaves out, and what it keeps."""

import pkgutil
from importlib import import_module

from mockserver import testing
from tests.plugin.conftest import Run
from tests.tables import cases

pytest_plugins = ["pytester"]


def test_a_scenario_without_a_name_is_called_after_its_test(run: Run) -> None:
    result = run("""
        import pytest

        @pytest.mark.parametrize("case", ["a/b"])
        @pytest.mark.mockserver(scenario="rules: [{when: GetContracts, then: {answer: 503}}]")
        def test_shop(mock_api, case):
            mock_api.get("/v1/contracts")
            assert False

        @pytest.mark.mockserver(scenario="rulez: []")
        def test_mistake(mock_api):
            pass
        """)
    result.assert_outcomes(failed=1, errors=1)
    shown = result.stdout.str()
    assert "GET /v1/contracts  503  rule test_shop inline scenario #1" in shown
    assert "test_mistake inline scenario:1:1" in shown


def test_tracebacks_leave_out_the_frames_of_helpers() -> None:
    found = pkgutil.walk_packages(testing.__path__, "mockserver.testing.")
    shown = {
        each.name.rpartition(".")[2]
        for each in found
        if not each.ispkg and not getattr(import_module(each.name), "__tracebackhide__", False)
    }
    assert shown == {"environment", "names"}


@cases(
    "mistake",
    "mock_project.load('rulez: []')",
    "mock_project.fate(outcome='never')",
    "mock_project.clock.advance(to='2020-01-01T00:00:00Z')",
    "mock_project.outbox.latest(to='ada@example.com')",
    "mock_project.webhooks.subscribe('https://shop.example', 'user.creatd')",
    "mock_project.journal.wait(path='/v9', timeout_s=0)",
    "mock_project.given.sponsored_contract('nowhere')",
    "mock_project.call('GET', '/nowhere')",
    "mock_project.load('nowhere.yaml')",
    "mock_project.verify_sequence('GetContracts')",
    "mock_project.no_interactions(since=-1)",
    "mock_project.verify('CreateContract')",
    "mockserver.control.create_project(clock='noon')",
)
def test_a_mistake_is_shown_without_frames_of_the_library(run: Run, mistake: str) -> None:
    result = run(f"def test_it(mockserver, mock_project):\n    {mistake}\n")
    result.assert_outcomes(failed=1)
    shown = result.stdout.str()
    assert "mockserver/testing/" not in shown
    assert "httpx/" not in shown
    assert "{'error'" not in shown
    assert mistake in shown
