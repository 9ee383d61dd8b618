"""What a masked recording hides of the time before it, and what it shows because the server made it."""

from base64 import b64encode
from collections.abc import Callable
from pathlib import Path

import jwt
import pytest
from httpx import Client, Response

from mockserver import cli
from mockserver.chain.base58 import base58_encode
from mockserver.crypto import ed25519
from mockserver.server.edge.app import App
from mockserver.server.recording.known_secrets import KnownSecrets
from mockserver.server.recording.search import Search, _Span
from mockserver.state.project import Project
from tests.replay.recorded import account_of, sign_up
from tests.replay.runs import play
from tests.replay.test_masking import SIGN_IN, SIGN_UP, account, recorded_of, shown_in
from tests.tables import cases

SECRET = "correct-horse-battery-staple"
KEY = "a1" * 32
SOLANA_KEY = bytes(range(32))
SOLANA_PAIR = base58_encode(SOLANA_KEY + ed25519.public_key(SOLANA_KEY))
AUTH = "/iam/v2/auth"
GOOGLE = {"provider": "google", "enabled": True, "clientId": "shop"}
Bring = Callable[[Client, Project], object]


@pytest.fixture
def visitor(api: Client, project: Project) -> Client:
    """A client with the project's publishable key, which keeps no cookies between calls."""
    api.headers["x-project-key"] = project.publishable_key
    return api


