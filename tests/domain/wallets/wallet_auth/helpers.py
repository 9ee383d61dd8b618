"""Tokens that vouch for a request, made with PyJWT, right and wrong."""

import hashlib
import json
from base64 import urlsafe_b64encode
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, derive_private_key

from mockserver.domain.transactions.timers import TIMER_LOOP
from mockserver.domain.wallets import wallet_auth
from mockserver.errors import ApiError
from mockserver.state.project import Project

PATH = "/v2/accounts/backend"
BODY = b'{"chainType":"EVM","wallet":"pla_1"}'
STRANGER = derive_private_key(7, SECP256R1())


@dataclass
class Request:
    """What the server sees of a request."""

    method: str = "POST"
    path: str = PATH
    headers: Mapping[str, str] = field(default_factory=lambda: {"host": "127.0.0.1:4572"})
    body: bytes = BODY
    root_path: str = ""


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


def ticking(project: Project, real_s: int | None = None) -> int:
    """A clock that ticks, with real time at a moment of its own; answers the project's now."""
    real_ms = (project.clock.now_s if real_s is None else real_s) * 1000
    project.clock.tick(lambda: real_ms)
    return project.clock.now_s


def pass_time(project: Project, now_s: int) -> None:
    """Let real time pass until a ticking clock shows a time in seconds."""
    now_ms, real_ms = project.clock.anchors
    TIMER_LOOP.catch_up(project, lambda: real_ms + now_s * 1000 - now_ms)
