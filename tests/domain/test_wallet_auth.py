"""Tokens that vouch for a request, made with PyJWT, right and wrong."""

from __future__ import annotations

import hashlib
import hmac
import json
from base64 import b64decode, urlsafe_b64encode
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric.ec import (
    SECP256R1,
    EllipticCurvePrivateKey,
    derive_private_key,
)
from cryptography.hazmat.primitives.serialization import load_der_private_key
from hypothesis import given
from hypothesis import strategies as st

from mockserver.crypto import p256
from mockserver.domain.wallets import wallet_auth, wallet_secrets
from mockserver.domain.wallets.wallet_auth import MAX_AGE_S, SAME_CLOCK_S, SKEW_S
from mockserver.errors import ApiError
from mockserver.state.project import Project
from mockserver.state.wallets import SpentToken
from mockserver.state.world import World

PATH = "/v2/accounts/backend"
BODY = b'{"chainType":"EVM","wallet":"pla_1"}'
NESTED = json.loads("[" * 400 + "]" * 400)
STRANGER = derive_private_key(7, SECP256R1())


@dataclass
class Request:
    """What the server sees of a request."""

    method: str = "POST"
    root_path: str = ""
    path: str = PATH
    headers: Mapping[str, str] = field(default_factory=lambda: {"host": "127.0.0.1:4572"})
    body: bytes = BODY


@pytest.fixture
def key(project: Project) -> EllipticCurvePrivateKey:
    """The project's active wallet secret."""
    loaded = load_der_private_key(b64decode(wallet_secrets.default_secret(project)), None)
    assert isinstance(loaded, EllipticCurvePrivateKey)
    return loaded


def claims_of(project: Project, **changes: object) -> dict[str, Any]:
    """Claims that are right on the project's clock; a change to None leaves a claim out."""
    now_s = project.clock.now_s
    claims = {
        "uris": [f"POST 127.0.0.1:4572{PATH}"],
        "reqHash": hashlib.sha256(BODY).hexdigest(),
        "iat": now_s,
        "nbf": now_s,
    } | changes
    return {name: value for name, value in claims.items() if value is not None}


def accept(project: Project, token: str, request: Request | None = None) -> None:
    """Have a token verified."""
    wallet_auth.verify_header(project, token, request or Request())


def refuse(project: Project, token: str, request: Request | None = None) -> ApiError:
    """Have a token refused."""
    with pytest.raises(ApiError) as refused:
        accept(project, token, request)
    assert refused.value.row.status == 401
    return refused.value


def encoded(part: object) -> str:
    """A part of a token that was made by hand."""
    return urlsafe_b64encode(json.dumps(part).encode()).rstrip(b"=").decode()


def test_a_token_as_the_clients_make_it_is_accepted(project: Project, key: EllipticCurvePrivateKey) -> None:
    accept(project, jwt.encode(claims_of(project, jti="0" * 32), key, "ES256"))


@pytest.mark.parametrize("uri", [PATH, f"POST {PATH}", f"POST 127.0.0.1:4572{PATH}"])
def test_each_form_of_a_uri_is_accepted_among_others(
    project: Project, key: EllipticCurvePrivateKey, uri: str
) -> None:
    accept(project, jwt.encode(claims_of(project, uris=["GET /elsewhere", uri]), key, "ES256"))


@pytest.mark.parametrize(
    "uris",
    [
        None,
        [],
        PATH,
        [PATH + "/"],
        [PATH + "?x=1"],
        [f"GET {PATH}"],
        [f"post {PATH}"],
        [f"POST 127.0.0.1{PATH}"],
        [f"POST http://127.0.0.1:4572{PATH}"],
        [f"POST evil.example{PATH}"],
        ["/v2/accounts/backend/acc_1/sign"],
        [[PATH]],
        [None],
        NESTED,
    ],
)
def test_a_token_for_another_request_is_refused(
    project: Project, key: EllipticCurvePrivateKey, uris: object
) -> None:
    refused = refuse(project, jwt.encode(claims_of(project, uris=uris), key, "ES256"))
    assert "uris: expected a list with one of" in refused.message
    assert f"POST 127.0.0.1:4572{PATH}" in refused.message


