"""Sessions on the project's clock."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mockserver.domain.identity.sessions import (
    active_sessions,
    find_session,
    open_session,
    renew_session,
    sign_cookie,
)
from mockserver.domain.identity.users import create_user
from mockserver.state.identity import User
from mockserver.state.project import Project
from mockserver.state.settings import Settings
from mockserver.state.world import World

LIFETIME_MS = Settings().session_lifetime_ms
SHORT_LIFETIME_MS = Settings().short_session_lifetime_ms
RENEWED_AFTER_MS = Settings().session_renewed_after_ms


@pytest.fixture
def ada(project: Project) -> User:
    return create_user(project, name="Ada", email="ada@example.com")


def test_a_token_is_safe_in_urls_and_its_own(project: Project, ada: User) -> None:
    tokens = {open_session(project, ada).token for _ in range(50)}
    assert len(tokens) == 50
    assert all(len(token) == 32 and token.isalnum() and token.isascii() for token in tokens)


def test_a_session_is_over_at_its_end(project: Project, ada: User) -> None:
    long, short = open_session(project, ada), open_session(project, ada, remember=False)
    project.clock.move_to(project.clock.now_ms + SHORT_LIFETIME_MS - 1)
    assert find_session(project, short.token) == (ada, short)
    project.clock.move_to(project.clock.now_ms + 1)
    assert find_session(project, short.token) is None
    assert active_sessions(project, ada.id) == [long]
    project.clock.move_to(long.expires_ms)
    assert find_session(project, long.token) is None


def test_finding_a_session_does_not_renew_it(project: Project, ada: User) -> None:
    session = open_session(project, ada)
    project.clock.move_to(project.clock.now_ms + RENEWED_AFTER_MS)
    assert find_session(project, session.token) == (ada, session)
    renewed = renew_session(project, session)
    assert renewed.expires_ms == project.clock.now_ms + LIFETIME_MS
    assert find_session(project, session.token) == (ada, renewed)


@given(steps=st.lists(st.integers(min_value=0, max_value=3 * RENEWED_AFTER_MS), max_size=20))
def test_a_session_in_use_is_renewed_at_most_once_a_day(steps: list[int]) -> None:
    project = World().create(name="tests")
    session = open_session(project, create_user(project, name="", email=None))
    for step in steps:
        project.clock.move_to(project.clock.now_ms + step)
        found = find_session(project, session.token)
        assert found is not None
        renewed = renew_session(project, found[1])
        assert renewed.expires_ms - renewed.updated_ms == LIFETIME_MS
        assert renewed == session or renewed.updated_ms - session.updated_ms >= RENEWED_AFTER_MS
        session = renewed


@given(tampered=st.text(max_size=120))
def test_no_other_text_is_a_signed_token(tampered: str) -> None:
    project = World().create(name="tests")
    session = open_session(project, create_user(project, name="", email=None))
    token = sign_cookie(project, session.token)
    assert find_session(project, token) is not None
    for text in (tampered, f"{session.token}.{tampered}", token + tampered):
        if text not in (session.token, token):
            assert find_session(project, text) is None


def test_another_project_signs_otherwise(world: World, project: Project) -> None:
    other = world.create(name="other")
    assert sign_cookie(project, "x") != sign_cookie(other, "x")
