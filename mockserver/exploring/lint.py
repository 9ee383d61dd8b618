"""What a client does that will hurt in production, by the calls that it has made."""

import json
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from itertools import groupby, pairwise
from typing import Any, NamedTuple

from mockserver import errors
from mockserver.exploring.plan import has_user_token
from mockserver.server.answering.envelopes import find_code
from mockserver.server.assembly import ROUTES
from mockserver.server.control.history.unknown_members import unknown_members

Entry = Mapping[str, Any]
_POLLS = 6
"""So many reads of one resource in a row are polling."""
_CHATTY = 20
"""So many equal reads in a test are too many."""
_KEY_ERRORS = {
    each.code
    for each in (
        errors.KEY_MALFORMED,
        errors.KEY_UNKNOWN,
        errors.SCHEME_NOT_ALLOWED,
        errors.SCOPE_MISSING,
        errors.IAM_UNAUTHORIZED,
    )
}
_WEBHOOKS = {
    "GetTransaction": "transaction_intent.successful",
    "GetSolanaTransaction": "solana_transaction.successful",
}


class Finding(NamedTuple):
    """Something that a client should not do."""

    rule: str
    place: str
    """The project, which is named after the test."""
    text: str
    calls: tuple[int, ...]
    """The numbers of the calls in the journal."""


Check = Callable[[Sequence[Entry]], Iterator[tuple[str, list[Entry]]]]
_GUIDE = "docs/guides/linter.md"
"""Has a heading for each rule, with its name."""
_CHECKS: dict[str, tuple[str, Check]] = {}


def _check(name: str, advice: str) -> Callable[[Check], Check]:
    def declare(check: Check) -> Check:
        _CHECKS[name] = advice, check
        return check

    return declare


def lint(place: str, entries: Sequence[Entry], ignored: Collection[str] = ()) -> list[Finding]:
    """The findings about the calls of a project, oldest call first."""
    public = [entry for entry in entries if entry["operation"] in ROUTES.by_operation]
    return [
        Finding(name, place, text, tuple(entry["n"] for entry in calls))
        for name, (_, check) in _CHECKS.items()
        if name not in ignored
        for text, calls in check(public)
    ]


def lines_of(findings: Sequence[Finding]) -> list[str]:
    """What a terminal shows: each finding once, with how often it came and where first."""
    if not findings:
        return ["nothing to mend"]
    lines: list[str] = []
    counts = Counter((found.rule, found.text) for found in findings)
    for (rule, text), count in sorted(counts.items()):
        first = next(found for found in findings if (found.rule, found.text) == (rule, text))
        times = f", and {count - 1} times more" if count > 1 else ""
        numbers = ", ".join(map(str, first.calls[:5]))
        lines += [f"{rule}: {text}", f"  in {first.place}, calls {numbers}{times}", f"  {_CHECKS[rule][0]}"]
        lines.append(f"  see {_GUIDE}#{rule}")
    return lines


# --- retries ---------------------------------------------------------------------------------------------


@_check("no-idempotency-key", "send one `X-Idempotency-Key` for all attempts of a create")
def _retries_without_key(entries: Sequence[Entry]) -> Iterator[tuple[str, list[Entry]]]:
    for attempts in _attempts(entries):
        keys = {entry["request"]["headers"].get("x-idempotency-key") for entry in attempts}
        operation = attempts[0]["operation"]
        if keys == {None}:
            yield f"{operation} is tried again without an idempotency key", attempts
        elif len(keys) > 1:
            yield f"{operation} is tried again with another idempotency key", attempts


@_check("other-idempotency-header", "the header of this service is `X-Idempotency-Key`")
def _other_idempotency_headers(entries: Sequence[Entry]) -> Iterator[tuple[str, list[Entry]]]:
    for entry in entries:
        if "idempotency-key" in entry["request"]["headers"]:
            yield f"{entry['operation']} has an Idempotency-Key, which the service does not read", [entry]


@_check(
    "retry-after-error",
    "the same request gets the same error: try again after 408, 425, 429 and 5xx only",
)
def _retries_after_errors(entries: Sequence[Entry]) -> Iterator[tuple[str, list[Entry]]]:
    for first, second in pairwise(entries):
        is_final = 400 <= first["status"] < 500 and first["status"] not in (401, 408, 409, 425, 429)
        if is_final and _asked(first) == _asked(second):
            yield f"{first['operation']} is tried again after {first['status']}", [first, second]


@_check("no-backoff", "wait as long as `Retry-After` says, and longer after each attempt")
def _retries_at_once(entries: Sequence[Entry]) -> Iterator[tuple[str, list[Entry]]]:
    for first, second in pairwise(entries):
        if first["status"] == 429 and second["operation"] == first["operation"] and second["status"] == 429:
            yield f"{first['operation']} is called again while the rate limit holds", [first, second]


# --- reads -----------------------------------------------------------------------------------------------


@_check("polling", "subscribe to a webhook, or ask with `?wait=`")
def _polls(entries: Sequence[Entry]) -> Iterator[tuple[str, list[Entry]]]:
    for run in _runs(entries, lambda entry: (entry["operation"], entry["path"])):
        topic = _WEBHOOKS.get(run[0]["operation"])
        if topic and len(run) >= _POLLS:
            yield f"{run[0]['operation']} is polled, and there is the topic {topic}", run