def test_the_host_is_compared_without_regard_to_case(project: Project, key: EllipticCurvePrivateKey) -> None:
    request = Request(headers={"host": "LocalHost:80"})
    accept(project, jwt.encode(claims_of(project, uris=[f"POST localhost:80{PATH}"]), key, "ES256"), request)


# --- the signature -----------------------------------------------------------------------------------


def test_an_unsigned_token_is_refused(project: Project, key: EllipticCurvePrivateKey) -> None:
    refused = refuse(project, jwt.encode(claims_of(project), None, "none"))
    assert "the algorithm is not ES256" in refused.message


def test_the_public_key_is_no_shared_secret(project: Project, key: EllipticCurvePrivateKey) -> None:
    signed = f"{encoded({'alg': 'HS256', 'typ': 'JWT'})}.{encoded(claims_of(project))}"
    mac = hmac.digest(p256.public_pem(key).encode(), signed.encode(), "sha256")
    token = f"{signed}.{urlsafe_b64encode(mac).rstrip(b'=').decode()}"
    assert "the algorithm is not ES256" in refuse(project, token).message


def test_another_key_is_refused(project: Project, key: EllipticCurvePrivateKey) -> None:
    assert (
        "the signature is wrong" in refuse(project, jwt.encode(claims_of(project), STRANGER, "ES256")).message
    )


def test_claims_that_were_changed_after_signing_are_refused(
    project: Project, key: EllipticCurvePrivateKey
) -> None:
    header, _, signature = jwt.encode(claims_of(project), key, "ES256").split(".")
    changed = encoded(claims_of(project, uris=[PATH]))
    assert "the signature is wrong" in refuse(project, f"{header}.{changed}.{signature}").message


@pytest.mark.parametrize("token", ["", "x", "a.b", "a.b.c", "..", "e30.e30.", "e30.W10.", "é.é.é"])
def test_what_is_no_token_is_refused(project: Project, key: EllipticCurvePrivateKey, token: str) -> None:
    refuse(project, token)


def test_the_secret_of_another_project_is_refused(project: Project, world: Any) -> None:
    other = world.create(name="other")
    wallet_secrets.default_secret(project)
    theirs = load_der_private_key(b64decode(wallet_secrets.default_secret(other)), None)
    token = jwt.encode(claims_of(project), theirs, "ES256")  # type: ignore[arg-type]
    refuse(project, token)
    accept(other, token)


def test_without_a_registered_secret_nothing_is_accepted(project: Project) -> None:
    refused = refuse(project, jwt.encode(claims_of(project), STRANGER, "ES256"))
    assert refused.row.code == "wallet_secret_not_registered"


def test_a_revoked_secret_is_refused(project: Project, key: EllipticCurvePrivateKey) -> None:
    wallet_secrets.revoke(project, wallet_secrets.DEFAULT_KEY_ID)
    refuse(project, jwt.encode(claims_of(project), key, "ES256"))
    wallet_secrets.register(project, p256.public_pem(STRANGER), "ws_new")
    refuse(project, jwt.encode(claims_of(project), key, "ES256"))
    accept(project, jwt.encode(claims_of(project), STRANGER, "ES256"))


@pytest.mark.parametrize("name", ["kid", "keyId"])
def test_a_header_that_names_a_key_must_name_the_active_one(
    project: Project, key: EllipticCurvePrivateKey, name: str
) -> None:
    active = wallet_secrets.DEFAULT_KEY_ID
    accept(project, jwt.encode(claims_of(project), key, "ES256", headers={name: active}))
    refused = refuse(project, jwt.encode(claims_of(project), key, "ES256", headers={name: "ws_other"}))
    assert f"{name}: expected the active wallet secret {active}; got ws_other" in refused.message


