"""Tokens of the simulated chains: who has how many, what calls do to them, and what reads answer."""