@_check("chatty-reads", "keep what you have read, or ask for a list")
def _chatty(entries: Sequence[Entry]) -> Iterator[tuple[str, list[Entry]]]:
    found: defaultdict[tuple[str, str, str], list[Entry]] = defaultdict(list)
    for entry in entries:
        if entry["method"] == "GET" and entry["operation"] not in _WEBHOOKS:
            found[entry["operation"], entry["path"], entry["query"]].append(entry)
    for (operation, _, _), calls in found.items():
        if len(calls) >= _CHATTY:
            yield f"{operation} is read {len(calls)} times", calls


@_check("no-paging", "ask for the next page, with `skip` or a cursor, until there is none")
def _lists_without_paging(entries: Sequence[Entry]) -> Iterator[tuple[str, list[Entry]]]:
    for entry in entries:
        body = _answer(entry)
        data, total = body.get("data"), body.get("total")
        is_cut = (
            isinstance(data, list) and isinstance(total, int) and total > len(data) + body.get("start", 0)
        )
        others = [each for each in entries if each["path"] == entry["path"] and each is not entry]
        if is_cut and not any("skip" in each["query"] or "cursor" in each["query"] for each in others):
            yield f"{entry['operation']} has more than the first page, which is all that is read", [entry]


# --- credentials -----------------------------------------------------------------------------------------


@_check("secret-key-in-browser", "a page has the publishable key only: keep the secret key on your server")
def _secret_in_browser(entries: Sequence[Entry]) -> Iterator[tuple[str, list[Entry]]]:
    for entry in entries:
        headers = entry["request"]["headers"]
        if "origin" in headers and headers.get("authorization", "").startswith("Bearer sk_"):
            yield f"{entry['operation']} is called by a page with the secret key", [entry]


@_check("expired-token", "renew the session before it expires, and sign in again after 401")
def _expired_tokens(entries: Sequence[Entry]) -> Iterator[tuple[str, list[Entry]]]:
    of_users = [entry for entry in entries if entry["operation"] and has_user_token(entry)]
    for first, second in pairwise(of_users):
        if first["status"] == second["status"] == 401:
            yield f"{second['operation']} is called with a token that was refused before", [first, second]


@_check("wrong-key", "this operation takes another kind of key, which its page in the reference names")
def _wrong_keys(entries: Sequence[Entry]) -> Iterator[tuple[str, list[Entry]]]:
    for entry in entries:
        token = entry["request"]["headers"].get("authorization", "")
        if token.startswith(("Bearer sk_", "Bearer pk_")) and find_code(_answer(entry)) in _KEY_ERRORS:
            yield f"{entry['operation']} is called with a key that may not: {entry['status']}", [entry]


# --- the contract ----------------------------------------------------------------------------------------


@_check("deprecated", "use the operation that the specification names in its place")
def _deprecated(entries: Sequence[Entry]) -> Iterator[tuple[str, list[Entry]]]:
    for entry in entries:
        if ROUTES.by_operation[entry["operation"]].deprecated:
            yield f"{entry['operation']} is deprecated", [entry]


@_check("beyond-specification", "do as the specification says: the setting `strict` refuses it")
def _beyond_specification(entries: Sequence[Entry]) -> Iterator[tuple[str, list[Entry]]]:
    for entry in entries:
        for hint in entry["hints"]:
            yield f"{entry['operation']}: {hint}", [entry]


@_check("unknown-members", "the service ignores what it does not know: look for a misspelt name")
def _unknown_members(entries: Sequence[Entry]) -> Iterator[tuple[str, list[Entry]]]:
    for entry in entries:
        for name in unknown_members(ROUTES.by_operation[entry["operation"]], entry["request"]["body"]):
            yield f"{entry['operation']} has no member {name}", [entry]


@_check("unchecked-status", "look at the status before you go on")
def _ignored_failures(entries: Sequence[Entry]) -> Iterator[tuple[str, list[Entry]]]:
    for first, second in pairwise(entries):
        path = (second["path"] + "/").replace("//", "/")[:-1]
        if errors.is_error(first["status"]) and path.endswith(("/undefined", "/None", "/null", "/NaN")):
            told = f"{second['operation']} is called with what {first['operation']} did not answer"
            yield told, [first, second]


def _attempts(entries: Sequence[Entry]) -> Iterator[list[Entry]]:
    """Equal creates of which all but the last were lost or failed."""
    for run in _runs([entry for entry in entries if entry["method"] == "POST"], _asked):
        failed = [entry for entry in run[:-1] if entry["lost"] or entry["status"] >= 500]
        if failed and run[0]["operation"].startswith(("Create", "create", "Transfer", "Import")):
            yield run


def _runs(entries: Sequence[Entry], key: Callable[[Entry], object]) -> Iterator[list[Entry]]:
    return (list(run) for _, run in groupby(entries, key))


def _asked(entry: Entry) -> tuple[str, str, str, str]:
    body = json.dumps(entry["request"]["body"], sort_keys=True)
    return entry["method"], entry["path"], entry["query"], body


def _answer(entry: Entry) -> Mapping[str, Any]:
    body = (entry["response"] or {}).get("body")
    return body if isinstance(body, dict) else {}
