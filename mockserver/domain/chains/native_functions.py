"""Calls of contracts without code, and their functions, by selector."""

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Generic, NamedTuple, TypeVar

from mockserver.chain.abi.functions import AbiError, Function, decode_call
from mockserver.chain.account_calls import EncodedCall
from mockserver.domain.chains.tokens.holdings import Token
from mockserver.state.onchain import Log
from mockserver.state.project import Project

T = TypeVar("T")


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


class NativeFunctions(Generic[T]):
    """The functions of a contract by their signatures. Their first argument is what they are asked of."""

    def __init__(self, functions: Mapping[str, Callable[..., T]]) -> None:
        self._functions = functions

    def call(self, here: object, data: bytes) -> T:
        """Do what a call asks for. AbiError for a function that is not there, and for wrong arguments."""
        known = self._by_selector.get(data[:4])
        if known is None:
            raise AbiError("There is no such function.")
        function, run = known
        return run(here, *decode_call(function, data))

    def has(self, data: bytes) -> bool:
        """Whether a call is of one of them."""
        return data[:4] in self._by_selector

    @cached_property
    def _by_selector(self) -> Mapping[bytes, tuple[Function, Callable[..., T]]]:
        # On first use: each selector costs a hash.
        parsed = ((Function.parse(signature), run) for signature, run in self._functions.items())
        return {function.selector: (function, run) for function, run in parsed}
