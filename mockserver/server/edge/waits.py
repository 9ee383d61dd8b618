"""Requests that wait: for a receipt, or for what another request will do."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass

from mockserver.state.project import Project


@dataclass(slots=True, eq=False)
class _Waiting:
    """A request that waits, and the future that ends its wait."""

    project: Project
    ready: Callable[[], bool]
    follows_clock: bool
    ended: asyncio.Future[None]

    def is_ready(self) -> bool:
        try:
            return self.project.is_deleted or self.ready()
        except Exception:
            # The request that waits answers for this, not the one after which it was looked at.
            return True


class Waits:
    """The requests that wait, by the project that can end their wait.

    Only a request to that project, or a timer of its ticking clock, lets them be looked at: other projects
    pay nothing for them.
    """

    def __init__(self, catch_up: Callable[[Project], None]) -> None:
        self._catch_up = catch_up
        self.by_project: dict[Project, list[_Waiting]] = {}
        self._alarms: dict[Project, tuple[int, asyncio.TimerHandle]] = {}
        self._are_over = False

    def __len__(self) -> int:
        return sum(map(len, self.by_project.values()))

    async def until_ready(
        self, project: Project, ready: Callable[[], bool], *, limit_ms: float | None, follows_clock: bool
    ) -> None:
        """Wait in real time until `ready()` or the project is deleted, or until the limit if there is one.

        With `follows_clock` the project's timers fire when they are due.
        """
        waiting = _Waiting(project, ready, follows_clock, asyncio.get_running_loop().create_future())
        # Between the request and its wait, another thread's request may have been answered.
        if self._are_over or waiting.is_ready():
            return
        self.by_project.setdefault(project, []).append(waiting)
        self._set_alarm(project)
        try:
            await asyncio.wait([waiting.ended], timeout=None if limit_ms is None else limit_ms / 1000)
        finally:
            self._remove(project, waiting)

    def check(self, project: Project) -> None:
        """End the waits that are ready, after a request to the project or one of its timers."""
        waits = self.by_project.get(project)
        if waits is None:
            return
        for waiting in waits:
            if not waiting.ended.done() and waiting.is_ready():
                waiting.ended.set_result(None)
        self._set_alarm(project)

    @property
    def are_over(self) -> bool:
        """Whether no wait takes any time now, because the server is about to stop."""
        return self._are_over

    def begin(self) -> None:
        """Allow waits again."""
        self._are_over = False

    def end(self) -> None:
        """End every wait, ready or not. Until `begin`, none takes any time."""
        self._are_over = True
        for waits in self.by_project.values():
            for waiting in waits:
                if not waiting.ended.done():
                    waiting.ended.set_result(None)

    def _remove(self, project: Project, waiting: _Waiting) -> None:
        waits = self.by_project[project]
        waits.remove(waiting)
        if not waits:
            del self.by_project[project]
            if project in self._alarms:
                self._alarms.pop(project)[1].cancel()

    def _set_alarm(self, project: Project) -> None:
        """Look at a project's waits again when the next timer of its ticking clock is due."""
        due_ms = project.timers.next_due_ms()
        due_before_ms, handle = self._alarms.get(project, (None, None))
        if due_ms == due_before_ms:
            return
        if handle is not None:
            handle.cancel()
            del self._alarms[project]
        if due_ms is None or project.clock.mode == "frozen":
            return
        if any(waiting.follows_clock for waiting in self.by_project[project]):
            # Plus one: at a whole-millisecond clock the due time may show up to a millisecond late.
            delay_s = (project.clock.real_wait_ms(due_ms) + 1) / 1000
            loop = asyncio.get_running_loop()
            self._alarms[project] = due_ms, loop.call_later(delay_s, self._ring, project)

    def _ring(self, project: Project) -> None:
        del self._alarms[project]
        self._catch_up(project)
        self.check(project)
