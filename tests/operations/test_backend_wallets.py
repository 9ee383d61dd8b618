"""Backend wallets and wallet secrets through the API; signatures are checked by other libraries."""

from __future__ import annotations

import hashlib
import json
from base64 import b64decode
from collections.abc import Callable
from typing import Any

import httpx
import jwt
import pytest
import rlp
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat, load_der_private_key
from eth_account import Account as EthAccount
from eth_account._utils.legacy_transactions import serializable_unsigned_transaction_from_dict
from eth_account.messages import encode_defunct, encode_typed_data
from eth_keys import keys
from eth_utils import keccak
from solders.keypair import Keypair
from solders.pubkey import Pubkey
from solders.signature import Signature

from mockserver.domain.wallets.wallet_secrets import default_secret
from mockserver.state.project import Project
from mockserver.state.world import World

AMOY = 80002
KEY = ec.derive_private_key(11, ec.SECP256R1())
OTHER_KEY = ec.derive_private_key(12, ec.SECP256R1())


def create(backend: httpx.Client, chain_type: str = "EVM", **members: object) -> Any:
    """A new backend wallet."""
    response = backend.post("/v2/accounts/backend", json={"chainType": chain_type} | members)
    assert response.status_code == 200, response.text
    return response.json()


def sign(backend: httpx.Client, wallet: Any, raw: bytes) -> bytes:
    """What a backend wallet signs."""
    response = backend.post(f"/v2/accounts/backend/{wallet['id']}/sign", json={"data": "0x" + raw.hex()})
    assert response.status_code == 200, response.text
    answer = response.json()
    assert answer["object"] == "signature"
    assert answer["account"] == wallet["id"]
    assert answer["signature"].startswith("0x")
    return bytes.fromhex(answer["signature"][2:])


def pem(key: Any) -> str:
    """A public key as it is registered."""
    public = key.public_key()
    return str(public.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo).decode())


def registration(key: Any = KEY, signer: Any = KEY, **members: object) -> dict[str, object]:
    """The body with which the command-line client registers a secret."""
    rest = {"publicKey": pem(key)} | members
    canonical = json.dumps(rest, sort_keys=True, separators=(",", ":"))
    claims = {
        "uris": ["POST /v2/accounts/backend/register-secret"],
        "reqHash": hashlib.sha256(canonical.encode()).hexdigest(),
        "iat": 1_790_000_000,
        "nbf": 1_790_000_000,
        "jti": hashlib.sha256(canonical.encode()).hexdigest()[:32],
    }
    return rest | {"walletAuthToken": jwt.encode(claims, signer, "ES256")}


# --- wallets -----------------------------------------------------------------------------------------


def test_an_evm_wallet_has_a_real_key(backend: httpx.Client, project: Project) -> None:
    wallet = create(backend)
    assert wallet == {
        "object": "account",
        "id": wallet["id"],
        "address": wallet["address"],
        "walletId": wallet["walletId"],
        "chainType": "EVM",
        "createdAt": 1_767_225_600,
    }
    secret = project.wallets.keys[wallet["address"].lower()].secret
    assert EthAccount.from_key(secret).address == wallet["address"]


def test_an_svm_wallet_has_a_real_key(backend: httpx.Client, project: Project) -> None:
    wallet = create(backend, "SVM")
    secret = project.wallets.keys[wallet["address"]].secret
    assert str(Keypair.from_seed(secret).pubkey()) == wallet["address"]


def test_a_wallet_may_join_a_wallet(backend: httpx.Client, project: Project) -> None:
    first, second = create(backend), create(backend)
    assert first["walletId"] != second["walletId"]
    assert create(backend, "SVM", wallet=first["walletId"])["walletId"] == first["walletId"]
    count = len(project.wallets.accounts)
    missing = backend.post("/v2/accounts/backend", json={"chainType": "EVM", "wallet": "pla_unknown"})
    assert (missing.status_code, missing.json()["error"]["param"]) == (404, "wallet")
    assert len(project.wallets.accounts) == len(project.wallets.keys) == count


def test_a_wallet_is_an_account_in_developer_custody(backend: httpx.Client) -> None:
    wallet = create(backend)
    account = backend.get(f"/v2/accounts/{wallet['id']}").json()
    assert account["custody"] == "Developer"
    assert account["accountType"] == "Externally Owned Account"
    assert account["wallet"] == wallet["walletId"]
    query = {"address": wallet["address"], "chainType": "EVM", "custody": "Developer", "limit": 1}
    assert backend.get("/v2/accounts", params=query).json()["data"] == [account]


