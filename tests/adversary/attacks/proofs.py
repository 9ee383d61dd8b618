"""Proofs that a project accepts, each with the request that it is for."""

import hashlib
import hmac
import json
from collections.abc import Callable
from dataclasses import dataclass
from http.cookiejar import DefaultCookiePolicy
from typing import Any

import jwt
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from eth_account import Account
from eth_account.messages import encode_defunct
from eth_account.signers.local import LocalAccount
from httpx import Client, Response

from mockserver.crypto import base64url
from mockserver.domain.identity.access_tokens import issue, key_set
from mockserver.domain.wallets.wallet_secrets import default_secret
from mockserver.server.assembly import assemble
from mockserver.state.project import Project
from mockserver.state.world import World
from tests.signing import sign_hash
from tests.transport import InProcessTransport
from tests.wallet_auth import WalletAuth, load_secret, public_pem

AUTH = "/iam/v2/auth"
BACKEND = "/v2/accounts/backend"
CREATE = b'{"chainType":"EVM"}'
GOOGLE_USER = {"sub": "google-ada", "email": "eve@example.com", "email_verified": True, "name": "Eve"}
WALLET: LocalAccount = Account.from_key("0x" + "11" * 32)
STRANGER: LocalAccount = Account.from_key("0x" + "22" * 32)
STRANGER_KEY = ec.derive_private_key(7, ec.SECP256R1())


@dataclass
class Proof:
    """A proof that is accepted, how it is used, and others that are made to look like it."""

    name: str
    value: str
    use: Callable[[str], Response]
    lookalikes: list[str]
    spent_by_use: bool = False


class Tenant:
    """A project with a signed-in user, a wallet secret and an unsigned transaction."""

    def __init__(self, world: World, name: str) -> None:
        self.project: Project = world.create(name=name)
        self.client = Client(transport=InProcessTransport(assemble(world)), base_url="http://mock")
        self.client.cookies.jar.set_policy(DefaultCookiePolicy(allowed_domains=[]))
        self.secret = {"authorization": f"Bearer {self.project.secret_key}"}
        self.visitor = {"x-project-key": self.project.publishable_key}
        self.wallet_auth = WalletAuth(default_secret(self.project))
        self.project.undo.mark()

    def post(self, path: str, body: Any, headers: dict[str, str]) -> Any:
        """The answer to what has to succeed."""
        return self.client.post(path, json=body, headers=headers).raise_for_status().json()

    def session_token(self, name: str) -> str:
        """The token of a new user."""
        body = {"name": name, "email": f"{name}@example.com", "password": "long enough"}
        token: str = self.post(f"{AUTH}/sign-up/email", body, self.visitor)["token"]
        return token

    def access_token(self) -> str:
        """An access token of the first user."""
        identity = self.project.identity
        return issue(self.project, next(iter(identity.users)), next(iter(identity.sessions)))

    def wallet_token(self, **changes: Any) -> str:
        """A token of the wallet secret for making an account."""
        return jwt.encode(self.wallet_claims(**changes), load_secret(default_secret(self.project)), "ES256")

    def wallet_claims(self, **changes: Any) -> dict[str, Any]:
        """What it claims."""
        now_s = self.project.clock.now_s
        digest = hashlib.sha256(CREATE).hexdigest()
        claims = {"uris": [f"POST mock{BACKEND}"], "iat": now_s, "nbf": now_s, "jti": "1", "reqHash": digest}
        return claims | changes


def session(tenant: Tenant, other: Tenant) -> Proof:
    """A session token."""
    value, foreign = tenant.session_token("ada"), other.session_token("ada")

    def use(token: str) -> Response:
        headers = {**tenant.visitor, "authorization": f"Bearer {token}"}
        return tenant.client.get(f"{AUTH}/list-sessions", headers=headers)

    tagged = tenant.project.token_tag + foreign[len(tenant.project.token_tag) :]
    return Proof("session token", value, use, [foreign, tagged, value + value, value.swapcase()])


def access(tenant: Tenant, other: Tenant) -> Proof:
    """An access token."""
    value, foreign = tenant.access_token(), other.access_token()

    def use(token: str) -> Response:
        headers = {**tenant.visitor, "authorization": f"Bearer {token}"}
        return tenant.client.get("/iam/v2/me", headers=headers)

    header, claims = jwt.get_unverified_header(value), _claims(value)
    expired = {**claims, "exp": tenant.project.clock.now_s - 1}
    (row,) = key_set(tenant.project)
    return Proof(
        "access token",
        value,
        use,
        [
            foreign,
            *unsigned_tokens(claims, header["kid"], json.dumps(row)),
            jwt.encode(claims, STRANGER_KEY, "ES256", {"kid": header["kid"]}),
            jwt.encode(expired, STRANGER_KEY, "ES256", {"kid": header["kid"]}),
            jwt.encode(claims, STRANGER_KEY, "ES256", {"kid": header["kid"], "jwk": _jwk()}),
        ],
    )


def wallet(tenant: Tenant, other: Tenant) -> Proof:
    """A token that vouches for a request."""
    value, now_s = tenant.wallet_token(), tenant.project.clock.now_s

    def use(token: str) -> Response:
        headers = {**tenant.secret, "content-type": "application/json", "x-wallet-auth": token}
        return tenant.client.post(BACKEND, content=CREATE, headers=headers)

    claims = tenant.wallet_claims()
    return Proof(
        "wallet-auth token",
        value,
        use,
        [
            other.wallet_token(),
            *unsigned_tokens(claims, None, public_pem(load_secret(default_secret(tenant.project)))),
            jwt.encode(claims, STRANGER_KEY, "ES256"),
            tenant.wallet_token(reqHash=hashlib.sha256(CREATE + b" ").hexdigest()),
            tenant.wallet_token(uris=[f"GET mock{BACKEND}"]),
            tenant.wallet_token(uris=["POST mock/v2/policies"]),
            tenant.wallet_token(uris=[f"POST evil.example{BACKEND}"]),
            tenant.wallet_token(exp=now_s - 60),
        ],
        spent_by_use=True,
    )


