"""Programs that are deployed, executed by LiteSVM as a pure step: its accounts and its clock are set, a
transaction is sent, and the accounts are read back. LiteSVM is a part of `solders`, of the extra `solana`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from mockserver.chain.base58 import address_of
from mockserver.chain.solana.messages import UPGRADEABLE_LOADER, Message
from mockserver.chain.solana.programs import PROGRAMS, Executed, InnerCall, fee_of, needs_extra, refuse
from mockserver.chain.solana.running import is_program
from mockserver.chain.solana.tokens import EMPTY, SolanaState, has_more

if TYPE_CHECKING:
    from solders.litesvm import LiteSVM
    from solders.message import Message as SoldersMessage
    from solders.transaction_metadata import TransactionMetadata

FindState = Callable[[str], SolanaState]


def needs_machine(message: Message, states: Mapping[str, SolanaState]) -> bool:
    """Whether a transaction calls a program that is deployed, or asks for what is not executed natively.

    `states` are those of the accounts that it names.
    """
    if any(map(needs_extra, message.instructions)) or any(map(has_more, states.values())):
        return True
    called = {each.program for each in message.instructions if each.program is not None}
    return any(
        program == UPGRADEABLE_LOADER or is_program(states[program]) for program in called - {*PROGRAMS}
    )


def has_machine() -> bool:
    """Whether the extra `solana` is installed."""
    return find_spec("solders") is not None


def execute_deployed(
    message: Message, find_state: FindState, slot: int, now_s: int, blockhash: bytes
) -> Executed:
    """Execute a transaction in a slot after a block hash."""
    from solders.signature import Signature
    from solders.transaction import VersionedTransaction
    from solders.transaction_metadata import FailedTransactionMetadata

    before = {key: find_state(key) for key in message.keys}
    refusal = refuse(message, before, fee_of(message))
    if refusal is not None:
        return Executed(before, 0, refusal)
    machine = _machine(slot, now_s)
    for address, state in _needed(before, find_state):
        try:
            _put(machine, address, state)
        except Exception as failure:
            # The class of what LiteSVM raises for code that is none is not exported.
            if type(failure).__name__ != "LiteSVMError":
                raise
            return Executed(before, 0, "InvalidProgramForExecution")
    signatures = [Signature.default()] * message.signers
    compiled = _compile(message, blockhash)
    places = [message.keys.index(str(key)) for key in compiled.account_keys]
    sent = machine.send_transaction(VersionedTransaction.populate(compiled, signatures))
    if not isinstance(sent, FailedTransactionMetadata):
        returned = sent.return_data()
        data = (str(returned.program_id), bytes(returned.data)) if returned.data else None
        after = before | dict(_changed(machine, message))
        return Executed(after, sent.fee(), None, tuple(sent.logs()), data, tuple(_calls(sent, places)))
    error, logs = _show_error(sent.err()), tuple(sent.meta().logs())
    if isinstance(error, str):
        return Executed(before, 0, error, logs)
    payer, fee = message.keys[0], sent.meta().fee()
    paid = before[payer]._replace(lamports=before[payer].lamports - fee)
    inner = tuple(_calls(sent.meta(), places))
    return Executed(before | {payer: paid}, fee, error, logs, inner=inner)


def _machine(slot: int, now_s: int) -> LiteSVM:
    """A new one for each transaction, so that nothing is left of another: this takes ten milliseconds."""
    from solders.hash import Hash
    from solders.litesvm import LiteSVM

    made = LiteSVM().with_sigverify(False).with_blockhash_check(False).with_transaction_history(0)
    made.warp_to_slot(slot)
    made.set_slot_hashes([(max(0, slot - 1), Hash.default())])
    clock = made.get_clock()
    clock.unix_timestamp = now_s
    made.set_clock(clock)
    return made


def _needed(before: Mapping[str, SolanaState], find_state: FindState) -> Iterator[tuple[str, SolanaState]]:
    """The accounts that there are, and the code of programs among them, which comes before its program."""
    for state in before.values():
        if state.owner == UPGRADEABLE_LOADER and is_program(state):
            code = address_of(state.data[4:36])
            if code not in before:
                yield code, find_state(code)
    for address, state in sorted(before.items(), key=lambda each: is_program(each[1])):
        if state != EMPTY and address not in PROGRAMS:
            yield address, state


def _put(machine: LiteSVM, address: str, state: SolanaState) -> None:
    from solders.account import Account
    from solders.pubkey import Pubkey

    owner = Pubkey.from_string(state.owner)
    account = Account(state.lamports, state.data, owner, executable=is_program(state))
    machine.set_account(Pubkey.from_string(address), account)


def _changed(machine: LiteSVM, message: Message) -> Iterator[tuple[str, SolanaState]]:
    from solders.pubkey import Pubkey

    for place, key in enumerate(message.keys):
        # The machine has programs of its own.
        if message.is_writable(place) and key not in PROGRAMS:
            found = machine.get_account(Pubkey.from_string(key))
            if found is None or not found.lamports:
                yield key, EMPTY
            else:
                yield key, SolanaState(found.lamports, str(found.owner), bytes(found.data))


def _calls(sent: TransactionMetadata, places: list[int]) -> Iterator[InnerCall]:
    """The calls of programs by others; `places` are those of the accounts in the message that was sent."""
    for outer, called in enumerate(sent.inner_instructions()):
        for each in called:
            made = each.instruction()
            accounts = bytes(places[at] for at in made.accounts)
            yield outer, places[made.program_id_index], accounts, bytes(made.data), each.stack_height() or 0


def _compile(message: Message, blockhash: bytes) -> SoldersMessage:
    """The message with all of its accounts by themselves: where they were looked up makes no difference."""
    from solders.hash import Hash
    from solders.instruction import CompiledInstruction
    from solders.message import Message as SoldersMessage
    from solders.pubkey import Pubkey

    kinds = [(place >= message.signers, not message.is_writable(place)) for place in range(len(message.keys))]
    order = sorted(range(len(kinds)), key=kinds.__getitem__)
    places = {message.keys[place]: at for at, place in enumerate(order)}
    instructions = [
        CompiledInstruction(
            places[each.program or ""], each.data, bytes(places[key] for key in each.accounts if key)
        )
        for each in message.instructions
    ]
    return SoldersMessage.new_with_compiled_instructions(
        message.signers,
        kinds.count((False, True)),
        kinds.count((True, True)),
        [Pubkey.from_string(message.keys[place]) for place in order],
        Hash(blockhash),
        instructions,
    )


def _show_error(error: Any) -> Any:
    """An error as the RPC API spells it."""
    name = type(error).__name__.removeprefix("TransactionError")
    if name == "Fieldless":
        return str(error).rpartition(".")[2]
    shown = json.loads(error.to_json())
    if name == "InstructionError" and isinstance(shown[1], int):
        # solders writes the error of a program's own as its number alone.
        shown[1] = {"Custom": shown[1]}
    return {name: shown}
