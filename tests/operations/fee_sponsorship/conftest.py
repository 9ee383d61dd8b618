"""Fee sponsorships, and the policies and contracts that they name."""

from typing import Any

import pytest
from httpx import Client

from tests.operations.fee_sponsorship.helpers import FREE, Create, new_policy


@pytest.fixture
def policy(api: Client) -> str:
    """The id of a policy that sponsors calls of little value."""
    return new_policy(api)


@pytest.fixture
def create(api: Client, policy: str) -> Create:
    """Creates a fee sponsorship and answers it."""

    def created(**members: Any) -> Any:
        response = api.post("/v2/fee-sponsorship", json={"strategy": FREE, "policyId": policy, **members})
        assert response.status_code == 201, response.text
        return response.json()

    return created
