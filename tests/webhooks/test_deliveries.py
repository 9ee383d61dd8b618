"""How deliveries wait, are sent again, and end."""

import hashlib
import hmac

from httpx import Client

from mockserver.state.project import Project
from tests.tables import cases
from tests.webhooks.hooks import (
    CONTROL,
    DELIVERIES,
    INBOX,
    SHOP,
    advance,
    announce,
    change,
    deliveries,
    fate,
    report,
    sign_up,
    statuses,
    subscribe,
)


def inbox(api: Client) -> list[dict[str, object]]:
    found: list[dict[str, object]] = api.get(f"{CONTROL}/inbox/orders").json()["data"]
    return found


def test_an_inbox_takes_what_is_delivered_to_it(api: Client, project: Project) -> None:
    subscribe(api, "user.created")
    user = sign_up(api, project)
    (entry,) = inbox(api)
    assert (entry["status"], entry["verified"], entry["resource"]) == ("succeeded", True, user)


def test_the_signature_is_that_of_the_derived_key(api: Client) -> None:
    project = api.post("/_mock/projects", json={"name": "a-b_c"}).json()
    headers = {"authorization": f"Bearer {project['secret_key']}"}
    body = {"topic": "test", "triggers": [{"target": SHOP, "type": "webhook"}]}
    api.post("/v1/subscriptions", json=body, headers=headers)
    api.post("/v1/subscriptions/test", headers=headers)
    (entry,) = api.get(DELIVERIES, headers=headers).json()["data"]
    signed = hmac.new(b"ab_c", entry["body"].encode(), hashlib.sha256).hexdigest()
    assert entry["headers"]["openfort-signature"] == signed


def test_a_new_secret_signs_from_then_on(api: Client) -> None:
    subscribe(api, "test", target=SHOP)
    announce(api)
    secret = api.post(f"{CONTROL}/webhooks/secret").json()
    assert secret["signingSecret"].startswith("whsec_")
    assert secret["signingSecret"].endswith(secret["hint"])
    assert api.get(f"{CONTROL}/settings").json()["webhook_secret"] == secret["signingSecret"]
    (entry,) = deliveries(api)
    signed = hmac.new(secret["signingSecret"].encode(), entry["body"].encode(), hashlib.sha256).hexdigest()
    assert entry["headers"]["openfort-signature"] == signed


def test_a_mail_trigger_fills_the_outbox(api: Client) -> None:
    subscribe(api, "test", target="ops@shop.example")
    announce(api)
    (mail,) = api.get(f"{CONTROL}/outbox").json()["data"]
    assert (mail["to"], mail["kind"]) == ("ops@shop.example", "test")
    assert statuses(api) == ["succeeded"]


@cases(
    "host, status", ("shop.example", "held"), ("127.0.0.1:9", "due"), ("[::1]:9", "due"), ("localhost", "due")
)
def test_only_safe_targets_are_due(api: Client, host: str, status: str) -> None:
    subscribe(api, "test", target=f"http://{host}/hooks")
    announce(api)
    assert statuses(api) == [status]


@cases("named", "shop.example", "shop.example:8443")
def test_a_host_that_the_setting_names_is_due(api: Client, named: str) -> None:
    change(api, webhook_hosts=[named])
    for target in ("https://shop.example:8443/", "https://shop.example.net/", "https://other.example:8443/"):
        subscribe(api, "test", target=target)
    announce(api)
    assert statuses(api) == ["due", "held", "held"]


def test_what_failed_is_sent_again_when_it_is_time(api: Client) -> None:
    subscribe(api, "test", target=SHOP)
    announce(api)
    (entry,) = deliveries(api)
    for seconds in (5, 30, 120, 600, 3600):
        assert report(api, entry["id"], status=503)["status"] == "waiting"
        assert advance(api, seconds - 0.001) == []
        (fired,) = advance(api, 0.001)
        assert (fired["kind"], fired["from"], fired["to"]) == ("delivery", "waiting", "held")
    ended = report(api, entry["id"], error="refused")
    assert (ended["status"], len(ended["attempts"])) == ("failed", 6)
    assert ended["attempts"][-1]["error"] == "refused"
    assert advance(api, 10_000) == []


