"""Random transactions of all types between random programs, biased to where implementations differ."""

import random
from collections.abc import Callable
from typing import Any

from eth_account import Account
from eth_account.signers.local import LocalAccount

from mockserver.chain.evm.instructions import instructions_of
from mockserver.chain.evm.state import Fork
from tests.chain.evm.machines import CONTRACTS, assemble

CORNERS = (
    0,
    1,
    2,
    31,
    32,
    33,
    255,
    256,
    2**64 - 1,
    2**64,
    2**160,
    2**255 - 1,
    2**255,
    2**256 - 1,
    2**256 - 32,
)
SENDERS: list[LocalAccount] = [Account.from_key(bytes([number]) * 32) for number in (1, 2, 3)]
PROGRAMS = [bytes([0xC0 + number]) * 20 for number in range(4)]
PRECOMPILES = [number.to_bytes(20, "big") for number in (1, 2, 3, 4, 5, 6, 7, 8, 9, 0x100, 0x101)]
_PAIRING = PRECOMPILES[7]
POINT, NEGATIVE = (1, 2), (1, 0x30644E72E131A029B85045B68181585D97816A916871CA8D3C208C16D87CFD45)
TWIST_POINT = (
    0x198E9393920D483A7260BFB731FB5D25F1AA493335A9E71297E485B7AEF312C2,
    0x1800DEEF121F1E76426A00665E5C4479674322D4F75EDADD46DEBD5CD992F6ED,
    0x090689D0585FF075EC9E99AD690C3395BC4B313370B38EF355ACDADCD122975B,
    0x12C85EA5DB8C6DEB4AAB71808DCB408FE3D1E7690C43D37B4CE6CC0166FA7DAA,
)
"""The generator of the second group of alt_bn128, as EIP-197 writes it."""
_SELECTORS = [
    bytes.fromhex(selector) for contract in CONTRACTS.values() for selector in contract["selectors"].values()
]
_SKIPPED = {"INVALID", "JUMP", "JUMPI", "JUMPDEST"}
_NAMES = [each.name for each in instructions_of(Fork.OSAKA) if each.name not in _SKIPPED]


def make_case(seed: int) -> dict[str, Any]:
    """A case without its outcome, always the same for a seed."""
    chance = random.Random(seed)
    fork = chance.choice(("Cancun", "Prague", "Osaka"))
    pre = {address_of(one): account(chance, nonce=chance.choice((0, 0, 5))) for one in SENDERS}
    for address in PROGRAMS:
        pre[hex_of(address)] = account(chance, code=random_program(chance), is_contract=True)
    if fork != "Cancun" and chance.random() < 0.3:
        delegating = SENDERS[1]
        pre[address_of(delegating)]["code"] = "0xef0100" + chance.choice((*PROGRAMS, *PRECOMPILES)).hex()
    return {
        "name": f"random {seed}",
        "fork": fork,
        "chainId": "0x1",
        "env": {
            "coinbase": chance.choice(("0x" + "ba" * 20, address_of(SENDERS[0]), hex_of(PROGRAMS[0]))),
            "gasLimit": hex(30_000_000),
            "number": hex(chance.choice((1, 300))),
            "timestamp": "0x3e8",
            "prevRandao": "0x" + chance.randbytes(32).hex(),
            "baseFee": hex(chance.choice((0, 7, 10**9))),
            "excessBlobGas": "0x0",
        },
        "pre": pre,
        "sender": address_of(SENDERS[0]),
        "raw": random_transaction(chance, pre, fork),
        "precompiles": [],
    }


def account(
    chance: random.Random, *, nonce: int = 1, code: bytes = b"", is_contract: bool = False
) -> dict[str, Any]:
    slots = {
        hex(slot): hex(chance.choice(CORNERS[1:]))
        for slot in range(3)
        if is_contract and chance.random() < 0.5
    }
    balance = chance.choice((0, 1, 10**18)) if is_contract else 10**24
    return {"nonce": hex(nonce), "balance": hex(balance), "code": hex_of(code), "storage": slots}


def random_program(chance: random.Random, size: int = 40) -> bytes:
    if size > 20 and chance.random() < 0.3:
        name = chance.choice(("Token", "Nft", "Counter", "Factory", "Reverts", "Bank", "Batch", "Crypto"))
        return bytes.fromhex(CONTRACTS[name]["runtime_cancun"].removeprefix("0x"))
    return b"".join(_piece(chance) for _ in range(chance.randrange(1, size)))


def _piece(chance: random.Random) -> bytes:
    """An instruction with fitting operands most of the time, sometimes noise."""
    kind = chance.random()
    if kind < 0.02:
        return chance.randbytes(chance.randrange(1, 4))
    if kind < 0.3:
        return chance.choice(_CALLS)(chance)
    if kind < 0.45:
        return b"".join(_push(chance, chance.choice((0, 1, 2, *CORNERS))) for _ in range(2)) + assemble(
            chance.choice(("SSTORE", "TSTORE", "MSTORE", "SSTORE"))
        )
    if kind < 0.5:
        # A jump over the next byte, to what is a destination in most cases.
        return assemble("PC 0x05 ADD JUMP INVALID JUMPDEST".replace("INVALID", "STOP"))
    name = chance.choice(_NAMES)
    operands = b"".join(_push(chance, chance.choice(CORNERS)) for _ in range(chance.randrange(4)))
    return operands + assemble(name if not name.startswith("PUSH") else "PUSH0")


