"""What the methods of a Solana node are asked of: a cluster of a project, whose slots follow the clock."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import Field, PlainValidator
from typing_extensions import TypedDict

from mockserver import errors
from mockserver.chain.base58 import address_of, base58_decode, base58_encode, is_address
from mockserver.chain.solana.messages import Message
from mockserver.chain.solana.parsed import show_amount
from mockserver.chain.solana.running import rent_exempt
from mockserver.chain.solana.system_program import find_nonce
from mockserver.chain.solana.tokens import (
    EMPTY,
    NATIVE_MINT,
    TOKEN_PROGRAM,
    Mint,
    SolanaState,
    TokenAccount,
    associated_token_address,
    read_mint,
)
from mockserver.crypto import ed25519
from mockserver.domain.sponsorship.sponsors import first_sponsorship
from mockserver.domain.transactions.solana.transactions import payer_seed
from mockserver.domain.transactions.timers import TIMER_LOOP
from mockserver.errors import RpcError
from mockserver.kernel.spelling import quote
from mockserver.nodes.endpoints import SOLANA, SOLANA_NODE, invalid
from mockserver.nodes.methods import METHOD_ERRORS, Methods
from mockserver.server.answering.control_call import ControlCall
from mockserver.state.chains import SolanaAccount, SolanaRecord
from mockserver.state.project import Project

SLOT_MS = 400
VERSION = "3.0.0"
BLOCKHASH_SLOTS = 150
"""How many slots a block hash is good for."""
FINAL_SLOTS = 32
_CLUSTERS = ("mainnet-beta", "devnet", "testnet", "localnet")
_PAYER_LAMPORTS = 1_000 * 10**9
_WEI_OF_A_LAMPORT = 10**9
"""A coin has 18 decimals there, and nine here."""
Count = Annotated[int, Field(ge=0, lt=2**53)]
Encoding = Literal["base58", "base64", "base64+zstd", "jsonParsed", "json"]
Level = Literal["processed", "confirmed", "finalized"]


class Slice(TypedDict):
    """The part of an account's data that is shown."""

    offset: Count
    length: Count


class Commitment(TypedDict, total=False):
    """How settled what is asked for has to be, and how it is shown."""

    commitment: Level
    minContextSlot: int
    encoding: Encoding
    dataSlice: Slice
    maxSupportedTransactionVersion: int
    searchTransactionHistory: bool