def test_deliver_now_needs_no_clock(api: Client) -> None:
    change(api, webhook_delay_ms=60_000)
    subscribe(api, "test")
    announce(api)
    assert statuses(api) == ["waiting"]
    assert api.post(f"{CONTROL}/webhooks/deliver", json={}).json()["data"] == []
    assert statuses(api) == ["succeeded"]
    assert advance(api, 100) == []


def test_one_of_several_is_delivered_now(api: Client) -> None:
    change(api, webhook_delay_ms=60_000)
    subscribe(api, "test", target=SHOP)
    announce(api)
    announce(api)
    second = deliveries(api)[1]["id"]
    (due,) = api.post(f"{CONTROL}/webhooks/deliver", json={"id": second}).json()["data"]
    assert (due["id"], statuses(api)) == (second, ["waiting", "held"])


def test_a_delivery_is_repeated_with_the_same_body(api: Client) -> None:
    subscribe(api, "test")
    announce(api)
    (before,) = deliveries(api)
    after = api.post(f"{DELIVERIES}/{before['id']}/redeliver").json()
    assert (after["id"], after["body"], len(after["attempts"])) == (before["id"], before["body"], 2)


@cases("result", {}, {"status": 200, "error": "both"}, {"status": 99}, {"answer": 200})
def test_a_result_that_cannot_be_is_refused(api: Client, result: dict[str, object]) -> None:
    subscribe(api, "test", target=SHOP)
    announce(api)
    (entry,) = deliveries(api)
    assert api.post(f"{DELIVERIES}/{entry['id']}/result", json=result).status_code == 400
    assert statuses(api) == ["held"]


def test_a_delivery_has_one_result_at_a_time(api: Client) -> None:
    subscribe(api, "test", target=SHOP)
    announce(api)
    (entry,) = deliveries(api)
    assert api.post(f"{DELIVERIES}/{entry['id']}/redeliver").json()["type"] == "urn:mockserver:not-ended"
    report(api, entry["id"], status=200)
    again = api.post(f"{DELIVERIES}/{entry['id']}/result", json={"status": 200})
    assert (again.status_code, again.json()["type"]) == (409, "urn:mockserver:not-due")
    assert api.post(f"{DELIVERIES}/dlv_unknown/redeliver").status_code == 404


def test_a_lost_delivery_is_never_sent(api: Client) -> None:
    subscribe(api, "test")
    fate(api, "lost")
    announce(api)
    announce(api)
    assert statuses(api) == ["lost", "succeeded"]
    assert len(inbox(api)) == 1


def test_a_late_delivery_comes_after_a_time(api: Client) -> None:
    subscribe(api, "test")
    fate(api, "late", after_ms=5000)
    announce(api)
    assert statuses(api) == ["waiting"]
    advance(api, 5)
    assert statuses(api) == ["succeeded"]


def test_a_delivery_comes_twice(api: Client) -> None:
    subscribe(api, "test")
    fate(api, "twice")
    announce(api)
    first, second = inbox(api)
    assert first["body"] == second["body"]


def test_deliveries_change_places(api: Client) -> None:
    subscribe(api, "test")
    fate(api, "reordered")
    announce(api)
    assert inbox(api) == []
    announce(api)
    attempts = api.get("/v1/subscriptions/logs", params={"order": "asc"}).json()["data"]
    first, second = deliveries(api)
    assert [entry["requestID"] for entry in attempts] == [second["id"], first["id"]]


def test_a_corrupted_delivery_does_not_verify(api: Client) -> None:
    subscribe(api, "test")
    fate(api, "corrupted")
    announce(api)
    announce(api)
    assert [entry["verified"] for entry in inbox(api)] == [False, True]


