"""A token with an id is accepted once."""

from base64 import urlsafe_b64encode

import jwt
from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePrivateKey
from hypothesis import given
from hypothesis import strategies as st

from mockserver.domain.wallets import wallet_secrets
from mockserver.errors import ApiError
from mockserver.state.project import Project
from mockserver.state.wallets import SpentToken
from mockserver.state.world import World
from tests.domain.wallets.wallet_auth.helpers import (
    Request,
    accept,
    claims_of,
    encoded,
    pass_time,
    refuse,
    ticking,
)
from tests.tables import cases
from tests.wallet_auth import load_secret

MAX_AGE_S = 300
SAME_CLOCK_S = 86_400


def test_a_token_with_an_id_is_accepted_once(project: Project, key: EllipticCurvePrivateKey) -> None:
    token = jwt.encode(claims_of(project, jti="a"), key, "ES256")
    accept(project, token)
    assert "jti: expected an id that no token had before; got a" in refuse(project, token).message
    accept(project, jwt.encode(claims_of(project, jti="b"), key, "ES256"))


def test_a_spent_token_stays_spent_on_refusal(project: Project, key: EllipticCurvePrivateKey) -> None:
    token = jwt.encode(claims_of(project, jti="a"), key, "ES256")
    accept(project, token)
    project.undo.roll_back()
    refuse(project, token)


def test_a_token_that_is_refused_is_not_spent(project: Project, key: EllipticCurvePrivateKey) -> None:
    token = jwt.encode(claims_of(project, jti="a"), key, "ES256")
    refuse(project, token, Request(path="/v2/accounts/backend/import"))
    accept(project, token)


def test_a_token_without_an_id_may_come_again(project: Project, key: EllipticCurvePrivateKey) -> None:
    token = jwt.encode(claims_of(project), key, "ES256")
    accept(project, token)
    accept(project, token)


def test_a_frozen_clock_forgets_no_token(project: Project, key: EllipticCurvePrivateKey) -> None:
    token = jwt.encode(claims_of(project, jti="a"), key, "ES256")
    accept(project, token)
    for number in range(20_000):
        project.wallets.spent_tokens.insert(SpentToken(f"spent/{number}", project.clock.now_s))
    project.clock.move_to(project.clock.now_ms + 10**9)
    accept(project, jwt.encode(claims_of(project, jti="b"), key, "ES256"))
    assert "jti: expected an id that no token had before; got a" in refuse(project, token).message


def test_a_ticking_clock_forgets_old_tokens(project: Project, key: EllipticCurvePrivateKey) -> None:
    now_s = ticking(project)
    short = jwt.encode(claims_of(project, jti="short"), key, "ES256")
    long = jwt.encode(claims_of(project, jti="long", exp=now_s + 7200), key, "ES256")
    accept(project, short)
    accept(project, long)
    for passed_s, remembered in ((MAX_AGE_S - 1, "short long"), (MAX_AGE_S + 60, "long"), (7260, "")):
        pass_time(project, now_s + passed_s)
        accept(project, jwt.encode(claims_of(project, jti=f"{passed_s}"), key, "ES256"))
        kept = [row.id for row in project.wallets.spent_tokens if not row.id.isdigit()]
        assert kept == remembered.split()
        refuse(project, short)
        refuse(project, long)


def test_what_was_forgotten_stays_refused(project: Project, key: EllipticCurvePrivateKey) -> None:
    now_s = ticking(project)
    token = jwt.encode(claims_of(project, jti="a"), key, "ES256")
    accept(project, token)
    pass_time(project, now_s + 3600)
    accept(project, jwt.encode(claims_of(project, jti="b"), key, "ES256"))
    assert "a" not in project.wallets.spent_tokens
    project.clock.freeze()
    assert "jti: expected an id of a token that ends after" in refuse(project, token).message
    accept(project, jwt.encode(claims_of(project, jti="c"), key, "ES256"))


def test_a_token_that_ends_with_a_minute_is_kept(project: Project, key: EllipticCurvePrivateKey) -> None:
    ends_s = ticking(project) + 3600
    token = jwt.encode(claims_of(project, jti="a", exp=ends_s), key, "ES256")
    accept(project, token)
    pass_time(project, ends_s)
    accept(project, jwt.encode(claims_of(project, jti="b"), key, "ES256"))
    project.clock.freeze()
    project.clock.move_to((ends_s + 2 * SAME_CLOCK_S) * 1000)
    assert "jti: expected an id that no token had before; got a" in refuse(project, token).message


def test_a_token_is_kept_until_both_clocks_passed(project: Project, key: EllipticCurvePrivateKey) -> None:
    start_s = project.clock.now_s
    for real_s in (start_s - 900 * SAME_CLOCK_S, start_s + 900 * SAME_CLOCK_S):
        now_s = ticking(project, real_s)
        jti = f"{real_s}"
        accept(project, jwt.encode(claims_of(project, jti=jti), key, "ES256"))
        pass_time(project, now_s + 3600)
        accept(project, jwt.encode(claims_of(project, jti=f"{jti} later"), key, "ES256"))
        assert (jti in project.wallets.spent_tokens) is (real_s < start_s)


@given(
    moves=st.lists(
        st.tuples(
            st.sampled_from([0, 1, 59, 299, 301, 4000, 10**7]),
            st.sampled_from(["tick", "freeze", "stay"]),
            st.sampled_from([None, 1, 100, 5000, 10**8]),
            st.integers(0, 20),
        ),
        max_size=12,
    )
)
def test_no_id_is_ever_accepted_twice(moves: list[tuple[int, str, int | None, int]]) -> None:
    project = World().create(name="ids")
    loaded = load_secret(wallet_secrets.default_secret(project))
    tokens: list[tuple[str, str]] = []
    accepted: list[str] = []
    for number, (passed_s, mode, lasts_s, again) in enumerate(moves):
        project.clock.move_to(project.clock.now_ms + passed_s * 1000)
        if mode == "tick":
            ticking(project)
        elif mode == "freeze":
            project.clock.freeze()
        end_s = None if lasts_s is None else project.clock.now_s + lasts_s
        claims = claims_of(project, jti=f"{number}", exp=end_s)
        tokens.append((f"{number}", jwt.encode(claims, loaded, "ES256")))
        for jti, token in (tokens[-1], tokens[again % len(tokens)]):
            try:
                accept(project, token)
            except ApiError:
                continue
            accepted.append(jti)
    assert len(set(accepted)) == len(accepted)
    assert [jti for jti, _ in tokens if jti in accepted] == [jti for jti, _ in tokens]


@cases("jti", "", 7, ["a"], "x" * 257)
def test_the_id_is_a_text(project: Project, key: EllipticCurvePrivateKey, jti: object) -> None:
    header = encoded({"alg": "ES256", "typ": "JWT"})
    signed = f"{header}.{encoded(claims_of(project) | {'jti': jti})}"
    signature = jwt.get_algorithm_by_name("ES256").sign(signed.encode(), key)
    token = f"{signed}.{urlsafe_b64encode(signature).rstrip(b'=').decode()}"
    assert "jti: expected a text" in refuse(project, token).message
