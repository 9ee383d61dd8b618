"""Suggestions for misspelt names."""

from collections.abc import Collection, Iterable
from itertools import islice

_LONGEST = 120
_LIKENESS = 0.6
_TELLING = 3
_FEW = 14
"""So many names are worth listing."""

_MOST_COMPARED = 300

MOST_EXPLAINED = 20
"""For so many unknown names of one request the nearest is looked for: each takes up to a millisecond."""


def nearest(word: str, known: Iterable[str]) -> str | None:
    """The known name that looks most like this one, whatever its case; None when none does."""
    by_lower_case = {name.lower(): name for name in known}
    if len(by_lower_case) > _MOST_COMPARED:
        alike = [name for name in by_lower_case if name[:1] == word[:1].lower()]
        by_lower_case = {name: by_lower_case[name] for name in alike[:_MOST_COMPARED]}
    # Imported on first use: most programs never misspell a name.
    from difflib import SequenceMatcher, get_close_matches

    # It takes time quadratic in the length of the word.
    lower = word[:_LONGEST].lower()
    close = [
        name
        for name in get_close_matches(lower, by_lower_case, cutoff=_LIKENESS)
        # What is alike in one order only is so by chance, such as `insufficient_found` and `user_not_found`.
        if SequenceMatcher(None, lower, name).ratio() >= _LIKENESS
    ]
    if not close and len(lower) >= _TELLING:
        close = [name for name in by_lower_case if name.startswith(lower)]
    return by_lower_case[close[0]] if close else None


def did_you_mean(name: str | None) -> str:
    """What a finding ends with: ` (did you mean name?)`, or nothing."""
    return f" (did you mean {name}?)" if name else ""


def describe_unknown(what: str, name: str, valid: Iterable[str]) -> tuple[str, str | None]:
    """A sentence about a name that means nothing, and the nearest valid name if one is near."""
    names = list(valid)
    close = nearest(name, names)
    choice = f"; there is {', '.join(names)}" if close is None and 0 < len(names) <= _FEW else ""
    return f"{quote(name)} is not {what}{choice}", close


def say_unknown(what: str, name: str, valid: Iterable[str]) -> str:
    """The same as one text, for a message."""
    sentence, close = describe_unknown(what, name, valid)
    return sentence + did_you_mean(close)


def list_some(values: Collection[object]) -> str:
    """Values as a message lists them: all, or the first of many."""
    shown = ", ".join(map(str, islice(values, _FEW)))
    return shown if len(values) <= _FEW else f"{shown} and more"


def quote(value: object) -> str:
    """A value as a message shows it: quoted, and not too long."""
    return repr(shorten(str(value)))


def shorten(text: str) -> str:
    """A text as a message shows it: whole, or its beginning."""
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 3]}..."


def printable(text: str) -> str:
    """A text as a terminal may get it: what a client has sent is not to drive it."""
    return "".join(each if each.isprintable() else repr(each)[1:-1] for each in text)
