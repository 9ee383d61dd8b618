"""The share service that clients keep key shares with. Nothing but the assembly imports this."""

MODULES = ("shares",)
"""The modules that declare its endpoints."""
