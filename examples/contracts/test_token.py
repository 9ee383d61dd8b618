"""A token that Foundry compiled, in transactions of the API."""

import httpx
import pytest

from mockserver.testing.project import MockProject

CHAIN = 80002
TOKEN = "out/Token.sol/Token.json"
THERE = "0x" + "11" * 20


def send(api: httpx.Client, sender: str, token: dict, function: str, *args: str) -> dict:
    call = {"contractId": token["contract_id"], "functionName": function, "functionArgs": args}
    answer = api.post("/v2/transactions", json={"chainId": CHAIN, "accountId": sender, "calls": [call]})
    return answer.raise_for_status().json()


def read(api: httpx.Client, token: dict, function: str, *args: str) -> str:
    query = {"functionName": function, "functionArgs": args}
    return api.get(f"/v1/contracts/{token['contract_id']}/read", params=query).json()["result"]


def test_a_transfer_beyond_the_balance_reverts(mock_project: MockProject, mock_api: httpx.Client) -> None:
    wallet = mock_project.given.sponsored_wallet(chain_id=CHAIN)
    token = mock_project.deploy(TOKEN, "Gold", "GLD", "3", chain_id=CHAIN, sender=wallet.address)
    assert send(mock_api, wallet.id, token, "transfer", THERE, "2")["status"] == "successful"
    assert read(mock_api, token, "balanceOf", THERE) == "2"
    reverted = send(mock_api, wallet.id, token, "transfer", THERE, "10")
    assert reverted["status"] == "reverted"
    assert reverted["receipt"]["error"]["reason"] == f"ERC20InsufficientBalance({wallet.address}, 1, 10)"
    assert mock_project.trace(reverted["id"])["failure"].startswith(
        "reverted in Token.transfer (src/Token.sol:19): "
    )


@pytest.mark.mockserver(scenario="token.yaml")
def test_a_scenario_deploys_it_too(mock_project: MockProject, mock_api: httpx.Client) -> None:
    token = mock_project.captured["token"]
    assert read(mock_api, token, "totalSupply") == "1000"
