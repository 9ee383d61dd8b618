"""Patterns in RE2, whose matching time is linear in the text: no pattern can hang the server."""

from typing import Any


class PatternError(ValueError):
    """The pattern is not one that RE2 reads."""


def compile_pattern(pattern: str) -> Any:
    """A compiled pattern; PatternError when RE2 does not read it."""
    import re2  # type: ignore[import-untyped]

    options = re2.Options()
    options.log_errors = False
    try:
        return re2.compile(pattern, options)
    except re2.error as error:
        reason = error.args[0] if error.args else error
        text = reason.decode("utf-8", "replace") if isinstance(reason, bytes) else str(reason)
        raise PatternError(f"is not a pattern that RE2 reads: {text[:120]}") from None


def found_in(pattern: str, text: str) -> bool:
    """Whether the pattern matches anywhere in the text; anchors pin it to the ends."""
    return compile_pattern(pattern).search(text) is not None
