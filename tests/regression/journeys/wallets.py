"""Backend wallets: requests that are signed, keys that come and go, wallet secrets."""

import hashlib
import json
from base64 import b64decode, b64encode
from typing import Any

import jwt
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.padding import MGF1, OAEP
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    PublicFormat,
    load_der_private_key,
    load_der_public_key,
)

from tests.regression.server import HOST
from tests.regression.story import Project, Story

BACKEND = "/v2/accounts/backend"
EVM_KEY = bytes.fromhex("4c0883a69102937d6231471b5dbb6204fe5129617082792ae468d01a3f362318")
SVM_SEED = bytes(range(32))
MESSAGE = "0x" + (b"\x19Ethereum Signed Message:\n5hello").hex()


class Signer:
    """Calls that are signed with a wallet secret, the way the official clients sign them."""

    def __init__(self, project: Project, key: Any = None) -> None:
        self.project = project
        self.key: Any = key or default_key(project)
        project.wallet_auth = self.sign

    def call(self, method: str, path: str, body: Any = None) -> Any:
        """One call with a valid `X-Wallet-Auth`."""
        return self.project.call(method, path, body, x_wallet_auth=self.sign(method, path, body))

    def sign(self, method: str, path: str, body: Any) -> str:
        """A valid token for a request."""
        return self.token(method, f"{HOST}{path}", body)

    def token(self, method: str, target: str, body: Any, key: Any = None, **claims: Any) -> str:
        """A token for a request."""
        number = self.project.story.number("jti")
        given = {
            "uris": [f"{method} {target}"],
            "iat": 1_780_000_000,
            "nbf": 1_780_000_000,
            "jti": f"{number:032x}",
        }
        if body is not None:
            given["reqHash"] = digest_of(body)
        return jwt.encode({**given, **claims}, key or self.key, "ES256")


def default_key(project: Project) -> Any:
    """The key of the wallet secret that a project has from the start, once it is asked for."""
    answer = project.control("POST", "/wallet-secret")
    return load_der_private_key(b64decode(answer["wallet_secret"]), None)


