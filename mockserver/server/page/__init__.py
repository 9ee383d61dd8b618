"""The page at `/_mock/`: one HTML file, style sheets, and ES modules without a framework or a build step.

`codemirror` is a bundle of npm packages (MIT License), made by `python docs/editor.py`.
"""

from importlib.resources import files
from importlib.resources.abc import Traversable

from mockserver.api.call import Reply
from mockserver.responses.pages import SAFE, compressed_file, html_headers

_TYPES = {"css": "text/css; charset=utf-8", "js": "text/javascript; charset=utf-8"}

_EDITOR = "codemirror.js"
"""The editor of scenarios, which the page loads when it is opened."""

# A new version of the server brings new files: a browser asks each time, on the machine itself.
_SAFE = (("cache-control", "no-cache"), *SAFE)

# Everything is from this server. No script may write HTML (Trusted Types): what comes from requests, e-mails
# and contracts can only be shown as text.
_SHELL_HEADERS = (
    *html_headers(
        script_src="'self'",
        style_src="'self'",
        img_src="data:",
        connect_src="'self'",
        require_trusted_types_for="'script'",
        trusted_types="'none'",
    ),
    ("cross-origin-opener-policy", "same-origin"),
    *_SAFE,
)


def page_shell() -> Reply:
    """The page itself, which loads the other files."""
    return Reply(_root().joinpath("index.html").read_bytes(), headers=_SHELL_HEADERS)


def page_file(name: str, accepted_encodings: str) -> Reply | None:
    """A style sheet or a module by its name; None if there is none."""
    content_type = _TYPES.get(name.rpartition(".")[2])
    if content_type is None or "/" in name or "\\" in name or "%" in name:
        return None
    headers = (("content-type", content_type), *_SAFE)
    if name == _EDITOR:
        content = files(__package__).joinpath("codemirror", f"{_EDITOR}.gz").read_bytes()
        return compressed_file(content, headers, accepted_encodings)
    found = _root().joinpath(name)
    return Reply(found.read_bytes(), headers=headers) if found.is_file() else None


def _root() -> Traversable:
    return files(__package__).joinpath("files")
