"""The headers of HTML pages and of the files that they load."""

from typing import NamedTuple

from mockserver.api.call import Headers

_NOTHING = {
    "default-src": "'none'",
    "base-uri": "'none'",
    "form-action": "'none'",
    "frame-ancestors": "'none'",
}

NO_SNIFFING: Headers = (("x-content-type-options", "nosniff"),)

SAFE: Headers = (*NO_SNIFFING, ("referrer-policy", "no-referrer"))
"""The headers of every file of a page that has no forms."""


class PageFile(NamedTuple):
    """A page, or a file that it loads."""

    content: bytes
    headers: Headers


def html_headers(**allowed: str) -> Headers:
    """The type of an HTML page, and its policy: it may load and send nothing but what is allowed.

    The names are directives of CSP 3, with underscores: `html_headers(style_src="'unsafe-inline'")`.
    """
    directives = _NOTHING | {name.replace("_", "-"): value for name, value in allowed.items()}
    return (
        ("content-type", "text/html; charset=utf-8"),
        ("content-security-policy", "; ".join(f"{name} {value}" for name, value in directives.items())),
    )


def form_headers(**allowed: str) -> Headers:
    """The headers of an HTML page with forms of its own; `allowed` as of `html_headers`."""
    return (
        *html_headers(**allowed),
        *NO_SNIFFING,
        # `no-referrer` would make browsers send `Origin: null` with the page's own forms (Fetch, 3.1).
        ("referrer-policy", "same-origin"),
        ("cross-origin-resource-policy", "same-origin"),
        ("cache-control", "no-store"),
    )


def compressed_file(content: bytes, headers: Headers, accepted_encodings: str) -> PageFile:
    """A file that is stored compressed, as the client takes it."""
    if "gzip" in accepted_encodings:
        return PageFile(content, (*headers, ("content-encoding", "gzip"), ("vary", "accept-encoding")))
    # Imported on first use: few clients do without.
    import gzip

    return PageFile(gzip.decompress(content), headers)
