"""Each rule of the linter: what it finds in a journal, and what is just beside it."""

from typing import Any

from mockserver.exploring.lint import Finding, lines_of, lint
from tests.tables import cases

USER, SECRET, PUBLIC = ({"authorization": f"Bearer {token}"} for token in ("ey.a", "sk_test_a", "pk_test_a"))
KEY, OTHER_KEY = ({"x-idempotency-key": key} for key in "ab")
BODY = {"name": "Token", "chainId": 84532, "address": "0x" + "cd" * 20}


def call(operation: str, path: str = "/v1/contracts", status: int = 200, **given: Any) -> dict[str, Any]:
    """An entry of a journal."""
    usual: dict[str, Any] = {"method": "GET", "query": "", "hints": (), "lost": False}
    request = {"headers": given.pop("headers", {}), "body": given.pop("body", None)}
    told = {"request": request, "response": {"body": given.pop("answer", {})}}
    return {**usual, **told, **given, "operation": operation, "path": path, "status": status}


def create(status: int = 200, **given: Any) -> dict[str, Any]:
    return call("CreateContract", status=status, **{"method": "POST", "body": BODY, **given})


def look(status: int = 200, **given: Any) -> dict[str, Any]:
    return call("GetContract", "/v1/contracts/con_1", status, **given)


def rows(
    count: int, total: int, start: int = 0, query: str = "", path: str = "/v1/contracts"
) -> dict[str, Any]:
    """An answer with a part of a list."""
    answer = {"data": [1] * count, "total": total, "start": start}
    return call("GetContracts", path, answer=answer, query=query)


TRANSACTION = call("GetTransaction", "/v2/transactions/tin_1")
MISSING = call("GetContract", "/v1/contracts/undefined")


