"""Keys, signatures, digests and tokens: bytes in, bytes out. Time and chance are always passed in."""
