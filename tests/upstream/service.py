"""A stand-in for a real service: a mock server of another seed and clock, whose answers may be changed."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Thread
from typing import Any

import httpx
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from uvicorn.protocols.http.httptools_impl import RequestResponseCycle

from mockserver.launch.application import AppOptions, build_app
from mockserver.replay.shrinking.run import read_run
from mockserver.server.answering.limits import RequestLimits
from mockserver.server.edge.listening import Listener, bind, url_of
from mockserver.server.edge.sending import Application
from mockserver.upstream.comparing import Comparison
from mockserver.upstream.known import KnownDrift, KnownDrifts
from mockserver.upstream.proxy import UpstreamProxy
from mockserver.upstream.report import Report
from mockserver.upstream.writing import UpstreamRecording

Change = Callable[[str, int, dict[str, str], Any], tuple[int, dict[str, str], Any]]
"""From method and path, status, headers and JSON of an answer to what is sent instead."""


class Service:
    """The application of the service, with a change of what it answers."""

    def __init__(self, change: Change | None = None) -> None:
        self.limits = RequestLimits()
        self._app: ASGIApp = build_app(AppOptions(seed="the real one", clock="ticking"))
        self._change = change

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        sent: list[Message] = []

        async def keep(message: Message) -> None:
            sent.append(message)

        await self._app(scope, receive, keep)
        for message in self._changed(f"{scope['method']} {scope['path']}", sent):
            await send(message)

    def answer_at_once(self, cycle: RequestResponseCycle) -> ASGIApp:
        """See `Application`."""
        return self

    def takes_websocket(self, path: str) -> bool:
        """See `Application`."""
        return False

    def close(self) -> None:
        """See `Application`."""

    def _changed(self, called: str, sent: list[Message]) -> list[Message]:
        body = b"".join(message.get("body", b"") for message in sent)
        headers = {name.decode(): value.decode() for name, value in sent[0]["headers"]}
        if self._change is None or "json" not in headers.get("content-type", ""):
            return sent
        status, headers, value = self._change(called, sent[0]["status"], headers, json.loads(body))
        raw = json.dumps(value).encode()
        headers["content-length"] = str(len(raw))
        lines = [(name.encode(), each.encode()) for name, each in headers.items()]
        return [
            {"type": "http.response.start", "status": status, "headers": lines},
            {"type": "http.response.body", "body": raw},
        ]


@contextmanager
def serving(app: Application) -> Iterator[str]:
    """The URL of an application that is served by a thread."""
    with bind("127.0.0.1", 0) as socket:
        on_end = app.disconnect if isinstance(app, UpstreamProxy) else None
        listener = Listener(app, lambda: None, on_end=on_end)
        thread = Thread(target=listener.run, kwargs={"sockets": [socket]})
        thread.start()
        try:
            yield url_of(socket)
        finally:
            listener.should_exit = True
            thread.join()


@contextmanager
def recorded(file: Path, app: Application, *, allow_live: bool = False) -> Iterator[httpx.Client]:
    """A client of a proxy to a service; the recording is in the file when the block is over."""
    with serving(app) as service, recorded_at(file, service, allow_live=allow_live) as client:
        yield client


@contextmanager
def recorded_at(file: Path, url: str, *, allow_live: bool = False) -> Iterator[httpx.Client]:
    """The same, of a service that is there."""
    recording = UpstreamRecording(file)
    with (
        serving(UpstreamProxy(url, recording, allow_live=allow_live)) as proxy,
        httpx.Client(base_url=proxy, trust_env=False, timeout=30) as client,
    ):
        yield client
    assert recording.close()


def compared(file: Path, known: tuple[KnownDrift, ...] = ()) -> Report:
    """What a comparison of a recording finds."""
    with file.open("rb") as opened:
        run = read_run(opened)
    report = Report(KnownDrifts(known))
    for each in Comparison(run).play():
        report.add(each)
    return report
