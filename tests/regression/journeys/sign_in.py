"""Signing up, in and out, by every way there is."""

from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

from eth_account import Account
from eth_account.messages import encode_defunct
from eth_account.signers.local import LocalAccount

from tests.regression.story import Project, Story

AUTH = "/iam/v2/auth"
PASSWORD = "correct horse"
SHOP = "https://shop.example"
CALLBACK = f"{SHOP}/signed-in?from=shop"


def bearer(token: str) -> dict[str, str]:
    """The headers of a signed-in user, beside the project's."""
    return {"authorization": f"Bearer {token}"}


def sign_up(project: Project, name: str = "ada") -> dict[str, Any]:
    """A user with a password, whose token the project keeps."""
    body = {"name": name, "email": f"{name}@example.com", "password": PASSWORD}
    project.call("POST", f"{AUTH}/sign-up/email", body, project.visitor)
    answer: dict[str, Any] = project.call("POST", f"{AUTH}/sign-in/email", body, project.visitor)
    project.users.append(bearer(answer["token"]))
    return {**answer, "headers": {**project.visitor, **bearer(answer["token"])}}


def one_time_code(message: dict[str, Any]) -> str:
    """The code of a message of the outbox."""
    return str(message.get("code", "000000"))


def token_of(message: dict[str, Any]) -> str:
    """The token of a mailed link."""
    parts = urlsplit(message.get("url", ""))
    return str(parse_qs(parts.query).get("token", [parts.path.rpartition("/")[2]])[0])


def passwords(story: Story) -> None:
    """E-mail addresses and passwords: sign-up, sign-in, verification, reset, change, sessions."""
    project = story.project("passwords")
    visitor = project.visitor
    ada = sign_up(project)
    session = ada["headers"]
    for email, password in (("ada@example.com", "wrong one"), ("eve@example.com", PASSWORD), ("x", PASSWORD)):
        project.call("POST", f"{AUTH}/sign-in/email", {"email": email, "password": password}, visitor)
    for body in (
        {},
        {"name": "A", "email": "a@b.c", "password": "x"},
        {"name": "A", "email": 5, "password": PASSWORD},
    ):
        project.call("POST", f"{AUTH}/sign-up/email", body, visitor)
    send = {"email": "ada@example.com", "callbackURL": CALLBACK}
    project.call("POST", f"{AUTH}/send-verification-email", send, session)
    link = token_of(project.mail("ada@example.com"))
    query = urlencode({"token": link, "callbackURL": CALLBACK})
    project.call("GET", f"{AUTH}/verify-email?{query}", None, {})
    project.call("GET", f"{AUTH}/verify-email?token={link}", None, {})
    for way in ("forget-password", "request-password-reset"):
        project.call("POST", f"{AUTH}/{way}", {"email": "ada@example.com", "redirectTo": CALLBACK}, visitor)
        link = token_of(project.mail("ada@example.com"))
        project.call("GET", f"{AUTH}/reset-password/{link}?callbackURL={SHOP}", None, {})
        project.call("GET", f"{AUTH}/reset-password/{link}", None, {})
        body = {"newPassword": f"{PASSWORD} {way}", "token": link}
        project.call("POST", f"{AUTH}/reset-password", body, visitor)
        project.call("POST", f"{AUTH}/reset-password", body, visitor)
    changed = {"newPassword": PASSWORD, "currentPassword": f"{PASSWORD} request-password-reset"}
    again = {"email": "ada@example.com", "password": changed["currentPassword"]}
    session = {**visitor, **bearer(project.call("POST", f"{AUTH}/sign-in/email", again, visitor)["token"])}
    project.call("POST", f"{AUTH}/change-password", {**changed, "revokeOtherSessions": True}, session)
    signed = project.call("POST", f"{AUTH}/sign-in/email", {**again, "password": PASSWORD}, visitor)
    session = {**visitor, **bearer(signed["token"])}
    project.users.append(bearer(signed["token"]))
    project.call(
        "POST", f"{AUTH}/change-email", {"newEmail": "lovelace@example.com", "callbackURL": CALLBACK}, session
    )
    link = token_of(project.mail("ada@example.com"))
    project.call("GET", f"{AUTH}/verify-email?token={link}", None, {})
    for path in ("get-session", "list-sessions", "list-accounts", "get-session?disableCookieCache=true"):
        project.call("GET", f"{AUTH}/{path}", None, session)
    project.call("GET", "/iam/v2/me", None, session)


