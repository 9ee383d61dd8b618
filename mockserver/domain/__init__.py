"""Decisions that several resources need, and the state machines."""
