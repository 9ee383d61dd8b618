"""What a consumer's tests never met: error coverage, exploring of unhappy paths, linting of clients, probing.

Reads what servers recorded, and scripts them by scenarios; nothing that serves knows of it.
"""
