"""The program Token, and what Token-2022 has of it (the instruction layouts of the SPL)."""

from collections.abc import Mapping
from functools import partial
from typing import Any

from mockserver.chain.solana.running import (
    BAD_DATA,
    Handler,
    ProgramError,
    Run,
    custom_error,
    read_key,
    read_number,
    rent_exempt,
)
from mockserver.chain.solana.tokens import (
    EMPTY,
    MINT_SIZE,
    NATIVE_MINT,
    TOKEN_ACCOUNT_SIZE,
    Mint,
    TokenAccount,
)

_FIXED_SUPPLY = 5, "Error: the total supply of this token is fixed"
_CANNOT_FREEZE = 16, "Error: This token mint cannot freeze accounts"


def _initialize_mint(run: Run, program: str, accounts: list[str], data: bytes) -> None:
    freezer = read_key(data, 34) if read_number(data, 33, 1) else None
    run.require_blank(accounts[0], program, MINT_SIZE)
    run.put(accounts[0], Mint(read_key(data, 1), 0, data[0], freezer))


def _initialize_account(run: Run, program: str, accounts: list[str], data: bytes) -> None:
    """InitializeAccount, 2 and 3: the owner is an account, or in the data."""
    owner = read_key(data) if data else accounts[2]
    run.require_blank(accounts[0], program, TOKEN_ACCOUNT_SIZE)
    run.mint(accounts[1])
    run.put(accounts[0], new_account(run, accounts[0], accounts[1], owner))


def new_account(run: Run, address: str, mint: str, owner: str) -> TokenAccount:
    """The token account of an owner at an address, which has its lamports."""
    reserve = rent_exempt(TOKEN_ACCOUNT_SIZE)
    if mint != NATIVE_MINT:
        return TokenAccount(mint, owner)
    return TokenAccount(mint, owner, run.accounts[address].lamports - reserve, reserve=reserve)


def _require_mint(account: TokenAccount, mint: str) -> None:
    if account.mint != mint:
        raise custom_error(3, "Error: Account not associated with this Mint")


def _checked(handler: Handler, place: int, *, is_more: bool = False) -> Handler:
    """The kind that says the decimals of the mint, at a place that other kinds may not have."""

    def run_checked(run: Run, program: str, accounts: list[str], data: bytes) -> None:
        mint = accounts[place]
        if is_more:
            _require_mint(run.token_account(accounts[0]), mint)
            accounts = [*accounts[:place], *accounts[place + 1 :]]
        if run.mint(mint).decimals != read_number(data, 8, 1):
            raise custom_error(18, "Error: decimals different from the Mint decimals")
        handler(run, program, accounts, data)

    return run_checked


def _transfer(run: Run, _: str, accounts: list[str], data: bytes) -> None:
    source, destination, authority = accounts[0], accounts[1], accounts[2]
    amount, before = read_number(data), run.accounts[source]
    _spend(run, source, run.usable(destination).mint, authority, amount)
    if source == destination:
        # It is checked only: what a delegate may spend stays, too.
        run.accounts[source] = before
        return
    there = run.token_account(destination)
    run.put(destination, there._replace(amount=there.amount + amount))
    if there.reserve is not None:
        run.move(source, destination, amount)


def _spend(run: Run, source: str, mint: str, authority: str, amount: int) -> None:
    """Take tokens from an account, by its owner or within what it lets its delegate spend."""
    here = run.usable(source)
    if here.amount < amount:
        raise custom_error(1, "Error: insufficient funds")
    _require_mint(here, mint)
    if authority == here.delegate:
        run.require_signer(authority)
        if here.delegated < amount:
            raise custom_error(1, "Error: insufficient funds")
        left = here.delegated - amount
        here = here._replace(delegated=left, delegate=authority if left else None)
    else:
        run.require_authority(authority, here.owner)
    run.put(source, here._replace(amount=here.amount - amount))


def _approve(run: Run, _: str, accounts: list[str], data: bytes) -> None:
    source, delegate, owner = accounts[0], accounts[1], accounts[2]
    here = run.usable(source)
    run.require_authority(owner, here.owner)
    run.put(source, here._replace(delegate=delegate, delegated=read_number(data)))


def _revoke(run: Run, _: str, accounts: list[str], data: bytes) -> None:
    here, authority = run.usable(accounts[0]), accounts[1]
    # A delegate may give up what it was lent.
    run.require_authority(authority, here.delegate if authority == here.delegate else here.owner)
    run.put(accounts[0], here._replace(delegate=None, delegated=0))


