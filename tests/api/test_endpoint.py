"""A request finds its operation whatever the order of declaration, and every operation is declared."""

import sys
from collections.abc import Callable, Iterable
from typing import get_args, get_origin

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mockserver.api.access import NO_CREDENTIALS, secret_key
from mockserver.api.call import Call, Reply
from mockserver.api.endpoint import Endpoint, Group, Routes, declared_in, read_endpoints
from mockserver.api.family import family_of
from mockserver.api.wire import Body, Query
from mockserver.server.answering.control_call import ControlCall
from mockserver.server.assembly import ENDPOINTS
from mockserver.state.project import Project
from tests.tables import cases


def declared(*lines: str) -> list[Endpoint]:
    """Endpoints that are named by their own line."""
    pairs = [line.split(" ", 1) for line in lines]
    return [Endpoint(f"{method} {path}", method, path, NO_CREDENTIALS, "Tests") for method, path in pairs]


def found(routes: Routes, method: str, path: str) -> tuple[str, list[str]] | None:
    """The line of the operation that a request finds, and its parameters."""
    methods, values = routes.find(path)
    endpoint = methods.get(method)
    return None if endpoint is None else (endpoint.operation, values)


def test_every_declared_operation_is_found_under_its_own_path() -> None:
    routes = Routes(ENDPOINTS)
    for endpoint in ENDPOINTS:
        path = endpoint.path
        for name in endpoint.parameters:
            path = path.replace(f"{{{name}}}", f"some-{name}")
        methods, values = routes.find(path)
        assert methods[endpoint.method] is endpoint
        assert values == [f"some-{name}" for name in endpoint.parameters]


def test_what_a_path_says_is_known_before_its_module_is_read() -> None:
    path = "/v1/contracts/{id}/{name}"
    endpoint = declared_in("mockserver.nowhere", "GET", path, "Nothing")
    assert (endpoint.parameters, endpoint.family) == (("id", "name"), family_of(path))
    with pytest.raises(ModuleNotFoundError):
        _ = endpoint.access


def test_an_operation_is_read_from_its_module_on_first_use() -> None:
    endpoint = declared_in("mockserver.resources.users", "GET", "/v2/users", "GetAuthUsers")
    assert (endpoint.unread, endpoint.family.name) == ("mockserver.resources.users", "api")
    assert endpoint.summary
    assert endpoint.unread is None
    assert not hasattr(endpoint, "summery")


def test_an_operation_is_whole_for_who_asks_while_it_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    module = "mockserver.resources.users"
    real = next(each for each in read_endpoints(module) if each.operation == "GetAuthUsers")
    endpoint = declared_in(module, "GET", "/v2/users", "GetAuthUsers")
    others: list[object] = []

    class Declared:
        def __getattr__(self, name: str) -> object:
            if name == "tag" and not others:
                # What another thread would do at this moment.
                others.append(None)
                others.append(endpoint.read_body)
            return getattr(real, name)

    monkeypatch.setattr("mockserver.api.endpoint.read_endpoints", lambda module: iter([Declared()]))
    assert endpoint.access is real.access
    assert others[1:] == [real.read_body]


CROSSING = declared(
    "GET /v2/accounts/{id}",
    "GET /v2/accounts/signer",
    "POST /v2/accounts/backend/import",
    "DELETE /v2/accounts/backend/{id}",
    "POST /v2/accounts/{id}/sign",
    "GET /v2/{kind}/{id}/sign",
    "GET /",
)


@given(st.permutations(CROSSING))
def test_a_literal_wins_over_a_parameter_in_any_order(order: list[Endpoint]) -> None:
    routes = Routes(order)
    assert found(routes, "GET", "/v2/accounts/signer") == ("GET /v2/accounts/signer", [])
    assert found(routes, "GET", "/v2/accounts/other") == ("GET /v2/accounts/{id}", ["other"])
    assert found(routes, "POST", "/v2/accounts/backend/import") == ("POST /v2/accounts/backend/import", [])
    assert found(routes, "DELETE", "/v2/accounts/backend/import") is None
    assert found(routes, "DELETE", "/v2/accounts/backend/acc_1") == (
        "DELETE /v2/accounts/backend/{id}",
        ["acc_1"],
    )
    assert found(routes, "POST", "/v2/accounts/signer/sign") == ("POST /v2/accounts/{id}/sign", ["signer"])
    assert found(routes, "GET", "/v2/users/usr_1/sign") == ("GET /v2/{kind}/{id}/sign", ["users", "usr_1"])
    assert found(routes, "GET", "/") == ("GET /", [])


def test_a_literal_that_leads_nowhere_yields_to_the_parameter() -> None:
    routes = Routes(declared("GET /a/b/c/{x}/end", "GET /a/{p}/{q}/d", "GET /a/{p}/c/e/{z}"))
    assert found(routes, "GET", "/a/b/c/d") == ("GET /a/{p}/{q}/d", ["b", "c"])
    assert found(routes, "GET", "/a/b/c/e/f") == ("GET /a/{p}/c/e/{z}", ["b", "f"])
    assert found(routes, "GET", "/a/b/c/e/end") == ("GET /a/b/c/{x}/end", ["e"])
    assert found(routes, "GET", "/a/b/c") is None


