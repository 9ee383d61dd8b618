"""Keys, signatures, digests and tokens: bytes in, bytes out. Time and randomness are always passed in."""
