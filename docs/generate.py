"""Writes the pages of docs/reference from the declarations: `python docs/generate.py`.

With `--check` nothing is written: the pages that are out of date are named, and the exit code is 1.
"""

import ast
import inspect
import json
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import fields
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from pkgutil import walk_packages
from textwrap import dedent
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from mockserver import domain, errors, resources  # noqa: E402
from mockserver.api.access import ANYBODY, PROJECT, SESSION, USERS, Access, Scheme  # noqa: E402
from mockserver.api.endpoint import Endpoint, Group  # noqa: E402
from mockserver.api.settings import ENTRIES  # noqa: E402
from mockserver.api.wire import adapter  # noqa: E402
from mockserver.chain.networks import NETWORKS, Network  # noqa: E402
from mockserver.domain.criteria.kinds import KINDS, Omissible, Several  # noqa: E402
from mockserver.domain.criteria.operations import OPERATIONS  # noqa: E402
from mockserver.errors import ErrorRow  # noqa: E402
from mockserver.kernel.machine import Machine  # noqa: E402
from mockserver.resources import GROUPS  # noqa: E402
from mockserver.server import control  # noqa: E402
from mockserver.server.assembly import ENDPOINTS  # noqa: E402
from mockserver.server.openapi import document  # noqa: E402
from mockserver.state.settings import Settings  # noqa: E402

Schema = Mapping[str, Any]

REFERENCE = ROOT / "docs" / "reference"

_NOTE = "<!-- Written by `python docs/generate.py`. Do not edit. -->"
_SCHEMES = {
    Scheme.SECRET_KEY: "secret key",
    Scheme.PUBLISHABLE_KEY: "publishable key",
    Scheme.ACCESS_TOKEN: "publishable key and access token",
    Scheme.THIRD_PARTY: "publishable key and third-party token",
    Scheme.AUTH_TOKEN: "session token and project key",
    Scheme.PROJECT_KEY: "project key",
}


def main(arguments: Sequence[str]) -> int:
    """Write the pages, or check them; the exit code."""
    stale = []
    for name, text in pages().items():
        path = REFERENCE / name
        if path.is_file() and path.read_text(encoding="utf-8") == text:
            continue
        stale.append(name)
        if "--check" not in arguments:
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, encoding="utf-8")
    if stale:
        print(f"{'out of date' if '--check' in arguments else 'written'}: {', '.join(stale)}")
    return 1 if stale and "--check" in arguments else 0


def pages() -> dict[str, str]:
    """Every page of the reference by its file name."""
    return {
        "operations.md": operations_page(),
        "requests.md": requests_page(),
        "criteria.md": criteria_page(),
        "scopes.md": scopes_page(),
        "errors.md": errors_page(),
        "lives.md": lives_page(),
        "settings.md": settings_page(),
        "control.md": control_page(),
        "chains.md": chains_page(),
    }


# --- the public API -------------------------------------------------------------------------------------


def operations_page() -> str:
    """Every operation of the public API: where it is, who may call it, whether it is built."""
    public = [endpoint for group in GROUPS for endpoint in group]
    built = sum(endpoint.handler is not None for endpoint in public)
    lines = [
        "# Operations",
        "",
        f"{len(public)} operations are declared, {built} of them are built. One that is declared but not",
        "built answers 501 with its operation id. A scenario names an operation by its id.",
        "",
        "Every operation that needs a key answers 401 without one (`api_key_missing`) or with one of the",
        "wrong kind (`scheme_not_allowed`), and 403 when the key lacks the scope (`scope_missing`). One that",
        "takes a body or a query answers 400 when its shape is wrong. The column *errors* has what comes on",
        "top of that; [errors](errors.md) explains the codes, [scopes](scopes.md) lists the scopes.",
        "[Requests](requests.md) says what each takes.",
    ]
    for tag, endpoints in _by_tag(GROUPS).items():
        lines += ["", f"## {tag}", ""]
        lines += _table(
            ("operation", "call", "who", "scope", "state", "errors"),
            (_operation_row(endpoint) for endpoint in endpoints),
        )
    return _page(lines)


