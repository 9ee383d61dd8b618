"""Patterns in RE2, whose matching time is linear in the text, and in the size of the pattern's program.

RE2 is fast while it can turn a pattern into a table of states. Where there are too many of them it keeps a
list of places in the program instead, which costs the program's size for every byte. So both are limited,
and what one request may take is too: no pattern can hang the server.
"""

from functools import lru_cache
from typing import Any

from mockserver.domain.policies.criteria.effort import Effort

LONGEST_PATTERN = 500
"""How many characters a pattern may have."""

LONGEST_PATTERNS = 5_000
"""How many characters the patterns of a policy may have together: classes of Unicode are dear to compile."""

LARGEST_PROGRAM = 3_000
"""How many instructions a pattern may come to. A range of all letters has 1,200, most patterns below 200."""

LONGEST_TEXT = 8_192
"""How many bytes a text may have to be held against a pattern."""

_MEMORY = 512 * 1024
_KEPT = 512
_WORK_PER_CHARACTER = 2_000


class PatternError(ValueError):
    """The pattern is not one that RE2 reads, or it is too large."""


@lru_cache(maxsize=_KEPT)
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
        raise PatternError(f"is not a pattern that RE2 reads: {text[:120]}") from None
    if compiled.programsize > LARGEST_PROGRAM:
        raise PatternError(too_large)
    return compiled


def search(pattern: str, text: str, effort: Effort) -> tuple[bool, str]:
    """Whether the pattern matches anywhere in the text, and what to say of that before its name.

    Anchors pin it to the ends.
    """
    size = len(text.encode("utf-8", "surrogatepass"))
    if size > LONGEST_TEXT:
        return False, f"has {size:,} bytes, and only {LONGEST_TEXT:,} are held against"
    if not effort.take_once(("pattern", pattern), _WORK_PER_CHARACTER * len(pattern)):
        return False, "comes after too much other work to be held against"
    compiled = compile_pattern(pattern)
    if not effort.take(size * compiled.programsize):
        return False, "comes after too much other work to be held against"
    matched = compiled.search(text) is not None
    return matched, "matches" if matched else "does not match"
