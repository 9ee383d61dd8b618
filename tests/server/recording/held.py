"""Calls that a rule holds up, as the tests of the recorder and of the stepper make them."""

import json

from httpx import Client

from mockserver.api.call import Request
from mockserver.server.answering.pipeline import Outcome, WaitingCall
from mockserver.server.answering.render import Response
from mockserver.server.edge.app import App
from mockserver.state.project import Project

RULES = """
rules:
  - {when: GET /v1/contracts/named, then: {answer: {status: 200, body: {}}}}
  - when: GET /v1/contracts/cut
    then: {answer: {status: 200, body: {a: 1}}, fault: {truncate_body: {keep: 4}}}
  - {when: GET /v1/contracts/late, then: [{delay: {real: 5ms}}, {clock: +1s}, {delay: {real: 2ms}}]}
  - when: GET /v1/contracts/held
    then:
      - delay: {real: 5ms}
      - clock: +1s
      - delay: {real: 4ms}
      - effect: done
      - delay: {real: 2ms}
"""
"""`named` is answered by a rule, and `cut` in part; `late` puts off what happens after it, `held` waits twice
before."""


def load(api: Client, project: Project) -> None:
    """Load the rules."""
    headers = {"content-type": "application/yaml"}
    answer = api.post(f"/_mock/projects/{project.id}/scenarios", content=RULES, headers=headers)
    assert answer.status_code == 201, answer.text


def ask(app: App, project: Project, contract: str, method: str = "GET") -> Outcome:
    """Ask for a contract; what comes of it before anything has been waited for."""
    raw = [(b"authorization", f"Bearer {project.secret_key}".encode())]
    headers = {name.decode(): value.decode() for name, value in raw}
    return app.pipeline.answer(Request(method, f"/v1/contracts/{contract}", "", headers, raw_headers=raw))


def ask_and_wait(app: App, project: Project, contract: str) -> WaitingCall:
    """Ask for a contract that is not answered at once."""
    outcome = ask(app, project, contract)
    assert isinstance(outcome, WaitingCall)
    return outcome


def ask_at_once(app: App, project: Project, contract: str) -> Response:
    """Ask for a contract whose answer is made at once."""
    outcome = ask(app, project, contract)
    assert isinstance(outcome, Response)
    return outcome


def steps_of(recorded: bytes) -> list[tuple[int, str, str]]:
    """The steps: the number of the exchange, what happened, and what came of it."""
    lines = [json.loads(line) for line in recorded.splitlines()]
    return [
        (line["n"], "request" if "request" in line else "resume", "waits" if "waits" in line else "answer")
        for line in lines
        if "n" in line
    ]
