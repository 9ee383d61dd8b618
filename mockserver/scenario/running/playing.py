"""Playing the `expect` of a scenario that is loaded."""

from collections.abc import Callable, Mapping
from typing import Any, Protocol
from urllib.parse import urlsplit

import httpx
from pydantic import ValidationError

from mockserver.api.call import Request
from mockserver.api.values import read_json, to_json
from mockserver.api.wire import adapter
from mockserver.scenario.checking.load import Scenario
from mockserver.scenario.grammar.expect import (
    AdvanceStep,
    Difference,
    ExpectedAnswer,
    ExpectedCall,
    ExpectStep,
    FollowStep,
    OutboxStep,
    VerifySequenceStep,
    VerifyStep,
)
from mockserver.scenario.grammar.given import encode_query, read_call
from mockserver.scenario.reading.findings import Finding, Findings, Place
from mockserver.scenario.reading.references import resolve
from mockserver.scenario.reading.tree import Node, split_path
from mockserver.scenario.running.steps import make_request, project_values, reason_of
from mockserver.state.project import Project

_SUCCESS = range(200, 300)
_MOST_CLOSEST = 3
"""How many of the calls that came closest a finding names."""


class Answer(Protocol):
    """What a client gets."""

    status: int
    headers: tuple[tuple[bytes, bytes], ...]
    body: bytes


Send = Callable[[Request], Answer]
"""What answers a request as a client gets it, with faults: it raises what httpx raises."""


def play(scenario: Scenario, project: Project, captured: Mapping[str, Any], send: Send) -> list[Finding]:
    """Play the `expect` of a scenario that was loaded into a project. What is not as expected.

    `captured` is what its `given` captured. The steps are played in order, up to the first that fails:
    those after it may need what it should have done.
    """
    player = _Player(scenario, project, {**project_values(project), **captured}, send)
    for number, step in enumerate(scenario.expect):
        player.play(step, scenario.root.at(("expect", number)))
        if player.findings:
            return player.findings.error().findings
    return []