def test_accounts_built_on_a_wallet_are_in_developer_custody(backend: httpx.Client) -> None:
    wallet = create(backend)
    for account_type in ("Smart Account", "Delegated Account"):
        body = {
            "accountType": account_type,
            "chainType": "EVM",
            "chainId": AMOY,
            "user": wallet["walletId"],
            "account": wallet["id"],
        }
        account = backend.post("/v2/accounts", json=body).json()
        assert account["custody"] == "Developer"
        assert account["wallet"] == wallet["walletId"]


def test_deleting_a_wallet_takes_its_key_and_what_it_signed_for(
    backend: httpx.Client, project: Project
) -> None:
    wallet, kept = create(backend), create(backend)
    body = {
        "accountType": "Delegated Account",
        "chainType": "EVM",
        "chainId": AMOY,
        "user": wallet["walletId"],
        "account": wallet["id"],
    }
    delegated = backend.post("/v2/accounts", json=body).json()["id"]
    path = f"/v2/accounts/backend/{wallet['id']}"
    assert backend.delete(f"/v2/accounts/backend/{delegated}").status_code == 404
    assert backend.delete(path).json() == {"object": "backendWallet", "id": wallet["id"], "deleted": True}
    assert [row.id for row in project.wallets.accounts] == [kept["id"]]
    assert [row.id for row in project.wallets.keys] == [kept["address"].lower()]
    assert backend.delete(path).status_code == 404
    assert backend.post(path + "/sign", json={"data": "0x" + "00" * 32}).status_code == 404


def test_a_user_s_account_is_no_backend_wallet(backend: httpx.Client, project: Project) -> None:
    body = {
        "accountType": "Externally Owned Account",
        "chainType": "EVM",
        "user": create(backend)["walletId"],
    }
    account = backend.post("/v2/accounts", json=body).json()["id"]
    path = f"/v2/accounts/backend/{account}"
    assert backend.post(path + "/sign", json={"data": "0x" + "00" * 32}).status_code == 404
    assert backend.delete(path).status_code == 404
    assert account in project.wallets.accounts


# --- signing -----------------------------------------------------------------------------------------


def test_a_hash_is_signed_as_it_is(backend: httpx.Client) -> None:
    wallet = create(backend)
    digest = keccak(b"an EIP-712 hash")
    raw = sign(backend, wallet, digest)
    assert len(raw) == 65
    signature = keys.Signature(raw[:64] + bytes([raw[64] - 27]))
    recovered = signature.recover_public_key_from_msg_hash(digest)
    assert recovered.to_checksum_address() == wallet["address"]
    assert sign(backend, wallet, digest) == raw


def test_a_hash_that_starts_like_a_message_is_still_a_hash(backend: httpx.Client) -> None:
    wallet = create(backend)
    digest = b"\x19" + bytes(31)
    raw = sign(backend, wallet, digest)
    signature = keys.Signature(raw[:64] + bytes([raw[64] - 27]))
    assert signature.recover_public_key_from_msg_hash(digest).to_checksum_address() == wallet["address"]


@pytest.mark.parametrize("text", ["", "four", "hello", "sixsix", "ä" * 300])
def test_a_message_comes_with_its_prefix(backend: httpx.Client, text: str) -> None:
    wallet = create(backend)
    message = text.encode()
    raw = sign(backend, wallet, b"\x19Ethereum Signed Message:\n%d" % len(message) + message)
    assert EthAccount.recover_message(encode_defunct(message), signature=raw) == wallet["address"]


def test_typed_data_may_come_as_its_preimage(backend: httpx.Client) -> None:
    wallet = create(backend)
    typed = encode_typed_data(
        {"name": "Test", "chainId": AMOY}, {"Mail": [{"name": "to", "type": "string"}]}, {"to": "b"}
    )
    raw = sign(backend, wallet, b"\x19" + typed.version + typed.header + typed.body)
    assert EthAccount.recover_message(typed, signature=raw) == wallet["address"]


TRANSACTION: dict[str, Any] = {
    "nonce": 3,
    "gas": 21_000,
    "to": "0x7E5F4552091A69125d5DfCb7b8C2659029395Bdf",
    "value": 10**15,
    "data": b"\x01\x02",
    "chainId": AMOY,
}
DYNAMIC = TRANSACTION | {"type": 2, "maxFeePerGas": 10**9, "maxPriorityFeePerGas": 10**8}


