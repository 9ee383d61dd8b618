"""The project in which every check begins: rows of each kind, and the names by which the data say them."""

import json
from collections.abc import Mapping
from typing import Any

import jwt
from cryptography.hazmat.primitives.asymmetric import ec
from eth_account import Account as EthAccount
from eth_account.messages import encode_defunct

from mockserver.api.call import Request
from mockserver.domain.wallets.wallet_secrets import default_secret
from mockserver.server.answering.render import Response
from mockserver.server.assembly import assemble
from mockserver.state.project import Project
from mockserver.state.settings import Settings
from mockserver.state.world import ProjectDefaults, World
from tests.specification.credentials import wallet_token
from tests.wallet_auth import load_secret, public_pem

SECRET = {"authorization": "Bearer sk_test_specification"}
VISITOR = {"x-project-key": "pk_test_specification"}
PUBLISHABLE = {"authorization": "Bearer pk_test_specification"}
AUTH = "/iam/v2/auth"
AMOY, BASE = 80002, 84532
PASSWORD = "correct horse"
FIRST_WALLET, SECOND_WALLET, THIRD_WALLET = (EthAccount.from_key("0x" + digit * 64) for digit in "123")
SESSION_KEY = EthAccount.from_key(b"\x05" * 32)
OWN_SECRET = ec.derive_private_key(31, ec.SECP256R1())


class Stage:
    """A pipeline over the project. `restore` brings back the state in which checks begin."""

    def __init__(self) -> None:
        self.failures: list[str] = []
        self.world = World()
        settings = Settings(one_time_code="123456")
        self.project: Project = self.world.create(
            name="specification", defaults=ProjectDefaults(settings=settings)
        )
        self.control = f"/_mock/projects/{self.project.id}"
        self.wallet_key = load_secret(default_secret(self.project))
        self.project.undo.mark()
        self._pipeline = assemble(self.world).pipeline
        self._pipeline.server.on_failure = self.failures.append
        self._numbers = 0
        self.last_wallet_token = ""
        self.names: dict[str, Any] = {}
        self.names.update(_constants())
        self._state = self.project.snapshot()

    def keep(self) -> None:
        """Make the present state the one in which checks begin."""
        self._state = self.project.snapshot()

    def restore(self) -> None:
        """Bring back the state in which checks begin."""
        self.project.restore(self._state)
        self.project.history.clear()

    def send(
        self, method: str, target: str, headers: dict[str, str], content: bytes = b"", *, wallet: bool = False
    ) -> Response:
        """The answer to a request, signed with the wallet secret if asked for; one that waits is finished."""
        path, _, query = target.partition("?")
        request = Request(method, path, query, headers, content)
        if wallet:
            self._numbers += 1
            token = wallet_token(self.wallet_key, method, path, content, f"number {self._numbers}")
            self.last_wallet_token = token
            request.headers = {**headers, "x-wallet-auth": token}
        return self._pipeline.finish(self._pipeline.answer(request))

    def call(
        self,
        method: str,
        target: str,
        body: Any = None,
        headers: dict[str, str] = SECRET,
        *,
        wallet: bool = False,
    ) -> Any:
        """What a request that has to succeed answers."""
        content = b"" if body is None else json.dumps(body).encode()
        if content:
            headers = {"content-type": "application/json", **headers}
        response = self.send(method, target, headers, content, wallet=wallet)
        assert response.status < 400, (method, target, response.body)
        return json.loads(response.body) if response.body else None

    def change(self, settings: Mapping[str, Any]) -> None:
        """Change settings of the project, until the next check."""
        self.call("PUT", f"{self.control}/settings", dict(settings), {})

    def advance(self, seconds: int) -> None:
        """Move the clock, until the next check."""
        self.call("POST", f"{self.control}/clock/advance", {"seconds": seconds}, {})

    def scoped_key(self, scope: str) -> str:
        """A secret key of the project that may do what a scope says, and nothing else."""
        key = "sk_test_specification-scoped"
        self.world.declare(self.project, key, "sk", frozenset({scope}))
        return key

    def sign(self, account: str, digest: str) -> str:
        """What the owner of an account signs."""
        path = f"{self.control}/accounts/{account}/sign"
        return str(self.call("POST", path, {"hash": digest}, {})["signature"])


def _constants() -> dict[str, Any]:
    """What the data may name before anything has happened."""
    return {
        "key": "specification",
        "password": PASSWORD,
        "now": 1_767_225_600,
        "later": 1_767_225_600 + 3600,
        "there": "0x" + "11" * 20,
        "token_address": "0x" + "22" * 20,
        "first_wallet": FIRST_WALLET.address,
        "second_wallet": SECOND_WALLET.address,
        "third_wallet": THIRD_WALLET.address,
        "session_key_address": SESSION_KEY.address,
        "own_secret_pem": public_pem(OWN_SECRET),
        "id_token": _id_token("google-eve", "eve@example.com"),
        "linked_id_token": _id_token("google-ada", "ada@example.com"),
        "firebase_token": jwt.encode({"sub": "fb-7", "email": "fb@example.com"}, "k" * 32),
        "hash": "0x" + "ab" * 32,
    }


def _id_token(subject: str, email: str) -> str:
    claims = {"sub": subject, "email": email, "email_verified": True, "name": "Ada", "nonce": "n-1"}
    claims["picture"] = "https://shop.example/ada.png"
    return jwt.encode(claims, "x" * 32)


def siwe_message(address: str, nonce: str, chain: int = 1) -> str:
    """A message to sign in with (ERC-4361)."""
    return (
        f"shop.example wants you to sign in with your Ethereum account:\n{address}\n\n\n"
        f"URI: https://shop.example\nVersion: 1\nChain ID: {chain}\nNonce: {nonce}\n"
        "Issued At: 2026-01-01T00:00:00.000Z"
    )


def signed_text(wallet: Any, text: str) -> str:
    """The signature of a text as an EIP-191 message."""
    return "0x" + bytes(wallet.sign_message(encode_defunct(text=text)).signature).hex()
