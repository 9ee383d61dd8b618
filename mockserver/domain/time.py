"""The one loop that moves time: everything that is due happens on the way, in order."""

from collections.abc import Callable, Mapping
from typing import NamedTuple

from mockserver.domain import session_keys, solana_life, transaction_life
from mockserver.kernel.timers import Timer
from mockserver.state.project import Project

Turn = Callable[[Project, Timer], tuple[str, str] | None]

_TURNS: Mapping[str, Turn] = {
    transaction_life.KIND: transaction_life.on_timer,
    solana_life.KIND: solana_life.on_timer,
    session_keys.KIND: session_keys.on_timer,
}


class Fired(NamedTuple):
    """A timer that fired: what happened to which row, and the states it led from and to."""

    at_ms: int
    kind: str
    id: str
    event: str
    source: str
    target: str


def advance(project: Project, moment_ms: int) -> list[Fired]:
    """Move a project's time to a moment, firing what is due on the way; answers what fired."""
    fired: list[Fired] = []
    while (happened := _next(project, moment_ms)) is not None:
        fired.extend(happened)
    project.clock.move_to(moment_ms)
    return fired


def run_until(project: Project, ready: Callable[[], bool], row_id: str, limit_ms: int) -> None:
    """Jump to what is due for a row until something holds, nothing more is due, or it is too far off.

    Whatever else is due on the way happens too.
    """
    while not ready():
        due_ms = project.timers.next_due_ms(row_id)
        if due_ms is None or due_ms > limit_ms:
            return
        advance(project, due_ms)


def catch_up(project: Project, real_ms: int) -> None:
    """Bring a ticking project's time up to the real one."""
    target_ms = project.clock.target_ms(real_ms)
    if target_ms > project.clock.now_ms:
        advance(project, target_ms)


def _next(project: Project, limit_ms: int) -> list[Fired] | None:
    """Fire the soonest timer that is due by the limit; None when there is none."""
    timer = project.timers.take_due(limit_ms)
    if timer is None:
        return None
    project.clock.move_to(max(project.clock.now_ms, timer.due_ms))
    # A timer is spent even if a fault of ours strikes when it fires: the clock must not stand still for ever.
    project.undo.mark()
    moved = _TURNS[timer.kind](project, timer)
    project.undo.mark()
    if moved is None:
        return []
    return [Fired(project.clock.now_ms, timer.kind, timer.row_id, timer.event, *moved)]