def siwe(tenant: Tenant, _: Tenant) -> Proof:
    """A signed message of Sign-In with Ethereum."""
    path = f"{AUTH}/siwe"
    nonce = tenant.post(f"{path}/nonce", {"walletAddress": WALLET.address}, tenant.visitor)["nonce"]
    message = _siwe_message(nonce)

    def use(signature: str) -> Response:
        body = {"message": message, "signature": signature, "walletAddress": WALLET.address}
        return tenant.client.post(f"{path}/verify", json=body, headers=tenant.visitor)

    others = [_siwe_message("abcdefgh"), _siwe_message(nonce, chain=137), message.replace("shop", "evil")]
    lookalikes = [sign_message(WALLET, other) for other in others]
    lookalikes.append(sign_message(STRANGER, message))
    return Proof("SIWE signature", sign_message(WALLET, message), use, lookalikes, spent_by_use=True)


def id_token(tenant: Tenant, _: Tenant) -> Proof:
    """An id token of a provider whose keys the project has."""
    key, strange = (rsa.generate_private_key(65537, 2048) for _ in range(2))
    jwk = jwt.algorithms.RSAAlgorithm.to_jwk(key.public_key(), as_dict=True)
    settings = {"provider_keys": {"google": [jwk]}}
    tenant.client.put("/_mock/projects/-/settings", json=settings, headers=tenant.secret).raise_for_status()

    def use(token: str) -> Response:
        body = {"provider": "google", "idToken": {"token": token}}
        return tenant.client.post(f"{AUTH}/sign-in/social", json=body, headers=tenant.visitor)

    expired = {**GOOGLE_USER, "exp": tenant.project.clock.now_s - 1}
    return Proof(
        "id token",
        jwt.encode(GOOGLE_USER, key, "RS256"),
        use,
        [
            *unsigned_tokens(GOOGLE_USER, None, json.dumps(jwk)),
            jwt.encode(GOOGLE_USER, strange, "RS256"),
            jwt.encode(GOOGLE_USER, STRANGER_KEY, "ES256"),
            jwt.encode(expired, key, "RS256"),
        ],
    )


def transaction(tenant: Tenant, _: Tenant) -> Proof:
    """The signature of an owner under a transaction."""
    user = next(iter(tenant.project.identity.users)).id
    owned = {"user": user, "accountType": "Externally Owned Account", "chainType": "EVM"}
    account = tenant.post("/v2/accounts", owned, tenant.secret)["id"]
    key_path = f"/_mock/projects/-/accounts/{account}/key"
    key = tenant.client.get(key_path, headers=tenant.secret).json()["private_key"]
    body = {"chainId": 80002, "accountId": account, "calls": [{"to": "0x" + "11" * 20, "value": "1"}]}
    made, another = (tenant.post("/v2/transactions", body, tenant.secret) for _ in range(2))

    def use(signature: str) -> Response:
        path = f"/v2/transactions/{made['id']}/signature"
        return tenant.client.post(path, json={"signature": signature}, headers=tenant.secret)

    owner: LocalAccount = Account.from_key(key)
    digest = made["nextAction"]["hash"]
    lookalikes = [sign_hash(STRANGER, digest), sign_hash(owner, "0x" + "ab" * 32), "0x" + "00" * 65]
    if another["nextAction"]["hash"] != digest:
        lookalikes.append(sign_hash(owner, another["nextAction"]["hash"]))
    return Proof("transaction signature", sign_hash(owner, digest), use, lookalikes, spent_by_use=True)


def _claims(token: str) -> Any:
    return jwt.decode(token, options={"verify_signature": False})


def unsigned_tokens(claims: dict[str, Any], kid: str | None, public: str) -> list[str]:
    """Claims under no signature, and under one that uses what is public as a shared secret."""
    headers = {"kid": kid} if kid else None
    unsigned = jwt.encode(claims, "", algorithm="none", headers=headers)
    # Signed by hand: PyJWT refuses to use what is public as a secret.
    parts = [json.dumps({"alg": "HS256", **(headers or {})}), json.dumps(claims)]
    signed = ".".join(base64url.encode(part.encode()) for part in parts)
    mac = hmac.digest(public.encode(), signed.encode(), "sha256")
    return [unsigned, f"{unsigned}AAAA", f"{signed}.{base64url.encode(mac)}"]


def _jwk() -> dict[str, Any]:
    return dict(jwt.algorithms.ECAlgorithm.to_jwk(STRANGER_KEY.public_key(), as_dict=True))


def _siwe_message(nonce: str, chain: int = 1) -> str:
    return (
        f"shop.example wants you to sign in with your Ethereum account:\n{WALLET.address}\n\n"
        f"URI: https://shop.example\nVersion: 1\nChain ID: {chain}\nNonce: {nonce}\n"
        "Issued At: 2026-01-01T00:00:00.000Z"
    )


def sign_message(signer: LocalAccount, message: str) -> str:
    """The signature of a text (EIP-191)."""
    return "0x" + bytes(signer.sign_message(encode_defunct(text=message)).signature).hex()
