"""Clients and tools for tests of your own."""
