"""`mockserver record`: serves the proxy until a signal or the end of a command, and keeps the recording."""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from mockserver.launch.application import reason_of
from mockserver.launch.child import Child
from mockserver.launch.streams import complain, discard_output
from mockserver.server.edge.listening import Listener, bind, url_of
from mockserver.testing.environment import base_url_environment
from mockserver.upstream.proxy import UpstreamProxy
from mockserver.upstream.writing import UpstreamRecording

CANNOT = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordOptions:
    """The options of `record`."""

    file: Path
    upstream: str
    allow_live: bool
    host: str
    port: int
    command: Sequence[str]
    """What is run against the proxy; empty to serve until a signal."""


def record(options: RecordOptions) -> int:
    """Record what passes to the upstream; the exit code, which is that of the command if it fails."""
    try:
        recording = UpstreamRecording(options.file)
    except OSError as error:
        complain(f"cannot record in {options.file}: {error.strerror}")
        return CANNOT
    status: int | None = None
    try:
        status = _serve(options, recording)
    except OSError as error:
        complain(f"cannot listen at {options.host}:{options.port}: {reason_of(error)}")
    finally:
        is_kept = recording.close(keep=status is not None)
    if is_kept:
        complain(f"{recording.exchanges} exchanges are in {options.file}")
    return CANNOT if status is None or not is_kept else status


def _serve(options: RecordOptions, recording: UpstreamRecording) -> int | None:
    """Serve, with the command; its status, or None if a signal came before."""
    has_begun = False
    proxy = UpstreamProxy(options.upstream, recording, allow_live=options.allow_live)
    with bind(options.host, options.port) as socket:
        url = url_of(socket)

        def stop() -> None:
            listener.should_exit = True

        child = Child(stop)

        def begin() -> None:
            nonlocal has_begun
            has_begun = True
            try:
                print(f"recording {options.upstream} at {url}", flush=True)
            except OSError:
                discard_output()
            if options.command:
                child.start(options.command, {**os.environ, **base_url_environment(url)})

        listener = Listener(proxy, begin, on_signal=child.forward, on_end=proxy.disconnect)
        listener.run(sockets=[socket])
    return child.status if has_begun else None
