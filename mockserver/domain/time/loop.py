"""The timer loop: advances clocks, and fires the timers that become due, in order."""

from collections.abc import Callable
from functools import partial
from itertools import count

from mockserver.kernel.effort import Work
from mockserver.kernel.timers import Fired, Timer
from mockserver.state.history.history import TimerHandler
from mockserver.state.project import Project

_TIMERS_IN_A_SLICE = 200
"""After how many timers other calls are answered: most take less than a fifth of a millisecond."""


class TimerLoop:
    """Advances the clocks of projects, with a handler for each kind of timer. It has no state of its own."""

    def __init__(self, find_handler: Callable[[str], TimerHandler | None]) -> None:
        self._find_handler = find_handler

    def advance(self, project: Project, to_ms: int) -> list[Fired]:
        """Move a project's clock to a time, firing what is due on the way; returns what fired."""
        fired: list[Fired] = []
        # One by one: a handler may set or cancel timers that are due within the same advance.
        while (timer := project.timers.pop_due(to_ms)) is not None:
            # The timer stays removed even if its handler raises: otherwise it would fire again at every
            # advance, and the clock could never pass it.
            project.commit()
            fired.extend(self._fire(project, timer))
        project.clock.move_to(to_ms)
        return fired

    def advance_in_slices(self, project: Project, to_ms: int) -> Work[list[Fired]]:
        """Advance as `advance` does, with pauses, and with the work of handlers that takes long done ahead.

        Meanwhile its timer is still set, so the project can be copied or go back in time between slices.
        """
        fired: list[Fired] = []
        for number in count(1):
            due_ms = project.timers.next_due_ms()
            if due_ms is None or due_ms > to_ms:
                break
            fired.extend((yield from project.ahead.run(partial(self._fire_next, project, to_ms))))
            if not number % _TIMERS_IN_A_SLICE:
                yield from project.ahead.do([None])
        project.clock.move_to(max(project.clock.now_ms, to_ms))
        return fired

    def run_until(self, project: Project, ready: Callable[[], bool], row_id: str, limit_ms: int) -> None:
        """Advance to the next timer of a row until `ready()`, or until the row has no timer by the limit.

        Timers of other rows that become due on the way fire, too.
        """
        while not ready():
            due_ms = project.timers.next_due_ms(row_id)
            if due_ms is None or due_ms > limit_ms:
                return
            self.advance(project, due_ms)

    def catch_up(self, project: Project, real_ms: Callable[[], int]) -> None:
        """Advance a ticking clock to the real time that `real_ms` reads, and record what that changed.

        While something is executed ahead, the clock stands still: it is executed in the block of its call.
        """
        if project.clock.mode == "frozen":
            return
        if project.ahead.begun:
            project.clock.anchor(real_ms)
            return
        target_ms, anchors = project.clock.target_ms(real_ms()), project.clock.anchors
        if target_ms > project.clock.now_ms:
            try:
                self.advance(project, target_ms)
            finally:
                project.clock.anchors = anchors
        if project.undo.permanent or project.fired:
            project.record("clock")

    def _fire_next(self, project: Project, to_ms: int) -> list[Fired]:
        """Fire the soonest timer, which stays removed even if its handler raises."""
        # Another call may have fired it between slices.
        if (timer := project.timers.pop_due(to_ms)) is None:
            return []
        try:
            return self._fire(project, timer)
        except Exception:
            project.roll_back()
            project.timers.pop_due(to_ms)
            project.commit()
            raise

    def _fire(self, project: Project, timer: Timer) -> list[Fired]:
        project.clock.move_to(max(project.clock.now_ms, timer.due_ms))
        handler = self._find_handler(timer.kind)
        if handler is None:
            handler = project.timer_handlers.get(timer.kind)
        moved = None if handler is None else handler(project, timer)
        project.commit()
        if moved is None:
            return []
        fired = Fired(project.clock.now_ms, timer.kind, timer.row_id, timer.event, *moved)
        project.fired.append(fired)
        return [fired]
