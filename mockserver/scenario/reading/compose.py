"""YAML as a tree.

It reads the part of YAML 1.2 that people write by hand, and turns nothing into a number or a time
behind their back: hexadecimal, underscores, leading zeros, exponents, dates, `yes` and `on` stay
text, as do whole numbers that JSON clients cannot hold exactly.
"""

import re
from typing import Any

from mockserver.kernel.spelling import quote, shorten
from mockserver.scenario.reading.bounds import OF_FILES
from mockserver.scenario.reading.findings import Findings, Place
from mockserver.scenario.reading.mistakes import describe, place_of
from mockserver.scenario.reading.tree import Decimal, Node

MAX_LENGTH = 2 * 1024 * 1024
MAX_DEPTH = 32

_LARGEST_WHOLE_NUMBER = 2**53
_WHOLE_NUMBER = re.compile(r"0|-?[1-9][0-9]{0,15}")
_DECIMAL_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]{0,14})\.[0-9]{1,15}")
_SURROGATE = re.compile("[\ud800-\udfff]")
_WORDS: dict[str, bool | None] = {"": None, "~": None, "null": None, "true": True, "false": False}


def parse(text: str, findings: Findings, most_values: int = OF_FILES.values) -> Node:
    """The tree of a YAML text. What is wrong is noted, and ScenarioError raised when that stops reading."""
    import yaml

    if len(text) > MAX_LENGTH:
        findings.reject(Place(1, 1), f"the text is longer than {MAX_LENGTH} characters")
    # libyaml is many times as fast.
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        return _Composer(text, findings, most_values, loader).document()
    except yaml.MarkedYAMLError as error:
        place, message = describe(error, text)
        findings.add(place, f"not YAML: {message}")
    except yaml.reader.ReaderError:
        unreadable = yaml.reader.Reader.NON_PRINTABLE.search(text)
        before = text[: unreadable.start()] if unreadable else ""
        place = Place(before.count("\n") + 1, len(before) - before.rfind("\n"))
        findings.add(place, "not YAML: a character that may not be in a text")
    raise findings.error()


class _Composer:
    """Makes nodes of the events of a parser, within bounds."""

    def __init__(self, text: str, findings: Findings, most_values: int, loader: Any) -> None:
        import yaml

        self._yaml = yaml
        self._findings = findings
        self._loader = loader(text)
        self._anchors: dict[str, Node] = {}
        self._most_values = most_values
        self._values = 0

    def document(self) -> Node:
        """The only document of the text."""
        yaml = self._yaml
        self._next()
        start = self._next()
        if isinstance(start, yaml.StreamEndEvent):
            self._findings.reject(Place(1, 1), "the scenario is empty")
        root = self._node(self._next(), 0)
        self._next()
        end = self._next()
        if not isinstance(end, yaml.StreamEndEvent):
            self._findings.reject(
                place_of(end.start_mark), "a scenario is one document; here a second one begins"
            )
        return root

    def _next(self) -> Any:
        try:
            return self._loader.get_event()
        except (ValueError, OverflowError):
            # PyYAML does not catch what Python says to an escape such as "\UFFFFFFFF".
            self._findings.reject(place_of(self._loader.get_mark()), "not YAML: a number that is none")

    def _node(self, event: Any, depth: int) -> Node:
        yaml = self._yaml
        place = place_of(event.start_mark)
        if isinstance(event, yaml.AliasEvent):
            return self._alias(event.anchor, place, depth)
        self._count(1, depth, place)
        if event.tag is not None:
            self._findings.add(place, f"a scenario has no tags: {quote(event.tag)}")
        if isinstance(event, yaml.ScalarEvent):
            node = self._scalar(event, place)
        elif isinstance(event, yaml.SequenceStartEvent):
            node = self._list(place, depth)
        else:
            node = self._mapping(place, depth)
        if event.anchor is not None:
            self._anchors[event.anchor] = node
        return node

    def _count(self, values: int, depth: int, place: Place) -> None:
        self._values += values
        if self._values > self._most_values:
            message = f"the scenario has more than {self._most_values} values, aliases counted as used"
            self._findings.reject(place, message)
        if depth > MAX_DEPTH:
            self._findings.reject(place, f"the scenario nests more than {MAX_DEPTH} levels deep")

    def _alias(self, anchor: str, place: Place, depth: int) -> Node:
        node = self._anchors.get(anchor)
        if node is None:
            self._findings.reject(place, f"no value before this place has the anchor &{shorten(anchor)}")
        self._count(node.size, depth + node.height, place)
        return node

    def _scalar(self, event: Any, place: Place) -> Node:
        text: str = event.value
        if _SURROGATE.search(text):
            self._findings.add(place, "half of a surrogate pair is no character")
            text = ""
        return Node(_resolve(text) if event.implicit[0] else text, place)

    def _list(self, place: Place, depth: int) -> Node:
        members: list[Node] = []
        while not isinstance(event := self._next(), self._yaml.SequenceEndEvent):
            members.append(self._node(event, depth + 1))
        return Node(members, place, size=_size(members), height=_height(members))

    def _mapping(self, place: Place, depth: int) -> Node:
        members: dict[str, Node] = {}
        keys: dict[str, Place] = {}
        while not isinstance(event := self._next(), self._yaml.MappingEndEvent):
            key = self._node(event, depth + 1)
            member = self._node(self._next(), depth + 1)
            name = key.text
            if key.value is None or isinstance(key.value, (dict, list)):
                self._findings.add(key.place, "a key is text")
            elif name == "<<":
                self._findings.add(key.place, "a scenario has no merge keys; write the members out")
            elif name in members:
                self._findings.add(
                    key.place, f"the key {quote(name)} is there twice, first in line {keys[name].line}"
                )
            else:
                members[name] = member
                keys[name] = key.place
        nodes = list(members.values())
        return Node(members, place, keys=keys, size=_size(nodes), height=_height(nodes))


def _size(nodes: list[Node]) -> int:
    return 1 + sum(node.size for node in nodes)


def _height(nodes: list[Node]) -> int:
    return 1 + max((node.height for node in nodes), default=0)


def _resolve(text: str) -> bool | int | float | str | None:
    """What an unquoted scalar stands for."""
    if text in _WORDS:
        return _WORDS[text]
    if _WHOLE_NUMBER.fullmatch(text) and abs(int(text)) <= _LARGEST_WHOLE_NUMBER:
        return int(text)
    if _DECIMAL_NUMBER.fullmatch(text):
        return Decimal(text)
    return text
