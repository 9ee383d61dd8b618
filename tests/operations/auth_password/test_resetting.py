"""A password that is reset by a link in a mail."""

from urllib.parse import urlsplit

from httpx import Client

from mockserver.domain.identity.users import create_user
from mockserver.domain.transactions.timers import TIMER_LOOP
from mockserver.state.project import Project
from tests.operations.auth import AUTH, bearer, error_of
from tests.operations.auth_password.helpers import ADA, sign_in, sign_up
from tests.tables import cases


def reset_token(project: Project) -> str:
    mail = project.outbox.last("kind", "reset-password")
    assert mail is not None
    return urlsplit(mail.url or "").path.rpartition("/")[2]


def test_a_mailed_link_leads_to_a_new_password(visitor: Client, browser: Client, project: Project) -> None:
    before = sign_up(visitor)
    body = {"email": "Ada@example.com", "redirectTo": "https://shop.example/reset?from=mail"}
    assert visitor.post(f"{AUTH}/request-password-reset", json=body).json() == {
        "status": True,
        "message": "If this email exists in our system, check your email for the reset link",
    }
    token = reset_token(project)
    assert len(token) == 24
    mail = project.outbox.last("kind", "reset-password")
    assert mail is not None
    for _ in range(2):
        led = browser.get(mail.url or "")
        assert led.status_code == 302
        assert led.headers["location"] == f"https://shop.example/reset?from=mail&token={token}"
    reset = visitor.post(f"{AUTH}/reset-password", json={"newPassword": "battery staple", "token": token})
    assert reset.json() == {"status": True}
    assert sign_in(visitor, "battery staple").status_code == 200
    assert error_of(sign_in(visitor)) == (401, "INVALID_EMAIL_OR_PASSWORD")
    assert visitor.get(f"{AUTH}/get-session", headers=bearer(before)).status_code == 200
    again = visitor.post(f"{AUTH}/reset-password", json={"newPassword": "battery staple", "token": token})
    assert error_of(again) == (400, "INVALID_TOKEN")


def test_the_reset_token_may_be_in_the_query(visitor: Client, project: Project) -> None:
    sign_up(visitor)
    visitor.post(f"{AUTH}/request-password-reset", json={"email": ADA["email"]})
    response = visitor.post(
        f"{AUTH}/reset-password?token={reset_token(project)}", json={"newPassword": "battery staple"}
    )
    assert response.status_code == 200


def test_a_user_without_a_password_gets_one_by_a_reset(visitor: Client, project: Project) -> None:
    create_user(project, name="", email=ADA["email"])
    project.undo.mark()
    visitor.post(f"{AUTH}/forget-password", json={"email": ADA["email"]})
    body = {"newPassword": ADA["password"], "token": reset_token(project)}
    assert visitor.post(f"{AUTH}/reset-password", json=body).status_code == 200
    assert sign_in(visitor).status_code == 200


def test_an_unknown_address_gets_no_mail_and_no_other_answer(visitor: Client, project: Project) -> None:
    sign_up(visitor)
    known = visitor.post(f"{AUTH}/request-password-reset", json={"email": ADA["email"]})
    unknown = visitor.post(f"{AUTH}/request-password-reset", json={"email": "eve@example.com"})
    assert known.json() == unknown.json()
    assert [mail.to for mail in project.outbox] == [ADA["email"]]
    assert visitor.post(f"{AUTH}/forget-password", json={"email": ADA["email"]}).json() == {"status": True}
    forgotten = visitor.post(f"{AUTH}/forget-password", json={"email": "eve@example.com"})
    assert forgotten.json() == unknown.json()


def test_a_reset_link_works_for_an_hour(visitor: Client, browser: Client, project: Project) -> None:
    sign_up(visitor)
    visitor.post(f"{AUTH}/request-password-reset", json={"email": ADA["email"], "redirectTo": "/new"})
    token = reset_token(project)
    link = f"{AUTH}/reset-password/{token}?callbackURL=/new"
    TIMER_LOOP.advance(project, project.clock.now_ms + 3_599_999)
    assert browser.get(link).headers["location"] == f"http://mock/new?token={token}"
    TIMER_LOOP.advance(project, project.clock.now_ms + 1)
    assert browser.get(link).headers["location"] == "http://mock/new?error=INVALID_TOKEN"
    body = {"newPassword": "battery staple", "token": token}
    assert error_of(visitor.post(f"{AUTH}/reset-password", json=body)) == (400, "INVALID_TOKEN")


def test_a_bad_reset_link_leads_on_with_an_error(browser: Client) -> None:
    def target(callback: str) -> str:
        response = browser.get(f"{AUTH}/reset-password/nonsense?callbackURL={callback}")
        assert response.status_code == 302
        return str(response.headers["location"])

    assert target("/new?x=1") == "http://mock/new?x=1&error=INVALID_TOKEN"
    assert target("") == f"http://mock{AUTH}/error?error=INVALID_TOKEN"
    assert error_of(browser.get(f"{AUTH}/reset-password/nonsense")) == (400, "INVALID_TOKEN")
    evil = browser.get(f"{AUTH}/reset-password/nonsense?callbackURL=javascript:alert(1)")
    assert error_of(evil) == (403, "INVALID_CALLBACKURL")


def test_a_stray_reset_link_shows_its_token(visitor: Client, browser: Client, project: Project) -> None:
    sign_up(visitor)
    visitor.post(f"{AUTH}/request-password-reset", json={"email": ADA["email"]})
    mail = project.outbox.last("kind", "reset-password")
    assert mail is not None
    assert browser.get(mail.url or "").json() == {"token": reset_token(project)}


def test_a_followed_link_is_journalled(visitor: Client, browser: Client, project: Project) -> None:
    sign_up(visitor)
    visitor.post(f"{AUTH}/request-password-reset", json={"email": ADA["email"]})
    browser.get(f"{AUTH}/reset-password/{reset_token(project)}")
    assert [exchange.operation for exchange in project.history.answered_since(0)][
        -1
    ] == "resetPasswordCallback"


@cases("target", "https://[::1", "https://", "//shop.example/reset", "https:///reset")
def test_a_reset_leads_to_no_malformed_url(visitor: Client, project: Project, target: str) -> None:
    sign_up(visitor)
    body = {"email": ADA["email"], "redirectTo": target}
    refused = visitor.post(f"{AUTH}/request-password-reset", json=body)
    assert error_of(refused) == (403, "INVALID_REDIRECTURL")
    assert project.outbox.last("kind", "reset-password") is None
