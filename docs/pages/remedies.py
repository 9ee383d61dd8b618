"""What the messages of errors look like, and what to do about them."""

import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path

import yaml

from mockserver import errors
from mockserver.errors import ErrorRow
from mockserver.server.openapi.examples import read_examples

_FILE = Path(__file__).with_suffix(".yaml")


@cache
def remedies() -> Mapping[ErrorRow, str]:
    """What to do about an error, in a sentence or two; of the control API's the messages say it."""
    written: Mapping[str, str] = yaml.safe_load(_FILE.read_text(encoding="utf-8"))
    return {getattr(errors, name): text for name, text in written.items()}


def answered_message(row: ErrorRow, envelope: str) -> str:
    """The message of an error as a call got it, or else the catalogue's with its blanks."""
    example = read_examples().errors.get(f"{envelope}.{row.status}.{row.code}", {})
    members = example.get("error", example)
    message = str(members.get("message") or members.get("detail", ""))
    # Another row may have the code, too.
    form = re.sub(r"\\{\w+\\}", "(.+)", re.escape(row.message))
    return message if re.fullmatch(form, message) else row.message
