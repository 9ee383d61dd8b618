"""The programs of Solana that every wallet uses, as a pure function: System, Token, Token-2022, associated
token accounts, memos and compute budgets (Solana documentation, and the SPL's instruction layouts).

A transaction is executed on the accounts that it names, and gives those that it has changed.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple, TypeAlias

from mockserver.chain.solana.lookup_tables import LOOKUP_TABLE_PROGRAM, LOOKUP_TABLES
from mockserver.chain.solana.messages import (
    COMPUTE_BUDGET_PROGRAM,
    SYSTEM_PROGRAM,
    TOKEN_PROGRAMS,
    Instruction,
    Message,
)
from mockserver.chain.solana.running import (
    BAD_DATA,
    Accounts,
    Handler,
    ProgramError,
    Run,
    custom_error,
    describe_instruction_error,
    is_program,
    rent_exempt,
)
from mockserver.chain.solana.system_program import LAMPORTS_PER_SIGNATURE, SYSTEM, read_nonce
from mockserver.chain.solana.token_program import TOKEN, new_account
from mockserver.chain.solana.tokens import (
    ASSOCIATED_TOKEN_PROGRAM,
    EMPTY,
    TOKEN_ACCOUNT_SIZE,
    SolanaState,
    associated_token_address,
    read_token_account,
)
from mockserver.chain.solana.transactions import FIRST_MEMO_PROGRAM, MEMO_PROGRAMS

PROGRAMS = (
    *(SYSTEM_PROGRAM, COMPUTE_BUDGET_PROGRAM, ASSOCIATED_TOKEN_PROGRAM, LOOKUP_TABLE_PROGRAM),
    *sorted(TOKEN_PROGRAMS | MEMO_PROGRAMS),
)
"""The programs that are executed."""
_SIGNATURE_PROGRAMS = (
    "Ed25519SigVerify111111111111111111111111111",
    "KeccakSecp256k11111111111111111111111111111",
    "Secp256r1SigVerify1111111111111111111111111",
)
WITH_EXTRA = (*_SIGNATURE_PROGRAMS, "Stake11111111111111111111111111111111111111")
"""Programs of each cluster that are executed by LiteSVM alone."""
BUILT_IN = (SYSTEM_PROGRAM, COMPUTE_BUDGET_PROGRAM)
"""The programs that are parts of a node."""
_MOST_UNITS = 1_400_000
_HEAP_FRAME, _LIMIT, _PRICE, _LOADED_SIZE = 1, 2, 3, 4
_BUDGET_BYTES = {_HEAP_FRAME: 4, _LIMIT: 4, _PRICE: 8, _LOADED_SIZE: 4}
"""What is set of the compute budget, and the bytes of each value."""

InnerCall: TypeAlias = tuple[int, int, bytes, bytes, int]
"""A call of a program by another: the place of the instruction that it is for, those of its program and
accounts among the keys of the message, its data, and its height in the stack.
"""


class Executed(NamedTuple):
    """What came of a transaction."""

    accounts: Accounts
    """Those that it names, as they are afterwards; if it failed, with the fee paid."""
    fee: int
    error: Any = None
    """Why it failed, as the RPC API spells it."""
    logs: tuple[str, ...] = ()
    returned: tuple[str, bytes] | None = None
    """What the last program that returned something returned."""
    inner: tuple[InnerCall, ...] = ()
    """What programs have called."""


def fee_of(message: Message) -> int:
    """What a transaction costs: each signature, and the price of its compute units (in millionths)."""
    budget, _ = _read_budget(message)
    units = sum(3_000 if each.program in BUILT_IN else 200_000 for each in message.instructions)
    price = min(budget.get(_LIMIT, units), _MOST_UNITS) * budget.get(_PRICE, 0)
    checked = [each.data[:1] for each in message.instructions if each.program in _SIGNATURE_PROGRAMS]
    signatures = message.signers + sum(map(int.from_bytes, checked))
    return LAMPORTS_PER_SIGNATURE * signatures + -(-price // 1_000_000)


def units_of(logs: Iterable[str]) -> int:
    """What the programs have consumed that were called, as the logs of a transaction say."""
    units = depth = consumed = 0
    for log in logs:
        words = log.split()
        if words[:1] != ["Program"] or len(words) < 3 or words[1].endswith(":"):
            continue
        if words[2] == "invoke":
            depth += 1
            consumed = 150 if words[1] in BUILT_IN else 4_645
        elif words[2] == "consumed":
            consumed = int(words[3])
        elif words[2] in ("success", "failed:"):
            depth -= 1
            # What a program has consumed includes those that it has called.
            units += consumed if depth == 0 else 0
    return units


# --- executing -------------------------------------------------------------------------------------------


def execute(message: Message, accounts: Mapping[str, SolanaState], slot: int, blockhash: bytes) -> Executed:
    """Execute a transaction in a slot, after a block hash, on what it names; missing accounts are empty."""
    before = {key: accounts.get(key, EMPTY) for key in message.keys}
    payer, fee = message.keys[0], fee_of(message)
    refusal = refuse(message, before, fee)
    if refusal is not None:
        return Executed(before, 0, refusal)
    paid = before | {payer: before[payer]._replace(lamports=before[payer].lamports - fee)}
    run = Run(message, dict(paid), slot, blockhash)
    for place, instruction in enumerate(message.instructions):
        program, start = instruction.program or "", dict(run.accounts)
        run.logs.append(f"Program {program} invoke [1]")
        try:
            _execute(run, program, instruction.accounts, instruction.data)
            _require_unchanged(run, program, start)
        except ProgramError as error:
            if error.log:
                # What is built into the node logs without a mark.
                run.logs.append(error.log if program in BUILT_IN else f"Program log: {error.log}")
            run.logs.append(f"Program {program} failed: {describe_instruction_error(error.error)}")
            return Executed(paid, fee, {"InstructionError": [place, error.error]}, tuple(run.logs))
        run.logs.append(f"Program {program} success")
    for place, key in enumerate(message.keys):
        if _lacks_rent(before[key], run.accounts[key]):
            return Executed(paid, fee, _no_rent(place), tuple(run.logs))
    return Executed(run.accounts, fee, None, tuple(run.logs))


def refuse(message: Message, before: Accounts, fee: int) -> Any:
    """Why no block takes a transaction that costs a fee, and then pays nothing, or None."""
    if len(before) < len(message.keys):
        return "AccountLoadedTwice"
    _, error = _read_budget(message)
    return error or _check_payer(before[message.keys[0]], fee)


def needs_extra(instruction: Instruction) -> bool:
    """Whether a program of each cluster is asked for what is executed by LiteSVM alone."""
    program = instruction.program or ""
    if program not in _INSTRUCTIONS:
        return program in WITH_EXTRA
    handlers, size = _INSTRUCTIONS[program]
    return int.from_bytes(instruction.data[:size], "little") not in handlers


def _execute(run: Run, program: str, given: Sequence[str | None], data: bytes) -> None:
    accounts = [each for each in given if each is not None]
    if program in _INSTRUCTIONS:
        handlers, size = _INSTRUCTIONS[program]
        _call(run, handlers, int.from_bytes(data[:size], "little"), program, accounts, data[size:])
    elif program in MEMO_PROGRAMS:
        _log_memo(run, program, accounts, data)
    elif program != COMPUTE_BUDGET_PROGRAM:
        is_deployed = program in WITH_EXTRA or is_program(run.accounts[program])
        how = "executed with the extra `solana` only" if is_deployed else "not executed here"
        raise ProgramError("UnsupportedProgramId", f"{program} is {how}")


def _require_unchanged(run: Run, program: str, start: Accounts) -> None:
    """Refuse an instruction of a program that has changed what the message has only to be read."""
    for place, key in enumerate(run.message.keys):
        old, new = start[key], run.accounts[key]
        if new == old or run.message.is_writable(place):
            continue
        if program == ASSOCIATED_TOKEN_PROGRAM:
            raise ProgramError("PrivilegeEscalation")
        # The System program writes before it pays, the others pay first.
        if new.lamports != old.lamports and (program != SYSTEM_PROGRAM or new.data == old.data):
            raise ProgramError("ReadonlyLamportChange")
        raise ProgramError("ModifiedProgramId" if new.data == old.data else "ReadonlyDataModified")


def _read_budget(message: Message) -> tuple[dict[int, int], Any]:
    """What a message sets of its compute budget, and why no block takes that, or None."""
    found: dict[int, int] = {}
    for place, each in enumerate(message.instructions):
        if each.program != COMPUTE_BUDGET_PROGRAM:
            continue
        kind = int.from_bytes(each.data[:1])
        size = _BUDGET_BYTES.get(kind)
        value = int.from_bytes(each.data[1 : 1 + (size or 0)], "little")
        is_odd = kind == _HEAP_FRAME and value not in range(32 * 1024, 256 * 1024 + 1, 1024)
        if size is None or len(each.data) <= size or is_odd:
            return found, {"InstructionError": [place, BAD_DATA]}
        if kind in found:
            return found, {"DuplicateInstruction": place}
        found[kind] = value
    return found, "InvalidLoadedAccountsDataSizeLimit" if found.get(_LOADED_SIZE) == 0 else None


def _check_payer(payer: SolanaState, fee: int) -> Any:
    """Why an account does not pay a fee, or None: it has to be one of the System program."""
    if not payer.lamports:
        return "AccountNotFound"
    is_nonce = read_nonce(payer) is not None
    if payer.owner != SYSTEM_PROGRAM or (payer.data and not is_nonce):
        return "InvalidAccountForFee"
    left = payer.lamports - fee
    if left < (rent_exempt(len(payer.data)) if is_nonce else 0):
        return "InsufficientFundsForFee"
    return _no_rent(0) if _lacks_rent(payer, payer._replace(lamports=left)) else None


def _lacks_rent(before: SolanaState, after: SolanaState) -> bool:
    """Whether an account has too little for its rent now; one that had too little may only have less."""
    has_less = len(after.data) == len(before.data) and after.lamports <= before.lamports
    had_too_little = 0 < before.lamports < rent_exempt(len(before.data))
    return 0 < after.lamports < rent_exempt(len(after.data)) and not (had_too_little and has_less)


def _no_rent(place: int) -> Any:
    return {"InsufficientFundsForRent": {"account_index": place}}


def _log_memo(run: Run, program: str, accounts: list[str], data: bytes) -> None:
    for each in accounts if program != FIRST_MEMO_PROGRAM else ():
        run.require_signer(each)
    try:
        run.logs.append(f'Program log: Memo (len {len(data)}): "{data.decode()}"')
    except UnicodeDecodeError:
        raise ProgramError(BAD_DATA) from None


def _call(
    run: Run, table: Mapping[int, Handler], kind: int, program: str, accounts: list[str], data: bytes
) -> None:
    handler = table.get(kind)
    if handler is None:
        raise ProgramError(BAD_DATA, f"instruction {kind} is executed with the extra `solana` only")
    try:
        handler(run, program, accounts, data)
    except IndexError:
        raise ProgramError("MissingAccount" if program in BUILT_IN else "NotEnoughAccountKeys") from None
    except ProgramError as error:
        is_bad = error.error == BAD_DATA and program in TOKEN_PROGRAMS
        raise custom_error(12, "Error: Invalid instruction") if is_bad else error from None


# --- associated token accounts ---------------------------------------------------------------------------


def _create_associated(
    run: Run, _: str, accounts: list[str], data: bytes, *, is_idempotent: bool = False
) -> None:
    program, payer, address, owner, mint = accounts[5], *accounts[:4]
    if address != associated_token_address(owner, mint, program):
        raise ProgramError("InvalidSeeds", "Error: Associated address does not match seed derivation")
    if program not in TOKEN_PROGRAMS:
        raise ProgramError("IncorrectProgramId")
    if read_token_account(run.accounts[address]) is not None:
        if is_idempotent:
            return
        raise ProgramError("IllegalOwner")
    run.mint(mint)
    # The system program, which it calls, would take lamports that nothing allows it to.
    run.require_signer(payer, "PrivilegeEscalation")
    run.create(payer, address, rent_exempt(TOKEN_ACCOUNT_SIZE), TOKEN_ACCOUNT_SIZE, program)
    run.put(address, new_account(run, address, mint, owner))


_ASSOCIATED: Mapping[int, Handler] = {
    0: _create_associated,
    1: partial(_create_associated, is_idempotent=True),
}
_INSTRUCTIONS: Mapping[str, tuple[Mapping[int, Handler], int]] = {
    SYSTEM_PROGRAM: (SYSTEM, 4),
    ASSOCIATED_TOKEN_PROGRAM: (_ASSOCIATED, 1),
    LOOKUP_TABLE_PROGRAM: (LOOKUP_TABLES, 4),
    **dict.fromkeys(TOKEN_PROGRAMS, (TOKEN, 1)),
}
"""What the instructions of programs do by their numbers, and the bytes that these have."""
