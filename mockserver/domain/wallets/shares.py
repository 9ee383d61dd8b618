"""Shares of embedded keys, as opaque texts.

The service splits a user's key and hands the parts out. Here a share is a text that belongs to its
signer for good; it is no part of the key, and nothing can be put together from it.
"""

from mockserver.state.project import Project

_SIZE = 32


def primary_share(project: Project, signer_id: str) -> str:
    """What `export-share` hands out: 32 bytes as hexadecimal digits."""
    return project.entropy.derive(f"primary_share/{signer_id}", _SIZE).hex()


def recovery_share(project: Project, signer_id: str) -> str:
    """What the developer keeps for a user who was made before they came: 32 bytes as hex digits."""
    return project.entropy.derive(f"recovery_share/{signer_id}", _SIZE).hex()
