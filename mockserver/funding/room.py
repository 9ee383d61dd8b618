"""What the assembly plugs in: the operations, and what the timers of sessions do."""

from pathlib import Path

from mockserver.kernel.timers import Timer
from mockserver.server.edge.app import App
from mockserver.state.project import Project

OPERATIONS = Path(__file__).with_name("operations.txt")
"""Where each operation is declared, which `python docs/generate.py` writes."""


def plug_in(app: App) -> None:
    """Handle the timers of funding sessions."""
    app.pipeline.world.histories.timer_handlers["funding_session"] = _on_timer


def _on_timer(project: Project, timer: Timer) -> tuple[str, str] | None:
    # Imported on first use: few servers have sessions.
    from mockserver.funding.lifecycle import on_timer

    return on_timer(project, timer)
