"""Signing in with a provider when a user has the address already, or is a guest."""

from httpx import Client

from mockserver.domain.identity.users import create_user
from mockserver.domain.wallets.wallets import wallet_of_user
from mockserver.state.project import Project
from tests.operations.auth import AUTH
from tests.operations.auth_social.helpers import bearer, id_token, refused, sign_in, without
from tests.tables import cases


def test_a_verified_address_leads_to_its_user(visitor: Client, project: Project) -> None:
    ada = create_user(project, name="Ada L.", email="ada@example.com")
    project.undo.mark()
    user = sign_in(visitor).json()["user"]
    assert (user["id"], user["name"], user["emailVerified"]) == (ada.id, "Ada L.", True)


@cases("token", id_token(email_verified=False), without("email_verified"))
def test_an_address_that_it_has_not_verified_does_not(visitor: Client, project: Project, token: str) -> None:
    create_user(project, name="Ada", email="ada@example.com")
    project.undo.mark()
    assert refused(sign_in(visitor, token)) == (401, "ACCOUNT_NOT_LINKED")
    assert len(project.identity.linked_accounts) == 0


def test_an_unverified_unknown_address_makes_an_unverified_user(visitor: Client) -> None:
    assert sign_in(visitor, id_token(email_verified=False)).json()["user"]["emailVerified"] is False


def test_a_guest_who_signs_in_socially_leaves_the_wallet(visitor: Client, project: Project) -> None:
    guest = visitor.post(f"{AUTH}/sign-in/anonymous").json()
    wallet = wallet_of_user(project, project.identity.users[guest["user"]["id"]])
    project.undo.mark()
    visitor.headers.update(bearer(guest["token"]))
    user = sign_in(visitor).json()["user"]
    assert user["id"] != guest["user"]["id"]
    assert guest["user"]["id"] not in project.identity.users
    assert project.wallets.wallets[wallet.id].user_id == user["id"]


def test_a_guest_whose_sign_in_fails_stays(visitor: Client, project: Project) -> None:
    guest = visitor.post(f"{AUTH}/sign-in/anonymous").json()
    visitor.headers.update(bearer(guest["token"]))
    assert sign_in(visitor, without("email")).status_code == 401
    assert guest["user"]["id"] in project.identity.users
