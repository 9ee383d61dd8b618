"""Imports of private keys: sealed bytes that are nearly a key, keys at the ends of their range, and again."""

import random
from base64 import b64encode

from cryptography.hazmat.primitives.asymmetric.padding import MGF1, OAEP
from cryptography.hazmat.primitives.hashes import SHA256
from eth_account import Account
from httpx import Response
from solders.keypair import Keypair

from mockserver.crypto.sealing import import_key
from mockserver.state.world import World
from tests.adversary.attacks.proofs import BACKEND, Tenant
from tests.adversary.budget import Budget
from tests.server.robustness.stage import held

ORDER = 0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEBAAEDCE6AF48A03BBFD25E8CD0364141
NUMBERS = [0, 1, 2, ORDER - 1, ORDER, ORDER + 1, 2**256 - 1]
TEXTS = [
    "",
    "=",
    "AAAA",
    "!",
    "0x" + "11" * 32,
    b64encode(bytes(512)).decode(),
    b64encode(bytes(511)).decode(),
]
"""What is no sealed key, though the server takes 512 bytes for a key that was sealed for the real service."""


def attack(budget: Budget) -> None:
    """Import them: a key makes the account of its address, once; what is none changes and tells nothing."""
    tenant = Tenant(World(), "tests")
    project = tenant.project
    state = project.snapshot()
    for _ in budget:
        project.restore(state)
        chain_type = budget.chance.choice([None, "EVM", "SVM"])
        raw = draw(budget.chance)
        before = held(project)
        answer = bring(tenant, seal(raw), chain_type)
        address = address_of(raw, chain_type)
        assert answer.status_code == (200 if address else 400), (raw, chain_type, answer.text)
        tells_nothing(tenant, raw, answer)
        if address is None:
            assert held(project) == before, raw
        else:
            assert answer.json()["address"] == address
            assert bring(tenant, seal(raw), chain_type).status_code == 409, "one key became two accounts"
        odd = bring(tenant, budget.chance.choice(TEXTS), chain_type)
        assert odd.status_code in (200, 400), odd.text


def seal(raw: bytes) -> str:
    """Bytes sealed to the import key that every server has."""
    padding = OAEP(mgf=MGF1(SHA256()), algorithm=SHA256(), label=None)
    return b64encode(import_key().public_key().encrypt(raw, padding)).decode()


def draw(chance: random.Random) -> bytes:
    """The bytes of a key, or nearly."""
    kind = chance.randrange(5)
    if kind == 0:
        return chance.choice(NUMBERS).to_bytes(32, "big")
    if kind == 1:
        return chance.randbytes(chance.choice([0, 1, 31, 33, 63, 65, 128]))
    if kind == 2:
        return bytes(Keypair.from_seed(chance.randbytes(32)))
    return chance.randbytes(64 if kind == 3 else 32)


def address_of(raw: bytes, chain_type: str | None) -> str | None:
    """The address of a key by other libraries; None for what is none."""
    kind = chain_type or {32: "EVM", 64: "SVM"}.get(len(raw))
    if kind == "EVM":
        fits = len(raw) == 32 and 0 < int.from_bytes(raw, "big") < ORDER
        return str(Account.from_key(raw).address) if fits else None
    if kind != "SVM" or len(raw) not in (32, 64):
        return None
    pair = Keypair.from_seed(raw[:32])
    return str(pair.pubkey()) if raw[32:] in (b"", bytes(pair.pubkey())) else None


def bring(tenant: Tenant, blob: str, chain_type: str | None) -> Response:
    """Import what was sealed."""
    body = {"encryptedPrivateKey": blob} | ({} if chain_type is None else {"chainType": chain_type})
    return tenant.client.post(f"{BACKEND}/import", json=body, headers=tenant.secret, auth=tenant.wallet_auth)


def tells_nothing(tenant: Tenant, raw: bytes, answer: Response) -> None:
    """Neither the answer nor the journal shows the key."""
    if len(raw) >= 31 and any(raw[:31]):
        journal = tenant.client.get("/_mock/projects/-/journal", headers=tenant.secret).text
        for shown in (answer.text, journal):
            assert raw[:31].hex() not in shown.lower()
            assert b64encode(raw[:30]).decode() not in shown
