"""The state of a project as bytes, for one that is put away."""

import io
import pickle
import zlib
from types import MappingProxyType
from typing import Any

_LEVEL = 1
_COMPRESSED_UP_TO = 1024 * 1024
"""More would keep other requests waiting for too long: zlib takes some 10 ms for this much."""


class _Pickler(pickle.Pickler):
    """Pickles rows. Their empty mappings are read-only views, which pickle alone does not know."""

    def reducer_override(self, value: object) -> Any:
        if isinstance(value, MappingProxyType):
            return MappingProxyType, (dict(value),)
        return NotImplemented


def pack(state: object) -> bytes:
    """The bytes of a state: one byte that says whether the rest is compressed, and the rest."""
    buffer = io.BytesIO()
    _Pickler(buffer, pickle.HIGHEST_PROTOCOL).dump(state)
    raw = buffer.getbuffer()
    if len(raw) > _COMPRESSED_UP_TO:
        return b"\0" + raw
    return b"\1" + zlib.compress(raw, _LEVEL)


def unpack(packed: bytes) -> Any:
    """The state that `pack` made the bytes of."""
    # Pickle is safe here: the bytes never leave the memory of the process that made them.
    raw = memoryview(packed)[1:]
    return pickle.loads(zlib.decompress(raw) if packed[0] else raw)
