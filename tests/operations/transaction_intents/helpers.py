"""Intents that are created, signed and read."""

from typing import Any

from eth_account import Account as EthAccount
from httpx import Client, Response

AMOY = 80002
THERE = "0x" + "11" * 20
CALL = {"to": THERE, "value": "1000"}
OUTSIDER = EthAccount.from_key(b"\x07" * 32)


def post(api: Client, path: str = "", **members: Any) -> Response:
    body = {"chainId": AMOY, "interactions": [CALL], **members}
    return api.post(f"/v1/transaction_intents{path}", json=body)


def create(api: Client, **members: Any) -> Any:
    response = post(api, **members)
    assert response.status_code == 200, response.text
    return response.json()


def submit(api: Client, intent: Any, signature: str, **members: Any) -> Response:
    path = f"/v1/transaction_intents/{intent['id']}/signature"
    return api.post(path, json={"signature": signature, **members})


def steps(intent: Any) -> list[tuple[str, str]]:
    return [(step["fromStatus"], step["toStatus"]) for step in intent.get("transitions", [])]
