"""Identities of other services: social providers, and users who sign in elsewhere."""

from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

import jwt

from tests.regression.journeys.sign_in import AUTH, CALLBACK, SHOP, sign_up
from tests.regression.story import Project, Story

PROVIDERS = ("google", "apple", "twitter", "discord", "facebook", "epic_games", "line", "telegram")


def id_token(**claims: object) -> str:
    """What a social provider gave; without the provider's keys, its signature does not count."""
    given = {"sub": "google-ada", "email": "Ada@example.com", "email_verified": True, "name": "Ada"}
    return jwt.encode({**given, **claims}, "x" * 32)


def social(story: Story) -> None:
    """Social providers: id tokens, the way by the consent page, linking, what they gave."""
    project = story.project("social")
    visitor = project.visitor
    for provider in (*PROVIDERS, "myspace"):
        token = id_token(sub=f"{provider}-ada", email=f"{provider}@example.com")
        body = {"provider": provider, "idToken": {"token": token}}
        project.call("POST", f"{AUTH}/sign-in/social", body, visitor)
    for token in ("nonsense", id_token(sub=""), id_token(exp=5), id_token(nonce="n")):
        body = {"provider": "google", "idToken": {"token": token, "nonce": "m"}}
        project.call("POST", f"{AUTH}/sign-in/social", body, visitor)
    for provider, decision in (
        ("google", "accept"),
        ("discord", "accept"),
        ("google", "refuse"),
        ("apple", "fail"),
    ):
        consent(project, "sign-in/social", provider, visitor, decision)
    linked(project, sign_up(project, "bob")["headers"])


def linked(project: Project, session: dict[str, str]) -> None:
    """Accounts of providers that are linked to a user, and their tokens."""
    given = {
        "token": id_token(sub="linked", email="bob@example.com"),
        "accessToken": "at",
        "refreshToken": "rt",
    }
    project.call("POST", f"{AUTH}/link-social", {"provider": "google", "idToken": given}, session)
    consent(project, "link-social", "discord", session, "accept", "bob@example.com")
    rows = project.call("GET", f"{AUTH}/list-accounts", None, session)
    for row in rows:
        named = {"providerId": row.get("provider", ""), "accountId": row.get("accountId", "")}
        for path in ("refresh-token", "get-access-token"):
            project.call("POST", f"{AUTH}/{path}", named, session)
        project.call("POST", f"{AUTH}/account-info", {"accountId": named["accountId"]}, session)
    for provider in ("discord", "google", "nothing"):
        project.call("POST", f"{AUTH}/unlink-account", {"providerId": provider}, session)


def consent(
    project: Project,
    path: str,
    provider: str,
    headers: dict[str, str],
    decision: str,
    email: str = "ada@example.com",
) -> None:
    """Go by the provider's consent page and come back."""
    body = {"provider": provider, "callbackURL": CALLBACK, "newUserCallbackURL": f"{SHOP}/welcome"}
    if path == "link-social":
        del body["newUserCallbackURL"]
    url = project.call("POST", f"{AUTH}/{path}", body, headers).get("url")
    if url is not None:
        go_by(project, url, decision, email)


def go_by(project: Project, url: str, decision: str, email: str) -> None:
    """Answer a consent page, and come back twice."""
    target = urlsplit(answer(project, url, decision, email) or "/iam/v2/auth/callback/none")
    for _ in range(2):
        project.call("GET", f"{target.path}?{target.query}", None, {})


def answer(project: Project, url: str, decision: str, email: str) -> str | None:
    """Answer a consent page. Returns where the provider sends the browser."""
    parts = urlsplit(url)
    form = {
        "state": parse_qs(parts.query)["state"][0],
        "name": "Ada",
        "email": email,
        "verified": "true",
        "decision": decision,
    }
    sent = {"content-type": "application/x-www-form-urlencoded"}
    back = project.story.raw("POST", f"{parts.path}?{parts.query}", urlencode(form), sent)
    return back.header("location")


