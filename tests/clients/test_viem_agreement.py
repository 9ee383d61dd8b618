"""Operations, authorizations, transactions, messages and addresses, as viem hashes, signs and spells them."""

import random
from collections.abc import Callable
from typing import Any

import pytest

from mockserver.chain.abi.functions import encode_event
from mockserver.chain.account_calls import calls_data
from mockserver.chain.addresses import ZERO_ADDRESS, address_of, checksum_of, create2_address, to_checksum
from mockserver.chain.authorizations import Authorization, authorization_digest
from mockserver.chain.serialized_transactions import read_unsigned
from mockserver.chain.transactions import FeeMarketTransaction
from mockserver.chain.user_operations import (
    ENTRY_POINTS,
    EVENT,
    UserOperation,
    rpc_shape,
    user_operation_hash,
)
from mockserver.chain.zksync import ZkSyncTransaction, approval_based_input, general_input, inner_input
from mockserver.crypto.keccak import keccak256
from mockserver.crypto.messages import personal_message_digest
from mockserver.crypto.secp256k1 import Signature, public_key, recover, sign
from tests.tables import cases

pytestmark = pytest.mark.clients

Viem = Callable[[str, list[Any]], list[Any]]

CHAINS = (1, 10, 137, 8453, 80002, 84532, 11155111, 2**53 - 1)
TEXTS = ("", "Hello", "Grüße, 世界 🦄", "0xab", "a\n" * 90, "\x19Ethereum Signed Message:\n5Hello")


def hexed(raw: bytes) -> str:
    return f"0x{raw.hex()}"


