"""What may be said of a fate: one declaration for scenarios, the control API and the Python client."""

import json
import re
from collections.abc import Iterable, Mapping
from typing import Annotated, Any, Literal, NotRequired, Protocol, cast, overload

from pydantic import (
    AfterValidator,
    ConfigDict,
    Discriminator,
    Field,
    Tag,
    ValidationError,
    ValidatorFunctionWrapHandler,
    WithJsonSchema,
    WrapValidator,
    with_config,
)
from pydantic_core import ErrorDetails, InitErrorDetails, PydanticCustomError
from typing_extensions import TypedDict, Unpack

from mockserver.chain.abi.functions import AbiError, Function, encode_call
from mockserver.chain.entry_point_errors import EXPLANATIONS
from mockserver.kernel.spelling import MOST_EXPLAINED, describe_unknown, did_you_mean
from mockserver.state.onchain import FateKind

# --- the members ----------------------------------------------------------------------------------------


def _check_code(code: str) -> str:
    if code not in EXPLANATIONS:
        raise _unknown("an error code of the entry point", code, EXPLANATIONS)
    return code


_Text = Annotated[str, Field(min_length=1, max_length=1000)]
_Amount = Annotated[int, Field(ge=0, lt=2**53, strict=True)]
_Id = Annotated[int, Field(ge=1, lt=2**53, strict=True)]
_Code = Annotated[
    _Text, AfterValidator(_check_code), WithJsonSchema({"type": "string", "enum": sorted(EXPLANATIONS)})
]
_AfterMs = Annotated[_Amount, Field(description="When, in milliseconds since it was sent.")]
_Count = Annotated[
    _Id | None,
    Field(
        json_schema_extra={"default": 1}, description="How many transactions it takes; null for every one."
    ),
]


@with_config(ConfigDict(extra="forbid"))
class _OfTransaction(TypedDict):
    """Which transactions a fate takes: the next of all, of a chain or of an account, or one by its id."""

    kind: NotRequired[Literal["transaction"]]
    count: NotRequired[_Count]
    transaction_id: NotRequired[_Text]
    chain_id: NotRequired[_Id]
    account_id: NotRequired[_Text]


class Successful(_OfTransaction):
    """It is mined, and its calls succeed."""

    outcome: Literal["successful"]
    after_ms: NotRequired[_AfterMs]


class Reverted(_OfTransaction):
    """It is mined, and its calls revert: with a reason, a custom error or a panic."""

    outcome: Literal["reverted"]
    after_ms: NotRequired[_AfterMs]
    reason: NotRequired[_Text]
    error: NotRequired[
        Annotated[_Text, Field(description="A signature, or a name in the ABI of what is called.")]
    ]
    args: NotRequired[list[Any]]
    panic: NotRequired[_Amount]


class Failed(_OfTransaction):
    """It is refused before it gets on the chain: for a reason, or with an error code of the entry point."""

    outcome: Literal["failed"]
    reason: NotRequired[_Text]
    code: NotRequired[_Code]
    """The code of the entry point, such as `AA23`."""


class Dropped(_OfTransaction):
    """It leaves the mempool without getting on the chain."""

    outcome: Literal["dropped"]
    after_ms: NotRequired[_AfterMs]


class Expired(_OfTransaction):
    """It expires in the mempool without getting on the chain."""

    outcome: Literal["expired"]
    after_ms: NotRequired[_AfterMs]


class Replaced(_OfTransaction):
    """It is mined with another hash than the one it was sent with."""

    outcome: Literal["replaced"]
    after_ms: NotRequired[_AfterMs]


class Reorged(_OfTransaction):
    """It is confirmed, and then the block that it is in is taken off the chain."""

    outcome: Literal["reorged"]
    after_ms: NotRequired[_AfterMs]
    reincluded: NotRequired[
        Annotated[
            bool,
            Field(
                strict=True,
                json_schema_extra={"default": True},
                description="Whether a later block takes it again.",
            ),
        ]
    ]


class NeverMined(_OfTransaction):
    """It stays sent for ever."""

    outcome: Literal["never_mined"]


@with_config(ConfigDict(extra="forbid"))
class _OnSolana(TypedDict):
    """The next transactions on Solana."""

    count: NotRequired[_Count]
    after_ms: NotRequired[_AfterMs]


