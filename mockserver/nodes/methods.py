"""How a method of JSON-RPC is declared: a function of what is asked, with annotated parameters.

Its name, its parameters, its answer and its errors are read off the declaration, as those of an endpoint.
A method that stands at several paths is declared once.
"""

import inspect
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property, partial
from types import GeneratorType
from typing import Any, Generic, TypeVar, get_type_hints

import orjson
from pydantic import TypeAdapter, ValidationError

from mockserver import errors
from mockserver.api.call import Reply
from mockserver.api.endpoint import RPC_METHOD, Endpoint, Group
from mockserver.api.values import MOST_VALUES, has_more_values
from mockserver.api.waiting import Later, in_slices
from mockserver.api.wire import findings, summary
from mockserver.errors import ErrorRow, RpcError
from mockserver.nodes.endpoints import ACCESS, AS_CONTROL, OF_CONTROL, RpcResult, invalid, require_request
from mockserver.server.answering.control_call import ControlCall

T = TypeVar("T")
F = TypeVar("F", bound=Callable[..., object])

METHOD_ERRORS = (
    errors.RPC_PARSE,
    errors.RPC_INVALID_REQUEST,
    errors.RPC_INVALID_PARAMS,
    errors.RPC_SERVER_ERROR,
    errors.RPC_NOT_FOUND,
    errors.CHAIN_UNKNOWN,
    errors.CHAIN_OF_OTHER_MODE,
)
"""What every method may refuse with."""


class Methods(Group, Generic[T]):
    """The methods of one kind at some paths. `ask` makes their first argument of a call."""

    errors: Sequence[ErrorRow] = METHOD_ERRORS

    def __init__(self, ask: Callable[[ControlCall], T], *paths: str) -> None:
        super().__init__("JSON-RPC")
        self.ask = ask
        self._paths = paths

    def check(self, call: ControlCall, asked: T, arguments: Mapping[str, Any]) -> None:
        """Refuse a call, of whichever method, before that is called."""

    def method(
        self, *names: str, errors: Sequence[ErrorRow] = (), is_control: bool = False, transacts: bool = False
    ) -> Callable[[F], F]:
        """Declare a method by its names.

        One that `is_control` does what the control API does, and is for those only who may use that.
        """

        def declare(function: F) -> F:
            method = _Method(function, self, is_control)
            for name in names:
                self._endpoints += [self._at(path, name, method, errors, transacts) for path in self._paths]
            return function

        return declare

    def retrieve(self, facts: Mapping[str, tuple[str, Callable[[T], Any]]]) -> None:
        """Declare methods without parameters by their names: what each retrieves, and how."""
        for name, (what, find) in facts.items():
            find.__doc__ = f"Retrieve {what}."
            self.method(name)(find)

    def _at(
        self, path: str, name: str, method: "_Method", also: Sequence[ErrorRow], transacts: bool
    ) -> Endpoint:
        access, project_of = ACCESS[path]
        return Endpoint(
            operation=name,
            method=RPC_METHOD,
            path=path,
            access=access,
            tag=self.tag,
            handler=method.answer,
            summary=(method.function.__doc__ or "").strip().partition("\n")[0],
            errors=(*self.errors, *also, *(OF_CONTROL if method.is_control else ())),
            project_of=project_of,
            transacts=transacts,
        )


class _Method:
    """A function with its parameters, which are read when it is called first. A generator works in slices."""

    def __init__(self, function: Callable[..., Any], group: Methods[Any], is_control: bool) -> None:
        self.function = function
        self._works = inspect.isgeneratorfunction(function)
        self.is_control = is_control
        self._group = group

    @cached_property
    def _parameters(self) -> dict[str, tuple[TypeAdapter[Any], bool]]:
        """Its parameters by name, in order: how each is read, and whether it is required."""
        hints = get_type_hints(self.function, include_extras=True)
        _, *declared = inspect.signature(self.function).parameters.values()
        return {each.name: (TypeAdapter(hints[each.name]), each.default is each.empty) for each in declared}

    def answer(self, call: ControlCall) -> object:
        """Answer a request."""
        try:
            request = require_request(orjson.loads(call.request.body))
        except orjson.JSONDecodeError as error:
            raise RpcError(errors.RPC_PARSE, reason=error) from None
        if self.is_control:
            call.server.access.check(AS_CONTROL, call.request)
        arguments = self._read(request.get("params"))
        envelop = partial(_envelop, request)
        asked = self._group.ask(call)
        self._group.check(call, asked, arguments)
        result = self.function(asked, **arguments)
        if self._works:
            return in_slices(result, envelop)
        return _answer_later(result, envelop) if isinstance(result, GeneratorType) else envelop(result)

    def _read(self, params: object) -> dict[str, object]:
        """The arguments by name. RpcError in geth's words for what does not fit."""
        if has_more_values(params, MOST_VALUES):
            raise invalid(f"params: more than {MOST_VALUES:,} values")
        given, names = [] if params is None else params, [*self._parameters]
        if isinstance(given, list):
            if len(given) > len(names):
                raise invalid(f"too many arguments, want at most {len(names)}")
            named: Mapping[str, object] = dict(zip(names, given, strict=False))
        elif isinstance(given, dict):
            # An object may be the only argument itself, as wallets send it.
            named = {names[0]: given} if len(names) == 1 and names[0] not in given else given
        else:
            raise invalid("params: must be an array or an object")
        read: dict[str, object] = {}
        for place, (name, (adapter, is_required)) in enumerate(self._parameters.items()):
            value = named.get(name)
            if value is None and is_required:
                raise invalid(f"missing value for required argument {place}: {name}")
            if isinstance(value, dict):
                # Clients written in Rust send what they do not set.
                value = {member: each for member, each in value.items() if each is not None}
            if value is not None:
                try:
                    # A text is no number, and a number no truth value: nodes do not take one for the other.
                    read[name] = adapter.validate_python(value, strict=True)
                except ValidationError as error:
                    text = summary(findings(error))
                    raise invalid(f"invalid argument {place}: {name}: {text}") from None
        return read


def _envelop(request: Mapping[str, Any], result: object) -> RpcResult | Reply:
    # A notification: nothing is answered.
    if "id" not in request:
        return Reply(b"")
    return {"jsonrpc": "2.0", "id": request["id"], "result": result}


def _answer_later(steps: Later[object], envelop: Callable[[object], object]) -> Later[object]:
    return envelop((yield from steps))
