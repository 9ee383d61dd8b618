"""The data as they are written: operations, their members, and the shapes of answers."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from mockserver.yaml_files import read_yaml_file
from tests.specification.credentials import SCHEMES

DATA = Path(__file__).parent / "data"
ABSENT = object()


class Kind(NamedTuple):
    """What a value has to be: `name` of a type or a shape, perhaps of each entry, or one of `values`."""

    name: str
    is_list: bool = False
    values: tuple[Any, ...] = ()

    @property
    def json_type(self) -> str:
        """The JSON type of a member of a request."""
        if self.is_list:
            return "array"
        return self.name if self.name in ("integer", "number", "boolean", "object", "any") else "string"


class Member(NamedTuple):
    """A member as a line says it, such as `chainId: req integer = 1`."""

    path: str
    kind: Kind
    required: bool
    nullable: bool
    default: Any = ABSENT


@dataclass(frozen=True, kw_only=True, eq=False)
class Operation:
    """What the data say about an operation. The README of `data` explains each."""

    id: str
    call: str
    by: tuple[str, ...] = ()
    session: bool = False
    wallet: bool = False
    scope: str | None = None
    sent_by: str | None = None
    at: Mapping[str, str] = field(default_factory=dict)
    settings: Mapping[str, Any] = field(default_factory=dict)
    before: Sequence[str] = ()
    """The operations that come first."""
    body: tuple[Member, ...] = ()
    query: tuple[Member, ...] = ()
    examples: Sequence[Mapping[str, Any]] = ({},)
    has_none: Sequence[str] = ()
    """The schemes whose caller on the stage has nothing to call it with."""
    status: int = 200
    statuses: Sequence[int] = ()
    """The status of each example, where they differ."""
    answer: tuple[Member, ...] = ()
    """Of one row, of each row of the array, or of each row of the list."""
    form: str = "object"
    """`object`, `array`, `list` or `none`."""
    page: int | None = None
    """How many rows a list shows without `limit`."""
    filters: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    documented: Sequence[int] = ()
    cases: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    @property
    def method(self) -> str:
        """The HTTP method."""
        return self.call.partition(" ")[0]

    @property
    def path(self) -> str:
        """The path, with its parameters."""
        return self.call.partition(" ")[2]

    @property
    def is_iam(self) -> bool:
        """Whether its errors have a message and no envelope."""
        return self.path.startswith("/iam/v2/")

    @property
    def members(self) -> Iterator[Member]:
        """The members of its query and its body."""
        yield from self.query
        yield from self.body


@cache
def shapes() -> Mapping[str, tuple[Member, ...]]:
    """The members of each shape, by its name."""
    written = read_yaml_file(DATA / "resources.yaml")
    return {name: members_of(lines) for name, lines in written.items()}


@cache
def operations() -> tuple[Operation, ...]:
    """Every operation of the data, file by file."""
    return tuple(
        _operation(id, written)
        for path in sorted((DATA / "operations").glob("*.yaml"))
        for id, written in read_yaml_file(path).items()
    )


def _operation(id: str, written: dict[str, Any]) -> Operation:
    given = dict(written)
    by = given.pop("by", [])
    if by != "any" and not set(by) <= set(SCHEMES):
        raise ValueError(f"{id}: by is {by}: any, or a list of {', '.join(SCHEMES)}")
    form, answer = _answer(given.pop("answer", None))
    return Operation(
        id=id,
        by=SCHEMES if by == "any" else tuple(by),
        body=members_of(given.pop("body", {})),
        query=members_of(given.pop("query", {})),
        examples=tuple(given.pop("examples", ({},))),
        form=form,
        answer=answer,
        **given,
    )


def _answer(written: Any) -> tuple[str, tuple[Member, ...]]:
    if written is None:
        return "none", ()
    if isinstance(written, dict):
        return "object", members_of(written)
    form, _, name = written.rpartition(" ")
    return form or "object", shapes()[name]


def members_of(lines: Mapping[str, str | list[str]]) -> tuple[Member, ...]:
    """The members of lines such as `name: req null string`."""
    return tuple(_member(path, _line(text)) for path, text in lines.items())


def _line(written: str | list[str]) -> str:
    """A line as text; YAML reads the type of a list as a list."""
    return f"[{written[0]}]" if isinstance(written, list) else written


def _member(path: str, text: str) -> Member:
    text, _, default = text.partition(" = ")
    required, nullable = False, False
    while (word := text.partition(" "))[0] in ("req", "null"):
        required, nullable = required or word[0] == "req", nullable or word[0] == "null"
        text = word[2]
    return Member(path, kind_of(text), required, nullable, _value(default) if default else ABSENT)


def kind_of(text: str) -> Kind:
    """`string`, `[integer]`, `EVM | SVM`, `[EVM | SVM]`, `is list`."""
    is_list = text.startswith("[")
    text = text.strip("[]")
    if text.startswith("is "):
        return Kind("one of", is_list, (_value(text[3:]),))
    if " | " in text:
        return Kind("one of", is_list, tuple(_value(value) for value in text.split(" | ")))
    return Kind(text, is_list)


def _value(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text


# --- examples ----------------------------------------------------------------------------------------

_NAME = re.compile(r"\$(\w+)")


def filled(value: Any, names: Mapping[str, Any]) -> Any:
    """A value of the data, with what `$name` means in place of it."""
    if isinstance(value, dict):
        return {key: filled(member, names) for key, member in value.items()}
    if isinstance(value, list):
        return [filled(entry, names) for entry in value]
    if isinstance(value, str):
        whole = _NAME.fullmatch(value)
        if whole:
            return names[whole[1]]
        return _NAME.sub(lambda found: str(names[found[1]]), value)
    return value


def _steps(path: str) -> list[str | int]:
    steps: list[str | int] = []
    for part in path.split("."):
        steps += [part.removesuffix("[]"), 0] if part.endswith("[]") else [part]
    return steps


def has(example: Any, path: str) -> bool:
    """Whether an example has a member; `calls[].to` is that of the first entry."""
    for step in _steps(path):
        if isinstance(example, list):
            if not example:
                return False
        elif not isinstance(example, dict) or step not in example:
            return False
        example = example[step]
    return True


def changed(example: Any, path: str, value: Any = ABSENT) -> Any:
    """A copy of an example with another value of a member, or without it."""
    return _changed(example, _steps(path), value)


def _changed(example: Any, steps: Sequence[str | int], value: Any) -> Any:
    step, rest = steps[0], steps[1:]
    copy = list(example) if isinstance(example, list) else dict(example)
    if rest:
        copy[step] = _changed(copy[step], rest, value)  # type: ignore[index]
    elif value is ABSENT:
        del copy[step]  # type: ignore[arg-type]
    else:
        copy[step] = value  # type: ignore[index]
    return copy