def test_a_claim_that_names_a_key_must_name_the_active_one(
    project: Project, key: EllipticCurvePrivateKey
) -> None:
    accept(project, jwt.encode(claims_of(project, key_id=wallet_secrets.DEFAULT_KEY_ID), key, "ES256"))
    refuse(project, jwt.encode(claims_of(project, key_id="ws_other"), key, "ES256"))


# --- the body ----------------------------------------------------------------------------------------


def test_the_hash_may_be_of_the_sorted_body(project: Project, key: EllipticCurvePrivateKey) -> None:
    body = b'{ "wallet": "pla_1",\n "chainType": "EVM" }'
    token = jwt.encode(
        claims_of(project, reqHash="d2a15c3628b1d1e559adb57d0f4557f33f3a4659d894daa01011371d685e7f10"),
        key,
        "ES256",
    )
    accept(project, token, Request(body=body))


def test_the_hash_may_be_of_the_bytes_as_they_came(project: Project, key: EllipticCurvePrivateKey) -> None:
    body = b'{ "wallet": "p\xc3\xa4", "chainType": "EVM" }'
    claims = claims_of(project, reqHash=hashlib.sha256(body).hexdigest())
    accept(project, jwt.encode(claims, key, "ES256"), Request(body=body))


def test_members_are_sorted_at_every_depth_and_text_is_not_escaped(
    project: Project, key: EllipticCurvePrivateKey
) -> None:
    body = '{"b":[{"y":1,"x":"ä"}],"a":null}'.encode()
    expected = hashlib.sha256('{"a":null,"b":[{"x":"ä","y":1}]}'.encode()).hexdigest()
    accept(project, jwt.encode(claims_of(project, reqHash=expected), key, "ES256"), Request(body=body))


def test_names_and_numbers_are_sorted_and_spelt_as_javascript_does_it(
    project: Project, key: EllipticCurvePrivateKey
) -> None:
    body = '{"\uff5e":1.0,"\U0001f600":1e21,"10":2,"9":3}'.encode()
    written = '{"9":3,"10":2,"\U0001f600":1e+21,"\uff5e":1}'.encode()
    claims = claims_of(project, reqHash=hashlib.sha256(written).hexdigest())
    accept(project, jwt.encode(claims, key, "ES256"), Request(body=body))


def test_a_body_that_is_nested_too_deeply_to_sort_is_hashed_as_it_came(
    project: Project, key: EllipticCurvePrivateKey
) -> None:
    body = b"[" * 1000 + b"]" * 1000
    claims = claims_of(project, reqHash=hashlib.sha256(body).hexdigest())
    accept(project, jwt.encode(claims, key, "ES256"), Request(body=body))


@pytest.mark.parametrize(
    "body", [b'{"chainType":"SVM","wallet":"pla_1"}', b"", b"{}", b"not JSON", b"[" * 100_000]
)
def test_a_body_that_was_changed_is_refused(
    project: Project, key: EllipticCurvePrivateKey, body: bytes
) -> None:
    refused = refuse(project, jwt.encode(claims_of(project), key, "ES256"), Request(body=body))
    assert "reqHash: expected the SHA-256 of the body" in refused.message


def test_a_body_needs_a_hash(project: Project, key: EllipticCurvePrivateKey) -> None:
    refused = refuse(project, jwt.encode(claims_of(project, reqHash=None), key, "ES256"))
    assert "got nothing" in refused.message


@pytest.mark.parametrize("body", [b"", b"{}"])
def test_no_body_needs_none(project: Project, key: EllipticCurvePrivateKey, body: bytes) -> None:
    accept(project, jwt.encode(claims_of(project, reqHash=None), key, "ES256"), Request(body=body))


def test_only_a_token_in_the_body_may_leave_itself_out_of_the_hash(
    project: Project, key: EllipticCurvePrivateKey
) -> None:
    rest = hashlib.sha256(b'{"keyId":"ws_1","publicKey":"pem"}').hexdigest()
    token = jwt.encode(claims_of(project, reqHash=rest), key, "ES256")
    request = Request(
        body=json.dumps({"walletAuthToken": token, "publicKey": "pem", "keyId": "ws_1"}).encode()
    )
    refuse(project, token, request)
    wallet_auth.verify_possession(project, token, key.public_key(), request)