def sessions(story: Story) -> None:
    """Sessions that are listed, refreshed, verified and ended, and the cookies that carry them."""
    project = story.project("sessions")
    visitor = project.visitor
    tokens = [sign_up(project)["token"] for _ in range(4)]
    session = {**visitor, **bearer(tokens[0])}
    token = project.call("GET", f"{AUTH}/get-session", None, session)["session"]["token"]
    project.call("GET", f"/iam/v1/verify?token={token}")
    project.call("GET", "/iam/v1/verify?token=nonsense")
    project.call("GET", f"/iam/v1/{project.publishable_key}/jwks.json", None, {})
    answer = project.answer("GET", f"{AUTH}/get-session", None, session)
    access = answer.header("set-auth-jwt")
    if access is not None:
        project.call("GET", f"/iam/v1/verify?token={access}")
    project.control("POST", "/keys/rotate")
    project.call("GET", f"/iam/v1/{project.publishable_key}/jwks.json", None, {})
    project.call("GET", f"{AUTH}/list-sessions", None, session)
    project.call("POST", f"{AUTH}/revoke-session", {"token": tokens[1]}, session)
    project.call("POST", f"{AUTH}/revoke-session", {"token": "unknown"}, session)
    project.call("POST", f"{AUTH}/revoke-other-sessions", {}, session)
    project.advance(86_400)
    project.call("GET", f"{AUTH}/get-session", None, session)
    project.call("POST", f"{AUTH}/sign-out", {}, session)
    project.call("GET", f"{AUTH}/get-session", None, session)
    cookies(project)
    last = sign_up(project)
    project.call("POST", f"{AUTH}/revoke-sessions", {}, last["headers"])
    project.call("GET", f"{AUTH}/list-sessions", None, last["headers"])
    sign_up(project, "bob")
    project.advance(8 * 86_400)
    sign_up(project, "bob")


def cookies(project: Project) -> None:
    """A browser, which sends its cookies rather than a token."""
    body = {"email": "ada@example.com", "password": PASSWORD, "rememberMe": False}
    answer = project.answer("POST", f"{AUTH}/sign-in/email", body, project.visitor, origin=SHOP)
    pairs = [value.partition(";")[0] for name, value in answer.headers if name == "set-cookie"]
    browser = {**project.visitor, "cookie": "; ".join(pairs)}
    for headers in (browser, {**browser, "origin": SHOP}, {"cookie": browser["cookie"]}):
        project.call("GET", f"{AUTH}/get-session", None, headers)
        project.call("GET", "/iam/v2/me", None, headers)
    project.call("POST", f"{AUTH}/sign-out", {}, {**browser, "origin": SHOP})


def codes(story: Story) -> None:
    """Codes by mail and by text message."""
    project = story.project("codes")
    mailed_codes(project)
    phones(project)
    project.change(one_time_code="123456")
    project.call("POST", f"{AUTH}/phone-number/send-otp", {"phoneNumber": "+15550009999"}, project.visitor)
    body = {"phoneNumber": "+15550009999", "code": "123456"}
    project.call("POST", f"{AUTH}/phone-number/verify", body, project.visitor)


def mailed_codes(project: Project) -> None:
    """Codes by mail: signing in, verifying, resetting a password."""
    visitor, email = project.visitor, "ada@example.com"

    def code(kind: str) -> str:
        body = {"email": email, "type": kind}
        project.call("POST", f"{AUTH}/email-otp/send-verification-otp", body, visitor)
        return one_time_code(project.mail(email))

    project.call(
        "POST", f"{AUTH}/sign-up/email", {"name": "A", "email": email, "password": PASSWORD}, visitor
    )
    entered = code("sign-in")
    for otp in ("000000", entered, entered):
        body = {"email": email, "otp": otp}
        project.call("POST", f"{AUTH}/email-otp/check-verification-otp", {**body, "type": "sign-in"}, visitor)
        answer = project.call("POST", f"{AUTH}/sign-in/email-otp", body, visitor)
        if answer.get("token"):
            project.users.append(bearer(answer["token"]))
    body = {"email": email, "otp": code("email-verification")}
    project.call("POST", f"{AUTH}/email-otp/verify-email", body, visitor)
    code("forget-password")
    project.call("POST", f"{AUTH}/forget-password/email-otp", {"email": email}, visitor)
    reset = {"email": email, "otp": one_time_code(project.mail(email)), "password": PASSWORD}
    project.call("POST", f"{AUTH}/email-otp/reset-password", reset, visitor)
    project.call("POST", f"{AUTH}/sign-in/email", reset, visitor)
    project.advance(3600)
    late = code("sign-in")
    project.advance(3600)
    project.call("POST", f"{AUTH}/sign-in/email-otp", {"email": email, "otp": late}, visitor)


