"""The events that contracts without code emit."""

from collections.abc import Sequence

from mockserver.chain.abi.functions import encode_event
from mockserver.state.onchain import Log


def event_log(address: str, event: str, indexed: Sequence[object], values: Sequence[object] = ()) -> Log:
    """The log of an event, whose first arguments are indexed."""
    topics, data = encode_event(event, indexed, values)
    return Log(address=address, topics=tuple("0x" + topic.hex() for topic in topics), data="0x" + data.hex())
