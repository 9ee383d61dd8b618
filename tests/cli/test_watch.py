"""`serve --watch`: what becomes of changed scenario files."""

import io
import os
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import pytest
from httpx import Client

from mockserver.launch.application import AppOptions, build_app
from mockserver.launch.watching import Watcher
from mockserver.scenario.running.apply import unload
from mockserver.server.edge.log import ServerLog
from tests.cli.conftest import Run
from tests.tables import cases
from tests.transport import InProcessTransport

CODE = "name: shop\nsettings: {{one_time_code: '{}'}}\n"


class Watched:
    """A server with a directory of scenarios, and its log."""

    def __init__(self, directory: Path) -> None:
        self.file = directory / "shop.yaml"
        self.file.write_text(CODE.format("111111"))
        self._stream = io.StringIO()
        app = build_app(AppOptions(scenarios=(directory,)))
        app.start()
        app.log = ServerLog("text", app.pipeline.server.routes, lambda: 0, lambda: self._stream)
        self.app, self.watcher = app, Watcher(app, (directory,))

    @property
    def code(self) -> str | None:
        """What the default project has by now."""
        return self.app.pipeline.world.key("sk_test_default").project.settings.one_time_code

    def change(self, text: str) -> str:
        """Write the file, and look; what the log says then."""
        self.file.write_text(text)
        return self.look()

    def look(self) -> str:
        """Look once; what the log says then."""
        self.watcher.look()
        self.app.log.close()
        return self._stream.getvalue()


@pytest.fixture
def watched(tmp_path: Path) -> Watched:
    return Watched(tmp_path)


def test_nothing_is_said_without_a_change(watched: Watched) -> None:
    watched.file.touch()
    assert watched.look() == ""


def test_a_change_of_content_is_loaded(watched: Watched) -> None:
    assert f"info reloaded {watched.file}" in watched.change(CODE.format("222222"))
    assert watched.code == "222222"


@cases(
    "text, finding",
    ("name: shop\nsetings: {}\n", "shop.yaml:2:1"),
    ("name: shop\ngiven: [{call: CreateContract, body: {}}]\n", "shop.yaml:2"),
)
def test_a_mistake_keeps_what_was_there_and_says_its_place(watched: Watched, text: str, finding: str) -> None:
    said = watched.change(text)
    assert f"warning kept what was loaded before {watched.file}" in said
    assert finding in said
    assert watched.code == "111111"
    assert "reloaded" in watched.change(CODE.format("333333"))
    assert watched.code == "333333"


def test_a_new_file_and_a_removed_one_are_changes(watched: Watched) -> None:
    other = watched.file.with_name("z.yaml")
    other.write_text(CODE.format("444444").replace("shop", "z"))
    assert f"reloaded {other}" in watched.look()
    assert watched.code == "444444"
    other.unlink()
    watched.look()
    assert watched.code == "111111"


def link_to_itself(file: Path) -> None:
    file.symlink_to(file)


def fill(file: Path) -> None:
    """A file that is longer than any scenario, of which nothing is on the disk."""
    with file.open("wb") as stream:
        stream.truncate(200 * 1024 * 1024)


@cases(
    "make, finding",
    (link_to_itself, "Too many levels of symbolic links"),
    (os.mkfifo, "is no regular file"),
    (os.mkdir, "is no regular file"),
    (fill, "the file is longer than"),
)
def test_watching_goes_on_where_a_file_is_no_scenario(
    watched: Watched, make: Callable[[Path], None], finding: str
) -> None:
    other = watched.file.with_name("z.yaml")
    make(other)
    tracemalloc.start()
    said = watched.look()
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert f"warning kept what was loaded before {other}" in said
    assert finding in said
    assert most < 50 * 1024 * 1024
    other.rmdir() if other.is_dir() else other.unlink()
    assert f"reloaded {watched.file}" in watched.change(CODE.format("222222"))
    assert watched.code == "222222"


