"""Serves a recording: the answers come from the file alone, and from no network."""

import asyncio

from starlette.types import Receive, Scope, Send

from mockserver.api.family import CONTROL, family_of
from mockserver.api.values import to_json
from mockserver.errors import ApiError
from mockserver.replay.serving.playback import Playback, PlayedExchange
from mockserver.replay.steps import decode_bytes
from mockserver.server.answering.control_call import RECORDING_PATH
from mockserver.server.answering.render import Response, error_response
from mockserver.server.edge.app import reject
from mockserver.server.edge.cors import allow_pages
from mockserver.server.edge.faults import break_connection, find_transport
from mockserver.server.edge.reading import read_body, read_request
from mockserver.server.edge.sending import Application, send_response, until_disconnect

STATUS_PATH = f"{RECORDING_PATH}/playback"
"""Where a server tells what was not asked for yet: no recording has a path like that."""


class PlaybackApp(Application):
    """The ASGI application that answers from a recording."""

    def __init__(self, playback: Playback) -> None:
        self._playback = playback
        self._app_for_pages = allow_pages(self._respond)
        """For pages, which may read what the API itself lets them read."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await reject(scope, receive, send)
        elif b"origin" in dict(scope["headers"]) and family_of(scope["path"]).is_for_pages:
            await self._app_for_pages(scope, receive, send)
        else:
            await self._respond(scope, receive, send)

    async def _respond(self, scope: Scope, receive: Receive, send: Send) -> None:
        body = await read_body(receive, self.limits.max_body_bytes)
        if body is None:
            return
        request = read_request(scope, body)
        is_head = request.method == "HEAD"
        if request.path == STATUS_PATH:
            await send_response(self._status(), send, is_head)
            return
        try:
            found = self._playback.take(request)
        except ApiError as error:
            await send_response(error_response(error, CONTROL), send, is_head)
            return
        await _send_recorded(found, scope, receive, send)

    def _status(self) -> Response:
        playback = self._playback
        found = {
            "unused": [{"n": each.number, "request": each.title} for each in playback.unused()],
            "refusals": playback.refusals,
            "refused": playback.refused,
        }
        return Response(200, ((b"content-type", b"application/json"),), to_json(found))


async def _send_recorded(exchange: PlayedExchange, scope: Scope, receive: Receive, send: Send) -> None:
    """Send an answer as it was sent, with its delay, or as much as a fault had left of it."""
    answer = exchange.answer
    if answer.delay_ms:
        await asyncio.sleep(answer.delay_ms / 1000)
    transport = find_transport(scope, send)
    if answer.sent is not None and transport is not None:
        if answer.fault != "timeout":
            break_connection(transport, answer.fault, decode_bytes(answer.sent))
        await until_disconnect(receive)
        return
    response = Response(answer.status, tuple(exchange.headers), decode_bytes(answer.body))
    await send_response(response, send, scope["method"] == "HEAD")
