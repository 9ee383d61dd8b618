"""Accounts, and transactions of theirs that are created, read and signed."""

from typing import Any

from eth_abi import encode
from eth_account.messages import encode_typed_data
from eth_utils import keccak
from httpx import Client, Response

from mockserver.state.project import Project
from mockserver.state.wallets import Account
from tests.signing import owner_of, sign_hash

AMOY, BASE = 80002, 84532
THERE = "0x" + "11" * 20
EXPANSIONS = ["account", "feeSponsorship", "timeline", "userOperation", "logs"]
KINDS = [
    ("UpgradeableV6", AMOY),
    ("Simple", AMOY),
    ("Calibur", BASE),
    ("CaliburV9", AMOY),
    ("CaliburV9", BASE),
]


def create(api: Client, account: Account, chain: int = AMOY, **members: Any) -> Any:
    """A new transaction; it moves a thousand wei unless told otherwise."""
    body = {"chainId": chain, "accountId": account.id, "calls": [{"to": THERE, "value": "1000"}], **members}
    response = api.post("/v2/transactions", json=body)
    assert response.status_code == 200, response.text
    return response.json()


def whole(api: Client, row: Any) -> Any:
    """A transaction with everything expanded."""
    response = api.get(f"/v2/transactions/{row['id']}", params={"expand": EXPANSIONS})
    assert response.status_code == 200, response.text
    return response.json()


def signature_of(project: Project, account: Account, row: Any, *, eip191: bool = False) -> str:
    return sign_hash(owner_of(project, account), row["nextAction"]["hash"], eip191=eip191)


def submit(api: Client, row: Any, signature: str, **members: Any) -> Response:
    return api.post(f"/v2/transactions/{row['id']}/signature", json={"signature": signature, **members})


def events(row: Any) -> list[str]:
    return [event["event"] for event in row["timeline"]]


def number(text: str) -> int:
    return int(text, 16)


def raw(text: str) -> bytes:
    return bytes.fromhex(text[2:])


def operation_hash(op: dict[str, str], entry_point: str, chain: int, delegate: str) -> bytes:
    """The hash of a user operation as the entry points compute it, with eth_abi and eth_account."""
    if entry_point.startswith("0x5FF1"):
        head = [op["sender"], number(op["nonce"]), keccak(raw(op["initCode"])), keccak(raw(op["callData"]))]
        names = ("callGasLimit", "verificationGasLimit", "preVerificationGas", "maxFeePerGas")
        gas = [number(op[name]) for name in (*names, "maxPriorityFeePerGas")]
        types = ["address", "uint256", "bytes32", "bytes32", *["uint256"] * 5, "bytes32"]
        inner = keccak(encode(types, [*head, *gas, keccak(raw(op["paymasterAndData"]))]))
        return keccak(encode(["bytes32", "address", "uint256"], [inner, entry_point, chain]))
    init_code = b""
    if op.get("factory") == "0x7702":
        init_code = raw(delegate) + raw(op["factoryData"])
    elif "factory" in op:
        init_code = raw(op["factory"]) + raw(op["factoryData"])
    pay = b""
    if "paymaster" in op:
        limits = [op["paymasterVerificationGasLimit"], op["paymasterPostOpGasLimit"]]
        pay = raw(op["paymaster"]) + b"".join(number(x).to_bytes(16, "big") for x in limits)
        pay += raw(op["paymasterData"])
    packed: dict[str, Any] = {
        "sender": op["sender"],
        "nonce": number(op["nonce"]),
        "initCode": init_code,
        "callData": raw(op["callData"]),
        "accountGasLimits": number(op["verificationGasLimit"]).to_bytes(16, "big")
        + number(op["callGasLimit"]).to_bytes(16, "big"),
        "preVerificationGas": number(op["preVerificationGas"]),
        "gasFees": number(op["maxPriorityFeePerGas"]).to_bytes(16, "big")
        + number(op["maxFeePerGas"]).to_bytes(16, "big"),
        "paymasterAndData": pay,
    }
    if entry_point.startswith("0x0000"):
        dynamic = ("initCode", "callData", "paymasterAndData")
        hashed = {name: keccak(packed[name]) for name in dynamic}
        values = list((packed | hashed).values())
        types = ["address", "uint256", *["bytes32"] * 3, "uint256", "bytes32", "bytes32"]
        inner = keccak(encode(types, values))
        return keccak(encode(["bytes32", "address", "uint256"], [inner, entry_point, chain]))
    domain = {"name": "ERC4337", "version": "1", "chainId": chain, "verifyingContract": entry_point}
    kinds = ["address", "uint256", "bytes", "bytes", "bytes32", "uint256", "bytes32", "bytes"]
    fields = [{"name": name, "type": kind} for name, kind in zip(packed, kinds, strict=True)]
    typed = encode_typed_data(domain, {"PackedUserOperation": fields}, packed)
    return keccak(b"\x19" + typed.version + typed.header + typed.body)


def listed(api: Client, **query: Any) -> list[str]:
    response = api.get("/v2/transactions", params={"limit": 100, **query})
    assert response.status_code == 200, response.text
    body = response.json()
    assert body["total"] == len(body["data"])
    return [row["id"] for row in body["data"]]
