"""Policies that decide what is sent."""

from httpx import Client

from mockserver.state.project import Project
from mockserver.state.wallets import Custody
from tests.accounts import account_of
from tests.operations.policies_bind.helpers import AMOY, OTHER, THERE, Allow, to
from tests.tables import cases


@cases("held_by", "Developer", "User")
def test_rejections_fail_at_once(api: Client, project: Project, allow: Allow, held_by: Custody) -> None:
    account = account_of(project, held_by=held_by)
    allow("sendEvmTransaction", to(OTHER), action="reject")
    body = {"chainId": AMOY, "accountId": account.id, "calls": [{"to": THERE}, {"to": OTHER}]}
    row = api.post("/v2/transactions", json=body).json()
    assert row["status"] == "failed"
    assert "execution" not in row
    assert row["receipt"]["error"]["reason"].startswith("calls[1]: Rejected by policy rule")
    body["calls"] = [{"to": THERE}]
    wanted = "successful" if held_by == "Developer" else "awaiting_signature"
    assert api.post("/v2/transactions", json=body).json()["status"] == wanted


def test_intents_are_bound_too(api: Client, allow: Allow) -> None:
    allow("sendEvmTransaction", {"type": "ethValue", "operator": ">=", "ethValue": "10"}, action="reject")
    body = {"chainId": AMOY, "interactions": [{"to": THERE, "value": "10"}]}
    answer = api.post("/v1/transaction_intents", json=body).json()
    assert answer["response"]["status"] == 0
    assert "value 10 is >= 10" in answer["response"]["error"]["reason"]
    body["interactions"] = [{"to": THERE, "value": "9"}]
    assert api.post("/v1/transaction_intents", json=body).json()["response"]["status"] == 1


@cases("scope", "project", "account")
def test_the_account_pays_without_a_rule(api: Client, project: Project, allow: Allow, scope: str) -> None:
    account = account_of(project)
    allow("sendEvmTransaction", to(OTHER), scope=scope, **owner(scope, account.id))
    body = {"chainId": AMOY, "accountId": account.id, "calls": [{"to": THERE}]}
    row = api.post("/v2/transactions", json=body).json()
    assert row["status"] == "successful"
    decisions = api.get(f"/_mock/projects/-/transactions/{row['id']}/decisions").json()
    assert [each["allowed"] for each in decisions["sending"]] == [True]
    assert decisions["sending"][0]["reason"].startswith("No policy rule matched: ")
    assert decisions["sending"][0]["reason"].endswith(". It is sent all the same.")
    assert decisions["paid"]["payer"] == account.address


@cases("scope", "project", "account", "transaction")
@cases("operation", "sendEvmTransaction", "sponsorEvmTransaction")
def test_a_sponsorship_pays_for_what_may_be(
    api: Client, project: Project, allow: Allow, scope: str, operation: str
) -> None:
    account = account_of(project)
    policy = allow(operation, to(THERE), scope=scope, **owner(scope, account.id))
    made = {"strategy": {"sponsorSchema": "pay_for_user"}, "policyId": policy}
    sponsorship = api.post("/v2/fee-sponsorship", json=made).json()["id"]
    body = {"chainId": AMOY, "accountId": account.id, "feeSponsorshipId": sponsorship}
    paid = api.post("/v2/transactions", json={**body, "calls": [{"to": THERE}]}).json()
    assert (paid["status"], paid["feeSponsorshipId"]) == ("successful", sponsorship)
    other = api.post("/v2/transactions", json={**body, "calls": [{"to": OTHER}]}).json()
    # Passed with the scope transaction the policy has to match; with another the account pays.
    assert other["status"] == ("failed" if scope == "transaction" else "successful")
    assert ("feeSponsorshipId" in other) is (scope == "transaction")


@cases("scope", "project", "transaction")
def test_a_rejection_takes_nothing_else_from_a_sponsorship(api: Client, project: Project, scope: str) -> None:
    rules = [
        {"action": "reject", "operation": "sendEvmTransaction", "criteria": [to(OTHER)]},
        {"action": "accept", "operation": "sponsorEvmTransaction"},
    ]
    policy = api.post("/v2/policies", json={"scope": scope, "rules": rules}).json()["id"]
    made = {"strategy": {"sponsorSchema": "pay_for_user"}, "policyId": policy}
    sponsorship = api.post("/v2/fee-sponsorship", json=made).json()["id"]
    body = {"chainId": AMOY, "accountId": account_of(project).id, "feeSponsorshipId": sponsorship}
    paid = api.post("/v2/transactions", json={**body, "calls": [{"to": THERE}]}).json()
    assert (paid["status"], paid["feeSponsorshipId"]) == ("successful", sponsorship)
    rejected = api.post("/v2/transactions", json={**body, "calls": [{"to": OTHER}]}).json()
    assert rejected["receipt"]["error"]["reason"].startswith("calls[0]: Rejected by policy rule")


def owner(scope: str, account_id: str) -> dict[str, str]:
    """What a policy of a scope says beside it."""
    return {"accountId": account_id} if scope == "account" else {}
