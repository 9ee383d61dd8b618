"""Funding sessions and the on-ramp: money from outside. Nothing but the assembly imports this."""

MODULES = ("sessions", "onramp", "control")
"""The modules that declare its endpoints."""
