"""The forms of texts that a service draws: two such texts agree if they have one form."""

import re

_PLACEHOLDER = re.compile(r"(?:[sp]k_(?:test|live)_)?(?:masked|unrepeatable)-\d+x*|-----BEGIN.*", re.DOTALL)
_FORMS = (
    ("UUID", re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)),
    ("time with milliseconds", re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+(?:Z|[+-]\d\d:\d\d)")),
    ("time in seconds", re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:Z|[+-]\d\d:\d\d)")),
    ("date of HTTP", re.compile(r"[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} [\d:]{8} GMT")),
    ("JWT", re.compile(r"eyJ[\w-]+\.[\w-]+\.[\w-]*")),
    ("URL", re.compile(r"https?://\S+")),
    ("decimal number", re.compile(r"-?\d+(?:\.\d+)?")),
)
_DRAWN = re.compile(r"[\w+/=.%-]{16,}")
_PARTS = re.compile(r"[a-z]+|[A-Z]+|\d+")
_MOST_CHARACTERS_A_PART = 3
"""Words are longer than what lies between two changes of case, or from letters to digits, in a drawn text."""
_ID = re.compile(r"([a-z]{2,12}_)(?:[a-z]{2,12}_)*+(.*)")
"""What a drawn text may begin with, and that text; prefixes that follow say nothing more."""
_ADDRESS = re.compile(r"(?:[a-z]+-)?([a-z0-9]{20,})@\S+")
"""An e-mail address that was made up for a user without one."""
_WORD = re.compile(r"(?<![\w.-])[\w.-]*\w")
_HEX = re.compile(r"0x([0-9a-fA-F]*)")
_SHARED_BYTES = (20, 32, 65)
"""The lengths that mean something: of addresses, of hashes, of signatures."""
_NUMBERS = "decimal number"
_EARLIEST_S = 1_000_000_000
"""Whole numbers from here on are times, as no other number of the API is so large."""
_LONG_NUMBER = 18
"""So many digits of an id of another service: amounts of coins have fewer or end with zeros."""
_SMALL = 10_000
"""Smaller numbers are counts, limits and ids of chains: they do not depend on when and where."""


def form_of(text: str) -> str | None:
    """The form of a text that is drawn, measured or secret; None for words, which are the same everywhere."""
    if _PLACEHOLDER.fullmatch(text):
        return "secret"
    if hexadecimal := _HEX.fullmatch(text):
        size = len(hexadecimal[1]) // 2
        return f"{size} bytes in hex" if size in _SHARED_BYTES else "bytes in hex"
    if named := _ID.fullmatch(text):
        return None if form_of(named[2]) is None else f"id {named[1]}…"
    if _ADDRESS.fullmatch(text):
        return "made-up e-mail address"
    found = next((name for name, pattern in _FORMS if pattern.fullmatch(text)), None)
    return "drawn text" if found is None and _is_drawn(text) else found


def _is_drawn(text: str) -> bool:
    """Whether a text is long, and changes between kinds of characters more often than words do."""
    if text.startswith("/") or _DRAWN.fullmatch(text) is None:
        return False
    parts = _PARTS.findall(text)
    return any(map(str.isdigit, parts[1:-1])) or len(text) <= _MOST_CHARACTERS_A_PART * len(parts)


def without_drawn(text: str) -> str:
    """A text of several words with the forms of drawn ones in their place."""
    return _WORD.sub(lambda word: form_of(word[0]) or word[0], text)


def is_linkable(text: str) -> bool:
    """Whether a text names one thing, so that it stands for that thing wherever it comes."""
    form = form_of(text)
    if form == _NUMBERS:
        return len(text) >= _LONG_NUMBER
    return form is not None and not form.startswith(("time", "date", "bytes"))


def are_alike(form: str | None, other: str | None) -> bool:
    """Whether two forms agree. A secret has lost its own."""
    return form == other or (form is not None and other is not None and "secret" in (form, other))


def is_determined(number: float) -> bool:
    """Whether a number is the same whenever and wherever the request is made."""
    return abs(number) < _SMALL


def is_time(number: float) -> bool:
    """Whether a number is a time in seconds or milliseconds since 1970."""
    return number > _EARLIEST_S
