"""Replacing texts in bytes however they are encoded: percent, JSON, base64, and these in each other.

The work for a piece of bytes is bounded, because requests are held up by it. `TooMuch` says that a piece
would take more: then nothing of it is to be written.
"""

import re
import sys
from base64 import b64decode, b64encode
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from itertools import accumulate
from typing import Any, NamedTuple
from urllib.parse import quote_from_bytes, unquote_to_bytes

from mockserver.server.answering.masking import MASK
from mockserver.server.recording.lines import BODIES, texts_in
from mockserver.state.api_keys import KEY_NAME, LIVE_KEY_PREFIXES

SHORTEST = 8
"""A shorter text is not looked for: it would be found by chance."""
MOST_BYTES = 128 * 1024
"""The longest piece in which texts are looked for."""
MOST_WORK = 1024 * 1024
"""So many bytes are looked at for one piece, all that it may be decoded to included."""
MOST_ESCAPES = 10_000
"""So many percent signs or backslashes are decoded one by one."""
_MOST_RUNS = 2_000
"""In so many runs of base64 a text may be."""
_FEW_DIGITS = 4 * 1024
_MOST_CLEAN = 10_000
"""So many runs of base64 without a text are remembered: names and ids come again and again."""
_STEM = 32
"""So much of the beginning of a text is taken for it: messages cut long values."""
_GRAM = 4
"""The length of grams. A piece has those at its multiples, so a text has so many beside each other."""
_DEEPEST = 3
"""How many layers of base64 are looked into."""
_MOST_VIEWS = 12
"""In so many ways each layer is decoded."""
_LARGE = 16 * 1024
"""Of a larger piece one layer is looked into, and it is decoded in each way once."""

_PERCENT = re.compile(rb"%([0-9A-Fa-f]{2})")
_ESCAPE = re.compile(
    rb'\\u([dD][89abAB][0-9a-fA-F]{2})\\u([dD][c-fC-F][0-9a-fA-F]{2})|\\u([0-9a-fA-F]{4})|\\(["\\/bfnrt])'
)
_SHORT = {b"b": b"\b", b"f": b"\f", b"n": b"\n", b"r": b"\r", b"t": b"\t"}
_ESCAPED = re.compile(rb'[\x00-\x1f"\\\x7f-\xff]')
"""What JSON may write with a backslash. Of other texts only an escape that was not needed has one."""
_UNNEEDED = re.compile(rb"\\u|\\/")
_BASE64 = re.compile(rb"[A-Za-z0-9+/_-]{11,}={0,2}")
_STANDARD = bytes.maketrans(b"-_", b"+/")
_URL_SAFE = bytes.maketrans(b"+/", b"-_")

_LIVE_KEY = re.compile(f"(?:{'|'.join(LIVE_KEY_PREFIXES)}){KEY_NAME}+(?!{MASK})".encode())
_MARKS = ("_live_", "%", "\\u", "X2xpdmVf", "9saXZlX", "fbGl2ZV")
"""What a piece has in which a live key is: `_live_`, escapes, or its base64 at each of three places."""
_RAW_MARKS = tuple(mark.encode() for mark in _MARKS)


class TooMuch(Exception):
    """A piece would take more work than is allowed."""


class _Span(NamedTuple):
    """A part of the source, and what is to stand there."""

    start: int
    end: int
    text: bytes


class _View:
    """Bytes as one who decodes them reads them, and where each of them comes from."""

    def __init__(self, text: bytes, source: "_View | None" = None, escape: "_Escape | None" = None) -> None:
        self.text = text
        self._source, self._escape = source, escape
        self.is_quoted: bool = source is not None and (escape is _QUOTING or source.is_quoted)
        """Whether the source is percent-encoded."""

    @cached_property
    def places(self) -> Sequence[int]:
        """The place of each byte in the source, and of the end."""
        source = self._source
        if source is None:
            return range(len(self.text) + 1)
        if self._escape is None:
            return source.places
        pattern, decode, mark = self._escape
        _check_count(source.text, mark)
        places: list[int] = []
        done = 0
        for found in pattern.finditer(source.text):
            places += source.places[done : found.start()]
            places += [source.places[found.start()]] * len(decode(found))
            done = found.end()
        places += source.places[done:]
        return places


