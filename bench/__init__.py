"""Benchmarks: what the mock server costs beside applications that do nothing but the work."""
