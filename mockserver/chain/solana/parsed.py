"""Messages and accounts as Solana's nodes show them, with or without parsing (Agave, transaction-status)."""

from collections.abc import Callable, Iterable, Mapping
from struct import Struct
from typing import Any

from mockserver.chain.base58 import base58_encode
from mockserver.chain.solana.lookup_tables import LOOKUP_TABLE_PROGRAM, read_lookup_table
from mockserver.chain.solana.messages import SYSTEM_PROGRAM, TOKEN_PROGRAMS, Instruction, Message
from mockserver.chain.solana.programs import InnerCall
from mockserver.chain.solana.system_program import LAMPORTS_PER_SIGNATURE, read_nonce
from mockserver.chain.solana.tokens import (
    ASSOCIATED_TOKEN_PROGRAM,
    TOKEN_PROGRAM,
    SolanaState,
    TokenAccount,
    read_mint,
    read_token_account,
)
from mockserver.chain.solana.transactions import MEMO_PROGRAMS

_CREATED = "source account wallet mint systemProgram tokenProgram"
_MINT = "mint {} decimals:u8 mintAuthority:key freezeAuthority:option"
_TABLE = "lookupTableAccount lookupTableAuthority"
_VARIABLES = "recentBlockhashesSysvar rentSysvar"
_SYSTEM: Mapping[int, str] = {
    0: "createAccount source newAccount lamports:u64 space:u64 owner:key",
    1: "assign account owner:key",
    2: "transfer source destination lamports:u64",
    3: "createAccountWithSeed source newAccount base:key seed:seed lamports:u64 space:u64 owner:key",
    4: "advanceNonce nonceAccount recentBlockhashesSysvar nonceAuthority",
    5: f"withdrawFromNonce nonceAccount destination {_VARIABLES} nonceAuthority lamports:u64",
    6: f"initializeNonce nonceAccount {_VARIABLES} nonceAuthority:key",
    7: "authorizeNonce nonceAccount nonceAuthority newAuthorized:key",
    8: "allocate account space:u64",
    9: "allocateWithSeed account base:key seed:seed space:u64 owner:key",
    10: "assignWithSeed account base:key seed:seed owner:key",
    11: "transferWithSeed source sourceBase destination lamports:u64 sourceSeed:seed sourceOwner:key",
}
_TOKEN: Mapping[int, str] = {
    0: "initializeMint " + _MINT.format("rentSysvar"),
    1: "initializeAccount account mint owner rentSysvar",
    3: "transfer source destination authority amount:text",
    4: "approve source delegate owner amount:text",
    5: "revoke source owner",
    6: "setAuthority account authority authorityType:kind newAuthority:option",
    7: "mintTo mint account mintAuthority amount:text",
    8: "burn account mint authority amount:text",
    9: "closeAccount account destination owner",
    10: "freezeAccount account mint freezeAuthority",
    11: "thawAccount account mint freezeAuthority",
    12: "transferChecked source mint destination authority tokenAmount:amount",
    13: "approveChecked source mint delegate owner tokenAmount:amount",
    14: "mintToChecked mint account mintAuthority tokenAmount:amount",
    15: "burnChecked account mint authority tokenAmount:amount",
    16: "initializeAccount2 account mint rentSysvar owner:key",
    17: "syncNative account",
    18: "initializeAccount3 account mint owner:key",
    21: "getAccountDataSize mint",
    22: "initializeImmutableOwner account",
    20: "initializeMint2 " + _MINT.format("").replace("  ", " "),
}
_ASSOCIATED: Mapping[int, str] = {0: f"create {_CREATED}", 1: f"createIdempotent {_CREATED}"}
_LOOKUP_TABLES: Mapping[int, str] = {
    0: f"createLookupTable {_TABLE} payerAccount systemProgram recentSlot:u64 bumpSeed:u8",
    1: f"freezeLookupTable {_TABLE}",
    2: f"extendLookupTable {_TABLE} payerAccount systemProgram newAddresses:keys",
    3: f"deactivateLookupTable {_TABLE}",
    4: f"closeLookupTable {_TABLE} recipient",
}
"""What instructions are called by their numbers, their accounts, and the types of their data."""
_PROGRAMS: Mapping[str, tuple[str, Mapping[int, str], int]] = {
    SYSTEM_PROGRAM: ("system", _SYSTEM, 4),
    ASSOCIATED_TOKEN_PROGRAM: ("spl-associated-token-account", _ASSOCIATED, 1),
    LOOKUP_TABLE_PROGRAM: ("address-lookup-table", _LOOKUP_TABLES, 4),
    **dict.fromkeys(TOKEN_PROGRAMS, ("spl-token", _TOKEN, 1)),
}
"""The programs with the bytes that the numbers of their instructions have."""
_AUTHORITIES = ("mintTokens", "freezeAccount", "accountOwner", "closeAccount")
SYSVARS = "Sysvar1111111111111111111111111111111111111"
CLOCK_DATA = Struct("<QqQQq")
_CLOCK_MEMBERS = ("slot", "epochStartTimestamp", "epoch", "leaderScheduleEpoch", "unixTimestamp")
_OWNERS = {
    TOKEN_PROGRAM: "spl-token",
    LOOKUP_TABLE_PROGRAM: "address-lookup-table",
    SYSVARS: "sysvar",
    SYSTEM_PROGRAM: "nonce",
}
ShowAmount = Callable[[str, int], dict[str, Any]]
"""Shows an amount of the tokens of a mint."""


