"""The declaration of endpoints, from which routing, validation, OpenAPI and the docs are read."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar, Union, Unpack, get_args, get_origin

from typing_extensions import TypedDict

from mockserver.api.access import Access
from mockserver.api.call import Call, Reply, Request
from mockserver.api.family import Family, family_of
from mockserver.errors import ErrorRow
from mockserver.kernel.spelling import nearest
from mockserver.leniencies import Leniency
from mockserver.state.project import Project
from mockserver.state.world import World

Handler = Callable[[Any], object]
"""A function that is given a `Call`."""
H = TypeVar("H", bound=Handler)
SECRET_PARAMETERS = frozenset({"publishable_key", "session", "token"})
"""The parameters of paths that are a `Token`, or may be one."""
RPC_METHOD = "RPC"
"""In place of the HTTP method of a method of JSON-RPC, which the body names and not the path."""
ProjectFinder = Callable[[World, Request, Mapping[str, str]], Project | None]


def _handle_nothing(call: Any) -> NoReturn:
    raise NotImplementedError


@dataclass(frozen=True, slots=True, eq=False)
class Endpoint:
    """An operation: its path, its access, its models and its handler.

    `body`, `query` and `answer` are read off the handler's annotations.
    """

    operation: str
    method: str
    path: str
    access: Access
    tag: str
    handler: Handler = _handle_nothing
    summary: str = ""
    status: int = 200
    errors: tuple[ErrorRow, ...] = ()
    body: type | None = None
    query: type | None = None
    answer: Any = None
    on_behalf: bool = False
    """Whether `X-Behalf-Of-Project` is looked at."""
    deprecated: bool = False
    """Whether the specification, or the published document, says that it is deprecated."""
    redirects: bool = False
    """Whether it may redirect with 302, besides what it answers with its status."""
    reads: str | None = None
    """The content type of a body that the handler reads from the request itself, unparsed."""
    max_body_bytes: int | None = None
    """How large the body of such a file may be, where that is more than the limit of all requests."""
    writes: tuple[str, ...] = ()
    """The content types of an answer that is not JSON, or need not be."""
    project_of: ProjectFinder | None = None
    """Finds the project from path and query where no credentials are sent, such as a mailed link.

    One of the control API has it if the project that its path names need not be there.
    """
    leniency: Leniency | None = None
    """What every call relies on, for an operation that the specification does not have."""
    transacts: bool = False
    """Whether its calls create transactions, for which a rule may set a fate."""
    parameters: tuple[str, ...] = field(init=False)
    """The names in the path, in order."""
    family: Family = field(init=False)
    """The family, which decides the form of its errors."""
    read_query: Callable[[str], Any] = field(init=False)
    """The query as its model; ApiError with 400."""
    read_body: Callable[[bytes, str], Any] = field(init=False)
    """The body, of a content type, as its model; ApiError with 400 or 415."""
    unread: str | None = field(init=False, default=None)
    """The module that declares it, while no more is known of it than where it is."""

    def __post_init__(self) -> None:
        # Imported here, as pydantic is of no use before an endpoint is read.
        from mockserver.api.wire import check_body, check_query

        self.note_path()
        object.__setattr__(self, "read_query", partial(check_query, self.query, self.family))
        read_body = partial(check_body, self.body, self.family) if self.reads is None else _leave_unread
        object.__setattr__(self, "read_body", read_body)

    def note_path(self) -> None:
        """Read off the path what it says."""
        names = [part[1:-1] for part in self.path.split("/") if part.startswith("{")]
        object.__setattr__(self, "parameters", tuple(names))
        object.__setattr__(self, "family", family_of(self.path))


class _Unread(Endpoint):
    """An endpoint of which no more is known than where it is. What is read has no hook for each member."""

    __slots__ = ()

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> object:
            """What is not known yet: the module is imported that declares the endpoint."""
            module = self.unread
            if module is not None:
                found = read_endpoints(module)
                declared = next(
                    each for each in found if each.operation == self.operation and each.path == self.path
                )
                # `unread` is the last: a thread that finds it None finds all that is declared.
                for member in fields(Endpoint):
                    object.__setattr__(self, member.name, getattr(declared, member.name))
                object.__setattr__(self, "__class__", Endpoint)
            return object.__getattribute__(self, name)


class Options(TypedDict, total=False):
    """What is declared of an endpoint that is not as most are; see `Endpoint`."""

    status: int
    on_behalf: bool
    deprecated: bool
    redirects: bool
    reads: str | None
    max_body_bytes: int | None
    writes: tuple[str, ...]
    project_of: ProjectFinder | None
    leniency: Leniency | None
    transacts: bool


class Group:
    """The endpoints of one resource, in the order they are read."""

    def __init__(self, tag: str) -> None:
        self.tag = tag
        self._endpoints: list[Endpoint] = []

    def __iter__(self) -> Iterator[Endpoint]:
        return iter(self._endpoints)

    def endpoint(
        self,
        method_and_path: str,
        operation: str,
        access: Access,
        *,
        errors: Sequence[ErrorRow] = (),
        **options: Unpack[Options],
    ) -> Callable[[H], H]:
        """Declare an endpoint, such as that of `GET /v1/contracts`. The decorated function answers it.

        `Call[Body, Query]` in its first annotation names the models, its return annotation the answer,
        and the first line of its docstring is the summary.
        """
        method, _, path = method_and_path.partition(" ")
        declared = Endpoint(operation, method, path, access, self.tag, errors=tuple(errors), **options)

        def declare(handler: H) -> H:
            self._endpoints.append(_answered_by(handler, declared))
            return handler

        return declare


def _leave_unread(body: bytes, content_type: str) -> None:
    """The handler reads a file itself."""


def declared_in(module: str, method: str, path: str, operation: str) -> Endpoint:
    """An endpoint whose module is imported as soon as more is asked of it than these and its family."""
    endpoint = object.__new__(_Unread)
    for name, value in (("unread", module), ("method", method), ("path", path), ("operation", operation)):
        object.__setattr__(endpoint, name, value)
    endpoint.note_path()
    return endpoint


def read_endpoints(module: str) -> Iterator[Endpoint]:
    """The endpoints that a module declares, in their order."""
    for value in vars(import_module(module)).values():
        if isinstance(value, Group):
            yield from value


def _answered_by(handler: Handler, declared: Endpoint) -> Endpoint:
    """An endpoint with its handler, and what the handler's annotations and docstring say."""
    body, query = _models(handler)
    summary = (handler.__doc__ or "").strip().partition("\n")[0]
    return replace(
        declared, handler=handler, summary=summary, body=body, query=query, answer=_answer(handler)
    )


