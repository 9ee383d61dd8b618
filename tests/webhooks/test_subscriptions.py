"""Subscriptions, their triggers, and the logs of deliveries."""

from typing import Any

from httpx import Client

from tests.tables import cases
from tests.webhooks.hooks import INBOX, SHOP, announce, change, fate, statuses, subscribe

PATH = "/v1/subscriptions"
HOOK = {"target": SHOP, "type": "webhook"}


def test_a_subscription_has_its_triggers(api: Client) -> None:
    made = api.post(
        PATH, json={"topic": "user.created", "triggers": [HOOK, {"target": "a@b.example", "type": "email"}]}
    )
    assert made.status_code == 201
    body = made.json()
    assert (body["object"], body["topic"], body["createdAt"]) == (
        "subscription",
        "user.created",
        1_767_225_600,
    )
    assert [(one["object"], one["type"], one["active"]) for one in body["triggers"]] == [
        ("trigger", "webhook", True),
        ("trigger", "email", True),
    ]
    assert api.get(f"{PATH}/{body['id']}").json() == body
    assert api.get(PATH).json()["data"] == [body]


def test_triggers_are_added_listed_and_deleted(api: Client) -> None:
    one = f"{PATH}/" + api.post(PATH, json={"topic": "test", "triggers": []}).json()["id"]
    added = api.post(f"{one}/triggers", json=HOOK)
    assert added.status_code == 201
    trigger = f"{one}/triggers/{added.json()['id']}"
    assert api.get(trigger).json() == added.json()
    assert api.get(f"{one}/triggers").json()["total"] == 1
    deleted = api.delete(trigger)
    assert (deleted.status_code, deleted.json()["deleted"]) == (201, True)
    assert api.get(trigger).json()["error"]["code"] == "trigger_not_found"
    assert api.delete(one).status_code == 201
    assert api.get(one).json()["error"]["code"] == "subscription_not_found"


def test_a_trigger_of_another_subscription_is_not_found(api: Client) -> None:
    (trigger,) = subscribe(api, "test")
    other = api.post(PATH, json={"topic": "test", "triggers": []}).json()["id"]
    assert api.get(f"{PATH}/{other}/triggers/{trigger}").status_code == 404


@cases(
    "target, kind",
    ("shop.example", "webhook"),
    ("ftp://shop.example", "webhook"),
    ("http://", "webhook"),
    ("http://user:word@shop.example", "webhook"),
    ("http://shop.example:99999", "webhook"),
    ("http://shop.example/a b", "webhook"),
    ("http://[::1", "webhook"),
    ("shop.example", "email"),
)
def test_a_target_that_cannot_be_is_refused(api: Client, target: str, kind: str) -> None:
    body = {"topic": "test", "triggers": [HOOK, {"target": target, "type": kind}]}
    refused = api.post(PATH, json=body)
    assert (refused.status_code, refused.json()["error"]["param"]) == (400, "triggers[1].target")
    assert api.get(PATH).json()["total"] == 0


@cases("body", {}, {"topic": "user.eaten", "triggers": []}, {"topic": "test", "triggers": [{"target": SHOP}]})
def test_a_subscription_that_cannot_be_is_refused(api: Client, body: dict[str, object]) -> None:
    assert api.post(PATH, json=body).status_code == 400


def test_a_test_tells_whether_there_is_a_trigger(api: Client) -> None:
    assert api.post(f"{PATH}/test").json() == {"sent": False}
    subscribe(api, "test")
    assert api.post(f"{PATH}/test").json() == {"sent": True}


def test_logs_have_one_entry_for_each_attempt(api: Client) -> None:
    (trigger,) = subscribe(api, "test")
    fate(api, "answered", status=503)
    announce(api)
    announce(api)
    newest, failed = api.get(f"{PATH}/logs").json()["data"]
    assert (newest["object"], newest["status"], failed["status"]) == ("log", "success", "failed")
    assert (failed["topic"], failed["trigger"]) == ("test", trigger)
    queries: tuple[dict[str, Any], ...] = (
        {"status": "failed"},
        {"requestID": failed["requestID"]},
        {"trigger": trigger, "limit": 1, "skip": 1},
        {"subscription": failed["subscription"], "topic": "test", "order": "asc", "limit": 1},
    )
    for query in queries:
        assert api.get(f"{PATH}/logs", params=query).json()["data"] == [failed]
    assert api.get(f"{PATH}/logs", params={"object": "event"}).json()["total"] == 0


def test_failures_in_a_row_deactivate_until_it_is_enabled(api: Client) -> None:
    change(api, webhook_failures=2, webhook_retries_ms=[])
    (trigger,) = subscribe(api, "test")
    fate(api, "answered", status=500, count=2)
    announce(api)
    announce(api)
    assert api.get(f"{PATH}?limit=1").json()["data"][0]["triggers"][0]["active"] is False
    assert api.post(f"{PATH}/test").json() == {"sent": False}
    enabled = api.post(f"{PATH}/triggers/{trigger}/enable")
    assert (enabled.status_code, enabled.json()["active"]) == (200, True)
    announce(api)
    assert statuses(api) == ["failed", "failed", "succeeded"]


def test_what_waits_fails_when_its_trigger_is_deactivated(api: Client) -> None:
    change(api, webhook_failures=2, webhook_retries_ms=[1000])
    subscribe(api, "test")
    fate(api, "answered", status=500, count=2)
    announce(api)
    announce(api)
    assert statuses(api) == ["waiting", "failed"]
    api.post("/_mock/projects/-/clock/advance", json={"seconds": 1})
    assert statuses(api) == ["failed", "failed"]
    assert api.get(f"{PATH}/logs").json()["total"] == 2


def test_a_success_forgets_the_failures_before_it(api: Client) -> None:
    change(api, webhook_failures=2, webhook_retries_ms=[])
    subscribe(api, "test")
    for status in (500, 200, 500, 204):
        fate(api, "answered", status=status)
        announce(api)
    assert statuses(api) == ["failed", "succeeded", "failed", "succeeded"]


def test_what_waits_fails_when_its_trigger_is_deleted(api: Client) -> None:
    change(api, webhook_delay_ms=1000)
    subscribe(api, "test", target=INBOX)
    announce(api)
    api.delete(f"{PATH}/{api.get(PATH).json()['data'][0]['id']}")
    api.post("/_mock/projects/-/clock/advance", json={"seconds": 1})
    assert statuses(api) == ["failed"]
