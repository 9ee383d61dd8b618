"""`X-Idempotency-Key`: the same request again gets the first answer again."""

from hashlib import blake2b

import orjson

from mockserver import errors
from mockserver.api.call import Caller, Request
from mockserver.api.endpoint import Endpoint
from mockserver.errors import ApiError, is_error
from mockserver.server.answering.render import Response
from mockserver.state.project import Project
from mockserver.state.requests import FirstAnswer

HEADER = "x-idempotency-key"
_MAX_KEY_LENGTH = 255


def row_id(endpoint: Endpoint, request: Request, caller: Caller) -> str | None:
    """The id under which the first answer to a request with a key is stored.

    None for a GET, and in JSON-RPC: a client that sends a key with each of its HTTP requests means a batch.
    """
    if request.method == "GET" or endpoint.family.is_rpc:
        return None
    key = request.headers[HEADER]
    if not 1 <= len(key) <= _MAX_KEY_LENGTH or not key.isprintable():
        raise ApiError(errors.IDEMPOTENCY_KEY_INVALID)
    user = "" if caller.user is None else f" {caller.user.id}"
    return f"{endpoint.operation}{user} {request.path} {key}"


def first_answer(project: Project, answer_id: str, request: Request) -> Response | None:
    """The answer this request got the first time; ApiError with 409 when its body was another."""
    waiting = project.keys_in_use.get(answer_id)
    if waiting is not None:
        is_same = waiting == _fingerprint(request)
        raise ApiError(errors.IDEMPOTENCY_KEY_IN_USE if is_same else errors.IDEMPOTENCY_KEY_REUSED)
    kept = project.requests.first_answers.get(answer_id)
    if kept is None:
        return None
    if kept.expires_ms <= project.clock.now_ms:
        project.requests.first_answers.remove(answer_id)
        return None
    if kept.fingerprint != _fingerprint(request):
        raise ApiError(errors.IDEMPOTENCY_KEY_REUSED)
    return Response(kept.status, kept.headers, kept.body)


def begin(project: Project, answer_id: str, request: Request) -> None:
    """Mark the key as in use while the answer is waited for."""
    project.keys_in_use[answer_id] = _fingerprint(request)


def end(project: Project, answer_id: str, request: Request, response: Response) -> None:
    """Store the answer that was waited for; after an error the key is free again."""
    del project.keys_in_use[answer_id]
    if not is_error(response.status):
        keep(project, answer_id, request, response)


def keep(project: Project, answer_id: str, request: Request, response: Response) -> None:
    """Store a first answer."""
    project.requests.first_answers.insert(
        FirstAnswer(
            id=answer_id,
            fingerprint=_fingerprint(request),
            status=response.status,
            headers=response.headers,
            body=response.body,
            expires_ms=project.clock.now_ms + project.settings.idempotency_lifetime_ms,
        )
    )


def _fingerprint(request: Request) -> bytes:
    """A digest of what is asked. The order of a JSON object's members says nothing."""
    try:
        body = orjson.dumps(orjson.loads(request.body), option=orjson.OPT_SORT_KEYS)
    except (orjson.JSONDecodeError, orjson.JSONEncodeError):
        body = request.body
    return blake2b(request.query.encode() + b"\0" + body, digest_size=16).digest()
