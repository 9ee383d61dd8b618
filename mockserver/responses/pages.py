"""The headers of HTML pages and of the files that they load, and pages that are a table."""

import html
from collections.abc import Iterable, Sequence

from mockserver.api.call import Headers, Reply

_NOTHING = {
    "default-src": "'none'",
    "base-uri": "'none'",
    "form-action": "'none'",
    "frame-ancestors": "'none'",
}

NO_SNIFFING: Headers = (("x-content-type-options", "nosniff"),)

SAFE: Headers = (*NO_SNIFFING, ("referrer-policy", "no-referrer"))
"""The headers of every file of a page that has no forms."""


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


def compressed_file(content: bytes, headers: Headers, accepted_encodings: str) -> Reply:
    """A file that is stored compressed, as the client takes it."""
    if "gzip" in accepted_encodings:
        packed = (*headers, ("content-encoding", "gzip"), ("vary", "accept-encoding"))
        return Reply(content, headers=packed)
    # Imported on first use: few clients do without.
    import gzip

    return Reply(gzip.decompress(content), headers=headers)


_STYLE = (
    ":root{color-scheme:light dark}body{font:15px system-ui;margin:2em}"
    "td,th{text-align:left;padding:.3em .8em;border-bottom:1px solid #8888;vertical-align:top}"
)


def table_page(title: str, heading: str, heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """An HTML page with a table, which loads nothing. The first cell of a row names it."""
    columns = "".join(f"<th scope=col>{html.escape(head)}</th>" for head in heads)
    lines = (
        f"<tr><th scope=row>{html.escape(first)}</th>"
        f"{''.join(f'<td>{html.escape(cell)}</td>' for cell in cells)}</tr>\n"
        for first, *cells in rows
    )
    return (
        f"<!doctype html><html lang=en><meta charset=utf-8><title>{html.escape(title)}</title>\n"
        f"<style>{_STYLE}</style>\n<main><h1>{html.escape(heading)}</h1>\n"
        f"<table><thead><tr>{columns}</tr></thead><tbody>\n{''.join(lines)}</tbody></table></main></html>\n"
    )
