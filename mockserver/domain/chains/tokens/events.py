"""The events that token contracts emit."""

from collections.abc import Sequence

from mockserver.chain.abi.functions import encode_values, event_topic
from mockserver.domain.chains.tokens.holdings import Token
from mockserver.state.onchain import Log


def event_log(
    token: Token,
    event: str,
    indexed: Sequence[str | int],
    types: Sequence[str] = (),
    values: Sequence[object] = (),
) -> Log:
    """The log of an event; indexed values are addresses, or 256-bit numbers."""
    topics = [event_topic(event)]
    topics += [encode_values(["address" if isinstance(each, str) else "uint256"], [each]) for each in indexed]
    return Log(
        address=token.address,
        topics=tuple("0x" + topic.hex() for topic in topics),
        data="0x" + encode_values(types, values).hex(),
    )
