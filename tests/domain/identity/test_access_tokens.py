"""Access tokens, verified by PyJWT with the key set that the project publishes."""

from typing import Any

import jwt
from hypothesis import given
from hypothesis import strategies as st

from mockserver.domain.identity import access_tokens
from mockserver.domain.identity.sessions import end_sessions, open_session
from mockserver.domain.identity.users import create_user
from mockserver.state.identity import Session, User
from mockserver.state.project import Project
from mockserver.state.settings import Settings
from mockserver.state.world import World
from tests.tables import cases

LIFETIME_MS = Settings().session_lifetime_ms


def sign_in(project: Project) -> tuple[User, Session]:
    """A user who has just signed in."""
    user = create_user(project, name="Ada", email=None)
    return user, open_session(project, user)


def verified(project: Project, token: str) -> dict[str, Any]:
    """The claims of a token, as a service reads them that knows nothing but the key set."""
    kid = jwt.get_unverified_header(token)["kid"]
    keys = {key.key_id: key for key in jwt.PyJWKSet(list(access_tokens.key_set(project))).keys}
    return jwt.decode(
        token,
        keys[kid],
        ["ES256"],
        audience=project.id,
        # The project's clock is not the machine's.
        options={"verify_exp": False, "verify_iat": False},
    )


def test_a_token_says_who_is_signed_in_until_the_session_ends(project: Project) -> None:
    user, session = sign_in(project)
    token = access_tokens.issue(project, user, session)
    assert verified(project, token) == {
        "iss": "openfort.xyz",
        "aud": project.id,
        "sub": user.id,
        "sid": session.id,
        "iat": project.clock.now_s,
        "exp": session.expires_ms // 1000,
    }
    reading = access_tokens.read_token(project, token)
    assert reading == (user, session, project.clock.now_s, session.expires_ms // 1000)


def test_a_session_token_is_read_as_well(project: Project) -> None:
    user, session = sign_in(project)
    reading = access_tokens.read_token(project, session.token)
    assert reading is not None
    assert (reading.user, reading.session) == (user, session)


def test_a_token_ends_with_its_session(project: Project) -> None:
    user, session = sign_in(project)
    token = access_tokens.issue(project, user, session)
    end_sessions(project, user.id)
    assert access_tokens.read_token(project, token) is None


def test_a_token_of_another_project_is_none(project: Project, world: World) -> None:
    other = world.create(name="other")
    token = access_tokens.issue(other, *sign_in(other))
    assert access_tokens.read_token(project, token) is None
    assert access_tokens.project_of_token(world, token) is other


@cases("token", "", "a.b", "a.b.c", "not a token")
def test_what_is_no_token_says_nothing(project: Project, world: World, token: str) -> None:
    assert access_tokens.read_token(project, token) is None
    assert access_tokens.project_of_token(world, token) is None
    assert access_tokens.use_token(project, token) is None


@given(st.lists(st.sampled_from(["issue", "rotate", "wait a day", "wait a week"]), max_size=12))
def test_every_token_that_holds_is_verified_by_the_key_set(steps: list[str]) -> None:
    project = World().create(name="keys")
    user = create_user(project, name="Ada", email=None)
    issued: list[tuple[str, int]] = []
    for step in steps:
        match step:
            case "issue":
                session = open_session(project, user)
                issued.append((access_tokens.issue(project, user, session), session.expires_ms))
            case "rotate":
                access_tokens.rotate_keys(project)
            case _:
                days = 1 if step == "wait a day" else 7
                project.clock.move_to(project.clock.now_ms + days * 86_400_000)
        now_ms = project.clock.now_ms
        for token, expires_ms in issued:
            assert (access_tokens.read_token(project, token) is not None) == (expires_ms > now_ms)
            if expires_ms > now_ms:
                assert verified(project, token)["sub"] == user.id
        kids = [key["kid"] for key in access_tokens.key_set(project)]
        assert kids[0] == access_tokens.signer(project).row.id
        assert len(set(kids)) == len(kids) <= 1 + sum(expires_ms > now_ms for _, expires_ms in issued)
