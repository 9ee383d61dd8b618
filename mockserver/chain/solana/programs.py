"""The programs of Solana that every wallet uses, as a pure function: System, Token, Token-2022, associated
token accounts, memos and compute budgets (Solana documentation, and the SPL's instruction layouts).

A transaction is executed on the accounts that it names, and gives those that it has changed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple, TypeAlias

from mockserver.chain.base58 import base58_encode
from mockserver.chain.solana.messages import (
    BUILT_IN,
    COMPUTE_BUDGET_PROGRAM,
    SYSTEM_PROGRAM,
    TOKEN_PROGRAMS,
    Message,
    fee_of,
)
from mockserver.chain.solana.tokens import (
    ASSOCIATED_TOKEN_PROGRAM,
    EMPTY,
    MINT_SIZE,
    TOKEN_ACCOUNT_SIZE,
    Mint,
    SolanaState,
    TokenAccount,
    associated_token_address,
    read_mint,
    read_token_account,
    rent_exempt,
)
from mockserver.chain.solana.transactions import MEMO_PROGRAM

MEMO_PROGRAMS = frozenset({MEMO_PROGRAM, "Memo1UhkJRfHyvLMcVucJwxXeuD728EqVDDwQDxFMNo"})
PROGRAMS = (
    *(SYSTEM_PROGRAM, COMPUTE_BUDGET_PROGRAM, ASSOCIATED_TOKEN_PROGRAM),
    *sorted(TOKEN_PROGRAMS | MEMO_PROGRAMS),
)
"""The programs that are executed."""
_BAD_DATA = "InvalidInstructionData"
_MAX_DATA = 10 * 1024 * 1024

Accounts: TypeAlias = dict[str, SolanaState]
InstructionError: TypeAlias = "str | dict[str, Any]"


class ProgramError(Exception):
    """An instruction fails; `error` is as the RPC API spells it."""

    def __init__(self, error: InstructionError, log: str | None = None) -> None:
        super().__init__(str(error))
        self.error = error
        self.log = log


class Executed(NamedTuple):
    """What came of a transaction."""

    accounts: Accounts
    """Those that it names, as they are afterwards; if it failed, with the fee paid."""
    fee: int
    error: Any = None
    """Why it failed, as the RPC API spells it."""
    logs: tuple[str, ...] = ()
    units: int = 0


# --- executing -------------------------------------------------------------------------------------------


def execute(message: Message, accounts: Mapping[str, SolanaState]) -> Executed:
    """Execute a transaction on the accounts that it names; what is missing is empty."""
    before = {key: accounts.get(key, EMPTY) for key in message.keys}
    payer, fee = message.keys[0], fee_of(message)
    if before[payer] == EMPTY:
        return Executed(before, 0, "AccountNotFound")
    if before[payer].lamports < fee:
        return Executed(before, 0, "InsufficientFundsForFee")
    paid = before | {payer: before[payer]._replace(lamports=before[payer].lamports - fee)}
    run = _Run(message, dict(paid))
    for place, instruction in enumerate(message.instructions):
        program = instruction.program or ""
        run.logs.append(f"Program {program} invoke [1]")
        try:
            run.execute(program, instruction.accounts, instruction.data)
        except ProgramError as error:
            if error.log:
                run.logs.append(f"Program log: {error.log}")
            run.logs.append(f"Program {program} failed: {describe_instruction_error(error.error)}")
            return Executed(paid, fee, {"InstructionError": [place, error.error]}, tuple(run.logs), run.units)
        run.logs.append(f"Program {program} success")
    for place, key in enumerate(message.keys):
        after = run.accounts[key]
        if after != before[key] and 0 < after.lamports < rent_exempt(len(after.data)):
            short = {"InsufficientFundsForRent": {"account_index": place}}
            return Executed(paid, fee, short, tuple(run.logs))
    return Executed(run.accounts, fee, None, tuple(run.logs), run.units)


def describe_instruction_error(error: InstructionError) -> str:
    """An error of an instruction in the node's words."""
    if isinstance(error, dict):
        return f"custom program error: {error['Custom']:#x}"
    return str(error)


