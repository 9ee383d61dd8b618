"""What a masked recording shows of sessions, secrets of webhooks and whole states that come again."""

from collections.abc import Callable

import pytest
from httpx import Client

from mockserver.server.edge.app import App
from mockserver.state.project import Project
from tests.replay.runs import play
from tests.replay.test_masking import SIGN_UP, account, recorded_of, shown_in
from tests.server.recording.test_mask_of_the_beginning import AUTH, SECRET, deliver_to
from tests.tables import cases


@pytest.fixture
def visitor(api: Client, project: Project) -> Client:
    """A client with the project's publishable key."""
    api.headers["x-project-key"] = project.publishable_key
    return api


def test_a_secret_of_webhooks_is_nowhere(app: App, visitor: Client) -> None:
    visitor.put("/_mock/projects/-/settings", json={"webhook_secret": f"whsec_{SECRET}"})
    signatures: list[str] = []

    def run() -> None:
        for secret in (f"whsec_{SECRET}", "whsec_another-one"):
            changed = visitor.put("/_mock/projects/-/settings", json={"webhook_secret": secret})
            assert (changed.status_code, changed.json()["webhook_secret"]) == (200, secret)
            deliver_to(visitor, "https://shop.example")
            listed = visitor.get("/_mock/projects/-/webhooks/deliveries").json()["data"]
            signatures.extend(each["headers"]["openfort-signature"] for each in listed)

    recorded = recorded_of(app, run)
    assert not any(shown_in(recorded, each) for each in (SECRET, "another-one", *signatures))
    player, found = play(recorded)
    assert (found, player.masked.gave_up) == ([], None)


def test_the_state_of_a_project_is_in_no_masked_file(app: App, visitor: Client) -> None:
    visitor.post(SIGN_UP, json=account(SECRET))
    visitor.cookies.clear()
    state = visitor.get("/_mock/projects/-/state").text
    password_hash = state.partition('"password_hash":"')[2].partition('"')[0]

    def run() -> None:
        assert visitor.get("/_mock/projects/-/state").text.count(password_hash)
        headers = {"content-type": "application/jsonl"}
        refused = visitor.put("/_mock/projects/-/state", content=state, headers=headers)
        assert refused.status_code == 409

    recorded = recorded_of(app, run)
    assert not shown_in(recorded, SECRET)
    assert password_hash not in recorded.decode()
    player, found = play(recorded)
    assert (found, player.masked.withheld) == ([], 1)


def test_an_imported_state_shows_no_secret_of_elsewhere(app: App, visitor: Client, project: Project) -> None:
    with Client(transport=visitor._transport, base_url=visitor.base_url, headers=visitor.headers) as api:
        api.post(SIGN_UP, json=account(SECRET))
    state = visitor.get("/_mock/projects/-/state").text
    visitor.delete(f"/_mock/projects/{project.id}")
    headers = {"content-type": "application/jsonl"}
    path = f"/_mock/projects/{project.id}/state"
    recorded = recorded_of(app, lambda: visitor.put(path, content=state, headers=headers))
    assert not shown_in(recorded, SECRET)


def use_session(api: Client) -> None:
    """Sign up, and send the token of the session."""
    token = api.post(SIGN_UP, json=account(SECRET)).json()["token"]
    api.cookies.clear()
    assert api.get(f"{AUTH}/get-session", headers={"authorization": f"Bearer {token}"}).is_success


def use_access_token(api: Client) -> None:
    """Sign up, and send an access token."""
    token = api.post(SIGN_UP, json=account(SECRET)).json()["token"]
    api.cookies.clear()
    session = api.get(f"{AUTH}/get-session", headers={"authorization": f"Bearer {token}"})
    token = session.headers["set-auth-jwt"]
    api.get(f"{AUTH}/get-session", headers={"authorization": f"Bearer {token}"})


def use_funding_session(api: Client) -> None:
    """Begin a funding session, and read it with its secret."""
    address = "0x" + "11" * 20
    target = {"chain": "eip155:80002", "currency": "0x" + "00" * 20, "address": address}
    key = {"authorization": f"Bearer {api.headers['x-project-key']}"}
    made = api.post("/v2/funding/sessions", json={"target": target}, headers=key).json()
    secret = {"clientSecret": made["clientSecret"]}
    assert api.get(f"/v2/funding/sessions/{made['id']}", params=secret, headers=key).is_success


@cases("use", use_session, use_access_token, use_funding_session)
def test_what_is_issued_again_after_a_restore_is_shown(
    use: Callable[[Client], None], app: App, visitor: Client
) -> None:
    visitor.post("/_mock/projects/-/snapshots", json={"name": "before"})
    use(visitor)
    visitor.post("/_mock/projects/-/snapshots/before/restore")
    player, found = play(recorded_of(app, lambda: use(visitor)))
    assert (found, player.masked.gave_up) == ([], None)