@dataclass(slots=True)
class Cluster:
    """A cluster of a project."""

    project: Project
    name: str

    @property
    def slot(self) -> int:
        """The latest slot: there is one every 400 milliseconds since the Unix epoch."""
        return self.project.clock.now_ms // SLOT_MS

    def time_of(self, slot: int) -> int:
        """The time of a slot, in seconds."""
        return slot * SLOT_MS // 1000

    @property
    def payer(self) -> str:
        """The address of the signer that pays for sponsored transactions."""
        return address_of(ed25519.public_key(payer_seed(self.project)))

    @property
    def validator(self) -> str:
        """The public key of the only validator."""
        seed = self.project.entropy.derive("solana_validator")
        return address_of(ed25519.public_key(seed))

    def blockhash(self, slot: int) -> str:
        """The hash of the block in a slot."""
        return base58_encode(self.project.entropy.derive(f"solana/{self.name}/{slot}"))

    def latest_blockhash(self) -> dict[str, Any]:
        """The latest block hash, and the last block height that it is good for."""
        latest = self.slot
        return {"blockhash": self.blockhash(latest), "lastValidBlockHeight": latest + BLOCKHASH_SLOTS}

    def slot_of(self, blockhash: str) -> int | None:
        """The slot of a block hash that is still good."""
        slots = range(self.slot, self.slot - BLOCKHASH_SLOTS - 1, -1)
        return next((slot for slot in slots if self.blockhash(slot) == blockhash), None)

    def is_current(self, message: Message) -> bool:
        """Whether a message names a block hash that is still good, or a nonce that it advances."""
        # A hash is only known to be none of a slot once those of all slots were made.
        return find_nonce(message, self.state_of) is not None or self.slot_of(message.blockhash) is not None

    def next_blockhash(self) -> bytes:
        """What nonces follow from that the next transaction sets: no two have the same, even in a slot."""
        processed = len(self.project.chains.solana_records)
        return self.project.entropy.derive(f"solana/{self.name}/nonce/{processed}")

    def state_of(self, address: str) -> SolanaState:
        """An account as it is now."""
        kept = self._kept(address)
        if kept is not None:
            return kept
        if address == self.payer:
            return EMPTY._replace(lamports=_PAYER_LAMPORTS)
        if address == NATIVE_MINT:
            data = Mint(None, 0, 9).pack()
            return SolanaState(rent_exempt(len(data)), TOKEN_PROGRAM, data)
        mint = self.fee_accounts().get(address)
        if mint is None:
            return EMPTY._replace(lamports=self._starting_lamports(address))
        data = TokenAccount(mint, self.payer).pack()
        return SolanaState(rent_exempt(len(data)), (self._kept(mint) or EMPTY).owner, data)

    def accounts(self) -> Iterator[tuple[str, SolanaState]]:
        """The accounts that transactions have made, with their addresses."""
        for row in self.project.chains.solana_accounts.find("cluster", self.name):
            state = SolanaState(*row.state)
            if state.lamports:
                yield row.id.partition(":")[2], state

    def records(self) -> list[SolanaRecord]:
        """The transactions that were processed, in their order."""
        return self.project.chains.solana_records.find("cluster", self.name)

    def _starting_lamports(self, address: str) -> int:
        """What an account of the project begins with: as many coins as on other chains."""
        is_own = self.project.wallets.has_account_at(address)
        return self.project.settings.starting_balance_wei // _WEI_OF_A_LAMPORT if is_own else 0

    def _kept(self, address: str) -> SolanaState | None:
        row = self.project.chains.solana_accounts.get(f"{self.name}:{address}")
        return None if row is None else SolanaState(*row.state)

    def fee_accounts(self) -> dict[str, str]:
        """The token accounts of the payer to which fees are paid, with their mints; they are there always."""
        row = first_sponsorship(self.project, "Solana")
        found = {}
        for mint in row.strategy.spl_tokens if row else ():
            state = self._kept(mint) or EMPTY
            if read_mint(state) is not None:
                found[associated_token_address(self.payer, mint, state.owner)] = mint
        return found

    def keep(self, accounts: Iterable[tuple[str, SolanaState]]) -> None:
        """Store accounts. Without lamports they are gone, but for those that would start with some again."""
        table = self.project.chains.solana_accounts
        for address, state in accounts:
            row_id = f"{self.name}:{address}"
            if state.lamports or self._starting_lamports(address):
                table.put(SolanaAccount(row_id, self.name, (state.lamports, state.owner, state.data)))
            elif row_id in table:
                table.remove(row_id)

    def advance(self) -> None:
        """Go on to the next slot where the clock is frozen, so that a transaction has one of its own."""
        if self.project.clock.mode == "frozen":
            TIMER_LOOP.advance(self.project, self.project.clock.now_ms + SLOT_MS)

    def commitment_of(self, slot: int) -> str:
        """How settled a slot is: where the clock is frozen everything is final."""
        is_final = self.project.clock.mode == "frozen" or self.slot - slot >= FINAL_SLOTS
        return "finalized" if is_final else "confirmed"

    def show_amount(self, mint: str, amount: int) -> dict[str, Any]:
        """An amount of tokens in its smallest unit and in whole ones."""
        found = read_mint(self.state_of(mint))
        return show_amount(amount, found.decimals if found else 0)

    def in_context(self, value: Any) -> dict[str, Any]:
        """An answer with the slot that it is of."""
        return {"context": {"apiVersion": VERSION, "slot": self.slot}, "value": value}


def ask_cluster(call: ControlCall) -> Cluster:
    """The cluster that the path of a call names."""
    name = call.path["cluster"]
    if name not in _CLUSTERS:
        raise invalid(f"{quote(name)} is no cluster, but {', '.join(_CLUSTERS)} are")
    if (name == "mainnet-beta") != call.project.livemode and name in ("mainnet-beta", "devnet"):
        raise invalid(f"{call.project.mode} keys do not work with {name}")
    return Cluster(call.project, name)


class SolanaMethods(Methods[Cluster]):
    """Methods of a node, which Kora has, too."""

    errors = (*METHOD_ERRORS, errors.RPC_SLOT_TOO_EARLY)

    def __init__(self) -> None:
        super().__init__(ask_cluster, SOLANA, SOLANA_NODE)

    def check(self, call: ControlCall, asked: Cluster, arguments: Mapping[str, Any]) -> None:
        """Refuse to answer as of a slot that is not reached."""
        options = arguments.get("options")
        if isinstance(options, dict) and options.get("minContextSlot", 0) > asked.slot:
            raise RpcError(errors.RPC_SLOT_TOO_EARLY, {"contextSlot": asked.slot})


def require_settled(options: object) -> None:
    """RpcError for what is only processed: there is no history of that."""
    if isinstance(options, dict) and options.get("commitment") == "processed":
        raise invalid("Method does not support commitment below `confirmed`")


def _read_pubkey(value: object) -> str:
    if not isinstance(value, str) or not is_address(value):
        raise ValueError("must be a public key in base58")
    return value


def _read_signature(value: object) -> str:
    if not isinstance(value, str) or len(value) > 88 or len(base58_decode(value)) != 64:
        raise ValueError("must be a signature in base58")
    return value


Pubkey = Annotated[str, PlainValidator(_read_pubkey)]
Signature = Annotated[str, PlainValidator(_read_signature)]