def _by_tag(groups: Iterable[Group]) -> dict[str, list[Endpoint]]:
    """The endpoints under one heading each, also where several modules declare them."""
    found: dict[str, list[Endpoint]] = defaultdict(list)
    for group in groups:
        found[group.tag] += group
    return found


def _operation_row(endpoint: Endpoint) -> tuple[str, ...]:
    scope = f"`{endpoint.access.scope}`" if endpoint.access.scope else ""
    return (
        f"`{endpoint.operation}`",
        f"`{endpoint.method} {endpoint.path}`",
        callers(endpoint.access),
        scope,
        "built" if endpoint.handler is not None else "501",
        _codes(endpoint.errors),
    )


def callers(access: Access) -> str:
    """Who may call, in words."""
    if access == ANYBODY:
        return "anybody"
    if access == PROJECT:
        return "any key of the project"
    if access == SESSION:
        return "signed-in user"
    schemes = set(access.schemes)
    found = []
    if schemes >= USERS:
        schemes -= USERS
        found = ["signed-in user"]
    found = [words for scheme, words in _SCHEMES.items() if scheme in schemes] + found
    text = " or ".join(found)
    return f"{text}, signed with the wallet secret" if access.wallet_auth else text


def requests_page() -> str:
    """What the bodies and queries of the public API have."""
    described = document(ENDPOINTS, False)
    lines = [
        "# Requests",
        "",
        "What each operation takes: the members of its query and of its body. `calls[].to` is the member",
        "`to` of each entry of `calls`. Those in bold have to be there, within their object. Others that a",
        "request has are overlooked. `GET /_mock/openapi.json` has the same for machines, and the answers.",
    ]
    for tag, endpoints in _by_tag(GROUPS).items():
        sections = [line for endpoint in endpoints for line in _request(endpoint, described)]
        if sections:
            lines += ["", f"## {tag}", *sections]
    return _page(lines)


def _request(endpoint: Endpoint, described: Schema) -> list[str]:
    operation = described["paths"][endpoint.path][endpoint.method.lower()]
    rows = [
        (
            _needed(f"`{parameter['name']}`", parameter.get("required", False)),
            "query",
            *_said(parameter, described),
        )
        for parameter in operation.get("parameters", ())
        if parameter.get("in") == "query"
    ]
    content = operation.get("requestBody", {}).get("content", {})
    schema = next(iter(content.values()), {}).get("schema", {})
    members = dict(_members(schema, described, attribute_docs(endpoint.body)))
    rows += [
        (_needed(f"`{path}`", needed), "body", value, meaning)
        for path, (needed, value, meaning) in members.items()
    ]
    if not rows or endpoint.handler is None:
        return []
    # Most names say all there is to say.
    width = 4 if any(row[-1] for row in rows) else 3
    head = ("takes", "in", "value", "meaning")[:width]
    return [
        "",
        f"### `{endpoint.method} {endpoint.path}`",
        "",
        f"`{endpoint.operation}`. {endpoint.summary}",
        "",
        *_table(head, (row[:width] for row in rows)),
    ]


def _said(parameter: Schema, described: Schema) -> tuple[str, str]:
    return _usual(parameter["schema"], described), str(parameter.get("description", ""))


def _usual(schema: Schema, described: Schema) -> str:
    """A shape, and what a member is when it is left out."""
    default = schema.get("default")
    text = shape(schema, described)
    return text if default is None else f"{text}; `{_default(default)}` when left out"


def _needed(text: str, needed: bool) -> str:
    return f"**{text}**" if needed else text


def _members(
    schema: Schema, described: Schema, meanings: Mapping[str, str], prefix: str = ""
) -> Iterator[tuple[str, tuple[bool, str, str]]]:
    """The members of an object and of what is in it, by path: whether needed, the value, the meaning."""
    for variant in _choices(schema, described):
        for name, member in variant.get("properties", {}).items():
            path = f"{prefix}{name}"
            meaning = meanings.get(name) or str(member.get("description", ""))
            yield path, (name in variant.get("required", ()), _usual(member, described), meaning)
            for inner in _choices(member, described):
                below, suffix = (
                    (inner.get("items", {}), "[].") if inner.get("type") == "array" else (inner, ".")
                )
                yield from _members(below, described, {}, path + suffix)


