"""What is accepted beyond the specification: with a hint, or refused by the setting `strict`."""

from httpx import Client

from mockserver import leniencies
from mockserver.fidelity.ledger import read_ledger
from mockserver.leniencies import Leniency
from tests.tables import cases

CATALOGUE = [row for row in vars(leniencies).values() if isinstance(row, Leniency)]

RULES = [{"action": "reject", "operation": "signEvmHash"}]
POLICY = {"scope": "account", "rules": RULES}
HINT = leniencies.ACCOUNT_POLICY_WITHOUT_ACCOUNT.hint


def test_a_hint_is_in_the_header_and_in_the_journal(api: Client) -> None:
    answer = api.post("/v2/policies", json=POLICY)
    assert (answer.status_code, answer.headers["x-mockserver-hint"]) == (201, HINT)
    assert HINT.startswith("account-policy-without-account: A policy of scope account without accountId")
    assert api.get("/_mock/projects/-/journal?order=desc&limit=1").json()["data"][0]["hints"] == [HINT]


def test_the_next_call_has_no_hint(api: Client) -> None:
    api.post("/v2/policies", json=POLICY)
    assert "x-mockserver-hint" not in api.get("/v2/policies").headers


def test_a_refused_call_has_no_hint_and_leaves_none(api: Client) -> None:
    answer = api.post("/v2/policies", json={**POLICY, "rules": [{**RULES[0], "criteria": [{"type": "x"}]}]})
    assert answer.status_code == 400
    assert "x-mockserver-hint" not in answer.headers
    assert "x-mockserver-hint" not in api.get("/v2/policies").headers


def test_the_setting_strict_refuses_and_says_so(api: Client) -> None:
    api.put("/_mock/projects/-/settings", json={"strict": True})
    answer = api.post("/v2/policies", json=POLICY)
    assert answer.status_code == 400
    problem = answer.json()
    assert problem["type"] == "urn:mockserver:not-in-specification"
    assert problem["detail"].startswith(leniencies.ACCOUNT_POLICY_WITHOUT_ACCOUNT.message)
    assert "setting strict" in problem["detail"]
    assert api.get("/v2/policies").json()["total"] == 0


def test_a_refusal_names_the_member(api: Client) -> None:
    account = api.post("/v1/accounts", json={"chainId": 80002}).json()["id"]
    call = {"to": "0x" + "11" * 20, "functionName": "mint", "functionArgs": ["5"]}
    asked = {"chainId": 80002, "accountId": account, "calls": [call]}
    answer = api.post("/v2/transactions", json=asked)
    assert answer.status_code == 200
    hint = answer.headers["x-mockserver-hint"]
    assert hint.startswith("function-without-abi: ")
    assert "is taken for mint(uint256), by its arguments" in hint
    api.put("/_mock/projects/-/settings", json={"strict": True})
    refused = api.post("/v2/transactions", json=asked)
    assert (refused.status_code, refused.json()["param"]) == (400, "calls[0].functionName")
    call["functionName"] = "mint(uint256)"
    assert "x-mockserver-hint" not in api.post("/v2/transactions", json=asked).headers


def test_a_hint_of_a_long_name_is_short(api: Client) -> None:
    row = leniencies.FUNCTION_WITHOUT_ABI
    assert len(row.fill(signature="x" * 10_000).hint) < 500
    assert row.fill(signature="f()").message == row.message.replace("{signature}", "f()")


@cases("row", *CATALOGUE, ids=lambda row: row.id)
def test_the_ledger_lists_each_leniency(row: Leniency) -> None:
    assert row.id in {each.id for each in read_ledger().statements if each.kind == "accepted"}
    assert row.message.isascii()
    assert "\n" not in row.message
