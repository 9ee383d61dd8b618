"""Policies that decide what is sent on Solana."""

from typing import Any

from httpx import Client

from mockserver.state.project import Project
from tests.accounts import account_of
from tests.fates import add_fate
from tests.operations.policies_bind.helpers import Allow, wallet
from tests.tables import cases

ANN, BOB = "9" * 32, "8" * 32
PAYMENT = {"recipients": [ANN], "solValue": "5"}


def to(*addresses: str) -> dict[str, Any]:
    return {"type": "solAddress", "operator": "in", "addresses": list(addresses)}


def submit(api: Client, **members: Any) -> Any:
    """A transaction that is submitted, as the control API shows it."""
    response = api.post("/_mock/projects/-/solana/transactions", json={"payload": PAYMENT, **members})
    assert response.status_code == 201, response.text
    return response.json()


def status_of(api: Client, row: Any) -> Any:
    """The status that clients see, some seconds later."""
    api.post("/_mock/projects/-/clock/advance", json={"seconds": 5})
    key = {"authorization": "Bearer pk_test_tests"}
    return api.get("/v1/solana/transactions", params={"externalId": row["external_id"]}, headers=key).json()


def decisions(api: Client, row: Any) -> Any:
    return api.get(f"/_mock/projects/-/transactions/{row['id']}/decisions").json()


def sponsor(api: Client, policy: str, **members: Any) -> str:
    body = {"strategy": {"sponsorSchema": "pay_for_user"}, "policyId": policy, **members}
    return str(api.post("/v2/fee-sponsorship", json=body).json()["id"])


@cases("members", {}, {"transactions": 3}, {"sign_only": True})
def test_rejections_fail_at_once(api: Client, allow: Allow, members: dict[str, Any]) -> None:
    operation = "signSolTransaction" if members.get("sign_only") else "sendSolTransaction"
    allow(operation, to(ANN), action="reject")
    row = submit(api, external_id="order-1", **members)
    assert (row["status"], row["signature"]) == ("failed", None)
    assert row["error_message"].startswith("Rejected by policy rule: ")
    seen = status_of(api, row)
    assert (seen["status"], seen["txSignature"]) == ("failed", None)
    assert seen["errorMessage"] == row["error_message"]
    (decision,) = decisions(api, row)["sending"]
    assert (decision["allowed"], decision["reason"]) == (False, row["error_message"])
    assert decision["policies"][0]["rules"][0]["criteria"][0]["observed"] == [ANN]
    assert submit(api, payload={"recipients": [BOB]}, **members)["status"] == (
        "failed" if members.get("sign_only") else "sent"
    )


def test_the_account_pays_without_a_rule(api: Client, allow: Allow) -> None:
    allow("sendSolTransaction", to(BOB))
    row = submit(api, external_id="order-1")
    assert status_of(api, row)["status"] == "confirmed"
    (decision,) = decisions(api, row)["sending"]
    assert decision["allowed"]
    assert decision["reason"].endswith(". It is sent all the same.")


def test_what_no_rule_accepts_is_not_signed(api: Client, allow: Allow) -> None:
    allow("signSolTransaction", to(BOB))
    assert submit(api, sign_only=True)["status"] == "failed"
    assert submit(api, sign_only=True, payload={"recipients": [BOB]})["status"] == "sent"
    assert submit(api)["status"] == "sent"


def test_policies_about_evm_do_not_matter(api: Client, allow: Allow) -> None:
    allow("sendEvmTransaction", action="reject")
    row = submit(api)
    assert row["status"] == "sent"
    assert decisions(api, row) == {"id": row["id"], "sending": [], "sponsoring": None, "paid": None}


def test_an_accounts_policy_binds_that_account_alone(api: Client, backend: Client, allow: Allow) -> None:
    bound, free = wallet(backend, "SVM")["id"], wallet(backend, "SVM")["id"]
    allow("sendSolTransaction", scope="account", accountId=bound, action="reject")
    assert submit(api, account_id=bound)["status"] == "failed"
    assert submit(api, account_id=free)["status"] == "sent"
    assert submit(api)["status"] == "sent"


