"""What a transaction costs and changes before its first instruction."""

from typing import Any

import pytest

from mockserver.chain.authorizations import RecoveredAuthorization
from mockserver.chain.evm.state import Account, Fork, State, delegation_to
from mockserver.chain.evm.transactions import (
    InvalidTransaction,
    call_of,
    check,
    delegate,
    floor_gas,
    intrinsic_gas,
)
from mockserver.chain.transactions import EvmTransaction
from tests.chain.evm.machines import ALICE, BOB, ENVIRONMENT, HERE, Memory
from tests.tables import cases

SENT = EvmTransaction(ALICE, BOB, 0, b"", 10**6, 0, 0, 0, max_fee_per_blob_gas=1)
GIVEN = RecoveredAuthorization(ENVIRONMENT.chain_id, HERE, 3, BOB)
CODE = b"\x5f"


@cases(
    "changed, gas",
    ({}, 21_000),
    ({"data": b"\0\1\0"}, 21_000 + 4 + 16 + 4),
    ({"to": None, "data": b"\1" * 33}, 21_000 + 33 * 16 + 32_000 + 2 * 2),
    ({"access_list": ((BOB, (1, 2)), (HERE, ()))}, 21_000 + 2 * 2400 + 2 * 1900),
    ({"authorizations": (GIVEN, GIVEN)}, 21_000 + 2 * 25_000),
)
def test_what_comes_before_the_execution_has_a_price(changed: dict[str, Any], gas: int) -> None:
    sent = SENT._replace(**changed)
    assert intrinsic_gas(sent) == gas
    needed = max(gas, floor_gas(sent.data))
    check(Memory(), ENVIRONMENT, sent._replace(gas=needed))
    with pytest.raises(InvalidTransaction, match="gas"):
        check(Memory(), ENVIRONMENT, sent._replace(gas=needed - 1))


def test_much_data_has_a_price_that_nothing_lowers() -> None:
    assert floor_gas(b"\0\1\0") == 21_000 + 10 * (1 + 4 + 1)


@cases(
    "held, changed, is_taken, refund",
    (Account(3, 0, b""), {}, True, 12_500),
    (Account(3, 5, delegation_to(ALICE)), {}, True, 12_500),
    (Account(3, 0, b""), {"chain_id": 0}, True, 12_500),
    (Account(0, 0, b""), {"nonce": 0}, True, 0),
    (Account(3, 0, b""), {"chain_id": ENVIRONMENT.chain_id + 1}, False, 0),
    (Account(4, 0, b""), {}, False, 0),
    (Account(3, 0, CODE), {}, False, 0),
    (Account(3, 0, b""), {"authority": None}, False, 0),
    (Account(2**64 - 1, 0, b""), {"nonce": 2**64 - 1}, False, 0),
)
def test_accounts_take_the_code_that_they_authorized(
    held: Account, changed: dict[str, Any], is_taken: bool, refund: int
) -> None:
    state = State(Memory({BOB: held}))
    given = GIVEN._replace(**changed)
    delegate(state, ENVIRONMENT.chain_id, SENT._replace(authorizations=(given,)))
    after = held._replace(nonce=held.nonce + 1, code=delegation_to(HERE)) if is_taken else held
    assert (state.account(BOB), state.refunds) == (after, refund)


def test_the_target_of_a_transaction_and_its_delegate_are_warm() -> None:
    state = State(Memory({BOB: Account(code=delegation_to(HERE)), HERE: Account(code=CODE)}))
    made = call_of(state, SENT, 10**6)
    assert (made.code, made.is_delegated, HERE in state.warmed) == (CODE, True, True)
    created = call_of(state, SENT._replace(to=None), 10**6)
    assert (created.kind, created.address in state.warmed) == ("CREATE", True)


BLOB = b"\1" + bytes(31)
FULL = {ALICE: Account(balance=10**18)}


