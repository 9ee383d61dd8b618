"""Users who are refused something."""

import pytest

from mockserver.domain.identity.passwords import set_password
from mockserver.domain.identity.sessions import open_session
from mockserver.domain.identity.users import create_user, link_account
from mockserver.state.project import Project
from tests.operations.auth_refusals.helpers import ADA, BOTH, GUEST, PASSWORD, PLAIN, People


@pytest.fixture
def people(project: Project) -> People:
    """Users with and without a password, verified and not, and the headers of their sessions."""
    ada = create_user(project, name="Ada", email=ADA)
    plain = create_user(project, name="", email=PLAIN, email_verified=True)
    both = create_user(project, name="Both", email=BOTH)
    guest = create_user(project, name="", email=GUEST, is_anonymous=True)
    for user in (ada, both):
        set_password(project, user, PASSWORD)
    link_account(project, both, "firebase", "fb-7")
    sessions = {user.email or "": open_session(project, user) for user in (ada, plain, both, guest)}
    return {email: {"authorization": f"Bearer {row.token}"} for email, row in sessions.items()}
