"""The faults of calls: which attempts they meet, and what they change in an answer."""

from dataclasses import dataclass
from http import HTTPStatus

from mockserver.api.call import RawHeaders, Request
from mockserver.scenario.grammar.faults import FaultOptions, FaultSpec
from mockserver.state.history.event import SEND_NOTHING
from mockserver.state.project import Project
from mockserver.state.requests import FaultAttempts, RuleState


@dataclass(frozen=True, slots=True)
class ActiveFault:
    """What a fault does to one call."""

    spec: FaultSpec
    has_effect: bool
    random: bytes
    """The random bytes that it sends, if it does."""

    @property
    def kind(self) -> str:
        """The name of the fault, as scenarios have it."""
        return self.spec.kind

    @property
    def sends_answer(self) -> bool:
        """Whether anything of an answer is sent."""
        return self.kind not in SEND_NOTHING

    def change(self, status: int, headers: RawHeaders, body: bytes) -> tuple[int, RawHeaders, bytes]:
        """The answer as far as the fault is in the answer itself and not in how it is sent."""
        spec = self.spec
        if spec.server_error is not None:
            return _gateway_error(spec.server_error.status, headers)
        if spec.wrong_content_type is not None:
            others = (header for header in headers if header[0] != b"content-type")
            wrong = (b"content-type", spec.wrong_content_type.content_type.encode())
            return status, (*others, wrong), body
        if spec.malformed_json is not None:
            return status, headers, body.rstrip()[:-1] if body[:1] in (b"{", b"[", b'"') else b"{"
        return status, headers, body


def _gateway_error(status: int, headers: RawHeaders) -> tuple[int, RawHeaders, bytes]:
    """What gateways answer when the service behind them does not."""
    phrase = next((known.phrase for known in HTTPStatus if known == status), "Server Error")
    mocked = tuple(header for header in headers if header[0].startswith((b"x-mockserver", b"x-request-id")))
    page = f"<html><body><h1>{status} {phrase}</h1></body></html>".encode()
    return status, (*mocked, (b"content-type", b"text/html")), page


def activate(project: Project, spec: FaultSpec, *, is_answered: bool) -> ActiveFault:
    """The fault of a call, its random bytes drawn."""
    random = spec.malformed_response_chunk or spec.random_data_then_close
    drawn = b"" if random is None else project.entropy.draw("fault", random.size)
    return ActiveFault(spec, spec.has_effect(is_answered), drawn)


def admit_fault(project: Project, options: FaultOptions, state: RuleState, request: Request) -> bool:
    """Whether a fault happens to a call: it may be over, or over for a request, whose attempts it counts."""
    if options.times is not None and state.fired >= options.times:
        return False
    since_ms = project.clock.now_ms - state.first_fired_ms
    if options.window is not None and state.fired and since_ms >= options.window:
        return False
    if options.attempts is not None:
        count = count_attempts(project, state.id, request)
        if count >= options.attempts:
            return False
        project.requests.fault_attempts.put(FaultAttempts(_row_id(state.id, request), state.id, count + 1))
    return True


def count_attempts(project: Project, rule_id: str, request: Request) -> int:
    """How many attempts of a request the fault of a rule has met."""
    row = project.requests.fault_attempts.get(_row_id(rule_id, request))
    return 0 if row is None else row.attempts


def _row_id(rule_id: str, request: Request) -> str:
    """The rule, and what the attempts of one request have in common: an id, a key, or nothing."""
    for header in ("x-request-id", "x-idempotency-key"):
        value = request.headers.get(header)
        if value:
            return f"{rule_id} {header} {value}"
    return f"{rule_id} "
