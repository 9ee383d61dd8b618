"""Answering clients from a recording."""