def _choices(schema: Schema, described: Schema) -> list[Schema]:
    schema = _resolved(schema, described)
    return [
        found
        for word in ("anyOf", "oneOf")
        for inner in schema.get(word, ())
        for found in _choices(inner, described)
    ] or [schema]


def criteria_page() -> str:
    """Every type of criteria: where it may stand, and what it has."""
    rows = (
        (
            f"`{name}`",
            ", ".join(f"`{operation}`" for operation in OPERATIONS if operation in kind.operations),
            ", ".join(f"`{operator}`" for operator in kind.operators),
            ", ".join(
                _needed(f"`{member}`", not isinstance(check, Omissible)) + _several(check)
                for member, check in kind.members.items()
            ),
        )
        for name, kind in KINDS.items()
    )
    lines = [
        "# Criteria",
        "",
        "What the rules of a policy (`POST /v2/policies`) may ask for. A criterion has a `type`, an",
        "`operator`, and the members of its type; those in bold have to be there. All criteria of a rule",
        "have to match, and a rule without any always matches. [Wallets](../guides/wallets.md#policies) has",
        "examples.",
        "",
        *_table(("type", "in rules about", "operator", "members"), rows),
        "",
        "Amounts are text: wei, lamports, a token's smallest unit. `pattern` is a regular expression (RE2).",
        "`abi` and `idl` are JSON text.",
    ]
    return _page(lines)


def _several(check: object) -> str:
    check = check.check if isinstance(check, Omissible) else check
    return " (a list)" if isinstance(check, Several) else ""


def scopes_page() -> str:
    """Every scope and the operations it opens."""
    by_scope: dict[str, list[str]] = defaultdict(list)
    for endpoint in ENDPOINTS:
        if endpoint.access.scope:
            by_scope[endpoint.access.scope].append(f"`{endpoint.operation}`")
    lines = [
        "# Scopes",
        "",
        "A secret key without scopes may do everything. A key that has scopes may call what they open,",
        "and every operation that asks for no scope. Declare such a key in a scenario (`keys`), or when",
        "creating a project through the control API (`scopes`).",
        "",
        *_table(("scope", "opens"), ((f"`{name}`", ", ".join(by_scope[name])) for name in sorted(by_scope))),
    ]
    return _page(lines)


def errors_page() -> str:
    """The catalogue of errors."""
    raised_by: dict[ErrorRow, list[str]] = defaultdict(list)
    for endpoint in ENDPOINTS:
        for row in endpoint.errors:
            raised_by[row].append(endpoint.operation)
    rows = list(dict.fromkeys(errors.catalogue()))
    lines = [
        "# Errors",
        "",
        "When several errors apply to a call, it gets the first one of this order: a scenario's answer,",
        "access, rate limit, shape of the request, existence, state, policy.",
        "",
        "The API's errors come as `{error: {type, message, code, param?, details?}}`, those under",
        "`/iam/v2/auth` as `{code, message}`. `{words}` in braces are filled in.",
        "",
        "## Errors of the API",
        "",
        *_errors_table(row for row in rows if not row.ours),
        "",
        "## Errors that only a test double gives",
        "",
        "They come as `application/problem+json` (RFC 9457). Codes with hyphens are the control API's.",
        "",
        *_errors_table(row for row in rows if row.ours),
    ]
    return _page(lines)


def _errors_table(rows: Iterable[ErrorRow]) -> list[str]:
    return _table(("code", "status", "message"), ((f"`{row[0]}`", str(row[1]), row[2]) for row in rows))


def lives_page() -> str:
    """Every life as a state diagram."""
    lines = [
        "# Lives",
        "",
        "A life is a table of steps: a state, an event, the next state. Only events and timers move a life.",
        "Reading never does.",
    ]
    for life in lives():
        lines += ["", f"## {life.name}", "", "```mermaid", life.mermaid(), "```"]
    return _page(lines)


def lives() -> list[Machine]:
    """Every life that a module of the domain or of the API declares, by name."""
    found: dict[str, Machine] = {}
    for package in (domain, resources):
        for module in walk_packages(package.__path__, f"{package.__name__}."):
            members = vars(import_module(module.name)).values()
            found |= {life.name: life for life in members if isinstance(life, Machine)}
    return [found[name] for name in sorted(found)]


