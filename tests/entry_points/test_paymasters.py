"""A paymaster with code, the official VerifyingPaymaster, is asked by an entry point with code."""

from dataclasses import replace

import pytest

from mockserver.chain.abi.functions import Function, encode_call, encode_values
from mockserver.chain.addresses import address_of
from mockserver.chain.user_operations import UserOperation, packed_fields, rpc_shape
from mockserver.crypto.messages import personal_message_digest
from mockserver.crypto.secp256k1 import public_key
from mockserver.crypto.secp256k1 import sign as sign_digest
from tests.entry_points.operations import Drawn, complete, data_of, sign
from tests.entry_points.sides import COUNTER, ETHER, Side, official
from tests.tables import cases

pytestmark = pytest.mark.clients

PAYMASTER, SIGNER = "0x" + "9a" * 20, b"\x09" * 32
SIGNER_ADDRESS = address_of(public_key(SIGNER))
FIELDS = "(address,uint256,bytes,bytes,bytes32,uint256,bytes32,bytes,bytes)"
GET_HASH = Function.parse(f"getHash({FIELDS},uint48,uint48)")


def sponsored(side: Side, until: int, secret: bytes) -> UserOperation:
    """An operation with an approval of the paymaster."""
    drawn = Drawn(None, 0, ((COUNTER, 0, data_of("Counter", "increment")),), False, None)
    window = encode_values(["uint48", "uint48"], [until, 0])
    operation = replace(
        complete(side, drawn),
        paymaster=PAYMASTER,
        paymaster_data=window,
        paymaster_verification_gas_limit=100_000,
        paymaster_post_op_gas_limit=1_000,
    )
    asked = encode_call(GET_HASH, [packed_fields(operation, "0.7"), until, 0])
    digest = personal_message_digest(bytes.fromhex(side.read(PAYMASTER, asked)[2:]))
    operation = replace(operation, paymaster_data=window + sign_digest(secret, digest).to_bytes())
    return replace(operation, signature=sign(side, operation, None))


@cases(
    "until, secret, refused",
    (2**40, SIGNER, None),
    (1_000, SIGNER, "AA32"),
    (2**40, b"\x08" * 32, "AA34"),
    ids=["approved", "expired", "signed by another"],
)
def test_a_paymaster_with_code_decides(until: int, secret: bytes, refused: str | None) -> None:
    side = Side.with_code("0.7")
    artifact = official("0.7", "VerifyingPaymaster")
    side.deploy(artifact, side.entry_point, SIGNER_ADDRESS, address=PAYMASTER)
    donor = "0x" + "d0" * 20
    side.fund(donor)
    side.node("anvil_impersonateAccount", donor)
    data = "0xb760faf9" + PAYMASTER[2:].rjust(64, "0")
    given = {"from": donor, "to": side.entry_point, "data": data, "value": hex(ETHER // 2), "gas": "0x30000"}
    side.node("eth_sendTransaction", given)
    shape = rpc_shape(sponsored(side, until, secret), "0.7")
    sent = side.bundle("eth_sendUserOperation", shape, side.entry_point)
    if refused is not None:
        assert sent["message"][:4] == refused
        return
    receipt = side.bundle("eth_getUserOperationReceipt", sent)
    assert (receipt["success"], receipt["paymaster"].lower()) == (True, PAYMASTER)
    assert side.deposit_of(PAYMASTER) == ETHER // 2 - int(receipt["actualGasCost"], 16)
    assert int(side.node("eth_getBalance", side.account.address), 16) == ETHER
