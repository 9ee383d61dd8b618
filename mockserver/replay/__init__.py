"""Replay of recordings: the same requests again, and whether the answers and the rows are the same."""