def _set_authority(run: Run, _: str, accounts: list[str], data: bytes) -> None:
    kind, address = read_number(data, 0, 1), accounts[0]
    wanted = read_key(data, 2) if read_number(data, 1, 1) else None
    if kind >= len(_AUTHORITIES):
        raise ProgramError(BAD_DATA)
    here: Any = run.mint(address) if kind < 2 else run.usable(address)
    field = _AUTHORITIES[kind]
    # An account without an authority to close it is closed by its owner.
    now = getattr(here, field) or (here.owner if field == "closer" else None)
    if now is None:
        raise custom_error(*(_CANNOT_FREEZE if field == "freezer" else _FIXED_SUPPLY))
    run.require_authority(accounts[1], now)
    if field == "owner":
        if wanted is None:
            raise ProgramError(BAD_DATA)
        here = here._replace(delegate=None, delegated=0)
        here = here if here.reserve is None else here._replace(closer=None)
    run.put(address, here._replace(**{field: wanted}))


def _mint_to(run: Run, _: str, accounts: list[str], data: bytes) -> None:
    there, amount = _usable_of_mint(run, accounts[1]), read_number(data)
    _require_mint(there, accounts[0])
    mint = run.mint(accounts[0])
    run.require_authority(accounts[2], mint.authority)
    if mint.supply + amount >= 2**64:
        raise custom_error(14, "Error: Operation overflowed")
    run.put(accounts[0], mint._replace(supply=mint.supply + amount))
    run.put(accounts[1], there._replace(amount=there.amount + amount))


def _burn(run: Run, _: str, accounts: list[str], data: bytes) -> None:
    mint, amount = run.mint(accounts[1]), read_number(data)
    _usable_of_mint(run, accounts[0])
    _spend(run, accounts[0], accounts[1], accounts[2], amount)
    run.put(accounts[1], mint._replace(supply=mint.supply - amount))


def _close_account(run: Run, _: str, accounts: list[str], data: bytes) -> None:
    here = run.token_account(accounts[0])
    if accounts[0] == accounts[1]:
        raise ProgramError("InvalidAccountData")
    if here.amount and here.reserve is None:
        raise custom_error(11, "Error: Non-native account can only be closed if its balance is zero")
    run.require_authority(accounts[2], here.closer or here.owner)
    run.move(accounts[0], accounts[1], run.accounts[accounts[0]].lamports)
    run.accounts[accounts[0]] = EMPTY


def _usable_of_mint(run: Run, address: str) -> TokenAccount:
    """A token account of a mint that is not SOL, whose tokens are neither minted nor burnt."""
    found = run.usable(address)
    _require_not_native(found)
    return found


def _require_not_native(account: TokenAccount) -> None:
    if account.reserve is not None:
        raise custom_error(10, "Error: Instruction does not support native tokens")


def _freeze(run: Run, _: str, accounts: list[str], data: bytes, *, is_frozen: bool) -> None:
    here, mint = run.token_account(accounts[0]), accounts[1]
    if here.is_frozen == is_frozen:
        raise custom_error(13, "Error: Invalid account state for operation")
    _require_not_native(here)
    _require_mint(here, mint)
    freezer = run.mint(mint).freezer
    if freezer is None:
        raise custom_error(*_CANNOT_FREEZE)
    run.require_authority(accounts[2], freezer)
    run.put(accounts[0], here._replace(is_frozen=is_frozen))


def _sync_native(run: Run, _: str, accounts: list[str], data: bytes) -> None:
    """Count lamports that were sent to an account of wrapped SOL."""
    here = run.token_account(accounts[0])
    if here.reserve is None:
        raise custom_error(19, "Error: Instruction does not support non-native tokens")
    run.put(accounts[0], here._replace(amount=run.accounts[accounts[0]].lamports - here.reserve))


_AUTHORITIES = ("authority", "freezer", "owner", "closer")
"""The fields of mints and token accounts that have authorities, by their kinds."""
TOKEN: Mapping[int, Handler] = {
    0: _initialize_mint,
    1: _initialize_account,
    3: _transfer,
    4: _approve,
    5: _revoke,
    6: _set_authority,
    7: _mint_to,
    8: _burn,
    9: _close_account,
    10: partial(_freeze, is_frozen=True),
    11: partial(_freeze, is_frozen=False),
    12: _checked(_transfer, 1, is_more=True),
    13: _checked(_approve, 1, is_more=True),
    14: _checked(_mint_to, 0),
    15: _checked(_burn, 1),
    16: _initialize_account,
    17: _sync_native,
    18: _initialize_account,
    20: _initialize_mint,
}
