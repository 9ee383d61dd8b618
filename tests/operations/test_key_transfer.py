"""Private keys that come and go: sealed, and nowhere else to be seen."""

import logging
from base64 import b64decode, b64encode
from typing import Any

import orjson
import pytest
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.asymmetric.padding import MGF1, OAEP
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat, load_der_public_key
from eth_account import Account as EthAccount
from httpx import Client, Response
from solders.keypair import Keypair
from solders.pubkey import Pubkey

from mockserver.crypto.sealing import import_key
from mockserver.domain.wallets.wallet_secrets import default_secret
from mockserver.state.project import Project
from tests.tables import cases

BACKEND = "/v2/accounts/backend"
PADDING = OAEP(mgf=MGF1(SHA256()), algorithm=SHA256(), label=None)
EVM_SECRET = bytes.fromhex("4c0883a69102937d6231471b5dbb6204fe5129617082792ae468d01a3f362318")
SVM_PAIR = Keypair.from_seed(bytes(range(32)))
ORDER = 0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEBAAEDCE6AF48A03BBFD25E8CD0364141


def recipient_spki(key: Any) -> str:
    """The public half as clients send it."""
    raw = key.public_key().public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
    return b64encode(raw).decode()


def sealed(api: Client, raw: bytes) -> str:
    """A key as a client seals it, under the key that the control API hands out."""
    key = load_der_public_key(b64decode(api.get("/_mock/import-key").json()["public_key"]))
    assert isinstance(key, RSAPublicKey)
    return b64encode(key.encrypt(raw, PADDING)).decode()


def bring(backend: Client, blob: str, **members: object) -> Response:
    """An import."""
    return backend.post(f"{BACKEND}/import", json={"encryptedPrivateKey": blob} | members)


def export(backend: Client, wallet_id: str) -> bytes:
    """A key as it leaves; the import key serves as the recipient, being at hand."""
    body = {"encryptionKey": recipient_spki(import_key())}
    answer = backend.post(f"{BACKEND}/{wallet_id}/export", json=body)
    assert answer.status_code == 200, answer.text
    assert answer.json().keys() == {"object", "encryptedPrivateKey"}
    assert answer.json()["object"] == "exportedKey"
    return import_key().decrypt(b64decode(answer.json()["encryptedPrivateKey"]), PADDING)


def test_an_exported_evm_key_controls_the_address(backend: Client) -> None:
    wallet = backend.post(BACKEND, json={"chainType": "EVM"}).json()
    assert EthAccount.from_key(export(backend, wallet["id"])).address == wallet["address"]


def test_an_exported_svm_key_is_seed_and_public_key(backend: Client) -> None:
    wallet = backend.post(BACKEND, json={"chainType": "SVM"}).json()
    assert str(Keypair.from_bytes(export(backend, wallet["id"])).pubkey()) == wallet["address"]


@cases(
    "raw, chain_type, address",
    (EVM_SECRET, "EVM", EthAccount.from_key(EVM_SECRET).address),
    (EVM_SECRET, None, EthAccount.from_key(EVM_SECRET).address),
    (bytes(SVM_PAIR), "SVM", str(SVM_PAIR.pubkey())),
    (bytes(SVM_PAIR), None, str(SVM_PAIR.pubkey())),
    (bytes(SVM_PAIR)[:32], "SVM", str(SVM_PAIR.pubkey())),
)
def test_an_imported_key_has_its_address_and_is_exported(
    backend: Client, raw: bytes, chain_type: str | None, address: str
) -> None:
    members = {} if chain_type is None else {"chainType": chain_type}
    wallet = bring(backend, sealed(backend, raw), **members).json()
    assert wallet["address"] == address
    assert backend.get(f"/v2/accounts/{wallet['id']}").json()["custody"] == "Developer"
    assert export(backend, wallet["id"])[:32] == raw[:32]


def test_an_address_that_exists_is_not_imported_again(backend: Client, project: Project) -> None:
    first = bring(backend, sealed(backend, EVM_SECRET)).json()
    again = bring(backend, sealed(backend, EVM_SECRET))
    told = again.json()["error"]
    assert (again.status_code, told["code"], told["param"]) == (409, "address_taken", "encryptedPrivateKey")
    assert first["id"] in told["message"]
    assert bring(backend, sealed(backend, EVM_SECRET), wallet=first["walletId"]).status_code == 409
    assert len(project.wallets.accounts) == len(project.wallets.wallets) == 1


