"""What a recording begins with: the server's options, and the state of each of its projects."""

from io import BytesIO
from pathlib import Path

import orjson
import pytest

from mockserver.launch.application import DEFAULT_SCENARIO, AppOptions, build_app
from mockserver.replay.loading import load
from mockserver.server.answering.control_access import ControlAccess
from mockserver.server.answering.limits import RequestLimits
from mockserver.server.assembly import assemble
from mockserver.server.edge.app import App
from mockserver.server.recording import loading
from mockserver.server.recording.lines import TOKEN
from mockserver.server.recording.reading import BadRecording, Lines
from mockserver.state.settings import Settings
from mockserver.state.world import ProjectDefaults, World
from tests.tables import cases

LIMITS = RequestLimits(max_body_bytes=1, max_header_bytes=2, max_headers=3, max_url_bytes=4)
ACCESS = ControlAccess(
    token="a-token-of-tests",
    allowed_hosts=frozenset({"mock.example"}),
    allowed_origins=frozenset({"https://tests.example"}),
)


def recorded_of(app: App) -> bytes:
    """The recording of nothing but a beginning."""
    app.recordings.start()
    app.recordings.stop()
    return app.recordings.read()


def loaded(raw: bytes) -> App:
    """The server in the state in which a recording begins."""
    return load(Lines(BytesIO(raw)), lambda: 0)[1]


@cases(
    "strict_keys, defaults",
    (True, ProjectDefaults(1_800_000_000_000, "ticking", 2.0, Settings(snapshots_kept=3))),
    (False, ProjectDefaults(None)),
)
def test_a_server_begins_with_the_recorded_options(strict_keys: bool, defaults: ProjectDefaults) -> None:
    world = World(
        "a seed", strict_keys=strict_keys, defaults=defaults, open_projects=17, journal_bytes=70_000
    )
    name = world.create().name
    app = loaded(recorded_of(assemble(world, limits=LIMITS, control=ACCESS)))
    again = app.pipeline.world
    assert (again.seed, again.strict_keys, again.defaults) == ("a seed", strict_keys, defaults)
    assert (again.open_projects.limit, again.histories.max_bytes) == (17, 70_000)
    assert (app.pipeline.server.limits, again.names_seed) == (LIMITS, world.names_seed)
    assert [project.name for project in again] == [name]
    assert again.create().name == world.create().name, "names are drawn on from there"
    access = app.pipeline.server.access
    assert (access.token, access.allowed_hosts, access.allowed_origins) == (
        TOKEN,
        ACCESS.allowed_hosts,
        ACCESS.allowed_origins,
    )


def test_a_server_that_needed_no_token_needs_none() -> None:
    assert loaded(recorded_of(assemble(World()))).pipeline.server.access == ControlAccess()


def test_a_put_away_project_is_recorded_whole(world: World, app: App) -> None:
    away, here = world.create(name="away"), world.create(name="here")
    away.put_away()
    raw = recorded_of(app)
    assert (away.is_put_away, here.is_put_away) == (True, False)
    lines = [orjson.loads(line) for line in raw.splitlines()]
    assert [line["project"]["name"] for line in lines if "project" in line] == ["away", "here"]
    digests = [line["begin"]["digests"] for line in lines if "begin" in line]
    assert [[*found] for found in digests] == [[here.id]]


@cases("more", 0, 1)
def test_a_beginning_is_bounded(more: int, world: World, app: App, monkeypatch: pytest.MonkeyPatch) -> None:
    world.create(name="a")
    raw = recorded_of(app)
    begin = next(place for place, line in enumerate(raw.splitlines(), 1) if line.startswith(b'{"begin"'))
    monkeypatch.setattr(loading, "_MOST_BEGINNING", begin - 1 - more)
    if not more:
        assert [project.name for project in loaded(raw).pipeline.world] == ["a"]
        return
    with pytest.raises(BadRecording, match=f"has more than {begin - 2} lines"):
        loaded(raw)


@cases(
    "before, after, place",
    (b'"default_settings":{}', b'"default_settings":{"snapshots_kept":-1}', 3),
    (b'"settings":{}', b'"settings":{"snapshots_kept":-1}', 5),
)
def test_settings_that_cannot_be_are_refused_where_they_stand(
    before: bytes, after: bytes, place: int, world: World, app: App
) -> None:
    world.create(name="a")
    raw = recorded_of(app)
    assert before in raw
    with pytest.raises(BadRecording, match="the setting snapshots_kept cannot have this value") as refused:
        loaded(raw.replace(before, after))
    assert refused.value.place == place


# --- where it runs --------------------------------------------------------------------------------------


def recorded_beginning(*scenarios: Path) -> bytes:
    """How a recording of a server with scenario files begins, but for when and by what it was made."""
    app = build_app(AppOptions(scenarios=scenarios, clock="frozen"))
    app.start()
    first, _, *lines = recorded_of(app).splitlines(keepends=True)
    return b"".join([first, *lines])


def sources(recorded: bytes) -> list[str]:
    """The sources of the scenarios that a reset loads."""
    heads = [line["project"] for line in map(orjson.loads, recorded.splitlines()) if "project" in line]
    return [each["source"] for head in heads for each in head.get("start_up") or ()]


def test_a_recording_does_not_tell_where_the_package_is() -> None:
    recorded = recorded_beginning()
    assert sources(recorded) == ["default.yaml"]
    assert str(DEFAULT_SCENARIO.parent).encode() not in recorded


@cases("given", "mine", "mine/shop.yaml")
def test_the_same_files_elsewhere_begin_a_recording_alike(given: str, tmp_path: Path) -> None:
    found = []
    for name in ("here", "somewhere/else"):
        folder = tmp_path / name
        (folder / "mine").mkdir(parents=True)
        (folder / "common.yaml").write_text("name: common\n")
        (folder / "mine" / "shop.yaml").write_text("name: shop\nrequires: [../common.yaml]\n")
        found.append(recorded_beginning(folder / given))
    assert sources(found[0]) == ["../common.yaml", "shop.yaml"]
    assert found[0] == found[1]


def test_an_empty_directory_is_not_where_the_default_is(tmp_path: Path) -> None:
    assert sources(recorded_beginning(tmp_path)) == ["default.yaml"]
