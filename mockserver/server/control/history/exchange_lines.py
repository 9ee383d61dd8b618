"""Exchanges of a journal as lines of the report of a failed test, without what is dull in them."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from mockserver.server.answering.masking import MASK
from mockserver.server.control.history.journal import ExchangeAnswer, PayloadAnswer

_JSON = "application/json"
_OF_REQUESTS = {"accept", "accept-encoding", "accept-language", "connection", "host", "referer", "user-agent"}
_OF_ANSWERS = {"date", "server", "transfer-encoding", "vary", "x-mockserver-hint", "x-mockserver-rule"}
_USUAL = frozenset({*_OF_REQUESTS, *_OF_ANSWERS, "content-length", "x-request-id"})
"""Headers that tell nothing about a call, or what its lines say anyway."""
_LISTED = 3
"""So many entries of a list are shown."""
_MEMBERS = 16
_LONGEST_TEXT = 120
_SHOWN_TEXT = 48
_LONGEST = 700
_CUT = "…"
_TELLING = frozenset({"code", "error", "errors", "id", "message", "param", "reason", "status", "type"})
"""Members that are shown however many others there are."""
_ABI_KINDS = ("constructor", "error", "event", "fallback", "function", "receive")


def describe_exchange(entry: ExchangeAnswer, secret_key: str) -> Iterator[str]:
    """A call in some lines: its status, hints, headers that matter, bodies cut to what tells something.

    The `secret_key` is that of the project: headers are shown that have another one.
    """
    yield _name_exchange(entry)
    for hint in (*entry["hints"], *entry["findings"]):
        yield f"      hint {hint}"
    for sign, side in ((">", entry["request"]), ("<", entry["response"])):
        headers = _telling_headers(side, secret_key)
        if headers:
            yield f"      {sign} {'; '.join(headers)}"
        if side["body"] is not None:
            yield f"      {sign} {abridge(side['body'])}"


def describe_error(entry: ExchangeAnswer) -> Iterator[str]:
    """A call with an error: a line for which and what the answer says about it, and the findings."""
    body = entry["response"]["body"]
    error = body.get("error", body) if isinstance(body, Mapping) else None
    members = error if isinstance(error, Mapping) else {}
    said = [str(members[name]) for name in ("code", "message") if members.get(name)]
    yield _name_exchange(entry) + (f"  {': '.join(said)}" if said else "")
    yield from (f"      {finding}" for finding in entry["findings"])


def _name_exchange(entry: ExchangeAnswer) -> str:
    """Number, method, target and status, and the rule that decided and what it made go wrong."""
    target = f"{entry['path']}?{entry['query']}" if entry["query"] else entry["path"]
    if "/rpc" in entry["path"]:
        # All methods have one path.
        target += f" {entry['operation']}"
    causes = (("rule", entry["rule"]), ("fault", entry["fault"]))
    named = "".join(f"  {what} {name}" for what, name in causes if name)
    status = "error" if entry["rpc_error"] is not None else entry["status"] or "no answer"
    return f"{entry['n']:>4}  {entry['method']} {target}  {status}{named}"


def _telling_headers(side: PayloadAnswer, secret_key: str) -> list[str]:
    return [
        f"{name}: {value}"
        for name, value in side["headers"].items()
        if not (
            name in _USUAL
            or name.startswith(("access-control-", "sec-"))
            or (name == "content-type" and value.startswith(_JSON))
            or (name == "authorization" and _is_own(value, secret_key))
        )
    ]


def _is_own(authorization: str, secret_key: str) -> bool:
    _, _, text = authorization.partition(" ")
    start = text.removesuffix(MASK)
    return start != "" and text.endswith(MASK) and secret_key.startswith(start)


def abridge(body: Any) -> str:
    """A body as one line of JSON: long lists, texts and ABIs cut, and how much of them was left out."""
    text = json.dumps(_cut(body), ensure_ascii=False)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}{_CUT} ({len(text)} characters)"


def _cut(value: Any) -> Any:
    if isinstance(value, str) and len(value) > _LONGEST_TEXT:
        return f"{value[:_SHOWN_TEXT]}{_CUT} ({len(value)} characters)"
    if isinstance(value, list):
        return _cut_list(value)
    return _cut_members(value) if isinstance(value, Mapping) else value


def _cut_list(entries: list[Any]) -> Any:
    if entries and all(isinstance(entry, Mapping) and entry.get("type") in _ABI_KINDS for entry in entries):
        return f"{_CUT} (ABI of {len(entries)} entries)"
    shown = [_cut(entry) for entry in entries[:_LISTED]]
    left_out = len(entries) - len(shown)
    return [*shown, f"{_CUT} ({left_out} more)"] if left_out else shown


def _cut_members(members: Mapping[str, Any]) -> dict[str, Any]:
    kept = dict.fromkeys(name for name in members if name in _TELLING)
    kept |= dict.fromkeys([name for name in members if name not in kept][: max(0, _MEMBERS - len(kept))])
    shown = {name: _cut(value) for name, value in members.items() if name in kept}
    left_out = len(members) - len(shown)
    return {**shown, _CUT: f"{left_out} more"} if left_out else shown
