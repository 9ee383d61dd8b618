"""Calls of contracts without code."""

from typing import NamedTuple

from mockserver.chain.account_calls import EncodedCall
from mockserver.domain.chains.tokens.holdings import Token
from mockserver.state.onchain import Log
from mockserver.state.project import Project


class NativeCall(NamedTuple):
    """A call of a contract without code, which has got the value, in wei."""

    project: Project
    chain_id: int
    address: str
    sender: str
    value: int
    data: bytes

    @property
    def contract(self) -> Token:
        """The contract, as one that has events, and may be a token."""
        return Token(self.project, self.chain_id, self.address)


class Done(NamedTuple):
    """What comes of such a call."""

    output: bytes = b""
    logs: tuple[Log, ...] = ()
    payment: EncodedCall | None = None
    """The call with which it pays out coins in the end."""