def _models(handler: Handler) -> tuple[type | None, type | None]:
    annotation = handler.__annotations__.get("call")
    kind = get_origin(annotation) or annotation
    if not (isinstance(kind, type) and issubclass(kind, Call)):
        raise TypeError(f"{handler.__name__} takes no Call")
    arguments = [None if argument is type(None) else argument for argument in get_args(annotation)]
    body, query = [*arguments, None, None][:2]
    return body, query


def _answer(handler: Handler) -> Any:
    """The model of the answer: the return annotation without `Reply`; None if that is all of it."""
    annotation = handler.__annotations__.get("return")
    if annotation is Reply:
        return None
    if Reply not in get_args(annotation):
        return annotation
    return Union[tuple(member for member in get_args(annotation) if member is not Reply)]  # noqa: UP007


def find_method(methods: Mapping[str, Endpoint], method: str) -> Endpoint | None:
    """The endpoint of a method: a HEAD is answered by that of GET (RFC 9110, 9.3.2)."""
    return methods.get(method) or (methods.get("GET") if method == "HEAD" else None)


def allowed_methods(methods: Mapping[str, Endpoint]) -> list[str]:
    """The methods that `find_method` finds, as `Allow` lists them."""
    return sorted({*methods, "HEAD"} if "GET" in methods else methods)


