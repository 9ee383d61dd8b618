"""What differs between recorded answers and those that arrive on a connection."""

import re

from mockserver.replay.comparison import Difference, compare_answers
from mockserver.replay.connection import Connection
from mockserver.replay.steps import decode_bytes
from mockserver.server.recording.lines import encode_bytes
from mockserver.state.saved.encoding import Line

_CORS_LINE = re.compile(rb"(?<=\n)access-control-[^\r\n]*\r\n")
_NEVER_SENT = "timeout"
"""The fault whose answer may never come: the connection ends when the client leaves."""


def compare_sent(request: Line, recorded: Line, made: Line, connection: Connection) -> list[Difference]:
    """What differs between a recorded answer and the one that arrives, which the server says it made."""
    if recorded.get("fault") != made.get("fault") or made.get("fault") == _NEVER_SENT:
        connection.close()
        return []
    if recorded.get("sent") is not None:
        arrived = connection.receive_all()
        same = _CORS_LINE.sub(b"", arrived) == _CORS_LINE.sub(b"", decode_bytes(recorded["sent"]))
        return [] if same else [Difference("sent", recorded["sent"], encode_bytes(arrived))]
    try:
        answer = connection.receive(within_s=None)
    except OSError as error:
        connection.close()
        return [Difference("answer", recorded["status"], f"none: {error}")]
    plain = {name: value for name, value in recorded.items() if name in ("status", "headers", "body")}
    answer["headers"] = _without_cors(answer["headers"], recorded["headers"])
    return list(compare_answers(request["path"], plain, answer))


def _without_cors(headers: list[list[str]], recorded: list[list[str]]) -> list[list[str]]:
    """The headers without those of CORS, which an answer to a page gets when it is sent."""
    own = {name for name, _ in recorded}
    vary = [value for name, value in recorded if name == "vary"]
    found = []
    for name, value in headers:
        if name == "vary" and value.endswith("Origin") and value not in vary:
            value = value.removesuffix("Origin").removesuffix(", ")
        if (name in own or not name.startswith("access-control-")) and (name != "vary" or value):
            found.append([name, value])
    return found
