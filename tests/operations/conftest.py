"""Clients of end users."""

from collections.abc import Callable, Iterator
from http.cookiejar import DefaultCookiePolicy

import pytest
from httpx import Client

from mockserver.domain.identity.sessions import open_session
from mockserver.domain.identity.users import create_user, user_of_email
from mockserver.server.edge.app import App
from mockserver.state.project import Project
from tests.operations.sponsoring import AMOY, TOKEN, free_sponsorship
from tests.transport import InProcessTransport


@pytest.fixture
def visitor(app: App, project: Project) -> Iterator[Client]:
    """A client that has nothing but the project's publishable key, and keeps no cookies."""
    headers = {"x-project-key": project.publishable_key}
    with Client(transport=InProcessTransport(app), base_url="http://mock", headers=headers) as client:
        client.cookies.jar.set_policy(DefaultCookiePolicy(allowed_domains=[]))
        yield client


@pytest.fixture
def browser(app: App) -> Iterator[Client]:
    """A client without any credentials, which keeps its cookies."""
    with Client(transport=InProcessTransport(app), base_url="http://mock") as client:
        yield client


@pytest.fixture
def signed_in(project: Project) -> Callable[[str], dict[str, str]]:
    """Opens a session for the user with an e-mail address, who is created without a password if need be."""

    def headers_of(email: str) -> dict[str, str]:
        user = user_of_email(project, email) or create_user(project, name="", email=email)
        session = open_session(project, user)
        project.undo.mark()
        return {"authorization": f"Bearer {session.token}"}

    return headers_of


@pytest.fixture
def policy(project: Project) -> str:
    """A fee sponsorship that pays for everything on Polygon Amoy."""
    return free_sponsorship(project)


@pytest.fixture
def contract(api: Client) -> str:
    """The id of a token contract on Polygon Amoy."""
    response = api.post("/v1/contracts", json={"name": "USD", "chainId": AMOY, "address": TOKEN})
    return str(response.json()["id"])
