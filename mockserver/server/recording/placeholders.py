"""What stands for a secret in a recording: a text that says nothing about it, but passes the same checks."""

import re
from base64 import b64decode, b64encode
from collections.abc import Callable, Sequence
from itertools import islice
from typing import Any

import orjson

from mockserver.crypto import base64url
from mockserver.crypto.passwords import verify_password
from mockserver.crypto.tokens import BadToken, peek
from mockserver.domain.identity.code_challenges import challenge_of
from mockserver.server.recording.search import SHORTEST

UNREPEATABLE = "unrepeatable-"
"""How a placeholder begins that the server cannot take for what it stands for: of a key or a signature."""

_MASKED = "masked-"
_WEBHOOK = "whsec_"
"""How a secret begins that webhooks are signed with."""
_ANY = re.compile(f"(?:{_MASKED}|{UNREPEATABLE})\\d{{5,}}".encode())
_BEGIN, _END = "-----BEGIN PRIVATE KEY-----", "-----END PRIVATE KEY-----"
PLACEHOLDER = re.compile(f"(?:{_MASKED}|{UNREPEATABLE})\\d{{5,}}[xX]*")
"""One within a text, that is not of digits, nor shorter than what is looked for."""
WHOLE_PLACEHOLDER = re.compile(
    f"(?:[\\w-]+\\.[\\w-]+\\.|{_BEGIN})?(?:[sp]k_live_|{_WEBHOOK})?(?:{_MASKED}|{UNREPEATABLE})\\d{{5,}}[xX]*(?:{_END})?"
)
"""The same as all of a text, also of a JWT whose claims are shown."""
_LONGEST_PASSWORD = 128
_FIRST_NUMBER = 900_000_000
_MOST_CHECKS = 32
"""Of so many hashes a secret may be the password."""
_MOST_PASSWORDS = 4
"""With so many known ones each new hash is compared."""
_KEY_BYTES = 32
_KEY = re.compile(r"(?:0x)?[0-9a-fA-F]{64,}|[1-9A-HJ-NP-Za-km-z]{42,44}|[1-9A-HJ-NP-Za-km-z]{86,88}")
"""A private key in hexadecimal digits or, with its public key or without, in base58."""
_STORED_KEY = re.compile(b64encode(UNREPEATABLE[:12].encode()) + b"[A-Za-z0-9+/]{27}=")
"""A private key that is a placeholder, as the state has it."""
_SEALED = re.compile(r"[A-Za-z0-9+/_-]{300,}={0,2}")

MaskClaims = Callable[[dict[str, Any]], dict[str, Any]]


def placeholders_in(raw: bytes) -> set[bytes]:
    """The placeholders that are written in a line."""
    return {*_ANY.findall(raw), *map(b64decode, _STORED_KEY.findall(raw))}