class _Player:
    """Plays one step after the other, and notes what is not as expected."""

    def __init__(self, scenario: Scenario, project: Project, captured: dict[str, Any], send: Send) -> None:
        self.findings = Findings(scenario.source)
        self._routes = scenario.routes
        self._project = project
        self._captured = captured
        self._send = send

    def play(self, step: ExpectStep, node: Node) -> None:
        """Play a step; `node` is where it stands."""
        if isinstance(step, ExpectedCall):
            call = read_call(node, self._routes, ExpectedCall)
            self._exchange(
                step,
                node,
                call.endpoint.operation,
                lambda: make_request(call, self._project, self._captured, self.findings),
            )
        elif isinstance(step, FollowStep):
            self._exchange(step, node, "the link", lambda: self._request_to(node.at(("follow",))))
        elif isinstance(step, AdvanceStep):
            self._advance(step, node)
        elif isinstance(step, VerifyStep):
            self._verify("VerifyCalls", node.at(("verify",)))
        elif isinstance(step, VerifySequenceStep):
            self._verify("VerifySequence", node.at(("verify_sequence",)))
        else:
            self._find_message(step, node)

    # --- requests ---------------------------------------------------------------------------------

    def _request_to(self, link: Node) -> Request:
        url = urlsplit(resolve(link, self._captured, self.findings).text)
        return Request(method="GET", path=url.path, query=url.query, headers={}, scheme="https")

    def _exchange(
        self, step: ExpectedCall | FollowStep, node: Node, name: str, make: Callable[[], Request]
    ) -> None:
        for number in range(1, step.repeat + 1):
            request = make()
            if self.findings:
                return
            which = f" ({number} of {step.repeat})" if step.repeat > 1 else ""
            self._send_once(step, node, f"{name}{which}", request)

    def _send_once(self, step: ExpectedCall | FollowStep, node: Node, name: str, request: Request) -> None:
        clock = self._project.clock
        began_ms = clock.now_ms
        try:
            answer = self._send(request)
        except httpx.TransportError as error:
            found = type(error).__name__
            if found != step.raises:
                message = f"{name}: expected {step.raises or 'an answer'}, found {found}: {error}"
                self._note(node, "raises" if step.raises else "answer", message)
        else:
            document = read_json(answer.body)
            self._compare(step, node, name, answer, document)
            if step.as_ is not None:
                self._captured[step.as_] = document
        took_ms = clock.now_ms - began_ms
        if step.takes is not None and took_ms != step.takes:
            self._note(node, "takes", f"{name}: expected it to take {step.takes} ms, found {took_ms} ms")

    def _compare(
        self, step: ExpectedCall | FollowStep, node: Node, name: str, answer: Answer, document: Any
    ) -> None:
        """Note in what an answer is not as expected."""
        if step.raises is not None:
            message = f"{name}: expected {step.raises}, found an answer with {answer.status}"
            self._note(node, "raises", message)
            return
        wanted = ExpectedAnswer() if step.answer is None else self._resolve_answer(node.at(("answer",)))
        headers = {key.decode("latin-1").lower(): value.decode("latin-1") for key, value in answer.headers}
        text = answer.body.decode("utf-8", "replace")
        for difference in wanted.find_differences(answer.status, headers, text, document):
            reason = reason_of(document) if difference.member == "status" else ""
            self.findings.add(_find_place(node, difference), f"{name}: {difference.message}{reason}")

    def _resolve_answer(self, node: Node) -> ExpectedAnswer:
        """The expected answer with the captured values put in."""
        given = resolve(node, self._captured, self.findings).plain()
        try:
            wanted: ExpectedAnswer = adapter(ExpectedAnswer).validate_python(
                given if isinstance(given, dict) else {"status": given}, context=self._routes
            )
        except ValidationError as error:
            found = error.errors()[0]
            self.findings.add(node.at(found["loc"]).place, found["msg"])
            return ExpectedAnswer()
        return wanted

    def _note(self, node: Node, member: str, message: str) -> None:
        self.findings.add(node.at((member,)).place, message)

    # --- the clock, the outbox and the journal ----------------------------------------------------

    def _advance(self, step: AdvanceStep, node: Node) -> None:
        answer = self._ask("AdvanceClock", body={"seconds": step.advance / 1000})
        if answer.status not in _SUCCESS:
            message = f"the clock cannot be advanced{reason_of(read_json(answer.body))}"
            self.findings.add(node.place, message)

    def _find_message(self, step: OutboxStep, node: Node) -> None:
        wanted = resolve(node.at(("outbox",)), self._captured, self.findings)
        if self.findings:
            return
        messages = read_json(self._ask("ListOutbox", query={**wanted.plain(), "order": "desc"}).body)["data"]
        if not messages:
            filters = ", ".join(f"{name} {member.text}" for name, member in wanted.value.items()) or "any"
            there = ", ".join(f"{message.kind} to {message.to}" for message in self._project.outbox)
            message = f"expected a message ({filters}), found {there or 'none at all'}"
            self.findings.add(node.place, message)
        elif step.as_ is not None:
            self._captured[step.as_] = messages[0]

    def _verify(self, operation: str, node: Node) -> None:
        given = resolve(node, self._captured, self.findings).plain()
        if self.findings:
            return
        if operation == "VerifySequence":
            body = {"calls": given}
        else:
            body = given if isinstance(given, dict) else {"call": given}
        answer = self._ask(operation, body=body)
        if answer.status not in _SUCCESS:
            document = read_json(answer.body)
            closest = [f"{name}: {seen['message']}" for name, seen in document.get("errors", {}).items()]
            self.findings.add(node.place, "; ".join([document["detail"], *closest[:_MOST_CLOSEST]]))

    def _ask(self, operation: str, *, query: Mapping[str, Any] | None = None, body: Any = None) -> Answer:
        """Call the control API of the project."""
        endpoint = self._routes.by_operation[operation]
        return self._send(
            Request(
                method=endpoint.method,
                path=endpoint.path.replace("{p}", self._project.id),
                query=encode_query(query or {}),
                headers={"content-type": "application/json"},
                body=b"" if body is None else to_json(body),
            )
        )


def _find_place(step: Node, difference: Difference) -> Place:
    """Where a step says what is otherwise."""
    member = step.at(("answer", difference.member))
    names = member.value if isinstance(member.value, dict) else {}
    path = difference.path
    written = [name for name in names if split_path(name) == path or (name.lower(),) == path]
    return member.value[written[0]].place if written else member.place
