"""Values of annotated types as plain JSON values, and back.

What a type allows follows from its annotations: named tuples and frozen dataclasses of texts, numbers,
bytes, tuples, lists, mappings and each other. Reading makes nothing but these: it is safe for the file of
a stranger. Members that have their default are left out, so that a new one changes no older text.
"""

from base64 import b64decode, b64encode
from collections.abc import Callable, Iterable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import MISSING, fields, is_dataclass
from functools import cache
from types import NoneType, UnionType
from typing import Any, Literal, NamedTuple, Union, get_args, get_origin, get_type_hints

_LARGEST = 2**63
"""Whole numbers from here on are written as text: few JSON libraries read them."""
_NO_DEFAULT = object()


class Malformed(ValueError):
    """A value does not have the form of its type. `place` is its path, such as `calls[0].value`."""

    def __init__(self, reason: str, place: str = "") -> None:
        super().__init__(f"{place}: {reason}" if place else reason)
        self.reason = reason
        self.place = place

    def within(self, place: str) -> "Malformed":
        """The same as seen from the value around it."""
        joint = "" if not self.place or self.place.startswith("[") else "."
        return Malformed(self.reason, f"{place}{joint}{self.place}")


class Codec(NamedTuple):
    """How values of one type are written and read. `decode` raises Malformed."""

    encode: Callable[[Any], Any]
    decode: Callable[[Any], Any]


@cache
def codec_of(annotation: Any) -> Codec:
    """The codec of an annotated type; TypeError for a type that cannot be written."""
    origin, arguments = get_origin(annotation), get_args(annotation)
    if annotation in _PLAIN:
        return _PLAIN[annotation]
    if annotation is Any or annotation is object:
        return Codec(_encode_any, _decode_any)
    if origin is Literal:
        return Codec(_same, _one_of(arguments))
    if origin in (Union, UnionType):
        return _union(arguments)
    if origin is tuple:
        return _sequence(arguments[0], tuple) if arguments[-1] is ... else _tuple_of(arguments)
    if origin is list:
        return _sequence(arguments[0], list)
    if origin in (frozenset, AbstractSet):
        # Sorted: the order of a set is not the same in every process.
        return _sequence(arguments[0], frozenset, sorted)
    if origin in (dict, Mapping):
        return _mapping(*arguments)
    if _is_record(annotation):
        return record_codec(annotation)
    raise TypeError(f"values of {annotation!r} cannot be written")


def _is_record(kind: Any) -> bool:
    return isinstance(kind, type) and (hasattr(kind, "_fields") or is_dataclass(kind))


# --- plain values ----------------------------------------------------------------------------------------


def _same(value: Any) -> Any:
    return value


def _plain(kind: type, name: str) -> Callable[[Any], Any]:
    def decode(value: Any) -> Any:
        if type(value) is not kind:
            raise Malformed(f"is to be {name}")
        return value

    return decode


def _one_of(choices: tuple[Any, ...]) -> Callable[[Any], Any]:
    def decode(value: Any) -> Any:
        if type(value) not in (str, int, bool) or value not in choices:
            raise Malformed(f"is to be one of {', '.join(map(str, choices))}")
        return value

    return decode


def _encode_int(value: int) -> int | str:
    return value if -_LARGEST <= value < _LARGEST else str(value)


def _decode_int(value: Any) -> int:
    if type(value) is int:
        return value
    digits = value.removeprefix("-") if isinstance(value, str) else ""
    # Python reads no more digits at once than some thousands, and nothing here has more than some hundreds.
    if not (digits.isascii() and digits.isdigit() and len(digits) <= 1000):
        raise Malformed("is to be a whole number")
    return int(value)


def _decode_float(value: Any) -> float:
    if type(value) not in (int, float):
        raise Malformed("is to be a number")
    return float(value)


def _encode_bytes(value: bytes) -> str:
    return b64encode(value).decode()


def read_base64(text: str) -> bytes:
    """The bytes of base64; ValueError for other characters, which the standard library would skip."""
    return b64decode(text, validate=True)


def _decode_bytes(value: Any) -> bytes:
    try:
        return read_base64(value)
    except (TypeError, ValueError):
        raise Malformed("is to be base64") from None


