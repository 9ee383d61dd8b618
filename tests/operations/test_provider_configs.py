"""How ways of signing in are configured, and tokens of their providers."""

import httpx
import jwt
import pytest

from mockserver.state.project import Project

GOOGLE = {"provider": "google", "enabled": True, "clientId": "c-1", "clientSecret": "s-1"}
FIREBASE = {"provider": "firebase", "enabled": False, "projectId": "p-1"}


def token(subject: str = "fb-7") -> str:
    return jwt.encode({"sub": subject, "name": "Joan"}, "k" * 32)


@pytest.mark.parametrize("path", ["/iam/v1/config", "/iam/v1/oauth"])
def test_a_provider_is_configured_shown_and_forgotten(
    api: httpx.Client, visitor: httpx.Client, project: Project, path: str
) -> None:
    assert api.post(path, json=GOOGLE | {"unknown": 1}).json() == GOOGLE
    assert api.post(path, json=FIREBASE).json() == FIREBASE
    assert api.get("/iam/v1/oauth").json() == {"data": [GOOGLE, FIREBASE]}
    assert api.get("/iam/v1/oauth/google").json() == GOOGLE
    changed = GOOGLE | {"clientId": "c-2"}
    del changed["clientSecret"]
    assert api.post(path, json=changed).json() == changed
    assert api.get("/iam/v1/oauth").json() == {"data": [changed, FIREBASE]}
    gone = api.delete("/iam/v1/oauth/google")
    assert (gone.status_code, gone.content) == (204, b"")
    for method in ("GET", "DELETE"):
        refused = api.request(method, "/iam/v1/oauth/google")
        assert (refused.status_code, refused.json()["error"]["code"]) == (404, "auth_config_not_found")


def test_the_publishable_key_shows_which_providers_there_are(api: httpx.Client, project: Project) -> None:
    for body in (GOOGLE, FIREBASE, {"provider": "email", "enabled": True, "otpLength": 6}):
        assert api.post("/iam/v1/config", json=body).status_code == 200
    headers = {"authorization": f"Bearer {project.publishable_key}"}

    def listed(**query: str) -> list[tuple[str, str]]:
        found = api.get("/iam/v1/config", params=query, headers=headers).json()
        return [(row["provider"], row["type"]) for row in found["data"]]

    assert listed() == [("google", "oauth"), ("firebase", "third_party"), ("email", "basic")]
    assert listed(enabled="true") == [("google", "oauth"), ("email", "basic")]
    assert listed(enabled="false") == [("firebase", "third_party")]
    assert api.get("/iam/v1/config").status_code == 401, "the operation takes no secret key"
    assert api.get("/iam/v1/oauth", headers=headers).status_code == 401


@pytest.mark.parametrize(
    ("body", "param"),
    [
        ({"provider": "google", "enabled": True}, "clientId"),
        ({"provider": "discord", "enabled": True, "clientId": "c"}, "clientSecret"),
        ({"provider": "line", "enabled": True, "channelId": "c"}, "channelSecret"),
        ({"provider": "myspace", "enabled": True}, "provider"),
        ({"provider": "google", "clientId": "c"}, "enabled"),
        ({"provider": "email", "enabled": True, "otpLength": 2}, "otpLength"),
    ],
)
def test_a_configuration_that_lacks_something_is_refused(
    api: httpx.Client, body: dict[str, object], param: str
) -> None:
    refused = api.post("/iam/v1/config", json=body)
    assert (refused.status_code, refused.json()["error"]["param"]) == (400, param)
    assert param in refused.json()["error"]["details"]
    assert api.get("/iam/v1/oauth").json() == {"data": []}


def test_what_a_configuration_of_e_mail_leaves_out_has_its_defaults(api: httpx.Client) -> None:
    answer = api.post("/iam/v1/config", json={"provider": "email", "enabled": True, "otpLength": 8}).json()
    assert answer == {
        "enabled": True,
        "provider": "email",
        "allowUnverified": True,
        "otpLength": 8,
        "passwordRequirements": {"minLength": 8},
    }


