"""A scenario, read and checked: what the grammar of the YAML files stands for."""

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Literal, NamedTuple

from mockserver.api.endpoint import Endpoint, Routes
from mockserver.domain.time.rate_limits import Limit
from mockserver.scenario.findings import Place
from mockserver.scenario.tree import Node
from mockserver.state.api_keys import ApiKey

Operator = Literal["equals", "contains", "matches", "present"]
"""How a value is compared: the same JSON, a part of a text or list, a regular expression, being there."""

JsonPath = tuple[str, ...]
"""A place in a JSON body: `calls[0].to` is `("calls", "0", "to")`."""


class Pattern(NamedTuple):
    """Which calls are meant: an operation, or a method (None for any) and the form of a path."""

    text: str
    operation: str | None
    method: str | None = None
    path: re.Pattern[str] | None = None


class Test(NamedTuple):
    """What must hold of a header, a member of the query, or a value in the body."""

    operator: Operator
    wanted: Any
    text: str
    """The wanted value as it was written, to compare with what is only ever text."""
    pattern: re.Pattern[str] | None = None


class Nth(NamedTuple):
    """Which of the calls that match are meant, counted from 1."""

    numbers: frozenset[int] = frozenset()
    """Exactly these; when empty, the others members say."""
    first: int = 1
    last: int | None = None
    every: int = 1

    def admits(self, number: int) -> bool:
        """Whether the call with this number is meant."""
        if self.numbers:
            return number in self.numbers
        if number < self.first or (self.last is not None and number > self.last):
            return False
        return (number - self.first) % self.every == 0


class When(NamedTuple):
    """Which calls a rule is about. All of it must hold."""

    calls: tuple[Pattern, ...] = ()
    """Any of these; every call when empty."""
    headers: tuple[tuple[str, tuple[Test, ...]], ...] = ()
    query: tuple[tuple[str, tuple[Test, ...]], ...] = ()
    body: tuple[tuple[JsonPath, tuple[Test, ...]], ...] = ()
    nth: Nth | None = None
    positions: tuple[str, ...] = ()
    """The project is at one of these; anywhere when empty."""


class Answer(NamedTuple):
    """An answer instead of the real one, ready to be sent."""

    status: int
    headers: tuple[tuple[bytes, bytes], ...]
    body: bytes


class CatalogueError(NamedTuple):
    """An error of the catalogue by its code; a message or a field of its own if wanted."""

    code: str
    message: str | None = None
    param: str | None = None


class Then(NamedTuple):
    """What happens to a call. At most one of `answer`, `error` and `limit` is there."""

    answer: Answer | None = None
    error: CatalogueError | None = None
    limit: Limit | None = None
    """The calls beyond it are refused until its window is over."""
    delay_ms: int = 0
    patch: Mapping[str, Any] | None = None
    """A JSON merge patch (RFC 7396) for the real answer."""
    fate: Mapping[str, Any] | None = None
    """The members of a fate."""
    position: str | None = None


class Rule(NamedTuple):
    """When a call is like this, then that happens."""

    name: str
    place: Place
    when: When
    then: Then
    id: str = ""
    """Of its `RuleState`; empty until the scenario is loaded into a project."""


class DeclaredKey(NamedTuple):
    """An API key the project is to have."""

    key: ApiKey
    scopes: frozenset[str]
    place: Place


class ClockWish(NamedTuple):
    """How the project's clock is to stand or go; what is None stays as it is."""

    mode: Literal["frozen", "ticking"]
    at_ms: int | None = None
    rate: float = 1.0


class Step(NamedTuple):
    """A call of the public API that sets the scene."""

    place: Place
    endpoint: Endpoint
    target: Node
    """What names the call: an operation id, or a method and a path in which references may stand."""
    path: Node | None = None
    query: Node | None = None
    headers: Node | None = None
    body: Node | None = None
    name: str | None = None
    """Under which the answer is captured."""


class Scenario(NamedTuple):
    """A scenario that makes sense as far as can be told without a project."""

    name: str
    source: str
    text: str
    routes: Routes
    """The operations it was read with."""
    seed: str | None = None
    clock: ClockWish | None = None
    keys: tuple[DeclaredKey, ...] = ()
    settings: Mapping[str, Any] = MappingProxyType({})
    given: tuple[Step, ...] = ()
    fates: tuple[Mapping[str, Any], ...] = ()
    """Each the members of a fate."""
    rules: tuple[Rule, ...] = ()
    places: Mapping[str, Place] = MappingProxyType({})
    """Where the parts of the scenario stand."""
    unresolved: Mapping[str, Node] = MappingProxyType({})
    """The trees of `rules` and `fates` that refer to captured answers, to be read again with those."""
