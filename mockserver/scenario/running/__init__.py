"""Loaded scenarios at work: matching calls, acting on them, playing expectations."""
