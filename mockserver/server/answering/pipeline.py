"""From a request to its response: endpoint, caller, checks in their declared order, handler."""

import traceback
from collections.abc import Callable
from functools import partial
from types import GeneratorType
from typing import Any, Protocol

from mockserver import errors
from mockserver.api.access import Scheme
from mockserver.api.call import ANONYMOUS_CALLER, Call, Caller, Identified, Request
from mockserver.api.checking import check_body, check_query
from mockserver.api.endpoint import Endpoint, Routes
from mockserver.api.family import IAM
from mockserver.api.waiting import AT_ONCE, Later, Until
from mockserver.domain.identity.social.third_party import user_of_ecosystem
from mockserver.domain.time.rate_limits import count_call
from mockserver.domain.transactions.timers import TIMER_LOOP
from mockserver.errors import ApiError
from mockserver.scenario.running.effects import RuleEffects, apply_rules, take_unused_fate
from mockserver.scenario.running.rate_limiting import show_limits
from mockserver.scenario.running.request_view import RequestView
from mockserver.server.answering import idempotency
from mockserver.server.answering.authenticate import (
    admit,
    check_wallet_auth,
    find_project,
    find_target_project,
    identify,
    name_caller,
)
from mockserver.server.answering.browsers import (
    claim_cookie,
    identify_by_cookie,
    with_cookie,
    with_renewed_cookie,
)
from mockserver.server.answering.control_access import ControlAccess
from mockserver.server.answering.control_call import ControlCall, Server
from mockserver.server.answering.docs_links import docs_link
from mockserver.server.answering.events import record_call
from mockserver.server.answering.finding import EndpointFinder
from mockserver.server.answering.in_progress import CallInProgress, WaitingCall
from mockserver.server.answering.limits import RequestLimits
from mockserver.server.answering.render import (
    Response,
    encode_headers,
    error_response,
    placeholder,
    response_of,
    without_body,
)
from mockserver.state.project import Project
from mockserver.state.world import World

Outcome = Response | WaitingCall
"""What a call has come to: its response, or something that it waits for."""

_REQUEST_ID = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._:-")


