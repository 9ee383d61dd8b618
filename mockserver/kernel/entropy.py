"""All randomness of a project: seeded, named streams, so that a run repeats exactly."""

from collections.abc import Mapping
from hashlib import blake2b

from mockserver.kernel.undo import Undo

ALPHANUMERIC = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
USUAL_SIZE = 32
"""So many bytes has a key, and so many characters an id or a token, unless it is said otherwise."""
_BLOCK_SIZE = 64


class Entropy:
    """Streams of bytes, each a function of the seed, its name and how often it was drawn from.

    Drawing from one stream never changes another: a new kind of row does not change the ids of the
    others. Every draw is noted in `undo`: a rejected call leaves the streams as they were.
    """

    __slots__ = ("_draws", "_seed", "_undo")

    def __init__(self, seed: str, undo: Undo | None = None) -> None:
        self._seed = _hash_seed(seed)
        self._draws: dict[str, int] = {}
        self._undo = undo

    def reseed(self, seed: str) -> None:
        """Begin every stream anew from another seed."""
        self._seed = _hash_seed(seed)
        self.note_differences({})
        self._draws = {}

    def draw(self, stream: str, size: int = USUAL_SIZE) -> bytes:
        """The next `size` bytes of a stream."""
        # Counter mode: each draw hashes its own label, so a stream's state is one integer, which makes
        # snapshots and rollbacks cheap, and a draw of another size does not shift the following ones.
        draw = self._draws.get(stream, 0)
        if self._undo is not None:
            self._undo.note(self, stream, draw or None, draw + 1)
        self._draws[stream] = draw + 1
        return self._expand(f"{stream}#{draw}", size)

    def derive(self, name: str, size: int = USUAL_SIZE) -> bytes:
        """Bytes that depend on the seed and a name only: the same at every call."""
        # "!" separates the domains: no draw, whose label is "stream#number", can give the same bytes.
        return self._expand(f"{name}!", size)

    def _expand(self, label: str, size: int) -> bytes:
        # Keyed BLAKE2b is a PRF. It gives at most 64 bytes, so longer outputs are made of blocks.
        if size <= _BLOCK_SIZE:
            return blake2b(label.encode(), digest_size=size, key=self._seed).digest()
        blocks = (size + _BLOCK_SIZE - 1) // _BLOCK_SIZE
        return b"".join(
            blake2b(f"{label}/{block}".encode(), key=self._seed).digest() for block in range(blocks)
        )[:size]

    def uuid(self, stream: str) -> str:
        """A lower-case version 4 UUID (RFC 9562)."""
        # RFC 9562, 5.4: the version in the high nibble of byte 6, the variant 10 in the high bits of byte 8.
        raw = self.draw(stream, 16)
        text, variant = raw.hex(), "89ab"[raw[8] >> 4 & 3]
        return f"{text[:8]}-{text[8:12]}-4{text[13:16]}-{variant}{text[17:20]}-{text[20:]}"

    def text(self, stream: str, length: int = USUAL_SIZE, alphabet: str = ALPHANUMERIC) -> str:
        """Random text over an alphabet, such as a token or a one-time code."""
        # Two bytes a character leave a bias below one in a thousand for alphabets this small.
        raw, size = self.draw(stream, 2 * length), len(alphabet)
        pairs = zip(raw[::2], raw[1::2], strict=True)
        return "".join(alphabet[(high << 8 | low) % size] for high, low in pairs)

    def revert(self, key: str, before: int | None) -> None:
        """See `Undo`."""
        if before is None:
            self._draws.pop(key, None)
        else:
            self._draws[key] = before

    def note_differences(self, draws: Mapping[str, int]) -> None:
        """Note in the undo log what `restore` will change."""
        assert self._undo is not None
        for stream in sorted({*draws, *self._draws}):
            if draws.get(stream) != self._draws.get(stream):
                self._undo.note(self, stream, self._draws.get(stream), draws.get(stream))

    def draws(self) -> Mapping[str, int]:
        """The number of draws from each stream, for `restore`."""
        return dict(self._draws)

    def restore(self, draws: Mapping[str, int]) -> None:
        """Continue every stream after this number of draws."""
        self._draws = dict(draws)


def _hash_seed(seed: str) -> bytes:
    return blake2b(seed.encode(), digest_size=64, person=b"mockserver.seed").digest()