def test_each_line_of_the_beginning_is_looked_into_a_few_times(
    visitor: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert visitor.post(SIGN_UP, json=account(SECRET)).status_code == 200
    for _ in range(40):
        visitor.get("/v1/players")
    looked: list[bytes] = []
    find = Search._find

    def watched(self: Search, raw: bytes, depth: int) -> list[_Span]:
        looked.append(raw)
        return find(self, raw, depth)

    monkeypatch.setattr(Search, "_find", watched)
    assert visitor.post("/_mock/recording?mask=true").status_code == 201
    lines = visitor.get("/_mock/recording").text.count("\n")
    assert 0 < len(looked) < 2 * lines


def sign_in_at_google(api: Client, **tokens: str) -> Response:
    """Sign in with the tokens of a provider."""
    identity = jwt.encode({"sub": "7", "email": "ada@example.com"}, "k" * 32)
    given = {"provider": "google", "idToken": {"token": identity, **tokens}}
    return api.post(f"{AUTH}/sign-in/social", json=given)


def import_key(api: Client, text: str) -> Response:
    """Import the private key of a user."""
    return api.put("/_mock/projects/-/imports", json={"private_keys": [text]})


def call_shield(api: Client, project: Project, path: str, **body: str) -> Response:
    """Call the share service as the backend of a client."""
    headers = {"authorization": "", "x-api-key": project.publishable_key, "x-api-secret": "of the shop"}
    return api.post(f"/_mock/projects/{project.id}/shield{path}", headers=headers, json=body)


def store_share(api: Client, project: Project, **share: str) -> Response:
    """Store a share of a new user."""
    made = api.post("/v2/users/pregenerate", json={"accounts": [{}], "email": "eve@example.com"}).json()
    named = {"x-auth-provider": "openfort", "x-user-id": made["user"]}
    with Client(transport=api._transport, base_url=api.base_url, headers=named) as other:
        return call_shield(other, project, "/admin/preregister", **share)


def deliver_to(api: Client, target: str) -> str:
    """Deliver a webhook; the id of its delivery."""
    api.post("/v1/subscriptions", json={"topic": "test", "triggers": [{"target": target, "type": "webhook"}]})
    api.post("/v1/subscriptions/test")
    return str(api.get("/_mock/projects/-/webhooks/deliveries").json()["data"][0]["id"])


def report_result(api: Client, response: str) -> Response:
    """Report what a receiver answered."""
    delivery = deliver_to(api, "https://shop.example")
    given = {"status": 200, "body": response}
    return api.post(f"/_mock/projects/-/webhooks/deliveries/{delivery}/result", json=given)


BROUGHT: dict[str, tuple[str, Bring]] = {
    "the part of an encryption session": (
        SECRET,
        lambda api, project: call_shield(api, project, "/project/encryption-session", encryption_part=SECRET),
    ),
    "the encryption part of a share": (
        SECRET,
        lambda api, project: store_share(
            api, project, secret="of the user", entropy="project", encryption_part=SECRET
        ),
    ),
    "a share": (SECRET, lambda api, project: store_share(api, project, secret=SECRET, entropy="user")),
    "the URL of a webhook": (
        SECRET,
        lambda api, _: deliver_to(api, f"https://shop.example/hooks?token={SECRET}"),
    ),
    "the answer of a receiver": (SECRET, lambda api, _: report_result(api, f'{{"apiKey": "{SECRET}"}}')),
    "the secret of webhooks": (
        f"whsec_{SECRET}",
        lambda api, _: api.put("/_mock/projects/-/settings", json={"webhook_secret": f"whsec_{SECRET}"}),
    ),
    "the secret of a provider's configuration": (
        SECRET,
        lambda api, _: api.post("/iam/v1/oauth", json=GOOGLE | {"clientSecret": SECRET}),
    ),
    "an access token of a provider": (SECRET, lambda api, _: sign_in_at_google(api, accessToken=SECRET)),
    "a refresh token of a provider": (
        SECRET,
        lambda api, _: sign_in_at_google(api, accessToken="A" * 40, refreshToken=SECRET),
    ),
    "a private key": (KEY, lambda api, _: import_key(api, KEY)),
    "a private key, as text of 32 bytes in base58": (
        base58_encode(SOLANA_KEY),
        lambda api, _: import_key(api, SOLANA_PAIR),
    ),
    "a key pair in base58": (SOLANA_PAIR, lambda api, _: import_key(api, SOLANA_PAIR)),
}
"""Where a secret was brought before, and is kept in rows."""

ONLY_WRITTEN: dict[str, Bring] = {
    "an exchange": lambda api, _: api.post(SIGN_UP, json=account(SECRET)),
    "a scenario": lambda api, _: api.post(
        "/_mock/projects/-/scenarios",
        content=f"name: s\nsettings: {{}}\n# password: {SECRET}\n",
        headers={"content-type": "application/yaml"},
    ),
}
"""Where a secret is only in the journal or in the text of a scenario."""


def echo(api: Client, secret: str) -> None:
    """Name a secret where nothing says that it is one, plainly and encoded."""
    api.get(f"/v1/contracts?name={secret}")
    encoded = b64encode(f"<{secret}>".encode()).decode()
    api.post("/v1/contracts", json={"name": encoded, "chainId": 80002, "address": "0x" + "a1" * 20})


@cases("place", *sorted(BROUGHT))
def test_the_beginnings_secrets_are_known(place: str, app: App, visitor: Client, project: Project) -> None:
    secret, bring = BROUGHT[place]
    bring(visitor, project)
    visitor.cookies.clear()
    visitor.delete("/_mock/projects/-/journal")
    recorded = recorded_of(app, lambda: echo(visitor, secret))
    assert not shown_in(recorded, secret)
    player, found = play(recorded)
    assert (found, player.number, player.masked.withheld) == ([], 2, 0)


@cases("place", *sorted(BROUGHT))
def test_a_first_snapshots_secret_is_known(place: str, app: App, visitor: Client, project: Project) -> None:
    secret, bring = BROUGHT[place]
    visitor.post("/_mock/projects/-/snapshots", json={"name": "before"})
    bring(visitor, project)
    visitor.cookies.clear()
    visitor.post("/_mock/projects/-/snapshots", json={"name": "after"})
    visitor.post("/_mock/projects/-/snapshots/before/restore")
    visitor.delete("/_mock/projects/-/journal")
    assert {*project.snapshots} == {"before", "after"}
    recorded = recorded_of(app, lambda: echo(visitor, secret))
    assert not shown_in(recorded, secret)
    assert play(recorded)[1] == []


@cases("place", *sorted(BROUGHT))
def test_a_secret_that_is_gone_is_known(place: str, app: App, visitor: Client, project: Project) -> None:
    secret, bring = BROUGHT[place]
    visitor.post("/_mock/projects/-/snapshots", json={"name": "before"})
    bring(visitor, project)
    visitor.cookies.clear()
    visitor.post("/_mock/projects/-/snapshots/before/restore")
    recorded = recorded_of(app, lambda: echo(visitor, secret))
    assert not shown_in(recorded, secret)
    assert play(recorded)[1] == []


@cases("place", *sorted(ONLY_WRITTEN))
def test_an_earlier_secret_is_known(place: str, app: App, visitor: Client, project: Project) -> None:
    assert ONLY_WRITTEN[place](visitor, project)
    visitor.cookies.clear()
    recorded = recorded_of(app, lambda: echo(visitor, SECRET))
    assert not shown_in(recorded, SECRET)
    assert play(recorded)[1] == []


def test_a_brought_tokens_signature_is_known_by_itself(app: App, visitor: Client) -> None:
    token = jwt.encode({"sub": "ada"}, "k" * 32)
    signature = token.rpartition(".")[2]

    def run() -> None:
        visitor.get("/v2/users", headers={"x-player-token": token, "x-auth-provider": "firebase"})
        visitor.get(f"/v1/contracts?name={signature}")

    assert signature not in recorded_of(app, run).decode()


def test_what_an_earlier_key_gives_is_no_difference(app: App, api: Client) -> None:
    assert import_key(api, "0x" + "11" * 32).is_success
    player, found = play(recorded_of(app, lambda: api.get("/_mock/projects/-/imports")))
    assert (found, player.masked.gave_up, player.masked.unrepeatable) == ([], 1, 0)


def test_earlier_users_of_one_password_sign_in_again(app: App, visitor: Client) -> None:
    for name in ("ada", "bob"):
        visitor.post(SIGN_UP, json=account(SECRET) | {"email": f"{name}@example.com"})
        visitor.cookies.clear()

    def run() -> None:
        for name in ("bob", "ada"):
            given = {"email": f"{name}@example.com", "password": SECRET}
            assert visitor.post(SIGN_IN, json=given).status_code == 200
            visitor.cookies.clear()

    player, found = play(recorded_of(app, run))
    assert (found, player.masked.gave_up, player.number) == ([], None, 2)


TAKEN_FROM: dict[str, Callable[[Response], str]] = {
    "the body": lambda answer: str(answer.json()["token"]),
    "the header": lambda answer: answer.headers["set-auth-token"],
    "the cookie": lambda answer: answer.headers["set-cookie"].partition("=")[2].partition(";")[0],
}


@cases("place", *sorted(TAKEN_FROM))
@cases("ended", False, True)
def test_a_sessions_token_is_always_shown(app: App, visitor: Client, ended: bool, place: str) -> None:
    def begin() -> str:
        token = TAKEN_FROM[place](visitor.post(SIGN_IN, json=given))
        visitor.cookies.clear()
        return token

    def use(token: str) -> None:
        headers = {"authorization": f"Bearer {token}"}
        if ended:
            assert visitor.post(f"{AUTH}/sign-out", json={}, headers=headers).status_code == 200
        session = visitor.get(f"{AUTH}/get-session", headers=headers)
        visitor.cookies.clear()
        assert session.status_code == (401 if ended else 200)

    given = {"email": "ada@example.com", "password": SECRET}
    visitor.post(SIGN_UP, json=account(SECRET))
    visitor.cookies.clear()
    earlier = begin()
    later: list[str] = []

    def run() -> None:
        later.append(begin())
        use(later[0])
        use(earlier)

    recorded = recorded_of(app, run)
    assert (earlier in recorded.decode(), later[0] in recorded.decode()) == (True, True)
    player, found = play(recorded)
    assert (found, player.masked.gave_up) == ([], None)


def test_what_was_given_out_is_shown_as_a_credential(app: App, visitor: Client, project: Project) -> None:
    user = sign_up(visitor, project, "ada").json()["user"]["id"]
    visitor.cookies.clear()
    owned = account_of(visitor, user)
    keys: list[str] = []

    def run() -> None:
        answer = visitor.get(f"/_mock/projects/-/accounts/{owned}/key").json()
        keys.append(answer["private_key"])
        visitor.get("/v2/users", headers={"x-player-token": keys[0]})

    recorded = recorded_of(app, run)
    assert recorded.count(keys[0].encode()) == 2
    player, found = play(recorded)
    assert (found, player.masked.gave_up, player.number) == ([], None, 2)


def test_an_earlier_resets_secret_works_in_the_replay(app: App, visitor: Client, project: Project) -> None:
    visitor.post(SIGN_UP, json=account(SECRET))
    visitor.cookies.clear()
    asked = {"email": "ada@example.com", "redirectTo": "http://localhost/reset"}
    assert visitor.post(f"{AUTH}/request-password-reset", json=asked).status_code == 200
    token = (list(project.outbox)[-1].url or "").rpartition("/")[2].partition("?")[0]

    def run() -> None:
        given = {"token": token, "newPassword": "another password"}
        assert visitor.post(f"{AUTH}/reset-password", json=given).status_code == 200

    recorded = recorded_of(app, run)
    assert token in recorded.decode()
    assert not shown_in(recorded, "another password")
    assert play(recorded)[1] == []


def test_masking_a_masked_recording_again_changes_nothing(
    app: App, api: Client, project: Project, tmp_path: Path
) -> None:
    sign_up(api, project, "ada")
    source, masked, again = (tmp_path / name for name in ("run.jsonl", "masked.jsonl", "again.jsonl"))
    app.recordings.start(source)
    sign_up(api, project, "bob")
    app.recordings.close()
    assert cli.main(["mask", str(source), str(masked)]) == 0
    assert cli.main(["mask", str(masked), str(again)]) == 0
    assert again.read_bytes().splitlines()[2:] == masked.read_bytes().splitlines()[2:]


@cases("password", "", "   ", None, True)
def test_what_names_no_secret_stays_as_it_was_sent(password: object, app: App, visitor: Client) -> None:
    given = {"email": "ada@example.com", "password": password, "name": "A"}
    recorded = recorded_of(app, lambda: visitor.post(SIGN_UP, json=given))
    player, found = play(recorded)
    assert (found, player.masked.values) == ([], set())


def test_an_answer_with_a_secret_and_a_large_number_is_recorded(app: App, visitor: Client) -> None:
    given = {"webhook_secret": f"whsec_{SECRET}", "sponsor_deposit_wei": 10**40}

    def run() -> None:
        assert visitor.put("/_mock/projects/-/settings", json=given).json().items() >= given.items()

    recorded = recorded_of(app, run)
    assert (shown_in(recorded, SECRET), str(10**40) in recorded.decode()) == (False, True)
    assert play(recorded)[1] == []


def test_the_key_in_a_scenario_stays_one(app: App, visitor: Client, project: Project) -> None:
    rule = f"when: {{call: GetContracts, headers: {{authorization: Bearer {project.secret_key}}}}}"
    scenario = f"rules: [{{{rule}, then: {{answer: {{status: 418}}}}}}]"

    def run() -> None:
        headers = {"content-type": "application/yaml"}
        loaded = visitor.post("/_mock/projects/-/scenarios", content=scenario, headers=headers)
        assert loaded.status_code == 201, loaded.text
        assert visitor.get("/v1/contracts").status_code == 418

    player, found = play(recorded_of(app, run))
    assert (found, player.masked.values) == ([], set())


def test_answers_without_json_are_recorded_too(app: App, visitor: Client) -> None:
    rules = """
        rules:
          - when: GET /v1/events
            then: {answer: {status: 200, headers: {content-type: text/plain}, body: '{"token": no JSON'}}
    """
    answer = visitor.post(
        "/_mock/projects/-/scenarios", content=rules, headers={"content-type": "application/yaml"}
    )
    assert answer.status_code == 201, answer.text

    def run() -> None:
        assert visitor.head("/v1/contracts").content == b""
        assert visitor.get("/v1/events").text == '{"token": no JSON'

    recorded = recorded_of(app, run)
    assert b'{\\"token\\": no JSON' in recorded
    assert play(recorded)[1] == []


def test_a_projects_own_keys_are_looked_for_in_no_other(
    app: App, visitor: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked: list[str] = []

    def watched(_: KnownSecrets, text: str) -> bool:
        looked.append(text)
        return False

    monkeypatch.setattr(KnownSecrets, "_is_issued", watched)
    for _ in range(3):
        assert visitor.post("/_mock/projects", json={}).status_code == 201
    recorded_of(app, lambda: visitor.get("/v1/contracts"))
    assert looked == []
