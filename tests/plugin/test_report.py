"""The report of a failed test: what it leaves out, and what it keeps."""

import pytest

from tests.plugin.conftest import Run

pytest_plugins = ["pytester"]


def test_a_report_has_headers_that_matter_and_masks_that_are_readable(run: Run) -> None:
    result = run(
        """
        def test_it(mock_project, mock_api):
            headers = {"idempotency-key": "order-7", "authorization": "Bearer sk_live_other"}
            mock_api.post("/v1/contracts", json={}, headers=headers)
            body = {"email": "ada@example.com", "password": "hunter2hunter2"}
            mock_api.post("/iam/v2/auth/sign-in/email", json=body)
            assert False
        """
    )
    result.assert_outcomes(failed=1)
    shown = result.stdout.str().partition("mockserver journal")[2]
    assert "user-agent" not in shown
    assert "content-length" not in shown
    assert '"password": "…"' in shown
    result.stdout.fnmatch_lines(["*> *email*"])


def test_a_report_lists_the_errors_that_the_test_may_have_swallowed(run: Run) -> None:
    result = run(
        """
        import pytest
        import httpx

        RULES = "rules: [{name: broken, when: GetAccounts, then: {fault: empty_response}}]"

        @pytest.mark.mockserver(scenario=RULES)
        def test_it(mock_api):
            for _ in range(12):
                mock_api.get("/v1/contracts/con_none")
            with pytest.raises(httpx.TransportError):
                mock_api.get("/v1/accounts")
            assert False
        """
    )
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        [
            "*mockserver error answers*",
            "   1  GET /v1/contracts/con_none  404  contract_not_found: There is no contract con_none.",
            "      and 3 more",
        ]
    )


def test_a_scenario_without_a_name_is_called_after_its_test(run: Run) -> None:
    result = run(
        """
        import pytest

        @pytest.mark.parametrize("case", ["a/b"])
        @pytest.mark.mockserver(scenario="rules: [{when: GetContracts, then: {answer: 503}}]")
        def test_shop(mock_api, case):
            mock_api.get("/v1/contracts")
            assert False

        @pytest.mark.mockserver(scenario="rulez: []")
        def test_mistake(mock_api):
            pass
        """
    )
    result.assert_outcomes(failed=1, errors=1)
    shown = result.stdout.str()
    assert "GET /v1/contracts  503  rule test_shop inline scenario #1" in shown
    assert "test_mistake inline scenario:1:1" in shown


@pytest.mark.parametrize(
    "mistake",
    [
        "mock_project.load('rulez: []')",
        "mock_project.fate(outcome='never')",
        "mock_project.clock.advance(to='2020-01-01T00:00:00Z')",
        "mock_project.outbox.latest(to='ada@example.com')",
        "mock_project.journal.wait(path='/v9', timeout_s=0)",
        "mock_project.given.sponsored_contract('nowhere')",
        "mock_project.call('GET', '/nowhere')",
        "mock_project.load('nowhere.yaml')",
        "mock_project.verify_sequence('GetContracts')",
        "mock_project.no_interactions(since=-1)",
        "mockserver.control.create_project(clock='noon')",
    ],
)
def test_a_mistake_is_shown_without_frames_of_the_library(run: Run, mistake: str) -> None:
    result = run(f"def test_it(mockserver, mock_project):\n    {mistake}\n")
    result.assert_outcomes(failed=1)
    shown = result.stdout.str()
    assert "mockserver/testing/" not in shown
    assert mistake in shown