def test_the_journal_hides_the_providers_secrets(api: httpx.Client) -> None:
    api.post("/iam/v1/config", json=GOOGLE)
    assert "s-1" not in api.get("/_mock/projects/-/journal").text


def test_a_provider_s_token_names_its_player(api: httpx.Client) -> None:
    body = {"provider": "firebase", "token": token(), "tokenType": "idToken"}
    player = api.post("/iam/v1/oauth/verify", json=body).json()
    assert player == {
        "id": player["id"],
        "object": "player",
        "createdAt": 1_767_225_600,
        "name": "Joan",
        "transactionIntents": [],
        "accounts": [],
    }
    older = api.post("/iam/v1/oauth/firebase/verify", json={"token": token()})
    assert older.json() == player
    assert api.get("/iam/v1/players").json()["data"][0]["id"] == player["id"]


def test_a_player_comes_with_accounts_and_the_latest_ten_transactions(api: httpx.Client) -> None:
    asked = {"provider": "firebase", "token": token(), "tokenType": "idToken"}
    known = api.post("/iam/v1/oauth/verify", json=asked).json()["id"]
    account = api.post("/v1/accounts", json={"chainId": 80002, "player": known}).json()["id"]
    calls = [{"to": "0x" + "11" * 20, "value": "1"}]
    body = {"chainId": 80002, "accountId": account, "calls": calls}
    made = [api.post("/v2/transactions", json=body).json()["id"] for _ in range(11)]
    player = api.post("/iam/v1/oauth/verify", json=asked).json()
    assert player["accounts"] == [{"id": account}]
    assert [row["id"] for row in player["transactionIntents"]] == made[:0:-1]


def test_what_belongs_to_the_player_is_inlined_where_that_is_asked(api: httpx.Client) -> None:
    asked = {"provider": "firebase", "token": token(), "tokenType": "idToken"}
    player = api.post("/iam/v1/oauth/verify", json=asked).json()["id"]
    account = api.post("/v1/accounts", json={"chainId": 80002, "player": player}).json()
    whole = api.post("/iam/v1/oauth/verify", json=asked | {"expand": ["accounts", "transactionIntents"]})
    assert [row["address"] for row in whole.json()["accounts"]] == [account["address"]]
    assert whole.json()["transactionIntents"] == []
    refused = api.post("/iam/v1/oauth/verify", json=asked | {"expand": ["sessions"]})
    assert (refused.status_code, refused.json()["error"]["param"]) == (400, "expand[0]")


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"provider": "myspace"}, (401, "auth_provider_unknown")),
        ({"token": "a.b.c"}, (401, "player_token_invalid")),
        ({"token": jwt.encode({"sub": "x", "exp": 1_767_225_600}, "k" * 32)}, (401, "player_token_invalid")),
        ({"tokenType": "other"}, (400, "invalid_parameters")),
    ],
)
def test_a_token_that_is_none_is_refused(
    api: httpx.Client, changes: dict[str, str], expected: tuple[int, str]
) -> None:
    body = {"provider": "firebase", "token": token(), "tokenType": "idToken"} | changes
    refused = api.post("/iam/v1/oauth/verify", json=body)
    assert (refused.status_code, refused.json()["error"]["code"]) == expected
    assert api.get("/iam/v1/players").json()["total"] == 0


def test_the_tokens_of_a_disabled_provider_are_refused(api: httpx.Client) -> None:
    api.post("/iam/v1/config", json=FIREBASE)
    body = {"provider": "firebase", "token": token(), "tokenType": "idToken"}
    assert api.post("/iam/v1/oauth/verify", json=body).status_code == 401
    api.post("/iam/v1/config", json=FIREBASE | {"enabled": True})
    assert api.post("/iam/v1/oauth/verify", json=body).status_code == 200