# --- time --------------------------------------------------------------------------------------------


def ticking(project: Project, real_s: int | None = None) -> int:
    """A clock that ticks, with real time at a moment of its own; answers the project's now."""
    project.clock.tick((project.clock.now_s if real_s is None else real_s) * 1000)
    return project.clock.now_s


@pytest.mark.parametrize("name", ["iat", "nbf"])
@pytest.mark.parametrize("value", [None, "now", True, [1], -1, 1e300])
def test_the_times_are_numbers(
    project: Project, key: EllipticCurvePrivateKey, name: str, value: object
) -> None:
    refused = refuse(project, jwt.encode(claims_of(project) | {name: value}, key, "ES256"))
    assert f"{name}: expected seconds since the Unix epoch" in refused.message


def test_an_expired_token_is_refused_on_either_kind_of_clock(
    project: Project, key: EllipticCurvePrivateKey
) -> None:
    now_s = project.clock.now_s
    expired = jwt.encode(claims_of(project, iat=now_s - 120, nbf=now_s - 120, exp=now_s), key, "ES256")
    assert f"exp: expected a moment after {now_s}" in refuse(project, expired).message
    ticking(project)
    assert f"exp: expected a moment after {now_s}" in refuse(project, expired).message


def test_a_token_expires_when_the_clock_is_moved_past_it(
    project: Project, key: EllipticCurvePrivateKey
) -> None:
    token = jwt.encode(claims_of(project, exp=project.clock.now_s + 60), key, "ES256")
    accept(project, token)
    project.clock.move_to(project.clock.now_ms + 59_999)
    accept(project, token)
    project.clock.move_to(project.clock.now_ms + 1)
    refuse(project, token)


def test_a_token_that_ends_before_it_begins_is_refused(
    project: Project, key: EllipticCurvePrivateKey
) -> None:
    far_s = project.clock.now_s + 10 * SAME_CLOCK_S
    token = jwt.encode(claims_of(project, iat=far_s, nbf=far_s + 60, exp=far_s + 30), key, "ES256")
    expected = f"exp: expected a moment after iat and nbf, {far_s + 60}; got {far_s + 30}."
    assert expected in refuse(project, token).message


@pytest.mark.parametrize("days", [-400, -2, 2, 400])
def test_a_frozen_clock_takes_tokens_of_clients_on_real_time(
    project: Project, key: EllipticCurvePrivateKey, days: int
) -> None:
    real_s = project.clock.now_s + days * SAME_CLOCK_S
    accept(project, jwt.encode(claims_of(project, iat=real_s, nbf=real_s), key, "ES256"))
    accept(project, jwt.encode(claims_of(project, iat=real_s, nbf=real_s, exp=real_s + 60), key, "ES256"))