class SolanaConfirmed(_OnSolana):
    """It is confirmed."""

    outcome: Literal["confirmed"]
    kind: NotRequired[Literal["solana_transaction"]]


class SolanaFailed(_OnSolana):
    """It gets on the chain, and fails there."""

    outcome: Literal["failed"]
    kind: Literal["solana_transaction"]
    error_message: NotRequired[_Text]


class SolanaExpired(_OnSolana):
    """Its blockhash expires before it gets on the chain."""

    outcome: Literal["expired"]
    kind: Literal["solana_transaction"]


OUTCOMES: Mapping[FateKind, Mapping[str, type]] = {
    "transaction": {
        "successful": Successful,
        "reverted": Reverted,
        "failed": Failed,
        "dropped": Dropped,
        "expired": Expired,
        "replaced": Replaced,
        "reorged": Reorged,
        "never_mined": NeverMined,
    },
    "solana_transaction": {"confirmed": SolanaConfirmed, "failed": SolanaFailed, "expired": SolanaExpired},
}
"""The outcomes of each kind of transaction, with what may be said of them."""


class FateOptions(TypedDict, total=False):
    """Every option of every outcome, as the control API shows those that were given."""

    after_ms: int
    reincluded: bool
    reason: str
    error: str
    """The custom error that it reverts with."""
    args: list[Any]
    panic: int
    code: str
    """The code of the entry point, such as `AA23`."""
    error_message: str


SELECTORS = ("count", "transaction_id", "chain_id", "account_id")
"""Which transactions a fate takes, and how many of them; of those on Solana only how many."""


_NAMES = sorted(
    {name for each in OUTCOMES.values() for kind in each.values() for name in kind.__annotations__}
)
_ONLY_ON_SOLANA = tuple(OUTCOMES["solana_transaction"].keys() - OUTCOMES["transaction"].keys())


def kind_of(fate: Mapping[str, Any]) -> FateKind:
    """The kind of transactions a fate takes: as it says, or else the first that has its outcome."""
    if "kind" in fate:
        return cast(FateKind, fate["kind"])
    return "solana_transaction" if fate["outcome"] in _ONLY_ON_SOLANA else "transaction"


# --- reading them ---------------------------------------------------------------------------------------


def _unknown(what: str, name: object, valid: Iterable[str], kind: str = "unknown") -> PydanticCustomError:
    text = name if isinstance(name, str) else json.dumps(name)
    message, close = describe_unknown(what, text, valid)
    context = {"message": message, "hint": did_you_mean(close), "nearest": close}
    return PydanticCustomError(kind, "{message}{hint}", context)


def _invalid(*errors: tuple[PydanticCustomError, tuple[str | int, ...]]) -> ValidationError:
    wrong = [InitErrorDetails(type=error, loc=loc, input=None) for error, loc in errors]
    return ValidationError.from_exception_data("fate", wrong)


def _variant(fate: Mapping[str, Any]) -> type:
    """What may be said of a fate with this outcome and kind. Raises ValidationError when there is none."""
    kind, outcome = fate.get("kind", "transaction"), fate.get("outcome")
    if not isinstance(kind, str) or kind not in OUTCOMES:
        raise _invalid((_unknown("a kind of transaction", kind, OUTCOMES), ("kind",)))
    if "outcome" not in fate:
        missing = PydanticCustomError("misfit", "a fate has an outcome")
        unknown = [name for name in fate if name not in _NAMES][:MOST_EXPLAINED]
        others = [(_unknown("part of a fate", name, _NAMES, "key"), (name,)) for name in unknown]
        raise _invalid((missing, ()), *others)
    outcomes = OUTCOMES[kind_of(fate)]
    if not isinstance(outcome, str) or outcome not in outcomes:
        known = (
            outcomes if "kind" in fate else dict.fromkeys(name for each in OUTCOMES.values() for name in each)
        )
        raise _invalid((_unknown(f"an outcome of a {kind}", outcome, known), ("outcome",)))
    return outcomes[outcome]


