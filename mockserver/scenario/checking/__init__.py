"""Whole scenarios: loaded from files or texts, checked, described as JSON Schema."""
