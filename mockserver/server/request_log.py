"""The request log: one line per request, without secrets."""

import re
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Literal, TextIO

from mockserver.api.call import Request
from mockserver.api.endpoint import Routes
from mockserver.server.app import Log
from mockserver.server.masking import MASK, SECRET_PARAMETERS
from mockserver.server.render import Response, to_json
from mockserver.state.api_keys import KEY_PREFIXES

LogForm = Literal["text", "json"]

_SHOWN_QUERIES = frozenset(
    {"limit", "skip", "order", "expand", "wait", "since", "status", "operation", "channel", "kind"}
)
_PLAIN_SEGMENT = re.compile(r"v[0-9]|[a-z_.-]{0,24}")
_CONTROL_CHARACTERS = re.compile(r"[^\x21-\x7e]")


def request_log(form: LogForm, routes: Routes, real_ms: Callable[[], int], stream: TextIO) -> Log:
    """A log that writes to a stream, which is flushed after each line.

    It has no key, token, code or password: no headers and bodies, only query values that are known to
    be harmless, and only path parameters that cannot be secrets.
    """

    def write(request: Request, response: Response) -> None:
        at = datetime.fromtimestamp(real_ms() / 1000, UTC).isoformat(timespec="milliseconds")
        method = _CONTROL_CHARACTERS.sub("?", request.method[:16])
        target = mask_target(routes, request)
        rule = _header(response, b"x-mockserver-rule")
        if form == "json":
            line = {"at": at, "method": method, "target": target, "status": response.status}
            operation = _operation(routes, request)
            if operation is not None:
                line["operation"] = operation
            if rule is not None:
                line["rule"] = rule
            stream.write(to_json(line).decode() + "\n")
        else:
            stream.write(f"{at} {response.status} {method} {target}{f' rule={rule}' if rule else ''}\n")
        stream.flush()

    return write


def mask_target(routes: Routes, request: Request) -> str:
    """The path and the query of a request with everything masked that may be secret."""
    methods, values = routes.find(request.path)
    if methods:
        endpoint = methods.get(request.method) or next(iter(methods.values()))
        named = dict(zip((f"{{{name}}}" for name in endpoint.parameters), values, strict=True))
        parts = endpoint.path.split("/")
        path = "/".join(_parameter(part[1:-1], named[part]) if part in named else part for part in parts)
    else:
        # An unknown path may contain a secret anywhere: only short, plain words are shown.
        path = "/".join(
            segment if _PLAIN_SEGMENT.fullmatch(segment) else MASK
            for segment in request.path[:200].split("/")
        )
    return f"{path}?{_mask_query(request.query)}" if request.query else path


def _parameter(name: str, value: str) -> str:
    if name in SECRET_PARAMETERS or value.startswith(KEY_PREFIXES):
        return MASK
    return _CONTROL_CHARACTERS.sub("?", value[:80])


def _mask_query(query: str) -> str:
    pairs = (pair.partition("=") for pair in query[:500].split("&"))
    return "&".join(
        f"{name}={value}" if name in _SHOWN_QUERIES and value.isalnum() else f"{_name(name)}={MASK}"
        for name, _, value in pairs
    )


def _name(name: str) -> str:
    return name if name.isidentifier() and name.isascii() and len(name) <= 40 else MASK


def _operation(routes: Routes, request: Request) -> str | None:
    endpoint = routes.find(request.path)[0].get(request.method)
    return endpoint.operation if endpoint else None


def _header(response: Response, name: bytes) -> str | None:
    return next((value.decode("latin-1") for key, value in response.headers if key == name), None)
