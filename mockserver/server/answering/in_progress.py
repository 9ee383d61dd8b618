"""A call while it is being answered: endpoint, caller, checks in their declared order, handler."""

import traceback
from dataclasses import dataclass, field
from functools import partial
from types import GeneratorType
from typing import TYPE_CHECKING, Any

from mockserver import errors
from mockserver.api.call import ANONYMOUS_CALLER, Call, Caller, Identified, RawHeaders, Request
from mockserver.api.endpoint import Endpoint, find_method
from mockserver.api.family import API, IAM, Family, family_of
from mockserver.api.waiting import Later, in_slices
from mockserver.domain.identity.social.third_party import user_of_ecosystem
from mockserver.domain.time.rate_limits import count_call
from mockserver.domain.transactions.timers import TIMER_LOOP
from mockserver.errors import ApiError
from mockserver.kernel.effort import finish
from mockserver.leniencies import Leniency
from mockserver.server.answering import idempotency, routing
from mockserver.server.answering.authenticate import (
    admit,
    check_wallet_auth,
    find_target_project,
    name_caller,
)
from mockserver.server.answering.browsers import claim_cookie, identify_for, with_cookie, with_renewed_cookie
from mockserver.server.answering.control_call import ControlCall, wait_in_control
from mockserver.server.answering.docs_links import docs_link
from mockserver.server.answering.limits import check_head
from mockserver.server.answering.render import (
    Response,
    encode_headers,
    error_response,
    placeholder,
    response_of,
)
from mockserver.server.answering.server import Server
from mockserver.state.history.event import NO_STATUS, Cause, Event
from mockserver.state.history.history import History, size_of_headers
from mockserver.state.project import Project

if TYPE_CHECKING:
    from mockserver.scenario.running.effects import RuleEffects