def phones(project: Project) -> None:
    """Text messages: signing in, a password for a number, resetting it."""
    visitor, phone = project.visitor, "+15550001111"
    family = f"{AUTH}/phone-number"
    project.call("POST", f"{family}/send-otp", {"phoneNumber": phone}, visitor)
    for code in ("000000", one_time_code(project.mail(phone))):
        answer = project.call("POST", f"{family}/verify", {"phoneNumber": phone, "code": code}, visitor)
        if answer.get("token"):
            project.users.append(bearer(answer["token"]))
    for way in ("forget-password", "request-password-reset"):
        project.call("POST", f"{family}/{way}", {"phoneNumber": phone}, visitor)
        otp = one_time_code(project.mail(phone))
        body = {"phoneNumber": phone, "otp": otp, "newPassword": PASSWORD}
        project.call("POST", f"{family}/reset-password", body, visitor)
    for password in (PASSWORD, "wrong one"):
        body = {"phoneNumber": phone, "password": password}
        project.call("POST", f"{AUTH}/sign-in/phone-number", body, visitor)
    project.call("POST", f"{family}/send-otp", {"phoneNumber": "15550001111"}, visitor)


def message_of(wallet: LocalAccount, nonce: str, chain_id: int = 1) -> str:
    """A message to sign in with, as ERC-4361 says."""
    return (
        f"shop.example wants you to sign in with your Ethereum account:\n{wallet.address}\n\n"
        f"Sign in to the shop.\n\nURI: {SHOP}\nVersion: 1\nChain ID: {chain_id}\nNonce: {nonce}\n"
        "Issued At: 2026-01-01T00:00:00.000Z"
    )


def with_wallet(
    project: Project, wallet: LocalAccount, family: str, headers: dict[str, str], **more: Any
) -> Any:
    """Sign in, or link, with an Ethereum wallet."""
    asked = {"walletAddress": wallet.address}
    nonce = project.call("POST", f"{AUTH}/{family}/nonce", asked, headers).get("nonce", "none")
    message = message_of(wallet, nonce)
    signature = wallet.sign_message(encode_defunct(text=message)).signature.hex()
    body = {**asked, "message": message, "signature": "0x" + signature.removeprefix("0x"), **more}
    return project.call("POST", f"{AUTH}/{family}/verify", body, headers)


def ethereum(story: Story) -> None:
    """Sign-In with Ethereum, and wallets that are linked to a user."""
    project = story.project("ethereum")
    first, second, third = (Account.from_key("0x" + digit * 64) for digit in "123")
    visitor = project.visitor
    answer = with_wallet(
        project, first, "siwe", visitor, walletClientType="metamask", connectorType="injected"
    )
    project.users.append(bearer(answer["token"]))
    with_wallet(project, first, "siwe", visitor, chainId=137)
    with_wallet(project, first, "siwe", visitor, walletAddress=second.address)
    session = sign_up(project)["headers"]
    for wallet in (second, third, first):
        with_wallet(project, wallet, "link-siwe", session)
    project.call("GET", f"{AUTH}/link-siwe/list-wallets", None, session)
    project.call("GET", f"{AUTH}/list-accounts", None, session)
    for wallet in (second, third, third):
        project.call("POST", f"{AUTH}/link-siwe/unlink", {"walletAddress": wallet.address}, session)
    project.call("GET", f"{AUTH}/link-siwe/list-wallets", None, session)