def _custom(code: int, log: str | None = None) -> ProgramError:
    return ProgramError({"Custom": code}, log)


class _Run:
    """The execution of one transaction."""

    def __init__(self, message: Message, accounts: Accounts) -> None:
        self.message = message
        self.accounts = accounts
        self.logs: list[str] = []
        self.units = 0

    def execute(self, program: str, given: Sequence[str | None], data: bytes) -> None:
        self.units += 150 if program in BUILT_IN else 4_645
        accounts = [each for each in given if each is not None]
        if program == SYSTEM_PROGRAM:
            self._call(_SYSTEM, int.from_bytes(data[:4], "little"), program, accounts, data[4:])
        elif program in TOKEN_PROGRAMS:
            self._call(_TOKEN, data[0] if data else 255, program, accounts, data[1:])
        elif program == ASSOCIATED_TOKEN_PROGRAM:
            self._call(_ASSOCIATED, data[0] if data else 0, program, accounts, data[1:])
        elif program in MEMO_PROGRAMS:
            self.logs.append(f'Program log: Memo (len {len(data)}): "{data.decode("utf-8", "replace")}"')
        elif program != COMPUTE_BUDGET_PROGRAM:
            raise ProgramError("UnsupportedProgramId", f"{program} is not executed here")

    def _call(
        self, table: Mapping[int, Handler], kind: int, program: str, accounts: list[str], data: bytes
    ) -> None:
        handler = table.get(kind)
        if handler is None:
            raise ProgramError(_BAD_DATA, f"instruction {kind} is not executed here")
        try:
            handler(self, program, accounts, data)
        except IndexError:
            raise ProgramError("NotEnoughAccountKeys") from None
        except ProgramError as error:
            is_bad = error.error == _BAD_DATA and program in TOKEN_PROGRAMS
            raise _custom(12, "Error: Invalid instruction") if is_bad else error from None

    def require_signer(self, address: str) -> None:
        if address not in self.message.keys[: self.message.signers]:
            raise ProgramError("MissingRequiredSignature")

    def require_authority(self, address: str, wanted: str | None) -> None:
        if address != wanted:
            raise _custom(4, "Error: owner does not match")
        self.require_signer(address)

    def require_blank(self, address: str, program: str, size: int) -> None:
        account = self.accounts[address]
        if len(account.data) != size or account.owner != program:
            raise ProgramError("InvalidAccountData")
        if any(account.data):
            raise _custom(6, "Error: Already in use")

    def move(self, sender: str, receiver: str, lamports: int) -> None:
        here = self.accounts[sender]
        if here.lamports < lamports:
            raise _custom(1, f"Transfer: insufficient lamports {here.lamports}, need {lamports}")
        self.accounts[sender] = here._replace(lamports=here.lamports - lamports)
        there = self.accounts[receiver]
        self.accounts[receiver] = there._replace(lamports=there.lamports + lamports)

    def create(self, payer: str, address: str, lamports: int, size: int, owner: str) -> None:
        if self.accounts[address].lamports:
            raise _custom(0, f"Create Account: account {address} already in use")
        self.allocate(address, size)
        self.move(payer, address, lamports)
        self.accounts[address] = self.accounts[address]._replace(owner=owner)

    def allocate(self, address: str, size: int) -> None:
        here = self.accounts[address]
        if here.data or here.owner != SYSTEM_PROGRAM:
            raise _custom(0, f"Allocate: account {address} already in use")
        if size > _MAX_DATA:
            raise _custom(3, f"Allocate: requested {size}, max allowed {_MAX_DATA}")
        self.accounts[address] = here._replace(data=bytes(size))

    def mint(self, address: str) -> Mint:
        found = read_mint(self.accounts[address])
        if found is None:
            raise _custom(2, "Error: Invalid Mint")
        return found

    def token_account(self, address: str) -> TokenAccount:
        found = read_token_account(self.accounts[address])
        if found is None:
            raise ProgramError("InvalidAccountData")
        return found

    def put(self, address: str, packed: Mint | TokenAccount) -> None:
        self.accounts[address] = self.accounts[address]._replace(data=packed.pack())


Handler: TypeAlias = Callable[[_Run, str, list[str], bytes], None]