def _read(fate: Any, handler: ValidatorFunctionWrapHandler) -> Any:
    if not isinstance(fate, dict):
        raise PydanticCustomError("misfit", "a fate is a mapping, such as {outcome: reverted}")
    names = list(_variant(fate).__annotations__)
    # What is null counts as not given; but a count of null is one of every transaction.
    given = {
        name: value
        for name, value in fate.items()
        if value is not None or name not in names or name in ("kind", "count")
    }
    try:
        return handler(given)
    except ValidationError as error:
        entries = error.errors()[:MOST_EXPLAINED]
        found = [_reword(entry, fate["outcome"], names) for entry in entries]
    raise _invalid(*found)


def _reword(
    entry: ErrorDetails, outcome: str, names: list[str]
) -> tuple[PydanticCustomError, tuple[str | int, ...]]:
    """An error in the words of fates. The first part of its place is what the fate was read as."""
    loc = entry["loc"][1:]
    if entry["type"] == "extra_forbidden":
        return _unknown(f"an option of {outcome}", loc[-1], names, "key"), loc
    context = {"message": entry["msg"].removeprefix("Value error, "), "hint": "", **entry.get("ctx", {})}
    return PydanticCustomError(entry["type"], "{message}{hint}", context), loc


def _check_revert(fate: Reverted) -> Reverted:
    if sum(name in fate for name in ("reason", "error", "panic")) > 1:
        raise ValueError("a revert has one of reason, error and panic")
    if "error" in fate and "(" in fate["error"]:
        # A signature stands for itself; a name alone is looked up in the ABI of what is called.
        try:
            encode_call(Function.parse(fate["error"]), fate.get("args", ()))
        except AbiError as found:
            part = found.path.replace("functionArgs", "args") or "error"
            path = tuple(int(word) if word.isdecimal() else word for word in re.findall(r"\w+", part))
            raise _invalid((PydanticCustomError("abi", "{message}", {"message": str(found)}), path)) from None
    if "args" in fate and "error" not in fate:
        raise ValueError("args belong to an error: name it, as in error: InsufficientBalance(uint256)")
    return fate


def _check_failed(fate: Failed) -> Failed:
    if "reason" in fate and "code" in fate:
        raise ValueError("a failure has one of reason and code")
    return fate


FateSpec = Annotated[
    Annotated[Successful, Tag("Successful")]
    | Annotated[Reverted, AfterValidator(_check_revert), Tag("Reverted")]
    | Annotated[Failed, AfterValidator(_check_failed), Tag("Failed")]
    | Annotated[Dropped, Tag("Dropped")]
    | Annotated[Expired, Tag("Expired")]
    | Annotated[Replaced, Tag("Replaced")]
    | Annotated[Reorged, Tag("Reorged")]
    | Annotated[NeverMined, Tag("NeverMined")]
    | Annotated[SolanaConfirmed, Tag("SolanaConfirmed")]
    | Annotated[SolanaFailed, Tag("SolanaFailed")]
    | Annotated[SolanaExpired, Tag("SolanaExpired")],
    Discriminator(lambda fate: _variant(fate).__name__),
    WrapValidator(_read),
]
"""A fate: its outcome, which transactions it takes, and the outcome's own options."""


# --- for the Python client ------------------------------------------------------------------------------


class SetFate(Protocol):
    """`MockProject.fate`: the options of each outcome as keyword arguments, known to type checkers."""

    @overload
    def __call__(self, **fate: Unpack[Successful]) -> dict[str, Any]: ...
    @overload
    def __call__(self, **fate: Unpack[Reverted]) -> dict[str, Any]: ...
    @overload
    def __call__(self, **fate: Unpack[Failed]) -> dict[str, Any]: ...
    @overload
    def __call__(self, **fate: Unpack[Dropped]) -> dict[str, Any]: ...
    @overload
    def __call__(self, **fate: Unpack[Expired]) -> dict[str, Any]: ...
    @overload
    def __call__(self, **fate: Unpack[Replaced]) -> dict[str, Any]: ...
    @overload
    def __call__(self, **fate: Unpack[Reorged]) -> dict[str, Any]: ...
    @overload
    def __call__(self, **fate: Unpack[NeverMined]) -> dict[str, Any]: ...
    @overload
    def __call__(self, **fate: Unpack[SolanaConfirmed]) -> dict[str, Any]: ...
    @overload
    def __call__(self, **fate: Unpack[SolanaFailed]) -> dict[str, Any]: ...
    @overload
    def __call__(self, **fate: Unpack[SolanaExpired]) -> dict[str, Any]: ...
