"""How ways of signing in are configured, and tokens of their providers."""

import jwt
from httpx import Client, Response

from mockserver.state.project import Project
from tests.tables import cases

GOOGLE = {"provider": "google", "enabled": True, "clientId": "c-1", "clientSecret": "s-1"}
FIREBASE = {"provider": "firebase", "enabled": False, "projectId": "p-1"}


def token(subject: str = "fb-7") -> str:
    return jwt.encode({"sub": subject, "name": "Joan"}, "k" * 32)


@cases("path", "/iam/v1/config", "/iam/v1/oauth")
def test_a_provider_is_kept_and_forgotten(api: Client, visitor: Client, path: str) -> None:
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
    assert api.get("/iam/v1/oauth").json() == {"data": [FIREBASE]}
    for method in ("GET", "DELETE"):
        refused = api.request(method, "/iam/v1/oauth/google")
        assert (refused.status_code, refused.json()["error"]["code"]) == (404, "auth_config_not_found")
    assert api.post(path, json=GOOGLE).json() == GOOGLE
    assert api.get("/iam/v1/oauth").json() == {"data": [FIREBASE, GOOGLE]}


def test_the_publishable_key_shows_which_providers_there_are(api: Client, project: Project) -> None:
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


@cases(
    "body, param",
    ({"provider": "google", "enabled": True}, "clientId"),
    ({"provider": "discord", "enabled": True, "clientId": "c"}, "clientSecret"),
    ({"provider": "line", "enabled": True, "channelId": "c"}, "channelSecret"),
    ({"provider": "myspace", "enabled": True}, "provider"),
    ({"provider": "google", "clientId": "c"}, "enabled"),
    ({"provider": "email", "enabled": True, "otpLength": 2}, "otpLength"),
    ({"provider": "email", "enabled": True, "passwordRequirements": {}}, "passwordRequirements.minLength"),
    ({"provider": "test_account", "enabled": True, "emailSuffix": "xyz"}, "emailSuffix"),
)
def test_an_incomplete_one_is_refused(api: Client, body: dict[str, object], param: str) -> None:
    refused = api.post("/iam/v1/config", json=body)
    assert (refused.status_code, refused.json()["error"]["param"]) == (400, param)
    assert param in refused.json()["error"]["details"]
    assert api.get("/iam/v1/oauth").json() == {"data": []}


def test_what_an_e_mail_configuration_omits_has_its_default(api: Client) -> None:
    answer = api.post("/iam/v1/config", json={"provider": "email", "enabled": True, "otpLength": 8}).json()
    assert answer == {
        "enabled": True,
        "provider": "email",
        "allowUnverified": True,
        "otpLength": 8,
        "passwordRequirements": {"minLength": 8},
    }


def test_an_e_mail_configuration_rules_codes_and_passwords(api: Client, visitor: Client) -> None:
    required = {"minLength": 5, "requireNumber": True, "requireUppercase": True, "requireSpecialChar": True}
    config = {"provider": "email", "enabled": True, "otpLength": 8, "passwordRequirements": required}
    api.post("/iam/v1/config", json=config)
    to = {"email": "ada@example.com"}
    visitor.post("/iam/v2/auth/email-otp/send-verification-otp", json={**to, "type": "sign-in"})
    visitor.post("/iam/v2/auth/phone-number/send-otp", json={"phoneNumber": "+15555550100"})
    messages = api.get("/_mock/projects/-/outbox").json()["data"]
    assert {row["channel"]: len(row["code"]) for row in messages} == {"email": 8, "sms": 6}

    def sign_up(password: str) -> Response:
        body = {**to, "name": "Ada", "password": password}
        return visitor.post("/iam/v2/auth/sign-up/email", json=body)

    assert sign_up("A-1b").json()["code"] == "PASSWORD_TOO_SHORT"
    for password, missing in (("A-bcd", "number"), ("a-1bc", "upper case"), ("A1bcd", "special")):
        refused = sign_up(password)
        assert (refused.status_code, refused.json()["code"]) == (400, "INVALID_PASSWORD")
        assert missing in refused.json()["message"]
    assert sign_up("A-1bc").status_code == 200


def test_a_configuration_may_ask_for_verified_addresses(api: Client, visitor: Client) -> None:
    api.post("/iam/v1/config", json={"provider": "email", "enabled": True, "allowUnverified": False})
    body = {"name": "Ada", "email": "ada@example.com", "password": "correct horse"}
    assert visitor.post("/iam/v2/auth/sign-up/email", json=body).json()["token"] is None
    refused = visitor.post("/iam/v2/auth/sign-in/email", json=body)
    assert (refused.status_code, refused.json()["code"]) == (403, "EMAIL_NOT_VERIFIED")