@cases(
    "block, changed, reason",
    ({"gas_limit": 10**6 - 1}, {}, "exceeds block gas limit"),
    ({}, {"gas": 2**24 + 1}, "transaction gas limit too high"),
    ({}, {"authorizations": (GIVEN,), "gas": 45_999}, "intrinsic gas too low"),
    ({}, {"access_list": ((BOB, (1, 2)),), "gas": 27_199}, "intrinsic gas too low"),
    ({}, {"to": None, "data": bytes(33), "gas": 53_135}, "intrinsic gas too low"),
    ({}, {"data": b"\1" * 10 + bytes(10), "gas": 21_499}, "floor data gas"),
    ({}, {"nonce": 1}, "nonce too high"),
    ({}, {"nonce": 2**64 - 1}, "nonce has max value"),
    ({}, {"value": 2 * 10**18}, "insufficient funds"),
    ({}, {"max_priority_fee_per_gas": 10**10}, "max priority fee"),
    ({}, {"to": None, "data": bytes(49_153)}, "max initcode size"),
    ({}, {"to": None, "authorizations": (GIVEN,)}, "cannot create a contract"),
    ({}, {"to": None, "blob_hashes": (BLOB,)}, "cannot create a contract"),
    ({}, {"blob_hashes": ()}, "without blobs"),
    ({}, {"authorizations": ()}, "without blobs or authorizations"),
    ({"fork": Fork.CANCUN}, {"authorizations": (GIVEN,)}, "type not supported"),
    ({}, {"blob_hashes": (BLOB, b"\2" + bytes(31))}, "unknown version"),
    ({}, {"blob_hashes": (BLOB,) * 7}, "too many blobs"),
    ({"fork": Fork.PRAGUE}, {"blob_hashes": (BLOB,) * 10}, "too many blobs"),
    ({"base_fee": 7}, {"max_fee_per_gas": 6}, "less than block base fee"),
    ({"blob_base_fee": 7}, {"blob_hashes": (BLOB,), "max_fee_per_blob_gas": 6}, "blob gas fee"),
)
def test_what_a_block_does_not_take_says_why(
    block: dict[str, Any], changed: dict[str, Any], reason: str
) -> None:
    with pytest.raises(InvalidTransaction, match=reason):
        check(Memory(FULL), ENVIRONMENT._replace(**block), SENT._replace(**changed))


@cases(
    "block, changed",
    ({"gas_limit": 10**6}, {"to": None, "data": bytes(49_152)}),
    ({}, {"gas": 2**24}),
    ({"fork": Fork.PRAGUE}, {"gas": 2**24 + 1}),
    ({}, {"authorizations": (GIVEN,), "gas": 46_000}),
    ({}, {"access_list": ((BOB, (1, 2)),), "gas": 27_200}),
    ({}, {"to": None, "data": bytes(33), "gas": 53_136}),
    ({}, {"data": b"\1" * 10 + bytes(10), "gas": 21_500}),
    ({"fork": Fork.CANCUN}, {"data": b"\1" * 10 + bytes(10), "gas": 21_499}),
    ({}, {"blob_hashes": (BLOB,) * 6}),
    ({"fork": Fork.PRAGUE}, {"blob_hashes": (BLOB,) * 9, "authorizations": (GIVEN,)}),
    ({"base_fee": 7}, {"max_fee_per_gas": 7, "max_priority_fee_per_gas": 7}),
    ({"blob_base_fee": 7}, {"blob_hashes": (BLOB,), "max_fee_per_blob_gas": 7}),
    ({"blob_base_fee": 7}, {}),
)
def test_what_is_just_within_the_bounds_is_taken(block: dict[str, Any], changed: dict[str, Any]) -> None:
    check(Memory(FULL), ENVIRONMENT._replace(**block), SENT._replace(**changed))


def test_only_accounts_without_code_of_their_own_send() -> None:
    check(Memory({ALICE: Account(code=delegation_to(BOB))}), ENVIRONMENT, SENT)
    with pytest.raises(InvalidTransaction, match="EIP-3607"):
        check(Memory({ALICE: Account(code=CODE)}), ENVIRONMENT, SENT)