class _Escape(NamedTuple):
    """A way to write bytes with others."""

    pattern: re.Pattern[bytes]
    decode: Callable[[re.Match[bytes]], bytes]
    mark: bytes
    """What every such writing has."""


class Search:
    """Texts that are looked for, and what is to stand in the place of each; and any live key."""

    def __init__(self, hide_key: Callable[[str], str] = str, *, is_bounded: bool = True) -> None:
        """`hide_key` says what is to stand in the place of a live key; one that may be shown stays.

        A search that is not bounded decodes only pieces that have a text as it is, or may have a live key.
        """
        self._hide_key = hide_key
        self._is_bounded = is_bounded
        self._stand_ins: dict[bytes, bytes] = {}
        self._stems: dict[bytes, bytes] = {}
        self._grams: dict[int, list[tuple[bytes, int]]] = {}
        """The texts that have a gram, and where in them it is."""
        self._has_escaped = self._has_space = False
        """Whether a text has what JSON or forms write otherwise."""
        self.work = 0
        """How many bytes were looked at for the last piece."""
        self._is_cut = self._has_key = False
        """Whether the last piece may be written in more ways than were looked at, and has a key."""
        self._clean: set[bytes] = set()
        """Runs of base64 that have no text in any of their layers."""

    def add(self, text: bytes, stand_in: bytes, *, is_whole: bool = False) -> None:
        """Look for a text from now on, or for a long enough beginning of it unless it `is_whole`."""
        if len(text) < 2 * _GRAM - 1 or text in self._stand_ins:
            return
        self._stand_ins[text] = stand_in
        self._clean.clear()
        self._stems[text] = stem = text if is_whole else text[:_STEM]
        self._has_escaped = self._has_escaped or _ESCAPED.search(text) is not None
        self._has_space = self._has_space or b" " in text
        last = len(stem) - 2 * _GRAM + 1
        # Those that fewest others have: many secrets begin or end alike.
        chosen = min(
            ([(_gram(stem, at), at) for at in range(start, start + _GRAM)] for start in {0, last // 2, last}),
            key=lambda grams: sum(len(self._grams.get(gram, ())) for gram, _ in grams),
        )
        for gram, at in chosen:
            self._grams.setdefault(gram, []).append((text, at))

    def replace(self, raw: bytes) -> bytes:
        """The bytes with every text replaced; base64 with a text in it is decoded and encoded for that."""
        spans = self._find_in_whole(raw)
        return _substitute(raw, spans) if spans else raw

    def finds(self, raw: bytes) -> bool:
        """Whether a text is in the bytes, or may be."""
        try:
            return self.replace(raw) != raw
        except TooMuch:
            return True

    def finds_nothing_in(self, texts: Iterable[str], *pieces: bytes) -> bool:
        """Whether there is surely nothing to replace: all are looked into together, in the time of one."""
        raw = b"\n".join(("\n".join(texts).encode("utf-8", "surrogatepass"), *pieces))
        if len(raw) > _LARGE:
            return False
        try:
            return not self._find_in_whole(raw) and not self._is_cut
        except TooMuch:
            return False

    def replace_texts(self, value: Any) -> Any:
        """Replace in the texts of a value, each as it is: in a line it would have more escapes."""
        return value if self.finds_nothing_in(texts_in(value)) else self._replace_in(value)

    def _replace_in(self, value: Any) -> Any:
        if isinstance(value, str):
            raw = value.encode("utf-8", "surrogatepass")
            hidden = self.replace(raw)
            return value if hidden is raw else hidden.decode("utf-8", "surrogatepass")
        if isinstance(value, dict):
            return {
                self._replace_in(name): member if name in BODIES else self._replace_in(member)
                for name, member in value.items()
            }
        return type(value)(map(self._replace_in, value)) if isinstance(value, (list, tuple)) else value

    def _find_in_whole(self, raw: bytes) -> list[_Span]:
        self.work, self._is_cut, self._has_key = 0, False, False
        if not self._may_have(raw):
            return []
        if len(raw) > MOST_BYTES and self._is_bounded:
            raise TooMuch
        return self._find(raw, _DEEPEST)

    def is_clean(self, text: str) -> bool:
        """Whether a search that is not bounded has nothing to do for a text."""
        for mark in _MARKS:
            if mark in text:
                return False
        return not self._stand_ins or not self._may_have(text.encode("utf-8", "replace"))

    def _may_have(self, raw: bytes) -> bool:
        if any(mark in raw for mark in _RAW_MARKS):
            return True
        return bool(self._stand_ins) if self._is_bounded else any(text in raw for text in self._stand_ins)

    def _find(self, raw: bytes, depth: int) -> list[_Span]:
        found: list[_Span] = []
        is_large = len(raw) > _LARGE
        most = (1 if depth < _DEEPEST else 4) if is_large else _MOST_VIEWS
        for number, view in enumerate(self._views(raw, most)):
            self._count(len(view.text))
            found += self._occurrences(view)
            if _RAW_MARKS[0] in view.text:
                found += self._live_keys(view)
            if depth and self._may_have(view.text) and not (is_large and number):
                found += self._find_in_base64(view, 0 if is_large else depth - 1)
        return found

    def _occurrences(self, view: _View) -> Iterator[_Span]:
        """Where texts are, with about as many steps as there are bytes: at grams that a text has."""
        raw = view.text
        parts = memoryview(raw[: len(raw) // _GRAM * _GRAM]).cast("I")
        if self._grams.keys().isdisjoint(parts):
            return
        found: dict[bytes, range] = {}
        for number, gram in enumerate(parts):
            if gram not in self._grams:
                continue
            self._count(len(self._grams[gram]))
            for text, at in self._grams[gram]:
                start = number * _GRAM - at
                # A text that repeats itself begins at many places of where it is: the first one counts.
                is_new = start >= 0 and start not in found.get(text, ())
                if is_new and raw.startswith(self._stems[text], start):
                    end = start + _same_length(text, raw[start : start + len(text)])
                    found[text] = range(start, end)
                    # A text may be the beginning of another, as a token is of the signed one.
                    stand_in = self._stand_ins.get(raw[start:end]) or self._stand_ins[text]
                    yield _Span(view.places[start], view.places[end], stand_in)

    def _count(self, work: int) -> None:
        self.work += work
        if self.work > MOST_WORK and self._is_bounded:
            raise TooMuch

    def _live_keys(self, view: _View) -> Iterator[_Span]:
        for key in _LIVE_KEY.finditer(view.text):
            self._has_key = True
            text = key[0].decode()
            if (stand_in := self._hide_key(text)) != text:
                yield _Span(view.places[key.start()], view.places[key.end()], stand_in.encode())

    # --- decoding ----------------------------------------------------------------------------------

    def _views(self, raw: bytes, most: int) -> Iterator[_View]:
        """The bytes as they are, and all that they may be decoded to."""
        views = [_View(raw)]
        seen = {raw}
        for view in views:
            yield view
            for decode in (_decode_percent, self._decode_plus, self._decode_json):
                decoded = decode(view) if len(views) < most else None
                if decoded is not None and decoded.text not in seen:
                    seen.add(decoded.text)
                    views.append(decoded)
        self._is_cut = self._is_cut or len(views) >= most

    def _decode_plus(self, view: _View) -> _View | None:
        """A plus is a space in forms."""
        if not self._has_space or b"+" not in view.text:
            return None
        return _View(view.text.replace(b"+", b" "), view)

    def _decode_json(self, view: _View) -> _View | None:
        if b"\\" not in view.text or not (self._has_escaped or _UNNEEDED.search(view.text)):
            return None
        if self._is_bounded:
            _check_count(view.text, b"\\")
        return _View(_ESCAPE.sub(_unescape, view.text), view, _ESCAPING)

    def _find_in_base64(self, view: _View, depth: int) -> Iterator[_Span]:
        runs = [*_BASE64.finditer(view.text)]
        unknown = [run for run in dict.fromkeys(run[0] for run in runs) if run not in self._clean]
        found = self._runs_with_text(unknown, depth)
        stand_ins = {unknown[number]: self._encoded(unknown[number], depth) for number in sorted(found)}
        for run in runs if stand_ins else ():
            stand_in = stand_ins.get(run[0])
            if stand_in is not None:
                quoted = quote_from_bytes(stand_in, safe="").encode() if view.is_quoted else stand_in
                yield _Span(view.places[run.start()], view.places[run.end()], quoted)

    def _runs_with_text(self, runs: list[bytes], depth: int) -> set[int]:
        """The numbers of runs of base64, read together, that may have a text in them; notes the others."""
        found: set[int] = set()
        if not runs:
            return found
        digits = [run.rstrip(b"=").translate(_STANDARD) for run in runs]
        size = sum(map(len, digits))
        for parts in _ways_to_decode(digits, at_once=size < _FEW_DIGITS):
            spans = self._find(b64decode(b"".join(parts)), depth)
            ends = [*accumulate(len(part) // 4 * 3 for part in parts)] if spans else []
            for span in spans:
                # What one run decodes to may go on with what the next one does.
                touched = range(bisect_right(ends, span.start), bisect_left(ends, span.end) + 1)
                found.update(number % len(runs) for number in touched)
        if len(found) > _MOST_RUNS:
            raise TooMuch
        is_whole = depth == _DEEPEST - 1 and size < _LARGE
        if is_whole and not (self._is_cut or self._has_key):
            if len(self._clean) >= _MOST_CLEAN:
                self._clean.clear()
            self._clean.update(run for number, run in enumerate(runs) if number not in found)
        return found

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


def _gram(text: bytes, start: int) -> int:
    return int.from_bytes(text[start : start + _GRAM], sys.byteorder)


def _ways_to_decode(digits: list[bytes], *, at_once: bool) -> list[list[bytes]]:
    """Runs of base64 from each of their first four digits on, as a text may begin at any."""
    ways = [[each[skipped:] + b"A" * (-(len(each) - skipped) % 4) for each in digits] for skipped in range(4)]
    # What is short takes the time of a single one if all ways are looked into at once.
    return [[part for parts in ways for part in parts]] if at_once else ways


def _check_count(text: bytes, mark: bytes) -> None:
    if text.count(mark) > MOST_ESCAPES:
        raise TooMuch


def _same_length(text: bytes, other: bytes) -> int:
    """How many bytes two texts begin with that are the same."""
    # By halves, as comparing pieces of bytes is fast, and the one byte after the other is not.
    return bisect_left(range(1, len(other) + 1), True, key=lambda end: text[:end] != other[:end])


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


def _decode_percent(view: _View) -> _View | None:
    return _View(unquote_to_bytes(view.text), view, _QUOTING) if b"%" in view.text else None


def _unescape(escape: re.Match[bytes]) -> bytes:
    if escape[1] is not None:
        high, low = int(escape[1], 16), int(escape[2], 16)
        return chr(0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00)).encode()
    if escape[3] is not None:
        return chr(int(escape[3], 16)).encode("utf-8", "surrogatepass")
    return _SHORT.get(escape[4], escape[4])


_QUOTING = _Escape(_PERCENT, lambda escape: bytes([int(escape[1], 16)]), b"%")
_ESCAPING = _Escape(_ESCAPE, _unescape, b"\\")