@dataclass(slots=True, eq=False)
class CallInProgress:
    """A request, and what was found out about it so far."""

    server: Server
    request: Request
    endpoint: Endpoint | None = None
    family: Family = API
    """The family of its endpoint, or of its path where there is no endpoint."""
    head_size: int = 0
    """How many characters its path, its query and its headers have together."""
    path: dict[str, str] = field(default_factory=dict)
    project: Project | None = None
    effects: "RuleEffects | None" = None
    """What the rules of scenarios do to it."""
    limit_headers: RawHeaders = ()
    """What the rate limits of rules tell the client."""
    hints: tuple[Leniency, ...] = ()
    """What it relied on beyond the specification."""
    history: History | None = None
    """The history of its project when it began to wait; None before."""
    began_ms: int | None = None
    """What its project's clock showed when it arrived; None of one that names no endpoint."""
    generation: int = 0
    """The generation of the project's rows when it began to wait."""
    arrival: int = 0
    """The number of the event with which it arrived."""
    is_answered: bool = False
    """Whether only a delay holds its answer up."""

    @property
    def operation(self) -> str | None:
        """The id of its operation; None for a path that does not exist."""
        return None if self.endpoint is None else self.endpoint.operation

    @property
    def is_interrupted(self) -> bool:
        """Whether the rows that a call of the API waited for were replaced as a whole."""
        waits = self.history is not None and not self.is_answered and self.family.is_journaled
        return waits and self.project is not None and self.project.generation != self.generation

    def run(self) -> "Response | Later[Response]":
        """The response, or what makes it later; ApiError for what is refused."""
        endpoint = self._find_endpoint()
        if not endpoint.family.is_journaled:
            return self._run_control(endpoint)
        identified = identify_for(endpoint, self.server.world, self.request, self.path)
        if identified is None:
            return self._run(endpoint, None)
        project = self.project = identified.project
        TIMER_LOOP.catch_up(project, self.server.world.real_ms)
        self.began_ms = project.clock.now_ms
        run = self._run_with_rules if len(project.requests.rule_states) else self._run
        return run(endpoint, identified)

    def find_project(self) -> Project | None:
        """The project that it will be about, before it is run; None of one that is about none."""
        try:
            endpoint = self._find_endpoint()
            if endpoint.family.is_journaled:
                identified = identify_for(endpoint, self.server.world, self.request, self.path)
                return None if identified is None else identified.project
            return routing.named_project(endpoint, self.server.world, self.request, self.path)
        except ApiError:
            return self.project

    def refuse(self, raised: Exception) -> Response:
        """The error response of what was raised, with every change rolled back."""
        if not isinstance(raised, ApiError):
            self.server.on_failure("".join(traceback.format_exception(raised)))
            raised = ApiError(errors.INTERNAL)
        if self.project is not None:
            self.project.roll_back()
        self.hints = ()
        family = self.family
        docs = partial(docs_link, self.endpoint, family, self.request.root_path, raised.row.code)
        return error_response(raised, family, docs, self.request.body)

    def record(self, sent: Response | None) -> None:
        """Add it to the history of its project: with its answer, or as one that begins to wait."""
        project, request, effects = self.project, self.request, self.effects
        if project is None:
            return
        if not self.family.is_journaled:
            project.record("control", self.operation)
            return
        history = project.history
        # A reset replaces the history: the response to a request from before it is not in the new one.
        if request.is_step or (self.history is not None and self.history is not history):
            return
        fault = None if effects is None else effects.fault
        answer = sent
        if fault is not None and sent is not None and not (fault.has_effect or fault.sends_answer):
            sent = Response(NO_STATUS, (), b"")
        number = history.last_number + 1
        cause: Cause = "resumed" if self.arrival else "call"
        self.arrival = self.arrival or number
        changes, fired = project.take_changes()
        # By their order: with the names of all members this takes another microsecond for each call.
        event = Event(
            number,
            project.clock.now_ms,
            cause,
            self.operation,
            project.circumstances(),
            changes,
            fired,
            self.arrival,
            request.method,
            request.path,
            request.query,
            self.head_size,
            request.headers,
            request.body,
            None if sent is None else sent.status,
            () if sent is None else sent.headers,
            b"" if sent is None else sent.body,
            None if effects is None else effects.rule,
            None if fault is None else fault.kind,
            self.hints,
            # A call that goes back in time took none.
            0 if self.began_ms is None else max(0, project.clock.now_ms - self.began_ms),
        )
        history.add(event)
        if answer is not None:
            answer.event = event

    def begin_wait(self) -> None:
        """Note the circumstances in which it begins to wait, and what it has changed so far."""
        project = self.project
        assert project is not None
        if self.history is None:
            self.history, self.generation = project.history, project.generation
        if self.arrival:
            project.record("clock")
        else:
            self.record(None)

    # --- which endpoint ---------------------------------------------------------------------------

    def _find_endpoint(self) -> Endpoint:
        """The endpoint, with its parameters noted; ApiError without one, and for what is too large."""
        server, request = self.server, self.request
        path, headers_size = request.path, request.headers_size
        if headers_size is None:
            headers_size = size_of_headers(request.headers)
        self.head_size = len(path) + len(request.query) + headers_size
        limits = server.limits
        # Nearly all heads are so small that no limit needs to be looked at.
        if self.head_size > server.small_head_bytes or request.header_count > limits.max_headers:
            self._check_head(headers_size)
        methods, values = server.routes.find(path)
        if not methods:
            methods, values = routing.find_variant(server.routes, request)
        endpoint = methods.get(request.method) or find_method(methods, request.method)
        if endpoint is None:
            self.family = family_of(path)
            self.project = routing.project_of(server.world, request.headers)
            raise routing.not_found(server.routes, request, methods)
        family = self.family = endpoint.family
        self.endpoint = (
            routing.find_rpc_method(server.routes, endpoint, request) if family.is_rpc else endpoint
        )
        if len(request.body) > limits.max_body_bytes:
            self._check_body()
        for place, value in enumerate(values):
            self.path[endpoint.parameters[place]] = value
        return self.endpoint

    def _check_head(self, headers_size: int) -> None:
        """Refuse a head that is too large."""
        request, headers = self.request, self.request.headers
        try:
            check_head(request, headers_size, self.server.limits)
        except ApiError:
            # The request has them no more: they are too large to be kept.
            self.head_size = len(request.path)
            self.family = family_of(request.path)
            self.project = routing.project_of(self.server.world, headers)
            raise

    def _check_body(self) -> None:
        """Refuse a body that is larger than most may be, unless that of this request may be so large."""
        request = self.request
        most = routing.most_body_bytes(self.server, request)
        if len(request.body) > most:
            self.project = routing.project_of(self.server.world, request.headers)
            request.body = b""
            raise ApiError(errors.BODY_TOO_LARGE, limit=most)

    # --- an operation of the API ------------------------------------------------------------------

    def _run(self, endpoint: Endpoint, identified: Identified | None) -> "Response | Later[Response]":
        """Check access, then the query and the body, then call the handler."""
        request = self.request
        if identified is not None:
            if identified.project.settings.require_https and not request.is_secure:
                raise ApiError(errors.HTTPS_REQUIRED)
            if "cookie" in request.headers:
                identified = with_cookie(identified, request)
        caller = admit(endpoint, identified, request)
        project = self.project
        if project is not None:
            check_wallet_auth(endpoint, project, request)
            if endpoint.family.name == IAM.name:
                count_call(project, request.path, request.headers, request.client)
            if endpoint.on_behalf:
                project, caller = self._switch_project(project, caller)
        query = endpoint.read_query(request.query)
        answer_id = None
        if project is not None and idempotency.HEADER in request.headers:
            answer_id = idempotency.row_id(endpoint, request, caller)
            first = None if answer_id is None else idempotency.first_answer(project, answer_id, request)
            if first is not None:
                project.commit()
                return first
        body = endpoint.read_body(request.body, request.headers.get("content-type", ""))
        given = project, caller, self.path, body, query, request
        call: Call[Any, Any, Any] = (
            Call(*given) if not self.family.is_rpc else ControlCall(*given, self.server)
        )
        outcome = self._call_handler(endpoint, call)
        if project is None:
            return response_of(endpoint, outcome)
        if type(outcome) is GeneratorType:
            return self._wait(endpoint, outcome, project, caller, answer_id)
        response = response_of(endpoint, outcome)
        if caller.renewed:
            response = with_renewed_cookie(response, project, caller, request)
        if answer_id is not None:
            idempotency.keep(project, answer_id, request, response)
        project.commit()
        return response

    def _call_handler(self, endpoint: Endpoint, call: Call[Any, Any, Any]) -> object:
        if endpoint.leniency is not None:
            call.accept_leniently(endpoint.leniency)
        # The steps of a scenario do not wait.
        if call.project is None or endpoint.method in ("GET", "HEAD") or self.request.is_step:
            return self._settle(call, endpoint.handler(call))
        return in_slices(call.project.ahead.run(partial(endpoint.handler, call)), partial(self._settle, call))

    def _settle(self, call: Call[Any, Any, Any], outcome: object) -> object:
        """Note what a handler has relied on, and keep what it has changed before it waits."""
        self.hints = call.hints
        if call.project is not None and type(outcome) is GeneratorType:
            call.project.commit()
        return outcome

    def _wait(
        self,
        endpoint: Endpoint,
        steps: "Later[object]",
        project: Project,
        caller: Caller,
        answer_id: str | None,
    ) -> Later[Response]:
        """Make the response of a handler that waits. Its idempotency key is in use meanwhile."""
        request = self.request
        if answer_id is not None:
            idempotency.begin(project, answer_id, request)
        project.commit()
        try:
            outcome = yield from steps
            response = response_of(endpoint, outcome)
        except Exception as raised:
            response = self.refuse(raised)
        except GeneratorExit:
            # The call was given up, and the same one may be sent again.
            if answer_id is not None:
                project.keys_in_use.pop(answer_id, None)
            raise
        if self.effects is not None:
            self.effects.take_back_fate(project)
        if not self.is_interrupted:
            if caller.renewed:
                response = with_renewed_cookie(response, project, caller, request)
            if answer_id is not None:
                idempotency.end(project, answer_id, request, response)
        project.commit()
        return response

    def _switch_project(self, project: Project, caller: Caller) -> tuple[Project, Caller]:
        """The project that `X-Behalf-Of-Project` names, and the caller's user in it.

        What authentication changed in the caller's own project is kept, whatever comes of the call.
        """
        target = find_target_project(self.server.world, project, self.request)
        if target is project:
            return project, caller
        fate = None if self.effects is None else self.effects.take_unused_fate(project)
        project.commit()
        project.record("call", self.operation)
        TIMER_LOOP.catch_up(target, self.server.world.real_ms)
        self.project, self.began_ms = target, target.clock.now_ms
        if fate is not None:
            # The transaction will be the target's. A call that fails takes its fate back there.
            target.onchain.fates.insert(fate)
        if caller.user is not None:
            caller = caller._replace(user=user_of_ecosystem(target, project, caller.user))
        return target, caller

    # --- under the rules of scenarios -------------------------------------------------------------

    def _run_with_rules(self, endpoint: Endpoint, identified: Identified) -> "Response | Later[Response]":
        """Run an endpoint under the rules of scenarios, which may answer for it or change its response."""
        # A project that has rules has imported them.
        from mockserver.scenario.running.effects import apply_rules
        from mockserver.scenario.running.rate_limiting import show_limits
        from mockserver.scenario.running.request_view import RequestView

        request = self.request
        caller = claim_cookie(identified, request) if "cookie" in request.headers else identified
        view = RequestView(self.server.routes, endpoint, request, caller)
        effects, counted = apply_rules(view, self.path, partial(name_caller, identified))
        if counted:
            self.limit_headers = encode_headers(tuple(show_limits(counted).items()))
        if effects is None:
            return self._run(endpoint, identified)
        self.effects = effects
        if effects.then.before:
            return self._hold_up(endpoint, identified, effects)
        return self._run_with_effects(endpoint, identified, effects)

    def _hold_up(self, endpoint: Endpoint, identified: Identified, effects: "RuleEffects") -> Later[Response]:
        """Let happen what a rule puts before the call, and then the call."""
        yield from effects.perform(effects.then.before)
        outcome = self._run_with_effects(endpoint, identified, effects)
        return outcome if isinstance(outcome, Response) else (yield from outcome)

    def _run_with_effects(
        self, endpoint: Endpoint, identified: Identified, effects: "RuleEffects"
    ) -> "Response | Later[Response]":
        """The call, or what a rule answers for it."""
        if effects.answer is not None:
            status, headers, body = effects.answer
            return Response(status, headers, body)
        if effects.error is not None:
            return error_response(effects.error, endpoint.family, body=self.request.body)
        if effects.fault is not None and not effects.fault.has_effect:
            return placeholder(endpoint)
        effects.begin()
        try:
            outcome = effects.run(partial(self._run, endpoint, identified), self.refuse)
        except Exception:
            effects.take_back_fate(self.project or identified.project)
            raise
        project = self.project or identified.project
        # A call that waits may still make the transaction.
        if isinstance(outcome, Response) and effects.take_back_fate(project):
            project.commit()
        return outcome

    # --- an operation of the control API ----------------------------------------------------------

    def _run_control(self, endpoint: Endpoint) -> "Response | Later[Response]":
        """Run an endpoint of the control API, which is no call of a project; `{p}` names the project."""
        server, request, path = self.server, self.request, self.path
        server.access.check(endpoint, request)
        project = self.project = routing.named_project(endpoint, server.world, request, path)
        if project is not None:
            TIMER_LOOP.catch_up(project, server.world.real_ms)
        query = endpoint.read_query(request.query)
        body = endpoint.read_body(request.body, request.headers.get("content-type", ""))
        call = ControlCall(project, ANONYMOUS_CALLER, path, body, query, request, server)
        outcome = self._call_handler(endpoint, call)
        if project is not None:
            project.commit()
        if type(outcome) is not GeneratorType:
            return response_of(endpoint, outcome)
        if project is None:
            return response_of(endpoint, finish(outcome))
        return wait_in_control(endpoint, project, outcome)
