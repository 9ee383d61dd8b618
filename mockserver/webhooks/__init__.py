"""Webhooks: subscriptions, what is delivered to them, and how. Nothing but the assembly imports this."""

MODULES = ("events", "logs", "subscriptions", "control")
"""The modules that declare its endpoints."""
