"""A shop's own backend code, with httpx's asynchronous client. It knows nothing of the mock server."""

from http.cookiejar import CookieJar, DefaultCookiePolicy
from typing import Any

import httpx

ATTEMPTS = 3


class Shop:
    """Calls the API of one project."""

    def __init__(self, url: str, secret_key: str, publishable_key: str) -> None:
        self.anonymous = {"x-project-key": publishable_key}
        self.backend = {"authorization": f"Bearer {secret_key}"}
        # It acts for many customers: the cookie of one is not for the next.
        cookies = CookieJar(DefaultCookiePolicy(allowed_domains=()))
        self.http = httpx.AsyncClient(base_url=url, cookies=cookies)

    async def send_code(self, email: str) -> None:
        """Mail a code to sign in with."""
        body = {"email": email, "type": "sign-in"}
        await self._call("POST", "/iam/v2/auth/email-otp/send-verification-otp", self.anonymous, body)

    async def sign_in(self, email: str, code: str) -> Any:
        """Take the code from the mail. The first sign-in makes the user."""
        return await self._call(
            "POST", "/iam/v2/auth/sign-in/email-otp", self.anonymous, {"email": email, "otp": code}
        )

    async def who_is(self, token: str) -> Any:
        """Tell whose token it is."""
        headers = {**self.anonymous, "authorization": f"Bearer {token}"}
        return (await self._call("GET", "/iam/v2/auth/get-session", headers))["user"]

    async def pay(self, order: str, account: str, sponsorship: str) -> Any:
        """Pay once. If no answer came, it asks again: with the same key, nothing is paid twice."""
        payment = {
            "chainId": 80002,
            "accountId": account,
            "feeSponsorshipId": sponsorship,
            "calls": [{"to": "0x00000000000000000000000000000000000000a1", "value": "1000"}],
            "waitForReceipt": False,
        }
        headers = {**self.backend, "x-idempotency-key": order}
        for _ in range(ATTEMPTS - 1):
            try:
                return await self._call("POST", "/v2/transactions", headers, payment)
            except httpx.TransportError:
                continue
        return await self._call("POST", "/v2/transactions", headers, payment)

    async def transaction(self, id: str) -> Any:
        """Find a payment by its id."""
        return await self._call("GET", f"/v2/transactions/{id}", self.backend)

    async def transactions(self) -> Any:
        """A page of the newest payments."""
        return await self._call("GET", "/v2/transactions", self.backend)

    async def _call(self, method: str, path: str, headers: dict[str, str], body: Any = None) -> Any:
        response = await self.http.request(method, path, headers=headers, json=body)
        response.raise_for_status()
        return response.json()