def digest_of(body: Any) -> str:
    """The hash of a body in the order of its members' names."""
    return hashlib.sha256(json.dumps(body, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def pem(key: ec.EllipticCurvePrivateKey) -> str:
    """A public key as it is registered."""
    return key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo).decode()


def backend_wallet(signer: Signer, chain_type: str = "EVM", **more: Any) -> Any:
    """A wallet whose key the service holds."""
    return signer.call("POST", BACKEND, {"chainType": chain_type, **more})


def signing(story: Story) -> None:
    """Backend wallets are made, sign, and are deleted; tokens that do not fit are refused."""
    project = story.project("backend-wallets")
    signer = Signer(project)
    wallets = [backend_wallet(signer), backend_wallet(signer, "SVM")]
    wallets.append(backend_wallet(signer, "SVM", wallet=wallets[0].get("walletId", "pla_unknown")))
    backend_wallet(signer, "BTC")
    for wallet in wallets:
        path = f"{BACKEND}/{wallet['id']}/sign"
        for data in ("0x" + "11" * 32, MESSAGE, "0x", "nonsense"):
            signer.call("POST", path, {"data": data})
        project.call("GET", f"/v2/accounts/{wallet['id']}")
    project.call("GET", "/v2/accounts?custody=Developer")
    for older in ("", "?chainType=EVM&limit=1", f"/{wallets[0]['id']}", "/acc_unknown"):
        project.call("GET", f"{BACKEND}{older}")
    tokens(signer)
    refused(signer, wallets[0]["id"])
    signer.call("DELETE", f"{BACKEND}/{wallets[1]['id']}")
    signer.call("DELETE", f"{BACKEND}/{wallets[1]['id']}")
    signer.call("POST", f"{BACKEND}/{wallets[1]['id']}/sign", {"data": MESSAGE})


def refused(signer: Signer, wallet: str) -> None:
    """A policy that lets a wallet sign nothing but some messages."""
    criterion = {"type": "evmMessage", "operator": "match", "pattern": "^goodbye"}
    rule = {"action": "accept", "operation": "signEvmMessage", "criteria": [criterion]}
    signer.project.call("POST", "/v2/policies", {"scope": "account", "accountId": wallet, "rules": [rule]})
    for data in ("0x" + "11" * 32, MESSAGE):
        signer.call("POST", f"{BACKEND}/{wallet}/sign", {"data": data})


def tokens(signer: Signer) -> None:
    """Tokens, each wrong in one way."""
    body = {"chainType": "EVM"}
    target = f"{HOST}{BACKEND}"
    stranger = ec.derive_private_key(99, ec.SECP256R1())
    wrong = [
        "a.b.c",
        signer.token("GET", target, body),
        signer.token("POST", f"other.test{BACKEND}", body),
        signer.token("POST", target, {"chainType": "SVM"}),
        signer.token("POST", target, None),
        signer.token("POST", target, body, stranger),
        signer.token("POST", target, body, iat="x"),
        signer.token("POST", target, body, exp=5),
        signer.token("POST", target, body, uris=[]),
    ]
    for token in wrong:
        signer.project.call("POST", BACKEND, body, x_wallet_auth=token)
    twice = signer.token("POST", target, body)
    for _ in range(2):
        signer.project.call("POST", BACKEND, body, x_wallet_auth=twice)
    signer.project.call("POST", BACKEND, body)


def transfer(story: Story) -> None:
    """Keys that are imported and exported, sealed."""
    project = story.project("key-transfer")
    signer = Signer(project)
    public = story.raw("GET", "/_mock/import-key").json["public_key"]
    key = load_der_public_key(b64decode(public))
    assert isinstance(key, RSAPublicKey)
    padding = OAEP(mgf=MGF1(SHA256()), algorithm=SHA256(), label=None)

    def imported(raw: bytes, **more: Any) -> Any:
        sealed = b64encode(key.encrypt(raw, padding)).decode()
        return signer.call("POST", f"{BACKEND}/import", {"encryptedPrivateKey": sealed, **more})

    wallets = [imported(EVM_KEY), imported(SVM_SEED, chainType="SVM"), backend_wallet(signer)]
    for raw, chain_type in ((EVM_KEY, "EVM"), (bytes(32), "EVM"), (bytes(31), "EVM"), (bytes(33), "SVM")):
        imported(raw, chainType=chain_type)
    signer.call("POST", f"{BACKEND}/import", {"encryptedPrivateKey": "nonsense"})
    for wallet in wallets:
        path = f"{BACKEND}/{wallet.get('id', 'acc_unknown')}/export"
        for recipient in (public, "nonsense"):
            signer.call("POST", path, {"encryptionKey": recipient})


def secrets(story: Story) -> None:
    """Wallet secrets: registered, rotated, revoked."""
    project = story.project("wallet-secrets")
    first, second, third = (ec.derive_private_key(number, ec.SECP256R1()) for number in (21, 22, 23))
    signer = Signer(project)

    def proved(path: str, body: dict[str, Any], key: Any, by: Any = None) -> Any:
        token = signer.token("POST", f"{BACKEND}/{path}", body, by or key)
        return project.call("POST", f"{BACKEND}/{path}", {**body, "walletAuthToken": token})

    proved("rotate-secrets", {"newPublicKey": pem(second)}, second)
    project.change(aal2=True)
    proved("rotate-secrets", {"newPublicKey": pem(second), "newKeyId": "ws_second"}, second, first)
    proved("rotate-secrets", {"newPublicKey": pem(second), "newKeyId": "ws_second"}, second)
    proved("rotate-secrets", {"newPublicKey": "nonsense"}, second)
    backend_wallet(signer)
    signer.key = second
    backend_wallet(signer)
    proved("rotate-secrets", {"newPublicKey": pem(third)}, third)
    signer.key = third
    backend_wallet(signer)
    for method, body in (("PUT", {"type": "pk_wallet", "uuid": "ws_second"}), ("POST", {"type": "pk"})):
        project.call(method, "/v1/project/apikey", body)
    signer.call("POST", f"{BACKEND}/revoke-secret", {"keyId": "ws_unknown"})
    signer.call("POST", f"{BACKEND}/revoke-secret", {"keyId": "ws_second"})
    fresh(story)


def fresh(story: Story) -> None:
    """A project whose developer registers a key, revokes it, and registers another."""
    project = story.project("wallet-secrets-of-ones-own")
    key = ec.derive_private_key(31, ec.SECP256R1())
    other = ec.derive_private_key(32, ec.SECP256R1())
    signer = Signer(project, key)
    path = f"{BACKEND}/register-secret"

    def register(own: ec.EllipticCurvePrivateKey, name: str) -> None:
        body = {"publicKey": pem(own), "keyId": name}
        token = signer.token("POST", path, body, own)
        project.call("POST", path, {**body, "walletAuthToken": token})

    for name in ("ws_own", "ws_own", "ws_other"):
        register(key, name)
    backend_wallet(signer)
    signer.call("POST", f"{BACKEND}/revoke-secret", {"keyId": "ws_own"})
    backend_wallet(signer)
    register(other, "ws_other")
    signer.key = other
    backend_wallet(signer)


JOURNEYS = (signing, transfer, secrets)
