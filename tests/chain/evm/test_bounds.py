"""What an execution costs besides gas is bounded: memory, and how long it goes on without a pause."""

import pytest

from mockserver.chain.evm import hashes, interpreter
from mockserver.chain.evm.frames import Call
from mockserver.chain.evm.interpreter import CallTrace, execute
from mockserver.chain.evm.state import Account, State
from mockserver.kernel.effort import finish
from tests.chain.evm.machines import ALICE, ENVIRONMENT, HERE, Memory, assemble, run
from tests.tables import cases

CALLS = "JUMPDEST PUSH0 PUSH0 PUSH0 PUSH0 {} GAS {} POP PUSH0 JUMP"


def loop(code: str, gas: int) -> Call:
    return Call("CALL", ALICE, HERE, 0, b"", gas, assemble(code), HERE)


@cases("number", 1, 3, 6, 7)
def test_a_loop_of_precompiled_contracts_pauses_as_well(number: int) -> None:
    call = loop(CALLS.format(f"{number:#04x}", "STATICCALL"), 200_000)
    assert sum(1 for _ in execute(State(Memory()), ENVIRONMENT, call)) > 5


def test_a_long_text_is_hashed_in_slices() -> None:
    assert sum(1 for _ in hashes.ripemd160(bytes(64 * 500))) == 10


def test_what_is_undone_is_undone_in_slices(monkeypatch: pytest.MonkeyPatch) -> None:
    call = loop("JUMPDEST GAS PUSH0 SSTORE PUSH0 JUMP", 200_000)
    state = State(Memory())
    finish(execute(state, ENVIRONMENT, call))
    monkeypatch.setattr(interpreter, "_STEPS_IN_A_SLICE", 50)
    longest, before = 0, state.savepoint()
    for _ in execute(state, ENVIRONMENT, call):
        longest, before = max(longest, before - state.savepoint()), state.savepoint()
    assert longest == 50
    assert state.savepoint() == 0


@cases("kind", "CALL", "STATICCALL", "SELFDESTRUCT")
def test_traces_keep_the_first_calls(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(interpreter, "_MOST_TRACED", 99)
    memory = Memory()
    if kind == "SELFDESTRUCT":
        memory.accounts[b"\xbb" * 20] = Account(code=assemble("CALLER SELFDESTRUCT"))
    target = "0x" + "bb" * 20
    code = CALLS.format(target, kind) if kind == "STATICCALL" else CALLS.format(f"PUSH0 {target}", "CALL")
    trace = run(code, memory=memory, gas=600_000)
    assert (trace.error, trace.gas_used) == ("out of gas", 600_000)
    assert count(trace) == 100


def count(trace: CallTrace) -> int:
    return 1 + sum(map(count, trace.calls))


def test_calls_that_move_nothing_leave_nothing_to_undo(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(interpreter, "_STEPS_IN_A_SLICE", 500)
    state = State(Memory())
    work = execute(state, ENVIRONMENT, loop(CALLS.format("PUSH0 0xbb", "CALL"), 100_000))
    assert max(state.savepoint() for _ in work) < 10


def test_an_account_is_read_once_in_a_call() -> None:
    memory, asked = Memory(), list[bytes]()
    read = memory.account

    def account(address: bytes) -> Account:
        asked.append(address)
        return read(address)

    memory.account = account  # type: ignore[method-assign]
    state = State(memory)
    finish(execute(state, ENVIRONMENT, loop(CALLS.format("0xbb", "DELEGATECALL"), 300_000)))
    assert sorted(asked) == sorted(set(asked))
    # What is stored then may be changed by others.
    state.take_writes()
    state.account(asked[0])
    assert asked[-1] == asked[0]
    assert len(asked) > len(set(asked))
