"""Webhooks: subscriptions, events, logs, and what the control API says of deliveries."""

from collections.abc import Callable
from typing import Any

from tests.regression.story import Story

PAGES = ("", "?limit=1", "?limit=1&skip=1&order=asc", "?limit=0")
HOOK: dict[str, Any] = {"target": "https://shop.example/hooks", "type": "webhook"}
MAIL: dict[str, Any] = {"target": "ops@shop.example", "type": "email"}


def subscribing(story: Story) -> None:
    """Subscriptions and their triggers."""
    project = story.project("subscriptions")
    path = "/v1/subscriptions"
    made = project.call("POST", path, {"topic": "test", "triggers": [HOOK, MAIL]})
    for body in (
        {},
        {"topic": "nonsense", "triggers": []},
        {"topic": "test", "triggers": [{**HOOK, "target": "x"}]},
    ):
        project.call("POST", path, body)
    project.call("POST", path, {"topic": "test", "triggers": [{**MAIL, "target": "x"}]})
    for query in PAGES:
        project.call("GET", path + query)
    one = f"{path}/{made['id']}"
    project.call("GET", one)
    added = project.call("POST", f"{one}/triggers", HOOK)
    for body in ({}, {**HOOK, "target": "http://user@shop.example"}, {**HOOK, "type": "pigeon"}):
        project.call("POST", f"{one}/triggers", body)
    project.call("GET", f"{one}/triggers")
    project.call("GET", f"{one}/triggers/{added['id']}")
    project.call("POST", f"{path}/triggers/{added['id']}/enable")
    project.call("POST", f"{path}/test")
    for found in (added["id"], added["id"]):
        project.call("DELETE", f"{one}/triggers/{found}")
        project.call("GET", f"{one}/triggers/{found}")
    project.call("POST", f"{path}/triggers/tri_unknown/enable")
    for query in (*PAGES, "?topic=test", "?status=success", "?status=failed", "?object=x"):
        project.call("GET", f"{path}/logs{query}")
    for query in (*PAGES, "?method=POST", "?id=log_1"):
        project.call("GET", f"/v1/logs{query}")
    project.call("GET", "/v1/logs/webhook")
    for _ in range(2):
        project.call("DELETE", one)
        project.call("GET", one)
        project.call("GET", f"{one}/triggers")


def delivering(story: Story) -> None:
    """Deliveries, their fates and inboxes."""
    project = story.project("deliveries")
    control = f"/_mock/projects/{project.id}"
    inbox = {"target": f"http://mock{control}/inbox/orders", "type": "webhook"}
    project.call("POST", "/v1/subscriptions", {"topic": "test", "triggers": [HOOK, MAIL, inbox]})
    fates = f"{control}/webhooks/fates"
    given: tuple[dict[str, Any], ...] = (
        {"outcome": "answered", "status": 500, "target": inbox["target"]},
        {"outcome": "late", "after_ms": 1000},
        {"outcome": "late"},
        {"outcome": "lost", "status": 200},
        {"outcome": "nonsense"},
        {"outcome": "corrupted", "count": None, "topic": "user.created"},
    )
    for body in given:
        project.call("POST", fates, body)
    project.call("GET", fates)
    for _ in range(2):
        project.call("POST", "/v1/subscriptions/test")
    listed = project.call("GET", f"{control}/webhooks/deliveries")["data"]
    held = next(each for each in listed if each["status"] == "held")["id"]
    for body in ({}, {"status": 503, "error": "both"}, {"status": 503, "body": "busy"}, {"status": 200}):
        project.call("POST", f"{control}/webhooks/deliveries/{held}/result", body)
    project.call("POST", f"{control}/webhooks/deliver", {})
    project.call("POST", f"{control}/webhooks/deliver", {"id": "dlv_unknown"})
    project.call("POST", f"{control}/webhooks/deliveries/{held}/result", {"status": 200})
    for found in (held, held, "dlv_unknown"):
        project.call("POST", f"{control}/webhooks/deliveries/{found}/redeliver")
    for query in ("?status=succeeded", "?topic=test&order=desc", "?resource=x", "?limit=0"):
        project.call("GET", f"{control}/webhooks/deliveries{query}")
    project.call("GET", f"{control}/inbox/orders")
    project.call("POST", f"{control}/webhooks/secret")
    project.call("DELETE", fates)


def watching(story: Story) -> None:
    """Events, which watch balances."""
    project = story.project("events")
    path = "/v1/events"
    developer = project.call("POST", "/v1/settings/developer_accounts", {})["id"]
    dollars = project.call(
        "POST", "/v1/contracts", {"name": "USD", "chainId": 80002, "address": "0x" + "5e" * 20}
    )["id"]
    balance = {"topic": "balance.contract", "contract": dollars, "functionName": "balanceOf"}
    made = [
        project.call("POST", path, {"name": "low", "threshold": "5", **body})
        for body in (
            {"topic": "balance.project"},
            {"topic": "balance.dev_account", "developerAccount": developer, "chainId": 80002},
            {**balance, "functionArgs": ["0x" + "11" * 20]},
            {"topic": "transaction_intent.successful", "numberOfBlocks": 3},
            balance,
            {"topic": "balance.dev_account"},
            {"topic": "balance.dev_account", "developerAccount": "dac_unknown", "chainId": 80002},
            {**balance, "contract": "con_unknown"},
            {**balance, "functionName": "nothing"},
            {"topic": "test"},
        )
    ]
    for query in (*PAGES, "?name=low", "?deleted=true"):
        project.call("GET", path + query)
    for found in (made[0]["id"], "eve_unknown"):
        project.call("GET", f"{path}/{found}")
        project.call("DELETE", f"{path}/{found}")


JOURNEYS: tuple[Callable[[Story], None], ...] = (subscribing, delivering, watching)
