"""Which rules may be about a call, found without asking every rule."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from mockserver.scenario.grammar.schema import LoadedRule
from mockserver.scenario.grammar.when import Condition, operations_of
from mockserver.scenario.reading.tree import ABSENT, write_scalar
from mockserver.scenario.running.request_view import RequestView

_HEADER, _PATH, _STATE, _BODY, _QUERY, _ALWAYS = "header", "path", "state", "body", "query", "always"

Sign = tuple[str, str]
"""What of a call is looked at: the header of a name, the path, the state, whether there is a body."""

_THERE = "there"

_READ: Mapping[str, Callable[[RequestView, str], str | None]] = {
    _HEADER: lambda view, name: view.request.headers.get(name),
    _PATH: lambda view, _: view.request.path,
    _STATE: lambda view, _: view.state,
    _BODY: lambda view, _: _THERE if view.request.body else None,
    _QUERY: lambda view, _: _THERE if view.request.query else None,
    _ALWAYS: lambda view, _: _THERE,
}

Entry = tuple[int, LoadedRule]


class _Bucket(NamedTuple):
    """The rules that want a sign of a call to have a value, by that value."""

    sign: Sign
    rules: dict[str, list[Entry]]


class RuleIndex:
    """The rules of a scenario by what a call must have for them to be about it.

    Rules are kept by operation, and within one by a sign: something that is cheap to look up, such as a
    header that has to have a certain value. So rules that are about other calls cost a call nothing.
    """

    __slots__ = ("_by_operation", "_others")

    def __init__(self, rules: Sequence[LoadedRule]) -> None:
        entries = [*enumerate(rules)]
        names = [operations_of(rule.when) for rule in rules]
        named = frozenset().union(*(found for found in names if found is not None))
        others = [entry for entry, found in zip(entries, names, strict=True) if found is None]
        groups: dict[str, list[Entry]] = {name: [] for name in named}
        for entry, found in zip(entries, names, strict=True):
            for name in named if found is None else found:
                groups[name].append(entry)
        self._others = _sort(others)
        self._by_operation = {name: _sort(group) for name, group in groups.items()}

    def find(self, view: RequestView) -> Iterable[LoadedRule]:
        """The rules that may be about a call, in the order of the file."""
        found: list[Entry] = []
        buckets = self._by_operation.get(view.endpoint.operation, self._others)
        for (kind, name), rules in buckets:
            value = _READ[kind](view, name)
            if value is not None:
                found += rules.get(value, ())
        if len(buckets) > 1:
            found.sort(key=lambda entry: entry[0])
        return [rule for _, rule in found]


def _sort(entries: Iterable[Entry]) -> tuple[_Bucket, ...]:
    buckets: dict[Sign, dict[str, list[Entry]]] = {}
    for entry in entries:
        sign, values = _find_sign(entry[1].when)
        rules = buckets.setdefault(sign, {})
        for value in values:
            rules.setdefault(value, []).append(entry)
    return tuple(_Bucket(sign, rules) for sign, rules in buckets.items())


def _find_sign(when: Condition) -> tuple[Sign, Iterable[str]]:
    """What a call must have for a rule to be about it, and the values that this may have."""
    if len(when.call) == 1 and (path := when.call[0].literal) is not None:
        return (_PATH, ""), [path]
    for name, test in when.headers.items():
        if test.equals is not ABSENT:
            return (_HEADER, name), ["null" if test.equals is None else write_scalar(test.equals)]
    if when.state:
        return (_STATE, ""), dict.fromkeys(when.state)
    if any(test.present is not False for test in when.body.values()):
        return (_BODY, ""), [_THERE]
    if any(test.present is not False for test in when.query.values()):
        return (_QUERY, ""), [_THERE]
    return (_ALWAYS, ""), [_THERE]
