"""Signing in by social and third-party providers."""