def _number(data: bytes, at: int = 0, size: int = 8) -> int:
    if len(data) < at + size:
        raise ProgramError(_BAD_DATA)
    return int.from_bytes(data[at : at + size], "little")


def _key(data: bytes, at: int = 0) -> str:
    return base58_encode(_number(data, at, 32).to_bytes(32, "little"))


# --- System ----------------------------------------------------------------------------------------------


def _create_account(run: _Run, _: str, accounts: list[str], data: bytes) -> None:
    run.require_signer(accounts[0])
    run.require_signer(accounts[1])
    run.create(accounts[0], accounts[1], _number(data), _number(data, 8), _key(data, 16))


def _assign(run: _Run, _: str, accounts: list[str], data: bytes) -> None:
    run.require_signer(accounts[0])
    run.accounts[accounts[0]] = run.accounts[accounts[0]]._replace(owner=_key(data))


def _transfer_lamports(run: _Run, _: str, accounts: list[str], data: bytes) -> None:
    run.require_signer(accounts[0])
    if run.accounts[accounts[0]].data:
        raise ProgramError("InvalidArgument", "Transfer: `from` must not carry data")
    run.move(accounts[0], accounts[1], _number(data))


def _allocate(run: _Run, _: str, accounts: list[str], data: bytes) -> None:
    run.require_signer(accounts[0])
    run.allocate(accounts[0], _number(data))


_SYSTEM: Mapping[int, Handler] = {0: _create_account, 1: _assign, 2: _transfer_lamports, 8: _allocate}


# --- Token and Token-2022 --------------------------------------------------------------------------------


def _initialize_mint(run: _Run, program: str, accounts: list[str], data: bytes) -> None:
    freezer = _key(data, 34) if _number(data, 33, 1) else None
    run.require_blank(accounts[0], program, MINT_SIZE)
    run.put(accounts[0], Mint(_key(data, 1), 0, data[0], freezer))


def _initialize_account(run: _Run, program: str, accounts: list[str], data: bytes) -> None:
    """InitializeAccount, 2 and 3: the owner is an account, or in the data."""
    owner = _key(data) if data else accounts[2]
    run.require_blank(accounts[0], program, TOKEN_ACCOUNT_SIZE)
    run.mint(accounts[1])
    run.put(accounts[0], TokenAccount(accounts[1], owner))


def _require_mint(account: TokenAccount, mint: str) -> None:
    if account.mint != mint:
        raise _custom(3, "Error: Account not associated with this Mint")


def _checked(handler: Handler, place: int, *, is_more: bool = False) -> Handler:
    """The kind that says the decimals of the mint, at a place that other kinds may not have."""

    def run_checked(run: _Run, program: str, accounts: list[str], data: bytes) -> None:
        mint = accounts[place]
        if is_more:
            _require_mint(run.token_account(accounts[0]), mint)
            accounts = [*accounts[:place], *accounts[place + 1 :]]
        if run.mint(mint).decimals != _number(data, 8, 1):
            raise _custom(18, "Error: decimals different from the Mint decimals")
        handler(run, program, accounts, data)

    return run_checked


def _transfer(run: _Run, _: str, accounts: list[str], data: bytes) -> None:
    source, destination, authority = accounts[0], accounts[1], accounts[2]
    _spend(run, source, run.token_account(destination).mint, authority, _number(data))
    # Read again: the two may be one.
    there = run.token_account(destination)
    run.put(destination, there._replace(amount=there.amount + _number(data)))


def _spend(run: _Run, source: str, mint: str, authority: str, amount: int) -> None:
    """Take tokens from an account, by its owner or within what it lets its delegate spend."""
    here = run.token_account(source)
    if here.amount < amount:
        raise _custom(1, "Error: insufficient funds")
    _require_mint(here, mint)
    if authority == here.delegate:
        run.require_signer(authority)
        if here.delegated < amount:
            raise _custom(1, "Error: insufficient funds")
        left = here.delegated - amount
        here = here._replace(delegated=left, delegate=authority if left else None)
    else:
        run.require_authority(authority, here.owner)
    run.put(source, here._replace(amount=here.amount - amount))