class Chance:
    """The values of one kind of cases, the same in every run."""

    def __init__(self, kind: str) -> None:
        self._random = random.Random(kind)
        self.pick = self._random.choice

    def happens(self) -> bool:
        return self._random.random() < 0.5

    def several(self, make: Callable[[], Any], most: int = 3) -> list[Any]:
        return [make() for _ in range(self._random.randint(0, most))]

    def raw(self, most: int = 70) -> bytes:
        return self._random.randbytes(self._random.randint(0, most))

    def word(self) -> bytes:
        return self._random.randbytes(32)

    def secret(self) -> bytes:
        return keccak256(self.word())

    def address(self) -> str:
        return checksum_of(self._random.randbytes(20))

    def amount(self, bits: int) -> int:
        """A number of any length, so that zero, single bytes and the largest one all come up."""
        return self._random.getrandbits(self._random.choice((0, 1, 7, 8, bits // 2, bits - 1, bits)) or 1)


def make_operation(chance: Chance, version: str) -> UserOperation:
    """Make an operation that uses what its entry point has."""
    delegated = version in ("0.8", "0.9") and chance.happens()
    deployed = not delegated and chance.happens()
    sponsored = chance.happens()
    return UserOperation(
        sender=chance.address(),
        nonce=chance.amount(256),
        factory="0x7702" if delegated else chance.address() if deployed else None,
        factory_data=chance.raw() if delegated or deployed else b"",
        call_data=chance.raw(300),
        call_gas_limit=chance.amount(128),
        verification_gas_limit=chance.amount(128),
        pre_verification_gas=chance.amount(256),
        max_fee_per_gas=chance.amount(128),
        max_priority_fee_per_gas=chance.amount(128),
        paymaster=chance.address() if sponsored else None,
        paymaster_verification_gas_limit=chance.amount(128) if sponsored and version != "0.6" else 0,
        paymaster_post_op_gas_limit=chance.amount(128) if sponsored and version != "0.6" else 0,
        paymaster_data=chance.raw() if sponsored else b"",
        signature=chance.raw(),
        eip7702_auth=chance.address() if delegated else None,
        paymaster_signature=chance.raw() if sponsored and version == "0.9" and chance.happens() else b"",
    )


def with_signature_at_the_end(op: UserOperation) -> UserOperation:
    """Move the paymaster's signature to where entry point 0.9 finds it: behind the data, before its mark."""
    length = len(op.paymaster_signature).to_bytes(2, "big")
    tail = op.paymaster_signature + length + keccak256(b"PaymasterSignature")[:8]
    changes = {"paymaster_data": op.paymaster_data + tail, "paymaster_signature": b""}
    return UserOperation(**{name: changes.get(name, getattr(op, name)) for name in op.__dataclass_fields__})


@cases("version", *ENTRY_POINTS)
def test_viem_hashes_a_shown_operation_to_what_owners_sign(viem: Viem, version: str) -> None:
    chance = Chance(f"operations of {version}")
    operations = [make_operation(chance, version) for _ in range(30)]
    chains = [chance.pick(CHAINS) for _ in operations]

    found = viem(
        "userOperation",
        [
            {
                "shape": rpc_shape(op, version),
                "version": version,
                "entryPoint": ENTRY_POINTS[version],
                "chainId": chain_id,
                "delegate": op.eip7702_auth,
            }
            for op, chain_id in zip(operations, chains, strict=True)
        ],
    )

    for op, chain_id, theirs in zip(operations, chains, found, strict=True):
        assert hexed(user_operation_hash(op, version, chain_id)) == theirs, op
        if op.paymaster_signature:
            assert hexed(user_operation_hash(with_signature_at_the_end(op), version, chain_id)) == theirs, op


def test_viem_reads_the_event_of_an_operation(viem: Viem) -> None:
    chance = Chance("events of operations")
    events: list[dict[str, Any]] = [
        {
            "userOpHash": hexed(chance.word()),
            "sender": chance.address(),
            "paymaster": chance.address() if chance.happens() else ZERO_ADDRESS,
            "nonce": chance.amount(256),
            "success": chance.happens(),
            "actualGasCost": chance.amount(256),
            "actualGasUsed": chance.amount(256),
        }
        for _ in range(20)
    ]
    logs = []
    for hash_, sender, paymaster, *told in map(dict.values, events):
        logs.append(encode_event(EVENT, [bytes.fromhex(hash_[2:]), sender, paymaster], told))

    found = viem("userOperationEvent", [{"topics": topics, "data": data} for topics, data in logs])

    for event, theirs in zip(events, found, strict=True):
        assert theirs == {"eventName": "UserOperationEvent", "args": event}


def make_authorization(chance: Chance) -> tuple[bytes, Authorization]:
    secret = chance.secret()
    fields = (chance.pick((0, *CHAINS)), chance.address(), chance.amount(48))
    return secret, Authorization(*fields, sign(secret, authorization_digest(*fields)))


def shape_authorization(authorization: Authorization) -> dict[str, Any]:
    signature = authorization.signature
    return {
        "chainId": authorization.chain_id,
        "address": authorization.address,
        "nonce": authorization.nonce,
        "r": hexed(signature.r.to_bytes(32, "big")),
        "s": hexed(signature.s.to_bytes(32, "big")),
        "yParity": signature.y_parity,
    }


def test_viem_hashes_signs_and_attributes_authorizations_alike(viem: Viem) -> None:
    chance = Chance("authorizations")
    made = [make_authorization(chance) for _ in range(25)]

    shapes = [shape_authorization(authorization) for _, authorization in made]
    found = viem(
        "authorization",
        [{"secret": s, "authorization": shape} for (s, _), shape in zip(made, shapes, strict=True)],
    )

    for (secret, ours), shape, theirs in zip(made, shapes, found, strict=True):
        assert hexed(authorization_digest(ours.chain_id, ours.address, ours.nonce)) == theirs["hash"], ours
        assert ours.authority == theirs["authority"] == address_of(public_key(secret)), ours
        assert {name: shape[name] for name in ("r", "s", "yParity")} == theirs["signature"], ours


def make_access_list(chance: Chance) -> tuple[tuple[str, tuple[bytes, ...]], ...]:
    return tuple(chance.several(lambda: (chance.address(), tuple(chance.several(chance.word)))))


def shape_access_list(access_list: tuple[tuple[str, tuple[bytes, ...]], ...]) -> list[dict[str, Any]]:
    return [{"address": address, "storageKeys": keys} for address, keys in access_list]


def make_fee_market(chance: Chance) -> FeeMarketTransaction:
    delegates = chance.happens()
    priority_fee = chance.amount(64)
    return FeeMarketTransaction(
        chain_id=chance.pick(CHAINS),
        nonce=chance.amount(48),
        max_priority_fee_per_gas=priority_fee,
        max_fee_per_gas=priority_fee + chance.amount(64),
        gas=chance.amount(40),
        to=chance.address() if delegates or chance.happens() else None,
        value=chance.amount(250),
        data=chance.raw(300),
        access_list=make_access_list(chance),
        authorizations=tuple(make_authorization(chance)[1] for _ in range(2)) if delegates else None,
    )


def shape_fee_market(tx: FeeMarketTransaction) -> dict[str, Any]:
    delegation = (
        {"type": "eip1559"}
        if tx.authorizations is None
        else {"type": "eip7702", "authorizationList": list(map(shape_authorization, tx.authorizations))}
    )
    return delegation | {
        "chainId": tx.chain_id,
        "nonce": tx.nonce,
        "maxPriorityFeePerGas": tx.max_priority_fee_per_gas,
        "maxFeePerGas": tx.max_fee_per_gas,
        "gas": tx.gas,
        "to": tx.to,
        "value": tx.value,
        "data": tx.data,
        "accessList": shape_access_list(tx.access_list),
    }


def test_viem_makes_fee_market_transactions_alike(viem: Viem) -> None:
    chance = Chance("transactions with a fee market")
    made = [(chance.secret(), make_fee_market(chance)) for _ in range(50)]

    found = viem("transaction", [{"secret": s, "fields": shape_fee_market(tx)} for s, tx in made])

    for (secret, tx), theirs in zip(made, found, strict=True):
        signature = sign(secret, tx.signing_hash())
        ours = (tx.serialize_unsigned(), tx.signing_hash(), tx.serialize(signature), tx.hash(signature))
        assert list(map(hexed, ours)) == list(theirs.values()), tx


def make_transaction(chance: Chance, kind: str) -> dict[str, Any]:
    """Make a transaction of any type, as viem takes it."""
    shape: dict[str, Any] = {
        "type": kind,
        "chainId": chance.pick(CHAINS),
        "nonce": chance.amount(48),
        "gas": chance.amount(40),
        "to": chance.address(),
        "value": chance.amount(250),
        "data": chance.raw(300),
    }
    if kind == "legacy" and chance.happens():
        # Before EIP-155 a transaction did not say for which chain it was.
        del shape["chainId"]
    if kind in ("legacy", "eip2930"):
        shape["gasPrice"] = chance.amount(64)
    else:
        shape["maxPriorityFeePerGas"] = chance.amount(64)
        shape["maxFeePerGas"] = shape["maxPriorityFeePerGas"] + chance.amount(64)
    if kind != "legacy":
        shape["accessList"] = shape_access_list(make_access_list(chance))
    if kind == "eip4844":
        shape["maxFeePerBlobGas"] = chance.amount(64)
        shape["blobVersionedHashes"] = [b"\x01" + chance.word()[1:] for _ in range(2)]
    elif kind == "eip7702":
        shape["authorizationList"] = [shape_authorization(make_authorization(chance)[1])]
    elif chance.happens():
        shape["to"] = None
    return shape


@cases("kind", "legacy", "eip2930", "eip1559", "eip4844", "eip7702")
def test_what_viem_serializes_has_its_digest_until_signed(viem: Viem, kind: str) -> None:
    chance = Chance(f"transactions of {kind}")
    made = [(chance.secret(), make_transaction(chance, kind)) for _ in range(15)]

    found = viem("transaction", [{"secret": secret, "fields": fields} for secret, fields in made])

    for (_, fields), theirs in zip(made, found, strict=True):
        unsigned, signed = (bytes.fromhex(theirs[name][2:]) for name in ("unsigned", "signed"))
        assert hexed(read_unsigned(unsigned).digest) == theirs["digest"], fields
        with pytest.raises(ValueError, match="already signed"):
            read_unsigned(signed)


def make_zksync_transaction(chance: Chance) -> tuple[ZkSyncTransaction, dict[str, Any] | None]:
    """Make a transaction, and what its paymaster wants: nothing, or a token."""
    flow: dict[str, Any] | None = None
    if chance.happens():
        flow = {"innerInput": chance.raw()}
        if chance.happens():
            flow |= {"token": chance.address(), "minAllowance": chance.amount(256)}
    paymaster_input = b""
    if flow and "token" in flow:
        paymaster_input = approval_based_input(flow["token"], flow["minAllowance"], flow["innerInput"])
    elif flow:
        paymaster_input = general_input(flow["innerInput"])
    priority_fee = chance.amount(64)
    tx = ZkSyncTransaction(
        chain_id=chance.pick((300, 324)),
        nonce=chance.amount(48),
        max_priority_fee_per_gas=priority_fee,
        max_fee_per_gas=priority_fee + chance.amount(64),
        gas=chance.amount(40),
        sender=chance.address(),
        to=chance.address(),
        value=chance.amount(250),
        data=chance.raw(300),
        gas_per_pubdata=chance.pick((50_000, 800)),
        paymaster=chance.address() if flow else None,
        paymaster_input=paymaster_input,
    )
    return tx, flow


def shape_zksync_transaction(tx: ZkSyncTransaction) -> dict[str, Any]:
    return {
        "chainId": tx.chain_id,
        "nonce": tx.nonce,
        "maxPriorityFeePerGas": tx.max_priority_fee_per_gas,
        "maxFeePerGas": tx.max_fee_per_gas,
        "gas": tx.gas,
        "from": tx.sender,
        "to": tx.to,
        "value": tx.value,
        "data": tx.data,
        "gasPerPubdata": tx.gas_per_pubdata,
        **({"paymaster": tx.paymaster} if tx.paymaster else {}),
    }


def test_viem_makes_zksync_transactions_alike(viem: Viem) -> None:
    chance = Chance("transactions of ZKsync")
    made = [(chance.secret(), *make_zksync_transaction(chance)) for _ in range(40)]

    found = viem(
        "zkSyncTransaction",
        [
            {"secret": secret, "fields": shape_zksync_transaction(tx), "flow": flow}
            for secret, tx, flow in made
        ],
    )

    for (secret, tx, flow), theirs in zip(made, found, strict=True):
        signature = sign(secret, tx.signing_hash()).to_bytes()
        ours = (tx.signing_hash(), tx.serialize(), tx.serialize(signature), tx.hash(signature))
        assert list(map(hexed, ours)) == list(theirs.values()), tx
        assert flow is None or inner_input(tx.paymaster_input) == flow["innerInput"]


def test_viem_hashes_and_signs_messages_alike(viem: Viem) -> None:
    chance = Chance("messages")
    messages: list[str | bytes] = [*TEXTS, *(chance.raw(200) for _ in range(14)), b"", bytes(32)]
    secrets = [chance.secret() for _ in messages]

    given = [each if isinstance(each, str) else {"raw": each} for each in messages]
    found = viem("message", [{"secret": s, "message": each} for s, each in zip(secrets, given, strict=True)])

    for secret, message, theirs in zip(secrets, messages, found, strict=True):
        digest = personal_message_digest(message.encode() if isinstance(message, str) else message)
        signature = bytes.fromhex(theirs["signature"][2:])
        assert {"digest": hexed(digest), "signature": sign(secret, digest).hex} == theirs, message
        assert recover(digest, Signature.from_bytes(signature)) == public_key(secret), message


def test_viem_encodes_batches_of_erc_7821_alike(viem: Viem) -> None:
    chance = Chance("batches")
    batches = [
        chance.several(lambda: (chance.address(), chance.amount(256), chance.raw(100)), most=4)
        for _ in range(20)
    ]

    found = viem(
        "batch", [{"calls": [{"to": t, "value": v, "data": d} for t, v, d in batch]} for batch in batches]
    )

    for batch, theirs in zip(batches, found, strict=True):
        assert hexed(calls_data("Calibur", batch)) == theirs, batch


def test_viem_derives_and_spells_addresses_alike(viem: Viem) -> None:
    chance = Chance("addresses")
    deployments = [(chance.address(), chance.word(), chance.word()) for _ in range(20)]
    spellings = [(chance.secret(), chance.pick((str, str.lower))(chance.address())) for _ in range(30)]

    found = viem("create2", [{"from": f, "salt": s, "bytecodeHash": h} for f, s, h in deployments])
    assert [create2_address(*each) for each in deployments] == found

    found = viem("address", [{"secret": secret, "address": address} for secret, address in spellings])
    ours = [{"spelt": to_checksum(a), "own": address_of(public_key(s))} for s, a in spellings]
    assert ours == found
