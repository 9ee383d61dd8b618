"""The page that shows the OpenAPI documents, and the files that it loads.

`swagger-ui` is the npm package `swagger-ui-dist` (Apache License 2.0), put there by `python docs/viewer.py`.
"""

import gzip
from collections.abc import Mapping
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import NamedTuple

_SWAGGER_UI = "swagger-ui"


class ViewerFile(NamedTuple):
    """A file of the page."""

    content: bytes
    headers: tuple[tuple[str, str], ...]


_FILES: Mapping[str, tuple[str, str]] = {
    "page.css": ("page.css", "text/css; charset=utf-8"),
    "page.js": ("page.js", "text/javascript; charset=utf-8"),
    "swagger-ui.css": (f"{_SWAGGER_UI}/swagger-ui.css.gz", "text/css; charset=utf-8"),
    "swagger-ui-bundle.js": (f"{_SWAGGER_UI}/swagger-ui-bundle.js.gz", "text/javascript; charset=utf-8"),
    "LICENSE": (f"{_SWAGGER_UI}/LICENSE", "text/plain; charset=utf-8"),
}

_SAFE = (("x-content-type-options", "nosniff"), ("referrer-policy", "no-referrer"))

_PAGE_HEADERS = (
    ("content-type", "text/html; charset=utf-8"),
    (
        "content-security-policy",
        # Everything is from this server; the icons of the viewer are in its style sheet.
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    ),
    *_SAFE,
)


def viewer_page() -> ViewerFile:
    """The page, as HTML."""
    return ViewerFile(_path("page.html").read_bytes(), _PAGE_HEADERS)


def viewer_file(name: str, accepted_encodings: str) -> ViewerFile | None:
    """A file that the page loads, compressed if the client takes that; None if there is none."""
    if name not in _FILES:
        return None
    path, content_type = _FILES[name]
    content = _path(path).read_bytes()
    headers = (("content-type", content_type), ("cache-control", "max-age=3600"), *_SAFE)
    if not path.endswith(".gz"):
        return ViewerFile(content, headers)
    if "gzip" not in accepted_encodings:
        return ViewerFile(gzip.decompress(content), headers)
    return ViewerFile(content, (*headers, ("content-encoding", "gzip"), ("vary", "accept-encoding")))


def _path(name: str) -> Traversable:
    return files(__package__).joinpath(name)