def test_a_fate_is_for_its_topic_target_and_count(api: Client) -> None:
    subscribe(api, "test")
    subscribe(api, "test", target=SHOP)
    fate(api, "lost", topic="user.created", count=None)
    fate(api, "lost", target=INBOX, count=2)
    for _ in range(3):
        announce(api)
    assert [entry["status"] for entry in deliveries(api, target=INBOX)] == ["lost", "lost", "succeeded"]
    assert {entry["status"] for entry in deliveries(api, target=SHOP)} == {"held"}
    (left,) = api.get(f"{CONTROL}/webhooks/fates").json()["data"]
    assert left["topic"] == "user.created"
    assert api.delete(f"{CONTROL}/webhooks/fates").json() == {"deleted": 1}
    assert api.get(f"{CONTROL}/webhooks/fates").json()["data"] == []


def test_a_fate_may_leave_out_the_first_deliveries(api: Client) -> None:
    subscribe(api, "test")
    fate(api, "lost", nth=3)
    for _ in range(4):
        announce(api)
    assert statuses(api) == ["succeeded", "succeeded", "lost", "succeeded"]


@cases(
    "body", {"outcome": "late"}, {"outcome": "lost", "after_ms": 5}, {"outcome": "answered"}, {"outcome": "x"}
)
def test_a_fate_that_cannot_be_is_refused(api: Client, body: dict[str, object]) -> None:
    assert api.post(f"{CONTROL}/webhooks/fates", json=body).status_code == 400


def test_a_snapshot_has_its_deliveries(api: Client) -> None:
    change(api, webhook_delay_ms=1000)
    subscribe(api, "test")
    announce(api)
    snapshot = api.post(f"{CONTROL}/snapshots", json={}).json()["id"]
    advance(api, 1)
    assert statuses(api) == ["succeeded"]
    api.post(f"{CONTROL}/snapshots/{snapshot}/restore")
    assert statuses(api) == ["waiting"]


def test_restoring_tells_nothing(api: Client, project: Project) -> None:
    subscribe(api, "user.created", "user.deleted")
    snapshot = api.post(f"{CONTROL}/snapshots", json={}).json()["id"]
    sign_up(api, project)
    api.post(f"{CONTROL}/snapshots/{snapshot}/restore")
    assert deliveries(api) == []


def test_the_list_waits_for_a_delivery(api: Client) -> None:
    subscribe(api, "test")
    announce(api)
    found = api.get(DELIVERIES, params={"wait": 60, "topic": "test", "status": "succeeded"}).json()
    assert found["total"] == 1


def test_a_scenario_subscribes_and_sets_a_fate(api: Client) -> None:
    text = """
name: webhooks
given:
  - call: CreateSubscription
    body: {topic: test, triggers: [{target: https://shop.example/hooks, type: webhook}]}
  - call: SetDeliveryFate
    body: {outcome: late, after_ms: 2000}
"""
    loaded = api.post(f"{CONTROL}/scenarios", content=text, headers={"content-type": "application/yaml"})
    assert loaded.status_code in (200, 201), loaded.text
    announce(api)
    assert statuses(api) == ["waiting"]


@cases(
    "outcome, found",
    ("twice", ["succeeded"] * 3),
    ("reordered", ["succeeded"] * 2),
    ("lost", ["lost", "succeeded"]),
)
def test_a_rule_decides_about_the_next_delivery(api: Client, outcome: str, found: list[str]) -> None:
    subscribe(api, "test")
    rule = {"when": {"call": "TestTrigger", "nth": 1}, "then": {"delivery": outcome}}
    assert api.post(f"{CONTROL}/scenarios", json={"rules": [rule]}).status_code == 201
    announce(api)
    assert len(inbox(api)) == 2 * (outcome == "twice")
    announce(api)
    assert statuses(api) == found
