"""Scenarios: YAML files that set a project up, and whose rules make calls go wrong."""
