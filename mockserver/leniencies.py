"""What the mock accepts although the specification does not grant it, one row each.

Official clients rely on it. The mock answers as the service would and gives a hint: in the header
`x-mockserver-hint`, in the journal and in the report of a failed test. The setting `strict` refuses instead.
"""

from collections.abc import Callable
from typing import NamedTuple

from mockserver import errors
from mockserver.errors import ApiError
from mockserver.kernel.spelling import shorten


class Leniency(NamedTuple):
    """Something that is accepted beyond the specification.

    The message says what was accepted, what the mock makes of it, and what the specification asks for.
    It is sent in a header: ASCII, one line. `fill` puts values in for names in braces.
    """

    id: str
    message: str

    def fill(self, **values: str) -> "Leniency":
        """The same with a message about this call; long values are shortened."""
        shown = {name: shorten(value) for name, value in values.items()}
        return self._replace(message=self.message.format(**shown))

    @property
    def hint(self) -> str:
        """The value of the header `x-mockserver-hint`."""
        return f"{self.id}: {self.message}"


Accept = Callable[[Leniency, str | None], None]
"""Accepts what the specification does not grant, with a hint, or refuses it with 400 for a member."""


def refuse(leniency: Leniency, param: str | None) -> None:
    """Refuse it: as the setting `strict` does, and of what no request asks for."""
    raise ApiError(errors.NOT_IN_SPECIFICATION, param=param, finding=leniency.message)


ACCOUNT_POLICY_WITHOUT_ACCOUNT = Leniency(
    "account-policy-without-account",
    "A policy of scope account without accountId is in force for every account; the specification requires "
    "accountId.",
)

ANSWERED_FROM_RECORDING = Leniency(
    "answered-from-recording",
    "The mock has no such operation: exchange {number} of the recording that --replay-missing names "
    "answers{differing}.",
)

FUNCTION_WITHOUT_ABI = Leniency(
    "function-without-abi",
    "A function that is named without the types of its arguments, and without an ABI, is taken for "
    "{signature}, by its arguments; the specification names it by a signature, or by a contract with an ABI.",
)

LINK_NONCE_OF_FIRST_CHAIN = Leniency(
    "link-nonce-of-first-chain",
    "A wallet is linked on another chain with the nonce of chain 1; the specification binds a nonce to its "
    "chain: send chainId to link-siwe/nonce too.",
)

UNLINK_CHAIN_MISSPELT = Leniency(
    "unlink-chain-misspelt", "chaindId is read as chainId, which is how the specification spells it."
)

AUTHORIZATION_BY_NEWER_NAME = Leniency(
    "authorization-by-newer-name",
    "authorization is read as signedAuthorization, which is how the specification calls it.",
)

VALUE_AS_QUANTITY = Leniency(
    "value-as-quantity",
    "An interaction's value in hexadecimal, as the wallet of the browser's client passes it on, is read as a "
    "number; the specification has a decimal string.",
)

IMPORT_FOR_THE_SERVICE = Leniency(
    "import-for-the-service",
    "The import is not sealed under this server's import key (GET /_mock/import-key) and cannot be read: "
    "the wallet has the next key announced by PUT /_mock/projects/{p}/imports, or else a new one.",
)

OLDER_PATH_OF_API_KEYS = Leniency(
    "older-path-of-api-keys",
    "The official command-line tool creates and stores API keys at /v1/project/apikey; the specification has "
    "no such path.",
)

OLDER_PATH_OF_BACKEND_WALLETS = Leniency(
    "older-path-of-backend-wallets",
    "Clients before 0.10 read backend wallets at /v2/accounts/backend; the specification reads them at "
    "/v2/accounts, with custody=Developer.",
)

PREGENERATION_OF_ONE_ACCOUNT = Leniency(
    "pregeneration-of-one-account",
    "Clients before 0.10.8 pregenerate a user with one account, whose members are those of the body; the "
    "specification has a list: accounts.",
)

OLDER_SIGN_IN = Leniency(
    "older-sign-in",
    "Clients of the browser before 1.0 sign users in under /iam/v1, at paths that the specification does not "
    "have; use {instead} instead.",
)
