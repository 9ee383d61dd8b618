"""Signing up, signing in and what belongs to it (`/iam/v2/auth`), one module a way in."""
