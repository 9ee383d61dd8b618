"""Names for the answers of calls, which later calls refer to."""

import re
from collections.abc import Iterable

from mockserver.replay.export.history import PROJECT, Exchange

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_VERBS = frozenset({"create", "get", "list", "add", "submit", "send", "make", "update", "import", "init"})
_VERSION = re.compile(r"V[0-9]+$")
_OTHER = "answer"
_TAKEN = frozenset({"project", "mock_api", "mock_project", "httpx", "pytest", "signature", _OTHER})


def name_answers(
    calls: Iterable[Exchange], needed: Iterable[int], taken: Iterable[str] = ()
) -> dict[int, str]:
    """A name for each answer that is needed, by the number of the exchange; none of those that are taken."""
    wanted, taken = {*needed} - {PROJECT}, {*_TAKEN, *taken}
    found: dict[int, str] = {}
    for call in calls:
        if call.number in wanted:
            name = unused_name(_base(call), taken)
            taken.add(name)
            found[call.number] = name
    return found


def unused_name(base: str, taken: Iterable[str]) -> str:
    """The name, with a number if it is taken."""
    known = {*taken}
    number, name = 1, base
    while name in known:
        number += 1
        name = f"{base}_{number}"
    return name


def _base(call: Exchange) -> str:
    """`createAccountV2` answers with an `account`."""
    operation = "" if call.endpoint is None else call.endpoint.operation
    words = [word.lower() for word in _WORD.findall(_VERSION.sub("", operation))]
    if len(words) > 1 and words[0] in _VERBS:
        words = words[1:]
    return "_".join(words) or "reply"
