"""Regular expressions of RE2, with bounds: no pattern can hang the server.

They are matched in time that is linear in the text, and at worst in the size of the pattern's program for
every byte of it. So the sizes of program and text are limited, and so is the work of one request.
"""

import re
from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

from pydantic_core import SchemaError, SchemaValidator, core_schema

from mockserver.kernel.effort import Effort
from mockserver.patterns.syntax import PatternError, translate

LONGEST_PATTERN = 500
"""The most characters of a pattern."""

LONGEST_PATTERNS = 5_000
"""The most characters of all patterns of a policy, as `pattern_weight` counts them."""

LARGEST_PROGRAM = 3_000
"""The most instructions of a pattern: about as many as RE2 has.

The class of all letters has 1,200, most patterns below 200.
"""

LONGEST_TEXT = 8_192
"""The most bytes of a text that is matched."""

_WORK_PER_CHARACTER = 2_000
_UNICODE_CLASS = re.compile(r"\\p", re.IGNORECASE)
_CHARACTERS_PER_CLASS = 100


def pattern_weight(pattern: str) -> int:
    """The characters of a pattern; a Unicode class, which takes long to compile, counts as a hundred."""
    return len(pattern) + _CHARACTERS_PER_CLASS * len(_UNICODE_CLASS.findall(pattern))


class CompiledPattern(NamedTuple):
    """A pattern that can be searched for."""

    matches: Callable[[str], bool]
    """Whether it is found in a text."""
    size: int
    """About how many instructions it has."""


# So many, as the crate takes up to 2.5 MB for the states of each.
@lru_cache(maxsize=128)
def compile_pattern(pattern: str) -> CompiledPattern:
    """A compiled pattern; PatternError when it is none of RE2, or when it is larger than is allowed."""
    if len(pattern) > LONGEST_PATTERN:
        raise PatternError(f"has {len(pattern):,} characters; {LONGEST_PATTERN:,} are allowed")
    written, size = translate(pattern)
    if size > LARGEST_PROGRAM:
        raise PatternError(
            f"must not compile to more than {LARGEST_PROGRAM:,} instructions: repeat less, or shorter parts"
        )
    try:
        schema = core_schema.str_schema(pattern=written, regex_engine="rust-regex")
        return CompiledPattern(SchemaValidator(schema).isinstance_python, size)
    except SchemaError as error:
        # A property that there is not, or a character: the last line says which.
        reason = str(error).rpartition("error: ")[2]
        raise PatternError(f"is not a pattern that RE2 reads: {reason}") from None


def search(pattern: str, text: str, effort: Effort) -> tuple[bool, str]:
    """Search the pattern in the text; whether it matches, and the verb for the verdict's reason.

    Anchors pin it to the ends.
    """
    # JSON may carry lone surrogates, which have no encoding.
    encoded = text.encode("utf-8", "surrogatepass")
    size = len(encoded)
    if size > LONGEST_TEXT:
        return False, f"has {size:,} bytes, and only {LONGEST_TEXT:,} are held against"
    if not effort.take_once(("pattern", pattern), _WORK_PER_CHARACTER * pattern_weight(pattern)):
        return False, "comes after too much other work to be held against"
    # The worst case is assumed, before the search: size of the text times size of the program (the NFA).
    compiled = compile_pattern(pattern)
    if not effort.take(size * compiled.size):
        return False, "comes after too much other work to be held against"
    matched = compiled.matches(encoded.decode("utf-8", "replace"))
    return matched, "matches" if matched else "does not match"