def chains_page() -> str:
    """The known chains, by mode."""
    networks = sorted(NETWORKS.values())
    lines = [
        "# Known chains",
        "",
        "Test keys work with testnets and live keys with mainnets. A known chain of the other kind is",
        "refused with 400. A chain id that is not listed here is accepted in both modes, unless the",
        "setting `unknown_chains` is `refuse`.",
        "",
        "## Testnets",
        "",
        *_chains_table(network for network in networks if network.testnet),
        "",
        "## Mainnets",
        "",
        *_chains_table(network for network in networks if not network.testnet),
    ]
    return _page(lines)


def _chains_table(networks: Iterable[Network]) -> list[str]:
    rows = (
        (
            str(network.chain_id),
            network.name,
            network.currency,
            "yes" if network.rollup else "",
            "yes" if network.native_accounts else "",
        )
        for network in networks
    )
    heads = ("chain id", "name", "currency", "pays for data on the chain below", "accounts as on ZKsync")
    return _table(heads, rows)


# --- the control API ------------------------------------------------------------------------------------


def settings_page() -> str:
    """Every setting, its type, its default and what it does."""
    described = attribute_docs(Settings)
    properties = adapter(Settings).json_schema()["properties"]
    standard = Settings()
    defaults = {field.name: getattr(standard, field.name) for field in fields(Settings)}
    rows = (
        (f"`{name}`", shape(schema), f"`{_default(defaults[name])}`", described.get(name, ""))
        for name, schema in properties.items()
    )
    lines = [
        "# Settings",
        "",
        "A project's settings. Give some when creating a project (`settings`), in a scenario (`settings`),",
        "in the `mockserver` marker (`settings`), or later with `PUT /_mock/projects/{p}/settings`.",
        "Those that are not named stay as they are.",
        "",
        *_table(("setting", "value", "default", "what it does"), rows),
    ]
    for name, entry in ENTRIES.items():
        lines += ["", f"## `{name}`", "", f"{described[name]} An entry may have:", "", *_entry_table(entry)]
    return _page(lines)


def _entry_table(entry: type) -> Iterator[str]:
    """What an entry of a setting that is a mapping may say."""
    described = attribute_docs(entry)
    properties = adapter(entry).json_schema()["properties"]
    rows = (
        (
            f"`{field.name}`",
            shape(properties[field.name]),
            f"`{_default(field.default)}`",
            described.get(field.name, ""),
        )
        for field in fields(entry)
    )
    return _table(("member", "value", "default", "what it says"), rows)


def control_page() -> str:
    """Every operation of the control API with what it takes."""
    paths = document(ENDPOINTS, True)
    lines = [
        "# The control API",
        "",
        "Everything under `/_mock/` is about the mock server itself. It needs no key. `{p}` is the id of a",
        "project, or `-` for the project of the API key in `Authorization`. Errors are",
        "`application/problem+json` (RFC 9457). `GET /_mock/openapi.json?api=control` has all of this for",
        "machines.",
    ]
    for tag, endpoints in _by_tag(control.GROUPS).items():
        lines += ["", f"## {tag}"]
        lines += _control_group(endpoints, paths)
    return _page(lines)


def _control_group(endpoints: Iterable[Endpoint], described: Schema) -> Iterator[str]:
    for endpoint in endpoints:
        operation = described["paths"][endpoint.path][endpoint.method.lower()]
        yield from ("", f"### `{endpoint.method} {endpoint.path}`", "")
        if endpoint.handler is None:
            yield f"`{endpoint.operation}` is declared but not built: it answers 501."
            continue
        yield f"`{endpoint.operation}`. {endpoint.summary}"
        members = [*_query_members(endpoint, operation), *_body_members(endpoint, operation, described)]
        if members:
            yield ""
            yield from _table(("takes", "in", "value", "default", "meaning"), members)
        if endpoint.reads:
            yield from ("", f"Takes a text: `{endpoint.reads}`.")
        if endpoint.errors:
            yield from ("", f"Errors: {_codes(endpoint.errors)}.")


