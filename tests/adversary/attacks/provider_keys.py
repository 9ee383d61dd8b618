"""Key sets of providers with odd keys in them, and tokens that none of the keys signed."""

import json
import random
from functools import partial
from typing import Any

import jwt
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from httpx import Response

from mockserver.crypto import base64url
from mockserver.state.world import World
from tests.adversary.attacks.proofs import STRANGER_KEY, Tenant, unsigned_tokens
from tests.adversary.budget import Budget
from tests.adversary.costs import BUDGET_MS, SLOWNESS, time_ms
from tests.server.robustness.stage import held

CLAIMS = {"sub": "ada"}
SIGNER = ec.derive_private_key(11, ec.SECP256R1())
RSA_KEY = rsa.generate_private_key(65537, 2048)
GOOD: list[dict[str, Any]] = [
    jwt.algorithms.ECAlgorithm.to_jwk(SIGNER.public_key(), as_dict=True),
    jwt.algorithms.RSAAlgorithm.to_jwk(RSA_KEY.public_key(), as_dict=True),
]
ALGORITHMS = [
    "RS256",
    "PS256",
    "PS512",
    "ES256",
    "ES384",
    "ES512",
    "EdDSA",
    "HS256",
    "none",
    "",
    "ES256K",
    None,
    7,
    ["RS256"],
]
KINDS: list[Any] = ["RSA", "EC", "OKP", "oct", "rsa", "", None, ["RSA"], {}]
CURVES = ["P-256", "P-384", "P-521", "Ed25519", "X25519", "secp256k1", None, ["P-256"]]
KEY_IDS = ["a", "b", "", None, 7, {"kid": "a"}, "k" * 5_000]
MEMBERS = {"kty": KINDS, "crv": CURVES, "alg": ALGORITHMS, "kid": KEY_IDS, "use": ["sig", "enc", None]}
SIZES = [0, 1, 31, 32, 33, 57, 64, 128, 256, 512, 1_024, 2_049, 30_000]
NUMBERS = [
    *(None, 5, "", "=", "é", "A", "AQAB", [1]),
    *(base64url.encode(b"\x80" + bytes(size) + b"\x01") for size in SIZES),
]
"""What stands where a number should, in base64url."""


def attack(budget: Budget) -> None:
    """Give them to a project: what it takes verifies what its keys signed, and nothing else."""
    tenant = Tenant(World(), "tests")
    project = tenant.project
    state = project.snapshot()
    true = jwt.encode(CLAIMS, SIGNER, "ES256")
    for _ in budget:
        project.restore(state)
        keys = draw_keys(budget.chance)
        given = set_keys(tenant, keys)
        assert given.status_code in (200, 400, 413), (keys, given.text)
        assert len(given.text) < 4_000 + 2 * len(json.dumps(keys))
        if given.is_error:
            assert project.snapshot() == state
            assert set_keys(tenant, GOOD).is_success
        before = held(project)
        for token in (draw_token(budget.chance), *budget.chance.sample(FORGED, 3)):
            answer, spent_ms = time_ms(partial(use, tenant, token))
            assert answer.status_code == 401, (keys, token, answer.text)
            assert spent_ms < BUDGET_MS * SLOWNESS, (keys, token)
            assert held(project) == before
        knows_signer = given.is_error or any(is_signer(key) for key in keys)
        assert use(tenant, true).is_success == knows_signer, keys


def set_keys(tenant: Tenant, keys: list[Any]) -> Response:
    """Make them the keys of a provider."""
    body = {"provider_keys": {"firebase": keys}}
    return tenant.client.put("/_mock/projects/-/settings", json=body, headers=tenant.secret)


def use(tenant: Tenant, token: str) -> Response:
    """List the accounts of the token's user."""
    headers = {
        "authorization": f"Bearer {tenant.project.publishable_key}",
        "x-auth-provider": "firebase",
        "x-player-token": token,
    }
    return tenant.client.get("/v2/accounts", headers=headers)


def is_signer(key: Any) -> bool:
    """Whether a key verifies what the signer signs, a token without a key id."""
    return all(key.get(name) == GOOD[0][name] for name in ("kty", "crv", "x", "y")) and (
        key.get("alg", "ES256") == "ES256"
    )


def draw_keys(chance: random.Random) -> list[Any]:
    """Up to a hundred keys, most of them good ones with another member or two."""
    if chance.random() < 0.1:
        return [odd_key(chance)] * 100
    return [odd_key(chance) for _ in range(chance.randint(0, 4))]


def odd_key(chance: random.Random) -> Any:
    """A key that is nearly good, or none at all."""
    key = dict(chance.choice(GOOD))
    for _ in range(chance.choice([0, 0, 1, 1, 2])):
        name = chance.choice([*MEMBERS, "n", "e", "x", "y", "k"])
        key[name] = chance.choice(MEMBERS.get(name, NUMBERS))
    return key


def draw_token(chance: random.Random) -> str:
    """A token that was signed by nothing."""
    header: dict[str, Any] = {"alg": chance.choice(ALGORITHMS)}
    if chance.random() < 0.5:
        header["kid"] = chance.choice(KEY_IDS)
    parts = json.dumps(header).encode(), json.dumps(CLAIMS).encode(), bytes(chance.choice(SIZES[:-1]))
    return ".".join(base64url.encode(part) for part in parts)


FORGED = [
    *(token for key in GOOD for token in unsigned_tokens(CLAIMS, None, json.dumps(key))),
    jwt.encode(CLAIMS, STRANGER_KEY, "ES256"),
    jwt.encode(CLAIMS, STRANGER_KEY, "ES256", {"jwk": GOOD[0], "kid": "a"}),
    jwt.encode(CLAIMS, SIGNER, "ES256", {"crit": ["exp"]}),
    jwt.encode({**CLAIMS, "exp": 1}, SIGNER, "ES256"),
    jwt.encode(CLAIMS, SIGNER, "ES256").rpartition(".")[0] + ".",
]
"""Tokens that no set of keys verifies."""
