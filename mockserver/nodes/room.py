"""What the assembly plugs in: the operations."""

from pathlib import Path

from mockserver.server.edge.app import App

OPERATIONS = Path(__file__).with_name("operations.txt")
"""Where each operation is declared, which `python docs/generate.py` writes."""


def plug_in(app: App) -> None:
    """Nothing follows the projects of a server here."""
