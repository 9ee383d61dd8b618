"""Criteria of every type, and calldata to hold them against."""

import base64
import json
import struct
from typing import Any

from eth_abi import encode
from eth_utils import function_signature_to_4byte_selector
from solders.pubkey import Pubkey

from mockserver.domain.policies.criteria import Criterion

ALICE = "0x742d35Cc6634C0532925a3b844Bc9e7595f0aB12"
BOB = "0x00000000000000000000000000000000000000b0"
MINT = "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v"
OWNER = str(Pubkey(bytes(range(32))))
ABI = json.dumps(
    [
        {
            "type": "function",
            "name": "transfer",
            "inputs": [{"name": "to", "type": "address"}, {"name": "value", "type": "uint256"}],
        },
        {"type": "function", "name": "rename", "inputs": [{"name": "name", "type": "string"}]},
        {"type": "function", "name": "batch", "inputs": [{"name": "ids", "type": "uint256[]"}]},
        {"type": "function", "name": "pick", "inputs": [{"name": "", "type": "bool"}]},
    ]
)
IDL = json.dumps(
    {
        "address": MINT,
        "instructions": [
            {
                "name": "pay",
                "discriminator": [1, 2, 3, 4, 5, 6, 7, 8],
                "args": [
                    {"name": "lamports", "type": "u64"},
                    {"name": "memo", "type": "string"},
                    {"name": "owner", "type": "pubkey"},
                ],
            },
            {"name": "initialize", "args": []},
            {"name": "weigh", "args": [{"name": "ratio", "type": "f64"}]},
            {
                "name": "configure",
                "discriminator": [9],
                "args": [
                    {"name": "limit", "type": "i32"},
                    {"name": "shape", "type": {"defined": {"name": "Shape"}}},
                    {"name": "last", "type": "u8"},
                ],
            },
        ],
    }
)
SAMPLES: dict[str, dict[str, Any]] = {
    "evmAddress": {"operator": "in", "addresses": [ALICE]},
    "ethValue": {"operator": ">", "ethValue": "1000"},
    "evmNetwork": {"operator": "in", "chainIds": [84532]},
    "evmData": {"operator": "<=", "abi": ABI, "functionName": "transfer", "args": {"value": "1000"}},
    "evmMessage": {"operator": "match", "pattern": "^Sign"},
    "evmTypedDataVerifyingContract": {"operator": "in", "addresses": [ALICE]},
    "evmTypedDataField": {"operator": "<=", "fieldPath": "value", "value": "1000"},
    "netUSDChange": {"operator": "<=", "usdValue": "1000.00"},
    "solAddress": {"operator": "in", "addresses": [MINT]},
    "solValue": {"operator": "<=", "value": "1000"},
    "splAddress": {"operator": "in", "addresses": [MINT]},
    "splValue": {"operator": ">=", "value": "1000"},
    "mintAddress": {"operator": "==", "addresses": [MINT]},
    "solData": {"operator": "<=", "idl": IDL, "instructionName": "pay", "args": {"lamports": "1000"}},
    "programId": {"operator": "in", "programIds": [MINT]},
    "solNetwork": {"operator": "in", "networks": ["devnet"]},
    "solMessage": {"operator": "match", "pattern": "^Sign"},
}
OPERATIONS_OF = {
    "evmAddress": {"signEvmTransaction", "sendEvmTransaction", "sponsorEvmTransaction"},
    "ethValue": {"signEvmTransaction", "sendEvmTransaction", "sponsorEvmTransaction"},
    "evmNetwork": {"sendEvmTransaction", "sponsorEvmTransaction"},
    "evmData": {"signEvmTransaction", "sendEvmTransaction", "sponsorEvmTransaction"},
    "evmMessage": {"signEvmMessage"},
    "evmTypedDataVerifyingContract": {"signEvmTypedData"},
    "evmTypedDataField": {"signEvmTypedData"},
    "netUSDChange": {"sendEvmTransaction", "sponsorEvmTransaction"},
    "solAddress": {"signSolTransaction", "sendSolTransaction", "sponsorSolTransaction"},
    "solValue": {"signSolTransaction", "sendSolTransaction", "sponsorSolTransaction"},
    "splAddress": {"signSolTransaction", "sendSolTransaction", "sponsorSolTransaction"},
    "splValue": {"signSolTransaction", "sendSolTransaction", "sponsorSolTransaction"},
    "mintAddress": {"signSolTransaction", "sendSolTransaction", "sponsorSolTransaction"},
    "solData": {"signSolTransaction", "sendSolTransaction", "sponsorSolTransaction"},
    "programId": {"signSolTransaction", "sendSolTransaction", "sponsorSolTransaction"},
    "solNetwork": {"sendSolTransaction", "sponsorSolTransaction"},
    "solMessage": {"signSolMessage"},
}


def criterion(type_: str, **changes: Any) -> Criterion:
    """A sound criterion of a type, with some members changed; None takes one away."""
    members = {"type": type_, **SAMPLES[type_], **changes}
    return {name: value for name, value in members.items() if value is not None}


def transfer(to: str, value: int) -> str:
    return "0xa9059cbb" + encode(["address", "uint256"], [to, value]).hex()


def calldata(function: str, types: list[str], values: list[Any]) -> str:
    selector = function_signature_to_4byte_selector(f"{function}({','.join(types)})")
    return "0x" + (selector + encode(types, values)).hex()


def pay(lamports: int, memo: str = "rent", owner: str = OWNER) -> str:
    text = memo.encode()
    tail = struct.pack("<QI", lamports, len(text)) + text + bytes(Pubkey.from_string(owner))
    return base64.b64encode(bytes(range(1, 9)) + tail).decode()


def call_of(function: str, operator: str, args: object = None) -> Criterion:
    return criterion("evmData", functionName=function, operator=operator, args=args)
