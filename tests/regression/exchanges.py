"""What was said: requests and their answers, one exchange a line of a recording."""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Self


@dataclass(frozen=True)
class Request:
    """A request as it goes over the wire; the body is text, empty if there is none."""

    method: str
    path: str
    headers: dict[str, str]
    body: str

    @property
    def is_public(self) -> bool:
        """Whether it is to the public API, not to the control API."""
        return not self.path.startswith("/_mock")


@dataclass(frozen=True)
class Answer:
    """An answer without the headers that tell the time and the server; status 0 if the connection broke."""

    status: int
    headers: list[list[str]]
    body: str

    @property
    def succeeded(self) -> bool:
        """Whether the operation did what was asked: redirects count."""
        return 200 <= self.status < 400

    @cached_property
    def json(self) -> Any:
        """The body's value, `None` if it is not JSON."""
        try:
            return json.loads(self.body)
        except ValueError:
            return None

    def header(self, name: str) -> str | None:
        """The first value of a header, whose name is given in lower case."""
        return next((value for key, value in self.headers if key == name), None)


@dataclass(frozen=True)
class Exchange:
    """A request, the id of the operation that it calls (empty if none), and the answer."""

    operation: str
    request: Request
    answer: Answer

    def line(self) -> str:
        """The exchange as one line of JSON."""
        return json.dumps(asdict(self), separators=(",", ":"))

    @classmethod
    def of_line(cls, line: str) -> Self:
        """What `line` wrote."""
        value: Mapping[str, Any] = json.loads(line)
        return cls(value["operation"], Request(**value["request"]), Answer(**value["answer"]))


def write(path: Path, exchanges: Iterable[Exchange]) -> None:
    """Write a recording."""
    with path.open("w", encoding="utf-8") as file:
        file.writelines(exchange.line() + "\n" for exchange in exchanges)


def read(path: Path) -> Iterator[Exchange]:
    """The exchanges of a recording, in order."""
    with path.open(encoding="utf-8") as file:
        for line in file:
            yield Exchange.of_line(line)