class Routes:
    """A trie of paths: finding an endpoint takes time proportional to the segments of the path.

    A literal segment wins over a parameter, whatever the order of declaration.
    """

    def __init__(self, endpoints: Sequence[Endpoint]) -> None:
        self._root = _Node()
        self.endpoints = tuple(each for each in endpoints if each.method != RPC_METHOD)
        """All but the methods of JSON-RPC."""
        names = [endpoint.operation for endpoint in self.endpoints]
        if len(set(names)) != len(names):
            twice = next(name for name in names if names.count(name) > 1)
            raise ValueError(f"the operation {twice} is declared twice")
        self._fixed: dict[str, dict[str, Endpoint]] = {}
        self._methods: dict[str, dict[str, Endpoint]] = {}
        for endpoint in endpoints:
            if endpoint.method == RPC_METHOD:
                self._methods.setdefault(endpoint.path, {})[endpoint.operation] = endpoint
            else:
                self._add(endpoint)
        self.by_operation: Mapping[str, Endpoint] = {each.operation: each for each in endpoints}

    def methods_at(self, path: str) -> Mapping[str, Endpoint]:
        """The methods of JSON-RPC by name, of an endpoint by its path."""
        return self._methods.get(path, {})

    def _add(self, endpoint: Endpoint) -> None:
        if "{" not in endpoint.path:
            methods = self._fixed.setdefault(endpoint.path, {})
        else:
            node = self._root
            for segment in endpoint.path.split("/")[1:]:
                node = node.child(segment)
            methods = node.methods
        if endpoint.method in methods:
            raise ValueError(f"{endpoint.method} {endpoint.path} is declared twice")
        methods[endpoint.method] = endpoint

    def find(self, path: str) -> tuple[Mapping[str, Endpoint], list[str]]:
        """The endpoints at a path by method, and the values of their parameters; both may be empty."""
        fixed = self._fixed.get(path)
        if fixed is not None:
            return fixed, []
        return self._root.walk(path.split("/")[1:], [])

    def nearest_path(self, path: str) -> str | None:
        """The path of an endpoint that differs by a first part, or by a typo in one segment, or None."""
        path = path.rstrip("/")
        for candidate in (path, *(prefix + path for prefix in _PREFIXES), f"/{path[1:].partition('/')[2]}"):
            if self.find(candidate)[0]:
                return candidate
        segments = path.split("/")
        near = []
        for endpoint in self.endpoints:
            pairs = list(zip(endpoint.path.split("/"), segments, strict=False))
            slips = [pair for pair in pairs if pair[0] != pair[1] and not pair[0].startswith("{")]
            if endpoint.path.count("/") == path.count("/") and len(slips) == 1 and _is_slip(*slips[0]):
                near.append("/".join(s if t.startswith("{") else t for t, s in pairs))
        return nearest(path, near)


_PREFIXES = ("/v2", "/v1", "/iam/v2", "/iam", "/_mock")
"""What a path lacks: the version that a client expects in the base URL, newer ones first, or `/_mock`."""


def _is_slip(meant: str, written: str) -> bool:
    """Whether a segment is a typo of another, or another version of it (`v1` for `v2`)."""
    versions = ("v1", "v2")
    return (meant in versions and written in versions) or nearest(written, [meant]) is not None


class _Node:
    """A node of the trie: the segments that may follow, and the endpoints that end here."""

    __slots__ = ("literals", "methods", "parameter")

    def __init__(self) -> None:
        self.literals: dict[str, _Node] = {}
        self.parameter: _Node | None = None
        self.methods: dict[str, Endpoint] = {}

    def child(self, segment: str) -> "_Node":
        if not segment.startswith("{"):
            return self.literals.setdefault(segment, _Node())
        if self.parameter is None:
            self.parameter = _Node()
        return self.parameter

    def walk(self, segments: list[str], values: list[str]) -> tuple[Mapping[str, Endpoint], list[str]]:
        node = self
        for depth, segment in enumerate(segments, 1):
            literal = node.literals.get(segment)
            if node.parameter is None or not segment:
                if literal is None:
                    return {}, []
                node = literal
                continue
            if literal is not None:
                found = literal.walk(segments[depth:], [*values])
                if found[0]:
                    return found
            values.append(segment)
            node = node.parameter
        return (node.methods, values) if node.methods else ({}, [])
