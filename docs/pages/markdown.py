"""What pages are made of."""

import json
from collections.abc import Iterable, Sequence

from mockserver.api.endpoint import Endpoint
from mockserver.manual.pages import anchor_of

_NOTE = "<!-- Written by `python docs/generate.py`. Do not edit. -->"


def page(lines: Iterable[str]) -> str:
    """A page of these lines, which says that it is generated."""
    return "\n".join([_NOTE, "", *lines]) + "\n"


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """The lines of a table."""
    lines = [f"| {' | '.join(head)} |", f"|{'---|' * len(head)}"]
    return lines + [f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in row)} |" for row in rows]


def codes(words: Iterable[str]) -> str:
    """The codes of errors, each once."""
    return ", ".join(dict.fromkeys(f"`{word}`" for word in words))


def operation_link(endpoint: Endpoint) -> str:
    """The name of an operation, with a link to what a page of the reference says of it."""
    if endpoint.family.public:
        return f"[`{endpoint.operation}`](operations/{endpoint.operation}.md)"
    return f"[`{endpoint.operation}`](control.md#{anchor_of(f'{endpoint.method} {endpoint.path}')})"


def member(name: str, needed: bool) -> str:
    """The name of a member, in bold when it has to be there."""
    text = f"`{name}`"
    return f"**{text}**" if needed else text


def as_json(value: object) -> str:
    """A value as JSON writes it."""
    return json.dumps(list(value) if isinstance(value, tuple) else value)
