"""The format of recordings."""

from collections.abc import Mapping
from inspect import cleandoc
from types import NoneType
from typing import Any, Literal, get_args, get_origin, get_type_hints

from docs.pages.markdown import page, table
from mockserver.api.docstrings import attribute_docs
from mockserver.kernel.clock import Anchors, Reading
from mockserver.kernel.table import TableHead
from mockserver.kernel.timers import Timer
from mockserver.replay.comparison import UNCOMPARED
from mockserver.replay.steps import Digests, RecordedAnswer, RecordedRequest, Step
from mockserver.server.recording.lines import FORMAT
from mockserver.server.recording.loading import Meta
from mockserver.server.recording.opening import ServerHead
from mockserver.state.history.event import Circumstances
from mockserver.state.history.history import HistoryHead
from mockserver.state.saved.encoding import (
    DeclaredKey,
    ProjectHead,
    StartUpText,
    StateHead,
    row_codecs,
)

_PLAIN: Mapping[Any, str] = {
    str: "text",
    int: "whole number",
    float: "number",
    bool: "true or false",
    bytes: "base64",
    Any: "any value",
    NoneType: "null",
}
_TITLES: Mapping[Any, str] = {
    Step: "Steps",
    RecordedRequest: "Requests",
    RecordedAnswer: "Answers",
    Digests: "Digests",
    Meta: "Meta",
    ServerHead: "Server",
    ProjectHead: "Projects",
    DeclaredKey: "Keys",
    StartUpText: "Start-up scenarios",
    Anchors: "Anchors",
    HistoryHead: "Histories",
    Circumstances: "Circumstances",
    StateHead: "States",
    Reading: "Clocks",
    Timer: "Timers",
    TableHead: "Tables",
}
_INTRODUCTION = f"""
# Recording format

A recording is a file of JSON Lines, in UTF-8, each line an object that ends with LF. This page describes
format {FORMAT}. The format has a version of its own: it is raised when a reader of the version before could
not replay a file any more. [Record and replay](../guides/record-replay.md) says how recordings are made and
used.

A member that has its default may be left out, an unknown member is an error. Whole numbers of 64 bits and
more are texts of decimal digits. Two recordings of the same run are the same byte for byte, on whatever
machine they were made, but for the line `meta`, and but for what is random in the requests themselves: the
sources of scenarios are relative to where they were given, that of the package's own is its name.

## The lines

| Line | How often | Contents |
|---|---|---|
| `mockserver_recording` | once, the first | the version of the format, {FORMAT} |
| `meta` | once | when and by which version of the package it was made |
| `server` | once | the options of the server that matter for its answers |
| `project` | for each project, oldest first | what it is; the lines up to the next project are about it |
| `event` | for each event in its history | what happened, unmasked, and the rows before and after |
| `state`, with `snapshot` | for each snapshot, by its name | the state; its rows are in the lines after it |
| `state` | once for each project | the current state; its rows are in the lines after it |
| `row` | for each row | a list: the table, the number of the row in it, and the row |
| `begin` | once | `digests` of the projects in this state; of a single state `lines`: that of its lines |
| all others | for each step | see [Steps](#steps) |

The state at the beginning is complete, so that the file alone suffices, whenever the recording began. A
recording ends with `end`, or with the last step before the server ended; a last line without its LF is left
out.
"""


def recording_page() -> str:
    """Every line with its members."""
    lines = [cleandoc(_INTRODUCTION)]
    for kind, title in _TITLES.items():
        lines += ["", f"## {title}", "", cleandoc(kind.__doc__ or "").replace("\n", " "), "", *_members(kind)]
    lines += [
        "",
        "## Rows",
        "",
        "A row is an object with its members that do not have their default. Where a member may be of",
        "several types, `$` names the one. Values that JSON has not are objects with one member:",
        "`$bytes`, `$tuple`, `$int`, `$map`. The tables:",
        "",
        ", ".join(f"`{name}`" for name in row_codecs()) + ".",
        "",
        "## What is not compared",
        "",
        "A replay compares every answer, every change of a row and every draw, but for this:",
        "",
        *table(("part", "because it"), ((f"`{each.part}`", each.reason) for each in UNCOMPARED)),
    ]
    return page(lines)


def _members(kind: Any) -> list[str]:
    described, hints = attribute_docs(kind), get_type_hints(kind)
    defaults = getattr(kind, "_field_defaults", {})
    rows = (
        (
            f"`{name}`",
            _type(hints[name]),
            "" if name in defaults else "yes",
            described.get(name, "").replace("\n\n", " "),
        )
        for name in kind._fields
    )
    return table(("member", "value", "required", "meaning"), rows)


def _type(annotation: Any) -> str:
    """A type in words."""
    arguments = [each for each in get_args(annotation) if each is not ...]
    origin = get_origin(annotation)
    if annotation in _PLAIN:
        return _PLAIN[annotation]
    if origin is Literal:
        return " or ".join(f"`{each}`" for each in arguments)
    if origin is not None and issubclass(origin, Mapping):
        return f"object of {_type(arguments[1])}"
    if origin in (tuple, list, frozenset):
        return "list of " + ", ".join(dict.fromkeys(map(_type, arguments)))
    if arguments:
        return " or ".join(map(_type, arguments))
    title = _TITLES.get(annotation)
    return "object" if title is None else f"object, see [{title}](#{title.lower().replace(' ', '-')})"
