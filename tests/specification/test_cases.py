"""What else requests can meet: errors, and what answers show."""

from collections.abc import Iterator, Mapping
from datetime import datetime
from functools import partial
from typing import Any

from tests.specification.checks import Check, carry_out, each_operation
from tests.specification.lines import Operation, changed, filled, has, operations
from tests.specification.sending import Heard, send, set_stage
from tests.specification.setting import the_stage
from tests.specification.test_access import check_error

DAY_S = 86_400


def case_checks() -> Iterator[Check]:
    """A check for each case."""
    for operation in operations():
        for name, case in operation.cases.items():
            yield Check(operation, f"case: {name}", partial(meets, operation, case))


def meets(operation: Operation, case: Mapping[str, Any]) -> Heard:
    """Send what a case says, and check what it hears."""
    heard = ask(operation, case, example_of(operation, case))
    check_answer(operation, filled(dict(case), the_stage().names), heard)
    return heard


def example_of(operation: Operation, case: Mapping[str, Any]) -> Mapping[str, Any]:
    """The example that a case begins with, changed as it says."""
    example: Mapping[str, Any] = operation.examples[case.get("example", 1) - 1]
    for path in case.get("without", ()):
        example = changed(example, path) if has(example, path) else example
    for path, value in case.get("with", {}).items():
        example = changed(example, path, value)
    return example


def ask(operation: Operation, case: Mapping[str, Any], example: Mapping[str, Any]) -> Heard:
    """Send an example in the circumstances of a case."""
    if "settings" in case:
        set_stage(operation, case["settings"])
    if "after" in case:
        the_stage().advance(case["after"])
    headers = filled(case.get("headers", {}), the_stage().names)
    return send(operation, example, by=case.get("by"), at=case.get("at"), headers=headers)


def check_answer(operation: Operation, case: Mapping[str, Any], heard: Heard) -> None:
    """An answer is as a case says."""
    if "not_status" in case:
        assert heard.status != case["not_status"], heard
        return
    redirected = 302 if "location" in case else operation.status
    assert heard.status == case.get("status", redirected), heard
    if heard.status >= 400:
        check_error(operation, heard)
    if "code" in case:
        assert heard.error["code"] == case["code"], heard
    if "hint" in case:
        assert heard.headers["x-mockserver-hint"].startswith(case["hint"]), heard
    if "param" in case:
        assert heard.names(case["param"]), heard
    for path, value in case.get("shows", {}).items():
        assert found(heard.body, path) == value, heard.body
    for path in case.get("has", ()):
        assert found(heard.body, path) is not None, heard.body
    for path in case.get("lacks", ()):
        assert found(heard.body, path) is None, heard.body
    if "location" in case:
        assert heard.headers["location"] == case["location"]
    if "session_days" in case:
        check_session(heard.body["token"], case["session_days"])
    if "same_address_as" in case:
        row = the_stage().call("GET", f"/v2/accounts/{case['same_address_as']}")
        assert heard.body["address"] == row["address"]
    check_timeline(case, heard)


def check_timeline(case: Mapping[str, Any], heard: Heard) -> None:
    """The events of a transaction are those that a case says."""
    events = (
        [event["event"] for event in heard.body.get("timeline", ())] if isinstance(heard.body, dict) else []
    )
    if "timeline_ends" in case:
        states = [event for event in events if event not in ("indexed", "confirmed", "dropped", "replaced")]
        assert states[-1] == case["timeline_ends"] == heard.body["status"]
    assert not set(case.get("no_events", ())) & set(events)


def check_session(token: str, days: int) -> None:
    """A session is there until so many days have gone by."""
    stage = the_stage()
    headers = {"authorization": f"Bearer {token}", "x-project-key": "pk_test_specification"}
    session = stage.call("GET", "/iam/v2/auth/get-session?disableRefresh=true", None, headers)["session"]
    expires = datetime.fromisoformat(session["expiresAt"]).timestamp()
    assert expires == stage.project.clock.now_s + days * DAY_S


def found(body: Any, path: str) -> Any:
    """What is at a path such as `rules.0.operation`, or None."""
    for part in path.split("."):
        if isinstance(body, list):
            body = body[int(part)] if int(part) < len(body) else None
        elif isinstance(body, dict):
            body = body.get(part)
        else:
            return None
    return body


@each_operation(case_checks())
def test_a_request_meets_what_is_specified(checks: list[Check]) -> None:
    carry_out(checks)
