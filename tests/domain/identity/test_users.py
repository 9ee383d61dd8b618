"""Users: how they are made, found and changed, and what goes with them."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mockserver.domain.identity.social.profiles import register_profile
from mockserver.domain.identity.social.providers import PROVIDERS
from mockserver.domain.identity.users import (
    change_email,
    create_guest,
    create_user,
    is_email,
    link_account,
    require_email,
    user_of_email,
    verify_email,
)
from mockserver.state.identity import User
from mockserver.state.project import Project


@pytest.fixture
def ada(project: Project) -> User:
    """A user with an address that was never verified."""
    return create_user(project, name="Ada", email="ada@example.com")


def test_a_user_is_found_by_address_in_any_case(project: Project, ada: User) -> None:
    assert user_of_email(project, "ADA@Example.com") == ada
    assert user_of_email(project, "bob@example.com") is None


def test_a_changed_address_is_to_be_verified_anew(project: Project, ada: User) -> None:
    verified = verify_email(project, ada)
    assert verified.email_verified
    assert verify_email(project, verified) == verified
    changed = change_email(project, verified, "Lovelace@Example.com")
    assert (changed.email, changed.email_verified) == ("lovelace@example.com", False)
    assert user_of_email(project, "ada@example.com") is None


@given(st.emails(domains=st.sampled_from(["example.com", "mail.example.org"])) | st.text(max_size=20))
def test_an_address_is_required_where_it_is_recognised(text: str) -> None:
    if is_email(text):
        assert require_email(text) == text
    else:
        with pytest.raises(ValueError, match="e-mail address"):
            require_email(text)


def test_what_is_drawn_is_as_long_as_that_of_the_originals(project: Project) -> None:
    guest = create_guest(project, "example.com")
    profile = register_profile(project, PROVIDERS["google"], name="Ada", email=None, email_verified=False)
    for drawn, form in (
        (guest.email or "", r"temp-[A-Za-z0-9]{32}@example\.com"),
        (link_account(project, guest, "google", "1").id, "[A-Za-z0-9]{32}"),
        (profile.subject, "[1-9]{21}"),
    ):
        assert re.fullmatch(form, drawn)