@cases(
    "raw, chain_type, reason",
    (b"", "EVM", "32 bytes, not 0"),
    (bytes(31), "EVM", "32 bytes, not 31"),
    (bytes(32), "EVM", "range"),
    (ORDER.to_bytes(32, "big"), "EVM", "range"),
    (bytes(SVM_PAIR), "EVM", "32 bytes, not 64"),
    (bytes(33), "SVM", "32 or 64 bytes, not 33"),
    (bytes(SVM_PAIR)[:32] + bytes(32), "SVM", "public key"),
    (EVM_SECRET.hex().encode() + b"0", None, "a key has 32 or 64 bytes, not 65"),
)
def test_what_is_no_key_is_refused_and_leaves_no_trace(
    backend: Client, project: Project, raw: bytes, chain_type: str | None, reason: str
) -> None:
    members = {} if chain_type is None else {"chainType": chain_type}
    refused = bring(backend, sealed(backend, raw), **members)
    assert refused.status_code == 400
    error = refused.json()["error"]
    assert (error["code"], error["param"]) == ("invalid_key_material", "encryptedPrivateKey")
    assert reason in error["message"]
    assert len(project.wallets.accounts) == len(project.wallets.keys) == len(project.wallets.wallets) == 0


@cases("blob", "not base64!", "AAAA", b64encode(bytes(511)).decode(), "QUFB=QUFB")
@cases("strict", False, True)
def test_a_malformed_blob_is_refused(backend: Client, project: Project, blob: str, strict: bool) -> None:
    backend.put("/_mock/projects/-/settings", json={"strict": strict})
    announce(backend, "0x" + EVM_SECRET.hex())
    assert bring(backend, blob, chainType="EVM").status_code == 400
    assert len(project.wallets.accounts) == len(project.wallets.keys) == 0


# What a client that has the real service's import key built in sends: only its size tells.
SERVICE_SEALED = b64encode(b"\x01" * 512).decode()


def announce(api: Client, *private_keys: str) -> Any:
    """Say whose keys the next imports bring."""
    answer = api.put("/_mock/projects/-/imports", json={"private_keys": private_keys})
    assert answer.status_code == 200, answer.text
    return answer.json()["data"]


@cases("chain_type", "EVM", "SVM")
def test_an_import_for_the_service_makes_a_new_key_with_a_hint(backend: Client, chain_type: str) -> None:
    answer = bring(backend, SERVICE_SEALED, chainType=chain_type)
    wallet = answer.json()
    assert (answer.status_code, wallet["chainType"]) == (200, chain_type)
    assert answer.headers["x-mockserver-hint"].startswith("import-for-the-service: ")
    raw = export(backend, wallet["id"])
    address = (
        EthAccount.from_key(raw).address if chain_type == "EVM" else str(Keypair.from_bytes(raw).pubkey())
    )
    assert address == wallet["address"]
    assert bring(backend, SERVICE_SEALED, chainType=chain_type).json()["address"] != wallet["address"]


@cases(
    "private_key, chain_type, address",
    ("0x" + EVM_SECRET.hex(), "EVM", EthAccount.from_key(EVM_SECRET).address),
    (EVM_SECRET.hex().upper(), "EVM", EthAccount.from_key(EVM_SECRET).address),
    (str(SVM_PAIR), "SVM", str(SVM_PAIR.pubkey())),
    (str(Pubkey.from_bytes(bytes(SVM_PAIR)[:32])), "SVM", str(SVM_PAIR.pubkey())),
    ("0x" + bytes(SVM_PAIR).hex(), "SVM", str(SVM_PAIR.pubkey())),
    ids=["hex", "bare hex", "base58", "a seed in base58", "a key pair in hex"],
)
def test_an_import_for_the_service_takes_the_announced_key(
    backend: Client, private_key: str, chain_type: str, address: str
) -> None:
    assert announce(backend, private_key) == [{"chain_type": chain_type, "address": address}]
    assert bring(backend, SERVICE_SEALED, chainType=chain_type).json()["address"] == address
    assert backend.get("/_mock/projects/-/imports").json() == {"data": [], "total": 0}


def test_announced_keys_are_taken_in_order_for_each_chain_type(backend: Client) -> None:
    first, second = ("0x" + digit * 64 for digit in "12")
    announce(backend, first, str(SVM_PAIR), second)
    taken = [bring(backend, SERVICE_SEALED, chainType=kind).json() for kind in ("SVM", "EVM", "EVM", "EVM")]
    addresses = [wallet["address"] for wallet in taken]
    assert addresses[0] == str(SVM_PAIR.pubkey())
    assert addresses[1:3] == [EthAccount.from_key(key).address for key in (first, second)]
    assert len(set(addresses)) == 4


