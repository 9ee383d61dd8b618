"""Shortening a recording: which requests depend on which, and what may be left out."""
