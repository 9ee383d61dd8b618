"""Arguments of calls held against constraints, for EVM calldata and Solana instructions alike."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

from mockserver.domain.criteria.facts import Finding, shown
from mockserver.domain.criteria.patterns import PatternError, compile_pattern, found_in
from mockserver.domain.criteria.values import ORDERING, compare


class Slot(NamedTuple):
    """An argument that a constraint may name."""

    name: str
    type: str
    ordered: bool
    """Whether its values are numbers, which `<` and the like need."""
    plain: bool
    """Whether its values have a plain text, which `match` needs."""
    read: Callable[[object], object]
    """A constraint in the form of the folded values; ValueError when it is none of this type."""
    fold: Callable[[object], object] = lambda value: value
    """A decoded value in the one form that equal values share."""


def slot_of(slots: Sequence[Slot], name: str) -> int | None:
    """Which argument a constraint is about: by name, or by position, which nameless ones need."""
    for position, slot in enumerate(slots):
        if slot.name == name:
            return position
    if name.isdecimal() and len(name) < 4 and int(name) < len(slots):
        return int(name)
    return None


def constraint_problems(
    slots: Sequence[Slot], constraints: Mapping[str, object], operator: str
) -> Iterator[tuple[str, str]]:
    """What is wrong with each constraint, by the argument's name."""
    for name, constraint in constraints.items():
        position = slot_of(slots, name)
        problem = (
            f"is not an argument; there are {_known(slots)}"
            if position is None
            else _problem(slots[position], constraint, operator)
        )
        if problem is not None:
            yield name, problem


def _known(slots: Sequence[Slot]) -> str:
    return ", ".join(slot.name or str(position) for position, slot in enumerate(slots)) or "none"


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
    """The values a constraint names: several only for `in` and `not in`."""
    if operator in ("in", "not in") and isinstance(constraint, list):
        try:
            return [slot.read(constraint)]
        except ValueError:
            return [slot.read(entry) for entry in constraint]
    return [slot.read(constraint)]


def judge_arguments(
    slots: Sequence[Slot], values: Sequence[object], constraints: Mapping[str, object], operator: str
) -> Finding:
    """Whether every constraint holds; the finding tells of the first that does not."""
    saw = {
        slot.name or str(i): _shape(value) for i, (slot, value) in enumerate(zip(slots, values, strict=True))
    }
    held: list[str] = []
    for name, constraint in constraints.items():
        position = slot_of(slots, name)
        if position is None:
            return Finding(False, saw, f"there is no argument {name}")
        value = values[position]
        text = shown(_shape(value))
        if not _holds(slots[position], value, constraint, operator):
            relation = "does not match" if operator == "match" else f"is not {operator}"
            return Finding(False, saw, f"{name} {text} {relation} {shown(constraint)}")
        relation = "matches" if operator == "match" else f"is {operator}"
        held.append(f"{name} {text} {relation} {shown(constraint)}")
    return Finding(True, saw, "; ".join(held))


def _holds(slot: Slot, value: object, constraint: object, operator: str) -> bool:
    if operator == "match":
        return found_in(str(constraint), _shape(value))
    wanted = _read(slot, constraint, operator)
    if operator in ORDERING:
        return compare(operator, value, wanted[0])  # type: ignore[arg-type]
    return (slot.fold(value) in wanted) != (operator == "not in")


def _shape(value: object) -> str:
    """A value as plain text."""
    match value:
        case bool():
            return "true" if value else "false"
        case bytes():
            return "0x" + value.hex()
        case tuple() | list():
            return f"[{', '.join(map(_shape, value))}]"
        case _:
            return str(value)
