"""The 17 types of criteria: their members, operators, operations and matchers."""

from collections.abc import Callable, Mapping
from typing import NamedTuple

from mockserver.domain.policies.criteria import members
from mockserver.domain.policies.criteria.calls import (
    find_evm_call_problems,
    find_sol_call_problems,
    match_evm_call,
    match_sol_call,
)
from mockserver.domain.policies.criteria.facts import Criterion, Facts, Verdict
from mockserver.domain.policies.criteria.matchers import (
    Matcher,
    match_amount,
    match_list,
    match_message,
    match_typed_data_field,
    match_usd_change,
    verifying_contract,
)
from mockserver.domain.policies.criteria.members import Check
from mockserver.domain.policies.criteria.operations import (
    EVM_MESSAGES,
    EVM_SENT,
    EVM_TRANSACTIONS,
    EVM_TYPED_DATA,
    SOL_MESSAGES,
    SOL_SENT,
    SOL_TRANSACTIONS,
)
from mockserver.kernel.effort import Effort
from mockserver.patterns import pattern_weight

_LISTED = ("in", "not in")
_BOUNDED = ("<=", ">=")
_NETWORKS = ("mainnet-beta", "devnet", "testnet")


class Several(NamedTuple):
    """A member that is a list, each entry of which is checked."""

    check: Check


class Omissible(NamedTuple):
    """A member that may be left out."""

    check: Check | Several


Member = Check | Several | Omissible
Members = Mapping[str, Member]


class Kind(NamedTuple):
    """A type of criteria. `further` validates members together, once each is valid by itself."""

    operators: tuple[str, ...]
    operations: frozenset[str]
    members: Members
    match: Matcher
    further: Callable[[Criterion], Mapping[str, str]] | None = None


def _check_typed_field(criterion: Criterion) -> Mapping[str, str]:
    if criterion["operator"] == "in":
        return {} if criterion.get("values") is not None else {"values": "is required with in"}
    if criterion.get("value") is None:
        return {"value": f"is required with {criterion['operator']}"}
    check = members.check_amount if criterion["operator"] == "<=" else members.check_pattern
    problem = check(criterion["value"])
    return {} if problem is None else {"value": problem}


_EVM_ADDRESSES: Members = {"addresses": Several(members.check_evm_address)}
_SOL_ADDRESSES: Members = {"addresses": Several(members.check_sol_address)}
_PATTERN: Members = {"pattern": members.check_pattern}
_AMOUNT: Members = {"value": members.check_amount}

KINDS: Mapping[str, Kind] = {
    "evmAddress": Kind(
        _LISTED, EVM_TRANSACTIONS, _EVM_ADDRESSES, match_list("to", "addresses", any_case=True)
    ),
    "ethValue": Kind(
        ("<=", ">=", "<", ">"),
        EVM_TRANSACTIONS,
        {"ethValue": members.check_amount},
        # A transaction without a value transfers none.
        match_amount("value", "ethValue", absent="0"),
    ),
    "evmNetwork": Kind(
        _LISTED, EVM_SENT, {"chainIds": Several(members.check_chain_id)}, match_list("chainId", "chainIds")
    ),
    "evmData": Kind(
        ("in", "not in", "<", "<=", ">", ">=", "==", "match"),
        EVM_TRANSACTIONS,
        {
            "abi": members.check_text,
            "functionName": members.check_text,
            "args": Omissible(members.check_constraints),
        },
        match_evm_call,
        find_evm_call_problems,
    ),
    "evmMessage": Kind(("match",), EVM_MESSAGES, _PATTERN, match_message("evmMessage")),
    "evmTypedDataVerifyingContract": Kind(
        _LISTED,
        EVM_TYPED_DATA,
        _EVM_ADDRESSES,
        match_list("verifyingContract", "addresses", read_fact=verifying_contract, any_case=True),
    ),
    "evmTypedDataField": Kind(
        ("in", "<=", "match"),
        EVM_TYPED_DATA,
        {
            "fieldPath": members.check_text,
            "values": Omissible(Several(members.check_text)),
            "value": Omissible(members.check_text),
        },
        match_typed_data_field,
        _check_typed_field,
    ),
    "netUSDChange": Kind(_BOUNDED, EVM_SENT, {"usdValue": members.check_dollars}, match_usd_change),
    "solAddress": Kind(_LISTED, SOL_TRANSACTIONS, _SOL_ADDRESSES, match_list("recipients", "addresses")),
    "solValue": Kind(_BOUNDED, SOL_TRANSACTIONS, _AMOUNT, match_amount("solValue", "value")),
    "splAddress": Kind(_LISTED, SOL_TRANSACTIONS, _SOL_ADDRESSES, match_list("splRecipients", "addresses")),
    "splValue": Kind(_BOUNDED, SOL_TRANSACTIONS, _AMOUNT, match_amount("splValue", "value")),
    "mintAddress": Kind(
        ("==", "in"), SOL_TRANSACTIONS, _SOL_ADDRESSES, match_list("mintAddress", "addresses")
    ),
    "solData": Kind(
        ("in", "not in", "<=", ">=", "==", "match"),
        SOL_TRANSACTIONS,
        {
            "idl": members.check_text,
            "instructionName": members.check_text,
            "args": Omissible(members.check_constraints),
        },
        match_sol_call,
        find_sol_call_problems,
    ),
    "programId": Kind(
        _LISTED,
        SOL_TRANSACTIONS,
        {"programIds": Several(members.check_sol_address)},
        match_list("programIds", "programIds"),
    ),
    "solNetwork": Kind(
        _LISTED, SOL_SENT, {"networks": Several(members.one_of(_NETWORKS))}, match_list("network", "networks")
    ),
    "solMessage": Kind(("match",), SOL_MESSAGES, _PATTERN, match_message("solMessage")),
}