def test_without_a_chain_type_the_next_announced_key_is_taken(backend: Client) -> None:
    announce(backend, str(SVM_PAIR))
    assert bring(backend, SERVICE_SEALED).json()["chainType"] == "SVM"
    assert bring(backend, SERVICE_SEALED).json()["chainType"] == "EVM"


def test_what_is_announced_replaces_what_was(backend: Client, project: Project) -> None:
    announce(backend, "0x" + "11" * 32)
    announce(backend, "0x" + EVM_SECRET.hex())
    assert len(project.wallets.announced_keys) == 1
    assert announce(backend) == []


def test_a_key_that_opens_leaves_the_announced_one(backend: Client, project: Project) -> None:
    announce(backend, "0x" + "11" * 32)
    answer = bring(backend, sealed(backend, EVM_SECRET), chainType="EVM")
    assert answer.json()["address"] == EthAccount.from_key(EVM_SECRET).address
    assert "x-mockserver-hint" not in answer.headers
    # One that can be opened, and is wrong, is as wrong as before.
    assert bring(backend, sealed(backend, bytes(31)), chainType="EVM").status_code == 400
    assert len(project.wallets.announced_keys) == 1


def test_an_announced_key_of_a_taken_address_stays(backend: Client, project: Project) -> None:
    bring(backend, sealed(backend, EVM_SECRET))
    announce(backend, "0x" + EVM_SECRET.hex())
    refused = bring(backend, SERVICE_SEALED, chainType="EVM")
    assert (refused.status_code, refused.json()["error"]["code"]) == (409, "address_taken")
    assert (len(project.wallets.announced_keys), len(project.wallets.accounts)) == (1, 1)


def test_strict_takes_only_what_is_sealed_for_the_mock(backend: Client, project: Project) -> None:
    announce(backend, "0x" + EVM_SECRET.hex())
    backend.put("/_mock/projects/-/settings", json={"strict": True})
    refused = bring(backend, SERVICE_SEALED, chainType="EVM")
    assert (refused.status_code, refused.json()["type"]) == (400, "urn:mockserver:not-in-specification")
    assert "setting strict" in refused.json()["detail"]
    assert (len(project.wallets.announced_keys), len(project.wallets.accounts)) == (1, 0)
    assert bring(backend, sealed(backend, EVM_SECRET)).status_code == 200


@cases(
    "private_key",
    "0x" + "11" * 31,
    "0x" + "00" * 32,
    hex(ORDER),
    "0x" + (bytes(SVM_PAIR)[:32] + bytes(32)).hex(),
    "1" * 40,
    "no key",
    "",
)
def test_what_is_no_private_key_is_not_announced(backend: Client, project: Project, private_key: str) -> None:
    body = {"private_keys": ["0x" + EVM_SECRET.hex(), private_key]}
    refused = backend.put("/_mock/projects/-/imports", json=body)
    assert (refused.status_code, refused.json()["param"]) == (400, "private_keys[1]")
    assert not private_key or private_key not in refused.text
    assert len(project.wallets.announced_keys) == 0


def test_a_key_is_announced_once(backend: Client) -> None:
    body = {"private_keys": ["0x" + EVM_SECRET.hex(), EVM_SECRET.hex()]}
    refused = backend.put("/_mock/projects/-/imports", json=body)
    assert (refused.status_code, refused.json()["param"]) == (400, "private_keys[1]")


@cases("key", "", "AAAA", "-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----", "{}")
def test_a_key_is_sealed_for_rsa_4096_only(backend: Client, key: str) -> None:
    wallet = backend.post(BACKEND, json={"chainType": "EVM"}).json()
    small = recipient_spki(rsa.generate_private_key(65537, 2048))
    for encryption_key in (key, small):
        refused = backend.post(f"{BACKEND}/{wallet['id']}/export", json={"encryptionKey": encryption_key})
        assert (refused.status_code, refused.json()["error"]["param"]) == (400, "encryptionKey")


def test_a_key_that_does_not_say_what_it_is_of_is_refused(backend: Client) -> None:
    wallet = backend.post(BACKEND, json={"chainType": "EVM"}).json()
    raw = import_key().public_key().public_bytes(Encoding.DER, PublicFormat.PKCS1)
    body = {"encryptionKey": b64encode(raw).decode()}
    refused = backend.post(f"{BACKEND}/{wallet['id']}/export", json=body)
    assert refused.status_code == 400
    assert "SPKI DER" in refused.json()["error"]["message"]


