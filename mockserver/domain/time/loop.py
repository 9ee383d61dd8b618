"""The loop that moves time: everything that is due on the way fires, in order."""

from collections.abc import Callable, Mapping
from typing import NamedTuple

from mockserver.kernel.timers import Timer
from mockserver.state.project import Project

TimerHandler = Callable[[Project, Timer], tuple[str, str] | None]
"""Takes the step that a timer is for; the states before and after it, or None when there was none to take."""


class Fired(NamedTuple):
    """A timer that fired: what happened to which row, and the states it led from and to."""

    at_ms: int
    kind: str
    id: str
    event: str
    source: str
    target: str


class TimerLoop:
    """Moves the time of projects, with a handler for each kind of timer. It keeps no state itself."""

    def __init__(self, handlers: Mapping[str, TimerHandler]) -> None:
        self._handlers = handlers

    def advance(self, project: Project, to_ms: int) -> list[Fired]:
        """Move a project's clock to a time, firing what is due on the way; returns what fired."""
        fired: list[Fired] = []
        while (timer := project.timers.pop_due(to_ms)) is not None:
            fired.extend(self._fire(project, timer))
        project.clock.move_to(to_ms)
        return fired

    def run_until(self, project: Project, ready: Callable[[], bool], row_id: str, limit_ms: int) -> None:
        """Jump to what is due for a row until `ready()`, or nothing more is due for it by the limit.

        Whatever else is due on the way fires too.
        """
        while not ready():
            due_ms = project.timers.next_due_ms(row_id)
            if due_ms is None or due_ms > limit_ms:
                return
            self.advance(project, due_ms)

    def catch_up(self, project: Project, real_ms: int) -> None:
        """Move the clock of a ticking project to where the real time puts it."""
        target_ms = project.clock.target_ms(real_ms)
        if target_ms > project.clock.now_ms:
            self.advance(project, target_ms)

    def _fire(self, project: Project, timer: Timer) -> list[Fired]:
        project.clock.move_to(max(project.clock.now_ms, timer.due_ms))
        # A timer is spent even if its handler raises: otherwise the clock could never move past it.
        project.undo.mark()
        moved = self._handlers[timer.kind](project, timer)
        project.undo.mark()
        if moved is None:
            return []
        return [Fired(project.clock.now_ms, timer.kind, timer.row_id, timer.event, *moved)]
