"""The share service that clients keep key shares with, and the embedded wallet, recovered by such shares.

The package itself is what the assembly plugs in, and nothing else imports it.
"""

from pathlib import Path

from mockserver.server.edge.app import App

MODULES = ("embedded", "encryption_sessions", "shares")
"""The modules that declare its endpoints."""
OPERATIONS = Path(__file__).with_name("operations.txt")
"""Where each operation is declared, which `python docs/generate.py` writes."""


def plug_in(_app: App) -> None:
    """Add nothing to the operations."""
