"""Encodings of the chains: bytes to bytes, without state, clock or randomness."""
