"""Recording: everything that changes a world, in order, in one file.

`docs/reference/recording-format.md` describes the file, `mockserver.replay` reads it.
"""
