"""Policies: evaluation, criteria, and what a signature request shows to them."""
