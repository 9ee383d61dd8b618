"""Sign-In with Ethereum (ERC-4361)."""

from mockserver.api.access import PROJECT, SESSION
from mockserver.api.endpoint import Group

siwe = Group("Authentication: Sign-In with Ethereum")

siwe.planned("POST", "/iam/v2/auth/siwe/nonce", "getSiweNonce", PROJECT)
siwe.planned("POST", "/iam/v2/auth/siwe/verify", "verifySiweMessage", PROJECT)
siwe.planned("POST", "/iam/v2/auth/link-siwe/nonce", "getLinkSiweNonce", SESSION)
siwe.planned("POST", "/iam/v2/auth/link-siwe/verify", "verifyLinkSiweMessage", SESSION)
siwe.planned("GET", "/iam/v2/auth/link-siwe/list-wallets", "listLinkedWallets", SESSION)
siwe.planned("POST", "/iam/v2/auth/link-siwe/unlink", "unlinkWallet", SESSION)