def show_message(message: Message, encoding: str) -> dict[str, Any]:
    """A message in the encoding `json` or `jsonParsed`."""
    is_parsed = encoding == "jsonParsed"
    keys: list[Any] = list(message.keys[: message.named])
    places = _places_of(message)
    if is_parsed:
        keys = [
            {
                "pubkey": key,
                "signer": place < message.signers,
                "writable": message.is_writable(place),
                "source": "transaction" if place < message.named else "lookupTable",
            }
            for place, key in enumerate(message.keys)
        ]
    lookups = [
        {
            "accountKey": each.table,
            "writableIndexes": list(each.writable),
            "readonlyIndexes": list(each.readonly),
        }
        for each in message.lookups
    ]
    header = {
        "numRequiredSignatures": message.signers,
        "numReadonlySignedAccounts": message.readonly_signers,
        "numReadonlyUnsignedAccounts": message.readonly_others,
    }
    return {
        "accountKeys": keys,
        "header": header,
        "recentBlockhash": message.blockhash,
        "instructions": [_show_instruction(each, places, is_parsed) for each in message.instructions],
        **({"addressTableLookups": lookups} if message.is_versioned else {}),
    }


def _show_instruction(
    instruction: Instruction, places: dict[str, int], is_parsed: bool, height: int | None = None
) -> dict[str, Any]:
    program, accounts = instruction.program or "", [each or "" for each in instruction.accounts]
    shown = {"accounts": accounts, "data": base58_encode(instruction.data), "stackHeight": height}
    if not is_parsed:
        return {"programIdIndex": places[program], **shown, "accounts": [places[each] for each in accounts]}
    parsed = parse_instruction(instruction)
    return {"programId": program, **(shown if parsed is None else {**parsed, "stackHeight": height})}


def show_inner(inner: Iterable[InnerCall], message: Message, encoding: str) -> list[dict[str, Any]]:
    """What programs have called, by the place of the instruction that it is a part of."""
    keys, places, is_parsed = message.keys, _places_of(message), encoding == "jsonParsed"
    shown: dict[int, list[dict[str, Any]]] = {}
    for outer, program, accounts, data, height in inner:
        called = Instruction(keys[program], tuple(keys[each] for each in accounts), data)
        shown.setdefault(outer, []).append(_show_instruction(called, places, is_parsed, height))
    return [{"index": outer, "instructions": each} for outer, each in shown.items()]


def _places_of(message: Message) -> dict[str, int]:
    return {key: place for place, key in enumerate(message.keys)}


def parse_instruction(instruction: Instruction) -> dict[str, Any] | None:
    """The members `program` and `parsed` of an instruction; None for one that no parser knows."""
    program, data = instruction.program or "", instruction.data
    if program in MEMO_PROGRAMS:
        return {"program": "spl-memo", "parsed": data.decode("utf-8", "replace")}
    if program not in _PROGRAMS:
        return None
    shown, kinds, size = _PROGRAMS[program]
    name, *members = kinds.get(int.from_bytes(data[:size], "little"), "").split() or [""]
    accounts = [member for member in members if ":" not in member]
    if not name or len(instruction.accounts) < len(accounts):
        return None
    info: dict[str, Any] = dict(zip(accounts, instruction.accounts, strict=False))
    at = size
    for member in members[len(accounts) :]:
        field, _, kind = member.partition(":")
        value, at = _read(kind, data, at)
        if at > len(data):
            return None
        if kind != "option" or value is not None or field == "newAuthority":
            info[field] = value
    if info.get("authorityType") in _AUTHORITIES[:2]:
        info["mint"] = info.pop("account")
    return {"program": shown, "parsed": {"type": name, "info": info}}


