"""Beside the real service: recording it, and comparing recordings and published documents with the mock.

`record` and `compare` share the format of recordings, and the links between requests that shrinking finds.
"""
