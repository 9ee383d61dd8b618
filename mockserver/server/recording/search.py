"""Replacing texts in bytes however they are encoded: percent, JSON, base64, and these in each other."""

import re
from base64 import b64decode, b64encode
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple
from urllib.parse import quote_from_bytes

SHORTEST = 8
"""A shorter text is not looked for: it would be found by chance."""
_STEM = 32
"""So much of the beginning of a text is taken for it: messages cut long values."""
_START = 6
_FEW = 48
"""So many texts are looked for one by one; of more those whose first bytes are there."""
_DEEPEST = 3
"""How many layers of base64 are looked into."""
_MOST_VIEWS = 12
_REMEMBERED = 10_000

_PERCENT = re.compile(rb"%([0-9A-Fa-f]{2})")
_ESCAPE = re.compile(
    rb'\\u([dD][89abAB][0-9a-fA-F]{2})\\u([dD][c-fC-F][0-9a-fA-F]{2})|\\u([0-9a-fA-F]{4})|\\(["\\/bfnrt])'
)
_SHORT = {b"b": b"\b", b"f": b"\f", b"n": b"\n", b"r": b"\r", b"t": b"\t"}
_BASE64 = re.compile(rb"[A-Za-z0-9+/_-]{11,}={0,2}")
_STANDARD = bytes.maketrans(b"-_", b"+/")
_URL_SAFE = bytes.maketrans(b"+/", b"-_")


class _View(NamedTuple):
    """Bytes as one who decodes them reads them, and where each of them comes from."""

    text: bytes
    places: Sequence[int]
    """The place of each byte in the source, and of the end."""
    is_quoted: bool = False
    """Whether the source is percent-encoded."""


class _Span(NamedTuple):
    """A part of the source, and what is to stand there."""

    start: int
    end: int
    text: bytes


class Search:
    """Texts that are looked for, and what is to stand in the place of each."""

    def __init__(self) -> None:
        self._stand_ins: dict[bytes, bytes] = {}
        self._stems: dict[bytes, bytes] = {}
        self._starts: dict[bytes, list[bytes]] = {}
        self._clean: set[bytes] = set()
        """Runs of base64 in which nothing was found."""

    def add(self, text: bytes, stand_in: bytes, *, is_whole: bool = False) -> None:
        """Look for a text from now on, or for a long enough beginning of it unless it `is_whole`."""
        if len(text) < SHORTEST or text in self._stand_ins:
            return
        self._stand_ins[text] = stand_in
        self._stems[text] = text if is_whole else text[:_STEM]
        self._starts.setdefault(text[:_START], []).append(text)
        self._clean.clear()

    def replace(self, raw: bytes) -> bytes:
        """The bytes with every text replaced; base64 with a text in it is decoded and encoded for that."""
        return _substitute(raw, self._find(raw, _DEEPEST)) if self._stand_ins else raw

    def finds(self, raw: bytes) -> bool:
        """Whether a text is in the bytes."""
        return bool(self._stand_ins and self._find(raw, _DEEPEST))

    def _find(self, raw: bytes, depth: int) -> list[_Span]:
        found: list[_Span] = []
        for view in _views(raw):
            for text in self._candidates(view.text):
                found += self._occurrences(view, text)
            if depth:
                found += self._find_in_base64(view, depth - 1)
        return found

    def _candidates(self, raw: bytes) -> list[bytes]:
        """The texts that may be in the bytes, of many with as many steps as there are bytes."""
        if len(self._stand_ins) <= _FEW:
            return [text for text, stem in self._stems.items() if stem in raw]
        starts = {raw[place : place + _START] for place in range(len(raw) - _START + 1)} & self._starts.keys()
        return [text for start in starts for text in self._starts[start] if self._stems[text] in raw]

    def _occurrences(self, view: _View, text: bytes) -> Iterator[_Span]:
        raw, places, _ = view
        stem = self._stems[text]
        start = raw.find(stem)
        while start >= 0:
            end = start + _same_length(text, raw[start : start + len(text)])
            yield _Span(places[start], places[end], self._stand_ins[text])
            start = raw.find(stem, end)

    def _find_in_base64(self, view: _View, depth: int) -> Iterator[_Span]:
        for run in _BASE64.finditer(view.text):
            if run[0] in self._clean:
                continue
            stand_in = self._encoded(run[0], depth)
            if stand_in is not None:
                quoted = quote_from_bytes(stand_in, safe="").encode() if view.is_quoted else stand_in
                yield _Span(view.places[run.start()], view.places[run.end()], quoted)
            elif depth == _DEEPEST - 1 and len(self._clean) < _REMEMBERED:
                self._clean.add(run[0])

    def _encoded(self, run: bytes, depth: int) -> bytes | None:
        """What is to stand in the place of base64; None if nothing is in it.

        Texts may begin at each of four characters. Only what decodes as a whole is encoded again.
        """
        digits = run.rstrip(b"=").translate(_STANDARD)
        for skipped in range(4):
            part = digits[skipped:]
            part = part[:-1] if len(part) % 4 == 1 else part
            decoded = b64decode(part + b"=" * (-len(part) % 4))
            spans = self._find(decoded, depth)
            if spans:
                is_whole = len(part) == len(digits)
                return _encode_like(run, _substitute(decoded, spans)) if is_whole else spans[0].text
        return None


