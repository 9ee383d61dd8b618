"""From a request to its response: endpoint, caller, checks in their declared order, handler."""

import traceback
from collections import Counter
from collections.abc import Callable, Generator, Iterator, Mapping
from functools import partial
from typing import Protocol, TypeVar

from mockserver import errors
from mockserver.api.access import Scheme
from mockserver.api.call import ANONYMOUS_CALLER, Call, Caller, Identified, Request, Slices, Wait
from mockserver.api.checking import check_body, check_query
from mockserver.api.endpoint import Endpoint, Routes, allowed_methods, find_method
from mockserver.api.family import IAM, family_of
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
from mockserver.server.answering.control_call import ControlCall, NoRecordings, RecordingControl
from mockserver.server.answering.docs_links import docs_link
from mockserver.server.answering.limits import RequestLimits, check_head
from mockserver.server.answering.render import (
    MakeResponse,
    Pending,
    Response,
    encode_headers,
    error_response,
    fragment_of,
    placeholder,
    response_of,
    without_body,
)
from mockserver.server.answering.request_context import RequestContext
from mockserver.state.journal import NO_STATUS, Cause, ChangeEntry, Exchange
from mockserver.state.moment import Moment
from mockserver.state.project import Project
from mockserver.state.row_changes import merge_changes
from mockserver.state.world import World

Made = TypeVar("Made")

_REQUEST_ID = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._:-")


class Observer(Protocol):
    """Sees everything that changes a world, in the order in which it does."""

    def answer(self, request: Request, make: Callable[[Request], Response | Pending]) -> Response | Pending:
        """What `make` returns; a `Pending` may be another one that advances the same."""
        ...

    def catch_up(self, project: Project, make: Callable[[Project], None]) -> None:
        """Call `make`, which advances a clock to real time."""
        ...

    def act(self, effects: RuleEffects, make: Callable[[RuleEffects], int]) -> int:
        """What `make` returns, which performs what the rule of a call has put off."""
        ...


