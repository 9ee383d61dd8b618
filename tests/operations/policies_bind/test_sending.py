"""Policies that decide what is sent."""

import httpx
import pytest

from mockserver.state.project import Project
from mockserver.state.wallets import Custody
from tests.accounts import account_of
from tests.operations.policies_bind.helpers import AMOY, OTHER, THERE, Allow, to


@pytest.mark.parametrize("held_by", ["Developer", "User"])
def test_what_may_not_be_sent_fails_at_once(
    api: httpx.Client, project: Project, allow: Allow, held_by: Custody
) -> None:
    account = account_of(project, held_by=held_by)
    allow("sendEvmTransaction", to(THERE))
    body = {"chainId": AMOY, "accountId": account.id, "calls": [{"to": THERE}, {"to": OTHER}]}
    row = api.post("/v2/transactions", json=body).json()
    assert row["status"] == "failed"
    assert "execution" not in row
    assert row["receipt"]["error"]["reason"].startswith("calls[1]: No policy rule matched")
    body["calls"] = [{"to": THERE}]
    wanted = "successful" if held_by == "Developer" else "awaiting_signature"
    assert api.post("/v2/transactions", json=body).json()["status"] == wanted


def test_intents_are_bound_too(api: httpx.Client, allow: Allow) -> None:
    allow("sendEvmTransaction", {"type": "ethValue", "operator": "<", "ethValue": "10"})
    body = {"chainId": AMOY, "interactions": [{"to": THERE, "value": "10"}]}
    answer = api.post("/v1/transaction_intents", json=body).json()
    assert answer["response"]["status"] == 0
    assert "ethValue" in answer["response"]["error"]["reason"]
    body["interactions"] = [{"to": THERE, "value": "9"}]
    assert api.post("/v1/transaction_intents", json=body).json()["response"]["status"] == 1