@cases("livemode", False, True)
def test_the_mode_tells_the_network(api: Client, project: Project, allow: Allow, livemode: bool) -> None:
    project.livemode = livemode
    allow("sendSolTransaction", {"type": "solNetwork", "operator": "in", "networks": ["devnet"]})
    matched = [
        decisions(api, submit(api, payload=payload))["sending"][0]["rule_id"] is not None
        for payload in ({}, {"network": "testnet"})
    ]
    assert matched == [not livemode, False]


@cases("scope", "project", "transaction")
@cases("operation", "sendSolTransaction", "sponsorSolTransaction")
def test_a_sponsorship_pays_for_what_may_be(api: Client, allow: Allow, scope: str, operation: str) -> None:
    sponsorship = sponsor(api, allow(operation, to(ANN), scope=scope))
    paid = submit(api, fee_sponsorship_id=sponsorship)
    sponsoring = decisions(api, paid)["sponsoring"]
    assert (sponsoring["fee_sponsorship_id"], sponsoring["pays"]) == (sponsorship, True)
    other = submit(api, fee_sponsorship_id=sponsorship, payload={"recipients": [BOB]})
    assert other["status"] == ("failed" if scope == "transaction" else "sent")
    sponsoring = decisions(api, other)["sponsoring"]
    assert sponsoring["pays"] is False
    assert "No policy rule matched" in sponsoring["reason"]
    assert [each["allowed"] for each in sponsoring["calls"]] == [False]


def test_a_policy_that_is_disabled_sponsors_nothing(api: Client, allow: Allow) -> None:
    sponsorship = sponsor(api, allow("sponsorSolTransaction", scope="transaction", enabled=False))
    row = submit(api, fee_sponsorship_id=sponsorship)
    assert (row["status"], row["error_message"].endswith("is disabled.")) == ("failed", True)


def test_evaluating_says_what_sending_does(api: Client, allow: Allow) -> None:
    allow("sendSolTransaction", to(BOB), action="reject")
    allow("sendSolTransaction", {"type": "solValue", "operator": "<=", "value": "5"}, priority=-1)
    for payload in ({"recipients": [BOB], "solValue": "1"}, PAYMENT, {"recipients": [ANN], "solValue": "6"}):
        (decision,) = decisions(api, submit(api, payload=payload))["sending"]
        answer = api.post(
            "/v2/policies/evaluate",
            json={"operation": "sendSolTransaction", "payload": {"network": "devnet", **payload}},
        ).json()
        if "matchedRuleId" in answer:
            assert (answer["allowed"], answer["reason"]) == (decision["allowed"], decision["reason"])
        else:
            # It says that no rule accepts it; what is sent all the same was allowed.
            assert (answer["allowed"], decision["allowed"]) == (False, True)


def test_a_rejected_transaction_has_used_up_its_fate(api: Client, project: Project, allow: Allow) -> None:
    add_fate(project, "failed", kind="solana_transaction", options={"error_message": "x"})
    allow("sendSolTransaction", action="reject")
    assert submit(api)["error_message"] == "Rejected by policy rule: it rejects every sendSolTransaction."
    assert len(project.onchain.fates) == 0


def test_a_submission_names_what_is_there(api: Client, project: Project, allow: Allow) -> None:
    def refused(**members: Any) -> tuple[int, str]:
        response = api.post("/_mock/projects/-/solana/transactions", json=members)
        return response.status_code, response.json()["param"]

    assert refused(account_id="acc_none") == (404, "account_id")
    assert refused(account_id=account_of(project).id) == (400, "account_id")
    assert refused(fee_sponsorship_id="pol_none") == (404, "fee_sponsorship_id")
    elsewhere = sponsor(api, allow("sponsorEvmTransaction"), chainId=80002)
    assert refused(fee_sponsorship_id=elsewhere) == (400, "fee_sponsorship_id")
    disabled = sponsor(api, allow("sponsorSolTransaction"))
    api.put(f"/v2/fee-sponsorship/{disabled}/disable")
    assert refused(fee_sponsorship_id=disabled) == (409, "fee_sponsorship_id")
    assert refused(payload={"to": "0x" + "11" * 20}) == (400, "payload.to")
    assert len(project.onchain.solana_transactions) == 0
