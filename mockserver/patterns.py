"""Patterns in RE2, whose matching time is linear in the text, and in the size of the pattern's program.

RE2 is fast while its DFA fits into memory. With too many states it falls back to an NFA, which costs
the size of the program for every byte. So the sizes of program and text are limited, and so is the work
of one request: no pattern can hang the server.
"""

import re
from functools import lru_cache
from typing import Any

from mockserver.kernel.effort import Effort
from mockserver.kernel.spelling import shorten

LONGEST_PATTERN = 500
"""The most characters of a pattern."""

LONGEST_PATTERNS = 5_000
"""The most characters of all patterns of a policy, as `pattern_weight` counts them."""

LARGEST_PROGRAM = 3_000
"""The most instructions of a compiled pattern.

The class of all letters has 1,200, most patterns below 200.
"""

LONGEST_TEXT = 8_192
"""The most bytes of a text that is matched."""

_MEMORY = 512 * 1024
_WORK_PER_CHARACTER = 2_000
_UNICODE_CLASS = re.compile(r"\\p", re.IGNORECASE)
_CHARACTERS_PER_CLASS = 100


def pattern_weight(pattern: str) -> int:
    """The characters of a pattern; a Unicode class, which takes long to compile, counts as a hundred."""
    return len(pattern) + _CHARACTERS_PER_CLASS * len(_UNICODE_CLASS.findall(pattern))


class PatternError(ValueError):
    """The pattern is not one that RE2 reads, or it is too large."""


@lru_cache(maxsize=512)
def compile_pattern(pattern: str) -> Any:
    """A compiled pattern; PatternError when RE2 does not read it, or when it is larger than is allowed."""
    import re2  # type: ignore[import-untyped]

    if len(pattern) > LONGEST_PATTERN:
        raise PatternError(f"has {len(pattern):,} characters; {LONGEST_PATTERN:,} are allowed")
    options = re2.Options()
    options.log_errors = False
    options.never_capture = True
    options.max_mem = _MEMORY
    too_large = (
        f"must not compile to more than {LARGEST_PROGRAM:,} instructions: repeat less, or shorter parts"
    )
    try:
        compiled = re2.compile(pattern, options)
    except re2.error as error:
        reason = error.args[0] if error.args else error
        text = reason.decode("utf-8", "replace") if isinstance(reason, bytes) else str(reason)
        if text.startswith("pattern too large"):
            raise PatternError(too_large) from None
        raise PatternError(f"is not a pattern that RE2 reads: {shorten(text)}") from None
    if compiled.programsize > LARGEST_PROGRAM:
        raise PatternError(too_large)
    return compiled


def search(pattern: str, text: str, effort: Effort) -> tuple[bool, str]:
    """Search the pattern in the text; whether it matches, and the verb for the verdict's reason.

    Anchors pin it to the ends.
    """
    # RE2 works on UTF-8 bytes. JSON may carry lone surrogates, which strict encoding rejects.
    size = len(text.encode("utf-8", "surrogatepass"))
    if size > LONGEST_TEXT:
        return False, f"has {size:,} bytes, and only {LONGEST_TEXT:,} are held against"
    if not effort.take_once(("pattern", pattern), _WORK_PER_CHARACTER * pattern_weight(pattern)):
        return False, "comes after too much other work to be held against"
    # The worst case is assumed, before the search: size of the text times size of the program (the NFA).
    compiled = compile_pattern(pattern)
    if not effort.take(size * compiled.programsize):
        return False, "comes after too much other work to be held against"
    matched = compiled.search(text) is not None
    return matched, "matches" if matched else "does not match"
