"""The page at `/_mock/`: one HTML file, style sheets, and ES modules without a framework or a build step.

`codemirror` is a bundle of npm packages (MIT License), made by `python docs/editor.py`.
"""

import gzip
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import NamedTuple

Headers = tuple[tuple[str, str], ...]

_TYPES = {"css": "text/css; charset=utf-8", "js": "text/javascript; charset=utf-8"}

_EDITOR = "codemirror.js"
"""The editor of scenarios, which the page loads when it is opened."""

_SAFE: Headers = (
    # A new version of the server brings new files: a browser asks each time, on the machine itself.
    ("cache-control", "no-cache"),
    ("x-content-type-options", "nosniff"),
    ("referrer-policy", "no-referrer"),
)

_SHELL_HEADERS: Headers = (
    ("content-type", "text/html; charset=utf-8"),
    (
        "content-security-policy",
        # Everything is from this server. No script may write HTML (Trusted Types): what comes from requests,
        # e-mails and contracts can only be shown as text.
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; connect-src 'self'; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
        "require-trusted-types-for 'script'; trusted-types 'none'",
    ),
    ("cross-origin-opener-policy", "same-origin"),
    *_SAFE,
)


class PageFile(NamedTuple):
    """A file of the page."""

    content: bytes
    headers: Headers


def page_shell() -> PageFile:
    """The page itself, which loads the other files."""
    return PageFile(_root().joinpath("index.html").read_bytes(), _SHELL_HEADERS)


def page_file(name: str, accepted_encodings: str) -> PageFile | None:
    """A style sheet or a module by its name; None if there is none."""
    content_type = _TYPES.get(name.rpartition(".")[2])
    if content_type is None or "/" in name or "\\" in name or "%" in name:
        return None
    headers = (("content-type", content_type), *_SAFE)
    if name == _EDITOR:
        return _editor(headers, accepted_encodings)
    found = _root().joinpath(name)
    return PageFile(found.read_bytes(), headers) if found.is_file() else None


def _editor(headers: Headers, accepted_encodings: str) -> PageFile:
    """The bundle, compressed if the client takes that."""
    content = files(__package__).joinpath("codemirror", f"{_EDITOR}.gz").read_bytes()
    if "gzip" not in accepted_encodings:
        return PageFile(gzip.decompress(content), headers)
    return PageFile(content, (*headers, ("content-encoding", "gzip"), ("vary", "accept-encoding")))


def _root() -> Traversable:
    return files(__package__).joinpath("files")
