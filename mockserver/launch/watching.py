"""`serve --watch`: loads scenario files anew when their content changes."""

import asyncio
from collections.abc import Sequence
from pathlib import Path
from stat import S_ISREG
from typing import Any

from mockserver.launch.application import DEFAULT_PROJECT, describe_unreadable, read_start_up
from mockserver.launch.validate import load_together
from mockserver.scenario.checking.files import MOST_BYTES, required_files, scenario_files
from mockserver.scenario.checking.load import Scenario
from mockserver.scenario.reading.findings import ScenarioError
from mockserver.scenario.running.apply import replace_rules
from mockserver.scenario.running.start_up import StartUp
from mockserver.server.edge.app import App
from mockserver.state.project import Project

_INTERVAL_S = 0.3
_EXCHANGED = ("rules", "expect")
"""The parts of a scenario that can change below data that is there already."""

Contents = dict[Path, bytes | None]
"""What files contain; None for one that cannot be read or is no regular one."""


class Watcher:
    """Looks at the content of files, because mounts of other machines and containers report no changes.

    Rules that changed are exchanged, and the default project keeps its data, clock and journal. After any
    other change it begins anew with all files, as after a reset: steps that were sent cannot be taken back.
    Files with a mistake change nothing. Other projects are left alone.
    """

    def __init__(self, app: App, paths: Sequence[Path]) -> None:
        self._app = app
        self._paths = paths
        self._seen = self._look()

    def start(self) -> None:
        """Look from now on, in the running event loop."""
        asyncio.get_running_loop().call_later(_INTERVAL_S, self._run)

    def _run(self) -> None:
        try:
            self.look()
        finally:
            self.start()

    def look(self) -> None:
        """Load the files anew if any has changed, and say in the log what came of it."""
        now = self._look()
        before, self._seen = self._seen, now
        changed = sorted(
            str(path) for path in before.keys() | now.keys() if before.get(path, ...) != now.get(path, ...)
        )
        if not changed:
            return
        names = ", ".join(changed)
        try:
            done = self._reload()
        except (ScenarioError, OSError) as error:
            finding = describe_unreadable(error) if isinstance(error, OSError) else error
            self._app.log.write_event("warning", f"kept what was loaded before {names}\n{finding}")
        else:
            self._app.log.write_event("info", f"reloaded {names}: {done}")

    def _look(self) -> Contents:
        try:
            files = scenario_files(self._paths)
        except OSError:
            return {}
        needed = (required for file in files for required in required_files(file))
        return {file: _read(file) for file in (*files, *needed)}

    def _reload(self) -> str:
        """Load the files; what was done. A ScenarioError or an OSError says what is wrong with them."""
        pipeline = self._app.pipeline
        scenarios = read_start_up(self._paths, pipeline.server.routes)
        load_together(scenarios)
        project = pipeline.world.key(f"sk_test_{DEFAULT_PROJECT}").project
        before, now = project.seed_project, StartUp(pipeline.world, scenarios, pipeline.answer)
        project.seed_project = now
        if isinstance(before, StartUp) and _exchange_rules(project, before.scenarios, scenarios):
            return "the rules are exchanged"
        project.reset(pipeline.world.real_ms)
        self._app.waits.check(project)
        return "the default project begins anew"


def _exchange_rules(project: Project, before: Sequence[Scenario], now: Sequence[Scenario]) -> bool:
    """Exchange the rules of scenarios that changed, if nothing else did; whether that is so."""
    if list(map(_set_up, before)) != list(map(_set_up, now)):
        return False
    changed = [(old, new) for old, new in zip(before, now, strict=True) if old.text != new.text]
    loaded = {(each.source, each.text): each.id for each in project.scenarios}
    if any((old.source, old.text) not in loaded for old, _ in changed):
        # It was unloaded, or a snapshot was restored.
        return False
    for old, new in changed:
        replace_rules(project, loaded[old.source, old.text], new)
    return True


def _set_up(scenario: Scenario) -> tuple[str, dict[str, Any]]:
    """The file of a scenario, and what it does when it is loaded."""
    parts = scenario.root.value.items()
    return scenario.source, {name: node.plain() for name, node in parts if name not in _EXCHANGED}


def _read(file: Path) -> bytes | None:
    try:
        state = file.stat()
        if not S_ISREG(state.st_mode):
            return None
        # What is longer than any scenario is not read three times a second.
        return file.read_bytes() if state.st_size <= MOST_BYTES else b"%d" % state.st_mtime_ns
    except OSError:
        return None
