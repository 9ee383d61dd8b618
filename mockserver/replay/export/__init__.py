"""Exports of recordings: as a scenario, a test, an HTTP archive or a shell script."""