def test_watching_goes_on_after_what_it_did_not_expect(
    watched: Watched, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun: list[None] = []
    monkeypatch.setattr(watched.watcher, "start", lambda: begun.append(None))
    monkeypatch.setattr(watched.watcher, "look", lambda: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        watched.watcher._run()
    assert begun == [None]


RULE = "name: shop\n{}rules:\n- {{name: away, when: {{call: GetContracts, nth: {}}}, then: {{answer: {}}}}}\n"


def ask(watched: Watched, method: str = "GET") -> int:
    """The status of a call about contracts: they are listed, or one is made."""
    body = {"name": "T", "chainId": 80002, "address": "0x" + "ab" * 20} if method == "POST" else None
    headers = {"authorization": "Bearer sk_test_default"}
    transport = InProcessTransport(watched.app)
    with Client(transport=transport, base_url="http://mock", headers=headers) as client:
        return client.request(method, "/v1/contracts", json=body).status_code


def test_rules_are_exchanged_below_the_data_that_is_there(watched: Watched) -> None:
    assert "the default project begins anew" in watched.change(RULE.format("", "{from: 1}", 503))
    project = watched.app.pipeline.world.key("sk_test_default").project
    assert (ask(watched, "POST"), ask(watched)) == (200, 503)
    before, entries = project.generation, project.history.calls
    assert f"info reloaded {watched.file}: the rules are exchanged" in watched.change(
        RULE.format("", "{from: 1}", 429)
    )
    assert ask(watched) == 429
    assert (project.generation, project.history.calls) == (before, entries + 1)
    assert next(iter(project.scenarios)).text == watched.file.read_text()
    assert ask(watched, "POST") == 409


def test_exchanged_rules_are_counted_anew(watched: Watched) -> None:
    watched.change(RULE.format("", "{to: 1}", 503))
    assert [ask(watched), ask(watched)] == [503, 200]
    watched.change(RULE.format("", "{to: 1}", 429))
    assert [ask(watched), ask(watched)] == [429, 200]


def test_a_reset_has_the_rules_that_were_exchanged(watched: Watched) -> None:
    watched.change(RULE.format("", "{from: 1}", 503))
    watched.change(RULE.format("", "{from: 1}", 429))
    watched.app.pipeline.world.key("sk_test_default").project.reset(watched.app.pipeline.world.real_ms)
    assert ask(watched) == 429


def test_a_file_that_is_gone_keeps_what_was_there_and_is_named(watched: Watched) -> None:
    watched.watcher = Watcher(watched.app, [watched.file])
    watched.file.unlink()
    said = watched.look()
    assert f"warning kept what was loaded before {watched.file}\n" in said
    assert f"cannot read {watched.file}: No such file or directory\n" in said


def test_rules_with_a_mistake_leave_those_that_were_there(watched: Watched) -> None:
    watched.change(RULE.format("", "{from: 1}", 503))
    assert "warning kept what was loaded before" in watched.change(RULE.format("", "{from: 1}", 99))
    assert ask(watched) == 503


def test_steps_that_fail_leave_the_data_that_was_there(watched: Watched) -> None:
    assert ask(watched, "POST") == 200
    step = f"- call: CreateContract\n  body: {{name: T, chainId: 80002, address: '0x{'cd' * 20}'}}\n"
    assert "warning kept what was loaded before" in watched.change(f"name: shop\ngiven:\n{step}{step}")
    project = watched.app.pipeline.world.key("sk_test_default").project
    assert len(project.onchain.contracts) == 1
    project.reset(watched.app.pipeline.world.real_ms)
    assert watched.code == "111111"


def test_what_sets_the_project_up_makes_it_begin_anew(watched: Watched) -> None:
    watched.change(RULE.format("", "{from: 1}", 503))
    assert ask(watched, "POST") == 200
    assert f"info reloaded {watched.file}: the default project begins anew" in watched.change(
        RULE.format("settings: {one_time_code: '222222'}\n", "{from: 9}", 503)
    )
    assert (watched.code, ask(watched, "POST")) == ("222222", 200)


def test_an_unloaded_scenarios_rules_are_loaded_with_the_rest(watched: Watched) -> None:
    watched.change(RULE.format("", "{from: 1}", 503))
    project = watched.app.pipeline.world.key("sk_test_default").project
    unload(project, next(iter(project.scenarios)).id)
    assert "the default project begins anew" in watched.change(RULE.format("", "{from: 1}", 429))
    assert ask(watched) == 429


def test_other_projects_are_left_alone(watched: Watched) -> None:
    world = watched.app.pipeline.world
    other = world.create(name="other")
    before = other.generation
    watched.change(CODE.format("222222"))
    assert other.generation == before


def test_a_recording_has_one_set_of_files(run_here: Run, tmp_path: Path) -> None:
    ended = run_here("serve", "--watch", "--record", str(tmp_path / "r.jsonl"), "--port", "0")
    assert ended.returncode == 1
    assert "--watch and --record exclude each other" in ended.stderr
