"""Calls that wait in real time: for a receipt, for what another request will do, for the end of a delay."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass

from mockserver.api.waiting import AT_ONCE, Until
from mockserver.state.project import Project


@dataclass(slots=True, eq=False)
class _Wait:
    """What is waited for, and the future that ends the wait."""

    project: Project
    until: Until
    ended: asyncio.Future[None]

    def is_over(self) -> bool:
        project, until = self.project, self.until
        if until.due_ms is not None and project.clock.now_ms >= until.due_ms:
            return True
        try:
            return project.is_deleted or until.ready()
        except Exception:
            # The call that waits answers for this, not the one after which it was looked at.
            return True


class Waits:
    """What is waited for, by the project that can end the wait.

    Only a request to that project, or a timer of its ticking clock, lets it be looked at: other projects
    pay nothing for it.
    """

    def __init__(self, tick: Callable[[Project], None]) -> None:
        """`tick` advances a ticking clock to real time."""
        self._tick = tick
        self.of_project: dict[Project, list[_Wait]] = {}
        """What is waited for now; empty when nothing is."""
        self._alarms: dict[Project, tuple[int, asyncio.TimerHandle]] = {}
        self.are_over = False
        """Whether no wait takes any time now, because the server is about to stop."""

    def __len__(self) -> int:
        return sum(map(len, self.of_project.values()))

    async def wait(self, project: Project, until: Until) -> None:
        """Wait until what is waited for has happened or its time has come, or the project is deleted."""
        if until is AT_ONCE:
            # Other requests are answered here.
            await asyncio.sleep(0)
            return
        wait = _Wait(project, until, asyncio.get_running_loop().create_future())
        # Between the request and its wait, another thread's request may have been answered.
        if self.are_over or wait.is_over():
            return
        self.of_project.setdefault(project, []).append(wait)
        self._set_alarm(project)
        try:
            await asyncio.wait([wait.ended], timeout=None if until.real_ms is None else until.real_ms / 1000)
        finally:
            self._remove(wait)

    def check(self, project: Project | None) -> None:
        """End the waits that are over, after a request to the project or one of its timers."""
        if project is None or project not in self.of_project:
            return
        for wait in self.of_project[project]:
            if not wait.ended.done() and wait.is_over():
                wait.ended.set_result(None)
        self._set_alarm(project)

    def begin(self) -> None:
        """Allow waits again."""
        self.are_over = False

    def end(self) -> None:
        """End every wait, over or not. Until `begin`, none takes any time."""
        self.are_over = True
        for waits in self.of_project.values():
            for wait in waits:
                if not wait.ended.done():
                    wait.ended.set_result(None)

    def _remove(self, wait: _Wait) -> None:
        project = wait.project
        waits = self.of_project[project]
        waits.remove(wait)
        if not waits:
            del self.of_project[project]
            if project in self._alarms:
                self._alarms.pop(project)[1].cancel()

    def _set_alarm(self, project: Project) -> None:
        """Look at a project's waits again when the next of its timers, or of their times, is due."""
        due_ms = self._next_due_ms(project)
        due_before_ms, handle = self._alarms.get(project, (None, None))
        if due_ms == due_before_ms:
            return
        if handle is not None:
            handle.cancel()
            del self._alarms[project]
        if due_ms is not None:
            # Plus one: at a whole-millisecond clock the due time may show up to a millisecond late.
            delay_s = (project.clock.real_wait_ms(due_ms) + 1) / 1000
            loop = asyncio.get_running_loop()
            self._alarms[project] = due_ms, loop.call_later(delay_s, self._ring, project)

    def _next_due_ms(self, project: Project) -> int | None:
        if project.clock.mode == "frozen" or project.is_deleted:
            return None
        times = [wait.until.due_ms for wait in self.of_project[project] if not wait.ended.done()]
        return min((due for due in (*times, project.timers.next_due_ms()) if due is not None), default=None)

    def _ring(self, project: Project) -> None:
        del self._alarms[project]
        self._tick(project)
        self.check(project)
