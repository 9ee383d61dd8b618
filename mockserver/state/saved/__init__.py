"""Projects as data: lines, bytes and digests of their state, and the states that they had before."""