def _decode_none(value: Any) -> None:
    if value is not None:
        raise Malformed("is to be null")


_PLAIN: Mapping[Any, Codec] = {
    str: Codec(_same, _plain(str, "a text")),
    bool: Codec(_same, _plain(bool, "true or false")),
    int: Codec(_encode_int, _decode_int),
    float: Codec(_same, _decode_float),
    bytes: Codec(_encode_bytes, _decode_bytes),
    None: Codec(_same, _decode_none),
    NoneType: Codec(_same, _decode_none),
}


# --- unions ----------------------------------------------------------------------------------------------


def _union(members: tuple[Any, ...]) -> Codec:
    others = [member for member in members if member is not NoneType]
    inner = codec_of(others[0]) if len(others) == 1 else _several(others)
    return inner if len(others) == len(members) else optional(inner)


def optional(inner: Codec) -> Codec:
    """A codec of what may be None."""
    encode, decode = inner
    return Codec(
        lambda value: None if value is None else encode(value),
        lambda value: None if value is None else decode(value),
    )


def _several(members: list[Any]) -> Codec:
    """A union of records, each written with the name of its type, or of plain values."""
    if all(map(_is_record, members)):
        return _tagged({member.__name__: (member, codec_of(member)) for member in members})
    literals = [choice for member in members for choice in _choices(member)]
    kinds = {member for member in members if member in (str, bool, int, float)} | set(map(type, literals))
    free = kinds if not literals else {member for member in members if member in (str, bool, int, float)}
    if not all(member in kinds or get_origin(member) is Literal for member in members):
        raise TypeError(f"values of one of {members!r} cannot be written")

    def decode(value: Any) -> Any:
        if type(value) not in free and not (type(value) in kinds and value in literals):
            raise Malformed("has the wrong type")
        return value

    return Codec(_encode_any, lambda value: decode(_decode_any(value)))


def _choices(annotation: Any) -> tuple[Any, ...]:
    return get_args(annotation) if get_origin(annotation) is Literal else ()


def _tagged(known: Mapping[str, tuple[type, Codec]]) -> Codec:
    names = {kind: name for name, (kind, _) in known.items()}

    def encode(value: Any) -> Any:
        name = names[type(value)]
        return {"$": name, **known[name][1].encode(value)}

    def decode(value: Any) -> Any:
        name = value.get("$") if isinstance(value, dict) else None
        if not isinstance(name, str) or name not in known:
            raise Malformed(f"is to be one of {', '.join(known)}")
        return known[name][1].decode({member: value[member] for member in value if member != "$"})

    return Codec(encode, decode)


# --- several values --------------------------------------------------------------------------------------


def _decode_all(value: Any, decode: Callable[[Any], Any]) -> list[Any]:
    if not isinstance(value, list):
        raise Malformed("is to be a list")
    found = []
    for place, member in enumerate(value):
        try:
            found.append(decode(member))
        except Malformed as error:
            raise error.within(f"[{place}]") from None
    return found


def _sequence(member: Any, make: type, arrange: Callable[[Iterable[Any]], list[Any]] = list) -> Codec:
    encode, decode = codec_of(member)
    return Codec(lambda value: arrange(map(encode, value)), lambda value: make(_decode_all(value, decode)))


def _tuple_of(members: tuple[Any, ...]) -> Codec:
    codecs = [codec_of(member) for member in members]

    def decode(value: Any) -> Any:
        if not isinstance(value, list) or len(value) != len(codecs):
            raise Malformed(f"is to be a list of {len(codecs)}")
        coming = iter(codecs)
        return tuple(_decode_all(value, lambda member: next(coming).decode(member)))

    return Codec(
        lambda value: [codec.encode(each) for codec, each in zip(codecs, value, strict=True)], decode
    )


def _mapping(key: Any, member: Any) -> Codec:
    if not _is_text(key):
        raise TypeError(f"mappings by {key!r} cannot be written")
    read_key = codec_of(key).decode
    encode, decode = codec_of(member)

    def read(value: Any) -> Any:
        if not isinstance(value, dict):
            raise Malformed("is to be an object")
        return {read_key(name): decode_member(name, value[name], decode) for name in value}

    return Codec(lambda value: {name: encode(each) for name, each in value.items()}, read)