MODULUS = import_key().public_key().public_numbers().n


@cases(
    "modulus, exponent",
    (MODULUS - 1, 65537),
    (2**4095, 65537),
    (MODULUS, 2**65 + 1),
    (MODULUS, MODULUS - 2),
    ids=["an even modulus", "a power of two", "a long exponent", "the longest exponent"],
)
def test_an_unusable_recipient_key_is_refused_without_a_trace(
    backend: Client, project: Project, modulus: int, exponent: int
) -> None:
    wallet = backend.post(BACKEND, json={"chainType": "EVM"}).json()
    key = rsa.RSAPublicNumbers(exponent, modulus).public_key()
    spki = b64encode(key.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)).decode()
    before = project.entropy.draws(), list(project.wallets.accounts), list(project.wallets.keys)
    refused = backend.post(f"{BACKEND}/{wallet['id']}/export", json={"encryptionKey": spki})
    error = refused.json()["error"]
    assert (refused.status_code, error["code"], error["param"]) == (
        400,
        "invalid_key_material",
        "encryptionKey",
    )
    assert "no RSA key that seals anything" in error["message"]
    assert (project.entropy.draws(), list(project.wallets.accounts), list(project.wallets.keys)) == before


def test_only_a_backend_wallet_s_key_leaves(backend: Client) -> None:
    player = backend.post("/v2/users/pregenerate", json={"email": "a@example.com", "accounts": [{}]}).json()
    body = {"encryptionKey": recipient_spki(import_key())}
    assert backend.post(f"{BACKEND}/{player['accounts'][0]['id']}/export", json=body).status_code == 404
    assert backend.post(f"{BACKEND}/acc_unknown/export", json=body).status_code == 404


def test_no_private_key_is_shown(backend: Client, project: Project, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    said: list[str] = []
    backend.event_hooks["response"] = [lambda response: said.append(response.read().decode())]
    evm = bring(backend, sealed(backend, EVM_SECRET)).json()
    svm = bring(backend, sealed(backend, bytes(SVM_PAIR))).json()
    minted = backend.post(BACKEND, json={"chainType": "EVM"}).json()
    for wallet in (evm, svm, minted):
        export(backend, wallet["id"])
        backend.post(f"{BACKEND}/{wallet['id']}/sign", json={"data": "0x" + "11" * 32})
        backend.get(f"/v2/accounts/{wallet['id']}")
    wanted = {"email": "a@example.com", "accounts": [{}, {"chainType": "SVM"}]}
    player = backend.post("/v2/users/pregenerate", json=wanted).json()
    shares = [account["recoveryShare"] for account in player["accounts"]]
    for account in player["accounts"]:
        shares.append(backend.post(f"/v2/accounts/{account['id']}/export-share").json()["share"])
    backend.post("/_mock/projects/-/snapshots", json={"name": "after"})
    backend.get("/_mock/projects/-/snapshots")
    bring(backend, sealed(backend, EVM_SECRET))
    bring(backend, sealed(backend, EVM_SECRET + b"!"))
    shown = [*said]
    backend.event_hooks["response"] = []
    journal = backend.get("/_mock/projects/-/journal", params={"limit": 1000}).json()
    shown_journal = orjson.dumps(journal).decode()
    assert "importPrivateKey" in shown_journal
    shown += [shown_journal, caplog.text, repr(list(project.wallets.keys.page(limit=100).rows))]
    secrets = [key.secret for key in project.wallets.keys.page(limit=100).rows]
    assert len(secrets) == 5
    secrets.append(b64decode(default_secret(project)))
    for text in shown:
        for secret in secrets:
            for form in spellings(secret):
                assert form not in text
    assert not any(share in shown_journal for share in shares)


def spellings(secret: bytes) -> list[str]:
    """How a secret could stand in a text."""
    pairs = [secret]
    if len(secret) == 32:
        pairs.append(bytes(Keypair.from_seed(secret)))
    forms = []
    for raw in pairs:
        forms += [raw.hex(), raw.hex().upper(), b64encode(raw).decode().rstrip("=")]
        forms += [b64encode(raw, b"-_").decode().rstrip("="), repr(raw)[2:-1]]
        if len(raw) == 64:
            forms.append(str(Keypair.from_bytes(raw)))
    return forms
