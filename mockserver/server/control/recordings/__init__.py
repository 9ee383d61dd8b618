"""Recordings of a server, and their replay in it."""
