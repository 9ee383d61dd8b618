"""The catalogue of errors, and the scopes of keys."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache

from docs.pages.markdown import operation_link, page, table
from docs.pages.remedies import remedies
from mockserver import errors
from mockserver.api.common_errors import EVERYWHERE, common_errors
from mockserver.errors import ErrorRow
from mockserver.server.assembly import ENDPOINTS


def scopes_page() -> str:
    """Every scope and the operations that need it."""
    by_scope: dict[str, list[str]] = defaultdict(list)
    for endpoint in ENDPOINTS:
        if endpoint.access.scope:
            by_scope[endpoint.access.scope].append(operation_link(endpoint))
    rows = ((f"`{name}`", ", ".join(operations)) for name, operations in sorted(by_scope.items()))
    lines = [
        "# Scopes",
        "",
        "A secret key without scopes may call every operation. A key with scopes may call the operations",
        "of these scopes, and those that need no scope. Declare such a key in a scenario (`keys`), or when",
        "creating a project through the control API (`scopes`).",
        "",
        *table(("scope", "operations"), rows),
    ]
    return page(lines)


def errors_page() -> str:
    """The catalogue of errors."""
    rows: dict[bool, dict[str, list[ErrorRow]]] = {False: defaultdict(list), True: defaultdict(list)}
    for row in dict.fromkeys(errors.catalogue()):
        # By the anchor of the heading: some codes of two families differ in case only.
        rows[row.mock_only][row.code.lower()].append(row)
    lines = [
        "# Errors",
        "",
        "When several errors apply to a call, the first in this order is answered: a scenario's answer,",
        "authentication and scope, rate limit, validation of the request, existence, state, policy.",
        "",
        "The API's errors come as `{error: {type, message, code, param?, details?}}` with the code in lower",
        "case, those under `/iam/v2/auth` as `{code, message}` with the code in capitals. Names in braces",
        "are replaced with values of the call. A [rule](../guides/rules.md#then) names an error by its",
        "code, and may make any operation answer with any error of the API:",
        "",
        "```yaml",
        "name: any error",
        "rules:",
        "  - when: CreateContract",
        "    then: {error: rate_limited}",
        "```",
        "",
        "## Any call",
        "",
        "Any call may be answered with these, before its endpoint is found or because of its credentials:",
        f"{_links(row.code for row in EVERYWHERE)}.",
        "",
        "## Errors of the API",
        *_sections(rows[False]),
        "",
        "## Errors of the mock server itself",
        "",
        "They come as `application/problem+json` (RFC 9457). The `type` is `urn:mockserver:` and the code,",
        "with hyphens for underscores. No rule answers with them.",
        *_sections(rows[True]),
    ]
    return page(lines)


def _sections(rows_by_code: Mapping[str, Sequence[ErrorRow]]) -> Iterator[str]:
    known = remedies()
    for rows in rows_by_code.values():
        yield from ("", f"### `{rows[0].code}`", "")
        yield from table(
            ("code", "status", "message", "what to do", "answered by"),
            (
                (f"`{row.code}`", str(row.status), row.message, known.get(row, ""), _answered_by(row))
                for row in rows
            ),
        )


def _answered_by(row: ErrorRow) -> str:
    """The operations that list an error, as links to their pages."""
    if row in EVERYWHERE:
        return "any call"
    found = [endpoint for endpoint in ENDPOINTS if row in endpoint.errors]
    common = _common_errors()[row]
    if common > len(found):
        return f"{common} operations"
    return ", ".join(operation_link(endpoint) for endpoint in found)


@cache
def _common_errors() -> Counter[ErrorRow]:
    """How many operations have an error in common with others."""
    return Counter(row for endpoint in ENDPOINTS for row in {*common_errors(endpoint)})


def _links(words: Iterable[str]) -> str:
    return ", ".join(dict.fromkeys(f"[`{word}`](#{word.lower()})" for word in words))
