"""The `then` of a rule, and fates."""

import json
import re
from collections.abc import Mapping
from typing import Any

from mockserver import errors
from mockserver.domain.time.rate_limits import Limit
from mockserver.domain.transactions.fates import OUTCOMES, SELECTORS, check_fate
from mockserver.scenario import fields
from mockserver.scenario.findings import Findings, shown
from mockserver.scenario.references import refers
from mockserver.scenario.schema import Answer, CatalogueError, Then
from mockserver.scenario.tree import Node
from mockserver.state.onchain import FateKind

_THEN = ("answer", "error", "limit", "delay", "patch", "fate", "position")
_INSTEAD = ("answer", "error", "limit")
_TOKEN = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}")
_FRAMING = ("content-length", "transfer-encoding", "connection", "x-mockserver-rule")
_WITHOUT_BODY = (204, 304)
_ALL = "all"


def read_then(node: Node, findings: Findings) -> Then:
    """What happens to a call."""
    found = fields.members(node, findings, "then", _THEN)
    if node.value == {}:
        findings.add(node.place, f"then says nothing; it has at least one of {', '.join(_THEN)}")
    instead = [name for name in _INSTEAD if name in found]
    for name in instead[1:]:
        findings.add(node.keys[name], f"{instead[0]} and {name} exclude each other")
    for name in ("patch", "fate"):
        if name in found and instead:
            findings.add(node.keys[name], f"{name} is about the real answer, which {instead[0]} prevents")
    return Then(
        answer=_answer(found["answer"], findings) if "answer" in found else None,
        error=_error(found["error"], findings) if "error" in found else None,
        limit=_limit(found["limit"], findings) if "limit" in found else None,
        delay_ms=fields.duration_ms(found["delay"], findings, "delay") if "delay" in found else 0,
        patch=_patch(found["patch"], findings) if "patch" in found else None,
        fate=read_fate(found["fate"], findings) if "fate" in found else None,
        position=fields.name(found["position"], findings, "position") if "position" in found else None,
    )


def _answer(node: Node, findings: Findings) -> Answer:
    """A status alone, or any of status, headers and body. A body that is text is sent as it is."""
    if not isinstance(node.value, dict):
        return Answer(fields.whole(node, findings, "the status of an answer", 200, 599), (), b"")
    found = fields.members(node, findings, "an answer", ("status", "headers", "body"))
    status = fields.whole(found["status"], findings, "status", 200, 599) if "status" in found else 200
    headers = dict(_headers(found["headers"], findings)) if "headers" in found else {}
    body = b""
    if "body" in found:
        wanted = found["body"].plain()
        body = wanted.encode() if isinstance(wanted, str) else _json(wanted)
        kind = b"text/plain; charset=utf-8" if isinstance(wanted, str) else b"application/json"
        headers.setdefault(b"content-type", kind)
        if status in _WITHOUT_BODY:
            findings.add(node.keys["body"], f"an answer with the status {status} has no body")
    return Answer(status, tuple(headers.items()), body)


def _json(value: Any) -> bytes:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False).encode()


def _headers(node: Node, findings: Findings) -> list[tuple[bytes, bytes]]:
    found = []
    for name, member in fields.entries(node, findings, "headers").items():
        value = fields.text(member, findings, "a header's value")
        if not _TOKEN.fullmatch(name):
            findings.add(node.keys[name], f"{shown(name)} is not the name of a header")
        elif name.lower() in _FRAMING:
            findings.add(node.keys[name], f"the server itself sets {name}")
        elif not (value.isascii() and value.isprintable()):
            findings.add(member.place, "a header's value is printable ASCII")
        else:
            found.append((name.lower().encode(), value.encode()))
    return found


def _error(node: Node, findings: Findings) -> CatalogueError:
    """A code, or code, message and param."""
    found = {"code": node}
    if isinstance(node.value, dict):
        found = fields.members(node, findings, "an error", ("code", "message", "param"))
    if "code" not in found:
        findings.add(node.place, "an error has a code")
        return CatalogueError("")
    code = fields.text(found["code"], findings, "code")
    codes = error_codes()
    if code and code not in codes:
        findings.add_unknown(found["code"].place, "the code of an error in the catalogue", code, codes)
    return CatalogueError(
        code,
        fields.text(found["message"], findings, "message") if "message" in found else None,
        fields.text(found["param"], findings, "param") if "param" in found else None,
    )


def error_codes() -> list[str]:
    """The codes that a scenario may answer: those of the API, not those of the mock server itself."""
    return [row.code for row in errors.catalogue() if not row.mock_only]


def _limit(node: Node, findings: Findings) -> Limit:
    found = fields.members(node, findings, "a limit", ("count", "per"))
    for name in ("count", "per"):
        if isinstance(node.value, dict) and name not in found:
            findings.add(node.place, f'a limit has a {name}, as in {{count: 3, per: "10s"}}')
    return Limit(
        max_calls=fields.whole(found["count"], findings, "count", 0, 10**9) if "count" in found else 1,
        window_ms=fields.duration_ms(found["per"], findings, "per") if "per" in found else 1,
    )


def _patch(node: Node, findings: Findings) -> Any:
    if not isinstance(node.value, dict):
        findings.add(node.place, "a patch is a mapping that is merged into the answer; null removes")
    return node.plain()


def read_fate(node: Node, findings: Findings, selecting: bool = False) -> Mapping[str, Any] | None:
    """The members of a fate: an outcome alone, or with its options; which transactions, if `selecting`."""
    if not isinstance(node.value, dict):
        node = Node({"outcome": node}, node.place, keys={"outcome": node.place})
    if "outcome" not in node.value:
        findings.add(node.place, "a fate has an outcome")
        return None
    outcome_node: Node = node.value["outcome"]
    outcome = fields.text(outcome_node, findings, "an outcome")
    kind = _kind(node, outcome, findings)
    if kind is None:
        return None
    if outcome not in OUTCOMES[kind]:
        what = f"an outcome of a {kind.replace('_', ' ')}"
        findings.add_unknown(outcome_node.place, what, outcome, OUTCOMES[kind])
        return None
    options = sorted("after" if name == "after_ms" else name for name in OUTCOMES[kind][outcome])
    names = ["outcome", "kind", *options, *(SELECTORS if selecting else ())]
    found = fields.members(node, findings, f"the fate {outcome}", names)
    return _checked(node, found, kind, findings)


def _kind(node: Node, outcome: str, findings: Findings) -> FateKind | None:
    """As it is said, or as the outcome tells."""
    said = node.value.get("kind")
    if said is None:
        solana_only = outcome in OUTCOMES["solana_transaction"] and outcome not in OUTCOMES["transaction"]
        return "solana_transaction" if solana_only else "transaction"
    if said.value == "transaction":
        return "transaction"
    if said.value == "solana_transaction":
        return "solana_transaction"
    findings.add_unknown(said.place, "a kind of transaction", said.text or "nothing", OUTCOMES)
    return None


def _checked(
    node: Node, found: Mapping[str, Node], kind: FateKind, findings: Findings
) -> Mapping[str, Any] | None:
    """The members as fates take them."""
    members = {**{name: member.plain() for name, member in found.items()}, "kind": kind}
    if "after" in members:
        members["after_ms"] = fields.duration_ms(found["after"], findings, "after")
        del members["after"]
    if members.get("count") == _ALL:
        members["count"] = None
    try:
        # What is still to be put in is checked when it is known.
        if not refers(node):
            check_fate(members)
    except ValueError as error:
        findings.add(node.place, str(error))
        return None
    return members