def _same_length(text: bytes, other: bytes) -> int:
    """How many bytes two texts begin with that are the same."""
    if text == other:
        return len(text)
    return next(place for place in range(len(text)) if text[place : place + 1] != other[place : place + 1])


def _encode_like(run: bytes, decoded: bytes) -> bytes:
    """Base64 with the alphabet and the padding of another."""
    encoded = b64encode(decoded)
    if b"-" in run or b"_" in run:
        encoded = encoded.translate(_URL_SAFE)
    return encoded if len(run) % 4 == 0 else encoded.rstrip(b"=")


def _substitute(raw: bytes, spans: list[_Span]) -> bytes:
    """Put the texts in place; of spans that overlap the one that begins first, and then the longest."""
    parts, done = [], 0
    for start, end, text in sorted(spans, key=lambda span: (span.start, -span.end)):
        if start >= done:
            parts += [raw[done:start], text]
            done = end
    return b"".join([*parts, raw[done:]])


def _views(raw: bytes) -> Iterator[_View]:
    """The bytes as they are, and all that they may be decoded to."""
    views = [_View(raw, range(len(raw) + 1))]
    seen = {raw}
    for view in views:
        yield view
        for decode in (_decode_percent, _decode_plus, _decode_json):
            decoded = decode(view)
            if decoded is not None and decoded.text not in seen and len(views) < _MOST_VIEWS:
                seen.add(decoded.text)
                views.append(decoded)


def _decode_percent(view: _View) -> _View | None:
    if b"%" not in view.text:
        return None
    found = _decode(view, _PERCENT, lambda escape: bytes([int(escape[1], 16)]))
    return found._replace(is_quoted=True)


def _decode_plus(view: _View) -> _View | None:
    """A plus is a space in forms."""
    if b"+" not in view.text:
        return None
    return view._replace(text=view.text.replace(b"+", b" "))


def _decode_json(view: _View) -> _View | None:
    return _decode(view, _ESCAPE, _unescape) if b"\\" in view.text else None


def _unescape(escape: re.Match[bytes]) -> bytes:
    if escape[1] is not None:
        high, low = int(escape[1], 16), int(escape[2], 16)
        return chr(0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00)).encode()
    if escape[3] is not None:
        return chr(int(escape[3], 16)).encode("utf-8", "surrogatepass")
    return _SHORT.get(escape[4], escape[4])


def _decode(view: _View, pattern: re.Pattern[bytes], decode: Callable[[re.Match[bytes]], bytes]) -> _View:
    parts: list[bytes] = []
    places: list[int] = []
    done = 0
    for escape in pattern.finditer(view.text):
        decoded = decode(escape)
        parts += [view.text[done : escape.start()], decoded]
        places += view.places[done : escape.start()]
        places += [view.places[escape.start()]] * len(decoded)
        done = escape.end()
    parts.append(view.text[done:])
    places += view.places[done:]
    return _View(b"".join(parts), places, view.is_quoted)
