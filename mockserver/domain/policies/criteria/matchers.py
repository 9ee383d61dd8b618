"""How criteria look at facts: each function here makes the judge of a type.

A fact that is not there matches nothing, whatever the operator: an accepting rule must have seen
what it accepts.
"""

from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from typing import Any

from mockserver.domain.policies.criteria.effort import Effort
from mockserver.domain.policies.criteria.facts import Criterion, Facts, Verdict, shown
from mockserver.domain.policies.criteria.patterns import look
from mockserver.domain.policies.criteria.values import as_number, as_text, compare

Matcher = Callable[[Criterion, Facts, Effort], Verdict]
See = Callable[[Facts], object]
"""Finds in the facts what a criterion is about; None when it is not there."""


def fact(name: str) -> See:
    """Sees the fact of this name."""
    return lambda facts: facts.get(name)


def verifying_contract(facts: Facts) -> object:
    """Sees the verifying contract, which may be given by itself or in its domain (EIP-712)."""
    seen = facts.get("verifyingContract") or facts.get("domain", {}).get("verifyingContract")
    return seen if isinstance(seen, str) else None


def nothing_seen(name: str) -> Verdict:
    """What is found when the fact is not there."""
    return Verdict(False, None, f"{name} is not given")


def listed(name: str, see: See, member: str, *, any_case: bool = False) -> Matcher:
    """`in`, `not in` and `==` on one fact or, where the fact is a list, on all of them."""

    def judge(criterion: Criterion, facts: Facts, effort: Effort) -> Verdict:
        saw = see(facts)
        seen = list(saw) if isinstance(saw, (list, tuple)) else [] if saw is None else [saw]
        if not seen:
            return nothing_seen(name)
        known = effort.once(
            ("listed", id(criterion)), lambda: {_folded(entry, any_case) for entry in criterion[member]}
        )
        wanted_in = criterion["operator"] != "not in"
        for entry in seen:
            if (_folded(entry, any_case) in known) != wanted_in:
                relation = "not in" if wanted_in else "in"
                return Verdict(False, saw, f"{name} {shown(entry)} is {relation} {member}")
        return Verdict(True, saw, f"{name} {shown(saw)} is {'in' if wanted_in else 'not in'} {member}")

    return judge


def _folded(entry: object, any_case: bool) -> object:
    return entry.lower() if any_case and isinstance(entry, str) else entry


def measured(name: str, member: str, *, absent: str | None = None) -> Matcher:
    """`<`, `<=`, `>` and `>=` on an amount; `absent` is what no amount amounts to."""

    def judge(criterion: Criterion, facts: Facts, effort: Effort) -> Verdict:
        saw = facts.get(name, absent)
        number = as_number(saw)
        if number is None:
            return nothing_seen(name)
        operator, limit = criterion["operator"], criterion[member]
        matched = compare(operator, number, int(limit))
        return Verdict(matched, saw, f"{name} {number} is {'' if matched else 'not '}{operator} {limit}")

    return judge


def worded(name: str) -> Matcher:
    """`match` on a message."""

    def judge(criterion: Criterion, facts: Facts, effort: Effort) -> Verdict:
        saw = facts.get(name)
        if not isinstance(saw, str):
            return nothing_seen(name)
        matched, relation = look(criterion["pattern"], saw, effort)
        return Verdict(matched, saw, f"{name} {relation} {shown(criterion['pattern'])}")

    return judge


def priced(criterion: Criterion, facts: Facts, effort: Effort) -> Verdict:
    """`netUSDChange`: what leaves the account in US dollars. On testnets nothing is worth any."""
    if "netUSDChange" not in facts:
        return Verdict(True, None, "nothing on a testnet is worth any dollars: this is taken to match")
    saw = facts["netUSDChange"]
    if saw is None:
        return nothing_seen("chainId")
    operator, limit = criterion["operator"], criterion["usdValue"]
    matched = compare(operator, Decimal(saw), Decimal(limit))
    why = f"the net change of {saw} dollars is {'' if matched else 'not '}{operator} {limit}"
    return Verdict(matched, saw, why)


def typed_field(criterion: Criterion, facts: Facts, effort: Effort) -> Verdict:
    """`evmTypedDataField`: a field of the message by its path of dots (EIP-712)."""
    path: str = criterion["fieldPath"]
    message = facts.get("message")
    saw = None if message is None else _field(message, path)
    if saw is None and message is not None and path.startswith("message."):
        saw = _field(message, path.removeprefix("message."))
    if saw is None or isinstance(saw, (Mapping, list)):
        return nothing_seen(path)
    operator = criterion["operator"]
    if operator == "in":
        matched = any(_same(saw, wanted) for wanted in criterion["values"])
        return Verdict(matched, saw, f"{path} {shown(saw)} is {'' if matched else 'not '}in values")
    limit: str = criterion["value"]
    if operator == "match":
        matched, relation = look(limit, as_text(saw), effort)
        return Verdict(matched, saw, f"{path} {relation} {shown(limit)}")
    number = as_number(saw)
    if number is None:
        return Verdict(False, saw, f"{path} {shown(saw)} is not a whole number")
    matched = compare(operator, number, int(limit))
    return Verdict(matched, saw, f"{path} {number} is {'' if matched else 'not '}{operator} {limit}")


def _field(message: Mapping[str, Any], path: str) -> object:
    place: Any = message
    for part in path.split("."):
        if isinstance(place, Mapping):
            place = place.get(part)
        elif isinstance(place, Sequence) and not isinstance(place, str) and part.isdecimal():
            place = place[int(part)] if len(part) < 10 and int(part) < len(place) else None
        else:
            return None
    return place


def _same(saw: object, wanted: str) -> bool:
    """Typed data arrives without its types: numbers and addresses are told by their spelling."""
    if as_text(saw) == wanted:
        return True
    number = as_number(saw)
    return number is not None and number == as_number(wanted)
