"""A call as rules look at it."""

from typing import Any

from pydantic_core import from_json

from mockserver.api.call import Identified, Request
from mockserver.api.endpoint import Endpoint, Routes
from mockserver.api.forms import FormError, query_pairs, read_form
from mockserver.kernel.effort import Effort
from mockserver.scenario.bodies import JsonPath
from mockserver.scenario.callers import find_user_id
from mockserver.scenario.resources import (
    BALANCE,
    FromCall,
    ResourceTest,
    find_balance,
    find_resource,
)
from mockserver.scenario.tree import ABSENT, write_scalar
from mockserver.scenario.value_tests import value_at


class RequestView:
    """A request as rules look at it; what takes time is read when the first rule asks."""

    __slots__ = ("_effort", "endpoint", "identified", "project", "request", "routes")

    def __init__(self, routes: Routes, endpoint: Endpoint, request: Request, identified: Identified) -> None:
        self.routes = routes
        self.endpoint = endpoint
        self.request = request
        self.identified = identified
        self.project = identified.project
        self._effort: Effort | None = None

    @property
    def effort(self) -> Effort:
        """The work that patterns may be for this call, all rules together, and what was read for it."""
        if self._effort is None:
            self._effort = Effort()
        return self._effort

    @property
    def segments(self) -> list[str]:
        """The segments of the path."""
        return self.effort.memoize("segments", lambda: self.request.path.split("/"))

    @property
    def state(self) -> str:
        """The state that the project is in."""
        return self.project.scenario_state

    @property
    def typed(self) -> bool:
        """Whether the body has numbers and booleans; a form has only text."""
        return not self.request.headers.get("content-type", "").startswith(
            "application/x-www-form-urlencoded"
        )

    def body_at(self, path: JsonPath) -> Any:
        """The value at a place in the body, or `ABSENT`."""
        return value_at(self.effort.memoize("body", self._read_body), path)

    def _read_body(self) -> Any:
        body = self.request.body
        try:
            return from_json(body) if self.typed else read_form(body.decode(), frozenset())
        except (ValueError, FormError, RecursionError):
            return ABSENT

    def query_values(self, name: str) -> list[str]:
        """The values of a member of the query, as often as it is there."""
        return self.effort.memoize("query", self._read_query).get(name, [])

    def _read_query(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        try:
            pairs = query_pairs(self.request.query)
        except FormError:
            return found
        for member, value in pairs:
            found.setdefault(member, []).append(value)
        return found

    @property
    def user_id(self) -> str:
        """The id of the user whose token is sent, or `ABSENT`."""
        return self.effort.memoize("user", lambda: find_user_id(self.identified))

    def resource(self, test: ResourceTest) -> Any:
        """The resource that a test is about, or `ABSENT`."""
        row_id = self.value_of(test.which)
        if not row_id:
            return ABSENT
        return self.effort.memoize(
            ("resource", test.kind, row_id),
            lambda: find_resource(self.project, self.routes, test.kind, row_id),
        )

    def resource_at(self, test: ResourceTest, path: JsonPath) -> Any:
        """The value at a place in that resource, or `ABSENT`; the balance of an account is one."""
        found = self.resource(test)
        if test.kind == "account" and path == (BALANCE,):
            return find_balance(self.project, found, self.value_of(test.chain))
        return value_at(found, path)

    def value_of(self, source: FromCall) -> str:
        """A value that the call carries as text; empty when it carries none."""
        if source.text is not None:
            return source.text
        if source.path is not None:
            return self._parameters().get(source.path, "")
        if source.query is not None:
            return next(iter(self.query_values(source.query)), "")
        value = self.body_at(source.body or ())
        return write_scalar(value) if isinstance(value, (str, int)) else ""

    def _parameters(self) -> dict[str, str]:
        """The values of the parameters of the path."""
        return dict(zip(self.endpoint.parameters, self.routes.find(self.request.path)[1], strict=False))
