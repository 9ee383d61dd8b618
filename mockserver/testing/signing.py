"""Requests signed with a wallet secret, as the official clients sign them."""

from collections.abc import Callable, Generator

import httpx

from mockserver.domain.wallets.wallet_auth import sign_request

__tracebackhide__ = True


class WalletAuth(httpx.Auth):
    """Signs each request it is given for: `client.post(path, json=body, auth=project.wallet_auth)`.

    It only sets `X-Wallet-Auth`, so the client's own credentials are sent as well.
    """

    requires_request_body = True

    def __init__(self, secret: Callable[[], str], now_s: Callable[[], int]) -> None:
        self._secret = secret
        self._now_s = now_s

    def auth_flow(self, request: httpx.Request) -> Generator[httpx.Request, httpx.Response, None]:
        """Sign method, path and body (specification, Wallet secret)."""
        request.headers["x-wallet-auth"] = sign_request(
            self._secret(), request.method, request.url.path, request.content, self._now_s()
        )
        yield request