def _is_text(annotation: Any) -> bool:
    if get_origin(annotation) in (Union, UnionType):
        return all(map(_is_text, get_args(annotation)))
    return annotation is str or bool(_choices(annotation))


def decode_member(name: str, value: Any, decode: Callable[[Any], Any]) -> Any:
    """A value that is a member of another one; what is Malformed is said with its name."""
    try:
        return decode(value)
    except Malformed as error:
        raise error.within(name) from None


# --- records ---------------------------------------------------------------------------------------------


def record_codec(kind: Any, **given: Codec) -> Codec:
    """The codec of a named tuple or a dataclass: an object of members, some with a given codec."""
    hints = get_type_hints(kind)
    defaults = _defaults(kind)
    codecs = {name: given.get(name) or codec_of(hints[name]) for name in defaults}
    members = [(name, codecs[name].encode, default) for name, default in defaults.items()]

    def encode(value: Any) -> Any:
        written = {}
        for name, encode_member, default in members:
            member = getattr(value, name)
            if member is not default and member != default:
                written[name] = encode_member(member)
        return written

    def decode(value: Any) -> Any:
        if not isinstance(value, dict):
            raise Malformed("is to be an object")
        for name in value:
            if name not in codecs:
                raise Malformed(f"is no member of {kind.__name__}", str(name))
        for name, default in defaults.items():
            if default is _NO_DEFAULT and name not in value:
                raise Malformed("is missing", name)
        return kind(**{name: decode_member(name, value[name], codecs[name].decode) for name in value})

    return Codec(encode, decode)


def _defaults(kind: Any) -> dict[str, Any]:
    """The members of a record with their defaults, or `_NO_DEFAULT`."""
    if not is_dataclass(kind):
        return {name: kind._field_defaults.get(name, _NO_DEFAULT) for name in kind._fields}
    found: dict[str, Any] = {}
    for field in fields(kind):
        made = field.default if field.default_factory is MISSING else field.default_factory()
        found[field.name] = _NO_DEFAULT if made is MISSING else made
    return found


# --- values of any type ----------------------------------------------------------------------------------


def _encode_any(value: Any) -> Any:
    """JSON as it is. What JSON has not is an object with one member, whose name begins with `$`."""
    if value is None or type(value) in (str, bool, float):
        return value
    if isinstance(value, int):
        return value if -_LARGEST <= value < _LARGEST else {"$int": str(value)}
    if isinstance(value, list):
        return [_encode_any(each) for each in value]
    if isinstance(value, Mapping):
        if any(type(name) is not str or name.startswith("$") for name in value):
            return {"$map": [[_encode_any(name), _encode_any(value[name])] for name in value]}
        return {name: _encode_any(value[name]) for name in value}
    if isinstance(value, bytes):
        return {"$bytes": _encode_bytes(value)}
    if type(value) is tuple:
        return {"$tuple": [_encode_any(each) for each in value]}
    raise TypeError(f"a value of {type(value).__name__} cannot be written")


def _decode_any(value: Any) -> Any:
    if isinstance(value, list):
        return _decode_all(value, _decode_any)
    if not isinstance(value, dict):
        return value
    for name in value:
        if name.startswith("$"):
            if name not in _TAGS or len(value) > 1:
                raise Malformed("is no tagged value", name)
            return decode_member(name, value[name], _TAGS[name])
    return {name: decode_member(name, value[name], _decode_any) for name in value}


def _decode_pairs(value: Any) -> dict[Any, Any]:
    found = {}
    for pair in _decode_all(value, _decode_any):
        if not isinstance(pair, list) or len(pair) != 2 or not isinstance(pair[0], (str, int, tuple)):
            raise Malformed("is to be a list of pairs")
        found[pair[0]] = pair[1]
    return found


_TAGS: Mapping[str, Callable[[Any], Any]] = {
    "$int": _decode_int,
    "$bytes": _decode_bytes,
    "$tuple": lambda value: tuple(_decode_all(value, _decode_any)),
    "$map": _decode_pairs,
}
