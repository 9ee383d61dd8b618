"""Verification of calls in a test."""

import pytest

from mockserver.testing.server import LiveServer
from tests.plugin.conftest import Run

pytest_plugins = ["pytester"]
CONTRACT = {"name": "Token", "chainId": 80002, "address": "0x" + "ab" * 20}


def test_a_test_verifies_its_calls() -> None:
    with LiveServer() as server:
        import httpx

        project = server.control.create_project()
        headers = {"authorization": f"Bearer {project.secret_key}"}
        project.no_interactions()
        with httpx.Client(transport=server.transport, base_url="http://mock", headers=headers) as api:
            api.post("/v1/contracts", json=CONTRACT)
            api.get("/v1/contracts")
        assert project.verify("CreateContract", body={"name": "Token"}, exactly=1) == 1
        assert project.verify(["CreateContract", "GetContracts"], between=(1, 2), within="5s") == 2
        project.verify("CreateAccount", never=True)
        project.verify_sequence("CreateContract", {"call": "GetContracts"})
        with pytest.raises(AssertionError) as failed:
            project.verify("CreateContract", body={"name": "Coin"}, at_least=2)
        assert str(failed.value) == (
            "expected at least 2 calls of CreateContract with name 'Coin' in the body, found 0\n"
            "  #1 CreateContract: name in the body is 'Token'; expected 'Coin'"
        )
        with pytest.raises(AssertionError, match="expected no calls, found 2"):
            project.no_interactions()
        with pytest.raises(AssertionError, match="expected CreateContract as step 2 of 2"):
            project.verify_sequence("GetContracts", "CreateContract")


def test_a_failed_test_shows_its_calls_and_the_silent_rule(run: Run) -> None:
    result = run("""
        import pytest

        RULES = 'rules: [{name: short, when: {call: GetContracts, query: {limit: 5}}, then: {answer: 503}}]'

        @pytest.fixture
        def prepared(mock_api):
            mock_api.get("/v1/contracts?limit=9")

        @pytest.mark.mockserver(scenario=RULES)
        def test_it(mock_api, prepared):
            mock_api.get("/v1/contracts?limit=4")
            assert False
        """)
    result.assert_outcomes(failed=1)
    shown = result.stdout.str()
    assert "1 to 2 came before the calls of the test itself" in shown
    assert "limit=4" in shown
    assert "limit=9" not in shown
    result.stdout.fnmatch_lines(["*near miss: rule short *: limit in the query is 4; expected 5"])
