"""The page that shows the OpenAPI documents, and the files that it loads.

`swagger-ui` is npm's `swagger-ui-dist` (Apache License 2.0), put there by `python docs/libraries.py`.
"""

from collections.abc import Mapping
from importlib.resources import files
from importlib.resources.abc import Traversable

from mockserver.api.call import Reply
from mockserver.responses.pages import SAFE, compressed_file, html_headers

_SWAGGER_UI = "swagger-ui"

_FILES: Mapping[str, tuple[str, str]] = {
    "page.css": ("page.css", "text/css; charset=utf-8"),
    "page.js": ("page.js", "text/javascript; charset=utf-8"),
    "swagger-ui.css": (f"{_SWAGGER_UI}/swagger-ui.css.gz", "text/css; charset=utf-8"),
    "swagger-ui-bundle.js": (f"{_SWAGGER_UI}/swagger-ui-bundle.js.gz", "text/javascript; charset=utf-8"),
    "LICENSE": (f"{_SWAGGER_UI}/LICENSE", "text/plain; charset=utf-8"),
}

# Everything is from this server; the icons of the viewer are in its style sheet.
_PAGE_HEADERS = (
    *html_headers(script_src="'self'", style_src="'self'", img_src="'self' data:", connect_src="'self'"),
    *SAFE,
)


def viewer_page() -> Reply:
    """The page, as HTML."""
    return Reply(_path("page.html").read_bytes(), headers=_PAGE_HEADERS)


def viewer_file(name: str, accepted_encodings: str) -> Reply | None:
    """A file that the page loads, compressed if the client takes that; None if there is none."""
    if name not in _FILES:
        return None
    path, content_type = _FILES[name]
    content = _path(path).read_bytes()
    headers = (("content-type", content_type), ("cache-control", "max-age=3600"), *SAFE)
    if path.endswith(".gz"):
        return compressed_file(content, headers, accepted_encodings)
    return Reply(content, headers=headers)


def _path(name: str) -> Traversable:
    return files(__package__).joinpath(name)
