"""Shares of embedded keys, as opaque texts.

The service splits a user's key into shares. Here a share is a constant text for each signer, without
any part of the key in it.
"""

from mockserver.state.project import Project

_SIZE = 32


def primary_share(project: Project, signer_id: str) -> str:
    """The share that `export-share` returns: 32 bytes in hex."""
    return project.entropy.derive(f"primary_share/{signer_id}", _SIZE).hex()


def recovery_share(project: Project, signer_id: str) -> str:
    """The share that the developer stores for a pregenerated user: 32 bytes in hex."""
    return project.entropy.derive(f"recovery_share/{signer_id}", _SIZE).hex()