@cases(
    "calls, found",
    # Attempts to create.
    ([create(503), create()], [("no-idempotency-key", "is tried again without an idempotency key")]),
    ([create(500), create()], [("no-idempotency-key", "is tried again without an idempotency key")]),
    ([create(lost=True), create()], [("no-idempotency-key", "is tried again without an idempotency key")]),
    (
        [create(503, headers=KEY), create(headers=OTHER_KEY)],
        [("no-idempotency-key", "is tried again with another idempotency key")],
    ),
    (
        [create(503, headers=KEY), create()],
        [("no-idempotency-key", "is tried again with another idempotency key")],
    ),
    ([create(503, headers=KEY), create(headers=KEY)], []),
    ([create(), create()], []),
    ([create(503)], []),
    ([create(), create(503)], []),
    ([create(503), look(), create(body={**BODY, "name": "Coin"})], []),
    ([look(503), look()], []),
    ([create(method="PUT", status=503), create()], []),
    ([create(headers={"idempotency-key": "a"})], [("other-idempotency-header", "has an Idempotency-Key")]),
    # What is asked again.
    ([create(400), create()], [("retry-after-error", "is tried again after 400")]),
    ([create(499), create()], [("retry-after-error", "is tried again after 499")]),
    *(([create(status), create()], []) for status in (399, 408, 409, 425, 429)),
    ([create(401), create()], []),
    ([create(400), create(body={**BODY, "name": "Coin"})], []),
    ([create(429), create(429)], [("no-backoff", "is called again while the rate limit holds")]),
    ([create(429), look(429)], []),
    # Reads.
    ([TRANSACTION] * 6, [("polling", "is polled, and there is the topic transaction_intent.successful")]),
    ([*[TRANSACTION] * 5, look(), TRANSACTION], []),
    ([TRANSACTION] * 5, []),
    ([look()] * 20, [("chatty-reads", "is read 20 times")]),
    ([*[look()] * 19, look(query="expand[]=x"), look(method="HEAD")], []),
    ([rows(2, 3)], [("no-paging", "has more than the first page")]),
    ([rows(1, 3, start=1)], [("no-paging", "has more than the first page")]),
    ([rows(1, 3, start=2)], []),
    ([rows(3, 3)], []),
    ([call("GetContracts", answer={"data": [1]}), call("GetContracts", answer={"data": 1, "total": 2})], []),
    ([call("GetContracts", answer=[1])], []),
    ([rows(2, 3), rows(1, 3, start=2, query="skip=2")], []),
    ([rows(2, 3), rows(1, 3, start=2, query="cursor=x")], []),
    ([rows(2, 3, query="skip=0")], [("no-paging", "has more than the first page")]),
    (
        [rows(2, 3), rows(1, 1, query="skip=1", path="/v1/other")],
        [("no-paging", "has more than the first page")],
    ),
    # Credentials.
    ([look(headers={"origin": "x", **SECRET})], [("secret-key-in-browser", "by a page with the secret key")]),
    ([look(headers={"origin": "x", **PUBLIC}), look(headers=SECRET)], []),
    ([look(401, headers=USER), look(401, headers=USER)], [("expired-token", "that was refused before")]),
    ([look(401, headers=USER), look(headers=USER), look(401, headers=USER)], []),
    ([look(403, headers=USER), look(403, headers=USER)], [("retry-after-error", "again after 403")]),
    *(
        ([look(status, headers=headers, answer=answer)], [("wrong-key", f"that may not: {status}")])
        for status, headers, answer in (
            (401, SECRET, {"code": "UNAUTHORIZED"}),
            (401, SECRET, {"error": {"code": "api_key_unknown"}}),
            (403, PUBLIC, {"error": {"code": "scope_missing"}}),
        )
    ),
    ([look(401, headers=SECRET, answer={"code": "INVALID_EMAIL_OR_PASSWORD"})], []),
    ([look(403, headers=SECRET, answer={"error": {"code": "policy_refused"}})], []),
    ([look(403, headers=SECRET, answer={"error": "no"})], []),
    ([look(404, headers=SECRET), create(403, headers=USER), create(400, body={}, headers=PUBLIC)], []),
    # The contract.
    ([create(hints=["a", "b"])], [("beyond-specification", ": a"), ("beyond-specification", ": b")]),
    ([create(body={**BODY, "nmae": 1})], [("unknown-members", "has no member 'nmae' (did you mean name?)")]),
    ([create(body={**BODY, "\x1b[2J": 1})], [("unknown-members", r"has no member '\x1b[2J'")]),
    ([create(body={"unparsed": 7})], []),
    ([create(body=[1]), look(body={"x": 1})], []),
    ([look(404), MISSING], [("unchecked-status", "with what GetContract did not answer")]),
    ([look(400), call("GetContract", "/v1/contracts/null/")], [("unchecked-status", "did not answer")]),
    ([look(399), MISSING], []),
    ([look(404), call("GetContract", "/v1/contracts/undefined/abi")], []),
    # What is not of the API.
    ([{"operation": "Nothing"}, {"operation": None}], []),
)
def test_a_rule_finds_its_mistake_and_no_other(calls: list[Any], found: list[tuple[str, str]]) -> None:
    findings = lint("shop", [{"n": number, **each} for number, each in enumerate(calls, 1)])
    shown = [(each.rule, each.text) for each in findings if each.rule != "deprecated"]
    assert len(shown) == len(found), shown
    assert all(
        rule == told and text in said for (rule, text), (told, said) in zip(found, shown, strict=True)
    ), shown


def test_rules_can_be_ignored() -> None:
    calls = [{"n": number, **create(503)} for number in (1, 2)]
    assert [each.calls for each in lint("shop", calls)] == [(1, 2)]
    assert lint("shop", calls, ["no-idempotency-key"]) == []


def test_a_finding_is_shown_once_with_its_first_calls() -> None:
    assert lines_of([]) == ["nothing to mend"]
    found = [Finding("polling", place, "is polled", (*range(1, 8),)) for place in ("one", "two", "three")]
    assert lines_of(found)[:2] == ["polling: is polled", "  in one, calls 1, 2, 3, 4, 5, and 2 times more"]
    assert lines_of(found[:1])[1] == "  in one, calls 1, 2, 3, 4, 5"
