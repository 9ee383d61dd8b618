"""A transaction of Solana while it is executed: its accounts, and what every program does with them."""

from collections.abc import Callable
from typing import Any, Protocol, TypeAlias

from mockserver.chain.base58 import base58_encode
from mockserver.chain.solana.messages import SYSTEM_PROGRAM, UPGRADEABLE_LOADER, Message
from mockserver.chain.solana.tokens import (
    Mint,
    SolanaState,
    TokenAccount,
    has_more,
    read_mint,
    read_token_account,
)

BAD_DATA = "InvalidInstructionData"
_MAX_DATA = 10 * 1024 * 1024
"""The most bytes that an account has."""

LOADER = "BPFLoader2111111111111111111111111111111111"
"""It owns programs, as UPGRADEABLE_LOADER does, which has the code of each in an account beside it."""
_PROGRAM, _PROGRAM_SIZE = b"\x02\0\0\0", 36
"""What an account with the address of a program's code begins with, and its bytes."""

_WORDS = {
    BAD_DATA: "invalid instruction data",
    "ExternalAccountLamportSpend": "instruction spent from the balance of an account it does not own",
    "IllegalOwner": "Provided owner is not allowed",
    "Immutable": "Account is immutable",
    "IncorrectAuthority": "Incorrect authority provided",
    "IncorrectProgramId": "incorrect program id for instruction",
    "InsufficientFunds": "insufficient funds for instruction",
    "InvalidAccountData": "invalid account data for instruction",
    "InvalidAccountOwner": "Invalid account owner",
    "InvalidArgument": "invalid program argument",
    "InvalidSeeds": "Provided seeds do not result in a valid address",
    "MissingAccount": "An account required by the instruction is missing",
    "MissingRequiredSignature": "missing required signature for instruction",
    "ModifiedProgramId": "instruction illegally modified the program id of an account",
    "NotEnoughAccountKeys": "insufficient account keys for instruction",
    "PrivilegeEscalation": "Cross-program invocation with unauthorized signer or writable account",
    "ReadonlyDataModified": "instruction modified data of a read-only account",
    "ReadonlyLamportChange": "instruction changed the balance of a read-only account",
    "UnsupportedProgramId": "Unsupported program id",
}
_TRANSACTION_WORDS = {
    "AccountLoadedTwice": "Account loaded twice",
    "AccountNotFound": "Attempt to debit an account but found no record of a prior credit.",
    "AlreadyProcessed": "This transaction has already been processed",
    "BlockhashNotFound": "Blockhash not found",
    "InsufficientFundsForFee": "Insufficient funds for fee",
    "InvalidAccountForFee": "This account may not be used to pay transaction fees",
    "InvalidProgramForExecution": "This program may not be used for executing instructions",
}


class Packed(Protocol):
    """What an account has in its data."""

    def pack(self) -> bytes: ...


Accounts: TypeAlias = dict[str, SolanaState]
InstructionError: TypeAlias = "str | dict[str, Any]"


class ProgramError(Exception):
    """An instruction fails; `error` is as the RPC API spells it."""

    def __init__(self, error: InstructionError, log: str | None = None) -> None:
        super().__init__(str(error))
        self.error = error
        self.log = log


def is_program(state: SolanaState) -> bool:
    """Whether an account is a program that can be called."""
    is_indirect = state.data[:4] == _PROGRAM and len(state.data) >= _PROGRAM_SIZE
    return state.owner == LOADER or (state.owner == UPGRADEABLE_LOADER and is_indirect)


def rent_exempt(size: int) -> int:
    """The lamports that an account with so many bytes of data has to have."""
    return (128 + size) * 3_480 * 2


def describe_error(error: Any) -> str:
    """An error of a transaction in the node's words."""
    match error:
        case {"InstructionError": [place, inner]}:
            return f"Error processing Instruction {place}: {describe_instruction_error(inner)}"
        case {"DuplicateInstruction": place}:
            return f"Transaction contains a duplicate instruction ({place}) that is not allowed"
        case {"InsufficientFundsForRent": {"account_index": place}}:
            return f"Transaction results in an account ({place}) with insufficient funds for rent"
    return _TRANSACTION_WORDS.get(error, error) if isinstance(error, str) else str(error)


