"""A password that its user changes."""

from httpx import Client

from tests.operations.auth import AUTH, bearer
from tests.operations.auth_password.helpers import ADA, sign_in, sign_up


def test_a_changed_password_leaves_the_sessions(visitor: Client) -> None:
    session = bearer(sign_up(visitor))
    body = {"currentPassword": ADA["password"], "newPassword": "battery staple"}
    response = visitor.post(f"{AUTH}/change-password", json=body, headers=session)
    assert response.json()["token"] is None
    assert response.json()["user"]["email"] == ADA["email"]
    assert visitor.get(f"{AUTH}/get-session", headers=session).status_code == 200
    assert sign_in(visitor, "battery staple").status_code == 200
    assert sign_in(visitor).status_code == 401


def test_a_changed_password_may_end_every_session_for_a_new_one(visitor: Client) -> None:
    session, other = bearer(sign_up(visitor)), bearer(sign_in(visitor))
    body = {"currentPassword": ADA["password"], "newPassword": "battery staple", "revokeOtherSessions": True}
    response = visitor.post(f"{AUTH}/change-password", json=body, headers=session)
    assert response.headers["set-auth-token"].startswith(response.json()["token"])
    for ended in (session, other):
        assert visitor.get(f"{AUTH}/get-session", headers=ended).status_code == 401
    assert visitor.get(f"{AUTH}/get-session", headers=bearer(response)).status_code == 200
