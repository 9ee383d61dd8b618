"""What the code of an entry point may answer, whatever code it is."""

from typing import Any

from httpx import Client

from mockserver.chain.abi.functions import Function, encode_call, event_topic
from mockserver.chain.user_operations import ENTRY_POINTS
from mockserver.state.project import Project
from tests.chain.evm.machines import assemble
from tests.operations.contracts_with_code.chain import CONTROL, THERE, Chain
from tests.operations.responses import ok
from tests.tables import cases


def reverting(data: bytes) -> bytes:
    """Code that reverts with some data, which follows it."""
    size = f"0x{len(data):04x}"
    # The program itself has 13 bytes.
    return assemble(f"{size} 0x000d PUSH0 CODECOPY {size} PUSH0 REVERT") + data


def emitting(data: bytes) -> bytes:
    """Code that emits an event of an operation, with what is to be its data."""
    topic = event_topic("UserOperationEvent(bytes32,address,address,uint256,bool,uint256,uint256)").hex()
    return assemble(f"0x{data.hex()} PUSH0 MSTORE 0x{topic} 0x{len(data):02x} PUSH0 LOG1 STOP")


def failed_op(text: str) -> bytes:
    return encode_call(Function.parse("FailedOp(uint256,string)"), [0, text])


def failed_with(text: str, inner: bytes) -> bytes:
    return encode_call(Function.parse("FailedOpWithRevert(uint256,string,bytes)"), [0, text, inner])


INNER = encode_call(Function.parse("Error(string)"), ["not today"])


@cases(
    "code, reason, name",
    (b"\x00", "the code of the entry point has emitted no UserOperationEvent", None),
    (b"\x0c", "invalid opcode: 0x0c", None),
    (reverting(b""), "the entry point reverts with 0x", None),
    (reverting(INNER), "not today", None),
    (reverting(failed_op("AA24 signature error")), "AA24: signature error", "FailedOp"),
    (reverting(failed_op("")[:40]), "the entry point reverts with 0x220266b6" + "00" * 36, None),
    (emitting(b"\x01"), "the code of the entry point has emitted no UserOperationEvent", None),
    (reverting(failed_op("AA77 new")), "AA77: new", "FailedOp"),
    (reverting(failed_with("AA23 reverted", INNER)), "AA23: reverted: not today", "FailedOp"),
)
def test_what_the_code_refuses_fails(
    api: Client, project: Project, code: bytes, reason: str, name: Any
) -> None:
    chain = Chain.of(api, project, "Simple")
    address = f"{CONTROL}/addresses/{ENTRY_POINTS['0.7']}"
    ok(api.put(address, json={"code": "0x" + code.hex()}))
    row = chain.send_calls({"to": THERE, "value": "5"})
    error = row["receipt"]["error"]
    assert (row["status"], error["reason"], error.get("name")) == ("failed", reason, name)
    assert ok(api.get(f"{CONTROL}/addresses/{THERE}"))["balance_wei"] == "0"
    ok(api.put(address, json={"code": "0x"}))
    assert chain.send_calls({"to": THERE, "value": "5"})["status"] == "successful"
