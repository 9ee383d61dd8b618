"""A run as an HTTP archive (HAR 1.2, http://www.softwareishard.com/blog/har-12-spec/).

What an archive has no member for is in members that begin with `_`, as the specification provides.
"""

import json
from base64 import b64encode
from collections.abc import Iterable
from http import HTTPStatus
from http.cookies import CookieError, SimpleCookie
from typing import Any
from urllib.parse import parse_qsl

from mockserver.kernel import timestamps
from mockserver.replay.shrinking.run import Run
from mockserver.replay.steps import RecordedAnswer, RecordedRequest, Step, decode_bytes
from mockserver.replay.urls import header_of, url_of
from mockserver.version import __version__

_UNKNOWN = -1
_COMMENT = (
    "Exported from a recording of mockserver. Not in it: the state in which the recording begins, and what"
    " the exchanges changed. Times are those of the project's clock. Members that begin with _ are no part"
    " of HAR 1.2."
)
_ABSENT = {
    "httpVersion": "",
    "content": {"size": 0, "mimeType": ""},
    "bodySize": _UNKNOWN,
    "comment": "The recording has no answer.",
}
"""What an entry without an answer has otherwise than one with an empty answer."""


def to_har(run: Run) -> str:
    """The archive as a JSON text."""
    answers = run.answers()
    entries = [
        _entry(run, step, step.request, answers.get(step.n)) for step in run.steps if step.request is not None
    ]
    creator = {"name": "mockserver", "version": __version__}
    log = {"version": "1.2", "creator": creator, "entries": entries, "comment": _COMMENT}
    return json.dumps({"log": log}, indent=2, ensure_ascii=False) + "\n"


def _entry(run: Run, step: Step, request: RecordedRequest, answer: RecordedAnswer | None) -> dict[str, Any]:
    wait_ms = 0 if answer is None else answer.delay_ms
    began = run.began_at if step.now_ms is None else timestamps.format_iso(step.now_ms)
    return {
        "startedDateTime": began,
        "time": wait_ms,
        "request": _request(request),
        "response": _response(RecordedAnswer(0, ())) | _ABSENT if answer is None else _response(answer),
        "cache": {},
        "timings": {"send": 0, "wait": wait_ms, "receive": 0},
        "_exchange": step.n,
    }


def _request(request: RecordedRequest) -> dict[str, Any]:
    body = decode_bytes(request.body)
    found = {
        "method": request.method,
        "url": url_of(request),
        "httpVersion": "HTTP/1.1",
        "cookies": _cookies(header_of(request, "cookie") or ""),
        "headers": _pairs(request.headers),
        "queryString": _pairs(parse_qsl(request.query, keep_blank_values=True)),
        "headersSize": _UNKNOWN,
        "bodySize": len(body),
    }
    if body:
        found["postData"] = {"mimeType": header_of(request, "content-type") or "", **_post(request.body)}
    return found


def _post(body: Any) -> dict[str, str]:
    if isinstance(body, str):
        return {"text": body}
    # HAR 1.2 has an encoding for answers only.
    comment = "The body is not text: _base64 has its bytes, which HAR 1.2 cannot hold."
    return {"text": "", "comment": comment, "_base64": body["base64"]}


def _response(answer: RecordedAnswer) -> dict[str, Any]:
    body = decode_bytes(answer.body)
    content: dict[str, Any] = {"size": len(body), "mimeType": header_of(answer, "content-type") or ""}
    if isinstance(answer.body, str):
        content["text"] = answer.body
    else:
        content |= {"text": answer.body["base64"], "encoding": "base64"}
    found = {
        "status": answer.status,
        "statusText": next((known.phrase for known in HTTPStatus if known == answer.status), ""),
        "httpVersion": "HTTP/1.1",
        "cookies": [
            each for name, value in answer.headers if name == "set-cookie" for each in _cookies(value)
        ],
        "headers": _pairs(answer.headers),
        "content": content,
        "redirectURL": header_of(answer, "location") or "",
        "headersSize": _UNKNOWN,
        "bodySize": len(body),
    }
    return found | _fault(answer)


def _fault(answer: RecordedAnswer) -> dict[str, Any]:
    if answer.fault is None:
        return {}
    found = {"_fault": answer.fault, "comment": "A fault spoilt this answer on purpose when it was sent."}
    if answer.sent is not None:
        found["_sent_base64"] = b64encode(decode_bytes(answer.sent)).decode()
    return found


def _pairs(pairs: Iterable[tuple[str, str]]) -> list[dict[str, str]]:
    return [{"name": name, "value": value} for name, value in pairs]


def _cookies(header: str) -> list[dict[str, Any]]:
    try:
        cookies = SimpleCookie(header)
    except CookieError:
        return []
    return [{"name": name, "value": morsel.coded_value} for name, morsel in cookies.items()]
