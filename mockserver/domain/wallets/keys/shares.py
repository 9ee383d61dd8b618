"""Shares of embedded keys: Shamir's secret sharing, of which two shares give the key.

A share has a byte for each byte of the key, the value of a line in GF(2^8) (that of AES) at the share's
place, and then the place, as the libraries of HashiCorp Vault and Privy write shares.
"""

from mockserver.domain.wallets.keys.custody import require_key
from mockserver.state.project import Project
from mockserver.state.wallets import Account

_PRIMARY, _RECOVERY = 1, 2


def primary_share(project: Project, account: Account) -> str:
    """The share that `export-share` returns, in hex. ValueError without the key."""
    return _share(project, account, _PRIMARY)


def recovery_share(project: Project, account: Account) -> str:
    """The share that the developer stores for a pregenerated user, in hex. ValueError without the key."""
    return _share(project, account, _RECOVERY)


def _share(project: Project, account: Account, place: int) -> str:
    key = require_key(project, account, account.chain_type)
    slope = project.entropy.derive(f"key_share/{key.id}", len(key.secret))
    rise = slope if place == _PRIMARY else bytes(map(_double, slope))
    return bytes([*(byte ^ added for byte, added in zip(key.secret, rise, strict=True)), place]).hex()


def _double(byte: int) -> int:
    return byte << 1 ^ (0x11B if byte & 0x80 else 0)
