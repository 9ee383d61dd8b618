"""The logs of requests and of webhooks."""

from httpx import Client

from mockserver.state.project import Project
from tests.webhooks.hooks import announce, fate, sign_up, subscribe


def test_requests_are_listed_newest_first_and_masked(api: Client, project: Project) -> None:
    sign_up(api, project)
    api.get("/v1/contracts")
    newest, first = api.get("/v1/logs").json()["data"]
    assert (newest["event"], newest["status"], newest["response_time"]) == ("GET /v1/contracts", 200, 0)
    assert first["event"] == "POST /iam/v2/auth/sign-up/email"
    assert first["request_body"]["password"] == "…"
    assert first["timestamp"] == "2026-01-01T00:00:00.000Z"
    assert "correct horse" not in api.get("/v1/logs").text


def test_requests_are_listed_by_tens_in_both_orders(api: Client) -> None:
    for name in "abcdefghijkl":
        api.get(f"/v1/contracts/con_{name}")
    newest, oldest = (api.get("/v1/logs", params={"order": order}).json() for order in ("desc", "asc"))
    (last,) = api.get("/v1/logs", params={"skip": 11}).json()["data"]
    assert (len(newest["data"]), newest["total"]) == (10, 12)
    assert newest["data"][0]["event"] == "GET /v1/contracts/con_l"
    assert oldest["data"][0] == last


def test_looking_at_the_logs_is_not_logged(api: Client) -> None:
    api.get("/v1/logs")
    assert api.get("/v1/logs").json()["total"] == 0


def test_requests_are_found_by_method_and_id(api: Client) -> None:
    api.get("/v1/contracts")
    api.post("/v1/contracts", json={})
    (posted,) = api.get("/v1/logs", params={"method": ["POST", "PUT"]}).json()["data"]
    assert posted["status"] == 400
    assert api.get("/v1/logs", params={"id": posted["id"]}).json()["data"] == [posted]


def test_attempts_to_send_are_listed(api: Client) -> None:
    subscribe(api, "test", target="https://shop.example/_mock/projects/-/inbox/a")
    fate(api, "answered", status=503)
    announce(api)
    (attempt,) = api.get("/v1/logs/webhook").json()["data"]
    assert attempt["event"] == "POST https://shop.example/_mock/projects/-/inbox/a"
    assert (attempt["status"], attempt["request_body"]["type"]) == (503, "test")
    assert attempt["response_time"] == 0