class Pipeline:
    """Answers requests for a world. Synchronous: one request is answered before the next is looked at."""

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
        self._count_dropped = count_dropped
        self.limits = limits or RequestLimits()
        self._small_head_size = min(self.limits.max_header_bytes, self.limits.max_url_bytes)
        self.control = control or ControlAccess()
        self.answers: Counter[int] = Counter()
        """How many answers there were by the first digit of their status."""
        self.touched: Project | None = None
        """The project of the request that was answered last: its waits may be ready."""
        self.observer: Observer | None = None
        """Sees everything that changes the world, such as a recorder."""
        self.recordings: RecordingControl = NoRecordings()

    def answer(self, request: Request) -> Response | Pending:
        """The response to a request, or something to wait for."""
        observer = self.observer
        return self._answer(request) if observer is None else observer.answer(request, self._answer)

    def answer_aside(self, request: Request) -> Response | Pending:
        """The response to a request that changes nothing, and that the observer is not to see."""
        return self._answer(request)

    def catch_up(self, project: Project) -> None:
        """Between two requests, advance the clock of a ticking project to real time."""
        if self.observer is None:
            self._catch_up(project)
        else:
            self.observer.catch_up(project, self._catch_up)

    def act(self, effects: RuleEffects) -> int:
        """After a delay of an answer, let happen what its rule has put off; the next delay in ms."""
        observer = self.observer
        return self._act(effects) if observer is None else observer.act(effects, self._act)

    def _act(self, effects: RuleEffects) -> int:
        self._catch_up(effects.project)
        return effects.perform(effects.after, self.world.real_ms())

    def _answer(self, request: Request) -> Response | Pending:
        context = RequestContext(request)
        outcome: Response | Pending
        try:
            outcome = self._route(context)
        except Exception as raised:
            outcome = self._refuse(context, raised)
        if not isinstance(outcome, Pending):
            return self._send(context, outcome)
        response = self._resolve(context, outcome)
        if isinstance(response, Pending):
            _note_waiting(context)
        return response

    def _attempt(self, context: RequestContext, make: Callable[[], Made]) -> Made | Response:
        """What `make` returns, or the error response of what it raises, with every change rolled back."""
        try:
            return make()
        except Exception as raised:
            return self._refuse(context, raised)

    def _refuse(self, context: RequestContext, raised: Exception) -> Response:
        """The error response of what was raised, with every change rolled back."""
        if not isinstance(raised, ApiError):
            self.on_failure("".join(traceback.format_exception(raised)))
            raised = ApiError(errors.INTERNAL)
        project = context.project
        if project is not None:
            project.roll_back()
            project.take_hints()
        family = context.family
        if family.public and not raised.row.mock_only:
            return error_response(raised, family)
        return error_response(raised, family, docs_link(context.endpoint, family, context.request.root_path))

    # --- running an endpoint ----------------------------------------------------------------------

    def _route(self, context: RequestContext) -> Response | Pending:
        request = context.request
        endpoint = self._find_endpoint(context)
        if not endpoint.family.public:
            return self._run_control(context, endpoint)
        identified = (
            self._find_named_project(context, endpoint)
            or identify(self.world, request.headers)
            or identify_by_cookie(self.world, request)
        )
        if identified is None:
            return self._run(context, endpoint, None)
        project = context.project = identified.project
        if project.clock.mode != "frozen":
            self._catch_up(project)
        context.began_ms = project.clock.now_ms
        if not len(project.scenarios):
            return self._run(context, endpoint, identified)
        return self._run_with_rules(context, endpoint, identified)

    def _catch_up(self, project: Project) -> None:
        TIMER_LOOP.catch_up(project, self.world.real_ms())
        project.log_changes("clock")

    def _unknown_path_error(self, method: str, path: str) -> ApiError:
        close = self.routes.nearest_path(path)
        if close is None:
            return ApiError(errors.UNKNOWN_PATH, method=method, path=path[:200])
        row = errors.UNKNOWN_PATH._replace(message=f"{errors.UNKNOWN_PATH.message} Did you mean {{nearest}}?")
        return ApiError(row, method=method, path=path[:200], nearest=close[:200])

    def _find_endpoint(self, context: RequestContext) -> Endpoint:
        request = context.request
        path, headers_size = request.path, request.headers_size
        if headers_size is None:
            headers_size = size_of_headers(request.headers)
        # Nearly all heads are so small that no limit needs to be looked at.
        context.head_size = len(path) + len(request.query) + headers_size
        if context.head_size > self._small_head_size or request.header_count > self.limits.max_headers:
            self._check_head(context, headers_size)
        methods, values = self.routes.find(path)
        if not methods:
            methods, values = self._find_variant(path, request.headers)
        endpoint = find_method(methods, request.method)
        if endpoint is None:
            context.family = family_of(path)
            known = _project_for_journal(self.world, request.headers)
            context.project = known
            if not methods:
                raise self._unknown_path_error(request.method, path)
            allowed = ", ".join(allowed_methods(methods))
            raise ApiError(
                errors.METHOD_NOT_ALLOWED,
                method=request.method,
                # The form of the path: a token in it is not to be repeated.
                path=next(iter(methods.values())).path,
                allowed=allowed,
                headers={"allow": allowed},
            )
        context.endpoint, context.family = endpoint, endpoint.family
        if len(request.body) > self.limits.max_body_bytes:
            self._check_body(context, endpoint)
        if values:
            context.path = dict(zip(endpoint.parameters, values, strict=True))
        return endpoint

    def _check_body(self, context: RequestContext, endpoint: Endpoint) -> None:
        """Refuse a body that is larger than most may be, unless that of this request may be so large."""
        request = context.request
        most = self._most_body_bytes(endpoint, request)
        if len(request.body) > most:
            context.project = _project_for_journal(self.world, request.headers)
            request.body = b""
            raise ApiError(errors.BODY_TOO_LARGE, limit=most)

    def most_body_bytes(self, request: Request) -> int:
        """How large the body of a request may be whose head is given."""
        methods, _ = self.routes.find(request.path)
        return self._most_body_bytes(find_method(methods, request.method), request)

    def _most_body_bytes(self, endpoint: Endpoint | None, request: Request) -> int:
        """More for those that may use an operation which reads a file."""
        if endpoint is None or endpoint.max_body_bytes is None:
            return self.limits.max_body_bytes
        try:
            self.control.check(endpoint, request)
        except ApiError:
            return self.limits.max_body_bytes
        return max(endpoint.max_body_bytes, self.limits.max_body_bytes)

    def _find_variant(
        self, path: str, headers: Mapping[str, str]
    ) -> tuple[Mapping[str, Endpoint], list[str]]:
        """The endpoints at a path that is spelt with a slash more, or where a browser looks first."""
        if path.endswith("/") and path.startswith("/iam/v2/auth/"):
            return self.routes.find(path.rstrip("/"))
        # Browsers ask for HTML, and are led to the page; other clients get the 404 of the API.
        is_browser = path in ("/", "/_mock") and "text/html" in headers.get("accept", "")
        return self.routes.find("/_mock/page") if is_browser else ({}, [])

    def _check_head(self, context: RequestContext, headers_size: int) -> None:
        """Refuse a head that is too large."""
        request = context.request
        headers = request.headers
        try:
            check_head(request, headers_size, self.limits)
        except ApiError:
            context.head_size = len(request.path)
            context.family = family_of(request.path)
            context.project = _project_for_journal(self.world, headers)
            raise

    def _find_named_project(self, context: RequestContext, endpoint: Endpoint) -> Identified | None:
        """The project that the path or the query names, for requests without credentials."""
        if endpoint.project_of is None:
            return None
        project = endpoint.project_of(self.world, context.request, context.path or {})
        return Identified(project, Scheme.PROJECT_KEY, frozenset()) if project else None

    def _run(
        self, context: RequestContext, endpoint: Endpoint, identified: Identified | None
    ) -> Response | Pending:
        """Check access, then the query and the body, then call the handler."""
        request = context.request
        if identified is not None:
            _require_https(identified.project, request)
            if "cookie" in request.headers:
                identified = with_cookie(identified, request)
        caller = admit(endpoint, identified, request.query)
        project = context.project
        if project is not None:
            check_wallet_auth(endpoint, project, request)
            if endpoint.family.name == IAM.name:
                count_call(project, request.path, request.headers, request.client)
        if endpoint.on_behalf and project is not None:
            project, caller = self._switch_project(context, project, caller)
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
        if endpoint.handler is None:
            raise ApiError(errors.NOT_BUILT, operation=endpoint.operation)
        call = Call(project, caller, context.path or {}, body, query, request)
        if endpoint.leniency is not None and project is not None:
            project.accept_leniently(endpoint.leniency)
        outcome = endpoint.handler(call)
        if project is not None and project.hints:
            context.hints = project.take_hints()
        if _find_slices(outcome) is not None:
            outcome = _wait_for_nothing(outcome)
        if isinstance(outcome, Wait):
            return self._begin_wait(context, endpoint, outcome, caller, answer_id)
        response = response_of(endpoint, outcome)
        if project is not None:
            if caller.renewed:
                response = with_renewed_cookie(response, project, caller, request)
            if answer_id is not None:
                idempotency.keep(project, answer_id, request, response)
            project.commit()
        return response

    def _switch_project(
        self, context: RequestContext, project: Project, caller: Caller
    ) -> tuple[Project, Caller]:
        """The project that `X-Behalf-Of-Project` names, and the caller's user in it.

        What authentication changed in the caller's own project is kept, whatever comes of the call.
        """
        target = find_target_project(self.world, project, context.request)
        if target is project:
            return project, caller
        fate = take_unused_fate(project, context.effects)
        project.commit()
        project.log_changes("call", _operation(context))
        self._catch_up(target)
        context.project, context.began_ms = target, target.clock.now_ms
        if fate is not None:
            # The transaction will be the target's. A call that fails takes its fate back there.
            target.onchain.fates.insert(fate)
        if caller.user is not None:
            caller = caller._replace(user=user_of_ecosystem(target, project, caller.user))
        return target, caller

    def _run_with_rules(
        self, context: RequestContext, endpoint: Endpoint, identified: Identified
    ) -> Response | Pending:
        """Run an endpoint under the rules of scenarios, which may answer for it or change its response."""
        request = context.request
        caller = claim_cookie(identified, request) if "cookie" in request.headers else identified
        view = RequestView(self.routes, endpoint, request, caller)
        effects, counted = apply_rules(view, context.path or {}, partial(name_caller, identified))
        if counted:
            context.limit_headers = encode_headers(tuple(show_limits(counted).items()))
        if effects is None:
            return self._run(context, endpoint, identified)
        context.effects = effects
        return self._run_with_effects(context, endpoint, identified, effects)

    def _run_with_effects(
        self, context: RequestContext, endpoint: Endpoint, identified: Identified, effects: RuleEffects
    ) -> Response | Pending:
        """Let happen what a rule puts before the call, and then the call, or what the rule answers for it."""
        wait_ms = effects.perform(effects.before, self.world.real_ms())
        if wait_ms:
            return self._hold_up(context, endpoint, identified, effects, wait_ms)
        if effects.answer is not None:
            status, headers, body = effects.answer
            return Response(status, headers, body)
        if effects.error is not None:
            return error_response(effects.error, endpoint.family)
        if effects.fault is not None and not effects.fault.has_effect:
            return placeholder(endpoint)
        effects.begin()
        response = self._run(context, endpoint, identified)
        project = context.project or identified.project
        if take_unused_fate(project, effects) is not None:
            project.commit()
        return response

    def _run_control(self, context: RequestContext, endpoint: Endpoint) -> Response | Pending:
        """Run an endpoint of the control API: it has no journal; `{p}` names the project."""
        request, path = context.request, context.path or {}
        self.control.check(endpoint, request)
        if endpoint.handler is None:
            raise ApiError(errors.NOT_BUILT, operation=endpoint.operation)
        project = None
        if "p" in path:
            project = context.project = find_project(self.world, path["p"], request.headers)
            self._catch_up(project)
        query = check_query(endpoint, request.query)
        body = check_body(endpoint, request.body, request.headers.get("content-type", ""))
        call = ControlCall(
            project,
            ANONYMOUS_CALLER,
            path,
            body,
            query,
            request,
            self.world,
            self.routes,
            self.answer,
            self.answers,
            self._count_dropped,
            self.recordings,
        )
        outcome = endpoint.handler(call)
        if project is not None:
            context.hints = project.take_hints()
            project.commit()
        if project is not None and _find_slices(outcome) is not None:
            outcome = _wait_for_nothing(outcome)
        if isinstance(outcome, Wait):
            assert project is not None
            make = self._maker(context, endpoint, outcome, project)
            return Pending(project, outcome, follows_clock=False, make=make)
        return response_of(endpoint, outcome)

    # --- waiting ----------------------------------------------------------------------------------

    def _hold_up(
        self,
        context: RequestContext,
        endpoint: Endpoint,
        identified: Identified,
        effects: RuleEffects,
        wait_ms: int,
    ) -> Pending:
        """Wait in real time before a call does what it does."""
        project = effects.project
        context.journal, context.generation = project.journal, project.generation

        def go_on() -> Response | Pending:
            return _unless_interrupted(
                context, lambda: self._run_with_effects(context, endpoint, identified, effects)
            )

        def make(failed: Response | None) -> Generator[None, None, Response | Pending]:
            yield from ()
            outcome: Response | Pending = failed if failed is not None else self._attempt(context, go_on)
            if isinstance(outcome, Pending):
                return self._resolve(context, outcome)
            return self._send(context, outcome)

        wait = Wait(effects.is_resumed, lambda: None, limit_ms=wait_ms)
        return Pending(project, wait, follows_clock=False, make=make)

    def _begin_wait(
        self, context: RequestContext, endpoint: Endpoint, wait: Wait, caller: Caller, answer_id: str | None
    ) -> Pending:
        project = context.project
        assert project is not None
        if answer_id is not None:
            idempotency.begin(project, answer_id, context.request)
        project.commit()
        make = self._maker(context, endpoint, wait, project, caller, answer_id)
        interruptible = wait._replace(ready=lambda: _is_interrupted(context) or wait.ready())
        return Pending(project, interruptible, follows_clock=True, make=make)

    def _maker(
        self,
        context: RequestContext,
        endpoint: Endpoint,
        wait: Wait,
        project: Project,
        caller: Caller = ANONYMOUS_CALLER,
        answer_id: str | None = None,
    ) -> MakeResponse:
        """A function that makes the response once the wait is over, or from what the wait failed with."""
        # A reset replaces the journal: the response to a request from before it is not in the new one.
        context.journal, context.generation = project.journal, project.generation

        def make(failed: Response | None) -> Generator[None, None, Response]:
            response = failed or (yield from self._show(context, endpoint, wait))
            if not _is_interrupted(context):
                if caller.renewed:
                    response = with_renewed_cookie(response, project, caller, context.request)
                if answer_id is not None:
                    idempotency.end(project, answer_id, context.request, response)
            project.commit()
            return self._send(context, response)

        return make

    def _show(
        self, context: RequestContext, endpoint: Endpoint, wait: Wait
    ) -> Generator[None, None, Response]:
        """Make the response to a wait that is over; a long list in slices."""
        outcome = self._attempt(context, lambda: _unless_interrupted(context, wait.answer))
        if isinstance(outcome, Response):
            return outcome
        slices = _find_slices(outcome)
        if slices is not None:
            parts: list[object] = []
            for shown in self._show_slices(context, slices):
                if isinstance(shown, Response):
                    return shown
                parts += map(fragment_of, shown)
                yield
            outcome = {**outcome, "data": parts} if isinstance(outcome, dict) else parts
        return self._attempt(context, lambda: response_of(endpoint, outcome))

    def _show_slices(self, context: RequestContext, slices: Slices) -> Iterator[list[object] | Response]:
        """What each slice shows, or at last the error response of one that cannot be shown."""
        coming = iter(slices)

        def show_next() -> list[object] | None:
            return _unless_interrupted(context, lambda: next(coming, None))

        while (shown := self._attempt(context, show_next)) is not None:
            yield shown

    def _resolve(self, context: RequestContext, pending: Pending) -> Response | Pending:
        """Begin to answer what needs no real time: what is ready, or on a frozen clock can be made so."""
        wait, project = pending.wait, pending.project
        if pending.follows_clock and project.clock.mode == "frozen":
            failed = self._attempt(context, lambda: _run_timers(project, wait))
            return pending.advance(failed) or pending
        ready = self._attempt(context, wait.ready)
        if isinstance(ready, Response):
            return pending.advance(ready) or pending
        return pending.advance() or pending if ready else pending

    # --- sending ----------------------------------------------------------------------------------

    def _send(self, context: RequestContext, response: Response) -> Response:
        """Add what a rule and the request's id add to a response, and record it in the journal."""
        request = context.request
        effects = context.effects
        sent = response
        request_id = request.headers.get("x-request-id")
        if request_id is not None and len(request_id) <= 128 and _REQUEST_ID.issuperset(request_id):
            sent.headers += ((b"x-request-id", request_id.encode()),)
        if context.hints:
            sent.headers += tuple(
                (b"x-mockserver-hint", leniency.hint.encode()) for leniency in context.hints
            )
        if context.limit_headers:
            sent.headers += context.limit_headers
        if effects is not None:
            sent = Response(*effects.change(sent.status, sent.headers, sent.body))
        self.answers[sent.status // 100] += 1
        if request.method == "HEAD":
            sent = without_body(sent)
        sent.effects = effects
        project = self.touched = context.project
        if project is None:
            return sent
        # Not its name, which its keys end in.
        sent.project = project.id
        if not context.family.public:
            _log_changes(context)
        else:
            _record(project, context, sent)
            if effects is not None:
                sent.delay_ms = effects.perform(effects.after, self.world.real_ms())
                project.log_changes("clock")
        return sent


def size_of_headers(headers: Mapping[str, str]) -> int:
    """How many characters the names and the values have."""
    # Joining is the fastest way to measure many short texts.
    return len("".join((*headers, *headers.values())))


def _is_interrupted(context: RequestContext) -> bool:
    """Whether the rows of a public request were replaced as a whole since it began to wait."""
    project = context.project
    return project is not None and context.family.public and project.generation != context.generation


def _unless_interrupted(context: RequestContext, make: Callable[[], Made]) -> Made:
    """What `make` returns; ApiError with 409 for a request that was interrupted.

    The control API looks at what is there after a reset, too, and answers 404 after a deletion.
    """
    if _is_interrupted(context):
        raise ApiError(errors.INTERRUPTED)
    if context.project is not None and context.project.is_deleted:
        raise ApiError(errors.CONTROL_UNKNOWN_PROJECT, id=context.project.id)
    return make()


def _find_slices(outcome: object) -> Slices | None:
    """The long list in what a handler returned, which is that list or has it as `data`."""
    data = outcome.get("data") if type(outcome) is dict else outcome
    return data if type(data) is Slices else None


def _wait_for_nothing(outcome: object) -> Wait:
    """A wait that is over, for an answer that is made in slices."""
    return Wait(lambda: True, lambda: outcome)


def _run_timers(project: Project, wait: Wait) -> None:
    """Fire what is due for the row that is waited for, up to the limit of the wait.

    With a frozen clock, this is where a transaction that a handler has just sent gets mined.
    """
    limit_ms = project.settings.wait_limit_ms if wait.limit_ms is None else wait.limit_ms
    TIMER_LOOP.run_until(project, wait.ready, wait.row_id, project.clock.now_ms + limit_ms)


def _operation(context: RequestContext) -> str | None:
    return context.endpoint.operation if context.endpoint else None


def _log_changes(context: RequestContext, exchange: int | None = None) -> ChangeEntry | None:
    """Log what a call has changed in its project so far; the entry of the log, if that is anything."""
    project = context.project
    if project is None:
        return None
    cause: Cause = "call" if context.family.public else "control"
    entry = project.log_changes(cause, _operation(context), exchange)
    if entry is not None:
        before = context.changes
        context.changes = (
            entry.changes if before is None else merge_changes(before.read(), entry.changes.read())
        )
    return entry


def _record(project: Project, context: RequestContext, sent: Response) -> None:
    """Add an exchange to the project's journal."""
    fault = None if context.effects is None else context.effects.fault
    if fault is not None and not (fault.has_effect or fault.sends_answer):
        sent = Response(NO_STATUS, (), b"")
    journal = project.journal if context.journal is None else context.journal
    number = journal.last_number + 1
    entry = None
    if project.undo.permanent or project.fired:
        entry = _log_changes(context, number)
    if context.arrival:
        journal.end_wait(context.arrival)
    else:
        journal.arrivals += 1
    # Nothing has changed since the entry, if there is one.
    moment = project.moment() if entry is None else entry.moment
    journal.add(_exchange(project, context, sent, moment, number, context.arrival or journal.arrivals))


def _note_waiting(context: RequestContext) -> None:
    """Note a request that has arrived, and whose answer is to come, with what it has changed so far."""
    _log_changes(context)
    project = context.project
    if project is not None and context.family.public:
        journal = project.journal if context.journal is None else context.journal
        journal.arrivals += 1
        context.arrival = journal.arrivals
        unanswered = Response(NO_STATUS, (), b"")
        journal.wait_for(_exchange(project, context, unanswered, project.moment(), 0, context.arrival))


def _exchange(
    project: Project,
    context: RequestContext,
    sent: Response,
    moment: Moment | None,
    number: int,
    arrival: int,
) -> Exchange:
    request, effects = context.request, context.effects
    fault = None if effects is None else effects.fault
    now_ms = project.clock.now_ms
    return Exchange(
        number,
        now_ms,
        request.method,
        request.path,
        request.query,
        None if context.endpoint is None else context.endpoint.operation,
        context.head_size,
        request.headers,
        request.body,
        sent.status,
        sent.headers,
        sent.body,
        effects.rule if effects is not None else None,
        context.hints,
        fault.kind if fault is not None else None,
        context.changes,
        moment,
        arrival,
        # A call that goes back in time took none.
        0 if context.began_ms is None else max(0, now_ms - context.began_ms),
    )


def _project_for_journal(world: World, headers: Mapping[str, str]) -> Project | None:
    """The project of a request to no endpoint, or of one that is too large: its journal notes that."""
    try:
        found = identify(world, headers)
    except ApiError:
        return None
    return found.project if found else None


def _require_https(project: Project, request: Request) -> None:
    if project.settings.require_https and not request.is_secure:
        raise ApiError(errors.HTTPS_REQUIRED)
