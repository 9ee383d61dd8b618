"""Policies: what they are asked about, what their criteria match, and what they decide."""
