"""A transfer through the API, as the node of its chain shows it."""

import httpx

from mockserver.testing.project import MockProject

CHAIN = 80002
TOKEN = "out/Token.sol/Token.json"
THERE = "0x" + "22" * 20


def ask(client: httpx.Client, node: str, method: str, *params: object) -> object:
    body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
    return client.post(node, json=body).raise_for_status().json()["result"]


def test_one_transfer_is_seen_by_both(mock_project: MockProject, mock_api: httpx.Client) -> None:
    wallet = mock_project.given.sponsored_wallet(chain_id=CHAIN)
    node = mock_project.rpc_url(CHAIN)
    body = {"chainId": CHAIN, "accountId": wallet.id, "calls": [{"to": THERE, "value": "7"}]}
    sent = mock_api.post("/v2/transactions", json=body).raise_for_status().json()
    receipt = ask(mock_api, node, "eth_getTransactionReceipt", sent["receipt"]["transactionHash"])
    assert receipt["status"] == "0x1"
    assert int(ask(mock_api, node, "eth_getBalance", THERE, "latest"), 16) == 7


def test_a_transfer_of_tokens_writes_two_slots(mock_project: MockProject, mock_api: httpx.Client) -> None:
    wallet = mock_project.given.sponsored_wallet(chain_id=CHAIN)
    node = mock_project.rpc_url(CHAIN)
    token = mock_project.deploy(TOKEN, "Gold", "GLD", "9", chain_id=CHAIN, sender=wallet.address)
    call = {"contractId": token["contract_id"], "functionName": "transfer", "functionArgs": [THERE, "2"]}
    body = {"chainId": CHAIN, "accountId": wallet.id, "calls": [call]}
    sent = mock_api.post("/v2/transactions", json=body).raise_for_status().json()
    traced = ask(mock_api, node, "debug_traceTransaction", sent["receipt"]["transactionHash"])
    assert [step["op"] for step in traced["structLogs"]].count("SSTORE") == 2
