"""Which values of a request came from an earlier answer.

Ids, tokens and hashes are drawn from a project's entropy: a request that was made before another one, and
is left out, changes those of all that follow. A link says from where in which answer a request had a value,
so that the request can be made again with the value that the answer has then.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Literal, NamedTuple
from urllib.parse import quote

from mockserver.replay.shrinking.places import ValuePlace, values_of
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
    place: ValuePlace
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
        self._values: dict[int, dict[ValuePlace, str]] = {}

    def add(self, number: int, answer: RecordedAnswer) -> Mapping[ValuePlace, str]:
        """Take the answer of an exchange; its values."""
        self._values[number] = values_of(answer)
        return self._values[number]

    def value(self, link: Link) -> str | None:
        """The value of a link as its request writes it; None if there is none."""
        value = self._values.get(link.exchange, {}).get(link.place)
        return None if value is None else link.written(value)


class LinkTable:
    """The values that are drawn, each with the answers that had it."""

    def __init__(self) -> None:
        self._links: dict[str, list[Link]] = {}
        self._by_word: dict[str, list[str]] = {}
        self.digests: dict[str, list[Link]] = {}
        """The 32-byte values in hex, which may have been signed."""
        self.signatures: dict[str, tuple[Link | str, str]] = {}
        """The id of the account that signed, and what it signed, by the signature as it was sent."""
        self.available: frozenset[int] | None = None
        """The exchanges to which links may lead; None for all. A restored snapshot draws values again."""

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
        if word is None:
            return
        if written not in self._links:
            self._links[written] = []
            self._by_word.setdefault(word[0], []).append(written)
        known = self._links[written]
        # One place of each answer is enough, and the form that is there first the simplest.
        if not known or known[-1].exchange != link.exchange:
            known.append(link)

    def find(self, value: str, before: int | None = None) -> Link | None:
        """The link of a whole value: to the first answer that had it."""
        usable = (link for link in self._links.get(value, ()) if self._is_usable(link, before))
        return next(usable, None)

    def _is_usable(self, link: Link, before: int | None) -> bool:
        is_early = before is None or link.exchange < before
        return is_early and (self.available is None or link.exchange in self.available)

    def link(self, request: RecordedRequest, before: int) -> LinkedRequest:
        """A request with links to what exchanges before this one answered."""
        path, query = self.split(request.path, before), self.split(request.query, before)
        headers = tuple(self.split(value, before) for _, value in request.headers)
        head = LinkedRequest(request, path, query, headers, None)
        if not isinstance(request.body, str):
            return head
        return head._replace(body=self.split(request.body, before, head.exchanges()))

    def split(self, text: str, before: int, needed: frozenset[int] = frozenset()) -> Text:
        """A text with links to what exchanges before this one answered, rather to those that are needed."""
        pieces: list[Piece] = []
        done = 0
        for word in _WORD.finditer(text):
            if word.start() < done:
                continue
            found = self._at(text, word, before, needed)
            if found is not None:
                written, piece = found
                pieces += [text[done : word.start()], piece]
                done = word.start() + len(written)
        pieces.append(text[done:])
        return tuple(piece for piece in pieces if piece != "")

    def _at(
        self, text: str, word: re.Match[str], before: int, needed: frozenset[int]
    ) -> tuple[str, Piece] | None:
        signed = self._signed(word[0], before, needed)
        if signed is not None:
            return word[0], signed
        place = word.start()
        for written in sorted(self._by_word.get(word[0], ()), key=len, reverse=True):
            end = place + len(written)
            if text.startswith(written, place) and not _WORD.match(text[end : end + 1]):
                link = self.find(written, before)
                if link is not None:
                    return written, link
        return None

    def _signed(self, signature: str, before: int, needed: frozenset[int]) -> Signed | None:
        if signature not in self.signatures:
            return None
        account, digest = self.signatures[signature]
        links = [link for link in self.digests[digest] if self._is_usable(link, before)]
        if not links:
            return None
        return Signed(account, max(links, key=lambda link: (link.exchange in needed, link.exchange)))


def signatures_in(request: RecordedRequest) -> list[str]:
    """What may be ECDSA signatures in a body: 65 bytes in hex."""
    return _SIGNATURE.findall(request.body) if isinstance(request.body, str) else []
