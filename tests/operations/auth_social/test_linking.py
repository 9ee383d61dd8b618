"""Linking an identity of a provider to the user who is signed in."""

from collections.abc import Mapping
from typing import Any

from httpx import Client, Response

from mockserver.domain.identity.users import link_account, user_of_email
from mockserver.state.project import Project
from tests.operations.auth import AUTH
from tests.operations.auth_social.helpers import (
    SignedIn,
    bearer,
    consent,
    id_token,
    led_to,
    refused,
    sign_in,
    the_way,
    without,
)
from tests.tables import cases


def link(client: Client, user: Mapping[str, str], token: str | None = None, **more: Any) -> Response:
    given = {"provider": "google", "idToken": {"token": token or id_token()}, **more}
    return client.post(f"{AUTH}/link-social", json=given, headers=dict(user))


def test_an_identity_is_linked_by_address(visitor: Client, signed_in: SignedIn, project: Project) -> None:
    ada = signed_in("ada@example.com")
    for _ in range(2):
        assert link(visitor, ada).json() == {"url": "", "status": True, "redirect": False}
    assert len(project.identity.linked_accounts) == 1
    user = user_of_email(project, "ada@example.com")
    assert user is not None
    assert sign_in(visitor).json()["user"]["id"] == user.id


def test_another_address_needs_permission(visitor: Client, signed_in: SignedIn, api: Client) -> None:
    grace = signed_in("grace@example.com")
    differ = (401, "ACCOUNT_NOT_LINKED__DIFFERENT_EMAILS_NOT_ALLOWED")
    assert refused(link(visitor, grace)) == differ
    api.put("/_mock/projects/-/settings", json={"link_different_emails": True})
    assert link(visitor, grace).status_code == 200


def test_an_unverified_address_is_not_linked(visitor: Client, signed_in: SignedIn) -> None:
    response = link(visitor, signed_in("ada@example.com"), id_token(email_verified=False))
    assert refused(response) == (401, "ACCOUNT_NOT_LINKED__LINKING_NOT_ALLOWED")


def test_an_identity_of_another_user_is_not_linked(visitor: Client, signed_in: SignedIn, api: Client) -> None:
    sign_in(visitor)
    api.put("/_mock/projects/-/settings", json={"link_different_emails": True})
    response = link(visitor, signed_in("grace@example.com"))
    assert refused(response) == (401, "ACCOUNT_NOT_LINKED__ALREADY_LINKED_TO_DIFFERENT_USER")


def test_linking_refuses_what_signing_in_refuses(visitor: Client, signed_in: SignedIn) -> None:
    ada = signed_in("ada@example.com")
    assert refused(link(visitor, ada, provider="myspace")) == (404, "PROVIDER_NOT_FOUND")
    assert refused(link(visitor, ada, provider="discord")) == (404, "ID_TOKEN_NOT_SUPPORTED")
    assert refused(link(visitor, ada, "nonsense")) == (401, "INVALID_TOKEN")
    assert refused(link(visitor, ada, without("email"))) == (401, "USER_EMAIL_NOT_FOUND")


def test_a_guest_who_links_is_none_any_more(visitor: Client, project: Project, api: Client) -> None:
    api.put("/_mock/projects/-/settings", json={"link_different_emails": True})
    guest = visitor.post(f"{AUTH}/sign-in/anonymous").json()
    assert link(visitor, bearer(guest["token"])).status_code == 200
    user = project.identity.users[guest["user"]["id"]]
    assert (user.is_anonymous, user.name, user.email) == (None, "Ada", "ada@example.com")


def test_linking_by_way_of_the_consent_page_keeps_the_session(
    visitor: Client, browser: Client, signed_in: SignedIn, project: Project
) -> None:
    ada = signed_in("ada@example.com")
    url = the_way(visitor, "link-social", headers=ada)
    _, query = led_to(consent(browser, url))
    assert bearer(query["access_token"]) == ada
    assert [row.provider for row in project.identity.linked_accounts] == ["google"]
    assert len(project.identity.sessions) == 1


@cases(
    "form, error",
    ({"email": "grace@example.com"}, "email_doesn't_match"),
    ({"verified": "false"}, "unable_to_link_account"),
    ({"decision": "refuse"}, "access_denied"),
)
def test_a_link_that_is_refused_comes_back_as_an_error(
    visitor: Client, browser: Client, signed_in: SignedIn, form: dict[str, str], error: str
) -> None:
    url = the_way(visitor, "link-social", headers=signed_in("ada@example.com"))
    assert led_to(consent(browser, url, **form))[1] == {"error": error}


def test_who_signed_out_meanwhile_links_nothing(
    visitor: Client, browser: Client, signed_in: SignedIn, project: Project
) -> None:
    ada = signed_in("ada@example.com")
    url = the_way(visitor, "link-social", headers=ada)
    visitor.post(f"{AUTH}/sign-out", headers=ada)
    assert led_to(consent(browser, url))[1] == {"error": "unable_to_link_account"}
    assert len(project.identity.linked_accounts) == 0


def test_whose_session_ended_meanwhile_links_nothing(
    visitor: Client, browser: Client, signed_in: SignedIn, project: Project
) -> None:
    url = the_way(visitor, "link-social", headers=signed_in("ada@example.com"))
    (session,) = project.identity.sessions
    project.identity.sessions.replace(session._replace(expires_ms=project.clock.now_ms + 1_000))
    project.undo.mark()
    project.clock.move_to(project.clock.now_ms + 1_000)
    assert led_to(consent(browser, url))[1] == {"error": "unable_to_link_account"}


def test_the_last_way_in_stays(visitor: Client, signed_in: SignedIn, project: Project) -> None:
    ada = signed_in("ada@example.com")
    link(visitor, ada)
    unlink = {"providerId": "google"}
    response = visitor.post(f"{AUTH}/unlink-account", json=unlink, headers=ada)
    assert refused(response) == (400, "FAILED_TO_UNLINK_LAST_ACCOUNT")
    user = user_of_email(project, "ada@example.com")
    assert user is not None
    link_account(project, user, "credential", user.id)
    project.undo.mark()
    assert visitor.post(f"{AUTH}/unlink-account", json=unlink, headers=ada).json() == {"status": True}
    assert [row.provider for row in project.identity.linked_accounts] == ["credential"]


def test_a_guest_gets_no_other_users_address_by_linking(
    visitor: Client, project: Project, api: Client, signed_in: SignedIn
) -> None:
    signed_in("ada@example.com")
    api.put("/_mock/projects/-/settings", json={"link_different_emails": True})
    guest = visitor.post(f"{AUTH}/sign-in/anonymous").json()
    before = project.identity.users[guest["user"]["id"]]
    assert link(visitor, bearer(guest["token"])).status_code == 200
    user = project.identity.users[before.id]
    assert (user.is_anonymous, user.name) == (None, "Ada")
    assert (user.email, user.email_verified) == (before.email, before.email_verified)
