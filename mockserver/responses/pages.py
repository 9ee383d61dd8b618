"""The headers of HTML pages."""

Headers = tuple[tuple[str, str], ...]

_NOTHING = {
    "default-src": "'none'",
    "base-uri": "'none'",
    "form-action": "'none'",
    "frame-ancestors": "'none'",
}


def page_headers(**allowed: str) -> Headers:
    """The headers of an HTML page, which may load and send nothing but what is allowed.

    The names are directives of CSP 3, with underscores: `page_headers(style_src="'unsafe-inline'")`.
    """
    directives = _NOTHING | {name.replace("_", "-"): value for name, value in allowed.items()}
    return (
        ("content-type", "text/html; charset=utf-8"),
        ("content-security-policy", "; ".join(f"{name} {value}" for name, value in directives.items())),
        ("x-content-type-options", "nosniff"),
        # `no-referrer` would make browsers send `Origin: null` with the page's own forms (Fetch, 3.1).
        ("referrer-policy", "same-origin"),
        ("cross-origin-resource-policy", "same-origin"),
        ("cache-control", "no-store"),
    )
