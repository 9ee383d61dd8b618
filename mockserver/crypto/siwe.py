"""The messages of Sign-In with Ethereum (ERC-4361). No clock is read here."""

import re
from datetime import datetime
from typing import NamedTuple

_TIME = r"[0-9T:.Zz+-]+"
# Without a statement ERC-4361 has an empty line and two line feeds. Some libraries write only one, and
# siwe three for a statement that is empty.
_MESSAGE = re.compile(
    r"(?:[A-Za-z][A-Za-z0-9+.-]*://)?(?P<domain>[^\s/?#]+)"
    r" wants you to sign in with your Ethereum account:\n"
    r"(?P<address>0x[0-9a-fA-F]{40})\n"
    r"(?:\n(?P<statement>[^\n]*)\n|\n)?"
    r"\n"
    r"URI: (?P<uri>\S+)\n"
    r"Version: 1\n"
    r"Chain ID: (?P<chain_id>[0-9]{1,16})\n"
    r"Nonce: (?P<nonce>[A-Za-z0-9]{8,})\n"
    rf"Issued At: (?P<issued_at>{_TIME})"
    rf"(?:\nExpiration Time: (?P<expiration_time>{_TIME}))?"
    rf"(?:\nNot Before: (?P<not_before>{_TIME}))?"
    r"(?:\nRequest ID: (?P<request_id>[^\n]*))?"
    r"(?:\nResources:(?P<resources>(?:\n- \S+)*))?"
)


class BadMessage(ValueError):
    """The text is not a message of ERC-4361; the message says why."""


class Message(NamedTuple):
    """The parsed message. Times are in milliseconds since the Unix epoch."""

    domain: str
    address: str
    statement: str | None
    uri: str
    chain_id: int
    nonce: str
    issued_ms: int
    expires_ms: int | None = None
    not_before_ms: int | None = None
    request_id: str | None = None
    resources: tuple[str, ...] = ()

    def is_valid_at(self, moment_ms: int) -> bool:
        """Whether `Not Before` and `Expiration Time` allow a time."""
        if self.expires_ms is not None and self.expires_ms <= moment_ms:
            return False
        return self.not_before_ms is None or self.not_before_ms <= moment_ms


def parse(text: str) -> Message:
    """Read a message; BadMessage unless it is one. The address may be in any case."""
    match = _MESSAGE.fullmatch(text)
    if match is None:
        raise BadMessage("the message is not in the form of ERC-4361")
    resources = match["resources"] or ""
    return Message(
        domain=match["domain"],
        address=match["address"],
        statement=match["statement"] or None,
        uri=match["uri"],
        chain_id=int(match["chain_id"]),
        nonce=match["nonce"],
        issued_ms=_moment_ms(match["issued_at"]),
        expires_ms=_moment_ms(match["expiration_time"]) if match["expiration_time"] else None,
        not_before_ms=_moment_ms(match["not_before"]) if match["not_before"] else None,
        request_id=match["request_id"],
        resources=tuple(line.removeprefix("- ") for line in resources.split("\n")[1:]),
    )


def _moment_ms(text: str) -> int:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise BadMessage(f"{text[:40]} is not a date-time (RFC 3339)") from None
    if moment.tzinfo is None:
        raise BadMessage(f"{text[:40]} has no time zone")
    return round(moment.timestamp() * 1000)
