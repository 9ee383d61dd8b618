"""Which values are secrets: by their types, and in free objects by the names of their members."""

import re
from collections.abc import Collection, Mapping
from enum import Enum
from functools import cache, lru_cache, reduce
from types import NoneType
from typing import (
    Annotated,
    Any,
    ClassVar,
    Literal,
    NamedTuple,
    TypeAlias,
    TypeVar,
    get_args,
    get_origin,
    get_type_hints,
)


class Secrecy(Enum):
    """What kind of secret a value is."""

    SECRET = "a secret"
    TOKEN = "a credential, which may be a key"
    COOKIES = "cookies, whose values are credentials"
    PUBLIC_KEY = "a public key, in whose place a client may send a private one by mistake"
    SOURCE = "a text of any form, such as a scenario, with members that may be secrets"


Secret = Annotated[str, Secrecy.SECRET]
"""A password, a one-time code, a private key, ..."""
SecretBytes = Annotated[bytes, Secrecy.SECRET]
Token = Annotated[str, Secrecy.TOKEN]
"""A credential: an API key, the token of a session, a JWT."""
PublicKey = Annotated[str, Secrecy.PUBLIC_KEY]
Source = Annotated[str, Secrecy.SOURCE]


class Like(NamedTuple):
    """Of a free object: a record that has the members which are known."""

    record: Any


Plan: TypeAlias = frozenset[Any]
"""What a type says about its values: kinds of secrets, records with their members, `FREE`, plans of mappings.

A list has the plan of its entries, a union those of its members together.
"""

PLAIN: Plan = frozenset()
"""Texts and numbers that are no secrets."""
FREE: Plan = frozenset({None})
"""Any value: what is secret in it is known by the names of members."""
NAMELESS: Plan = frozenset({...})
"""Any value in which names say nothing: in JSON-RPC `token` is an address, and `code` a contract's."""


class _Each(NamedTuple):
    """A mapping whose values all have a plan."""

    plan: Plan


def plan_of(annotation: Any) -> Plan:
    """The plan of an annotated type."""
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        kinds = frozenset(each for each in annotation.__metadata__ if isinstance(each, Secrecy))
        like = frozenset(each.record for each in annotation.__metadata__ if isinstance(each, Like))
        return kinds or like or plan_of(arguments[0])
    if origin in (Literal, ClassVar) or annotation in _PLAIN_TYPES:
        return PLAIN
    if _is_record(origin or annotation):
        return frozenset({annotation})
    if isinstance(origin, type) and issubclass(origin, Mapping):
        inner = plan_of(arguments[1])
        return frozenset({_Each(inner)}) if inner - FREE else FREE
    if arguments:
        return reduce(frozenset.union, map(plan_of, arguments), PLAIN)
    return PLAIN if annotation is ... else FREE


_PLAIN_TYPES = (str, bytes, int, float, bool, None, NoneType)


_ANNOTATED = {"__annotations__", "__annotate_func__"}
"""A class that annotates members has the first, from Python 3.14 on (PEP 649) what makes it."""


def _is_record(kind: Any) -> bool:
    return isinstance(kind, type) and not all(map(_ANNOTATED.isdisjoint, map(vars, kind.__mro__)))


@cache
def members_of(record: Any) -> Mapping[str, Plan]:
    """The plans of the members of a record: a named tuple, a data class, a typed dictionary."""
    origin = get_origin(record) or record
    given = dict(zip(getattr(origin, "__parameters__", ()), get_args(record), strict=False))
    hints = get_type_hints(origin, include_extras=True)
    return {name: plan_of(_fill(hint, given)) for name, hint in hints.items()}


def _fill(hint: Any, given: Mapping[Any, Any]) -> Any:
    if isinstance(hint, TypeVar):
        return given.get(hint, Any)
    parameters = getattr(hint, "__parameters__", ()) if not isinstance(hint, type) else ()
    return hint[tuple(given.get(each, Any) for each in parameters)] if parameters else hint


