"""Masked recordings of the journeys replay: what the server made, and clients send back, is not masked."""

import json
from collections.abc import Callable
from itertools import count
from typing import Any

import yaml
from httpx import Client

from mockserver.domain.identity.code_challenges import challenge_of
from mockserver.server.edge.app import App
from mockserver.server.recording.placeholders import UNREPEATABLE
from mockserver.state.project import Project
from tests.adversary.attacks.interleavings import server
from tests.regression.exchanges import Answer, Request
from tests.regression.journeys import control, providers, sign_in
from tests.regression.story import Story
from tests.regression.whole_story import JOURNEYS, Journey
from tests.replay.recorded import sign_up
from tests.replay.runs import play
from tests.tables import cases
from tests.thoroughness import sampled

VERIFIER = "a verifier of forty-three characters or more"


@cases("journey", providers.older_providers, sign_in.older, *sampled(JOURNEYS, 9))
def test_a_masked_journey_replays(journey: Journey) -> None:
    assert play(recorded(journey, after=0))[1] == []


@cases("journey", control.credentials, *sampled(JOURNEYS[4:], 9))
def test_a_journey_that_is_masked_later_replays(journey: Journey) -> None:
    assert play(recorded(journey, after=6))[1] == []


def recorded(journey: Journey, after: int) -> bytes:
    """The masked recording of a journey, after so many of its requests."""
    send, numbers = server(), count()

    def send_next(request: Request) -> Answer:
        if next(numbers) == after:
            send(Request("POST", "/_mock/recording?mask=true", {}, ""))
        return send(request)

    journey(Story(send_next))
    send(Request("POST", "/_mock/recording/stop", {}, ""))
    return send(Request("GET", "/_mock/recording", {}, "")).body.encode("utf-8", "surrogateescape")


def test_settings_are_masked_by_their_types(app: App, api: Client, project: Project) -> None:
    token = "0x" + "5f" * 20
    path = f"/_mock/projects/{project.id}/settings"
    changes = {"tokens": {token: {"symbol": "USD", "decimals": 6}}, "webhook_secret": "whsec_of-the-shop"}
    app.recordings.start(masked=True)
    shown = api.put(path, json=changes).json()["tokens"]
    api.get(path)
    app.recordings.stop()
    recorded = app.recordings.read()
    assert shown[token]["symbol"] == "USD"
    assert (b"USD" in recorded, b"of-the-shop" in recorded) == (True, False)
    assert play(recorded)[1] == []


@cases(
    "rules, password",
    ({"minLength": 5}, "horse"),
    ({"minLength": 20}, "correct horse battery"),
    ({"minLength": 8, "requireUppercase": True}, "Correct horse"),
    ({"minLength": 5, "requireSpecialChar": True, "requireUppercase": True, "requireNumber": True}, "A-1bc"),
)
def test_a_password_passes_a_projects_own_rules_masked(
    app: App, api: Client, project: Project, rules: dict[str, Any], password: str
) -> None:
    app.recordings.start(masked=True)
    api.post("/iam/v1/config", json={"provider": "email", "enabled": True, "passwordRequirements": rules})
    user = {"email": "ada@example.com", "name": "Ada", "password": password}
    headers = {"x-project-key": project.publishable_key}
    assert api.post("/iam/v2/auth/sign-up/email", json=user, headers=headers).is_success
    app.recordings.stop()
    recorded = app.recordings.read()
    assert password.encode() not in recorded
    assert play(recorded)[1] == []


def test_the_code_of_test_accounts_is_no_secret(app: App, api: Client, project: Project) -> None:
    app.recordings.start(masked=True)
    account = {"provider": "test_account", "enabled": True, "otpCode": "481516"}
    suffix = api.post("/iam/v1/config", json=account).json()["emailSuffix"]
    user = {"email": f"test-{suffix}@openfort.xyz", "otp": "481516"}
    headers = {"x-project-key": project.publishable_key}
    sent = {"email": user["email"], "type": "sign-in"}
    assert api.post("/iam/v2/auth/email-otp/send-verification-otp", json=sent, headers=headers).is_success
    assert api.post("/iam/v2/auth/sign-in/email-otp", json=user, headers=headers).is_success
    app.recordings.stop()
    assert play(app.recordings.read())[1] == []


@cases("format", yaml.safe_dump, json.dumps)
def test_codes_of_errors_stay_in_a_masked_scenario(
    app: App, api: Client, project: Project, format: Callable[[Any], str]
) -> None:
    def load(name: str) -> None:
        rule = {"when": "GetContracts", "then": {"error": {"code": "rate_limited"}}}
        path, headers = f"/_mock/projects/{project.id}/scenarios", {"content-type": "application/yaml"}
        text = format({"name": name, "rules": [rule]})
        assert api.post(path, content=text, headers=headers).is_success

    load("first")
    app.recordings.start(masked=True)
    load("second")
    assert api.get("/v1/contracts").is_error
    app.recordings.stop()
    assert play(app.recordings.read())[1] == []


def test_names_are_no_secrets_in_json_rpc(app: App, api: Client, project: Project) -> None:
    app.recordings.start(masked=True)
    there, code = "0x" + "ab" * 20, "0x602a60005260206000f3"
    asked = {"id": 1, "method": "eth_call", "params": [{"to": there}, "latest", {there: {"code": code}}]}
    answer = api.post(f"/_mock/projects/{project.id}/chains/84532/rpc", json=asked)
    journal = api.get(f"/_mock/projects/{project.id}/journal").text
    app.recordings.stop()
    assert int(answer.json()["result"], 16) == 42
    assert code in journal
    assert play(app.recordings.read())[1] == []


def test_a_code_verifier_cannot_be_repeated(app: App, api: Client, project: Project) -> None:
    headers = {"authorization": f"Bearer {project.publishable_key}"}
    challenge = {"codeChallenge": challenge_of(VERIFIER, "plain"), "method": "S256"}
    asked = {"email": "ada@example.com", "redirectUrl": "http://localhost/", "challenge": challenge}
    sign_up(api, project, "ada")
    app.recordings.start(masked=True)
    assert api.post("/iam/v1/password/request_email_verification", json=asked, headers=headers).is_success
    token = api.get(f"/_mock/projects/{project.id}/outbox?order=desc&limit=1").json()["data"][0]["token"]
    given = {"email": "ada@example.com", "token": token, "challenge": {"codeVerifier": VERIFIER}}
    assert api.post("/iam/v1/password/verify_email", json=given, headers=headers).is_success
    app.recordings.stop()
    recorded = app.recordings.read()
    player, found = play(recorded)
    assert (found, player.masked.gave_up, UNREPEATABLE.encode() in recorded) == ([], 3, True)


def test_a_password_of_users_of_several_projects_is_one(app: App, api: Client) -> None:
    made = [api.post("/_mock/projects", json={"name": name}).json() for name in ("first", "second")]
    users = [
        ({"x-project-key": project["publishable_key"]}, {"email": f"u{number}@b.co", "password": "the same"})
        for project in made
        for number in range(40)
    ]
    del api.headers["authorization"]

    def enter(path: str, headers: dict[str, str], user: dict[str, str]) -> None:
        assert api.post(f"/iam/v2/auth/{path}/email", json=user, headers=headers).is_success
        api.cookies.clear()

    for headers, user in users:
        enter("sign-up", headers, {**user, "name": "A"})
    app.recordings.start(masked=True)
    for headers, user in users[39::40]:
        enter("sign-in", headers, user)
    app.recordings.stop()
    assert play(app.recordings.read())[1] == []