def _read(kind: str, data: bytes, at: int) -> tuple[Any, int]:
    """A value of a type at a place, and the place behind it."""
    if kind == "option":
        return _read("key", data, at + 1) if data[at : at + 1] == b"\1" else (None, at + 1)
    if kind == "key":
        return base58_encode(data[at : at + 32]), at + 32
    if kind == "keys":
        end = at + 8 + 32 * int.from_bytes(data[at : at + 8], "little")
        return [_read("key", data, place)[0] for place in range(at + 8, min(end, len(data)), 32)], end
    if kind == "seed":
        end = at + 8 + int.from_bytes(data[at : at + 8], "little")
        return data[at + 8 : end].decode("utf-8", "replace"), end
    if kind == "kind":
        number = int.from_bytes(data[at : at + 1], "little")
        return (_AUTHORITIES[number], at + 1) if number < len(_AUTHORITIES) else (None, len(data) + 1)
    number = int.from_bytes(data[at : at + (1 if kind == "u8" else 8)], "little")
    if kind == "amount":
        return show_amount(number, int.from_bytes(data[at + 8 : at + 9], "little")), at + 9
    return (str(number) if kind == "text" else number), at + (1 if kind == "u8" else 8)


def parse_account(state: SolanaState, show: ShowAmount) -> dict[str, Any] | None:
    """The data of an account; None of one that no parser knows."""
    found = _find_info(state, show)
    if found is None:
        return None
    program = _OWNERS.get(state.owner, "spl-token-2022")
    return {"program": program, "parsed": {"type": found[0], "info": found[1]}, "space": len(state.data)}


def _find_info(state: SolanaState, show: ShowAmount) -> tuple[str, dict[str, Any]] | None:
    if state.owner == SYSVARS:
        return "clock", dict(zip(_CLOCK_MEMBERS, CLOCK_DATA.unpack(state.data), strict=True))
    mint, nonce = read_mint(state), read_nonce(state)
    table, held = read_lookup_table(state), read_token_account(state)
    if mint is not None:
        return "mint", {
            "decimals": mint.decimals,
            "freezeAuthority": mint.freezer,
            "isInitialized": True,
            "mintAuthority": mint.authority,
            "supply": str(mint.supply),
        }
    if nonce is not None:
        fee = {"lamportsPerSignature": str(LAMPORTS_PER_SIGNATURE)}
        return "initialized", {"authority": nonce.authority, "blockhash": nonce.value, "feeCalculator": fee}
    if table is not None:
        return "lookupTable", {
            "addresses": list(table.addresses),
            "deactivationSlot": str(table.deactivated),
            "lastExtendedSlot": str(table.extended),
            "lastExtendedSlotStartIndex": table.start,
            **({} if table.authority is None else {"authority": table.authority}),
        }
    return None if held is None else ("account", _show_token_account(held, show))


def _show_token_account(held: TokenAccount, show: ShowAmount) -> dict[str, Any]:
    info: dict[str, Any] = {
        "isNative": held.reserve is not None,
        "mint": held.mint,
        "owner": held.owner,
        "state": "frozen" if held.is_frozen else "initialized",
        "tokenAmount": show(held.mint, held.amount),
    }
    if held.delegate is not None:
        info["delegate"] = held.delegate
        info["delegatedAmount"] = show(held.mint, held.delegated)
    if held.reserve is not None:
        info["rentExemptReserve"] = show(held.mint, held.reserve)
    if held.closer is not None:
        info["closeAuthority"] = held.closer
    return info


def show_amount(amount: int, decimals: int) -> dict[str, Any]:
    """An amount of tokens in its smallest unit and in whole ones."""
    whole, rest = divmod(amount, 10**decimals)
    digits = f"{rest:0{decimals}d}".rstrip("0") if decimals else ""
    return {
        "amount": str(amount),
        "decimals": decimals,
        "uiAmount": amount / 10**decimals,
        "uiAmountString": f"{whole}.{digits}" if digits else str(whole),
    }