class Placeholders:
    """Numbers secrets in the order in which they come: equal secrets get equal placeholders.

    A number says nothing about its secret. Of a secret's form only that is kept which the server checks:
    digits stay digits, a text that is too short or too long for a password stays so.
    """

    def __init__(self, extend: Callable[[str, str], str] = lambda stand_in, secret: stand_in) -> None:
        """`extend` adds to a placeholder what passwords have to have, if the secret has it."""
        self._extend = extend
        self._of: dict[str, str] = {}
        self._of_hashes: dict[str, str] = {}
        self._passwords: list[str] = []
        """The first passwords of hashes, which users of other projects may have."""
        self.count = 0
        """How many there are."""

    def is_one(self, text: str) -> bool:
        """Whether a text is a placeholder, of this recording or of the one that is replayed."""
        return WHOLE_PLACEHOLDER.fullmatch(text) is not None

    def is_key(self, secret: bytes) -> bool:
        """Whether a private key is a placeholder."""
        return secret.startswith(UNREPEATABLE.encode())

    def known(self, text: str) -> str | None:
        """The placeholder that a secret has."""
        return self._of.get(text)

    def of(self, text: str, mask_claims: MaskClaims, hashes: Sequence[str] = ()) -> str:
        """The placeholder of a secret. Of a JWT the claims stay, masked by a function.

        It may be the password of one of the hashes, or of some that came first: each is a check.
        """
        placeholder = self._of.get(text)
        if placeholder is None:
            placeholder = self._of_password(text, hashes) or self._make(text, mask_claims)
            if placeholder.startswith("m"):
                placeholder = self._extend(placeholder, text)
            self._of[text] = placeholder
        return placeholder

    def of_body(self, text: str) -> str:
        """The placeholder of a body that is not read."""
        if text not in self._of:
            # As long as the body: a journal shows the size of one that it cannot read.
            self._of[text] = self._next(UNREPEATABLE).ljust(len(text), ".")
        return self._of[text]

    def of_number(self, number: float) -> int:
        """The placeholder of a secret that is a number."""
        name = f"number {number}"
        if name not in self._of:
            self.count += 1
            self._of[name] = str(_FIRST_NUMBER + self.count)
        return int(self._of[name])

    def of_hash(self, password_hash: str) -> str:
        """The placeholder of the password of a hash, which may come later."""
        if password_hash not in self._of_hashes:
            known = (text for text in self._passwords if verify_password(text, password_hash))
            text = next(known, None)
            self._of_hashes[password_hash] = self._next(_MASKED) if text is None else self._of[text]
        return self._of_hashes[password_hash]

    def note_password(self, text: str, hashes: Sequence[str]) -> None:
        """Note that a secret that is known may be the password of one of the hashes, too."""
        for stored in hashes[:_MOST_CHECKS]:
            if self._of_hashes[stored] != self._of[text] and verify_password(text, stored):
                self._of_hashes[stored] = self._of[text]

    def of_key(self) -> bytes:
        """The placeholder of a private key, which is a private key itself."""
        self.count += 1
        return f"{UNREPEATABLE}{self.count:0{_KEY_BYTES - len(UNREPEATABLE)}d}".encode()

    def _next(self, prefix: str) -> str:
        self.count += 1
        # So many digits that the longer one is base64url, as the signature of a JWT has to be.
        return f"{prefix}{self.count:0{5 if prefix == _MASKED else 7}d}"

    def _of_password(self, text: str, hashes: Sequence[str]) -> str | None:
        """The placeholder of a password whose hash has come before."""
        likely = {*hashes[:_MOST_CHECKS], *islice(self._of_hashes, _MOST_CHECKS)}
        matching = [
            stored for stored in self._of_hashes if stored in likely and verify_password(text, stored)
        ]
        if not matching:
            return None
        self._passwords = [*self._passwords, text][:_MOST_PASSWORDS]
        # Several users may have it: theirs is one secret.
        placeholder = self._of_hashes[matching[0]]
        self._of_hashes.update(dict.fromkeys(matching, placeholder))
        return placeholder

    def _make(self, text: str, mask_claims: MaskClaims) -> str:
        if text.isascii() and text.isdigit():
            self.count += 1
            return str(self.count % 10 ** len(text)).zfill(len(text))
        if len(text) < SHORTEST and "." not in text:
            self.count += 1
            return f"m{self.count}"[: SHORTEST - 1]
        try:
            header, claims = peek(text)
        except BadToken:
            pass
        else:
            shown = [base64url.encode(orjson.dumps(mask_claims(part))) for part in (header, claims)]
            return ".".join([*shown, self._next(UNREPEATABLE)])
        if challenge_of(text, "plain") in self._of:
            # The verifier of a challenge that came before, of which it has to have the hash.
            return self._next(UNREPEATABLE)
        if "PRIVATE KEY" in text:
            return f"{_BEGIN}{self._next(UNREPEATABLE)}{_END}"
        if text.count(".") == 2 or _KEY.fullmatch(text) or _SEALED.fullmatch(text):
            return self._next(UNREPEATABLE)
        if text.startswith(_WEBHOOK):
            return _WEBHOOK + self._next(_MASKED)
        width = _LONGEST_PASSWORD + 1 if len(text) > _LONGEST_PASSWORD else 0
        return self._next(_MASKED).ljust(width, "x")
