"""The accounts of a program: all of them, or those whose data filters match."""

from base64 import b64decode
from collections.abc import Callable
from typing import Annotated, Any, Literal, NotRequired

from pydantic import AfterValidator, Field
from typing_extensions import TypedDict

from mockserver.chain.base58 import base58_decode
from mockserver.chain.solana.tokens import SolanaState
from mockserver.nodes.solana.accounts import Pubkey, show_keyed
from mockserver.nodes.solana.cluster import Cluster, Commitment, SolanaMethods

methods = SolanaMethods()

_MOST_FILTERS = 4
_MOST_COMPARED_BYTES = 128


class Comparison(TypedDict):
    """Bytes that an account's data has to have at an offset."""

    offset: Annotated[int, Field(ge=0)]
    bytes: str
    encoding: NotRequired[Literal["base58", "base64"]]


class AccountFilter(TypedDict, total=False):
    """What the data of an account has to be: so many bytes, or bytes at an offset."""

    dataSize: Annotated[int, Field(ge=0)]
    memcmp: Comparison


def _check_filter(given: AccountFilter) -> AccountFilter:
    if len(given) != 1:
        raise ValueError("must have either dataSize or memcmp")
    if "memcmp" in given:
        _compared(given["memcmp"])
    return given


def _compared(comparison: Comparison) -> bytes:
    """The bytes of a comparison. ValueError unless they are in their encoding."""
    encoding = comparison.get("encoding", "base58")
    try:
        text = comparison["bytes"]
        raw = base58_decode(text) if encoding == "base58" else b64decode(text, validate=True)
        if len(raw) > _MOST_COMPARED_BYTES:
            raise ValueError
        return raw
    except ValueError:
        most = _MOST_COMPARED_BYTES
        raise ValueError(f"memcmp.bytes: must be {encoding} of at most {most} bytes") from None


class ProgramOptions(Commitment, total=False):
    """Which accounts of a program are asked for, and how they are shown."""

    filters: Annotated[
        list[Annotated[AccountFilter, AfterValidator(_check_filter)]], Field(max_length=_MOST_FILTERS)
    ]
    withContext: bool
    sortResults: bool


@methods.method("getProgramAccounts")
def get_program_accounts(cluster: Cluster, program: Pubkey, options: ProgramOptions = {}) -> Any:
    """List the accounts that a program owns, in the order of their public keys."""
    found = accounts_of(cluster, program, options)
    shown = [
        show_keyed(cluster, pubkey, found[pubkey], options) for pubkey in sorted(found, key=base58_decode)
    ]
    return cluster.in_context(shown) if options.get("withContext") else shown


def accounts_of(cluster: Cluster, program: str, options: ProgramOptions) -> dict[str, SolanaState]:
    """The accounts that a program owns and that all filters match, by their public keys."""
    matchers = [_matcher(each) for each in options.get("filters", [])]
    return {
        key: state
        for key, state in cluster.accounts()
        if state.owner == program and all(matches(state.data) for matches in matchers)
    }


def _matcher(wanted: AccountFilter) -> Callable[[bytes], bool]:
    if "dataSize" in wanted:
        size = wanted["dataSize"]
        return lambda data: len(data) == size
    start, compared = wanted["memcmp"]["offset"], _compared(wanted["memcmp"])
    return lambda data: data[start : start + len(compared)] == compared
