"""When a token begins and ends, on frozen clocks and on ticking ones."""

import jwt
from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePrivateKey

from mockserver.state.project import Project
from tests.domain.wallets.wallet_auth.helpers import accept, claims_of, refuse, ticking
from tests.tables import cases

MAX_AGE_S = 300
SAME_CLOCK_S = 86_400
SKEW_S = 60


@cases("name", "iat", "nbf")
@cases("value", None, "now", True, [1], -1, 1e300)
def test_the_times_are_numbers(
    project: Project, key: EllipticCurvePrivateKey, name: str, value: object
) -> None:
    refused = refuse(project, jwt.encode(claims_of(project) | {name: value}, key, "ES256"))
    assert f"{name}: expected seconds since the Unix epoch" in refused.message


def test_an_expired_token_is_refused_on_any_clock(project: Project, key: EllipticCurvePrivateKey) -> None:
    now_s = project.clock.now_s
    expired = jwt.encode(claims_of(project, iat=now_s - 120, nbf=now_s - 120, exp=now_s), key, "ES256")
    assert f"exp: expected a moment after {now_s}" in refuse(project, expired).message
    ticking(project)
    assert f"exp: expected a moment after {now_s}" in refuse(project, expired).message


def test_real_time_is_compared_in_whole_seconds(project: Project, key: EllipticCurvePrivateKey) -> None:
    real_s = project.clock.now_s + 10 * SAME_CLOCK_S
    project.clock.tick(lambda: real_s * 1000 + 999)
    claims = claims_of(project, iat=real_s - 60, nbf=real_s - 60)
    accept(project, jwt.encode({**claims, "exp": real_s + 1}, key, "ES256"))
    refused = refuse(project, jwt.encode({**claims, "exp": real_s}, key, "ES256"))
    assert f"exp: expected a moment after {real_s}, which it is" in refused.message


def test_a_token_expires_by_a_moved_clock(project: Project, key: EllipticCurvePrivateKey) -> None:
    token = jwt.encode(claims_of(project, exp=project.clock.now_s + 60), key, "ES256")
    accept(project, token)
    project.clock.move_to(project.clock.now_ms + 59_999)
    accept(project, token)
    project.clock.move_to(project.clock.now_ms + 1)
    refuse(project, token)


def test_a_token_of_no_time_is_refused(project: Project, key: EllipticCurvePrivateKey) -> None:
    far_s = project.clock.now_s + 10 * SAME_CLOCK_S
    token = jwt.encode(claims_of(project, iat=far_s, nbf=far_s + 60, exp=far_s + 30), key, "ES256")
    expected = f"exp: expected a moment after iat and nbf, {far_s + 60}; got {far_s + 30}."
    assert expected in refuse(project, token).message


@cases("days", -400, -2, 2, 400)
def test_frozen_clocks_take_real_time(project: Project, key: EllipticCurvePrivateKey, days: int) -> None:
    real_s = project.clock.now_s + days * SAME_CLOCK_S
    accept(project, jwt.encode(claims_of(project, iat=real_s, nbf=real_s), key, "ES256"))
    accept(project, jwt.encode(claims_of(project, iat=real_s, nbf=real_s, exp=real_s + 60), key, "ES256"))


@cases("days", -400, -1, 0, 1, 400)
@cases("later_s", SKEW_S + 1, 3600, 10 * SAME_CLOCK_S)
def test_a_frozen_clock_refuses_a_token_of_the_future(
    project: Project, key: EllipticCurvePrivateKey, days: int, later_s: int
) -> None:
    issued_s = project.clock.now_s + days * SAME_CLOCK_S
    latest_s = max(issued_s, project.clock.now_s) if abs(days) <= 1 else issued_s
    accept(project, jwt.encode(claims_of(project, iat=issued_s, nbf=latest_s + SKEW_S), key, "ES256"))
    for end_s in (None, latest_s + later_s + 60):
        early = claims_of(project, iat=issued_s, nbf=latest_s + later_s, exp=end_s)
        refused = refuse(project, jwt.encode(early, key, "ES256"))
        assert f"nbf: expected a moment up to {SKEW_S} s after" in refused.message
        assert f"{latest_s}" in refused.message


def test_a_frozen_clock_takes_earlier_tokens(project: Project, key: EllipticCurvePrivateKey) -> None:
    now_s = project.clock.now_s
    for days in (1, 30):
        claims = claims_of(project, iat=now_s - days * SAME_CLOCK_S, nbf=now_s, exp=now_s + 60)
        accept(project, jwt.encode(claims, key, "ES256"))


@cases("lasted_s", 60, SAME_CLOCK_S + 3600, 30 * SAME_CLOCK_S)
def test_a_frozen_clock_refuses_what_ended_the_day_before(
    project: Project, key: EllipticCurvePrivateKey, lasted_s: int
) -> None:
    now_s = project.clock.now_s
    issued_s = now_s - 1 - lasted_s
    expired = claims_of(project, iat=issued_s, nbf=issued_s, exp=now_s - 1)
    refused = refuse(project, jwt.encode(expired, key, "ES256"))
    assert f"exp: expected a moment after {now_s}" in refused.message


@cases("name", "iat", "nbf")
def test_a_ticking_clock_refuses_the_future(
    project: Project, key: EllipticCurvePrivateKey, name: str
) -> None:
    now_s = ticking(project)
    accept(project, jwt.encode(claims_of(project, **{name: now_s + SKEW_S}), key, "ES256"))
    refused = refuse(project, jwt.encode(claims_of(project, **{name: now_s + SKEW_S + 1}), key, "ES256"))
    assert f"{name}: expected a moment up to {SKEW_S} s after {now_s}" in refused.message


def test_a_ticking_clock_refuses_old_tokens(project: Project, key: EllipticCurvePrivateKey) -> None:
    now_s = ticking(project)
    old_s = now_s - MAX_AGE_S
    refused = refuse(project, jwt.encode(claims_of(project, iat=old_s, nbf=old_s), key, "ES256"))
    assert "iat: expected an exp, or a moment less than 300 s before" in refused.message
    accept(project, jwt.encode(claims_of(project, iat=old_s + 1, nbf=old_s), key, "ES256"))
    accept(project, jwt.encode(claims_of(project, iat=old_s, nbf=old_s, exp=now_s + 1), key, "ES256"))


def test_a_moved_clock_takes_either_client(project: Project, key: EllipticCurvePrivateKey) -> None:
    real_s = project.clock.now_s - 90 * SAME_CLOCK_S
    now_s = ticking(project, real_s)
    for moment_s in (now_s, real_s):
        accept(project, jwt.encode(claims_of(project, iat=moment_s, nbf=moment_s), key, "ES256"))
        expired = claims_of(project, iat=moment_s - 60, nbf=moment_s - 60, exp=moment_s - 1)
        refuse(project, jwt.encode(expired, key, "ES256"))
    between_s = (now_s + real_s) // 2
    refuse(project, jwt.encode(claims_of(project, iat=between_s, nbf=between_s), key, "ES256"))
