"""Id tokens, and the way to the consent page and back."""

from collections.abc import Callable
from typing import Any
from urllib.parse import parse_qs, urlsplit

import jwt
from httpx import Client, Response

from tests.operations.auth import AUTH

CALLBACK = "https://shop.example/signed-in?from=shop"
SECRET = "x" * 32
ADA = {"sub": "google-ada", "email": "Ada@example.com", "email_verified": True, "name": "Ada"}
SignedIn = Callable[[str], dict[str, str]]


def id_token(**claims: object) -> str:
    return jwt.encode({**ADA, **claims}, SECRET)


def without(*names: str) -> str:
    return jwt.encode({name: value for name, value in ADA.items() if name not in names}, SECRET)


def sign_in(client: Client, token: str | None = None, **more: Any) -> Response:
    given = {"provider": "google", "idToken": {"token": token or id_token()}, **more}
    return client.post(f"{AUTH}/sign-in/social", json=given)


def bearer(token: str) -> dict[str, str]:
    return {"authorization": f"Bearer {token}"}


def refused(response: Response) -> tuple[int, str]:
    return response.status_code, response.json()["code"]


def the_way(client: Client, path: str = "sign-in/social", **more: Any) -> str:
    given = {"provider": "google", "callbackURL": CALLBACK, **more}
    headers = given.pop("headers", {})
    response = client.post(f"{AUTH}/{path}", json=given, headers=headers)
    assert response.status_code == 200
    url: str = response.json()["url"]
    return url


def consent(client: Client, url: str, **form: str) -> Response:
    """Fill in the form behind a URL and follow it to the redirect that leaves the mock."""
    return client.get(answer(client, url, **form).headers["location"])


def answer(client: Client, url: str, **form: str) -> Response:
    """Fill in the form behind a URL. Returns the redirect to the callback of the provider."""
    state = parse_qs(urlsplit(url).query)["state"][0]
    filled = {"state": state, "name": "Ada", "email": "ada@example.com", "verified": "true"} | form
    back = client.post(url, data=filled)
    assert back.status_code == 302
    return back


def led_to(response: Response) -> tuple[str, dict[str, str]]:
    """Where a redirect leads: the URL without its query, and the query."""
    assert response.status_code == 302
    parts = urlsplit(response.headers["location"])
    query = {name: values[0] for name, values in parse_qs(parts.query).items()}
    return f"{parts.scheme}://{parts.netloc}{parts.path}", query
