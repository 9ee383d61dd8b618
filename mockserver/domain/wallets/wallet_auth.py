"""Requests signed with a wallet secret: the token in `X-Wallet-Auth`, or in `walletAuthToken`
(specification, Authentication).

The clock that a token's times are compared with. Clients take `iat` from their own clock, usually the
real one. A ticking project's clock may differ from real time, so a token is compared with the one of
the two that its `iat` is nearer to. A frozen clock says nothing about the client's: any `iat` is
accepted, and is the earliest that it can be for the client. If the validity of the token comes within a
day of the project's clock, the client uses the project's time, and that is compared instead. `nbf` and
`exp` are checked at this time. An `exp` that is not after `iat` and `nbf` is always rejected.
"""

import hashlib
from collections.abc import Iterator, Mapping
from typing import NoReturn, Protocol

import orjson
from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePublicKey

from mockserver import errors
from mockserver.crypto import p256
from mockserver.crypto.sorted_json import write_sorted
from mockserver.crypto.tokens import BadToken, peek, read_es256, sign_es256
from mockserver.domain.wallets import spent_tokens
from mockserver.domain.wallets.wallet_secrets import active_secret, read_public_key
from mockserver.errors import ApiError
from mockserver.kernel.clock import Clock
from mockserver.kernel.spelling import shorten
from mockserver.state.project import Project
from mockserver.state.wallets import WalletSecret

SKEW_S = 60
"""How far a client's clock may be ahead of the server's."""

MAX_AGE_S = 300
"""How old a token without `exp` may be."""

SAME_CLOCK_S = 24 * 3600
"""A token this near to a frozen clock was issued by a client that uses the project's time."""

HEADER = "X-Wallet-Auth"
BODY_FIELD = "walletAuthToken"

_MAX_JTI_LENGTH = 256


class SignedRequest(Protocol):
    """The request that a token signs; the headers are by lower-case name.

    A server that is mounted under a prefix has it in `root_path`.
    """

    method: str
    root_path: str
    path: str
    headers: Mapping[str, str]
    body: bytes


def verify_header(project: Project, token: str, request: SignedRequest) -> None:
    """Verify `X-Wallet-Auth` against the project's active secret, and consume the token.

    ApiError with 401 and a message with the claim, the expected and the actual value.
    """
    secret = active_secret(project)
    if secret is None:
        raise ApiError(errors.WALLET_SECRET_MISSING, param=HEADER)
    signed = _Token(HEADER, token)
    signed.check_key_id(secret)
    signed.check(project, read_public_key(secret.public_key_pem, HEADER), request)


def verify_possession(
    project: Project, token: str, key: EllipticCurvePublicKey, request: SignedRequest
) -> None:
    """Verify `walletAuthToken` against the key in the request, and consume the token.

    ApiError with 401 like `verify_header`.
    """
    _Token(BODY_FIELD, token).check(project, key, request)


def sign_request(secret: str, method: str, path: str, body: bytes, now_s: int) -> str:
    """Sign a request as a client does, with a wallet secret as base64 of its PKCS#8."""
    claims: dict[str, object] = {"uris": [f"{method} {path}"], "iat": now_s, "nbf": now_s}
    claims["reqHash"] = hashlib.sha256(body).hexdigest()
    return sign_es256(p256.read_pkcs8(secret), claims)


