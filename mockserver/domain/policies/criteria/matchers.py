"""Matchers of facts; each function here is, or makes, the matcher of a type of criteria.

An absent fact matches nothing, whatever the operator: a rule must not accept what it has not observed.
"""

from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from typing import Any

from mockserver.domain.policies.criteria.facts import Criterion, Facts, Verdict, show, unmatched
from mockserver.domain.policies.criteria.values import as_number, as_text, compare
from mockserver.kernel.effort import Effort
from mockserver.patterns import search

Matcher = Callable[[Criterion, Facts, Effort], Verdict]
FactReader = Callable[[Facts], object]
"""Reads the fact that a criterion is about; None when it is absent."""


def verifying_contract(facts: Facts) -> object:
    """Reads the verifying contract, given by itself or in the domain (EIP-712)."""
    seen = facts.get("verifyingContract") or facts.get("domain", {}).get("verifyingContract")
    return seen if isinstance(seen, str) else None


def missing_fact(name: str) -> Verdict:
    """The verdict when the fact is absent."""
    return unmatched(None, f"{name} is not given")


def match_list(
    name: str, member: str, *, read_fact: FactReader | None = None, any_case: bool = False
) -> Matcher:
    """`in`, `not in` and `==` on one fact or, where the fact is a list, on all of them.

    `read_fact` reads a fact that is not simply the one of this name.
    """

    def match(criterion: Criterion, facts: Facts, effort: Effort) -> Verdict:
        observed = facts.get(name) if read_fact is None else read_fact(facts)
        seen = observed if isinstance(observed, (list, tuple)) else [observed]
        if observed is None or not seen:
            return missing_fact(name)
        known = effort.memoize(
            ("listed", id(criterion)), lambda: {_fold(entry, any_case) for entry in criterion[member]}
        )
        is_wanted = criterion["operator"] != "not in"
        wanted, other = ("in", "not in") if is_wanted else ("not in", "in")
        for entry in seen:
            if (_fold(entry, any_case) in known) != is_wanted:
                return unmatched(observed, f"{name} {show(entry)} is {other} {member}")
        return Verdict(True, observed, f"{name} {show(observed)} is {wanted} {member}")

    return match


def _fold(entry: object, any_case: bool) -> object:
    return entry.lower() if any_case and isinstance(entry, str) else entry


def match_amount(name: str, member: str, *, absent: str | None = None) -> Matcher:
    """`<`, `<=`, `>` and `>=` on an amount; `absent` is the default of an absent one."""

    def match(criterion: Criterion, facts: Facts, effort: Effort) -> Verdict:
        observed = facts.get(name, absent)
        number = as_number(observed)
        if number is None:
            return missing_fact(name)
        operator, limit = criterion["operator"], criterion[member]
        matched = compare(operator, number, int(limit))
        return Verdict(matched, observed, f"{name} {number} is {'' if matched else 'not '}{operator} {limit}")

    return match


def match_message(name: str) -> Matcher:
    """`match` on a message."""

    def match(criterion: Criterion, facts: Facts, effort: Effort) -> Verdict:
        observed = facts.get(name)
        if not isinstance(observed, str):
            return missing_fact(name)
        matched, relation = search(criterion["pattern"], observed, effort)
        return Verdict(matched, observed, f"{name} {relation} {show(criterion['pattern'])}")

    return match


def match_usd_change(criterion: Criterion, facts: Facts, effort: Effort) -> Verdict:
    """`netUSDChange`: the net value that leaves the account in US dollars, zero on testnets."""
    if "netUSDChange" not in facts:
        return Verdict(True, None, "nothing on a testnet is worth any dollars: this is taken to match")
    observed = facts["netUSDChange"]
    if observed is None:
        return missing_fact("chainId")
    operator, limit = criterion["operator"], criterion["usdValue"]
    matched = compare(operator, Decimal(observed), Decimal(limit))
    reason = f"the net change of {observed} dollars is {'' if matched else 'not '}{operator} {limit}"
    return Verdict(matched, observed, reason)


def match_typed_data_field(criterion: Criterion, facts: Facts, effort: Effort) -> Verdict:
    """`evmTypedDataField`: a field of the message by its path of dots (EIP-712)."""
    path: str = criterion["fieldPath"]
    message = facts.get("message")
    observed = None if message is None else _field(message, path)
    if observed is None and message is not None and path.startswith("message."):
        observed = _field(message, path.removeprefix("message."))
    if observed is None or isinstance(observed, (Mapping, list)):
        return missing_fact(path)
    operator = criterion["operator"]
    if operator == "in":
        matched = any(_is_same(observed, wanted) for wanted in criterion["values"])
        return Verdict(matched, observed, f"{path} {show(observed)} is {'' if matched else 'not '}in values")
    limit: str = criterion["value"]
    if operator == "match":
        matched, relation = search(limit, as_text(observed), effort)
        return Verdict(matched, observed, f"{path} {relation} {show(limit)}")
    number = as_number(observed)
    if number is None:
        return unmatched(observed, f"{path} {show(observed)} is not a whole number")
    matched = compare(operator, number, int(limit))
    return Verdict(matched, observed, f"{path} {number} is {'' if matched else 'not '}{operator} {limit}")


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


def _is_same(observed: object, wanted: str) -> bool:
    """Whether a value equals the wanted text.

    Typed data comes without its types here, so numbers and addresses are recognised by their form.
    """
    if as_text(observed) == wanted:
        return True
    number = as_number(observed)
    return number is not None and number == as_number(wanted)
