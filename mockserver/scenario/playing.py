"""Playing the `expect` of a scenario that is loaded."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, Protocol

import httpx
from pydantic import ValidationError

from mockserver.api.call import Request
from mockserver.api.wire import adapter
from mockserver.scenario.expect import AdvanceStep, Difference, ExpectedAnswer, ExpectedCall, OutboxStep
from mockserver.scenario.findings import Finding, Findings, Place
from mockserver.scenario.given import SetupCall, encode_body, encode_query, read_call
from mockserver.scenario.load import Scenario
from mockserver.scenario.references import resolve
from mockserver.scenario.steps import make_request, project_values, read_json, reason_of
from mockserver.scenario.tree import ABSENT, Node, split_path
from mockserver.state.project import Project

_SUCCESS = range(200, 300)


class Answer(Protocol):
    """What a client gets."""

    status: int
    headers: tuple[tuple[bytes, bytes], ...]
    body: bytes


Send = Callable[[Request], Answer]
"""What answers a request as a client gets it, with faults: it raises what httpx raises."""


class _Play(NamedTuple):
    """What the steps of one scenario share."""

    scenario: Scenario
    project: Project
    send: Send
    captured: dict[str, Any]
    findings: Findings


def play(scenario: Scenario, project: Project, captured: Mapping[str, Any], send: Send) -> list[Finding]:
    """Play the `expect` of a scenario that was loaded into a project. What is not as expected.

    `captured` is what its `given` captured. The steps are played in order, up to the first that fails:
    those after it may need what it should have done.
    """
    findings = Findings(scenario.source)
    played = _Play(scenario, project, send, {**project_values(project), **captured}, findings)
    for number, step in enumerate(scenario.expect):
        _PLAYERS[type(step)](played, step, scenario.root.at(("expect", number)))
        if findings:
            return findings.error().findings
    return []


# --- calls ----------------------------------------------------------------------------------------------


def _play_call(played: _Play, step: ExpectedCall, node: Node) -> None:
    call = read_call(node, played.scenario.routes, ExpectedCall)
    for number in range(1, step.repeat + 1):
        which = f" ({number} of {step.repeat})" if step.repeat > 1 else ""
        _send_once(played, step, call, f"{call.endpoint.operation}{which}")
        if played.findings:
            return


def _send_once(played: _Play, step: ExpectedCall, call: SetupCall, name: str) -> None:
    findings, clock = played.findings, played.project.clock
    request = make_request(call, played.project, played.captured, findings)
    if findings:
        return
    began_ms = clock.now_ms
    try:
        answer = played.send(request)
    except httpx.TransportError as error:
        found = type(error).__name__
        if found != step.raises:
            place = call.node.at(("raises",) if step.raises else ("answer",)).place
            findings.add(place, f"{name}: expected {step.raises or 'an answer'}, found {found}: {error}")
    else:
        document = _note_differences(played, step, call, answer, name)
        if step.as_ is not None:
            played.captured[step.as_] = document
    took_ms = clock.now_ms - began_ms
    if step.takes is not None and took_ms != step.takes:
        place = call.node.at(("takes",)).place
        findings.add(place, f"{name}: expected it to take {step.takes} ms, found {took_ms} ms")


def _note_differences(played: _Play, step: ExpectedCall, call: SetupCall, answer: Answer, name: str) -> Any:
    """Note in what an answer is otherwise. Its JSON."""
    findings, document = played.findings, read_json(answer.body) if answer.body else ABSENT
    if step.raises is not None:
        message = f"{name}: expected {step.raises}, found an answer with {answer.status}"
        findings.add(call.node.at(("raises",)).place, message)
        return document
    node = call.part("answer")
    wanted = ExpectedAnswer() if node is None else _resolve_answer(node, played, call)
    headers = {header.decode("latin-1").lower(): value.decode("latin-1") for header, value in answer.headers}
    text = answer.body.decode("utf-8", "replace")
    for difference in wanted.find_differences(answer.status, headers, text, document):
        reason = reason_of(document) if difference.member == "status" else ""
        findings.add(_find_place(call.node, difference), f"{name}: {difference.message}{reason}")
    return document


def _resolve_answer(node: Node, played: _Play, call: SetupCall) -> ExpectedAnswer:
    """The expected answer with the captured values put in."""
    given = resolve(node, played.captured, played.findings).plain()
    try:
        wanted: ExpectedAnswer = adapter(ExpectedAnswer).validate_python(
            given if isinstance(given, dict) else {"status": given}, context=played.scenario.routes
        )
    except ValidationError as error:
        found = error.errors(include_url=False)[0]
        played.findings.add(node.at(found["loc"]).place, found["msg"])
        return ExpectedAnswer()
    return wanted


def _find_place(step: Node, difference: Difference) -> Place:
    """Where a step says what is otherwise."""
    member = step.at(("answer", difference.member))
    names = member.value if isinstance(member.value, dict) else {}
    written = [
        name for name in names if name.lower() in difference.path or split_path(name) == difference.path
    ]
    return member.value[written[0]].place if written else member.place


# --- the clock and the outbox ---------------------------------------------------------------------------


def _advance(played: _Play, step: AdvanceStep, node: Node) -> None:
    answer = _ask(played, "AdvanceClock", body={"seconds": step.advance / 1000})
    if answer.status not in _SUCCESS:
        played.findings.add(node.place, f"the clock cannot be advanced{reason_of(read_json(answer.body))}")


def _find_message(played: _Play, step: OutboxStep, node: Node) -> None:
    wanted = resolve(node.value["outbox"], played.captured, played.findings)
    if played.findings:
        return
    messages = read_json(_ask(played, "ListOutbox", query={**wanted.plain(), "order": "desc"}).body)["data"]
    if not messages:
        all_of_it = ", ".join(f"{name} {member.text}" for name, member in wanted.value.items()) or "any"
        there = ", ".join(f"{message.kind} to {message.to}" for message in played.project.outbox)
        played.findings.add(node.place, f"expected a message ({all_of_it}), found {there or 'none at all'}")
    elif step.as_ is not None:
        played.captured[step.as_] = messages[0]


def _ask(
    played: _Play, operation: str, *, query: Mapping[str, Any] | None = None, body: Any = None
) -> Answer:
    """Call the control API of the project."""
    endpoint = played.scenario.routes.by_operation[operation]
    return played.send(
        Request(
            method=endpoint.method,
            path=endpoint.path.replace("{p}", played.project.id),
            query=encode_query(query or {}),
            headers={"content-type": "application/json"},
            body=b"" if body is None else encode_body(body),
        )
    )


_PLAYERS: Mapping[type, Callable[[_Play, Any, Node], None]] = {
    ExpectedCall: _play_call,
    AdvanceStep: _advance,
    OutboxStep: _find_message,
}
