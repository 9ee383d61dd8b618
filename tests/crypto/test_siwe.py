"""The messages of ERC-4361."""

from datetime import UTC, datetime

import pytest

from mockserver.crypto.siwe import BadMessage, parse
from tests.tables import cases

ADDRESS = "0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2"

# The example of ERC-4361 with every field.
FULL = f"""example.com wants you to sign in with your Ethereum account:
{ADDRESS}

I accept the ExampleOrg Terms of Service: https://example.com/tos

URI: https://example.com/login
Version: 1
Chain ID: 1
Nonce: 32891756
Issued At: 2021-09-30T16:25:24Z
Expiration Time: 2021-09-30T17:25:24.500Z
Not Before: 2021-09-30T18:25:24+02:00
Request ID: 7
Resources:
- ipfs://bafybeiemxf5abjwjbikoz4mc3a3dla6ual3jsgpdr4cjr3oz3evfyavhwq/
- https://example.com/my-web2-claim.json"""

HEAD = f"https://localhost:3000 wants you to sign in with your Ethereum account:\n{ADDRESS}\n"
TAIL = (
    "URI: https://localhost:3000\nVersion: 1\nChain ID: 80002\nNonce: abcDEF12\n"
    "Issued At: 2026-01-01T00:00:00Z"
)


def ms(year: int, month: int, day: int, hour: int, minute: int, second: int) -> int:
    return round(datetime(year, month, day, hour, minute, second, tzinfo=UTC).timestamp() * 1000)


def test_every_field_is_read() -> None:
    message = parse(FULL)
    assert (message.domain, message.address) == ("example.com", ADDRESS)
    assert message.statement == "I accept the ExampleOrg Terms of Service: https://example.com/tos"
    assert message.uri == "https://example.com/login"
    assert (message.chain_id, message.nonce, message.request_id) == (1, "32891756", "7")
    assert message.issued_ms == ms(2021, 9, 30, 16, 25, 24)
    assert message.expires_ms == ms(2021, 9, 30, 17, 25, 24) + 500
    assert message.not_before_ms == ms(2021, 9, 30, 16, 25, 24)
    assert message.resources == (
        "ipfs://bafybeiemxf5abjwjbikoz4mc3a3dla6ual3jsgpdr4cjr3oz3evfyavhwq/",
        "https://example.com/my-web2-claim.json",
    )


@cases("between", "\n", "\n\n", "\n\n\n")
def test_a_message_needs_no_statement(between: str) -> None:
    message = parse(HEAD + between + TAIL)
    assert (message.domain, message.statement) == ("localhost:3000", None)
    assert (message.chain_id, message.expires_ms, message.resources) == (80002, None, ())


def test_a_message_holds_from_its_beginning_to_its_end() -> None:
    message = parse(FULL)
    begin, end = ms(2021, 9, 30, 16, 25, 24), ms(2021, 9, 30, 17, 25, 24) + 500
    moments = (begin - 1, begin, end - 1, end)
    assert [message.is_valid_at(moment) for moment in moments] == [False, True, True, False]


@cases(
    "old, new",
    ("Version: 1", "Version: 2"),
    ("Nonce: 32891756", "Nonce: 3289175"),
    ("Nonce: 32891756", "Nonce: 3289-1756"),
    ("Chain ID: 1", "Chain ID: one"),
    ("2021-09-30T16:25:24Z", "2021-09-31T16:25:24Z"),
    ("2021-09-30T16:25:24Z", "2021-09-30T16:25:24"),
    (ADDRESS, ADDRESS[:-1]),
    (" wants you to sign in", " asks you to sign in"),
    ("URI: https://example.com/login\n", ""),
    ("Service: https", "Service\nhttps"),
    ("claim.json", "claim.json\n"),
)
def test_what_is_not_in_the_form_is_refused(old: str, new: str) -> None:
    assert old in FULL
    with pytest.raises(BadMessage):
        parse(FULL.replace(old, new))
