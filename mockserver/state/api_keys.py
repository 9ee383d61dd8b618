"""API keys and their text form."""

import re
from hashlib import sha1
from typing import Literal, NamedTuple

from mockserver.kernel.entropy import Entropy

KeyKind = Literal["sk", "pk"]
"""Secret, or publishable."""

KEY_PREFIXES = ("sk_", "pk_")
"""The prefixes of texts that are meant as keys."""

LIVE_KEY_PREFIXES = ("sk_live_", "pk_live_")

KEY_START = "(?:sk|pk)_(?:test|live)_"
"""The beginning of a key, before its name, as a regular expression."""

KEY_NAME = "[A-Za-z0-9_-]{1,128}"
"""The name of a key, as a regular expression."""

TAG_LENGTH = 6
"""How many digits a tag has."""

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
            # The message does not repeat the text: it may be a production key with a typo.
            raise ValueError("a key is of the form sk_test_..., sk_live_..., pk_test_... or pk_live_...")
        return cls("sk" if match[1] == "sk" else "pk", match[2] == "live", match[3])

    @property
    def text(self) -> str:
        """The key as it is sent."""
        return f"{self.kind}_{'live' if self.livemode else 'test'}_{self.name}"

    @property
    def counterpart(self) -> "ApiKey":
        """The other key of the pair: publishable for secret, and the other way round."""
        return ApiKey("pk" if self.kind == "sk" else "sk", self.livemode, self.name)


def pattern_of(kind: KeyKind) -> str:
    """A regular expression for a whole key of a kind."""
    return f"^{kind}_(test|live)_{KEY_NAME}$"


def tag_of(name: str) -> str:
    """The tag of a project with a name: how the UUID in its id and all of its tokens begin.

    By a hash that balancers have, too: they make of a key what an id or a token shows.
    """
    return sha1(name.encode(), usedforsecurity=False).hexdigest()[:TAG_LENGTH]


def tag_of_tokens(project_id: str, name: str) -> str:
    """How the tokens of a project begin: with its tag, but for one of a recording by an earlier version."""
    tag = tag_of(name)
    known = project_id.startswith(f"pro_{tag}")
    return tag if known else Entropy(project_id).text("token_tag", TAG_LENGTH)


def webhook_key(secret_key: str) -> str:
    """What the official clients verify webhooks with, unless they are given another secret."""
    return secret_key.replace("sk_", "", 1).replace("test_", "", 1).replace("-", "")