def _query_members(endpoint: Endpoint, operation: Schema) -> Iterator[tuple[str, ...]]:
    meanings = attribute_docs(endpoint.query)
    for parameter in operation.get("parameters", ()):
        if parameter.get("in") == "query":
            yield _member(parameter["name"], "query", parameter["schema"], {}, meanings)


def _body_members(endpoint: Endpoint, operation: Schema, described: Schema) -> Iterator[tuple[str, ...]]:
    meanings = attribute_docs(endpoint.body)
    content = operation.get("requestBody", {}).get("content", {})
    schema = _resolved(content.get("application/json", {}).get("schema", {}), described)
    for name, member in schema.get("properties", {}).items():
        yield _member(name, "body", member, described, meanings)


def _member(
    name: str, place: str, schema: Schema, described: Schema, meanings: Mapping[str, str]
) -> tuple[str, ...]:
    default = schema.get("default")
    shown = "" if default is None else f"`{_default(default)}`"
    meaning = meanings.get(name) or str(schema.get("description", ""))
    return f"`{name}`", place, shape(schema, described), shown, meaning


# --- shapes -------------------------------------------------------------------------------------------------


def shape(schema: Schema, described: Schema | None = None) -> str:
    """A JSON schema in a few words."""
    schema = _resolved(schema, described or {})
    if "anyOf" in schema:
        return " or ".join(
            shape(member, described) for member in schema["anyOf"] if member != {"type": "null"}
        )
    if "const" in schema:
        return f"`{_default(schema['const'])}`"
    if "enum" in schema:
        return ", ".join(f"`{value}`" for value in schema["enum"])
    kind = schema.get("type", "anything")
    if isinstance(kind, list):
        kind = " or ".join(member for member in kind if member != "null")
    if kind == "array":
        return f"list of {shape(schema.get('items', {}), described)}"
    if schema.get("format") == "date-time":
        return "time (ISO 8601)"
    if "pattern" in schema:
        return f"text like `{schema['pattern']}`"
    named = {"string": "text", "boolean": "true or false", "integer": "whole number"}
    return named.get(kind, str(kind)) + _bounds(schema)


def _bounds(schema: Schema) -> str:
    low, high = schema.get("minimum"), schema.get("maximum")
    above = schema.get("exclusiveMinimum")
    words = "" if low is None else f" from {low}"
    if above is not None:
        words = f" above {above}"
    # Bounds that are there only because a machine's numbers end say nothing to a reader.
    return words if high is None or high >= 2**31 - 1 else f"{words} to {high}"


def _resolved(schema: Schema, described: Schema) -> Schema:
    reference = schema.get("$ref")
    if reference is None:
        return schema
    name = reference.rpartition("/")[2]
    found: Schema = described.get("components", {}).get("schemas", {}).get(name, {})
    return found


def attribute_docs(kind: Any) -> dict[str, str]:
    """The texts below the attributes of a class and of its parents; none for what is no class."""
    found: dict[str, str] = {}
    parents = kind.__mro__ if isinstance(kind, type) and kind.__module__.startswith("mockserver.") else ()
    for parent in reversed(parents):
        if parent.__module__.startswith("mockserver."):
            found |= _own_docs(parent)
    return found


def _own_docs(kind: type) -> dict[str, str]:
    (tree,) = ast.parse(dedent(inspect.getsource(kind))).body
    assert isinstance(tree, ast.ClassDef)
    found = {}
    for statement, after in pairwise(tree.body):
        if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
            text = _docstring(after)
            if text is not None:
                found[statement.target.id] = " ".join(text.split())
    return found


def _docstring(statement: ast.stmt) -> str | None:
    if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant):
        return str(statement.value.value)
    return None


# --- Markdown -----------------------------------------------------------------------------------------------


def _page(lines: Iterable[str]) -> str:
    return "\n".join([_NOTE, "", *lines]) + "\n"


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    lines = [f"| {' | '.join(head)} |", f"|{'---|' * len(head)}"]
    return lines + [f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in row)} |" for row in rows]


def _codes(rows: Iterable[ErrorRow]) -> str:
    return ", ".join(dict.fromkeys(f"`{row.code}`" for row in rows))


def _default(value: object) -> str:
    return json.dumps(list(value) if isinstance(value, tuple) else value)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
