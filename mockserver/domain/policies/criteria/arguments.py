"""Constraints on the arguments of calls, for EVM calldata and Solana instructions alike."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import NamedTuple

from mockserver.domain.policies.criteria.facts import Verdict, show, unmatched
from mockserver.domain.policies.criteria.values import ORDERING, as_text, compare
from mockserver.kernel.effort import Effort
from mockserver.patterns import compile_pattern, search
from mockserver.patterns.syntax import PatternError

_PATH = re.compile(r"[^.\[\]]+(?:\.[^.\[\]]+|\[[0-9]+\])+")
_WORD = re.compile(r"[^.\[\]]+")


class Slot(NamedTuple):
    """An argument, or a part of one, that a constraint may name."""

    name: str
    type: str
    ordered: bool
    """Whether its values are numbers, which `<` and the like need."""
    plain: bool
    """Whether its values can be written as text, which `match` needs."""
    read: Callable[[object], object]
    """Converts a constraint to the normal form of values; ValueError when it does not fit the type."""
    parts: Callable[[], Sequence["Slot"]]
    """The components of a tuple or struct; for a list, one slot for its entries."""
    repeated: bool
    """Whether it is a list."""
    fold: Callable[[object], object] = lambda value: value
    """Converts a decoded value to its normal form, in which equal values are equal."""


class SlotPath(NamedTuple):
    """The slot that a constraint names, and the indexes that lead to it from the list of arguments."""

    slot: Slot
    steps: tuple[int, ...]


def find_slot(slots: Sequence[Slot], name: str) -> SlotPath | None:
    """Resolve the name in a constraint: an argument by name or, if it has none, by position; or a part
    of one by its path, such as `order.buyer`, `orders[0].amount` or `orders.0.amount`.
    """
    position = _position(slots, name)
    if position is not None:
        return SlotPath(slots[position], (position,))
    if not _PATH.fullmatch(name):
        return None
    first, *words = _WORD.findall(name)
    position = _position(slots, first)
    if position is None:
        return None
    slot, steps = slots[position], [position]
    for word in words:
        parts = slot.parts()
        if slot.repeated:
            position = int(word) if word.isdecimal() and len(word) < 10 else None
        else:
            position = _position(parts, word)
        if position is None:
            return None
        steps.append(position)
        slot = parts[0 if slot.repeated else position]
    return SlotPath(slot, tuple(steps))


def _position(slots: Sequence[Slot], name: str) -> int | None:
    for position, slot in enumerate(slots):
        if slot.name == name:
            return position
    if name.isdecimal() and len(name) < 4 and int(name) < len(slots):
        return int(name)
    return None


def _value_at(values: object, steps: Sequence[int]) -> object:
    """The value at a place; None where a list is too short or an option is empty."""
    for step in steps:
        if not isinstance(values, (list, tuple)) or step >= len(values):
            return None
        values = values[step]
    return values


def find_constraint_problems(
    slots: Sequence[Slot], constraints: Mapping[str, object], operator: str
) -> Iterator[tuple[str, str]]:
    """Validation errors of constraints, by the argument's name."""
    names = ", ".join(slot.name or str(position) for position, slot in enumerate(slots))
    for name, constraint in constraints.items():
        place = find_slot(slots, name)
        problem: str | None = f"is not an argument; there are {show(names or 'none')}"
        if place is not None:
            problem = _problem(place.slot, constraint, operator)
        if problem is not None:
            yield name, problem


def _problem(slot: Slot, constraint: object, operator: str) -> str | None:
    if operator in ORDERING and not slot.ordered:
        return f"is of type {slot.type}, which {operator} does not compare"
    if operator == "match":
        if not slot.plain or not isinstance(constraint, str):
            return "must be a pattern, for an argument that has a text"
        try:
            compile_pattern(constraint)
        except PatternError as error:
            return str(error)
        return None
    try:
        _read(slot, constraint, operator)
    except ValueError as error:
        return str(error)
    return None


def _read(slot: Slot, constraint: object, operator: str) -> list[object]:
    """The values of a constraint: a list only for `in` and `not in`."""
    if operator in ("in", "not in") and isinstance(constraint, list):
        try:
            return [slot.read(constraint)]
        except ValueError:
            return [slot.read(entry) for entry in constraint]
    return [slot.read(constraint)]


def match_arguments(
    slots: Sequence[Slot],
    values: Sequence[object],
    constraints: Mapping[str, object],
    operator: str,
    effort: Effort,
) -> Verdict:
    """Match all constraints; the verdict explains the first that fails."""
    observed = {
        slot.name or str(i): as_text(value) for i, (slot, value) in enumerate(zip(slots, values, strict=True))
    }
    held: list[str] = []
    for name, constraint in constraints.items():
        place = find_slot(slots, name)
        assert place is not None, "criteria are checked when they are stored"
        value = _value_at(values, place.steps)
        if value is None and len(place.steps) > 1:
            return unmatched(observed, f"there is no {name} in the arguments")
        text = as_text(value)
        if operator == "match":
            matched, relation = search(str(constraint), text, effort)
        else:
            wanted = effort.memoize(
                ("read", id(constraints), name), partial(_read, place.slot, constraint, operator)
            )
            matched = _is_satisfied(place.slot, value, wanted, operator)
            relation = f"is {operator}" if matched else f"is not {operator}"
        found = f"{name} {show(text)} {relation} {show(constraint)}"
        if not matched:
            return unmatched(observed, found)
        held.append(found)
    return Verdict(True, observed, "; ".join(held))


def _is_satisfied(slot: Slot, value: object, wanted: Sequence[object], operator: str) -> bool:
    if operator in ORDERING:
        return compare(operator, value, wanted[0])  # type: ignore[arg-type]
    return (slot.fold(value) in wanted) != (operator == "not in")
