"""`mockserver replay`: plays a recording back, and says what differs."""

import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from mockserver.replay.changelog import entries_between
from mockserver.replay.player import Found, Player
from mockserver.replay.reading import BadRecording
from mockserver.replay.report import Report, add, make_report
from mockserver.server.listening import Listener, bind, url_of
from mockserver.server.recording.file import RecordingFile
from mockserver.server.ticker import Ticker
from mockserver.version import __version__

SAME, DIFFERS, REFUSED, MASKED = 0, 1, 3, 4
"""Exit codes: as recorded; something differs; the file cannot be replayed; or not all of it, for its masks.

Wrong arguments exit with 2.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplayOptions:
    """The options of `replay`."""

    file: Path
    keep_going: bool = False
    """Go on after a difference, and count them."""
    to: int | None = None
    """Stop after this exchange, and serve the state."""
    json: bool = False
    host: str = "127.0.0.1"
    port: int = 4242


def replay(options: ReplayOptions) -> int:
    """Replay a recording; the exit code."""
    try:
        with options.file.open("rb") as file:
            return _replay(options, file)
    except BadRecording as error:
        print(f"mockserver: {options.file}: {error}", file=sys.stderr)
    except OSError as error:
        print(f"mockserver: {options.file}: {error.strerror or error}", file=sys.stderr)
    return REFUSED


def mask(source: Path, target: Path) -> int:
    """Write a masked copy of a recording, which is replayed for it; the exit code."""
    try:
        with source.open("rb") as file:
            if next(Player(file).play(), None) is not None:
                print(
                    f"mockserver: {source}: it replays differently: mask it when recording", file=sys.stderr
                )
                return DIFFERS
            file.seek(0)
            return _write_masked(file, target)
    except BadRecording as error:
        print(f"mockserver: {source}: {error}", file=sys.stderr)
    except OSError as error:
        print(f"mockserver: {error.filename or target}: {error.strerror or error}", file=sys.stderr)
    return REFUSED


def _write_masked(file: BinaryIO, target: Path) -> int:
    copy = RecordingFile(target, lambda message: print(f"mockserver: {message}", end="", file=sys.stderr))
    player = Player(file, copy)
    for _ in player.play():
        continue
    assert player.mask is not None
    withheld = copy.withhold(player.mask.has_secret)
    copy.close()
    print(f"{player.mask.count} values masked, {withheld or 'no'} lines withheld")
    return REFUSED if copy.failure is not None else SAME


def _replay(options: ReplayOptions, file: BinaryIO) -> int:
    player = Player(file)
    report = _play(player, options)
    if options.json:
        print(json.dumps(report.to_json()))
    else:
        print("\n".join(report.lines()))
    if options.to is not None and (options.keep_going or not report.differing):
        if player.number < options.to:
            print(f"mockserver: there is no exchange {options.to}", file=sys.stderr)
            return REFUSED
        _serve(player, options)
    if report.differing:
        return DIFFERS
    return SAME if report.gave_up is None else MASKED


def _play(player: Player, options: ReplayOptions) -> Report:
    recorded_with = player.opening.meta.mockserver
    report = make_report(str(options.file), recorded_with)
    for found in _until(player.play(options.to), options.keep_going):
        report = add(report, found)
    return report._replace(
        exchanges=player.number,
        unanswered=player.unanswered,
        is_torn=player.lines.is_torn,
        masked=len(player.masked.values),
        withheld=player.masked.withheld,
        gave_up=player.masked.gave_up,
        changes=entries_between(recorded_with, __version__) if report.differing else [],
    )


def _until(steps: Iterator[Found], keep_going: bool) -> Iterator[Found]:
    for found in steps:
        yield found
        if not keep_going:
            return


def _serve(player: Player, options: ReplayOptions) -> None:
    """Serve the state that the replay came to; time goes on from there."""
    player.go_on(Ticker().real_ms)
    with bind(options.host, options.port) as listener:
        print(f"serving the state after exchange {player.number} at {url_of(listener)}", file=sys.stderr)
        Listener(player.app, lambda: None).run(sockets=[listener])