def describe_instruction_error(error: InstructionError) -> str:
    """An error of an instruction in the node's words."""
    if isinstance(error, dict):
        return f"custom program error: {error['Custom']:#x}"
    return _WORDS.get(error, error)


def custom_error(code: int, log: str | None = None) -> ProgramError:
    return ProgramError({"Custom": code}, log)


class Run:
    """The execution of one transaction."""

    def __init__(self, message: Message, accounts: Accounts, slot: int, blockhash: bytes) -> None:
        self.message = message
        self.slot = slot
        self.blockhash = blockhash
        self.accounts = accounts
        self.logs: list[str] = []

    def require_signer(self, address: str, error: str = "MissingRequiredSignature") -> None:
        if address not in self.message.keys[: self.message.signers]:
            raise ProgramError(error)

    def require_authority(self, address: str, wanted: str | None) -> None:
        if address != wanted:
            raise custom_error(4, "Error: owner does not match")
        self.require_signer(address)

    def require_blank(self, address: str, program: str, size: int) -> None:
        account = self.accounts[address]
        if len(account.data) != size or account.owner != program:
            raise ProgramError("InvalidAccountData")
        if any(account.data):
            raise custom_error(6, "Error: Already in use")

    def move(self, sender: str, receiver: str, lamports: int) -> None:
        here = self.accounts[sender]
        if here.lamports < lamports:
            raise custom_error(1, f"Transfer: insufficient lamports {here.lamports}, need {lamports}")
        self.accounts[sender] = here._replace(lamports=here.lamports - lamports)
        there = self.accounts[receiver]
        self.accounts[receiver] = there._replace(lamports=there.lamports + lamports)

    def pay(self, payer: str, receiver: str, lamports: int) -> None:
        """Move lamports as the System program does: those of its own accounts only, which have no data."""
        if self.accounts[payer].data:
            raise ProgramError("InvalidArgument", "Transfer: `from` must not carry data")
        self.move(payer, receiver, lamports)
        if lamports and self.accounts[payer].owner != SYSTEM_PROGRAM:
            raise ProgramError("ExternalAccountLamportSpend")

    def create(self, payer: str, address: str, lamports: int, size: int, owner: str) -> None:
        if self.accounts[address].lamports:
            raise custom_error(0, f"Create Account: account {address} already in use")
        self.allocate(address, size)
        self.pay(payer, address, lamports)
        self.accounts[address] = self.accounts[address]._replace(owner=owner)

    def assign(self, address: str, owner: str) -> None:
        here = self.accounts[address]
        if here.owner not in (SYSTEM_PROGRAM, owner):
            raise ProgramError("ModifiedProgramId")
        self.accounts[address] = here._replace(owner=owner)

    def allocate(self, address: str, size: int) -> None:
        here = self.accounts[address]
        if here.data or here.owner != SYSTEM_PROGRAM:
            raise custom_error(0, f"Allocate: account {address} already in use")
        if size > _MAX_DATA:
            raise custom_error(3, f"Allocate: requested {size}, max allowed {_MAX_DATA}")
        self.accounts[address] = here._replace(data=bytes(size))

    def mint(self, address: str) -> Mint:
        found = None if has_more(self.accounts[address]) else read_mint(self.accounts[address])
        if found is None:
            raise custom_error(2, "Error: Invalid Mint")
        return found

    def token_account(self, address: str) -> TokenAccount:
        found = None if has_more(self.accounts[address]) else read_token_account(self.accounts[address])
        if found is None:
            raise ProgramError("InvalidAccountData")
        return found

    def usable(self, address: str) -> TokenAccount:
        """A token account that is not frozen."""
        found = self.token_account(address)
        if found.is_frozen:
            raise custom_error(17, "Error: Account is frozen")
        return found

    def put(self, address: str, packed: Packed) -> None:
        self.accounts[address] = self.accounts[address]._replace(data=packed.pack())


Handler: TypeAlias = Callable[[Run, str, list[str], bytes], None]


def read_number(data: bytes, at: int = 0, size: int = 8) -> int:
    if len(data) < at + size:
        raise ProgramError(BAD_DATA)
    return int.from_bytes(data[at : at + size], "little")


def read_key(data: bytes, at: int = 0) -> str:
    return base58_encode(read_number(data, at, 32).to_bytes(32, "little"))
