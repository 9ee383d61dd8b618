"""One-time codes: what users have to prove before the developer's backend gets a session for their share."""

from typing import Any

import pytest
from httpx import Client

from mockserver.domain.identity.users import create_user
from mockserver.state.project import Project
from tests.shield.test_shares import DEVELOPER, PART, pregenerate, preregister, signed_in
from tests.tables import cases

EMAIL, PHONE = "grace@example.com", "+15555550100"


@pytest.fixture
def made(api: Client, shield: Client) -> Any:
    """A user with a share, in a project that asks for codes."""
    made = pregenerate(api)
    preregister(shield, made)
    api.put("/_mock/projects/-/settings", json={"recovery_code_required": True}).raise_for_status()
    return made


def send_code(shield: Client, **body: Any) -> Any:
    return shield.post("/project/otp", headers=DEVELOPER, json=body)


def begin(shield: Client, **body: Any) -> Any:
    body = {"encryption_part": "part", **body}
    return shield.post("/project/encryption-session", headers=DEVELOPER, json=body)


def test_the_code_that_was_mailed_recovers_the_share(shield: Client, project: Project, made: Any) -> None:
    assert send_code(shield, user_id=made["user"], email=EMAIL).status_code == 200
    (mail,) = project.outbox
    assert (mail.channel, mail.to, mail.kind) == ("email", EMAIL, "wallet-recovery")
    session = begin(shield, user_id=made["user"], otp_code=mail.code).json()["session_id"]
    headers = {**signed_in(project, made["user"]), "x-encryption-session": session}
    assert shield.get("/shares", headers=headers).json()["secret"] == made["accounts"][0]["recoveryShare"]
    again = begin(shield, user_id=made["user"], otp_code=mail.code)
    assert (again.status_code, again.json()["code"]) == (400, "INVALID_OTP")


def test_no_session_is_created_without_a_code(shield: Client, made: Any) -> None:
    for body in ({}, {"user_id": made["user"]}):
        refused = begin(shield, **body)
        assert (refused.status_code, refused.json()["code"]) == (428, "OTP_MISSING")


def test_users_without_a_share_need_no_code(api: Client, shield: Client, made: Any) -> None:
    other = pregenerate(api, email="ada@example.com")
    assert begin(shield, user_id=other["user"]).status_code == 200
    assert begin(shield, user_id="usr_unknown").status_code == 404


def test_a_code_is_not_asked_for_unless_the_project_says_so(shield: Client) -> None:
    assert begin(shield).status_code == begin(shield, user_id="usr_unknown").status_code == 200


def test_users_with_a_phone_number_get_a_text_message(shield: Client, project: Project) -> None:
    user = create_user(project, name="Ada", email=None)
    project.identity.users.replace(user._replace(phone_number=PHONE))
    project.commit()
    assert send_code(shield, user_id=user.id).status_code == 200
    (message,) = project.outbox
    assert (message.channel, message.to) == ("sms", PHONE)


@cases(
    "body, status, code",
    ({"email": "ada@example.com"}, 400, "USER_CONTACTS_MISMATCH"),
    ({"phone": PHONE}, 400, "USER_CONTACTS_MISMATCH"),
    ({"email": "ada"}, 400, "INVALID_EMAIL"),
    ({"phone": "555"}, 400, "VALIDATION_ERROR"),
    ({"user_id": "usr_unknown"}, 404, "USER_NOT_FOUND"),
)
def test_a_code_is_sent_only_to_the_user(
    shield: Client, project: Project, made: Any, body: Any, status: int, code: str
) -> None:
    refused = send_code(shield, **{"user_id": made["user"], **body})
    assert (refused.status_code, refused.json()["code"]) == (status, code)
    assert not project.outbox


def test_a_user_of_a_provider_gets_it_where_the_backend_says(api: Client, shield: Client) -> None:
    made = pregenerate(api, thirdPartyUserId="ada", thirdPartyProvider="custom")
    refused = send_code(shield, user_id=made["user"])
    assert (refused.status_code, refused.json()["message"][:6]) == (400, "email:")
    assert send_code(shield, user_id=made["user"], email="ada@example.com").status_code == 200


def test_the_part_itself_needs_no_code(shield: Client, project: Project, made: Any) -> None:
    headers = {**signed_in(project, made["user"]), **PART}
    assert shield.get("/shares", headers=headers).status_code == 200
