"""A gas policy, its rules, and an account that sends on it."""

from typing import Any

import pytest
from httpx import Client

from tests.operations import sponsoring
from tests.operations.gas_policy_rules.helpers import ABI, ITEMS, Add, Send, new_contract
from tests.operations.sponsoring import new_account, new_gas_policy


@pytest.fixture
def policy(api: Client) -> str:
    """The id of a gas policy that pays for the user."""
    return new_gas_policy(api)


@pytest.fixture
def items(api: Client) -> str:
    """The id of a contract with an ABI."""
    return new_contract(api, ITEMS, abi=ABI)


@pytest.fixture
def account(api: Client) -> str:
    """The id of a smart account."""
    return new_account(api)


@pytest.fixture
def add(api: Client, policy: str) -> Add:
    """Adds a rule to the policy and answers it."""

    def added(**members: Any) -> Any:
        response = api.post("/v1/policy_rules", json={"policy": policy, **members})
        assert response.status_code == 200, response.text
        return response.json()

    return added


@pytest.fixture
def send(api: Client, policy: str, account: str) -> Send:
    """Asks for an intent and answers it."""

    def sent(*interactions: dict[str, Any], **members: Any) -> Any:
        calls = list(interactions or ({"to": ITEMS, "data": "0x12345678"},))
        response = sponsoring.send(api, policy, account, interactions=calls, **members)
        assert response.status_code == 200, response.text
        return response.json()

    return sent