def typed_transaction(fields: dict[str, Any]) -> bytes:
    """The bytes of an unsigned transaction of type 2, which its hash is taken of (EIP-1559)."""

    def number(value: int) -> bytes:
        return value.to_bytes((value.bit_length() + 7) // 8, "big")

    names = ["chainId", "nonce", "maxPriorityFeePerGas", "maxFeePerGas", "gas"]
    items: list[Any] = [number(fields[name]) for name in names]
    items += [bytes.fromhex(fields["to"][2:]), number(fields["value"]), fields["data"], []]
    return b"\x02" + bytes(rlp.encode(items))


def test_a_transaction_is_recovered_once_it_is_put_together(backend: httpx.Client) -> None:
    wallet = create(backend)
    raw = sign(backend, wallet, typed_transaction(DYNAMIC))
    unsigned = serializable_unsigned_transaction_from_dict(DYNAMIC)
    signature = keys.Signature(raw[:64] + bytes([raw[64] - 27]))
    recovered = signature.recover_public_key_from_msg_hash(bytes(unsigned.hash()))
    assert recovered.to_checksum_address() == wallet["address"]


def test_a_legacy_transaction_is_hashed_too(backend: httpx.Client) -> None:
    wallet = create(backend)
    unsigned = serializable_unsigned_transaction_from_dict(TRANSACTION | {"gasPrice": 10**9})
    raw = sign(backend, wallet, bytes(rlp.encode(unsigned)))
    signature = keys.Signature(raw[:64] + bytes([raw[64] - 27]))
    recovered = signature.recover_public_key_from_msg_hash(bytes(unsigned.hash()))
    assert recovered.to_checksum_address() == wallet["address"]


@pytest.mark.parametrize("message", [b"", b"hello", bytes(32), b"\x19" * 500])
def test_svm_bytes_are_signed_as_they_are(backend: httpx.Client, message: bytes) -> None:
    wallet = create(backend, "SVM")
    raw = sign(backend, wallet, message)
    assert Signature.from_bytes(raw).verify(Pubkey.from_string(wallet["address"]), message)


@pytest.mark.parametrize(
    "data", ["0x", "0x00", "0x" + "ab" * 31, "0x" + "ab" * 33, "0x02c0", "12", "0x1", "0xzz", 7, None]
)
def test_what_no_wallet_signs_is_refused(backend: httpx.Client, data: object) -> None:
    wallet = create(backend)
    response = backend.post(f"/v2/accounts/backend/{wallet['id']}/sign", json={"data": data})
    assert response.status_code == 400
    assert response.json()["error"]["param"] == "data"


# --- the wallet secret guards ------------------------------------------------------------------------


def test_what_is_not_signed_with_the_wallet_secret_changes_nothing(
    backend: httpx.Client, project: Project
) -> None:
    wallet = create(backend)
    backend.auth = None
    calls: list[Callable[[], httpx.Response]] = [
        lambda: backend.post("/v2/accounts/backend", json={"chainType": "EVM"}),
        lambda: backend.post(f"/v2/accounts/backend/{wallet['id']}/sign", json={"data": "0x" + "00" * 32}),
        lambda: backend.delete(f"/v2/accounts/backend/{wallet['id']}"),
        lambda: backend.post("/v2/accounts/backend/revoke-secret", json={"keyId": "ws_default"}),
    ]
    for call in calls:
        response = call()
        assert response.status_code == 401
        assert response.json()["error"]["code"] == "wallet_auth_missing"
    assert len(project.wallets.accounts) == 1
    assert backend.get(f"/v2/accounts/{wallet['id']}").status_code == 200


def test_access_is_refused_before_the_shape_is_looked_at(api: httpx.Client) -> None:
    assert api.post("/v2/accounts/backend", content=b"not JSON").status_code == 401


def test_the_wallet_secret_does_not_replace_the_secret_key(backend: httpx.Client, project: Project) -> None:
    backend.headers["authorization"] = f"Bearer {project.publishable_key}"
    assert backend.post("/v2/accounts/backend", json={"chainType": "EVM"}).status_code == 401


def test_a_token_serves_one_request_even_a_refused_one(backend: httpx.Client, project: Project) -> None:
    first = backend.post("/v2/accounts/backend", json={"chainType": "EVM", "wallet": "pla_unknown"})
    assert first.status_code == 404
    request = first.request
    backend.auth = None
    again = backend.post(
        "/v2/accounts/backend",
        content=request.content,
        headers={"x-wallet-auth": request.headers["x-wallet-auth"]},
    )
    assert again.status_code == 401
    assert "jti" in again.json()["error"]["details"]
    assert len(project.wallets.accounts) == 0


# --- secrets -----------------------------------------------------------------------------------------

REGISTER = "/v2/accounts/backend/register-secret"
REVOKE = "/v2/accounts/backend/revoke-secret"


def test_a_registered_secret_signs_until_it_is_revoked(api: httpx.Client) -> None:
    answer = api.post(REGISTER, json=registration(keyId="ws_mine")).json()
    assert answer == {"object": "walletSecret", "keyId": "ws_mine", "registeredAt": 1_767_225_600}
    body = b'{"keyId":"ws_mine"}'
    claims = {"uris": [REVOKE], "reqHash": hashlib.sha256(body).hexdigest(), "iat": 1, "nbf": 1}
    headers = {"x-wallet-auth": jwt.encode(claims, KEY, "ES256")}
    revoked = api.post(REVOKE, content=body, headers=headers)
    assert revoked.json() == {
        "object": "walletSecretRevocation",
        "keyId": "ws_mine",
        "revoked": True,
        "revokedAt": 1_767_225_600,
    }
    assert api.post(REVOKE, content=body, headers=headers).status_code == 401


def test_a_key_id_is_made_up_when_none_is_given(api: httpx.Client) -> None:
    assert api.post(REGISTER, json=registration()).json()["keyId"].startswith("ws_")


def test_registering_needs_the_key_itself(api: httpx.Client, project: Project) -> None:
    response = api.post(REGISTER, json=registration(signer=OTHER_KEY))
    assert response.status_code == 401
    assert response.json()["error"]["param"] == "walletAuthToken"
    assert len(project.wallets.secrets) == 0


def test_the_header_is_ignored_when_a_secret_is_registered(api: httpx.Client) -> None:
    headers = {"x-wallet-auth": "left over from an older secret"}
    assert api.post(REGISTER, json=registration(), headers=headers).status_code == 200


def test_what_was_signed_for_registration_cannot_be_changed(api: httpx.Client, project: Project) -> None:
    body = registration(keyId="ws_mine") | {"keyId": "ws_theirs"}
    response = api.post(REGISTER, json=body)
    assert response.status_code == 401
    assert "reqHash" in response.json()["error"]["details"]
    assert len(project.wallets.secrets) == 0


def test_a_second_secret_is_refused(api: httpx.Client) -> None:
    api.post(REGISTER, json=registration(keyId="ws_mine"))
    response = api.post(REGISTER, json=registration(OTHER_KEY, OTHER_KEY, keyId="ws_second"))
    assert response.status_code == 409
    assert "ws_mine is active" in response.json()["error"]["message"]


def test_a_revoked_key_id_does_not_come_back(backend: httpx.Client) -> None:
    assert backend.post(REVOKE, json={"keyId": "ws_default"}).status_code == 200
    backend.auth = None
    response = backend.post(REGISTER, json=registration(keyId="ws_default"))
    assert response.status_code == 409
    assert response.json()["error"]["param"] == "keyId"
    assert backend.post(REGISTER, json=registration(keyId="ws_next")).status_code == 200


def test_a_revoked_key_does_not_come_back_under_another_id(api: httpx.Client, project: Project) -> None:
    api.post(REGISTER, json=registration(keyId="ws_mine"))
    body = b'{"keyId":"ws_mine"}'
    claims = {"uris": [REVOKE], "reqHash": hashlib.sha256(body).hexdigest(), "iat": 1, "nbf": 1}
    api.post(REVOKE, content=body, headers={"x-wallet-auth": jwt.encode(claims, KEY, "ES256")})
    refused = api.post(REGISTER, json=registration(keyId="ws_again")).json()["error"]
    assert (refused["code"], refused["param"]) == ("wallet_secret_ended", "publicKey")
    assert [row.state for row in project.wallets.secrets.page(limit=10).rows] == ["revoked"]
    assert api.post(REGISTER, json=registration(OTHER_KEY, OTHER_KEY)).status_code == 200


def test_an_unknown_secret_is_not_revoked(backend: httpx.Client) -> None:
    response = backend.post(REVOKE, json={"keyId": "ws_unknown"})
    assert (response.status_code, response.json()["error"]["param"]) == (404, "keyId")
    create(backend)


NO_KEYS = [
    ec.derive_private_key(1, ec.SECP384R1()),
    ec.derive_private_key(1, ec.SECP256K1()),
    rsa.generate_private_key(65537, 1024),
    ed25519.Ed25519PrivateKey.from_private_bytes(bytes(32)),
]


BROKEN = [*map(pem, NO_KEYS), "x", pem(KEY)[:80], pem(KEY).replace("PUBLIC", "X")]


@pytest.mark.parametrize("public_key", BROKEN, ids=range(len(BROKEN)))
def test_only_a_p256_key_is_a_wallet_secret(api: httpx.Client, project: Project, public_key: str) -> None:
    response = api.post(REGISTER, json=registration() | {"publicKey": public_key})
    assert (response.status_code, response.json()["error"]["param"]) == (400, "publicKey")
    assert len(project.wallets.secrets) == 0


def test_the_secret_of_one_project_opens_no_other(backend: httpx.Client, world: World) -> None:
    other = world.create(name="other")
    loaded = load_der_private_key(b64decode(default_secret(other)), None)
    assert isinstance(loaded, ec.EllipticCurvePrivateKey)
    backend.headers["authorization"] = f"Bearer {other.secret_key}"
    assert backend.post("/v2/accounts/backend", json={"chainType": "EVM"}).status_code == 401
    assert len(other.wallets.accounts) == 0