class _Token:
    """A token, and the place in the request where it was sent."""

    def __init__(self, place: str, text: str) -> None:
        self.place = place
        self.text = text
        try:
            self.header, self.claims = peek(text)
        except BadToken as error:
            self.reject("token", "a JWT signed with ES256", f"this: {error}")

    def check_key_id(self, secret: WalletSecret) -> None:
        """A token may name its key, and must then name the active one."""
        for members in (self.header, self.claims):
            for name in ("kid", "keyId", "key_id"):
                named = members.get(name)
                if named is not None and named != secret.id:
                    self.reject(name, f"the active wallet secret {secret.id}", named)

    def check(self, project: Project, key: EllipticCurvePublicKey, request: SignedRequest) -> None:
        """Check everything, and last that the token was not used before."""
        try:
            read_es256(self.text, key)
        except BadToken as error:
            self.reject("signature", "an ES256 signature made with the wallet secret", f"this: {error}")
        self._check_uris(request)
        self._check_hash(request)
        self._check_times(project.clock)
        self._spend(project)

    def _check_uris(self, request: SignedRequest) -> None:
        method, host = request.method, request.headers.get("host", "").lower()
        accepted = [
            uri
            # Clients sign either the whole path, or the path below their base URL.
            for path in dict.fromkeys((request.root_path + request.path, request.path))
            for uri in (path, f"{method} {path}", f"{method} {host}{path}")
        ]
        uris = self.claims.get("uris")
        if not isinstance(uris, list) or not any(uri in accepted for uri in uris):
            self.reject("uris", f"a list with one of {', '.join(accepted)}", uris)

    def _check_hash(self, request: SignedRequest) -> None:
        # Clients hash the body that they serialized, with sorted members or as sent. A missing hash is only
        # accepted for an empty body, since the token would otherwise authorize any body.
        claimed = self.claims.get("reqHash")
        hashes = list(_hashes(request.body, without=BODY_FIELD if self.place == BODY_FIELD else None))
        if claimed is None and request.body.strip() in (b"", b"{}"):
            return
        if claimed not in hashes:
            self.reject("reqHash", f"the SHA-256 of the body, {' or '.join(dict.fromkeys(hashes))}", claimed)

    def _check_times(self, clock: Clock) -> None:
        issued_s, begins_s = self._seconds("iat"), self._seconds("nbf")
        ends_s = self._seconds("exp") if self.claims.get("exp") is not None else None
        if ends_s is not None and ends_s <= max(issued_s, begins_s):
            self.reject("exp", f"a moment after iat and nbf, {max(issued_s, begins_s)}", ends_s)
        real_ms = clock.real_ms()
        if real_ms is None:
            now_s = _client_now_s(clock.now_s, issued_s, ends_s)
        else:
            now_s = min(clock.now_s, real_ms // 1000, key=lambda moment_s: abs(moment_s - issued_s))
        for name, value in (("iat", issued_s), ("nbf", begins_s)):
            if value > now_s + SKEW_S:
                self.reject(name, f"a moment up to {SKEW_S} s after {now_s}, which it is", value)
        if ends_s is not None:
            if ends_s <= now_s:
                self.reject("exp", f"a moment after {now_s}, which it is", ends_s)
        elif issued_s + MAX_AGE_S <= now_s and real_ms is not None:
            expected = f"an exp, or a moment less than {MAX_AGE_S} s before {now_s}, which it is"
            self.reject("iat", expected, issued_s)

    def _seconds(self, name: str) -> float:
        value = self.claims.get(name)
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value < 2**53:
            self.reject(name, "seconds since the Unix epoch", value)
        return value

    def _spend(self, project: Project) -> None:
        jti = self.claims.get("jti")
        if jti is None:
            return
        if not isinstance(jti, str) or not 1 <= len(jti) <= _MAX_JTI_LENGTH:
            self.reject("jti", f"a text of up to {_MAX_JTI_LENGTH} characters", jti)
        if spent_tokens.is_spent(project, jti):
            self.reject("jti", "an id that no token had before", jti)
        # A token from before the horizon may have been used and removed since: it cannot be proven to be new.
        # When it expires on a ticking clock.
        ends_s = self._seconds("iat") + MAX_AGE_S if self.claims.get("exp") is None else self._seconds("exp")
        forgotten_s = spent_tokens.forget_horizon_s(project)
        if ends_s < forgotten_s:
            self.reject(
                "jti", f"an id of a token that ends after {forgotten_s}, for others are forgotten", jti
            )
        spent_tokens.spend(project, jti, ends_s)

    def reject(self, claim: str, expected: str, came: object) -> NoReturn:
        """Raise the 401 with claim, expected and actual value."""
        shown = _shorten(came)
        raise ApiError(
            errors.WALLET_AUTH_INVALID,
            param=self.place,
            details={claim: {"message": f"expected {expected}", "value": shown}},
            place=self.place,
            claim=claim,
            expected=expected,
            came=shown,
        )


def _client_now_s(frozen_s: int, issued_s: float, ends_s: float | None) -> float:
    """The earliest time on the client's clock, while the project's clock is frozen."""
    latest_s = issued_s if ends_s is None else ends_s
    keeps_time = issued_s - SAME_CLOCK_S <= frozen_s <= latest_s + SAME_CLOCK_S
    return max(issued_s, frozen_s) if keeps_time else issued_s


def _shorten(value: object) -> str:
    if value is None:
        return "nothing"
    if isinstance(value, str):
        return shorten(value)
    try:
        return shorten(orjson.dumps(value).decode())
    except orjson.JSONEncodeError:
        return "something too deeply nested to show"


def _hashes(body: bytes, without: str | None) -> Iterator[str]:
    """The accepted hashes of a body: of its bytes, of its JSON with sorted members, and of that without
    the token, which cannot contain its own hash.
    """
    yield hashlib.sha256(body).hexdigest()
    try:
        content = orjson.loads(body)
        yield _hash_sorted(content)
        if without is not None and isinstance(content, dict):
            yield _hash_sorted({name: value for name, value in content.items() if name != without})
    except (orjson.JSONDecodeError, RecursionError):
        # Not JSON, or nested too deeply to serialize.
        return


def _hash_sorted(content: object) -> str:
    return hashlib.sha256(write_sorted(content).encode()).hexdigest()
