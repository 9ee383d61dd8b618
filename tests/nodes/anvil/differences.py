"""In what the answers of two nodes differ, and which of it is meant to be so."""

import re
from typing import Any

from tests.nodes.anvil.random_calls import IMPERSONATED
from tests.nodes.comparing import Difference, is_meant, walk

_ESTIMATES_DIFFER_BY = 0.015
_KEPT_DIGITS = 2 + 2 * 4_096


MEANT = (
    Difference(".*", r".*\.(block|parent)Hash", "blocks are not hashed"),
    Difference(
        "eth_getBlock.*", r"\.(hash|mixHash|(state|receipts|transactions)Root)", "blocks are not hashed"
    ),
    Difference("eth_getBlock.*", r"\.size", "blocks are not encoded"),
    Difference("eth_getBlock.*", r"\.baseFeePerGas", "the base fee of a chain is a setting"),
    Difference("eth_getBlock.*", r"\.totalDifficulty", "the execution API has none since the merge"),
    Difference("eth_get.*Receipts?", r".*\.blockTimestamp", "receipts of the execution API have no time"),
    Difference("eth_get.*Receipts?", r".*\.blobGasPrice", "receipts without blobs have none"),
    Difference("debug_.*", r".*\.error", "why a call was stopped is said in geth's words"),
    Difference("debug_.*", r".*\.revertReason", "the reasons of panics are named otherwise"),
    Difference("trace_.*", r"\[\]\.error", "why a call was stopped is said in geth's words"),
    Difference("trace_.*", r"\[\]\.blockHash", "blocks are not hashed"),
    Difference("debug_traceBlock.*", r"\[\]\.result\.gasUsed", "Anvil's receipts have what we have here"),
    Difference("eth_createAccessList", "", "Anvil refuses what geth answers with an error beside the list"),
    Difference("anvil_setAutomine", "", "it answers as Hardhat does"),
    Difference("evm_snapshot", "", "the numbers of snapshots begin elsewhere"),
)
"""What differs on purpose."""

_KINDS = {
    "reverted": "execution reverted",
    "allowance": "gas required exceeds allowance",
    "funds": "insufficient funds",
    "nonce": "nonce too low|already known|transaction already imported",
    "gap": "nonce too high",
    "base fee": "max fee per gas less than block base fee",
    "priority fee": "max priority fee per gas higher than max fee per gas",
    "gas too low": "intrinsic gas too low",
    "gas too high": "intrinsic gas too high|exceeds block gas limit|gas limit too high",
}
"""The errors that clients tell apart by their messages."""

_MEANT_KINDS = {
    ("gas too low", "gas too high"): "Anvil says of a call with too little gas that it has too much",
    ("priority fee", "base fee"): "of two mistakes each names another one",
    ("base fee", "funds"): "of two mistakes each names another one",
    ("funds", "gas too high"): "of two mistakes each names another one",
    ("gas too low", "other"): "Anvil runs out of gas where there is too little to begin",
    ("other", "funds"): "of two mistakes each names another one",
    ("gas too low", "funds"): "of two mistakes each names another one",
}

_NO_TRACE = {"failed": False, "gas": 0, "returnValue": "0x", "structLogs": []}
"""What Anvil answers where geth says that there is no such transaction."""


def is_error(answer: Any) -> bool:
    """Whether a method was answered with an error."""
    return isinstance(answer, dict) and {"code", "message"} <= answer.keys()


def differences(method: str, ours: Any, theirs: Any) -> list[str]:
    """What differs and is not meant to."""
    ours, theirs = _comparable(method, ours), _comparable(method, theirs)
    return [
        f"{method}{path}: {mine!r}, and Anvil {other!r}"
        for path, mine, other in walk(ours, theirs)
        if not is_meant(MEANT, method, path)
        and not ((method, path) == ("eth_estimateGas", "") and _is_near(mine, other))
        and not (path == ".error" and (mine, other) in _MEANT_KINDS)
    ]


def _is_near(mine: Any, other: Any) -> bool:
    texts = isinstance(mine, str) and isinstance(other, str)
    return texts and abs(int(mine, 16) - int(other, 16)) <= _ESTIMATES_DIFFER_BY * int(other, 16)


def _comparable(method: str, answer: Any) -> Any:
    if method == "debug_traceTransaction" and answer == _NO_TRACE:
        return {"error": "other", "data": "0x"}
    if is_error(answer):
        return {"error": _kind_of(answer["message"]), "data": answer.get("data", "0x")}
    if method == "eth_createAccessList" and "error" in answer:
        return None
    if method == "eth_createAccessList":
        listed = sorted((each["address"], sorted(each["storageKeys"])) for each in answer["accessList"])
        return {"accessList": listed, "gasUsed": answer["gasUsed"]}
    if method == "eth_simulateV1":
        return [[_comparable_call(call) for call in block["calls"]] for block in answer]
    if isinstance(answer, dict) and "structLogs" in answer:
        return [_comparable_step(log) for log in answer["structLogs"]]
    if method.startswith(("debug_trace", "trace_")):
        return _shortened(answer)
    return _without_signature(answer)


def _comparable_step(log: dict[str, Any]) -> Any:
    """An instruction, without what Anvil logs of another kind: refunds, storage, words of errors."""
    # Anvil has what creating has cost, and geth what it costs without the calls that follow. What an
    # instruction costs that runs out of gas is in Anvil's what was left.
    cost = None if log["op"].startswith("CREATE") or log["gasCost"] >= log["gas"] else log["gasCost"]
    return [log["pc"], log["op"], log["gas"], cost, log["depth"], log["stack"]]


def _comparable_call(call: dict[str, Any]) -> Any:
    """What a simulated call does: the blocks around it are numbered by Anvil as if they were those before."""
    if call["status"] == "0x0":
        # Anvil leaves out what a revert returned, and does not leave out coins that were moved before.
        return [call["status"], call["gasUsed"]]
    logs = [[log["address"], log["topics"], log["data"]] for log in call["logs"]]
    return [call["status"], call["returnData"], call["gasUsed"], logs]


def _without_signature(answer: Any) -> Any:
    """An answer without the signatures of impersonated accounts, which are made up."""
    if isinstance(answer, list):
        return [_without_signature(each) for each in answer]
    if not isinstance(answer, dict):
        return answer
    made_up = {"v", "r", "s", "yParity"} if answer.get("from") == IMPERSONATED else set()
    return {name: _without_signature(value) for name, value in answer.items() if name not in made_up}


def _shortened(answer: Any) -> Any:
    """A trace with what is kept of the input and the output of each call: 4,096 bytes."""
    if isinstance(answer, list):
        return [_shortened(each) for each in answer]
    if isinstance(answer, dict):
        return {name: _shortened(value) for name, value in answer.items()}
    return answer[:_KEPT_DIGITS] if isinstance(answer, str) else answer


def _kind_of(message: str) -> str:
    return next((kind for kind, text in _KINDS.items() if re.search(text, message.lower())), "other")
