"""What the planted consumers share: an account that pays, a user who is signed in."""

from collections.abc import Callable

import httpx
import pytest

from mockserver.testing.project import MockProject

CHAIN = 84532
THERE = "0x" + "ab" * 20


@pytest.fixture
def payment(mock_project: MockProject) -> dict[str, object]:
    """The body of a transaction."""
    wallet = mock_project.given.sponsored_wallet(chain_id=CHAIN)
    return {"chainId": CHAIN, "accountId": wallet.id, "calls": [{"to": THERE, "value": "7"}]}


@pytest.fixture
def contract() -> dict[str, object]:
    """The body of a contract."""
    return {"name": "Token", "chainId": CHAIN, "address": "0x" + "cd" * 20}


@pytest.fixture
def signed_in(mock_project: MockProject, mock_api: httpx.Client) -> dict[str, str]:
    """The headers of a user's client."""
    body = {"email": "ada@example.com", "password": "correct horse battery", "name": "Ada"}
    answer = mock_api.post("/iam/v2/auth/sign-up/email", json=body, headers=mock_project.headers())
    return mock_project.headers(answer.raise_for_status().json()["token"])


@pytest.fixture
def handlers(mock_project: MockProject) -> list[Callable[[httpx.Request], None]]:
    """What takes the webhooks of a subscription."""
    taken: list[Callable[[httpx.Request], None]] = []

    def handle(request: httpx.Request) -> None:
        for each in taken:
            each(request)

    mock_project.webhooks.subscribe("https://shop.example/hooks", "test", handler=handle)
    return taken
