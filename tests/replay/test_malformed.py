"""Any file that was a recording: each reader takes it, or refuses it with a line and what is wrong."""

import json
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from io import BytesIO
from itertools import permutations
from pathlib import Path
from typing import Any

from httpx import Client
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mockserver.replay.diff import find_divergences, lines_of
from mockserver.replay.export.command import EXPORTS, ExportOptions, Kind
from mockserver.replay.export.history import CannotExport
from mockserver.replay.player import Player
from mockserver.replay.serving.matching import Matching
from mockserver.replay.serving.playback import Playback
from mockserver.replay.shrinking.command import make_shrinker
from mockserver.replay.shrinking.conditions import NotShown
from mockserver.replay.shrinking.run import read_run
from mockserver.replay.shrinking.shrinker import OutOfTime
from mockserver.replay.targets import InProcess
from mockserver.server.assembly import assemble
from mockserver.server.recording.reading import BadRecording, Lines
from mockserver.state.world import World
from mockserver.testing.client import MockServer
from tests.replay.recorded import contract
from tests.tables import cases
from tests.transport import InProcessTransport

KEPT = [path.read_bytes() for path in sorted(Path(__file__).parent.glob("format-*.jsonl"))]
JSONL = {"content-type": "application/jsonl"}
ODD: tuple[Any, ...] = (None, True, -1, 0, 7, 2**53, 2**70, 1.5, "", "\u1234\x1b", [], {}, [None], {"x": 1})


@cache
def recordings() -> list[bytes]:
    """The kept ones, and one that begins with nothing."""
    transport = InProcessTransport(assemble(World()))
    server = MockServer("http://mock", transport=transport)
    server.start_recording()
    project = server.create_project(name="made")
    with project.connect() as api:
        for name in ("one", "one", "two"):
            api.post("/v2/players", json={"name": name})
            contract(api, "a1")
        project.clock.advance(5)
    return [*KEPT, server.stop_recording()]


@st.composite
def altered(draw: st.DrawFn) -> bytes:
    """A recording in which a value, a line or some bytes are others."""
    lines = draw(st.sampled_from(recordings())).splitlines(keepends=True)
    place = draw(st.integers(0, len(lines) - 1))
    match draw(st.sampled_from(("value", "value", "value", "line", "bytes"))):
        case "value":
            line = json.loads(lines[place])
            alter(draw, line)
            lines[place] = json.dumps(line).encode() + b"\n"
        case "line":
            other = draw(st.integers(0, len(lines) - 1))
            lines[place : place + draw(st.integers(0, 2))] = [lines[other]] * draw(st.integers(0, 1))
        case _:
            at = draw(st.integers(0, len(lines[place])))
            lines[place] = lines[place][:at] + draw(st.binary(max_size=3)) + lines[place][at + 1 :]
    return b"".join(lines)


def nearly(value: Any) -> tuple[Any, ...]:
    """Values of the same type, which are as likely to make sense."""
    if isinstance(value, str):
        return 3 * (value[:-1], f"{value}0", value.swapcase(), value[len(value) // 2 :])
    return 3 * (value + 1, value - 1, value * 1000) if type(value) is int else ()


def alter(draw: st.DrawFn, value: Any) -> None:
    """Set, add or remove a member somewhere in a value."""
    keys = list(value) if isinstance(value, dict) else list(range(len(value)))
    key = draw(st.sampled_from(keys))
    if isinstance(value[key], (dict, list)) and value[key] and draw(st.integers(0, 3)):
        alter(draw, value[key])
    elif draw(st.integers(0, 3)):
        value[key] = draw(st.sampled_from((*nearly(value[key]), *ODD)))
    elif isinstance(value, dict) and draw(st.booleans()):
        value["x"] = 1
    else:
        del value[key]


def replay(raw: bytes) -> None:
    for _ in Player(BytesIO(raw), InProcess()).play():
        continue


def serve(raw: bytes) -> None:
    Playback(Lines(BytesIO(raw)), Matching(False, (), False))


def diff(raw: bytes) -> None:
    for before, after in permutations((read_run(BytesIO(raw)), read_run(BytesIO(KEPT[-1])))):
        lines = [*lines_of([*find_divergences(before, after, ("A", "B"))])]
        assert all(line.isprintable() for line in lines)


def shrink(raw: bytes) -> None:
    run = read_run(BytesIO(raw))
    with suppress(NotShown, OutOfTime):
        make_shrinker(run, None, lambda: True).shrink()


def export_as(kind: Kind) -> Callable[[bytes], None]:
    options = ExportOptions(file=Path("run.jsonl"), to=kind, out=None, at=None, asserts=())

    def export(raw: bytes) -> None:
        EXPORTS[kind](read_run(BytesIO(raw)), options)

    return export


READERS: dict[str, Callable[[bytes], None]] = {
    "replay": replay,
    "serve": serve,
    "shrink": shrink,
    "diff": diff,
    **{kind: export_as(kind) for kind in EXPORTS},
}


@cases("reader", *READERS)
@settings(max_examples=20, deadline=None, suppress_health_check=list(HealthCheck))
@given(raw=altered())
def test_an_altered_recording_is_taken_or_refused(reader: str, raw: bytes) -> None:
    with suppress(BadRecording, CannotExport):
        READERS[reader](raw)


@settings(max_examples=20, deadline=None, suppress_health_check=list(HealthCheck))
@given(raw=altered())
def test_a_server_loads_an_altered_recording_or_says_why_not(api: Client, raw: bytes) -> None:
    answer = api.post("/_mock/recording/load?replace=true", content=raw, headers=JSONL)
    # The recorded server had other options.
    assert answer.status_code in (200, 400, 409), answer.text
    assert answer.status_code != 400 or "line " in answer.json()["detail"]
