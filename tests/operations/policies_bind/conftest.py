"""Policies of the project."""

from typing import Any

import pytest
from httpx import Client

from tests.operations.policies_bind.helpers import Allow


@pytest.fixture
def allow(api: Client) -> Allow:
    """Makes a policy of one rule."""

    def make(operation: str, *criteria: dict[str, Any], action: str = "accept", **members: Any) -> str:
        rule = {"action": action, "operation": operation, "criteria": list(criteria)}
        body = {"scope": "project", "rules": [rule], **members}
        made = api.post("/v2/policies", json=body)
        assert made.status_code == 201, made.text
        return str(made.json()["id"])

    return make
