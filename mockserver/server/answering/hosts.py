"""Host names and addresses, as URLs and the header `Host` spell them."""

import re
from ipaddress import IPv6Address, ip_address

_AUTHORITY = re.compile(r"(?:\[([0-9A-Fa-f:.]+)\]|([A-Za-z0-9._-]+))(?::[0-9]{1,5})?")


def host_of(authority: str) -> str:
    """The host of `host:port`, in lower case and without brackets; empty where that is malformed."""
    match = _AUTHORITY.fullmatch(authority)
    return (match[1] or match[2]).lower().rstrip(".") if match else ""


def is_address(host: str) -> bool:
    """Whether this is an IP address and not a name."""
    try:
        ip_address(host)
    except ValueError:
        return False
    return True


def is_loopback(host: str) -> bool:
    """Whether a name or an address means the machine itself (RFC 6761, RFC 1122)."""
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        address = ip_address(host)
    except ValueError:
        return False
    mapped = address.ipv4_mapped if isinstance(address, IPv6Address) else None
    return (mapped or address).is_loopback
