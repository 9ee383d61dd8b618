"""What a request has from an earlier answer."""

import json
import re
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

_REFERENCE = re.compile(r"\$\{([\w-]+)((?:\.\w+|\[\d+\])*|@location)(/|\?\w+)?\}")
_PART = re.compile(r"\.(\w+)|\[(\d+)\]")


LOCATION = "@location"


class Reference(NamedTuple):
    """A member of an answer, or a part of one that is a URL."""

    answer: str
    path: str
    """The member as JavaScript writes it, such as `.data[0].url`; `@location` is the header."""
    part: str
    """A parameter of the URL's query (`?token`), `/` for the last segment of its path, or empty."""

    @property
    def variable(self) -> str:
        """The name of the variable that has it."""
        return re.sub(r"\W+", "_", f"{self.answer}{self.path}{self.part}").strip("_")

    def script(self, body: str, location: str) -> str:
        """The JavaScript that takes it from an answer, given that of its JSON and of its `Location`."""
        pattern = self._pattern()
        whole = location if self.path == LOCATION else f"{body}{self.path}"
        return f"{whole}.match(/{pattern}/)[1]" if pattern else whole

    def read(self, answer: Any, location: str = "") -> str:
        """Take it from an answer. KeyError, IndexError or TypeError without it."""
        if self.path == LOCATION:
            answer = location
        for name, number in _PART.findall(self.path):
            answer = answer[name] if name else answer[int(number)]
        pattern = self._pattern()
        if not pattern:
            return str(answer)
        found = re.search(pattern, str(answer))
        if found is None:
            raise KeyError(self.part)
        return found[1]

    def _pattern(self) -> str:
        if self.part.startswith("?"):
            return f"[?&]{self.part[1:]}=([^&]*)"
        return r"\/([^\/?]+)(?:\?.*)?$" if self.part else ""


def references_in(text: str) -> Iterator[Reference]:
    """Every reference in a text."""
    return (Reference(match[1], match[2], match[3] or "") for match in _REFERENCE.finditer(text))


def fill(text: str, write: Callable[[Reference], str]) -> str:
    """A text with something else in the place of its references."""
    return _REFERENCE.sub(lambda match: write(Reference(match[1], match[2], match[3] or "")), text)


def as_variables(text: str) -> str:
    """A text with variables as all three clients write them: `{{ada_user_id}}`."""
    return fill(text, lambda reference: f"{{{{{reference.variable}}}}}")


def to_text(value: Any) -> str:
    """The JSON of a body; its texts may have references."""
    return json.dumps(value, indent=2, ensure_ascii=False)
