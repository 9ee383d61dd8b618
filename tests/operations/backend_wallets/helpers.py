"""Backend wallets that are created and sign."""

from typing import Any

from httpx import Client

AMOY = 80002


def create(backend: Client, chain_type: str = "EVM", **members: object) -> Any:
    """A new backend wallet."""
    response = backend.post("/v2/accounts/backend", json={"chainType": chain_type} | members)
    assert response.status_code == 200, response.text
    return response.json()
