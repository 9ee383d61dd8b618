"""The policy of an intent, and what it costs."""

from httpx import Client

from mockserver.state.project import Project
from tests.operations.transaction_intents.helpers import create, post


def test_the_policy_of_an_intent_is_a_fee_sponsorship(api: Client, policy: str) -> None:
    intent = create(api, policy=policy)
    assert intent["policy"] == {"id": policy}
    assert intent["userOperation"]["paymasterAndData"] != "0x"
    shown = api.get(f"/v1/transaction_intents/{intent['id']}", params={"expand": "policy"}).json()["policy"]
    assert shown["object"] == "policy"
    assert shown["transactionIntents"] == [{"id": intent["id"]}]
    listed = api.get("/v1/transaction_intents", params={"policy": policy}).json()
    assert [row["id"] for row in listed["data"]] == [intent["id"]]


def test_an_estimate_agrees_with_the_intent_and_makes_nothing(api: Client, project: Project) -> None:
    before = project.entropy.draws(), [len(table) for table in project.tables]
    cost = post(api, "/estimate_gas_cost").json()
    assert (project.entropy.draws(), [len(table) for table in project.tables]) == before
    response = create(api)["response"]
    assert abs(int(cost["estimatedTXGas"]) - int(response["gasUsed"])) < 300
    assert int(cost["estimatedTXGasFee"]) == int(cost["estimatedTXGas"]) * int(cost["gasPrice"])
