"""From a request to its answer, in the declared order of refusals."""

import traceback
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from mockserver import errors
from mockserver.api.access import Scheme
from mockserver.api.call import Call, Reply, Request, Wait
from mockserver.api.checking import check_body, check_query
from mockserver.api.endpoint import Endpoint, Routes, family_of
from mockserver.domain import time
from mockserver.domain.rate_limits import count_call
from mockserver.errors import Refusal
from mockserver.scenario import play
from mockserver.server import idempotency
from mockserver.server.authenticate import (
    Identified,
    acted_for,
    admit,
    check_wallet_auth,
    identify,
    named_project,
)
from mockserver.server.browsers import identify_by_cookie, with_cookie, with_renewed_cookie
from mockserver.server.render import JSON, Response, encoded, refusal, to_json
from mockserver.state.journal import Exchange
from mockserver.state.project import Project
from mockserver.state.world import World

Made = TypeVar("Made")

_REQUEST_ID = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._:-")


@dataclass(slots=True)
class Pending:
    """An answer that is worth waiting for; `finish` makes the response of what came of it."""

    project: Project | None
    """Whose clock decides; None for the control API, which waits in real time."""
    wait: Wait
    finish: Callable[[], Response]


@dataclass(slots=True)
class _Exchange:
    """What is known of a request while it is being answered."""

    request: Request
    endpoint: Endpoint | None = None
    path: dict[str, str] | None = None
    project: Project | None = None
    directions: play.Directions | None = None
    """What a scenario wants of it."""

    @property
    def family(self) -> str:
        return family_of(self.request.path)


MAX_BODY_SIZE = 1024 * 1024
"""How many bytes a request's body may have."""


