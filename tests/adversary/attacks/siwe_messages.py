"""Signed messages of Sign-In with Ethereum that say something else, or say it in an odd form."""

import random
from collections.abc import Callable
from dataclasses import dataclass, replace

from httpx import Response

from mockserver.state.settings import Settings
from mockserver.state.world import World
from tests.adversary.attacks.proofs import AUTH, STRANGER, WALLET, Tenant, sign_message
from tests.adversary.budget import Budget
from tests.server.robustness.stage import held

SHOP = "https://shop.example"
PIECES = [
    "\n",
    "\r\n",
    "\r",
    "\0",
    "\u2028",
    "Nonce: abcdefgh\n",
    "\nChain ID: 1",
    "\n\n",
    "- x\n",
    "é",
    " " * 999,
]
ODD_NUMBERS = ["1", "01", "+1", "1e0", "0x1", "１", "1_0", "", "-1", "9" * 16, "9" * 400]
ODD_TIMES = [
    "2026",
    "2026-01-01",
    "2026-01-01T00:00:00",
    "0001-01-01T00:00:00+14:00",
    "9999-12-31T23:59:59-14:00",
]


@dataclass(frozen=True)
class Message:
    """What a message says; the wallet signs whatever it is."""

    nonce: str
    domain: str = "shop.example"
    address: str = WALLET.address
    statement: str = ""
    uri: str = SHOP
    chain: str = "1"
    issued: str = "2026-01-01T00:00:00Z"
    rest: str = ""

    def __str__(self) -> str:
        said = f"\n{self.statement}\n" if self.statement else "\n"
        return (
            f"{self.domain} wants you to sign in with your Ethereum account:\n{self.address}\n{said}\n"
            f"URI: {self.uri}\nVersion: 1\nChain ID: {self.chain}\nNonce: {self.nonce}\n"
            f"Issued At: {self.issued}{self.rest}"
        )


def attack(budget: Budget) -> None:
    """Sign in with them: only one that says what has to be said is accepted, and only once."""
    tenant = Tenant(World(), "tests")
    project = tenant.project
    project.settings = Settings(trusted_origins=(SHOP,))
    state = project.snapshot()
    for _ in budget:
        project.restore(state)
        asked = {"walletAddress": WALLET.address}
        nonce = tenant.post(f"{AUTH}/siwe/nonce", asked, tenant.visitor)["nonce"]
        message, fits = draw(budget.chance, Message(nonce))
        text = message if isinstance(message, str) else str(message)
        before = held(project)
        answer = verify(tenant, text)
        assert answer.status_code < 500, (text, answer.text)
        assert fits is None or answer.is_success == fits, (text, answer.text)
        if answer.is_success:
            assert says(text, nonce), text
        else:
            assert held(project) == before, text
        assert verify(tenant, str(Message(nonce))).status_code == 401, "a nonce was good for two messages"


def verify(tenant: Tenant, text: str) -> Response:
    """Sign in with a message that the wallet has signed."""
    body = {"message": text, "signature": sign_message(WALLET, text), "walletAddress": WALLET.address}
    return tenant.client.post(f"{AUTH}/siwe/verify", json=body, headers=tenant.visitor)


def draw(chance: random.Random, message: Message) -> tuple[Message | str, bool | None]:
    """A message, and whether it has to be accepted; None when that is for the server to say."""
    if chance.random() < 0.4:
        return mutate(chance, str(message)), None
    change, fits = chance.choice(CHANGES)
    return change(message, chance), fits


def mutate(chance: random.Random, text: str) -> str:
    """The same text with up to three pieces put in, left out or repeated."""
    for _ in range(chance.randint(1, 3)):
        place = chance.randrange(len(text) + 1)
        length = chance.randint(1, 30)
        text = text[:place] + chance.choice([*PIECES, "", text[place : place + length] * 2]) + text[place:]
        if chance.random() < 0.3:
            text = text[:place] + text[place + length :]
    return text[:16_384] or "x"


def says(text: str, nonce: str) -> bool:
    """Whether a text says what was asked for, in lines of its own."""
    first, address, *lines = text.split("\n")
    site = first.removesuffix(" wants you to sign in with your Ethereum account:")
    chains = [line.removeprefix("Chain ID: ").lstrip("0") for line in lines if line.startswith("Chain ID: ")]
    return (
        site.rpartition("://")[2] == "shop.example"
        and address.lower() == WALLET.address.lower()
        and "1" in chains
        and {f"Nonce: {nonce}", "Version: 1"} <= set(lines)
    )


Change = Callable[[Message, random.Random], Message]

CHANGES: list[tuple[Change, bool | None]] = [
    (lambda message, _: message, True),
    (lambda message, _: replace(message, domain=f"https://{message.domain}"), True),
    (lambda message, _: replace(message, address=message.address.lower()), True),
    (lambda message, _: replace(message, statement="I accept the Terms. Nonce: abcdefgh"), True),
    (lambda message, _: replace(message, rest="\nExpiration Time: 2026-01-01T00:10:00+00:00"), True),
    (lambda message, _: replace(message, rest="\nRequest ID: \nResources:\n- ipfs://x\n- https://y"), True),
    (lambda message, _: replace(message, rest="\nExpiration Time: 2026-01-01T00:00:00Z"), False),
    (lambda message, _: replace(message, rest="\nNot Before: 2026-01-01T00:00:01Z"), False),
    (lambda message, _: replace(message, rest="\nExpiration Time: 2026-01-01T00:59:59+01:00"), False),
    (lambda message, chance: replace(message, nonce=message.nonce[: chance.randrange(17)]), False),
    (lambda message, _: replace(message, nonce=message.nonce.swapcase()), False),
    (lambda message, _: replace(message, nonce=message.nonce + "A"), False),
    (lambda message, _: replace(message, address=STRANGER.address), False),
    (lambda message, _: replace(message, chain="137"), False),
    (lambda message, chance: replace(message, chain=chance.choice(ODD_NUMBERS)), None),
    (lambda message, chance: replace(message, issued=chance.choice(ODD_TIMES)), None),
    (lambda message, chance: replace(message, rest="\nNot Before: " + chance.choice(ODD_TIMES)), None),
    (lambda message, _: replace(message, domain="shop.example.evil.example"), False),
    (lambda message, _: replace(message, domain="shop.example@evil.example"), False),
    (lambda message, _: replace(message, domain="evil.example wants shop.example"), False),
    (lambda message, _: replace(message, domain="https://evil.example/shop.example"), False),
    (lambda message, _: replace(message, domain="SHOP.example:443"), False),
    (lambda message, _: replace(message, statement="x" * 15_000), True),
    (lambda message, _: replace(message, statement="x\nNonce: abcdefgh"), False),
    (lambda message, _: replace(message, uri="https://evil.example/ " + SHOP), False),
    (lambda message, _: replace(message, rest="\nResources:" + "\n- x" * 3_000), True),
]
"""A message with something changed, and whether it has to be accepted."""
