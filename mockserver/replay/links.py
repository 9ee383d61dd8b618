"""Which values of a request came from an earlier answer.

Ids, tokens and hashes are drawn from a project's entropy: a request that was made before another one, and
is left out, changes those of all that follow. A link says from where in which answer a request had a value,
so that the request can be made again with the value that the answer has then.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Literal, NamedTuple
from urllib.parse import quote

from mockserver.replay.places import Place, values_of
from mockserver.replay.steps import RecordedAnswer, RecordedRequest

_SHORTEST = 6
"""Shorter texts are in requests by chance; one-time codes have six digits."""
_WORD = re.compile(r"[A-Za-z0-9_-]+")
_SIGNATURE = re.compile(r"0x[0-9a-fA-F]{130}\b")
_DIGEST = re.compile(r"0x[0-9a-fA-F]{64}")

Form = Literal["as it is", "percent-encoded", "lower-case"]


class Link(NamedTuple):
    """A value of an earlier answer."""

    exchange: int
    place: Place
    form: Form = "as it is"
    """How the request writes it."""

    def written(self, value: str) -> str:
        """A value as the request writes it."""
        if self.form == "percent-encoded":
            return quote(value, safe="")
        return value.lower() if self.form == "lower-case" else value


class Signed(NamedTuple):
    """The signature of a digest by the key of an account that the mock has."""

    account: Link | str
    """The id of the account."""
    digest: Link


Piece = str | Link | Signed
Text = tuple[Piece, ...]
"""A text in which links stand for the values of answers."""


class LinkedRequest(NamedTuple):
    """A request, with links in the place of what came from answers."""

    request: RecordedRequest
    path: Text
    query: Text
    headers: tuple[Text, ...]
    body: Text | None
    """None if the body is not text."""

    def pieces(self) -> Iterator[Piece]:
        """All of it."""
        for text in (self.path, self.query, *self.headers, self.body or ()):
            yield from text

    def links(self) -> Iterator[Link]:
        """Every link in it."""
        for piece in self.pieces():
            if isinstance(piece, Link):
                yield piece
            elif isinstance(piece, Signed):
                yield piece.digest
                if isinstance(piece.account, Link):
                    yield piece.account

    def exchanges(self) -> frozenset[int]:
        """The exchanges without which it cannot be made."""
        return frozenset(link.exchange for link in self.links())


class Answers:
    """The answers so far, and the values in them."""

    def __init__(self) -> None:
        self._values: dict[int, dict[Place, str]] = {}

    def add(self, number: int, answer: RecordedAnswer) -> Mapping[Place, str]:
        """Take the answer of an exchange; its values."""
        self._values[number] = values_of(answer)
        return self._values[number]

    def value(self, link: Link) -> str | None:
        """The value of a link as its request writes it; None if there is none."""
        value = self._values.get(link.exchange, {}).get(link.place)
        return None if value is None else link.written(value)


class LinkTable:
    """The values that are drawn, each with the answer that had it first."""

    def __init__(self) -> None:
        self._links: dict[str, Link] = {}
        self._by_word: dict[str, list[str]] = {}
        self.digests: dict[str, list[Link]] = {}
        """The 32-byte values in hex, which may have been signed, and every answer that had them."""
        self.signatures: dict[str, Signed] = {}
        """By the signature as it was sent."""

    def add(self, value: str, link: Link) -> None:
        """Note that an answer has a drawn value."""
        if len(value) < _SHORTEST:
            return
        self._add(value, link)
        self._add(quote(value, safe=""), link._replace(form="percent-encoded"))
        if value.startswith("0x"):
            self._add(value.lower(), link._replace(form="lower-case"))

    def add_digest(self, value: str, link: Link) -> None:
        """Note a value that may be signed. It need not be drawn: a transaction's hash has no sender."""
        if _DIGEST.fullmatch(value):
            self.digests.setdefault(value, []).append(link)

    def _add(self, written: str, link: Link) -> None:
        word = _WORD.match(written)
        if word is None or written in self._links:
            return
        self._links[written] = link
        self._by_word.setdefault(word[0], []).append(written)

    def find(self, value: str) -> Link | None:
        """The link of a whole value."""
        return self._links.get(value)

    def link(self, request: RecordedRequest, before: int) -> LinkedRequest:
        """A request with links to what exchanges before this one answered."""

        def linked(text: str) -> Text:
            return self.split(text, before)

        body = linked(request.body) if isinstance(request.body, str) else None
        headers = tuple(linked(value) for _, value in request.headers)
        return LinkedRequest(request, linked(request.path), linked(request.query), headers, body)

    def split(self, text: str, before: int) -> Text:
        """A text with links to what exchanges before this one answered."""
        pieces: list[Piece] = []
        done = 0
        for word in _WORD.finditer(text):
            if word.start() < done:
                continue
            found = self._at(text, word, before)
            if found is not None:
                written, piece = found
                pieces += [text[done : word.start()], piece]
                done = word.start() + len(written)
        pieces.append(text[done:])
        return tuple(piece for piece in pieces if piece != "")

    def _at(self, text: str, word: re.Match[str], before: int) -> tuple[str, Piece] | None:
        signed = self.signatures.get(word[0])
        if signed is not None and signed.digest.exchange < before:
            return word[0], signed
        place = word.start()
        for written in sorted(self._by_word.get(word[0], ()), key=len, reverse=True):
            link = self._links[written]
            if link.exchange < before and text.startswith(written, place):
                end = place + len(written)
                if end == len(text) or not _WORD.match(text[end]):
                    return written, link
        return None


def signatures_in(request: RecordedRequest) -> list[str]:
    """What may be ECDSA signatures in a body: 65 bytes in hex."""
    return _SIGNATURE.findall(request.body) if isinstance(request.body, str) else []
