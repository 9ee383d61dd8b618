"""Events: balances that are watched."""

from typing import Any

from httpx import Client

from tests.tables import cases
from tests.webhooks.hooks import CONTROL, deliveries, subscribe

PATH = "/v1/events"
TOKEN = "0x" + "5e" * 20
HOLDER = "0x" + "11" * 20


def watch(api: Client, **members: Any) -> Any:
    made = api.post(PATH, json={"name": "low", **members})
    assert made.status_code == 201, made.text
    return made.json()


def set_balance(api: Client, address: str, wei: int) -> None:
    body = {"balance_wei": str(wei)}
    assert api.put(f"{CONTROL}/chains/80002/addresses/{address}", json=body).status_code == 200


def developer_account(api: Client) -> tuple[str, str]:
    made = api.post("/v1/settings/developer_accounts", json={}).json()
    return made["id"], made["address"]


def test_a_balance_that_falls_is_told_once(api: Client) -> None:
    account, address = developer_account(api)
    subscribe(api, "balance.dev_account")
    made = watch(api, topic="balance.dev_account", developerAccount=account, chainId=80002, threshold="100")
    assert made["developerAccount"] == {"id": account}
    for wei in (500, 99, 98, 100, 5):
        set_balance(api, address, wei)
    assert [entry["payload"]["data"]["balance"] for entry in deliveries(api)] == ["99", "5"]
    assert {entry["resource"] for entry in deliveries(api)} == {made["id"]}


def test_the_balance_of_a_token_is_watched(api: Client) -> None:
    contract = api.post("/v1/contracts", json={"name": "USD", "chainId": 80002, "address": TOKEN}).json()[
        "id"
    ]
    subscribe(api, "balance.contract")
    watch(
        api,
        topic="balance.contract",
        contract=contract,
        functionName="balanceOf",
        functionArgs=[HOLDER],
        threshold="10",
    )
    for amount in ("50", "9"):
        tokens = [{"contract": TOKEN, "balance": amount}]
        api.put(f"{CONTROL}/chains/80002/addresses/{HOLDER}", json={"tokens": tokens})
    assert [entry["payload"]["data"]["balance"] for entry in deliveries(api)][-1] == "9"


def test_events_are_listed_by_name_and_deleted(api: Client) -> None:
    made = watch(api, topic="balance.project", threshold="5")
    assert made == {
        "id": made["id"],
        "object": "event",
        "createdAt": 1_767_225_600,
        "topic": "balance.project",
        "threshold": "5",
    }
    assert api.get(PATH, params={"name": "low"}).json()["data"] == [made]
    assert api.get(PATH, params={"name": "high"}).json()["total"] == 0
    assert api.get(PATH, params={"deleted": True}).json()["data"] == [made]
    assert api.get(f"{PATH}/{made['id']}").json() == made
    assert api.delete(f"{PATH}/{made['id']}").status_code == 204
    assert api.get(f"{PATH}/{made['id']}").json()["error"]["code"] == "event_not_found"
    assert api.get(PATH, params={"deleted": True}).json()["total"] == 0


@cases(
    "members, param",
    ({"topic": "balance.project"}, "threshold"),
    ({"topic": "balance.dev_account", "threshold": "1", "chainId": 80002}, "developerAccount"),
    ({"topic": "balance.contract", "threshold": "1", "contract": "con_x"}, "functionName"),
    ({"topic": "user.created"}, "topic"),
    ({"topic": "balance.project", "threshold": "-1"}, "threshold"),
)
def test_an_event_that_cannot_be_is_refused(api: Client, members: dict[str, Any], param: str) -> None:
    refused = api.post(PATH, json={"name": "low", **members})
    assert (refused.status_code, refused.json()["error"]["param"]) == (400, param)


def test_what_is_watched_has_to_be_there(api: Client) -> None:
    for members in (
        {"topic": "balance.dev_account", "developerAccount": "dac_x", "chainId": 80002},
        {"topic": "balance.contract", "contract": "con_x", "functionName": "balanceOf"},
    ):
        assert api.post(PATH, json={"name": "low", "threshold": "1", **members}).status_code == 404
    assert watch(api, topic="transaction_intent.successful")["numberOfBlocks"] == 5