@cases("path", "", "/", "//", "/v2", "/v2/accounts/", "/v2//signer", "v2/accounts/x", "*")
def test_a_path_that_is_no_endpoint_finds_nothing(path: str) -> None:
    methods, values = Routes(declared("GET /v2/accounts/{id}")).find(path)
    assert (dict(methods), values) == ({}, [])


@given(
    st.text(max_size=200) | st.lists(st.sampled_from(["", "v2", "accounts", "backend", "x"])).map("/".join)
)
def test_finding_takes_any_path(path: str) -> None:
    for endpoint in Routes(ENDPOINTS).find(path)[0].values():
        assert len(endpoint.path.split("/")) == len(path.split("/"))


def calls_to_find(path: str, count: int) -> list[str]:
    """What is called to find a path among so many operations."""
    routes = Routes(declared(*(f"GET /v2/kind{number}/{{id}}/part" for number in range(count))))
    called, before = list[str](), sys.getprofile()
    sys.setprofile(lambda frame, event, arg: called.append(event))
    methods, _ = routes.find(path)
    sys.setprofile(before)
    assert methods
    return called


def test_finding_costs_the_same_with_few_and_many_operations() -> None:
    assert calls_to_find("/v2/kind0/x/part", 10) == calls_to_find("/v2/kind999/x/part", 1_000)


def test_what_is_declared_twice_is_refused() -> None:
    with pytest.raises(ValueError, match="GET /a is declared twice"):
        Routes([*declared("GET /a"), Endpoint("other", "GET", "/a", NO_CREDENTIALS, "Tests")])
    with pytest.raises(ValueError, match=r"GET /a/\{y\} is declared twice"):
        Routes(declared("GET /a/{x}", "GET /a/{y}"))
    with pytest.raises(ValueError, match="operation GET /a is declared twice"):
        Routes([*declared("GET /a"), Endpoint("GET /a", "GET", "/b", NO_CREDENTIALS, "Tests")])


@cases(
    "path, family",
    ("/iam/v2/auth/get-session", "iam"),
    ("/iam/v2/me", "iam"),
    ("/iam/v1/players", "api"),
    ("/v2/users", "api"),
    ("/_mock/health", "control"),
    ("/_mockery", "api"),
    ("/", "api"),
)
def test_a_path_belongs_to_a_family(path: str, family: str) -> None:
    assert family_of(path).name == family


class Press(Body):
    """A body."""

    button: str


class Look(Query):
    """A query."""

    where: str | None = None


def declare(*handlers: Callable[..., object]) -> Iterable[Endpoint]:
    """The endpoints of handlers."""
    group = Group("Tests")
    for number, handler in enumerate(handlers):
        group.endpoint(f"POST /{number}", str(number), secret_key("tests:write"), status=201)(handler)
    return group


def test_a_declaration_reads_models_and_summary_off_the_handler() -> None:
    def both(call: Call[Press, Look]) -> dict[str, str]:
        """Press a button.

        And more.
        """
        return {"button": call.body.button}

    def only_query(call: Call[None, Look]) -> list[str] | Reply:
        """Look."""
        return []

    def neither(call: Call) -> dict[str, int] | Reply:
        """Wait."""
        return {}

    first, second, third = declare(both, only_query, neither)
    assert (first.body, first.query, first.answer) == (Press, Look, dict[str, str])
    assert (first.summary, first.status, first.tag) == ("Press a button.", 201, "Tests")
    assert (second.body, second.query, second.answer) == (None, Look, list[str])
    assert (third.body, third.query, third.answer) == (None, None, dict[str, int])


def test_a_handler_is_a_function_of_a_call() -> None:
    def stray(call: str) -> None:
        """Stray."""

    with pytest.raises(TypeError, match="stray takes no Call"):
        declare(stray)


def test_a_handler_says_when_its_call_may_be_of_no_project() -> None:
    for endpoint in ENDPOINTS:
        if not endpoint.access.open:
            continue
        annotation = endpoint.handler.__annotations__["call"]
        project = dict(enumerate(get_args(annotation))).get(2, Project)
        if not endpoint.family.public:
            called: object = get_origin(annotation) or annotation
            is_plain = endpoint.family.is_journaled and not endpoint.family.is_rpc
            assert called is (Call if is_plain else ControlCall), endpoint.operation
            assert project is (Project if "p" in endpoint.parameters else type(None)), endpoint.operation
        else:
            # Without a way to find the project, only credentials that were sent all the same name one.
            found = endpoint.project_of
            wanted = Project | None if found is None else found.__annotations__["return"]
            assert project == wanted, endpoint.operation
