"""A life."""

from mockserver.kernel.timers import Timer
from mockserver.state.project import Project

KIND = "solana_transaction"


def on_timer(project: Project, timer: Timer) -> tuple[str, str] | None:
    """Something is due."""
    return None
