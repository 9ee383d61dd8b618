"""What rules decide for transactions and estimates, and the reasons that are given."""

from typing import Any

from httpx import Client

from mockserver.state.project import Project
from tests.operations.gas_policy_rules.helpers import (
    AMOY,
    ELSEWHERE,
    ITEMS,
    Add,
    Send,
    daily,
    limit,
    sponsored,
    why_not,
)
from tests.tables import cases


def test_newer_transactions_keep_to_the_rules_too(api: Client, account: str, policy: str, add: Add) -> None:
    add(**daily(1))
    body = {"chainId": AMOY, "accountId": account, "feeSponsorshipId": policy, "calls": [{"to": ELSEWHERE}]}
    made = [api.post("/v2/transactions", json=body).json() for _ in range(2)]
    assert [each["status"] for each in made] == ["successful", "successful"]
    assert ["feeSponsorshipId" in each for each in made] == [True, False]


def test_decisions_are_explained(api: Client, account: str, policy: str, add: Add, send: Send) -> None:
    def decided(intent: dict[str, Any]) -> tuple[str | None, bool, str]:
        answer = api.get(f"/_mock/projects/-/transactions/{intent['id']}/decisions").json()
        assert answer["id"] == intent["id"]
        asked = answer["sponsoring"]
        return (asked["fee_sponsorship_id"], asked["pays"], asked["reason"]) if asked else (None, False, "")

    reason = "The sponsorship has no policy: it pays for everything."
    assert decided(send()) == (policy, True, reason)
    add(type="contract_functions", wildcard=True)
    assert decided(send()) == (policy, True, f"The rules of the gas policy {policy} let it pay.")
    rule = add(**limit("gas_per_transaction", gasLimit="1"))
    asked, pays, reason = decided(send())
    assert (asked, pays) == (policy, False)
    assert reason.startswith(f"The rule {rule['id']} (gas_per_transaction) pays 1 wei for a transaction")
    body = {"chainId": AMOY, "account": account, "interactions": [{"to": ITEMS}]}
    assert decided(api.post("/v1/transaction_intents", json=body).json()) == (None, False, "")
    assert api.get("/_mock/projects/-/transactions/tin_none/decisions").status_code == 404


def test_an_estimate_says_the_charge(api: Client, account: str, policy: str, add: Add) -> None:
    charge = {"sponsorSchema": "fixed_rate", "tokenContract": ITEMS, "tokenContractAmount": "7"}
    api.post(f"/v1/policies/{policy}", json={"strategy": charge})
    body = {
        "chainId": AMOY,
        "account": account,
        "policy": policy,
        "interactions": [{"to": ITEMS, "data": "0x12345678"}],
    }
    path = "/v1/transaction_intents/estimate_gas_cost"
    assert api.post(path, json=body).json()["estimatedTXGasFeeToken"] == "7"
    add(**limit("gas_per_transaction", gasLimit="1"))
    assert "estimatedTXGasFeeToken" not in api.post(path, json=body).json()


@cases("scope", "project", "transaction")
def test_what_rules_refuse_fails(api: Client, policy: str, add: Add, send: Send, scope: str) -> None:
    accept = {"action": "accept", "operation": "sponsorEvmTransaction"}
    newer = api.post("/v2/policies", json={"scope": scope, "rules": [accept]}).json()["id"]
    api.put(f"/v2/fee-sponsorship/{policy}", json={"policyId": newer})
    assert sponsored(send())
    rule = add(**limit("gas_per_transaction", gasLimit="1"))
    intent = send()
    if scope == "project":
        assert (sponsored(intent), intent["response"]["status"]) == (False, 1)
    else:
        assert intent["response"]["status"] == 0
        assert (
            f"The rule {rule['id']} (gas_per_transaction) pays 1 wei" in intent["response"]["error"]["reason"]
        )


def test_the_policy_comes_first(api: Client, project: Project, policy: str, account: str, add: Add) -> None:
    reject = {"action": "reject", "operation": "sponsorEvmTransaction"}
    newer = api.post("/v2/policies", json={"scope": "project", "rules": [reject]}).json()["id"]
    api.put(f"/v2/fee-sponsorship/{policy}", json={"policyId": newer})
    add(**limit("gas_per_transaction", gasLimit="1"))
    assert "Rejected by policy rule" in why_not(project, policy, account)
