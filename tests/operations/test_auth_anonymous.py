"""Signing in without saying who one is."""

from collections.abc import Callable

from httpx import Client

from mockserver.domain.identity.users import create_user
from mockserver.domain.wallets.wallets import wallet_of_user
from mockserver.state.project import Project
from tests.operations.auth import AUTH, bearer, error_of
from tests.tables import cases

ADA = {"name": "Ada", "email": "ada@example.com", "password": "correct horse"}


def test_an_anonymous_user_has_a_session_and_a_made_up_address(visitor: Client) -> None:
    response = visitor.post(f"{AUTH}/sign-in/anonymous")
    user = response.json()["user"]
    assert (user["name"], user["isAnonymous"], user["emailVerified"]) == ("Anonymous", True, False)
    local_part, _, host = user["email"].partition("@")
    assert local_part.startswith("temp-")
    assert (len(local_part), local_part, host) == (37, local_part.lower(), "mock")
    assert response.headers["set-auth-token"].startswith(response.json()["token"])
    session = visitor.get(f"{AUTH}/get-session", headers=bearer(response)).json()
    assert session["user"]["isAnonymous"] is True
    assert visitor.get(f"{AUTH}/list-accounts", headers=bearer(response)).json() == []


def test_who_is_anonymous_already_cannot_be_so_again(visitor: Client, project: Project) -> None:
    guest = bearer(visitor.post(f"{AUTH}/sign-in/anonymous"))
    response = visitor.post(f"{AUTH}/sign-in/anonymous", headers=guest)
    assert response.status_code == 400
    assert response.json()["code"] == "ANONYMOUS_USERS_CANNOT_SIGN_IN_AGAIN_ANONYMOUSLY"
    assert len(project.identity.users) == 1


@cases("by", "setting", "configuration")
def test_anonymous_sign_in_can_be_switched_off(visitor: Client, api: Client, by: str) -> None:
    if by == "setting":
        api.put("/_mock/projects/-/settings", json={"anonymous_sign_in": False})
    else:
        api.post("/iam/v1/config", json={"provider": "guest", "enabled": False})
    refused = visitor.post(f"{AUTH}/sign-in/anonymous")
    assert error_of(refused) == (404, "ANONYMOUS_SIGN_IN_DISABLED")
    assert "anonymous_sign_in" in refused.json()["message"]
    assert api.get("/v2/users").json()["total"] == 0


def test_a_real_user_may_become_anonymous(
    visitor: Client, project: Project, signed_in: Callable[[str], dict[str, str]]
) -> None:
    response = visitor.post(f"{AUTH}/sign-in/anonymous", headers=signed_in("ada@example.com"))
    assert response.status_code == 200
    assert len(project.identity.users) == 2


def test_a_new_user_takes_the_anonymous_ones_place_and_wallet(visitor: Client, project: Project) -> None:
    guest = visitor.post(f"{AUTH}/sign-in/anonymous")
    wallet = wallet_of_user(project, project.identity.users[guest.json()["user"]["id"]])
    project.undo.mark()
    user = visitor.post(f"{AUTH}/sign-up/email", json=ADA, headers=bearer(guest)).json()["user"]
    assert [row.id for row in project.identity.users] == [user["id"]]
    assert [(row.id, row.user_id) for row in project.wallets.wallets] == [(wallet.id, user["id"])]
    assert visitor.get(f"{AUTH}/get-session", headers=bearer(guest)).status_code == 401


def test_a_new_user_has_the_transactions_of_the_anonymous_one(visitor: Client) -> None:
    guest = bearer(visitor.post(f"{AUTH}/sign-in/anonymous"))
    body = {"chainId": 80002, "interactions": [{"to": "0x" + "11" * 20}]}
    sent = visitor.post("/v1/transaction_intents", headers=guest, json=body).json()["id"]
    user = bearer(visitor.post(f"{AUTH}/sign-up/email", headers=guest, json=ADA))
    assert visitor.get(f"/v2/transactions/{sent}", headers=user).status_code == 200
    assert visitor.get("/v2/transactions", headers=user).json()["total"] == 1


def test_a_user_with_a_wallet_keeps_it(visitor: Client, project: Project) -> None:
    visitor.post(f"{AUTH}/sign-up/email", json=ADA)
    (ada,) = project.identity.users
    wallet = wallet_of_user(project, ada)
    guest = visitor.post(f"{AUTH}/sign-in/anonymous")
    wallet_of_user(project, project.identity.users[guest.json()["user"]["id"]])
    project.undo.mark()
    visitor.post(f"{AUTH}/sign-in/email", json=ADA, headers=bearer(guest))
    assert list(project.wallets.wallets) == [wallet]


@cases("password", "wrong horse", "")
def test_a_refused_sign_in_keeps_the_guest(visitor: Client, project: Project, password: str) -> None:
    create_user(project, name="", email=ADA["email"])
    project.undo.mark()
    guest = bearer(visitor.post(f"{AUTH}/sign-in/anonymous"))
    body = {"email": ADA["email"], "password": password}
    assert visitor.post(f"{AUTH}/sign-in/email", json=body, headers=guest).status_code == 401
    assert visitor.get(f"{AUTH}/get-session", headers=guest).status_code == 200
