"""The steps that a world takes: a request comes, a call that waits goes on, a ticking clock moves."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol

from mockserver import errors
from mockserver.api.call import Request
from mockserver.api.endpoint import Routes
from mockserver.api.waiting import AT_ONCE, Later, Until
from mockserver.domain.transactions.timers import TIMER_LOOP
from mockserver.errors import ApiError
from mockserver.kernel.secrecy import KNOWN_NAMES, Names
from mockserver.server.answering.control_access import ControlAccess
from mockserver.server.answering.in_progress import CallInProgress
from mockserver.server.answering.limits import RequestLimits
from mockserver.server.answering.render import Response, without_body
from mockserver.server.answering.server import Server
from mockserver.state.project import Project
from mockserver.state.world import World

if TYPE_CHECKING:
    from mockserver.scenario.running.effects import RuleEffects


@dataclass(slots=True, eq=False)
class WaitingCall:
    """A call that waits for something, or is answered in slices."""

    call: CallInProgress
    project: Project
    """The project that ends the wait."""
    steps: Later[Response]
    """What makes the answer."""
    until: Until = AT_ONCE
    """What it waits for."""
    number: int = 0
    """Its number in the recording that is being made; 0 if it is not in it."""


Outcome = Response | WaitingCall
"""What a call has come to: its response, or something that it waits for."""

_REQUEST_ID = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._:-")


class Observer(Protocol):
    """Sees every step that a world takes, in the order in which it does."""

    def answer(self, request: Request, make: Callable[[Request], Outcome]) -> Outcome:
        """What `make` returns."""

    def resume(self, waiting: WaitingCall, make: Callable[[WaitingCall], Outcome]) -> Outcome:
        """What `make` returns."""
        return make(waiting)

    def tick(self, project: Project, make: Callable[[Project], None]) -> None:
        """Call `make`, which advances a ticking clock to real time."""
        make(project)


class Pipeline:
    """Answers requests for a world. Synchronous: a step is made before the next one is looked at.

    There are three steps: a request comes, a call that waits goes on, a ticking clock moves in between.
    """

    def __init__(
        self,
        world: World,
        routes: Routes,
        on_failure: Callable[[str], None],
        count_dropped: Callable[[], int] = lambda: 0,
        *,
        limits: RequestLimits | None = None,
        control: ControlAccess | None = None,
        names: Names = KNOWN_NAMES,
    ) -> None:
        """`on_failure` is given tracebacks, `count_dropped` counts the lines that the log has dropped."""
        self.world = world
        self.server = Server(
            world,
            routes,
            self.answer,
            on_failure,
            count_dropped,
            limits or RequestLimits(),
            control or ControlAccess(),
            names,
        )
        self.observer: Observer | None = None
        """Sees every step, such as a recorder."""
        self.is_replayed = False
        """Whether its steps are those of a recording: nothing is sent to any other server then."""

    # --- steps ------------------------------------------------------------------------------------

    def answer(self, request: Request) -> Outcome:
        """The response to a request, or what it waits for."""
        observer = self.observer
        # The steps of a scenario are parts of the call that loads it.
        if observer is None or request.is_step:
            return self.answer_unobserved(request)
        return observer.answer(request, self.answer_unobserved)

    def resume(self, waiting: WaitingCall) -> Outcome:
        """Let a call go on that has waited: its response, or what it waits for next."""
        observer = self.observer
        return self._resume(waiting) if observer is None else observer.resume(waiting, self._resume)

    def tick(self, project: Project) -> None:
        """Between two calls, advance a ticking clock to real time."""
        if self.observer is None:
            self._tick(project)
        else:
            self.observer.tick(project, self._tick)

    def finish(self, outcome: Outcome) -> Response:
        """The response, at once: what it waits for is not waited for."""
        while isinstance(outcome, WaitingCall):
            outcome = self.resume(outcome)
        return outcome

    def give_up(self, waiting: WaitingCall) -> None:
        """Forget a call that waits, and whose answer is not sent any more."""
        waiting.project.waiting -= 1
        waiting.steps.close()

    def find_project(self, request: Request) -> Project | None:
        """The project that a request will be about, before it is answered; None of one that is about none."""
        self.world.begin_step()
        # Of a copy: what is too large is taken out of a request, which is not refused here.
        return CallInProgress(self.server, replace(request)).find_project()

    def answer_unobserved(self, request: Request) -> Outcome:
        """The response to a request, without the observer: one that changes nothing is not for it."""
        if not request.is_step:
            self.world.begin_step()
        call = CallInProgress(self.server, request)
        try:
            outcome = call.run()
        except Exception as raised:
            outcome = _answer_missing(call, raised) or call.refuse(raised)
            if call.project is None and isinstance(raised, ApiError) and call.family.is_journaled:
                self._note_without_project(call, raised)
        if isinstance(outcome, Response) and (call.effects is None or not call.effects.then.after):
            return self._send(call, outcome)
        assert call.project is not None
        return self._advance(WaitingCall(call, call.project, self._finish(call, outcome)))

    def _note_without_project(self, call: CallInProgress, error: ApiError) -> None:
        """Note a call that no journal has, for reports of the projects that are there."""
        newest = self.world.page(skip=0, limit=1, order="desc")
        if newest and call.endpoint is not None:
            said = f"{error.row.status}  {error.row.code}: {error.message}"
            self.server.without_project.append(
                (newest[0].id, f"{call.request.method} {call.operation}  {said}")
            )

    def _resume(self, waiting: WaitingCall) -> Outcome:
        self.world.begin_step()
        waiting.project.waiting -= 1
        TIMER_LOOP.catch_up(waiting.project, self.world.real_ms)
        interruption = ApiError(errors.INTERRUPTED) if waiting.call.is_interrupted else None
        return self._advance(waiting, interruption)

    def _tick(self, project: Project) -> None:
        self.world.begin_step()
        TIMER_LOOP.catch_up(project, self.world.real_ms)

    def _advance(self, waiting: WaitingCall, raised: Exception | None = None) -> Outcome:
        """Let a call go on, with what was raised while it waited, until it has to wait or is answered."""
        steps, project = waiting.steps, waiting.project
        while True:
            try:
                until = next(steps) if raised is None else steps.throw(raised)
            except StopIteration as end:
                response: Response = end.value
                return response
            try:
                raised = None
                if not _is_met(project, until):
                    break
            except Exception as error:
                raised = error
        waiting.until = until
        project.waiting += 1
        waiting.call.begin_wait()
        return waiting

    def _finish(self, call: CallInProgress, outcome: "Response | Later[Response]") -> Later[Response]:
        """Make the response of a call that waits, and then let happen what its rule puts before sending."""
        if not isinstance(outcome, Response):
            try:
                outcome = yield from outcome
            except Exception as raised:
                outcome = call.refuse(raised)
        sent = self._send(call, outcome)
        effects = call.effects
        if effects is not None and effects.then.after:
            call.is_answered = True
            yield from effects.perform(effects.then.after)
            effects.project.record("clock")
            sent.delay_ms = effects.delay_ms
        return sent

    def _send(self, call: CallInProgress, response: Response) -> Response:
        """Add what a rule and the request's id add to a response, and record it."""
        request, effects = call.request, call.effects
        request_id = request.headers.get("x-request-id")
        if request_id is not None and len(request_id) <= 128 and _REQUEST_ID.issuperset(request_id):
            response.headers += ((b"x-request-id", request_id.encode()),)
        if call.hints:
            response.headers += tuple((b"x-mockserver-hint", hint.hint.encode()) for hint in call.hints)
        if call.limit_headers:
            response.headers += call.limit_headers
        if effects is not None:
            _change(response, effects)
        self.server.answers[response.status // 100] += 1
        if request.method == "HEAD":
            response = without_body(response)
        if effects is not None and effects.fault is not None:
            response.parts = effects.parts(response.body)
        response.project = call.project
        call.record(response)
        return response


def _answer_missing(call: CallInProgress, raised: Exception) -> Response | None:
    """The answer to a path that no operation has, of a server that has one."""
    project, answer = call.project, call.server.answer_missing
    is_strict = project is not None and project.settings.strict
    if answer is None or is_strict or call.endpoint is not None or not call.family.is_journaled:
        return None
    # An endpoint is not looked for when the head of a request is too large.
    is_unknown = isinstance(raised, ApiError) and raised.row.status in (404, 405)
    found = answer(call.request) if is_unknown else None
    if found is None:
        return None
    response, hint = found
    call.hints = (hint,)
    return response


def _change(response: Response, effects: "RuleEffects") -> None:
    """Change a response as a rule has it."""
    response.status, response.headers, response.body = effects.change(
        response.status, response.headers, response.body
    )
    response.rule, response.fault, response.delay_ms = effects.header, effects.fault, effects.delay_ms


def _is_met(project: Project, until: Until) -> bool:
    """Whether what a call waits for has happened, perhaps by advancing a frozen clock."""
    if until is AT_ONCE:
        return False
    if until.ready():
        return True
    if project.clock.mode != "frozen" or until.due_ms is None:
        return False
    if until.row_id:
        # This is where a transaction that a handler has just sent gets mined.
        TIMER_LOOP.run_until(project, until.ready, until.row_id, until.due_ms)
    else:
        TIMER_LOOP.advance(project, until.due_ms)
    return True
