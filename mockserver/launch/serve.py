"""`mockserver serve`: an application, and a server in front of it."""

import errno
import gc
import logging
import socket
import sys
from collections.abc import Callable, Coroutine, Iterator
from dataclasses import dataclass, replace
from functools import partial
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from mockserver.kernel.spelling import list_some
from mockserver.launch.application import DEFAULT_PROJECT, AppOptions, build_app, empty_directories, reason_of
from mockserver.launch.options import LogOption, describe_clock
from mockserver.launch.streams import complain, warn
from mockserver.server.edge.start_up import CannotStart

if TYPE_CHECKING:
    import ssl

    from mockserver.launch.announcement import Ready
    from mockserver.launch.certificates import Trust
    from mockserver.server.answering.server import AnswerMissing
    from mockserver.server.edge.app import App
    from mockserver.server.edge.listening import Listener

_GC_THRESHOLD = (20_000, 50, 50)
"""Less often than by default, as nearly nothing is a circle. Of more objects one would take over 10 ms."""
_REST_S = 0.01
"""How long a server that is ready waits for a request, or for its end, before it prepares for more."""
_OF_SCENARIOS = (
    "pydantic.type_adapter",
    "mockserver.scenario.checking.load",
    "mockserver.scenario.running.start_up",
    "yaml",
)
"""What loading scenarios imports. Together with that it would be one long step."""
_PAUSE_S = 0.002
"""How long requests are answered between two steps of that."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ServeOptions(AppOptions):
    """The options of `serve`."""

    host: str = "127.0.0.1"
    port: int = 4242
    ready_file: Path | None = None
    log: LogOption = "text"
    watch: bool = False
    tls: bool = False
    tls_hosts: tuple[str, ...] = ()
    """Names and addresses of the certificate, besides those of loopback."""
    record: Path | None = None
    """The file in which every call is recorded."""
    mask: bool = False
    """Whether placeholders stand in that file for the secrets that clients bring along."""
    state: Path | None = None
    """The file with the projects that it begins with, besides the default one."""
    replay_missing: Path | None = None
    """The recording that answers what no operation does."""
    hand_over: str | None = None
    """The URL by which projects go to the other servers of a fleet when a signal ends this one."""


def serve(options: ServeOptions, answer_missing: "AnswerMissing | None" = None) -> int:
    """Serve until a signal ends it. The exit code: 1 and one line when it cannot start, otherwise 0.

    `answer_missing` answers paths that no operation has.
    """
    from mockserver.launch.ready_file import ReadyFile

    ready_file = None

    def on_ready(ready: "Ready", _: "Listener") -> None:
        from mockserver.launch.announcement import announce

        announce(ready, ready_file)

    try:
        ready_file = ReadyFile(options.ready_file) if options.ready_file is not None else None
        run_server(options, on_ready, answer_missing=answer_missing)
    except CannotStart as error:
        complain(error)
        return 1
    finally:
        if ready_file is not None:
            ready_file.withdraw()
    return 0


def run_server(
    options: ServeOptions,
    on_ready: "Callable[[Ready, Listener], None]",
    on_signal: Callable[[int], bool] | None = None,
    answer_missing: "AnswerMissing | None" = None,
) -> None:
    """Serve until a signal ends it, or until `on_ready` or what it began ends the listener.

    Raises CannotStart. `on_signal` may take signals, and answers whether it did.
    """
    # Start-up creates no garbage, and the garbage collector would take a tenth of its time. The imports that
    # follow are most of it.
    gc.disable()
    _leave_out_plugins()
    from asyncio import get_running_loop

    from mockserver.server.edge.listening import Listener, LogHandler, url_of

    if options.scenarios:
        for directory in empty_directories(options.scenarios):
            warn(_describe_empty(directory, options))
    trust, tls = _prepare_tls(options)
    with _bind(options) as listener:
        token = _control_token(options, listener)
        app = build_app(replace(options, control=replace(options.control, token=token)))
        app.pipeline.server.answer_missing = answer_missing
        logging.getLogger().addHandler(LogHandler(app.log))

        def get_ready() -> None:
            if options.scenarios or options.watch or options.record is not None or options.state is not None:
                app.start()
            if options.state is not None:
                _load_state(app, options.state)
            if options.record is not None:
                _record(app, options.record, masked=options.mask)
            url = url_of(listener, "http" if tls is None else "https")
            ready = _describe_ready(app, options, url, token, trust)
            if options.watch:
                _watch(app, options)
            on_ready(ready, server)
            get_running_loop().call_later(_REST_S, _take_step, server, prepare(app))

        server = Listener(
            app, get_ready, tls=tls, on_signal=on_signal, on_end=_on_end(app, options.hand_over)
        )
        try:
            server.run(sockets=[listener])
        finally:
            app.recordings.close()
            app.log.close()


def _leave_out_plugins() -> None:
    """Let pydantic look for no plugins. It would in every package that is installed, for 20 to 50 ms.

    Plugins are for the models of other programs, and this process runs the mock alone. The variable against
    the search would be that of the command of `exec` as well, and half of the time is an import.
    """
    searcher = ModuleType("pydantic.plugin._loader")
    vars(searcher)["get_plugins"] = tuple
    sys.modules.setdefault(searcher.__name__, searcher)


def _take_step(server: "Listener", steps: Iterator[None]) -> None:
    """Prepare one more step, and the next one after a pause. What there is in the end is there to stay."""
    from asyncio import get_running_loop

    if server.should_exit:
        return
    try:
        is_over = next(steps, steps) is steps
    except CannotStart as error:
        # The default scenario was refused, by limits that it exceeds.
        server.fail(error)
        return
    if not is_over:
        get_running_loop().call_later(_PAUSE_S, _take_step, server, steps)
        return
    gc.freeze()
    gc.set_threshold(*_GC_THRESHOLD)
    gc.enable()


def prepare(app: "App") -> Iterator[None]:
    """Do in steps what the first requests would have to wait for, unless they have come before."""
    for module in _OF_SCENARIOS:
        import_module(module)
        yield
    app.start()
    yield
    unread = (each.unread for each in app.pipeline.server.routes.by_operation.values())
    for module in dict.fromkeys(filter(None, unread)):
        import_module(module)
        yield


def _describe_ready(
    app: "App", options: ServeOptions, url: str, token: str | None, trust: "Trust | None"
) -> "Ready":
    from mockserver.launch.announcement import Ready

    world = app.pipeline.world
    return Ready(
        url=url,
        project=world.key(f"sk_test_{DEFAULT_PROJECT}").project,
        live=world.key(f"sk_live_{DEFAULT_PROJECT}").project,
        control_token=token,
        is_drawn=token != options.control.token,
        trust=trust,
        clock=describe_clock(options.clock),
    )


def _bind(options: ServeOptions) -> socket.socket:
    from mockserver.server.edge.listening import bind, url_host

    try:
        return bind(options.host, options.port)
    except (OSError, UnicodeError) as error:
        where = f"{url_host(options.host)}:{options.port}"
        in_use = isinstance(error, OSError) and error.errno == errno.EADDRINUSE
        hint = "; --port 0 takes a free one" if in_use else ""
        raise CannotStart(f"cannot listen on {where}: {reason_of(error)}{hint}") from None


def _watch(app: "App", options: ServeOptions) -> None:
    from mockserver.launch.watching import Watcher

    if options.record is not None:
        # A replay loads what was loaded at the start.
        raise CannotStart("--watch and --record exclude each other: a recording begins with one set of files")
    Watcher(app, options.scenarios).start()


def _prepare_tls(options: ServeOptions) -> "tuple[Trust | None, ssl.SSLContext | None]":
    if not options.tls:
        return None, None
    # 30 ms, for what most servers do not need.
    from mockserver.launch.certificates import find_open_folder, prepare_trust, server_context

    try:
        authority, trust = prepare_trust(options.tls_hosts)
        if (folder := find_open_folder(options.tls_hosts)) is not None:
            warn(f"warning: others can write to {folder}, and put an authority of their own there")
        return trust, server_context(authority, options.tls_hosts)
    except (OSError, RuntimeError) as error:
        raise CannotStart(
            f"cannot keep a certificate authority in the user's state folder ($XDG_STATE_HOME):"
            f" {getattr(error, 'filename', None) or ''} {reason_of(error)}"
        ) from None


def _describe_empty(directory: Path, options: ServeOptions) -> str:
    """What a directory without a scenario means; one that is mounted by a misspelt name is empty."""
    others = list_some(sorted(entry.name for entry in directory.iterdir()))
    there = f"has only {others}" if others else "is empty"
    instead = "" if len(options.scenarios) > 1 else "; the default scenario is loaded instead"
    return f"warning: no scenario file (*.yaml, *.yml) is in {directory}, which {there}{instead}"


def _load_state(app: "App", path: Path) -> None:
    from mockserver.errors import ApiError

    try:
        with path.open("rb") as file:
            app.recordings.replays.take_in(file)
    except OSError as error:
        raise CannotStart(f"cannot read {path}: {reason_of(error)}") from None
    except ApiError as error:
        raise CannotStart(f"{path}: {error.message}") from None
    app.pipeline.world.note_beginning()


def _on_end(app: "App", url: str | None) -> "Callable[[], Coroutine[Any, Any, None]] | None":
    if url is None:
        return None
    from mockserver.launch.handing_over import hand_over

    return partial(hand_over, app, url)


def _record(app: "App", path: Path, *, masked: bool) -> None:
    from mockserver.errors import ApiError

    try:
        app.recordings.start(path, masked=masked)
    except ApiError as error:
        raise CannotStart(f"{path}: {error.message}") from None


def _control_token(options: ServeOptions, listener: socket.socket) -> str | None:
    """The control token: the one that was given, or one that is drawn when other machines can connect."""
    from mockserver.server.answering.control_token import draw_control_token
    from mockserver.server.answering.hosts import is_loopback

    if options.control.token is not None or is_loopback(listener.getsockname()[0]):
        return options.control.token
    return draw_control_token()