class Observer(Protocol):
    """Sees every step that a world takes, in the order in which it does."""

    def answer(self, request: Request, make: Callable[[Request], Outcome]) -> Outcome:
        """What `make` returns."""
        ...

    def resume(self, waiting: WaitingCall, make: Callable[[WaitingCall], Outcome]) -> Outcome:
        """What `make` returns."""
        ...

    def tick(self, project: Project, make: Callable[[Project], None]) -> None:
        """Call `make`, which advances a ticking clock to real time."""
        ...


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
    ) -> None:
        """`on_failure` is given tracebacks, `count_dropped` counts the lines that the log has dropped."""
        self.world = world
        self.routes = routes
        self.on_failure = on_failure
        self.limits = limits or RequestLimits()
        self.control = control or ControlAccess()
        self.server = Server(world, routes, self.answer, count_dropped)
        self.observer: Observer | None = None
        """Sees every step, such as a recorder."""
        self._finder = EndpointFinder(world, routes, self.limits)

    # --- steps ------------------------------------------------------------------------------------

    def answer(self, request: Request) -> Outcome:
        """The response to a request, or what it waits for."""
        observer = self.observer
        # The steps of a scenario are parts of the call that loads it.
        if observer is None or request.is_step:
            return self._answer(request)
        return observer.answer(request, self._answer)

    def answer_aside(self, request: Request) -> Outcome:
        """The response to a request that changes nothing, and that the observer is not to see."""
        return self._answer(request)

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

    def most_body_bytes(self, request: Request) -> int:
        """How large the body of a request may be whose head is given."""
        return self._finder.most_body_bytes(request, self.control)

    def _answer(self, request: Request) -> Outcome:
        if not request.is_step:
            self.world.begin_step()
        call = CallInProgress(request)
        try:
            outcome = self._route(call)
        except Exception as raised:
            outcome = self._refuse(call, raised)
        if isinstance(outcome, Response) and (call.effects is None or not call.effects.after):
            return self._send(call, outcome)
        assert call.project is not None
        return self._advance(WaitingCall(call, call.project, self._finish(call, outcome)))

    def _resume(self, waiting: WaitingCall) -> Outcome:
        self.world.begin_step()
        waiting.project.waiting -= 1
        self._catch_up(waiting.project)
        interruption = ApiError(errors.INTERRUPTED) if waiting.call.is_interrupted else None
        return self._advance(waiting, interruption)

    def _tick(self, project: Project) -> None:
        self.world.begin_step()
        self._catch_up(project)

    def _catch_up(self, project: Project) -> None:
        if project.clock.mode == "frozen":
            return
        TIMER_LOOP.catch_up(project, self.world.real_ms)
        if project.undo.permanent or project.fired:
            project.record("clock")

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
        self._note_waiting(waiting.call)
        return waiting

    def _note_waiting(self, call: CallInProgress) -> None:
        """Note the circumstances in which a call begins to wait, and what it has changed so far."""
        project = call.project
        if project is None:
            return
        if call.history is None:
            call.history, call.generation = project.history, project.generation
        if not call.family.public:
            project.record("control", call.operation)
        elif call.arrival:
            project.record("clock")
        else:
            record_call(project, call, None)

    def _finish(self, call: CallInProgress, outcome: "Response | Later[Response]") -> Later[Response]:
        """Make the response of a call that waits, and then let happen what its rule puts before sending."""
        if not isinstance(outcome, Response):
            try:
                outcome = yield from outcome
            except Exception as raised:
                outcome = self._refuse(call, raised)
        sent = self._send(call, outcome)
        effects = call.effects
        if effects is not None and effects.after:
            call.is_answered = True
            yield from effects.perform(effects.after, self.world.real_ms)
            effects.project.record("clock")
            sent.delay_ms = effects.delay_ms
        return sent

    def _refuse(self, call: CallInProgress, raised: Exception) -> Response:
        """The error response of what was raised, with every change rolled back."""
        if not isinstance(raised, ApiError):
            self.on_failure("".join(traceback.format_exception(raised)))
            raised = ApiError(errors.INTERNAL)
        project = call.project
        if project is not None:
            project.roll_back()
            project.take_hints()
        family = call.family
        if family.public and not raised.row.mock_only:
            return error_response(raised, family)
        return error_response(raised, family, docs_link(call.endpoint, family, call.request.root_path))

    # --- running an endpoint ----------------------------------------------------------------------

    def _route(self, call: CallInProgress) -> "Response | Later[Response]":
        request = call.request
        endpoint = self._finder.find(call, self.control)
        if not endpoint.family.public:
            return self._run_control(call, endpoint)
        identified = (
            self._find_named_project(call, endpoint)
            or identify(self.world, request.headers)
            or identify_by_cookie(self.world, request)
        )
        if identified is None:
            return self._run(call, endpoint, None)
        project = call.project = identified.project
        self._catch_up(project)
        if not len(project.scenarios):
            return self._run(call, endpoint, identified)
        return self._run_with_rules(call, endpoint, identified)

    def _find_named_project(self, call: CallInProgress, endpoint: Endpoint) -> Identified | None:
        """The project that the path or the query names, for requests without credentials."""
        if endpoint.project_of is None:
            return None
        project = endpoint.project_of(self.world, call.request, call.path or {})
        return Identified(project, Scheme.PROJECT_KEY, frozenset()) if project else None

    def _run(
        self, call: CallInProgress, endpoint: Endpoint, identified: Identified | None
    ) -> "Response | Later[Response]":
        """Check access, then the query and the body, then call the handler."""
        request = call.request
        if identified is not None:
            _require_https(identified.project, request)
            if "cookie" in request.headers:
                identified = with_cookie(identified, request)
        caller = admit(endpoint, identified, request.query)
        project = call.project
        if project is not None:
            check_wallet_auth(endpoint, project, request)
            if endpoint.family.name == IAM.name:
                count_call(project, request.path, request.headers, request.client)
            if endpoint.on_behalf:
                project, caller = self._switch_project(call, project, caller)
        query = check_query(endpoint, request.query)
        answer_id = None
        if project is not None and idempotency.HEADER in request.headers:
            answer_id = idempotency.row_id(endpoint, request)
        if answer_id is not None and project is not None:
            first = idempotency.first_answer(project, answer_id, request)
            if first is not None:
                project.commit()
                return first
        body = check_body(endpoint, request.body, request.headers.get("content-type", ""))
        outcome = _call_handler(endpoint, Call(project, caller, call.path or {}, body, query, request))
        if project is None:
            return response_of(endpoint, outcome)
        if project.hints:
            call.hints = project.take_hints()
        if type(outcome) is GeneratorType:
            return self._wait(call, endpoint, outcome, caller, answer_id)
        response = response_of(endpoint, outcome)
        if caller.renewed:
            response = with_renewed_cookie(response, project, caller, request)
        if answer_id is not None:
            idempotency.keep(project, answer_id, request, response)
        project.commit()
        return response

    def _wait(
        self,
        call: CallInProgress,
        endpoint: Endpoint,
        steps: "Later[object]",
        caller: Caller,
        answer_id: str | None,
    ) -> Later[Response]:
        """Make the response of a handler that waits. Its idempotency key is in use meanwhile."""
        project, request = call.project, call.request
        assert project is not None
        if answer_id is not None:
            idempotency.begin(project, answer_id, request)
        project.commit()
        try:
            outcome = yield from steps
            response = response_of(endpoint, outcome)
        except Exception as raised:
            response = self._refuse(call, raised)
        if not call.is_interrupted:
            if caller.renewed:
                response = with_renewed_cookie(response, project, caller, request)
            if answer_id is not None:
                idempotency.end(project, answer_id, request, response)
        project.commit()
        return response

    def _switch_project(
        self, call: CallInProgress, project: Project, caller: Caller
    ) -> tuple[Project, Caller]:
        """The project that `X-Behalf-Of-Project` names, and the caller's user in it.

        What authentication changed in the caller's own project is kept, whatever comes of the call.
        """
        target = find_target_project(self.world, project, call.request)
        if target is project:
            return project, caller
        fate = take_unused_fate(project, call.effects)
        project.commit()
        project.record("call", call.operation)
        self._catch_up(target)
        call.project = target
        if fate is not None:
            # The transaction will be the target's. A call that fails takes its fate back there.
            target.onchain.fates.insert(fate)
        if caller.user is not None:
            caller = caller._replace(user=user_of_ecosystem(target, project, caller.user))
        return target, caller

    # --- under the rules of scenarios -------------------------------------------------------------

    def _run_with_rules(
        self, call: CallInProgress, endpoint: Endpoint, identified: Identified
    ) -> "Response | Later[Response]":
        """Run an endpoint under the rules of scenarios, which may answer for it or change its response."""
        request = call.request
        caller = claim_cookie(identified, request) if "cookie" in request.headers else identified
        view = RequestView(self.routes, endpoint, request, caller)
        effects, counted = apply_rules(view, call.path or {}, partial(name_caller, identified))
        if counted:
            call.limit_headers = encode_headers(tuple(show_limits(counted).items()))
        if effects is None:
            return self._run(call, endpoint, identified)
        call.effects = effects
        if effects.before:
            return self._hold_up(call, endpoint, identified, effects)
        return self._run_with_effects(call, endpoint, identified, effects)

    def _hold_up(
        self, call: CallInProgress, endpoint: Endpoint, identified: Identified, effects: RuleEffects
    ) -> Later[Response]:
        """Let happen what a rule puts before the call, and then the call."""
        yield from effects.perform(effects.before, self.world.real_ms)
        outcome = self._run_with_effects(call, endpoint, identified, effects)
        return outcome if isinstance(outcome, Response) else (yield from outcome)

    def _run_with_effects(
        self, call: CallInProgress, endpoint: Endpoint, identified: Identified, effects: RuleEffects
    ) -> "Response | Later[Response]":
        """The call, or what a rule answers for it."""
        if effects.answer is not None:
            status, headers, body = effects.answer
            return Response(status, headers, body)
        if effects.error is not None:
            return error_response(effects.error, endpoint.family)
        if effects.fault is not None and not effects.fault.has_effect:
            return placeholder(endpoint)
        effects.begin()
        outcome = self._run(call, endpoint, identified)
        project = call.project or identified.project
        if take_unused_fate(project, effects) is not None:
            project.commit()
        return outcome

    # --- the control API --------------------------------------------------------------------------

    def _run_control(self, call: CallInProgress, endpoint: Endpoint) -> "Response | Later[Response]":
        """Run an endpoint of the control API, which is no call of a project; `{p}` names the project."""
        request, path = call.request, call.path or {}
        self.control.check(endpoint, request)
        project = None
        if "p" in path:
            project = call.project = find_project(self.world, path["p"], request.headers)
            self._catch_up(project)
        query = check_query(endpoint, request.query)
        body = check_body(endpoint, request.body, request.headers.get("content-type", ""))
        given: ControlCall[Any, Any, Any] = ControlCall(
            project, ANONYMOUS_CALLER, path, body, query, request, self.server
        )
        outcome = _call_handler(endpoint, given)
        if project is not None:
            call.hints = project.take_hints()
            project.commit()
        if type(outcome) is not GeneratorType:
            return response_of(endpoint, outcome)
        if project is None:
            return response_of(endpoint, _make_at_once(outcome))
        return _wait_in_control(endpoint, project, outcome)

    # --- sending ----------------------------------------------------------------------------------

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
        project = response.project = call.project
        if project is not None:
            if call.family.public:
                record_call(project, call, response)
            else:
                project.record("control", call.operation)
        return response


