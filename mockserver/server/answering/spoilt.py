"""The bytes of an answer on a connection, and what a fault leaves of them."""

from functools import lru_cache
from http import HTTPStatus
from typing import TYPE_CHECKING

from mockserver.api.call import RawHeaders
from mockserver.server.answering.render import Response

if TYPE_CHECKING:
    from mockserver.scenario.running.active_faults import ActiveFault

IN_ANSWER = frozenset({"duplicate_request", "malformed_json", "server_error", "wrong_content_type"})
"""The faults whose answers are sent as any other."""


@lru_cache(maxsize=64)
def head_lines(status: int, headers: RawHeaders) -> bytes:
    """The status line and the headers of an answer as a connection carries them, each line with its end."""
    phrase = next((known.phrase for known in HTTPStatus if known == status), "")
    lines = (b"%b: %b\r\n" % header for header in headers)
    return b"".join((f"HTTP/1.1 {status} {phrase}\r\n".encode(), *lines))


def _broken_bytes(fault: "ActiveFault", response: Response) -> bytes:
    if fault.kind == "random_data_then_close":
        return fault.random
    if fault.kind == "malformed_response_chunk":
        for_page = (header for header in response.headers if header[0].startswith(b"access-control-"))
        return _head(200, (*for_page, (b"transfer-encoding", b"chunked"))) + fault.random
    if fault.sends_answer:
        others = tuple(header for header in response.headers if header[0] != b"content-length")
        length = str(stated_length(fault, response)).encode()
        head = _head(response.status, (*others, (b"content-length", length)))
        # The answer to a HEAD has no body.
        return head + sent_body(fault, response)
    return b""


def sent_bytes(fault: "ActiveFault", response: Response) -> bytes | None:
    """What a connection carries of an answer before its fault ends it; None of one that is sent whole."""
    if fault.kind in IN_ANSWER or fault.kind == "slow_response":
        return None
    return b"" if fault.kind == "connection_reset_by_peer" else _broken_bytes(fault, response)


def _head(status: int, headers: RawHeaders) -> bytes:
    return head_lines(status, (*headers, (b"connection", b"close"))) + b"\r\n"


def stated_length(fault: "ActiveFault", response: Response) -> int:
    wrong = fault.spec.wrong_content_length
    return len(response.body) if wrong is None else max(0, len(response.body) + wrong.by)


def sent_body(fault: "ActiveFault", response: Response) -> bytes:
    cut = fault.spec.truncate_body
    if cut is None:
        return response.body
    return response.body[: len(response.body) // 2 if cut.keep is None else cut.keep]
