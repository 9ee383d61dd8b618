"""Whether a server answers as it did when a recording was made."""

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import zip_longest
from typing import Any

from tests.regression.exchanges import Answer, Exchange, Request

# Members that are never the same twice: RSA-OAEP pads with chance from outside of the project.
SEALED: dict[str, frozenset[str]] = {"exportPrivateKey": frozenset({"encryptedPrivateKey"})}
ABSENT = "(absent)"
# How much of a value a difference shows.
SHOWN = 2000


@dataclass(frozen=True)
class Difference:
    """Where one answer differs: the member's path, and both values."""

    number: int
    exchange: Exchange
    place: str
    recorded: Any
    got: Any

    def __str__(self) -> str:
        request = self.exchange.request
        return (
            f"{self.number}. {self.exchange.operation or '(no operation)'}: {request.method} {request.path}\n"
            f"   headers   {json.dumps(request.headers)}\n"
            f"   body      {shortened(request.body) or '(none)'}\n"
            f"   at        {self.place}\n"
            f"   recorded  {shortened(repr(self.recorded))}\n"
            f"   got       {shortened(repr(self.got))}"
        )


@dataclass
class Comparison:
    """How many answers were compared, and where they differ."""

    compared: int = 0
    differences: list[Difference] = field(default_factory=list)

    @property
    def operations(self) -> Counter[str]:
        """How many differences each operation has."""
        return Counter(each.exchange.operation for each in self.differences)


def shortened(text: str) -> str:
    """The beginning of a text that is too long to be read."""
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}... ({len(text)} characters)"


def compare(
    exchanges: Iterable[Exchange], send: Callable[[Request], Answer], *, control: bool = False
) -> Comparison:
    """Send every request of a recording again; answers of the control API count only if `control` is set."""
    comparison = Comparison()
    for number, exchange in enumerate(exchanges, 1):
        got = send(exchange.request)
        if not (control or exchange.request.is_public):
            continue
        comparison.compared += 1
        found = next(differences_of(exchange, got), None)
        if found is not None:
            comparison.differences.append(Difference(number, exchange, *found))
    return comparison


def differences_of(exchange: Exchange, got: Answer) -> Iterator[tuple[str, Any, Any]]:
    """Where two answers differ: status first, then the body, then headers, then spelling."""
    recorded = exchange.answer
    if recorded.status != got.status:
        yield "status", recorded.status, f"{got.status} {got.body}"
    sealed = SEALED.get(exchange.operation, frozenset())
    old, new = masked(recorded.json, sealed), masked(got.json, sealed)
    yield from differences_in("body", old, new)
    for before, after in zip_longest(recorded.headers, got.headers):
        if before != after:
            yield f"headers.{(before or after)[0]}", before, after
    if recorded.body != got.body and not (sealed and old == new and old is not None):
        yield "body (as text)", recorded.body, got.body


def masked(value: Any, names: frozenset[str]) -> Any:
    """A value without what stands under the names."""
    if isinstance(value, dict):
        return {name: "masked" if name in names else masked(each, names) for name, each in value.items()}
    if isinstance(value, list):
        return [masked(each, names) for each in value]
    return value


def differences_in(place: str, old: Any, new: Any) -> Iterator[tuple[str, Any, Any]]:
    """The innermost members that differ."""
    if isinstance(old, dict) and isinstance(new, dict):
        for name in old | new:
            yield from differences_in(f"{place}.{name}", old.get(name, ABSENT), new.get(name, ABSENT))
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        for index, (before, after) in enumerate(zip(old, new, strict=True)):
            yield from differences_in(f"{place}[{index}]", before, after)
    elif old != new or type(old) is not type(new):
        yield place, old, new
