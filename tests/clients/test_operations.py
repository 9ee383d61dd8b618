"""Every operation that the Node SDK exports is served, or it is said here that it is not."""

import re
from pathlib import Path

import pytest

from mockserver.server.assembly import ENDPOINTS
from tests.clients.conftest import run_node
from tests.clients.editions import Edition, editions
from tests.tables import cases

pytestmark = pytest.mark.clients

EDITIONS = [edition for edition in editions() if edition.client == "node"]
SERVED = re.compile(
    "|".join(
        rf"{endpoint.method} " + re.sub(r"\\{\w+\\}", "[^/]+", re.escape(endpoint.path))
        for endpoint in ENDPOINTS
    )
)

# As the fidelity page says; operations of accounts and `authorize` are gone from the service.
NOT_SERVED = [r"\w+ /v1/graphql"]
GONE = [
    r"POST /v1/accounts/X/(cancel_transfer_ownership|sign_payload|sync|deploy|(start|complete)_recovery)",
    r"POST /iam/v1/(authorize|oidc/login)",
]
KNOWN = {"0.7.7": [*NOT_SERVED, *GONE]}


@cases("edition", *EDITIONS, ids=str)
def test_operations_are_served_or_known_not_to_be(stage: Path, mock_url: str, edition: Edition) -> None:
    operations: dict[str, str] = run_node(stage / str(edition), mock_url, "operations.mjs")
    assert len(operations) > 150
    missing = {name: asked for name, asked in operations.items() if not SERVED.fullmatch(asked)}

    known = KNOWN.get(edition.version, NOT_SERVED)
    assert {name: asked for name, asked in missing.items() if not re.fullmatch("|".join(known), asked)} == {}
    # A path that has come to be served is taken off the list.
    assert [path for path in known if not any(re.fullmatch(path, asked) for asked in missing.values())] == []