@pytest.mark.parametrize("days", [-400, -1, 0, 1, 400])
@pytest.mark.parametrize("later_s", [SKEW_S + 1, 3600, 10 * SAME_CLOCK_S])
def test_a_frozen_clock_refuses_a_token_that_its_own_claims_put_into_the_future(
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


def test_a_frozen_clock_takes_a_token_that_was_made_beforehand(
    project: Project, key: EllipticCurvePrivateKey
) -> None:
    now_s = project.clock.now_s
    for days in (1, 30):
        claims = claims_of(project, iat=now_s - days * SAME_CLOCK_S, nbf=now_s, exp=now_s + 60)
        accept(project, jwt.encode(claims, key, "ES256"))


@pytest.mark.parametrize("lasted_s", [60, SAME_CLOCK_S + 3600, 30 * SAME_CLOCK_S])
def test_a_frozen_clock_refuses_what_ended_within_a_day_before_it(
    project: Project, key: EllipticCurvePrivateKey, lasted_s: int
) -> None:
    now_s = project.clock.now_s
    issued_s = now_s - 1 - lasted_s
    expired = claims_of(project, iat=issued_s, nbf=issued_s, exp=now_s - 1)
    refused = refuse(project, jwt.encode(expired, key, "ES256"))
    assert f"exp: expected a moment after {now_s}" in refused.message


@pytest.mark.parametrize("name", ["iat", "nbf"])
def test_a_ticking_clock_refuses_the_future(
    project: Project, key: EllipticCurvePrivateKey, name: str
) -> None:
    now_s = ticking(project)
    accept(project, jwt.encode(claims_of(project, **{name: now_s + SKEW_S}), key, "ES256"))
    refused = refuse(project, jwt.encode(claims_of(project, **{name: now_s + SKEW_S + 1}), key, "ES256"))
    assert f"{name}: expected a moment up to {SKEW_S} s after {now_s}" in refused.message


def test_a_ticking_clock_refuses_what_is_old_and_names_no_end(
    project: Project, key: EllipticCurvePrivateKey
) -> None:
    now_s = ticking(project)
    old_s = now_s - MAX_AGE_S
    refused = refuse(project, jwt.encode(claims_of(project, iat=old_s, nbf=old_s), key, "ES256"))
    assert "iat: expected an exp, or a moment less than 300 s before" in refused.message
    accept(project, jwt.encode(claims_of(project, iat=old_s + 1, nbf=old_s), key, "ES256"))
    accept(project, jwt.encode(claims_of(project, iat=old_s, nbf=old_s, exp=now_s + 1), key, "ES256"))


def test_a_ticking_clock_that_was_moved_takes_clients_on_either_clock(
    project: Project, key: EllipticCurvePrivateKey
) -> None:
    real_s = project.clock.now_s - 90 * SAME_CLOCK_S
    now_s = ticking(project, real_s)
    for moment_s in (now_s, real_s):
        accept(project, jwt.encode(claims_of(project, iat=moment_s, nbf=moment_s), key, "ES256"))
        expired = claims_of(project, iat=moment_s - 60, nbf=moment_s - 60, exp=moment_s - 1)
        refuse(project, jwt.encode(expired, key, "ES256"))
    between_s = (now_s + real_s) // 2
    refuse(project, jwt.encode(claims_of(project, iat=between_s, nbf=between_s), key, "ES256"))


# --- once --------------------------------------------------------------------------------------------


def test_a_token_with_an_id_is_accepted_once(project: Project, key: EllipticCurvePrivateKey) -> None:
    token = jwt.encode(claims_of(project, jti="a"), key, "ES256")
    accept(project, token)
    assert "jti: expected an id that no token had before; got a" in refuse(project, token).message
    accept(project, jwt.encode(claims_of(project, jti="b"), key, "ES256"))


def test_a_spent_token_stays_spent_when_the_call_is_refused(
    project: Project, key: EllipticCurvePrivateKey
) -> None:
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


def test_a_frozen_clock_forgets_no_token_however_many_follow(
    project: Project, key: EllipticCurvePrivateKey
) -> None:
    token = jwt.encode(claims_of(project, jti="a"), key, "ES256")
    accept(project, token)
    for number in range(20_000):
        project.wallets.spent_tokens.insert(SpentToken(f"spent/{number}", project.clock.now_s))
    project.clock.move_to(project.clock.now_ms + 10**9)
    accept(project, jwt.encode(claims_of(project, jti="b"), key, "ES256"))
    assert "jti: expected an id that no token had before; got a" in refuse(project, token).message


def test_a_ticking_clock_forgets_tokens_that_are_too_old_to_be_accepted(
    project: Project, key: EllipticCurvePrivateKey
) -> None:
    now_s = ticking(project)
    short = jwt.encode(claims_of(project, jti="short"), key, "ES256")
    long = jwt.encode(claims_of(project, jti="long", exp=now_s + 7200), key, "ES256")
    accept(project, short)
    accept(project, long)
    for passed_s, remembered in ((MAX_AGE_S - 1, "short long"), (MAX_AGE_S + 60, "long"), (7260, "")):
        project.clock.move_to((now_s + passed_s) * 1000)
        accept(project, jwt.encode(claims_of(project, jti=f"{passed_s}"), key, "ES256"))
        kept = [row.id for row in project.wallets.spent_tokens if not row.id.isdigit()]
        assert kept == remembered.split()
        refuse(project, short)
        refuse(project, long)


def test_what_was_forgotten_is_not_accepted_when_the_clock_stands_still_again(
    project: Project, key: EllipticCurvePrivateKey
) -> None:
    now_s = ticking(project)
    token = jwt.encode(claims_of(project, jti="a"), key, "ES256")
    accept(project, token)
    project.clock.move_to((now_s + 3600) * 1000)
    accept(project, jwt.encode(claims_of(project, jti="b"), key, "ES256"))
    assert "a" not in project.wallets.spent_tokens
    project.clock.freeze()
    assert "jti: expected an id of a token that ends after" in refuse(project, token).message
    accept(project, jwt.encode(claims_of(project, jti="c"), key, "ES256"))


def test_a_token_is_remembered_until_both_clocks_have_passed_it(
    project: Project, key: EllipticCurvePrivateKey
) -> None:
    start_s = project.clock.now_s
    for real_s in (start_s - 900 * SAME_CLOCK_S, start_s + 900 * SAME_CLOCK_S):
        now_s = ticking(project, real_s)
        jti = f"{real_s}"
        accept(project, jwt.encode(claims_of(project, jti=jti), key, "ES256"))
        project.clock.move_to((now_s + 3600) * 1000)
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
    loaded = load_der_private_key(b64decode(wallet_secrets.default_secret(project)), None)
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
        tokens.append((f"{number}", jwt.encode(claims, loaded, "ES256")))  # type: ignore[arg-type]
        for jti, token in (tokens[-1], tokens[again % len(tokens)]):
            try:
                accept(project, token)
            except ApiError:
                continue
            accepted.append(jti)
    assert len(set(accepted)) == len(accepted)
    assert [jti for jti, _ in tokens if jti in accepted] == [jti for jti, _ in tokens]


@pytest.mark.parametrize("jti", ["", 7, ["a"], "x" * 257])
def test_the_id_is_a_text(project: Project, key: EllipticCurvePrivateKey, jti: object) -> None:
    header = encoded({"alg": "ES256", "typ": "JWT"})
    signed = f"{header}.{encoded(claims_of(project) | {'jti': jti})}"
    signature = jwt.get_algorithm_by_name("ES256").sign(signed.encode(), key)
    token = f"{signed}.{urlsafe_b64encode(signature).rstrip(b'=').decode()}"
    assert "jti: expected a text" in refuse(project, token).message


# --- secrets -----------------------------------------------------------------------------------------


def test_the_default_secret_belongs_to_the_seed_and_is_registered_once(project: Project) -> None:
    first = wallet_secrets.default_secret(project)
    project.undo.roll_back()
    assert wallet_secrets.default_secret(project) == first
    assert [row.id for row in project.wallets.secrets] == [wallet_secrets.DEFAULT_KEY_ID]
    project.reset(0)
    assert wallet_secrets.default_secret(project) == first
    assert wallet_secrets.active_secret(project) is not None


def test_the_default_secret_gives_way_to_one_that_is_active(project: Project) -> None:
    wallet_secrets.register(project, p256.public_pem(STRANGER), "ws_mine")
    wallet_secrets.default_secret(project)
    active = wallet_secrets.active_secret(project)
    assert active is not None
    assert active.id == "ws_mine"


def test_the_default_secret_stays_revoked(project: Project) -> None:
    wallet_secrets.default_secret(project)
    wallet_secrets.revoke(project, wallet_secrets.DEFAULT_KEY_ID)
    wallet_secrets.default_secret(project)
    assert wallet_secrets.active_secret(project) is None
