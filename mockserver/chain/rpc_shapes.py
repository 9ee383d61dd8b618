"""Transactions and receipts as the execution API has them: in JSON, and hashed (EIP-1474, EIP-2718)."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from mockserver.chain import rlp
from mockserver.chain.transactions import EvmTransaction, FeeMarketTransaction
from mockserver.chain.zksync import ZkSyncTransaction
from mockserver.crypto.keccak import keccak256

_BLOOM_BITS = 2048


def fields_of_raw(transaction: EvmTransaction, raw: bytes) -> dict[str, Any]:
    """What a transaction is, by its bytes."""
    kind = raw[0] if raw[0] < 0xC0 else 0
    items: Any = rlp.decode(raw[1:] if kind else raw)
    v, r, s = (int.from_bytes(each, "big") for each in items[-3:])
    to = None if transaction.to is None else "0x" + transaction.to.hex()
    shown = fields_of(kind, "0x" + transaction.sender.hex(), to, transaction)
    if kind:
        shown["accessList"] = show_access_list(transaction.access_list)
    if kind == 3:
        shown["maxFeePerBlobGas"] = hex(transaction.max_fee_per_blob_gas)
        shown["blobVersionedHashes"] = ["0x" + each.hex() for each in transaction.blob_hashes or ()]
    if kind == 4:
        shown["authorizationList"] = [_show_authorization(each) for each in items[9]]
    return shown | ({"v": hex(v), "r": hex(r), "s": hex(s)} if kind == 0 else show_signature(v, r, s))


def fields_of(
    kind: int,
    sender: str,
    to: str | None,
    transaction: FeeMarketTransaction | ZkSyncTransaction | EvmTransaction,
) -> dict[str, Any]:
    """What transactions of all types have, and their fees."""
    most, priority = hex(transaction.max_fee_per_gas), hex(transaction.max_priority_fee_per_gas)
    fees = {"maxFeePerGas": most, "maxPriorityFeePerGas": priority}
    return {
        "type": hex(kind),
        "from": sender,
        "to": to,
        "nonce": hex(transaction.nonce),
        "value": hex(transaction.value),
        "input": "0x" + transaction.data.hex(),
        "gas": hex(transaction.gas),
        **({"gasPrice": most} if kind in (0, 1) else fees),
    }


def show_signature(parity: int, r: int, s: int) -> dict[str, str]:
    """The signature of a transaction with a type."""
    return {"yParity": hex(parity), "v": hex(parity), "r": hex(r), "s": hex(s)}


def show_access_list(entries: Iterable[tuple[bytes, Iterable[int]]]) -> list[dict[str, Any]]:
    """Addresses with slots of their storage (EIP-2930)."""
    return [
        {"address": "0x" + address.hex(), "storageKeys": [f"0x{slot:064x}" for slot in slots]}
        for address, slots in entries
    ]


def _show_authorization(fields: Any) -> dict[str, str]:
    chain_id, address, nonce, parity, r, s = fields
    named = {"chainId": chain_id, "nonce": nonce, "yParity": parity, "r": r, "s": s}
    shown = {name: hex(int.from_bytes(value, "big")) for name, value in named.items()}
    return {**shown, "address": "0x" + address.hex()}


def encode_receipt(shown: Mapping[str, Any]) -> bytes:
    """A receipt in JSON by RLP, behind its type: status, gas used so far, Bloom filter and logs."""
    kind, status, used = (int(shown[name], 16) for name in ("type", "status", "cumulativeGasUsed"))
    logs: list[rlp.RlpItem] = [
        [_raw_bytes(log["address"]), [*map(_raw_bytes, log["topics"])], _raw_bytes(log["data"])]
        for log in shown["logs"]
    ]
    return bytes([kind] if kind else []) + rlp.encode([status, used, _raw_bytes(shown["logsBloom"]), logs])


def _raw_bytes(text: str) -> bytes:
    return bytes.fromhex(text[2:])


def bloom(logs: Iterable[tuple[str, Sequence[str], str]]) -> str:
    """The Bloom filter of logs: their addresses and topics, three bits each (Yellow Paper, 4.4.3)."""
    bits = 0
    for address, topics, _ in logs:
        for entry in (address, *topics):
            digest = keccak256(bytes.fromhex(entry[2:]))
            for at in (0, 2, 4):
                bits |= 1 << (int.from_bytes(digest[at : at + 2], "big") % _BLOOM_BITS)
    return f"0x{bits:0{_BLOOM_BITS // 4}x}"