class Members(NamedTuple):
    """What a plan says about the members of an object."""

    known: Mapping[str, Plan]
    others: Plan

    @property
    def has_secrets(self) -> bool:
        """Whether a member is a secret itself."""
        return any(kind_of(plan) not in (None, Secrecy.SOURCE) for plan in self.known.values())


@cache
def members_by(plan: Plan) -> Members:
    """What a plan says about the members of an object."""
    known: dict[str, Plan] = {}
    others = PLAIN
    for atom in plan:
        if isinstance(atom, _Each):
            others |= atom.plan
        elif atom is ...:
            others |= NAMELESS
        elif not (atom is None or isinstance(atom, Secrecy)):
            for name, inner in members_of(atom).items():
                known[name] = known.get(name, PLAIN) | inner
    return Members(known, others)


@cache
def kind_of(plan: Plan) -> Secrecy | None:
    """What kind of secret the values of a plan are; of several the first one of `Secrecy`."""
    return next((kind for kind in Secrecy if kind in plan), None)


# --- names ----------------------------------------------------------------------------------------------

LONGEST_NAME = 256
"""Reading a longer name would take long, and it may name a secret anywhere."""
_SHORT = 5
"""A shorter name is a secret's only as a whole, or as the last word."""
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[0-9]+")
NAMES = {
    **dict.fromkeys(
        (
            "password", "passwd", "passphrase", "passcode", "secret", "otp", "pin", "share", "mnemonic",
            "seedphrase", "privatekey", "encryptionkey", "encryptionpart", "encryptionsession", "signingkey",
            "codeverifier", "cvv",
        ),
        Secrecy.SECRET,
    ),
    **dict.fromkeys(
        (
            "token", "jwt", "apikey", "accesskey", "secretkey", "projectkey", "publishablekey",
            "authorization", "credential", "walletauth",
        ),
        Secrecy.TOKEN,
    ),
    "cookie": Secrecy.COOKIES,
    "publickey": Secrecy.PUBLIC_KEY,
}  # fmt: skip
"""The names that are known; `docs/guides/control-api.md` lists them."""


class Names(NamedTuple):
    """The names of members, headers and parameters whose values are secrets, where no type says so.

    A name is compared without case, separators and a plural's s. It is a secret's if it is one of the list,
    or ends with one: `newPassword`, `X-Api-Key`, `card_tokens`.
    """

    extra: tuple[str, ...] = ()
    """Those of a project's own."""

    def kind(self, name: str, *, asked: bool = True) -> Secrecy | None:
        """What kind of secret has this name.

        `code` is one in what is `asked` of the server: in an answer it is an error code.
        """
        return Secrecy.SECRET if asked and name == "code" else _kind(name, self.extra)


KNOWN_NAMES = Names()


@lru_cache(maxsize=4_000)
def _kind(name: str, extra: tuple[str, ...]) -> Secrecy | None:
    if len(name) > LONGEST_NAME:
        return Secrecy.SECRET
    words = _WORD.findall(name)
    compact, last = _compact(words), _compact(words[-1:])
    known, ending = _known_names(extra)
    if kind := known.get(compact) or known.get(last):
        return kind
    found = ending.search(compact)
    return known[found[0]] if found else None


@cache
def _known_names(extra: tuple[str, ...]) -> tuple[Mapping[str, Secrecy], re.Pattern[str]]:
    """The names with those of a project's own, and what finds one that another name ends with."""
    own = (_compact(_WORD.findall(each)) for each in extra)
    known = {**NAMES, **dict.fromkeys(own, Secrecy.SECRET)}
    return known, re.compile(f"(?:{'|'.join(each for each in known if len(each) >= _SHORT)})\\Z")


def _compact(words: Collection[str]) -> str:
    text = "".join(words).lower()
    return text.removesuffix("s") if len(text) >= _SHORT else text
