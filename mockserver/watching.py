"""`serve --watch`: loads scenario files anew when their content changes."""

import asyncio
from collections.abc import Sequence
from pathlib import Path

from mockserver.application import DEFAULT_PROJECT, DEFAULT_SCENARIO
from mockserver.scenario.files import read_files, required_files, scenario_files
from mockserver.scenario.findings import ScenarioError
from mockserver.scenario.start_up import StartUp
from mockserver.server.app import App
from mockserver.validate import find_mistakes

_INTERVAL_S = 0.3

Contents = dict[Path, bytes | None]
"""What files contain; None for one that cannot be read."""


class Watcher:
    """Looks at the content of files, because mounts of other machines and containers report no changes.

    After a change the default project begins anew with all files, as after a reset. Files with a mistake
    change nothing. Other projects are left alone.
    """

    def __init__(self, app: App, paths: Sequence[Path]) -> None:
        self._app = app
        self._paths = paths
        self._seen = self._look()

    def start(self) -> None:
        """Look from now on, in the running event loop."""
        asyncio.get_running_loop().call_later(_INTERVAL_S, self._run)

    def _run(self) -> None:
        self.look()
        self.start()

    def look(self) -> None:
        """Load the files anew if any has changed, and say in the log what came of it."""
        now = self._look()
        before, self._seen = self._seen, now
        changed = sorted(
            str(path) for path in before.keys() | now.keys() if before.get(path) != now.get(path)
        )
        if not changed:
            return
        findings = self._reload()
        names = ", ".join(changed)
        if findings:
            self._app.log.write_event("warning", f"kept what was loaded before {names}\n{findings}")
        else:
            self._app.log.write_event("info", f"reloaded {names}")

    def _look(self) -> Contents:
        try:
            files = scenario_files(self._paths)
        except OSError:
            return {}
        needed = (required for file in files for required in required_files(file))
        return {file: _read(file) for file in (*files, *needed)}

    def _reload(self) -> str:
        """What is wrong with the files; if nothing is, they are loaded."""
        pipeline = self._app.pipeline
        try:
            files = scenario_files(self._paths) or [DEFAULT_SCENARIO]
            scenarios = read_files(files, pipeline.routes)
        except (ScenarioError, OSError) as error:
            return str(error)
        mistakes = find_mistakes(scenarios)
        if mistakes:
            return "\n".join(mistakes)
        project = pipeline.world.key(f"sk_test_{DEFAULT_PROJECT}").project
        project.seed_project = StartUp(pipeline.world, scenarios, pipeline.answer)
        project.reset(pipeline.world.real_ms())
        self._app.waits.check(project)
        return ""


def _read(file: Path) -> bytes | None:
    try:
        return file.read_bytes()
    except OSError:
        return None
