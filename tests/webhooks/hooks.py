"""Subscribing, and what became of deliveries."""

from typing import Any

from httpx import Client

from mockserver.state.project import Project

CONTROL = "/_mock/projects/-"
DELIVERIES = f"{CONTROL}/webhooks/deliveries"
SHOP = "https://shop.example/hooks"
INBOX = f"http://mock{CONTROL}/inbox/orders"


def subscribe(api: Client, *topics: str, target: str = INBOX) -> list[str]:
    """Subscribe a target to topics; the ids of the triggers."""
    kind = "webhook" if "://" in target else "email"
    made = [
        api.post(
            "/v1/subscriptions", json={"topic": topic, "triggers": [{"target": target, "type": kind}]}
        ).json()
        for topic in topics
    ]
    return [one["triggers"][0]["id"] for one in made]


def sign_up(api: Client, project: Project, name: str = "ada") -> str:
    """Let a user sign up; the user's id."""
    body = {"email": f"{name}@example.com", "password": "correct horse", "name": name}
    headers = {"x-project-key": project.publishable_key}
    found: str = api.post("/iam/v2/auth/sign-up/email", json=body, headers=headers).json()["user"]["id"]
    return found


def announce(api: Client) -> None:
    """Deliver a test."""
    assert api.post("/v1/subscriptions/test").json() == {"sent": True}


def deliveries(api: Client, **filters: str) -> list[dict[str, Any]]:
    """The deliveries, oldest first."""
    found: list[dict[str, Any]] = api.get(DELIVERIES, params=filters).json()["data"]
    return found


def statuses(api: Client) -> list[str]:
    """The statuses of all deliveries, oldest first."""
    return [entry["status"] for entry in deliveries(api)]


def report(api: Client, delivery_id: str, **result: object) -> dict[str, Any]:
    """Report what came of an attempt."""
    answer = api.post(f"{DELIVERIES}/{delivery_id}/result", json=result)
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


def fate(api: Client, outcome: str, **options: object) -> None:
    """Set the fate of the next delivery."""
    answer = api.post(f"{CONTROL}/webhooks/fates", json={"outcome": outcome, **options})
    assert answer.status_code == 201, answer.text


def advance(api: Client, seconds: float) -> list[dict[str, Any]]:
    """Advance the clock; what fired."""
    fired: list[dict[str, Any]] = api.post(f"{CONTROL}/clock/advance", json={"seconds": seconds}).json()[
        "fired"
    ]
    return fired


def change(api: Client, **settings: object) -> None:
    """Change settings."""
    assert api.put(f"{CONTROL}/settings", json=settings).status_code == 200
