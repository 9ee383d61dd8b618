"""What is wrong with a text that is not YAML, in words for those who write scenarios."""

import re
from typing import TYPE_CHECKING, Any

from mockserver.scenario.reading.findings import Place

if TYPE_CHECKING:
    import yaml

_INDEXED_KEY = re.compile(r"[{,]\s*(?P<key>(?P<name>[A-Za-z_][\w.-]*)(?:\[\d{1,9}\][\w.-]*)+)\s*:")
_LINE_END = re.compile("\r\n|[\n\r\x85\u2028\u2029]")
_SECOND_KEY = "a second key in one line: put quotes around a value that has a colon and a space"


def place_of(mark: Any) -> Place:
    """Where a mark of PyYAML is."""
    return Place(mark.line + 1, mark.column + 1) if mark is not None else Place(1, 1)


def describe(error: "yaml.MarkedYAMLError", text: str) -> tuple[Place, str]:
    """What is wrong, and where: for what is not closed, where it begins."""
    here, began = place_of(error.problem_mark or error.context_mark), place_of(error.context_mark)
    context, problem = error.context or "", error.problem or ""
    # YAML 1.1 ends lines at more characters than a line feed (YAML 1.1, 4.2).
    lines = _LINE_END.split(text, here.line)
    # The end of a text may be on a line that is not there.
    line = lines[here.line - 1] if here.line <= len(lines) else ""
    if context.startswith("while parsing a flow"):
        return _describe_brackets(here, began, line, "{" if "mapping" in context else "[")
    if "end of stream" in problem:
        return began, "this quote is not closed"
    return here, _describe_place(problem, line, here, began) or ", ".join(filter(None, (context, problem)))


def _describe_brackets(here: Place, began: Place, line: str, opening: str) -> tuple[Place, str]:
    closing = {"{": "}", "[": "]"}[opening]
    if here.line > began.line:
        return began, f"this {opening} is not closed"
    for found in _INDEXED_KEY.finditer(line):
        # A key such as `calls[0].value`: the bracket is what cannot be read.
        if found.end("name") + 1 == here.column:
            return here, f"within {{...}} put quotes around the key: '{found['key']}'"
    if line[here.column - 1 : here.column] == ":":
        return here, _SECOND_KEY
    return here, f"here a comma or the {closing} of column {began.column} is missing"


def _describe_place(problem: str, line: str, here: Place, began: Place) -> str:
    character, before = line[here.column - 1 : here.column], line[: here.column - 1]
    if character == "\t":
        return "a tab: YAML is indented with spaces"
    if "cannot start any token" in problem:
        return f"put quotes around a value that begins with {character}"
    if "mapping values are not allowed" in problem:
        if ": " in before:
            return _SECOND_KEY
        return "this line is no key: it is indented otherwise than those above, or one above has no colon"
    if "sequence entries are not allowed" in problem:
        return "a list begins on a line of its own, or within [...]"
    if "escape" in problem:
        return "this escape means nothing within double quotes; single quotes leave it as it is"
    if "expected ':'" in problem:
        return "the key before this place has no colon"
    if "document start" in problem and character in ("}", "]"):
        return f"nothing is open that this {character} closes"
    if "block end" in problem or "expected key" in problem or "expected '-'" in problem:
        if before.rstrip()[-1:] in ("'", '"'):
            return "the quote before this place ends the value: double it, or use the other kind of quote"
        return f"this line does not go on with what begins in line {began.line}: it is indented otherwise"
    return ""