def match_criterion(criterion: Criterion, facts: Facts, effort: Effort | None = None) -> Verdict:
    """Match a valid criterion against the facts. The criteria of one request share their effort."""
    return KINDS[criterion["type"]].match(criterion, facts, effort or Effort())


def find_problems(criterion: Criterion, operation: str) -> dict[str, str]:
    """Validation errors of a criterion in a rule about an operation, by member."""
    kind = KINDS.get(criterion["type"]) if isinstance(criterion.get("type"), str) else None
    if kind is None:
        return {"type": f"must be one of {', '.join(KINDS)}"}
    found: dict[str, str] = {}
    if operation not in kind.operations:
        found["type"] = f"{criterion['type']} does not apply to {operation}"
    if criterion.get("operator") not in kind.operators:
        found["operator"] = f"must be one of {', '.join(kind.operators)}"
    for name, member in kind.members.items():
        found.update(_member_problems(criterion, name, member))
    if not found and kind.further is not None:
        found.update(kind.further(criterion))
    return found


def _member_problems(criterion: Criterion, name: str, member: Member) -> dict[str, str]:
    value = criterion.get(name)
    if isinstance(member, Omissible):
        if value is None:
            return {}
        member = member.check
    if value is None:
        return {name: "is required"}
    if not isinstance(member, Several):
        problem = member(value)
        return {} if problem is None else {name: problem}
    if not isinstance(value, list):
        return {name: "must be a list"}
    checked = ((at, member.check(entry)) for at, entry in enumerate(value))
    return {f"{name}[{at}]": problem for at, problem in checked if problem is not None}


def interface_length(criterion: Criterion) -> int:
    """How many characters the ABI or IDL of a criterion has, valid or not."""
    return sum(len(text) for text in (criterion.get("abi"), criterion.get("idl")) if isinstance(text, str))


def patterns_weight(criterion: Criterion) -> int:
    """The weight of the patterns of a criterion together, valid or not."""
    args = criterion.get("args")
    given = [criterion.get("pattern")]
    if criterion.get("operator") == "match":
        given += [criterion.get("value"), *(args.values() if isinstance(args, dict) else ())]
    return sum(pattern_weight(pattern) for pattern in given if isinstance(pattern, str))


def normalize_criterion(criterion: Criterion) -> Criterion:
    """A valid criterion without the members that are null or that its type does not have."""
    known = ("type", "operator", *KINDS[criterion["type"]].members)
    return {name: criterion[name] for name in known if criterion.get(name) is not None}
