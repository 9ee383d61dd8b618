"""Verification of calls in a test."""

import pytest

from mockserver.testing.server import LiveServer

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
