"""Scenario files as text and as trees with places: includes, references, findings."""