def older(story: Story) -> None:
    """The sign-in of older clients: guests, passwords, mailed links, sessions, wallets."""
    project = story.project("older-sign-in")
    pk, path = project.publishable, "/iam/v1"
    guest = project.call("POST", f"{path}/guest", None, pk)
    player = {**pk, "x-player-token": guest["token"]}
    project.call("GET", f"{path}/me", None, player)
    ada = {"email": "ada@example.com", "password": PASSWORD}
    project.call("POST", f"{path}/password/link", ada, player)
    bob = {"email": "bob@example.com", "password": PASSWORD}
    for body in (bob, bob, {**bob, "email": "x"}):
        project.call("POST", f"{path}/password/signup", {**body, "name": "Bob"}, pk)
    for password in (PASSWORD, "wrong one"):
        project.call("POST", f"{path}/password/login", {**bob, "password": password}, pk)
    older_links(project)
    older_wallets(project, player)
    project.call("POST", f"{path}/password/unlink", {"email": "ada@example.com"}, player)
    refreshed = project.call("POST", f"{path}/sessions", {"refreshToken": guest["refreshToken"]}, pk)
    project.call("POST", f"{path}/sessions/logout", {"refreshToken": refreshed["refreshToken"]}, player)
    project.call("POST", f"{path}/sessions", {"refreshToken": guest["refreshToken"]}, pk)


def older_links(project: Project) -> None:
    """Links that older clients have mailed, with a code challenge (RFC 7636)."""
    pk, path, email = project.publishable, "/iam/v1/password", "bob@example.com"
    proof = {"codeVerifier": "a code verifier"}
    challenge = {"codeChallenge": proof["codeVerifier"], "method": "plain"}
    asked = {"email": email, "redirectUrl": CALLBACK, "challenge": challenge}
    project.call("POST", f"{path}/request_email_verification", asked, pk)
    link = token_of(project.mail(email))
    for given in ({"codeVerifier": "another"}, proof):
        body = {"email": email, "token": link, "challenge": given}
        project.call("POST", f"{path}/verify_email", body, pk)
    project.call("POST", f"{path}/request_reset", asked, pk)
    reset = {"email": email, "password": PASSWORD, "state": token_of(project.mail(email)), "challenge": proof}
    for _ in range(2):
        project.call("POST", f"{path}/reset", reset, pk)


def older_wallets(project: Project, player: dict[str, str]) -> None:
    """Wallets that sign in and are linked by older clients."""
    pk, path = project.publishable, "/iam/v1/siwe"
    named = {"walletClientType": "metamask", "connectorType": "injected"}
    for digit, action, headers in (("4", "authenticate", pk), ("5", "link", player), ("7", "link", player)):
        wallet = Account.from_key("0x" + digit * 64)
        nonce = project.call("POST", f"{path}/init", {"address": wallet.address}, pk)["nonce"]
        message = message_of(wallet, nonce, 80002)
        signature = "0x" + bytes(wallet.sign_message(encode_defunct(text=message)).signature).hex()
        for _ in range(2):
            project.call(
                "POST", f"{path}/{action}", {**named, "message": message, "signature": signature}, headers
            )
    second = {"address": Account.from_key("0x" + "6" * 64).address}
    project.call("POST", f"{path}/unlink", second, player)
    project.call("POST", f"{path}/unlink", {"address": wallet.address}, player)


def guests(story: Story) -> None:
    """Users without credentials, who sign up later."""
    project = story.project("guests")
    guest = project.call("POST", f"{AUTH}/sign-in/anonymous", None, project.visitor)
    session = {**project.visitor, **bearer(guest["token"])}
    project.call("GET", "/iam/v2/me", None, session)
    project.call("GET", f"{AUTH}/get-session", None, session)
    project.call("POST", f"{AUTH}/sign-in/anonymous", None, session)
    body = {"name": "Ada", "email": "guest@example.com", "password": PASSWORD}
    project.call("POST", f"{AUTH}/sign-up/email", body, session)
    project.call("GET", "/v2/users")
    for _ in range(2):
        sign_up(project, f"user{story.number('guest')}")


def rate_limits(story: Story) -> None:
    """Calls that come too often."""
    project = story.project("rate-limits", settings={"rate_limits": True})
    body = {"email": "ada@example.com", "password": PASSWORD}
    for _ in range(12):
        project.call("POST", f"{AUTH}/sign-in/email", body, project.visitor)
    project.advance(61)
    project.call("POST", f"{AUTH}/sign-in/email", body, project.visitor)


JOURNEYS = (passwords, sessions, codes, ethereum, older, guests, rate_limits)