def test_a_test_account_has_a_number_with_a_fixed_code(api: Client, visitor: Client) -> None:
    made = api.post("/iam/v1/config", json={"provider": "test_account", "enabled": True}).json()
    assert [len(made[name]) for name in ("emailSuffix", "phoneSuffix", "otpCode")] == [4, 4, 6]
    address, number = f"test-{made['emailSuffix']}@openfort.xyz", f"+1555555{made['phoneSuffix']}"
    visitor.post("/iam/v2/auth/email-otp/send-verification-otp", json={"email": address, "type": "sign-in"})
    visitor.post("/iam/v2/auth/phone-number/send-otp", json={"phoneNumber": number})
    by_mail = {"email": address, "otp": made["otpCode"]}
    assert visitor.post("/iam/v2/auth/sign-in/email-otp", json=by_mail).status_code == 200
    by_phone = {"phoneNumber": number, "code": made["otpCode"]}
    assert visitor.post("/iam/v2/auth/phone-number/verify", json=by_phone).status_code == 200
    chosen = {"provider": "test_account", "enabled": False, "otpCode": "123456"}
    assert api.post("/iam/v1/config", json=chosen).json() == {**made, "enabled": False, "otpCode": "123456"}
    visitor.post("/iam/v2/auth/phone-number/send-otp", json={"phoneNumber": number})
    assert visitor.post("/iam/v2/auth/phone-number/verify", json=by_phone | {"code": "123456"}).is_error


def test_the_journal_hides_the_providers_secrets(api: Client) -> None:
    api.post("/iam/v1/config", json=GOOGLE)
    assert "s-1" not in api.get("/_mock/projects/-/journal").text


def test_a_provider_s_token_names_its_player(api: Client) -> None:
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
    assert api.post("/iam/v1/oauth/firebase/verify", json={"token": token()}).json() == player
    assert api.get("/iam/v1/players").json()["data"][0]["id"] == player["id"]


def test_a_player_has_accounts_and_the_latest_ten_transactions(api: Client) -> None:
    asked = {"provider": "firebase", "token": token(), "tokenType": "idToken"}
    known = api.post("/iam/v1/oauth/verify", json=asked).json()["id"]
    account = api.post("/v1/accounts", json={"chainId": 80002, "player": known}).json()["id"]
    calls = [{"to": "0x" + "11" * 20, "value": "1"}]
    body = {"chainId": 80002, "accountId": account, "calls": calls}
    made = [api.post("/v2/transactions", json=body).json()["id"] for _ in range(11)]
    player = api.post("/iam/v1/oauth/verify", json=asked).json()
    assert player["accounts"] == [{"id": account}]
    assert [row["id"] for row in player["transactionIntents"]] == made[:0:-1]


def test_what_belongs_to_the_player_is_inlined_on_request(api: Client) -> None:
    asked = {"provider": "firebase", "token": token(), "tokenType": "idToken"}
    player = api.post("/iam/v1/oauth/verify", json=asked).json()["id"]
    account = api.post("/v1/accounts", json={"chainId": 80002, "player": player}).json()
    whole = api.post("/iam/v1/oauth/verify", json=asked | {"expand": ["accounts", "transactionIntents"]})
    assert [row["address"] for row in whole.json()["accounts"]] == [account["address"]]
    assert whole.json()["transactionIntents"] == []
    refused = api.post("/iam/v1/oauth/verify", json=asked | {"expand": ["sessions"]})
    assert (refused.status_code, refused.json()["error"]["param"]) == (400, "expand[0]")


@cases(
    "changes, expected",
    ({"provider": "myspace"}, (401, "auth_provider_unknown")),
    ({"token": "a.b.c"}, (401, "player_token_invalid")),
    ({"token": jwt.encode({"sub": "x", "exp": 1_767_225_600}, "k" * 32)}, (401, "player_token_invalid")),
    ({"token": "opaque"}, (401, "player_token_invalid")),
    ({"provider": "google", "token": "opaque"}, (401, "player_token_invalid")),
)
def test_a_bad_token_is_refused(api: Client, changes: dict[str, str], expected: tuple[int, str]) -> None:
    body = {"provider": "firebase", "token": token(), "tokenType": "idToken"} | changes
    refused = api.post("/iam/v1/oauth/verify", json=body)
    assert (refused.status_code, refused.json()["error"]["code"]) == expected
    assert api.get("/iam/v1/players").json()["total"] == 0


