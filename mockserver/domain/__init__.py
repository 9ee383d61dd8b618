"""Decisions that two resources need, and the lives of things."""