class Pipeline:
    """Answers requests for a world. Synchronous: one request is answered before the next is looked at."""

    def __init__(self, world: World, routes: Routes, on_failure: Callable[[str], None]) -> None:
        self.world = world
        self.routes = routes
        self._on_failure = on_failure
        self.max_body_size = MAX_BODY_SIZE

    def answer(self, request: Request) -> Response | Pending:
        """The response to a request, or something to wait for."""
        exchange = _Exchange(request)
        outcome = self._attempt(exchange, lambda: self._answer(exchange))
        if isinstance(outcome, Pending):
            return self._settled(exchange, outcome)
        return self._sent(exchange, outcome)

    def _attempt(self, exchange: _Exchange, make: Callable[[], Made]) -> Made | Response:
        """What is made, or the refusal it ran into, with everything taken back."""
        try:
            return make()
        except Refusal as found:
            return self._undo(exchange, refusal(found, exchange.family))
        except Exception:
            self._on_failure(traceback.format_exc())
            return self._undo(exchange, refusal(Refusal(errors.INTERNAL), exchange.family))

    # --- the order of things ----------------------------------------------------------------------

    def _answer(self, exchange: _Exchange) -> Response | Pending:
        request = exchange.request
        endpoint = self._find(exchange)
        if endpoint.family == "control":
            return self._control(exchange, endpoint)
        identified = (
            self._named(exchange, endpoint)
            or identify(self.world, request.headers)
            or identify_by_cookie(self.world, request)
        )
        if identified is None:
            return self._call(exchange, endpoint, None)
        project = exchange.project = identified.project
        if project.clock.mode != "frozen":
            time.catch_up(project, self.world.real_ms())
        if not len(project.scenarios):
            return self._call(exchange, endpoint, identified)
        return self._directed(exchange, endpoint, identified)

    def _find(self, exchange: _Exchange) -> Endpoint:
        request = exchange.request
        path = request.path
        methods, values = self.routes.find(path)
        if not methods and path.endswith("/") and path.startswith("/iam/v2/auth/"):
            methods, values = self.routes.find(path.rstrip("/"))
        endpoint = methods.get(request.method)
        if endpoint is None:
            known = identify_quietly(self.world, request)
            exchange.project = known
            if not methods:
                raise Refusal(errors.UNKNOWN_PATH, method=request.method, path=path[:200])
            allowed = ", ".join(sorted(methods))
            raise Refusal(
                errors.METHOD_NOT_ALLOWED,
                method=request.method,
                path=path[:200],
                allowed=allowed,
                headers={"allow": allowed},
            )
        exchange.endpoint = endpoint
        if len(request.body) > self.max_body_size:
            exchange.project = identify_quietly(self.world, request)
            request.body = b""
            raise Refusal(errors.BODY_TOO_LARGE, limit=self.max_body_size)
        if values:
            exchange.path = dict(zip(endpoint.parameters, values, strict=True))
        return endpoint

    def _named(self, exchange: _Exchange, endpoint: Endpoint) -> Identified | None:
        """The project that the path or the query names, for requests without credentials."""
        if endpoint.project_of is None:
            return None
        project = endpoint.project_of(self.world, exchange.request, exchange.path or {})
        return Identified(project, Scheme.PROJECT_KEY, frozenset()) if project else None

    def _call(
        self, exchange: _Exchange, endpoint: Endpoint, identified: Identified | None
    ) -> Response | Pending:
        """Access, shape, handler."""
        request = exchange.request
        if identified is not None:
            _require_https(identified.project, request)
            identified = with_cookie(identified, request)
        caller = admit(endpoint, identified, request.query)
        project = exchange.project
        if project is not None:
            check_wallet_auth(endpoint, project, request)
            count_call(project, request.path, request.headers, request.client)
        if endpoint.on_behalf and project is not None:
            project = self._acting_for(exchange, project)
        query = check_query(endpoint, request.query)
        answer_id = idempotency.row_id(endpoint, request) if project is not None else None
        if answer_id is not None and project is not None:
            first = idempotency.first_answer(project, answer_id, request)
            if first is not None:
                project.undo.mark()
                return first
        body = check_body(endpoint, request.body, request.headers.get("content-type", ""))
        if endpoint.handler is None:
            raise Refusal(errors.NOT_BUILT, operation=endpoint.operation)
        call = Call(project, caller, exchange.path or {}, body, query, request, self.world)  # type: ignore[arg-type]
        outcome = endpoint.handler(call)
        if isinstance(outcome, Wait):
            return self._waiting(exchange, endpoint, outcome, answer_id)
        response = _response(endpoint, outcome)
        if project is not None:
            response = with_renewed_cookie(response, project, caller, request)
            if answer_id is not None:
                idempotency.keep(project, answer_id, request, response)
            project.undo.mark()
        return response

    def _acting_for(self, exchange: _Exchange, project: Project) -> Project:
        """The project that is acted on; what signing in changed in the caller's own stays there."""
        target = acted_for(self.world, project, exchange.request)
        if target is not project:
            project.undo.mark()
            time.catch_up(target, self.world.real_ms())
            exchange.project = target
        return target

    def _directed(
        self, exchange: _Exchange, endpoint: Endpoint, identified: Identified
    ) -> Response | Pending:
        """A call that a scenario may answer, spoil or change."""
        request = exchange.request
        directions = play.before(identified.project, endpoint, request, exchange.path or {})
        if directions is None:
            return self._call(exchange, endpoint, identified)
        exchange.directions = directions
        if directions.answer is not None:
            status, headers, body = directions.answer
            return Response(status, headers, body)
        if directions.refusal is not None:
            return refusal(directions.refusal, endpoint.family)
        response = self._call(exchange, endpoint, identified)
        play.after(identified.project, directions)
        return response

    def _control(self, exchange: _Exchange, endpoint: Endpoint) -> Response | Pending:
        """The control API: no access to check, no journal; `{p}` names the project."""
        request, path = exchange.request, exchange.path or {}
        if endpoint.handler is None:
            raise Refusal(errors.NOT_BUILT, operation=endpoint.operation)
        project = None
        if "p" in path:
            project = exchange.project = named_project(self.world, path["p"], request.headers)
            time.catch_up(project, self.world.real_ms())
        query = check_query(endpoint, request.query)
        body = check_body(endpoint, request.body, request.headers.get("content-type", ""))
        call = Call(project, None, path, body, query, request, self.world, self)  # type: ignore[arg-type]
        outcome = endpoint.handler(call)
        if project is not None:
            project.undo.mark()
        if isinstance(outcome, Wait):
            return Pending(None, outcome, self._finishing(exchange, endpoint, outcome))
        return _response(endpoint, outcome)

    # --- waiting ----------------------------------------------------------------------------------

    def _waiting(self, exchange: _Exchange, endpoint: Endpoint, wait: Wait, answer_id: str | None) -> Pending:
        project = exchange.project
        assert project is not None
        if answer_id is not None:
            idempotency.begin(project, answer_id, exchange.request)
        project.undo.mark()
        return Pending(project, wait, self._finishing(exchange, endpoint, wait, answer_id))

    def _finishing(
        self, exchange: _Exchange, endpoint: Endpoint, wait: Wait, answer_id: str | None = None
    ) -> Callable[[], Response]:
        """What makes the response once the wait is over."""
        project = exchange.project

        def finish() -> Response:
            response = self._attempt(exchange, lambda: _response(endpoint, wait.answer()))
            if project is not None:
                if answer_id is not None:
                    idempotency.keep(project, answer_id, exchange.request, response)
                project.undo.mark()
            return self._sent(exchange, response)

        return finish

    def _settled(self, exchange: _Exchange, pending: Pending) -> Response | Pending:
        """What can be had without waiting in real time."""
        wait, project = pending.wait, pending.project

        def wait_in_time() -> bool:
            """Whether the wait is over; a frozen clock is moved to the end of it."""
            if project is not None and project.clock.mode == "frozen":
                limit_ms = project.settings.wait_limit_ms if wait.limit_ms is None else wait.limit_ms
                time.run_until(project, wait.ready, wait.row_id, project.clock.now_ms + limit_ms)
                return True
            return wait.ready()

        over = self._attempt(exchange, wait_in_time)
        if isinstance(over, Response):
            return self._sent(exchange, over)
        return pending.finish() if over else pending

    # --- what stays ---------------------------------------------------------------------------------

    def _undo(self, exchange: _Exchange, response: Response) -> Response:
        project = exchange.project
        if project is not None:
            project.undo.roll_back()
        return response

    def _sent(self, exchange: _Exchange, response: Response) -> Response:
        """The response as it leaves, recorded."""
        request = exchange.request
        directions = exchange.directions
        if directions is not None:
            response = _changed(response, directions)
        headers = response.headers
        request_id = request.headers.get("x-request-id")
        if request_id is not None and len(request_id) <= 128 and _REQUEST_ID.issuperset(request_id):
            headers = (*headers, (b"x-request-id", request_id.encode()))
        if directions is not None:
            headers = (*headers, (b"x-mockserver-rule", directions.rule.encode("ascii", "replace")))
        sent = Response(response.status, headers, response.body, response.delay_ms)
        project = exchange.project
        if project is not None and exchange.family != "control":
            _record(project, exchange, sent)
            if sent.delay_ms and project.clock.mode == "frozen":
                time.advance(project, project.clock.now_ms + sent.delay_ms)
                sent.delay_ms = 0
        return sent