def _push(chance: random.Random, value: int) -> bytes:
    size = max(1, (value.bit_length() + 7) // 8)
    return bytes([0x5F + size]) + value.to_bytes(size, "big")


def _ranges(chance: random.Random) -> bytes:
    return b"".join(_push(chance, chance.choice((0, 0, 1, 32, 64, 213))) for _ in range(4))


def _call(chance: random.Random) -> bytes:
    name = chance.choice(("CALL", "CALL", "CALLCODE", "DELEGATECALL", "STATICCALL"))
    value = _push(chance, chance.choice((0, 0, 1, 10**17))) if name in ("CALL", "CALLCODE") else b""
    target = b"\x73" + chance.choice(
        (*PROGRAMS, *PROGRAMS, *PRECOMPILES, b"\xee" * 20, *map(key_bytes, SENDERS))
    )
    gas = (
        assemble("GAS") if chance.random() < 0.6 else _push(chance, chance.choice((0, 2300, 30_000, 2**255)))
    )
    return _ranges(chance) + value + target + gas + assemble(name)


def _create(chance: random.Random) -> bytes:
    init_code = random_program(chance, 8)[:32].ljust(32, b"\0")
    store = b"\x7f" + init_code + assemble("PUSH0 MSTORE")
    salt = chance.random() < 0.5
    operands = (_push(chance, chance.choice((1, 2))) if salt else b"") + assemble("0x20 PUSH0")
    return (
        store + operands + _push(chance, chance.choice((0, 0, 1))) + assemble("CREATE2" if salt else "CREATE")
    )


def _destroy(chance: random.Random) -> bytes:
    if chance.random() < 0.7:
        return b""
    return b"\x73" + chance.choice((*PROGRAMS, b"\xee" * 20)) + assemble("SELFDESTRUCT")


_CALLS: tuple[Callable[[random.Random], bytes], ...] = (_call, _call, _call, _create, _destroy)


def random_transaction(chance: random.Random, pre: dict[str, Any], fork: str) -> str:
    sender, kind = SENDERS[0], chance.choice((0, 1, 2, 2, 3) if fork == "Cancun" else (0, 1, 2, 3, 4, 4))
    creates = kind < 3 and chance.random() < 0.2
    nonce = int(pre[address_of(sender)]["nonce"], 16)
    fields: dict[str, Any] = {
        "nonce": nonce + (chance.random() < 0.02),
        "gas": chance.choice((21_000, 60_000, 200_000, 1_000_000, 1_000_000, 1_000_000, 5_000_000)),
        "value": chance.choice((0, 0, 1, 10**18)),
        "data": random_program(chance) if creates else _calldata(chance),
        "chainId": 1,
    }
    fields |= {} if creates else {"to": chance.choice((*PROGRAMS, key_bytes(SENDERS[1]), *PRECOMPILES))}
    fields |= {"data": _pairs(chance)} if fields.get("to") == _PAIRING else {}
    fields |= {"type": kind} if kind else {}
    fields |= {"gasPrice": chance.choice((7, 10**9))} if kind < 2 else _fees(chance)
    if kind:
        keys = ["0x" + slot.to_bytes(32, "big").hex() for slot in range(chance.randrange(3))]
        fields["accessList"] = (
            [{"address": hex_of(chance.choice(PROGRAMS)), "storageKeys": keys}] if keys else []
        )
    if kind == 3:
        fields |= {"maxFeePerBlobGas": 10, "blobVersionedHashes": [b"\x01" + bytes(31)]}
    if kind == 4:
        fields["authorizationList"] = [_authorization(chance, nonce) for _ in range(chance.randrange(1, 3))]
    return "0x" + sender.sign_transaction(fields).raw_transaction.hex().removeprefix("0x")


def _calldata(chance: random.Random) -> bytes:
    if chance.random() < 0.4:
        return chance.randbytes(chance.choice((0, 4, 36, 300)))
    words = (
        chance.choice((*CORNERS[:5], 64, int.from_bytes(chance.choice(PROGRAMS), "big"))) for _ in range(4)
    )
    return chance.choice(_SELECTORS) + b"".join(word.to_bytes(32, "big") for word in words)


def _pairs(chance: random.Random) -> bytes:
    """Pairs of points, which are the generators and their negatives for the most part."""
    pairs = [
        (*chance.choice((POINT, NEGATIVE, (0, 0))), *chance.choice((TWIST_POINT, TWIST_POINT, (0, 0, 0, 0))))
        for _ in range(chance.randrange(5))
    ]
    data = b"".join(number.to_bytes(32, "big") for pair in pairs for number in pair)
    if chance.random() < 0.2:
        at = chance.randrange(len(data) + 1)
        data = data[:at] + chance.randbytes(1) + data[at + 1 :]
    return data


def _fees(chance: random.Random) -> dict[str, int]:
    return {
        "maxFeePerGas": chance.choice((10**9, 2 * 10**9)),
        "maxPriorityFeePerGas": chance.choice((0, 1, 10**8)),
    }


def _authorization(chance: random.Random, nonce: int) -> Any:
    signer = chance.choice(SENDERS)
    return signer.sign_authorization(
        {
            "chainId": chance.choice((0, 1, 1, 2)),
            "address": hex_of(chance.choice((*PROGRAMS, bytes(20), *PRECOMPILES))),
            "nonce": chance.choice((0, 0, 1, 5, 6, nonce + 1)),
        }
    )


def address_of(signer: LocalAccount) -> str:
    return str(signer.address).lower()


def key_bytes(signer: LocalAccount) -> bytes:
    return bytes.fromhex(signer.address[2:])


def hex_of(data: bytes) -> str:
    return "0x" + data.hex()