def _change(response: Response, effects: RuleEffects) -> None:
    """Change a response as a rule has it."""
    response.status, response.headers, response.body = effects.change(
        response.status, response.headers, response.body
    )
    response.rule, response.fault, response.delay_ms = effects.header, effects.fault, effects.delay_ms


def _call_handler(endpoint: Endpoint, call: Call[Any, Any, Any]) -> object:
    if endpoint.handler is None:
        raise ApiError(errors.NOT_BUILT, operation=endpoint.operation)
    if endpoint.leniency is not None and call.project is not None:
        call.project.accept_leniently(endpoint.leniency)
    return endpoint.handler(call)


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


def _wait_in_control(endpoint: Endpoint, project: Project, steps: "Later[object]") -> Later[Response]:
    """Make the response of a control operation that waits: what is there after a reset is looked at, too."""
    outcome = yield from steps
    if project.is_deleted:
        raise ApiError(errors.CONTROL_UNKNOWN_PROJECT, id=project.id)
    project.commit()
    return response_of(endpoint, outcome)


def _make_at_once(steps: "Later[object]") -> object:
    """What is made in slices of no project, such as a list of projects."""
    try:
        while True:
            next(steps)
    except StopIteration as end:
        return end.value


def _require_https(project: Project, request: Request) -> None:
    if project.settings.require_https and not request.is_secure:
        raise ApiError(errors.HTTPS_REQUIRED)
