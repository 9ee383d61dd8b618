"""A call as rules look at it."""

from collections.abc import Callable
from functools import partial
from typing import Any, Literal, NamedTuple, TypeAlias

from pydantic_core import from_json

from mockserver.api.call import Identified, Request
from mockserver.api.endpoint import Endpoint, Routes
from mockserver.api.forms import FormError, query_pairs, read_form
from mockserver.kernel.effort import Effort
from mockserver.scenario.grammar.bodies import JsonPath
from mockserver.scenario.grammar.callers import find_user_id
from mockserver.scenario.grammar.resources import BALANCE, FromCall, ResourceTest, find_balance, find_resource
from mockserver.scenario.grammar.value_tests import show as show_value
from mockserver.scenario.grammar.value_tests import value_at, write_path
from mockserver.scenario.reading.tree import ABSENT, write_scalar


def describe_value(value: Any, show: Callable[[Any], Any] = lambda value: value) -> str:
    """A value, as it is to be shown, in a sentence about what a call lacks."""
    return "missing" if value is ABSENT else show_value(show(value))


class RequestPart(NamedTuple):
    """Where in a request a rule looks: the name of a header or of a member of the query, or a path."""

    part: Literal["headers", "query", "body"]
    path: JsonPath

    def __str__(self) -> str:
        if self.part == "headers":
            return f"the header {self.path[0]}"
        return f"{write_path(self.path)} in the {self.part}"


Show: TypeAlias = Callable[[RequestPart, Any], Any]
"""What of a value at a place is shown."""


class RequestView:
    """A request as rules look at it; what takes time is read when the first rule asks.

    `show` masks the secrets in what is said about it.
    """

    __slots__ = ("_effort", "_show", "endpoint", "identified", "project", "request", "routes")

    def __init__(
        self,
        routes: Routes,
        endpoint: Endpoint,
        request: Request,
        identified: Identified,
        show: Show = lambda place, value: value,
    ) -> None:
        self._show = show
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

    def describe(self, place: RequestPart, value: Any) -> str:
        """What is at a place, to explain a miss; made once, since it may be as large as the body."""
        return self.effort.memoize(
            ("shown", place), lambda: describe_value(value, partial(self._show, place))
        )

    def describe_test(self, place: RequestPart, test: object) -> str:
        """What is expected at a place: nothing of it where a value is a secret."""
        text = str(test)
        return text if self._show(place, text) == text else "another value"

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
    def user_id(self) -> Any:
        """The id of the user whose token is sent, or `ABSENT`."""
        found = self.effort.memoize("user", lambda: find_user_id(self.identified))
        return ABSENT if found is None else found

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
            values = self.routes.find(self.request.path)[1]
            return dict(zip(self.endpoint.parameters, values, strict=False)).get(source.path, "")
        if source.query is not None:
            return next(iter(self.query_values(source.query)), "")
        value = self.body_at(source.body or ())
        return write_scalar(value) if isinstance(value, (str, int)) else ""