def _approve(run: _Run, _: str, accounts: list[str], data: bytes) -> None:
    source, delegate, owner = accounts[0], accounts[1], accounts[2]
    here = run.token_account(source)
    run.require_authority(owner, here.owner)
    run.put(source, here._replace(delegate=delegate, delegated=_number(data)))


def _revoke(run: _Run, _: str, accounts: list[str], data: bytes) -> None:
    here = run.token_account(accounts[0])
    run.require_authority(accounts[1], here.owner)
    run.put(accounts[0], here._replace(delegate=None, delegated=0))


def _set_authority(run: _Run, _: str, accounts: list[str], data: bytes) -> None:
    kind, address = _number(data, 0, 1), accounts[0]
    wanted = _key(data, 2) if _number(data, 1, 1) else None
    if kind >= len(_AUTHORITIES):
        raise ProgramError(_BAD_DATA)
    here: Any = run.mint(address) if kind < 2 else run.token_account(address)
    field = _AUTHORITIES[kind]
    # An account without an authority to close it is closed by its owner.
    now = getattr(here, field) or (here.owner if field == "closer" else None)
    run.require_signer(accounts[1])
    if now is None:
        raise _custom(5, "Error: the total supply of this token is fixed")
    if now != accounts[1]:
        raise _custom(4, "Error: owner does not match")
    if field == "owner":
        if wanted is None:
            raise ProgramError(_BAD_DATA)
        here = here._replace(delegate=None, delegated=0)
    run.put(address, here._replace(**{field: wanted}))


def _mint_to(run: _Run, _: str, accounts: list[str], data: bytes) -> None:
    there, amount = run.token_account(accounts[1]), _number(data)
    _require_mint(there, accounts[0])
    mint = run.mint(accounts[0])
    run.require_authority(accounts[2], mint.authority)
    if mint.supply + amount >= 2**64:
        raise _custom(14, "Error: Operation overflowed")
    run.put(accounts[0], mint._replace(supply=mint.supply + amount))
    run.put(accounts[1], there._replace(amount=there.amount + amount))


def _burn(run: _Run, _: str, accounts: list[str], data: bytes) -> None:
    mint, amount = run.mint(accounts[1]), _number(data)
    _spend(run, accounts[0], accounts[1], accounts[2], amount)
    run.put(accounts[1], mint._replace(supply=mint.supply - amount))


def _close_account(run: _Run, _: str, accounts: list[str], data: bytes) -> None:
    here = run.token_account(accounts[0])
    if accounts[0] == accounts[1]:
        raise ProgramError("InvalidAccountData")
    if here.amount:
        raise _custom(11, "Error: Non-native account can only be closed if its balance is zero")
    run.require_authority(accounts[2], here.closer or here.owner)
    run.move(accounts[0], accounts[1], run.accounts[accounts[0]].lamports)
    run.accounts[accounts[0]] = EMPTY


_AUTHORITIES = ("authority", "freezer", "owner", "closer")
"""The fields of mints and token accounts that have authorities, by their kinds."""
_TOKEN: Mapping[int, Handler] = {
    0: _initialize_mint,
    1: _initialize_account,
    3: _transfer,
    4: _approve,
    5: _revoke,
    6: _set_authority,
    7: _mint_to,
    8: _burn,
    9: _close_account,
    12: _checked(_transfer, 1, is_more=True),
    13: _checked(_approve, 1, is_more=True),
    14: _checked(_mint_to, 0),
    15: _checked(_burn, 1),
    16: _initialize_account,
    18: _initialize_account,
    20: _initialize_mint,
}


# --- associated token accounts ---------------------------------------------------------------------------


def _create_associated(
    run: _Run, _: str, accounts: list[str], data: bytes, *, is_idempotent: bool = False
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
    run.require_signer(payer)
    run.mint(mint)
    run.create(payer, address, rent_exempt(TOKEN_ACCOUNT_SIZE), TOKEN_ACCOUNT_SIZE, program)
    run.put(address, TokenAccount(mint, owner))


_ASSOCIATED: Mapping[int, Handler] = {
    0: _create_associated,
    1: partial(_create_associated, is_idempotent=True),
}
