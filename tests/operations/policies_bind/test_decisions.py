"""How the control API says how policies decided."""

from httpx import Client

from mockserver.state.project import Project
from tests.accounts import account_of
from tests.fates import add_fate
from tests.operations.policies_bind.helpers import AMOY, OTHER, THERE, Allow, to


def test_the_control_api_says_how_policies_decide(api: Client, allow: Allow) -> None:
    narrow = allow("sendEvmTransaction", to(OTHER), priority=2)
    wide = allow("sendEvmTransaction", {"type": "ethValue", "operator": "<", "ethValue": "10"})
    asked = {"operation": "sendEvmTransaction", "payload": {"to": THERE, "value": "3", "chainId": AMOY}}
    answer = api.post("/_mock/projects/-/policies/evaluate", json=asked).json()
    assert (answer["allowed"], answer["policy_id"]) == (True, wide)
    assert [policy["id"] for policy in answer["policies"]] == [narrow, wide]
    (missed,) = answer["policies"][0]["rules"][0]["criteria"]
    assert (missed["type"], missed["matched"], missed["observed"]) == ("evmAddress", False, THERE)
    assert THERE in missed["reason"]
    (met,) = answer["policies"][1]["rules"][0]["criteria"]
    assert (met["matched"], met["observed"]) == (True, "3")
    public = api.post("/v2/policies/evaluate", json=asked).json()
    assert (public["matchedPolicyId"], public["reason"]) == (wide, answer["reason"])
    unknown = {**asked, "accountId": "acc_unknown"}
    assert api.post("/_mock/projects/-/policies/evaluate", json=unknown).status_code == 404


def test_decisions_without_a_say_are_explained(api: Client, project: Project, allow: Allow) -> None:
    account, other = account_of(project).id, account_of(project).id
    deciding = allow("sendEvmTransaction", priority=2)
    late = allow("sendEvmTransaction", to(OTHER), priority=1)
    disabled = allow("sendEvmTransaction", priority=3, enabled=False)
    elsewhere = allow("sendEvmTransaction", scope="account", accountId=other)
    passed = allow("sendEvmTransaction", scope="transaction")
    sponsoring = allow("sponsorEvmTransaction")
    rule = {"action": "reject", "operation": "sendEvmTransaction"}
    rules = [{**rule, "action": "accept"}, rule]
    api.post(f"/v2/policies/{deciding}", json={"rules": rules})
    gone = allow("sendEvmTransaction")
    api.delete(f"/v2/policies/{gone}")

    asked = {"operation": "sendEvmTransaction", "accountId": account, "payload": {"to": THERE}}
    answer = api.post("/_mock/projects/-/policies/evaluate", json=asked).json()
    assert (answer["allowed"], answer["policy_id"]) == (True, deciding)
    assert {policy["id"]: policy["skipped_reason"] for policy in answer["policies"]} == {
        deciding: None,
        late: f"it comes after {deciding}, which decided",
        disabled: "it is disabled",
        elsewhere: f"it is for the account {other}",
        passed: "its scope is transaction: it is asked about transactions whose fee sponsorship names it",
        sponsoring: "no rule of it is about sendEvmTransaction",
    }
    assert [policy["id"] for policy in answer["policies"]][:3] == [deciding, late, disabled]
    first, second = answer["policies"][0]["rules"]
    assert (first["matched"], first["skipped_reason"]) == (True, None)
    assert (second["matched"], second["skipped_reason"]) == (
        True,
        f"it comes after the rule {first['id']}, which decided",
    )
    (missed,) = answer["policies"][1]["rules"][0]["criteria"]
    assert (missed["matched"], missed["observed"]) == (False, THERE)


def test_a_policy_about_something_else_is_skipped(api: Client, allow: Allow) -> None:
    allow("signEvmHash")
    allow("sponsorEvmTransaction", scope="account")
    asked = {"operation": "sponsorEvmTransaction"}
    answer = api.post("/_mock/projects/-/policies/evaluate", json=asked).json()
    assert {policy["skipped_reason"] for policy in answer["policies"]} == {
        "no rule of it is about sponsorEvmTransaction",
        "it is for accounts, and no account was named",
    }


def test_a_transaction_remembers_how_it_was_decided(api: Client, project: Project, allow: Allow) -> None:
    account = account_of(project)
    allow("sendEvmTransaction")
    sponsoring = allow("sponsorEvmTransaction", to(THERE))
    body = {"strategy": {"sponsorSchema": "pay_for_user"}, "policyId": sponsoring}
    sponsorship = api.post("/v2/fee-sponsorship", json=body).json()["id"]
    sent = {
        "chainId": AMOY,
        "accountId": account.id,
        "calls": [{"to": THERE}, {"to": OTHER}],
        "feeSponsorshipId": sponsorship,
    }
    row = api.post("/v2/transactions", json=sent).json()
    assert "feeSponsorshipId" not in row
    answer = api.get(f"/_mock/projects/-/transactions/{row['id']}/decisions").json()
    assert [each["allowed"] for each in answer["sending"]] == [True, True]
    asked = answer["sponsoring"]
    assert (asked["fee_sponsorship_id"], asked["pays"]) == (sponsorship, False)
    assert [each["allowed"] for each in asked["calls"]] == [True, False]
    assert asked["calls"][1]["policies"][0]["rules"][0]["criteria"][0]["observed"] == OTHER


def test_no_one_paid_for_what_failed_without_a_block(api: Client, project: Project) -> None:
    add_fate(project, "failed")
    account = account_of(project)
    body = {"chainId": AMOY, "accountId": account.id, "calls": [{"to": THERE, "value": "1"}]}
    row = api.post("/v2/transactions", json=body).json()
    assert row["status"] == "failed"
    assert api.get(f"/_mock/projects/-/transactions/{row['id']}/decisions").json()["paid"] is None
