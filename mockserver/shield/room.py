"""What the assembly plugs in: the operations, and nothing else."""

from pathlib import Path

from mockserver.server.edge.app import App

OPERATIONS = Path(__file__).with_name("operations.txt")
"""Where each operation is declared, which `python docs/generate.py` writes."""


def plug_in(app: App) -> None:
    """Plug nothing in."""