def _record(project: Project, exchange: _Exchange, sent: Response) -> None:
    """Write an exchange into the project's journal."""
    request, directions, journal = exchange.request, exchange.directions, project.journal
    journal.add(
        Exchange(
            journal.last_number + 1,
            project.clock.now_ms,
            request.method,
            request.path,
            request.query,
            exchange.endpoint.operation if exchange.endpoint else None,
            request.headers,
            request.body,
            sent.status,
            sent.headers,
            sent.body,
            directions.rule if directions is not None else None,
        )
    )


def identify_quietly(world: World, request: Request) -> Project | None:
    """The project of a request that is refused anyway, for its journal."""
    try:
        found = identify(world, request.headers)
    except Refusal:
        return None
    return found.project if found else None


def _require_https(project: Project, request: Request) -> None:
    if not project.settings.require_https:
        return
    scheme = request.headers.get("x-forwarded-proto", request.scheme).partition(",")[0].strip()
    if scheme != "https":
        raise Refusal(errors.HTTPS_REQUIRED)


def _changed(response: Response, directions: play.Directions) -> Response:
    """A response as a scenario wants it."""
    body = directions.patched(response.status, response.body)
    return Response(response.status, response.headers, body, response.delay_ms + directions.delay_ms)


def _response(endpoint: Endpoint, outcome: object) -> Response:
    if isinstance(outcome, Reply):
        if isinstance(outcome.body, bytes):
            return Response(outcome.status, encoded(outcome.headers), outcome.body)
        body = b"" if outcome.body is None and outcome.status in (204, 302) else to_json(outcome.body)
        headers = encoded(outcome.headers)
        return Response(outcome.status, JSON + headers if body else headers, body)
    if outcome is None and endpoint.status == 204:
        return Response(204, (), b"")
    return Response(endpoint.status, JSON, to_json(outcome))