def older_providers(story: Story) -> None:
    """Providers as older clients use them: consent pages, keys to ask with, id tokens, linking."""
    project = story.project("older-providers")
    pk, path = project.publishable, "/iam/v1/oauth"
    options = {"redirectTo": CALLBACK, "scopes": "openid email", "queryParams": {"login_hint": "eve"}}
    begun = project.call(
        "POST", f"{path}/init", {"provider": "discord", "options": options, "usePooling": True}, pk
    )
    project.call("POST", f"{path}/pool?key={begun['key']}", None, pk)
    go_by(project, begun["url"], "accept", "eve@example.com")
    for _ in range(2):
        project.call("POST", f"{path}/pool?key={begun['key']}", None, pk)
    body = {"provider": "google", "token": id_token(email="bob@example.com")}
    signed = project.call("POST", f"{path}/login_id_token", body, pk)
    player = {**pk, "x-player-token": signed["token"]}
    begun = project.call("POST", f"{path}/init_link", {"provider": "discord", "options": options}, player)
    go_by(project, begun["url"], "accept", "bob@example.com")
    token = jwt.encode({"sub": "fb-7"}, "k" * 32)
    named = {"provider": "firebase", "token": token, "tokenType": "idToken"}
    project.call("POST", f"{path}/third_party", named, pk)
    project.call("POST", f"{path}/link", named, player)
    project.call("POST", f"{path}/link", {**named, "provider": "supabase"}, player)
    for provider in ("supabase", "apple"):
        project.call("POST", f"{path}/unlink", {"provider": provider}, player)
    asked = {"provider": "twitter", "options": {"callbackTo": f"{SHOP}/code"}}
    url = project.call("POST", f"{path}/init", asked, pk)["url"]
    handed_over = parse_qs(urlsplit(answer(project, url, "accept", "fay@example.com") or "").query)
    for code in ("other", *handed_over["code"] * 2):
        project.call("POST", f"{path}/grant/twitter", {"code": code, "state": handed_over["state"][0]}, pk)
    project.call("GET", f"{path}/callback?state=unknown&code=other", None, {})


def third_parties(story: Story) -> None:
    """Users of other identity services: configurations, players, tokens."""
    project = story.project("third-parties")
    token = jwt.encode({"sub": "fb-7", "email": "fb@example.com"}, "k" * 32)
    for provider in ("firebase", "custom", "oidc", "google", "nothing"):
        body = {
            "provider": provider,
            "enabled": True,
            "clientId": "id",
            "clientSecret": "secret",
            "projectId": "p",
        }
        body |= {"jwksUrl": f"{SHOP}/jwks.json", "aud": "shop", "authenticationUrl": f"{SHOP}/auth"}
        project.call("POST", "/iam/v1/oauth", body)
        project.call("POST", "/iam/v1/config", body)
        project.call("GET", f"/iam/v1/oauth/{provider}")
    for kept in (
        {"provider": "google", "enabled": True, "clientId": "id", "clientSecret": "secret"},
        {"provider": "firebase", "enabled": True, "projectId": "p"},
        {"provider": "oidc", "enabled": True, "aud": "shop", "jwksUrl": f"{SHOP}/jwks.json"},
        {"provider": "custom", "enabled": True, "authenticationUrl": f"{SHOP}/auth"},
    ):
        project.call("POST", "/iam/v1/oauth", kept)
        project.call("POST", "/iam/v1/config", kept)
    for path in ("/iam/v1/oauth", "/iam/v1/oauth/google", "/iam/v1/oauth/firebase"):
        project.call("GET", path)
    for query in ("", "?enabled=true", "?enabled=false"):
        project.call("GET", f"/iam/v1/config{query}", None, project.publishable)
    for kind in ("idToken", "customToken"):
        named = {"provider": "firebase", "token": token, "tokenType": kind}
        project.call("POST", "/iam/v1/oauth/verify", named)
        project.call("POST", "/iam/v1/oauth/firebase/verify", {"token": token, "tokenType": kind})
        project.call("POST", "/iam/v2/user/third_party", named)
        project.call("POST", "/iam/v2/user/third_party", named, project.publishable)
    player = {**project.publishable, "x-auth-provider": "firebase", "x-player-token": token}
    for path in ("/iam/v2/me", "/v2/accounts", "/v2/transactions", "/v1/accounts"):
        project.call("GET", path, None, player)
    project.call("POST", "/v1/accounts", {"chainId": 80002}, player)
    players(project)
    project.call("DELETE", "/iam/v1/oauth/google")
    project.call("DELETE", "/iam/v1/oauth/google")


def players(project: Project) -> None:
    """Users as the older API shows them."""
    path = "/iam/v1/players"
    kinds: list[dict[str, Any]] = [{}, {"chainId": 80002}, {"metadata": {"a": "b"}}]
    kinds += [{"preGenerateEmbeddedAccount": True}, {"preGenerateEmbeddedAccount": True, "chainId": 80002}]
    for number, more in enumerate(kinds):
        body = {
            "thirdPartyUserId": f"fb-{number}",
            "thirdPartyProvider": "firebase",
            "preGenerateEmbeddedAccount": False,
        }
        made = project.call("POST", path, {**body, **more})
        project.call("GET", f"{path}/{made.get('id')}")
    for query in ("", "?limit=1", "?externalUserId=fb-1", "?email=x", "?skip=1&order=asc"):
        project.call("GET", path + query)
    project.call("DELETE", f"{path}/{made['id']}")
    project.call("GET", f"{path}/{made['id']}")


JOURNEYS = (social, older_providers, third_parties)
