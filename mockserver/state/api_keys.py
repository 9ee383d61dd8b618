"""API keys, and what their text says."""

import re
from typing import Literal, NamedTuple

KeyKind = Literal["sk", "pk"]
"""Secret, or publishable."""

KEY_PREFIXES = ("sk_", "pk_")
"""What a text begins with that is meant to be a key."""

LIVE_KEY_PREFIXES = ("sk_live_", "pk_live_")

KEY_START = "(?:sk|pk)_(?:test|live)_"
"""The beginning of a key, before its name, as a regular expression."""

KEY_NAME = "[A-Za-z0-9_-]{1,128}"
"""What a key may be named, as a regular expression."""

_KEY = re.compile(f"(sk|pk)_(test|live)_({KEY_NAME})")


class ApiKey(NamedTuple):
    """A key by its parts: `sk_test_shop` is the secret key in test mode that is named `shop`."""

    kind: KeyKind
    livemode: bool
    name: str

    @classmethod
    def parse(cls, text: str) -> "ApiKey":
        """The key that a text spells; ValueError when it is none."""
        match = _KEY.fullmatch(text)
        if match is None:
            # The text is not repeated: it may be a real key with a slip in it.
            raise ValueError("a key is of the form sk_test_..., sk_live_..., pk_test_... or pk_live_...")
        return cls("sk" if match[1] == "sk" else "pk", match[2] == "live", match[3])

    @property
    def text(self) -> str:
        """The key as it is sent."""
        return f"{self.kind}_{'live' if self.livemode else 'test'}_{self.name}"

    @property
    def counterpart(self) -> "ApiKey":
        """The other key of the pair: publishable for secret, and the other way round."""
        return self._replace(kind="pk" if self.kind == "sk" else "sk")


def pattern_of(kind: KeyKind) -> str:
    """What every key of a kind matches as a whole."""
    return f"^{kind}_(test|live)_{KEY_NAME}$"
