"""A password that its user changes."""

from httpx import Client

from tests.operations.auth import AUTH, bearer, error_of
from tests.operations.auth_password.helpers import ADA, sign_in, sign_up
from tests.tables import cases


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


@cases(
    "current, new, expected",
    ("wrong horse", "short", (400, "PASSWORD_TOO_SHORT")),
    ("wrong horse", "x" * 129, (400, "PASSWORD_TOO_LONG")),
    ("wrong horse", "battery staple", (400, "INVALID_PASSWORD")),
)
def test_a_refused_change_of_password_says_why(
    visitor: Client, current: str, new: str, expected: tuple[int, str]
) -> None:
    session = bearer(sign_up(visitor))
    body = {"currentPassword": current, "newPassword": new}
    assert error_of(visitor.post(f"{AUTH}/change-password", json=body, headers=session)) == expected
    assert sign_in(visitor).status_code == 200
