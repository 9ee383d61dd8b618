"""What is wrong with tests of bodies, as far as the operation tells that declares the body."""

from collections.abc import Iterator, Sequence
from typing import Any

from pydantic_core import InitErrorDetails

from mockserver.kernel.spelling import quote
from mockserver.scenario.grammar.bodies import JsonPath, PathSchema, entry_of, find_below, find_schema
from mockserver.scenario.grammar.parts import KEY, at, misfit, unknown
from mockserver.scenario.reading.references import has_references
from mockserver.scenario.reading.tree import read_json_path, write_scalar

_TEXT, _NUMBER, _LIST = "text", "a number", "a list"
_ABOUT = {
    **dict.fromkeys(("above", "at_least", "at_most", "below"), (_NUMBER, _TEXT)),
    "length": (_LIST, _TEXT),
    "contains": (_LIST, _TEXT),
    "any": (_LIST,),
    "each": (_LIST,),
    "has": ("an object", _LIST),
}
"""The types of JSON that a test may hold of. Other tests may hold of any."""

Loc = tuple[int | str, ...]


def check_tests(tests: Any, shapes: Sequence[Any], owner: str, *loc: str) -> Iterator[InitErrorDetails]:
    """An error for every test that can hold of no body of these shapes; None is the shape of no body."""
    for path, test in tests.items() if isinstance(tests, dict) else ():
        parts = read_json_path(path)
        places = [find_schema(shape, parts) for shape in shapes if shape is not None]
        yield from _check_place(path, test, places, owner, (*loc, path))


def _check_place(
    path: str, test: Any, places: Sequence[PathSchema], owner: str, loc: Loc
) -> Iterator[InitErrorDetails]:
    known = [place for place in places if place.known]
    if known:
        yield from _check_test(test, known, path or "it", owner, loc)
    elif not (isinstance(test, dict) and "present" in test):
        yield at(unknown(f"part of {owner}", path, _valid_paths(path, places), KEY), *loc)


def _valid_paths(path: str, places: Sequence[PathSchema]) -> list[str]:
    """The paths that differ in the part that no body has, or lead into a list."""
    parts = read_json_path(path)
    valid = []
    for place in places:
        before, wrong, after = parts[: place.part], parts[place.part], parts[place.part + 1 :]
        valid += [_write(path, (*before, name, *after)) for name in place.members if name != wrong]
        if place.is_list:
            valid.append(_write(path, (*before, "0", wrong, *after)))
    return valid


def _write(like: str, parts: JsonPath) -> str:
    """A path in the notation of another."""
    if like.startswith("/"):
        return "".join("/" + part.replace("~", "~0").replace("/", "~1") for part in parts)
    return "".join(f"[{part}]" if part.isdecimal() else f".{part}" for part in parts).removeprefix(".")


def _check_test(
    test: Any, places: Sequence[PathSchema], name: str, owner: str, loc: Loc
) -> Iterator[InitErrorDetails]:
    """What is wrong with a test of what may be at these places."""
    if not isinstance(test, dict):
        yield from _check_value(test, places, name, loc)
        return
    for member, wanted in test.items():
        here = (*loc, member)
        types = _types(places)
        about = _ABOUT.get(member)
        if about and types is not None and not types.intersection(about):
            message = f"{member} is about {' and '.join(about)}; {name} is {' or '.join(sorted(types))}"
            yield at(misfit(message, kind=KEY), *here)
        elif member in ("equals", "subset"):
            yield from _check_value(wanted, places, name, here)
        elif member == "one_of" and isinstance(wanted, list):
            for number, value in enumerate(wanted):
                yield from _check_value(value, places, name, (*here, number))
        elif member == "contains" and types == frozenset([_LIST]):
            yield from _check_value(wanted, [*map(entry_of, places)], f"an entry of {name}", here)
        elif member in ("any", "each"):
            yield from _check_test(wanted, [*map(entry_of, places)], f"an entry of {name}", owner, here)
        elif member == "has" and isinstance(wanted, dict):
            for path, inner in wanted.items():
                parts = read_json_path(path)
                below = [find_below(place.within, parts) if place.within else place for place in places]
                yield from _check_place(path, inner, below, f"{name} of {owner}", (*here, path))


def _check_value(value: Any, places: Sequence[PathSchema], name: str, loc: Loc) -> Iterator[InitErrorDetails]:
    """What is wrong with a value that is to be at one of these places."""
    if value is None or has_references(value):
        return
    choices = [choice for place in places for choice in place.choices]
    if choices and all(place.choices for place in places):
        if value not in choices:
            yield at(unknown(f"a value of {name}", write_scalar(value), map(str, choices)), *loc)
        return
    types, given = _types(places), _type_of(value)
    if types is not None and given not in types:
        message = f"{name} is {' or '.join(sorted(types - {'null'}))}, not {_show(value)}"
        yield at(misfit(message), *loc)


def _show(value: Any) -> str:
    if isinstance(value, (list, dict)):
        return _type_of(value)
    return f"the text {quote(value)}" if isinstance(value, str) else write_scalar(value)


def _types(places: Sequence[PathSchema]) -> frozenset[str] | None:
    """The types of JSON that may be at one of the places; None for anything."""
    found: set[str] = set()
    for place in places:
        types = frozenset(map(_type_of, place.choices)) if place.choices else place.types
        if types is None:
            return None
        found |= types
    return frozenset(found)


def _type_of(value: Any) -> str:
    """What a type of JSON is called."""
    if isinstance(value, bool):
        return "true or false"
    if isinstance(value, (int, float)):
        return _NUMBER
    if isinstance(value, str):
        return _TEXT
    return _LIST if isinstance(value, list) else "an object"
