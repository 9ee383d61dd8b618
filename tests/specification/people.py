"""Who is on the stage: users with each way to sign in, and the codes and links on their way to them."""

from urllib.parse import parse_qs, urlencode, urlsplit

from tests.specification.stage import (
    AUTH,
    FIRST_WALLET,
    PASSWORD,
    PUBLISHABLE,
    SECOND_WALLET,
    THIRD_WALLET,
    VISITOR,
    Stage,
    signed_text,
    siwe_message,
)


def people(stage: Stage) -> None:
    """Ada with a password, two sessions, a Google account and a wallet; Bob with a phone number."""
    names = stage.names
    ada = {"name": "Ada", "email": "ada@example.com", "password": PASSWORD, "callbackURL": "/welcome"}
    signed_up = stage.call("POST", f"{AUTH}/sign-up/email", ada, VISITOR)
    names["session"], names["user"] = signed_up["token"], signed_up["user"]["id"]
    signed_in = stage.call("POST", f"{AUTH}/sign-in/email", ada, VISITOR)
    names["other_session"] = signed_in["token"]
    names["ada"] = {**VISITOR, "authorization": f"Bearer {names['session']}"}
    linked = {"token": names["linked_id_token"], "accessToken": "at", "refreshToken": "rt", "nonce": "n-1"}
    stage.call("POST", f"{AUTH}/link-social", {"provider": "google", "idToken": linked}, names["ada"])
    asked = {"provider": "discord", "callbackURL": "https://shop.example/in"}
    _consent(stage, stage.call("POST", f"{AUTH}/link-social", asked, names["ada"])["url"])
    begun = stage.call("POST", "/iam/v1/oauth/init", {"provider": "discord", "usePooling": True}, PUBLISHABLE)
    _consent(stage, begun["url"], "dan@example.com")
    names["oauth_key"] = begun["key"]
    own = {"provider": "discord", "options": {"callbackTo": "https://shop.example/code"}}
    asked_page = stage.call("POST", "/iam/v1/oauth/init", own, PUBLISHABLE)["url"]
    handed_over = parse_qs(urlsplit(_answer(stage, asked_page, "fay@example.com")).query)
    names["granted_code"], names["granted_state"] = handed_over["code"][0], handed_over["state"][0]
    phone = {"phoneNumber": "+15550001111"}
    stage.call("POST", f"{AUTH}/phone-number/send-otp", phone, VISITOR)
    stage.call("POST", f"{AUTH}/phone-number/verify", {**phone, "code": "123456"}, VISITOR)
    stage.call("POST", f"{AUTH}/phone-number/request-password-reset", phone, VISITOR)
    reset = {**phone, "otp": "123456", "newPassword": PASSWORD}
    stage.call("POST", f"{AUTH}/phone-number/reset-password", reset, VISITOR)
    third = {**PUBLISHABLE, "x-auth-provider": "firebase", "x-player-token": names["firebase_token"]}
    names["third_party_user"] = stage.call("GET", "/iam/v2/me", None, third)["id"]


def _consent(stage: Stage, page: str, email: str = "ada@example.com") -> None:
    """A user answers a consent page, and the browser returns."""
    target = urlsplit(_answer(stage, page, email))
    stage.send("GET", f"{target.path}?{target.query}", {})


def _answer(stage: Stage, page: str, email: str) -> str:
    """A user answers a consent page. Returns where the browser is sent."""
    url = urlsplit(page)
    form = {"state": parse_qs(url.query)["state"][0], "name": "Ada", "email": email}
    sent = urlencode({**form, "verified": "true"}).encode()
    headers = {"content-type": "application/x-www-form-urlencoded"}
    back = stage.send("POST", f"{url.path}?{url.query}", headers, sent)
    return dict(back.headers)[b"location"].decode()


def codes(stage: Stage) -> None:
    """Codes and links that are on their way to Ada and Bob."""
    names = stage.names
    for kind in ("sign-in", "email-verification", "forget-password"):
        body = {"email": "ada@example.com", "type": kind}
        stage.call("POST", f"{AUTH}/email-otp/send-verification-otp", body, VISITOR)
    stage.call("POST", f"{AUTH}/phone-number/send-otp", {"phoneNumber": "+15550001111"}, VISITOR)
    stage.call("POST", f"{AUTH}/phone-number/send-otp", {"phoneNumber": "+15550002222"}, VISITOR)
    stage.call(
        "POST", f"{AUTH}/phone-number/request-password-reset", {"phoneNumber": "+15550001111"}, VISITOR
    )
    ada = {"email": "ada@example.com"}
    stage.call("POST", f"{AUTH}/request-password-reset", ada, VISITOR)
    names["reset_token"] = _token(stage)
    stage.call("POST", f"{AUTH}/send-verification-email", ada, names["ada"])
    names["verification_token"] = _token(stage)
    state = {"provider": "google", "callbackURL": "https://shop.example/in"}
    url = stage.call("POST", f"{AUTH}/sign-in/social", state, VISITOR)["url"]
    names["state"] = parse_qs(urlsplit(url).query)["state"][0]


def _token(stage: Stage) -> str:
    """The token of the link that was mailed last."""
    url = stage.call("GET", f"{stage.control}/outbox?order=desc&limit=1", None, {})["data"][0]["url"]
    parts = urlsplit(url)
    return str(parse_qs(parts.query).get("token", [parts.path.rpartition("/")[2]])[0])


def wallets_of_people(stage: Stage) -> None:
    """Ada's linked wallet, and the signed messages of one who signs in and of one to link."""
    names = stage.names
    for name, wallet, family, headers in (
        ("first", FIRST_WALLET, "link-siwe", names["ada"]),
        ("second", SECOND_WALLET, "siwe", VISITOR),
        ("third", THIRD_WALLET, "link-siwe", names["ada"]),
    ):
        body = {"walletAddress": wallet.address, "chainId": 1}
        nonce = stage.call("POST", f"{AUTH}/{family}/nonce", body, headers)["nonce"]
        names[f"{name}_message"] = siwe_message(wallet.address, nonce)
        names[f"{name}_signature"] = signed_text(wallet, names[f"{name}_message"])
    body |= {"walletAddress": FIRST_WALLET.address, "message": names["first_message"]}
    body |= {
        "signature": names["first_signature"],
        "walletClientType": "metamask",
        "connectorType": "injected",
    }
    stage.call("POST", f"{AUTH}/link-siwe/verify", body, names["ada"])
