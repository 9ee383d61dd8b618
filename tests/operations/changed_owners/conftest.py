"""Two users, the key of one and the account of the other."""

from typing import Any

import pytest
from httpx import Client

from mockserver.state.project import Project
from tests.operations.changed_owners.helpers import AMOY, EOA, SignedIn, user_id
from tests.operations.responses import ok


@pytest.fixture
def ada(signed_in: SignedIn) -> dict[str, str]:
    """Who owns the account at first."""
    return signed_in("ada@example.com")


@pytest.fixture
def bob(signed_in: SignedIn) -> dict[str, str]:
    """Who owns it then."""
    return signed_in("bob@example.com")


@pytest.fixture
def key(api: Client, project: Project, bob: dict[str, str]) -> Any:
    """Bob's externally owned account."""
    body = {"accountType": EOA, "chainType": "EVM", "user": user_id(project, "bob@example.com")}
    return ok(api.post("/v2/accounts", json=body))


@pytest.fixture
def account(visitor: Client, ada: dict[str, str]) -> Any:
    """Ada's smart account, in the mock's custody."""
    return ok(visitor.post("/v1/accounts", json={"chainId": AMOY}, headers=ada))