def test_the_tokens_of_a_disabled_provider_are_refused(api: Client) -> None:
    api.post("/iam/v1/config", json=FIREBASE)
    body = {"provider": "firebase", "token": token(), "tokenType": "idToken"}
    refused = api.post("/iam/v1/oauth/verify", json=body)
    assert (refused.status_code, refused.json()["error"]["code"]) == (401, "auth_provider_disabled")
    api.post("/iam/v1/config", json=FIREBASE | {"enabled": True})
    assert api.post("/iam/v1/oauth/verify", json=body).status_code == 200
    api.delete("/iam/v1/oauth/firebase")
    assert api.post("/iam/v1/oauth/verify", json=body).status_code == 401


@cases("provider", "google", "twitter", "facebook", "discord", "epic_games", "telegram", "line", "apple")
def test_a_social_providers_token_names_its_player(api: Client, visitor: Client, provider: str) -> None:
    body = {"provider": provider, "token": token("7"), "tokenType": "idToken"}
    player = api.post("/iam/v1/oauth/verify", json=body).json()["id"]
    assert api.post(f"/iam/v1/oauth/{provider}/verify", json={"token": token("7")}).json()["id"] == player
    claims = jwt.encode({"sub": "7", "email": "joan@example.com", "email_verified": True}, "k" * 32)
    signed_in = visitor.post(
        "/iam/v2/auth/sign-in/social", json={"provider": provider, "idToken": {"token": claims}}
    )
    if signed_in.status_code == 200:
        user = api.get(f"/v2/users/{player}").json()
        assert signed_in.json()["user"]["id"] == user["id"]
        assert [row["provider"] for row in user["linkedAccounts"]] == [provider]


def test_a_disabled_social_providers_tokens_are_refused(api: Client) -> None:
    body = {"provider": "google", "token": token(), "tokenType": "idToken"}
    api.post("/iam/v1/oauth", json=GOOGLE | {"enabled": False})
    refused = api.post("/iam/v1/oauth/verify", json=body)
    assert (refused.status_code, refused.json()["error"]["code"]) == (401, "auth_provider_disabled")
    api.delete("/iam/v1/oauth/google")
    assert api.post("/iam/v1/oauth/verify", json=body).status_code == 401
    assert api.get("/iam/v1/players").json()["total"] == 0


def test_an_opaque_token_is_a_custom_token(api: Client) -> None:
    path = "/iam/v2/user/third_party"
    body = {"provider": "playfab", "token": "session-ticket"}
    user = api.post(path, json=body).json()
    assert user["linkedAccounts"][0]["accountId"] == "session-ticket"
    assert api.post(path, json=body | {"tokenType": "customToken"}).json() == user
    refused = api.post(path, json=body | {"tokenType": "idToken"})
    assert (refused.status_code, refused.json()["code"]) == (401, "PLAYER_TOKEN_INVALID")


@cases(
    "provider, path, body",
    ("email", "sign-up/email", {"name": "Ada", "email": "ada@example.com", "password": "correct horse"}),
    ("email", "sign-in/email", {"email": "ada@example.com", "password": "correct horse"}),
    ("email", "sign-in/email-otp", {"email": "ada@example.com", "otp": "123456"}),
    ("phone", "sign-in/phone-number", {"phoneNumber": "+15555550100", "password": "correct horse"}),
    ("phone", "phone-number/verify", {"phoneNumber": "+15555550100", "code": "123456"}),
    ("web3", "siwe/verify", {"walletAddress": "0x" + "11" * 20, "message": "m", "signature": "0x"}),
)
def test_a_way_to_sign_in_that_is_off_is_refused(
    api: Client, visitor: Client, provider: str, path: str, body: dict[str, str]
) -> None:
    api.post("/iam/v1/config", json={"provider": provider, "enabled": False})
    refused = visitor.post(f"/iam/v2/auth/{path}", json=body)
    assert (refused.status_code, refused.json()["code"]) == (403, "PROVIDER_DISABLED")
    api.post("/iam/v1/config", json={"provider": provider, "enabled": True})
    assert visitor.post(f"/iam/v2/auth/{path}", json=body).json().get("code") != "PROVIDER_DISABLED"
    api.delete(f"/iam/v1/oauth/{provider}")
    assert visitor.post(f"/iam/v2/auth/{path}", json=body).json()["code"] == "PROVIDER_DISABLED"
