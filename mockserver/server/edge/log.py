"""The log: one line per request, without secrets, and what goes wrong."""

import re
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Literal, TextIO

from mockserver.api.call import Request
from mockserver.api.endpoint import SECRET_PARAMETERS, Endpoint, Routes, find_method
from mockserver.api.values import find_rpc_error, read_json, to_json
from mockserver.errors import is_error
from mockserver.kernel.mappings import without_none
from mockserver.kernel.secrecy import KNOWN_NAMES
from mockserver.server.answering.envelopes import find_code
from mockserver.server.answering.masking import MASK, Walker
from mockserver.server.answering.render import Response
from mockserver.server.edge.log_writer import LogWriter
from mockserver.state.api_keys import KEY_PREFIXES

LogForm = Literal["text", "json", "none"]

_SHOWN_QUERIES = frozenset(
    {"limit", "skip", "order", "expand", "wait", "since", "status", "operation", "channel", "kind"}
)
_PLAIN_SEGMENT = re.compile(r"v[0-9]|[a-z_.-]{0,24}")
_CONTROL_CHARACTERS = re.compile(r"[^\x21-\x7e]")
_CODE = re.compile(r"(urn:mockserver:)?[A-Za-z_-]{1,64}")
"""What codes of errors are. What else a rule answers in their place may be a secret."""
_LONGEST_MESSAGE = 8_192


class ServerLog:
    """The log of a server: a line per request unless its form is `none`, and what goes wrong in any form.

    It has no key, token, code or password: no headers and bodies, only query values that are known to
    be harmless, and only path parameters that cannot be secrets. Writing never blocks and never fails.
    """

    def __init__(
        self,
        form: LogForm,
        routes: Routes,
        real_ms: Callable[[], int],
        find_stream: Callable[[], TextIO | None] | None = None,
    ) -> None:
        self.form = form
        self._routes = routes
        self._real_ms = real_ms
        self._writer = LogWriter(
            lambda count: self._event("warning", f"the log dropped {count} lines"), find_stream
        )

    @property
    def dropped(self) -> int:
        """How many lines could not be written."""
        return self._writer.dropped

    def close(self) -> None:
        """Write what is queued."""
        self._writer.close()

    def write_request(self, request: Request, response: Response, took_ns: int) -> None:
        """Write the line of a request that was answered within a time."""
        line = self._describe(request, response, took_ns // 1_000_000)
        if self.form == "json":
            text = to_json(line).decode()
        else:
            shown = (str(line.pop(name)) for name in ("at", "status", "method", "target"))
            text = " ".join((*shown, *(f"{name}={value}" for name, value in line.items())))
        self._writer.write(f"{text}\n")

    def _describe(self, request: Request, response: Response, duration_ms: int) -> dict[str, object]:
        """The members of a line. What a request does not have is left out."""
        methods, values = self._routes.find(request.path)
        endpoint = find_method(methods, request.method)
        fault, project = response.fault, response.project
        return without_none(
            {
                "at": self._now(),
                "method": _CONTROL_CHARACTERS.sub("?", request.method[:16]),
                "target": mask_target(request, methods, values),
                "status": response.status,
                "error": _find_error(response),
                "operation": None if endpoint is None else endpoint.operation,
                "project": None if project is None else project.id,
                "duration_ms": duration_ms,
                "rule": response.rule,
                "fault": None if fault is None else fault.kind,
                "request_id": _request_id(response),
            }
        )

    def write_event(self, level: str, message: str) -> None:
        """Write what happened beside requests, such as a warning of the HTTP server or a traceback."""
        self._writer.write(self._event(level, message))

    def write_failure(self, trace: str) -> None:
        """Write the traceback of an internal error."""
        self.write_event("error", trace)

    def _event(self, level: str, message: str) -> str:
        # The end: that is where a traceback has its error.
        message = message.rstrip()[-_LONGEST_MESSAGE:]
        if self.form == "json":
            return to_json({"at": self._now(), "level": level, "message": message}).decode() + "\n"
        return f"{self._now()} {level} {message}\n"

    def _now(self) -> str:
        at = datetime.fromtimestamp(self._real_ms() / 1000, UTC)
        return at.isoformat(timespec="milliseconds")


def mask_target(request: Request, methods: Mapping[str, Endpoint], values: Sequence[str]) -> str:
    """The path and the query of a request with everything masked that may be secret."""
    if methods:
        # The form of the path is that of each method.
        endpoint = next(iter(methods.values()))
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
    return _CONTROL_CHARACTERS.sub("?", Walker(KNOWN_NAMES).text(value)[:80])


def _mask_query(query: str) -> str:
    pairs = (pair.partition("=") for pair in query[:500].split("&"))
    return "&".join(
        f"{name}={value}" if name in _SHOWN_QUERIES and value.isalnum() else f"{_name(name)}={MASK}"
        for name, _, value in pairs
    )


def _name(name: str) -> str:
    return name if name.isidentifier() and name.isascii() and len(name) <= 40 else MASK


def _find_error(response: Response) -> str | int | None:
    """The code of the error that it tells of, or the type of a problem."""
    code = find_rpc_error(response.body)
    if code is not None or not is_error(response.status):
        return code
    body = read_json(response.body)
    found = find_code(body) or (body.get("type") if isinstance(body, dict) else None)
    return found if isinstance(found, str) and _CODE.fullmatch(found) else None


def _request_id(response: Response) -> str | None:
    """The id that the client gave, as it is echoed."""
    found = next((value.decode() for name, value in response.headers if name == b"x-request-id"), None)
    return None if found is None else Walker(KNOWN_NAMES).text(found)
