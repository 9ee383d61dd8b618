"""`mockserver replay`: plays a recording back, and says what differs."""

import json
import sys
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from mockserver.launch.streams import complain, complaining, paint, show_progress
from mockserver.replay.changelog import entries_between
from mockserver.replay.connection import Address
from mockserver.replay.player import Player
from mockserver.replay.remote import Remote
from mockserver.replay.report import Report, add
from mockserver.replay.serving.application import PlaybackApp
from mockserver.replay.serving.matching import Matching
from mockserver.replay.serving.playback import Playback
from mockserver.replay.targets import CannotReplay, InProcess
from mockserver.server.edge.listening import Listener, bind, url_of
from mockserver.server.edge.ticker import Ticker
from mockserver.server.recording.file import RecordingFile, refuse_overwriting
from mockserver.server.recording.reading import BadRecording, Lines
from mockserver.version import __version__

SAME, DIFFERS, REFUSED, IN_PART = 0, 1, 3, 4
"""Exit codes: as recorded; something differs; the file cannot be replayed; or a part of the run only, since
the file is masked or was cut.

Wrong arguments exit with 2.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplayOptions:
    """The options of `replay`."""

    file: Path
    keep_going: bool
    """Go on after a difference, and count them."""
    allow_cut: bool
    """Take a recording without an end for a whole one."""
    to: int | None
    """Stop after this exchange, and serve the state."""
    json: bool
    serve: bool
    """Answer clients from the recording, instead of replaying it."""
    matching: Matching
    """Which exchange a client's request gets, if it is served."""
    url: Address | None
    """Replay against the server there, which runs already."""
    control_token: str | None
    """What that server needs, if it can be reached from other machines."""
    replace: bool
    """Let that server's projects be deleted though they are in use."""
    host: str
    port: int


def replay(options: ReplayOptions) -> int:
    """Replay a recording; the exit code."""
    with complaining(options.file, BadRecording, CannotReplay), options.file.open("rb") as file:
        if options.serve:
            return serve_recording(options, file)
        return _replay(options, file)
    return REFUSED


def mask(source: Path, target: Path) -> int:
    """Write a masked copy of a recording, which is replayed for it; the exit code."""
    with complaining(source, BadRecording), source.open("rb") as file:
        refuse_overwriting(source, target)
        if next(Player(file, InProcess()).play(), None) is not None:
            complain(f"{source}: it replays differently: mask it when recording")
            return DIFFERS
        file.seek(0)
        return _write_masked(file, target)
    return REFUSED


def _write_masked(file: BinaryIO, target: Path) -> int:
    copy = RecordingFile(target, lambda message: complain(message.rstrip()))
    server = InProcess(copy)
    player = Player(file, server)
    with show_progress(lambda: f"exchange {player.number}"):
        for _ in player.play():
            continue
    mask = server.mask
    assert mask is not None
    withheld = copy.withhold(mask.has_secret)
    copy.close()
    print(f"{mask.count} values masked, {withheld or 'no'} lines withheld")
    return REFUSED if copy.failure is not None else SAME


def _replay(options: ReplayOptions, file: BinaryIO) -> int:
    """Replay it here, or against a server that runs already, which has the state in the end."""
    target: InProcess | Remote = InProcess()
    if options.url is not None:
        target = Remote(options.url, options.control_token, replace=options.replace)
    with closing(target):
        player = Player(file, target)
        report = _report(player, options)
    if options.to is not None and (options.keep_going or not report.differing):
        if player.number < options.to:
            complain(f"there is no exchange {options.to}")
            return REFUSED
        if isinstance(target, InProcess):
            _serve(target, player.number, options)
    return _exit_code(report, options)


def _exit_code(report: Report, options: ReplayOptions) -> int:
    if report.differing:
        return DIFFERS
    is_whole = not report.cut or options.allow_cut or options.to is not None
    return SAME if report.not_repeatable_from is None and is_whole else IN_PART


def _report(player: Player, options: ReplayOptions) -> Report:
    report = play(player, str(options.file), to=options.to, keep_going=options.keep_going)
    if options.json:
        print(json.dumps(report.to_json()))
    else:
        *lines, last = report.lines()
        print("\n".join((*lines, paint(last, "red" if report.differing else "green"))))
    return report


def play(player: Player, name: str, *, to: int | None = None, keep_going: bool = False) -> Report:
    """Replay the recording of a name, up to an exchange and to the first difference unless it is to go on."""
    recorded_with = player.meta.mockserver
    report = Report(name, recorded_with)
    with show_progress(lambda: f"exchange {player.number}"):
        for found in player.play(to):
            report = add(report, found)
            if not keep_going:
                break
    return report._replace(
        exchanges=player.number,
        unanswered=player.unanswered,
        torn=player.lines.is_torn,
        cut=player.is_cut,
        masked=len(player.masked.values),
        withheld=player.masked.withheld,
        not_repeatable_from=player.masked.gave_up,
        changelog=entries_between(recorded_with, __version__) if report.differing else [],
    )


def serve_recording(options: ReplayOptions, file: BinaryIO) -> int:
    """Answer clients from a recording until a signal ends it; the exit code."""
    playback = Playback(Lines(file), options.matching)
    with bind(options.host, options.port) as listener:
        print(f"serving the recording at {url_of(listener)}", file=sys.stderr, flush=True)
        Listener(PlaybackApp(playback), lambda: None).run(sockets=[listener])
    for line in playback.summary():
        print(line, file=sys.stderr)
    return DIFFERS if playback.refusals else SAME


def _serve(target: InProcess, number: int, options: ReplayOptions) -> None:
    """Serve the state that the replay came to; time goes on from there."""
    target.go_on(Ticker().real_ms)
    with bind(options.host, options.port) as listener:
        print(f"serving the state after exchange {number} at {url_of(listener)}", file=sys.stderr)
        Listener(target.app, lambda: None).run(sockets=[listener])
