"""What is known of entry points and the factories of accounts."""

from mockserver.chain.implementations import IMPLEMENTATIONS
from mockserver.domain.chains.entry_points import is_factory


def test_factories_of_implementations_are_known() -> None:
    factories = {each.factory_address for each in IMPLEMENTATIONS.values()}
    assert None in factories, "some accounts are delegated, and have none"
    assert all(is_factory(each.lower()) for each in factories if each is not None)
    assert is_factory("0x91e60e0613810449d098b0b5ec8b51a0fe8c8985"), "SimpleAccount's for version 0.7"
    assert not is_factory("0x" + "11" * 20)
