"""The wallet secret that a project has from the start, for clients that sign their requests."""

from typing import TypedDict

from mockserver.api.access import ANYBODY
from mockserver.api.endpoint import Group
from mockserver.domain.wallets.wallet_secrets import default_secret
from mockserver.server.control_call import ControlCall

wallet_secret = Group("Wallet secret")


class WalletSecretAnswer(TypedDict):
    """A P-256 private key as clients take it: base64 of its PKCS#8."""

    wallet_secret: str


@wallet_secret.endpoint("POST", "/_mock/projects/{p}/wallet-secret", "GetWalletSecret", ANYBODY)
def get_wallet_secret(call: ControlCall) -> WalletSecretAnswer:
    """The project's own wallet secret, registered unless another is active."""
    return {"wallet_secret": default_secret(call.project)}
