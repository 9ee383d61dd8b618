"""Embedded wallets in the page of an application, by the official client and the frame that it opens."""

import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import pytest
from eth_account import Account as EthAccount
from eth_account.messages import encode_defunct
from solders.pubkey import Pubkey
from solders.signature import Signature

from mockserver.testing.project import MockProject
from mockserver.testing.server import LiveServer
from tests.clients.installing import installed
from tests.page.serving import served_page

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, Page, Route

CLIENTS = Path(__file__).parents[1] / "clients"
CODE = """
import { Openfort } from "@openfort/openfort-js";
window.begin = (publishableKey, backendUrl, iframeUrl, provider) => {
  window.client = new Openfort({
    baseConfiguration: { publishableKey },
    shieldConfiguration: { shieldPublishableKey: "any", passkeyRpId: "localhost", passkeyRpName: "Shop" },
    overrides: { backendUrl, iframeUrl },
    thirdPartyAuth: provider && { provider, getAccessToken: async () => window.ticket },
    disableTelemetry: true,
  });
};
"""
EOA = {"accountType": "Externally Owned Account", "chainType": "EVM"}
PASSWORD = {"recoveryMethod": "password", "password": "correct horse"}
SIGN_UP = "auth.signUpWithEmailPassword"
PERSON = {"email": "ada@example.com", "password": "correct horse", "name": "Ada"}

Use = Callable[..., Any]
"""Calls a method of the client by its path; the value, or `{"thrown": code}`."""


@pytest.fixture(scope="module")
def script(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The client, bundled as an application has it."""
    packages = installed(CLIENTS)
    folder = tmp_path_factory.mktemp("application")
    (folder / "node_modules").symlink_to(packages)
    (folder / "application.js").write_text(CODE, encoding="utf-8")
    options = (
        "--bundle",
        "--log-level=error",
        '--define:process.env.NODE_ENV="test"',
        "--define:global=window",
    )
    bundler = packages / ".bin" / "esbuild"
    built = subprocess.run(
        [bundler, "application.js", *options], cwd=folder, check=True, capture_output=True, text=True
    )
    return built.stdout


@pytest.fixture
def application(
    context: "BrowserContext", server: LiveServer, shop: MockProject, script: str
) -> "Iterator[Page]":
    """A page of an application, on another site than the server: the browser gives its frames no storage."""
    page = context.new_page()
    with served_page("<!doctype html><title>application</title><body>") as port:
        page.goto(f"http://localhost:{port}/")
        page.add_script_tag(content=script)
        begin(page, shop, server.url, f"{server.url}/_mock/embedded")
        yield page


def begin(page: "Page", shop: MockProject, *urls: str) -> None:
    """Make a client, with the URL of the API and that of the frame, and perhaps a provider of users."""
    page.evaluate("(given) => begin(...given)", [shop.publishable_key, *urls])


@pytest.fixture
def call_client(application: "Page") -> Use:
    """Use the client."""
    call = """async ([path, given]) => {
      const [group, method] = path.split(".");
      try {
        return await client[group][method](...given);
      } catch (error) {
        return { thrown: error.error ?? error.code ?? String(error) };
      }
    }"""

    return lambda path, *given: application.evaluate(call, [path, given])


@pytest.fixture
def use(call_client: Use) -> Use:
    """Use the client of a user who has signed up."""
    assert call_client(SIGN_UP, PERSON)["user"]["email"] == PERSON["email"]
    return call_client


def test_an_embedded_wallet_signs_and_is_recovered(use: Use) -> None:
    made = use("embeddedWallet.create", {**EOA, "recoveryParams": PASSWORD})
    signature = use("embeddedWallet.signMessage", "hello")
    assert EthAccount.recover_message(encode_defunct(text="hello"), signature=signature) == made["address"]
    assert EthAccount.from_key(use("embeddedWallet.exportPrivateKey")).address == made["address"]
    use("auth.logout")
    use("auth.logInWithEmailPassword", {name: PERSON[name] for name in ("email", "password")})
    assert use("embeddedWallet.signMessage", "hello") == {"thrown": "NOT_CONFIGURED"}
    recovery = {"account": made["id"], "recoveryParams": PASSWORD}
    wrong = {**recovery, "recoveryParams": {**PASSWORD, "password": "wrong"}}
    assert use("embeddedWallet.recover", wrong) == {"thrown": "WRONG_RECOVERY_PASSWORD"}
    assert use("embeddedWallet.recover", recovery)["address"] == made["address"]
    assert use("embeddedWallet.signMessage", "hello") == signature


def test_an_embedded_smart_account_pays(use: Use, application: "Page", shop: MockProject) -> None:
    wanted = {"accountType": "Smart Account", "chainType": "EVM", "chainId": 84532}
    made = use("embeddedWallet.create", {**wanted, "recoveryParams": PASSWORD})
    shop.fund(84532, made["address"], 2 * 10**18)
    paid = application.evaluate(
        """async (node) => {
          const provider = await client.embeddedWallet.getEthereumProvider({ chains: { 84532: node } });
          const call = { to: "0x00000000000000000000000000000000000000a1", value: "0xde0b6b3a7640000" };
          return provider.request({ method: "eth_sendTransaction", params: [call] });
        }""",
        shop.rpc_url(84532),
    )
    assert paid.startswith("0x")
    assert shop.holdings(84532, "0x00000000000000000000000000000000000000a1")["balance_wei"] == str(10**18)


def test_hosts_that_are_built_in_are_led_to_the_server(
    application: "Page", use: Use, context: "BrowserContext", server: LiveServer, shop: MockProject
) -> None:
    hosts = {"https://api.example": server.url, "https://frame.example": f"{server.url}/_mock/embedded"}

    def lead(route: "Route") -> None:
        asked = urlsplit(route.request.url)
        target = hosts[f"{asked.scheme}://{asked.netloc}"]
        route.fulfill(response=route.fetch(url=route.request.url.replace(f"https://{asked.netloc}", target)))

    for host in hosts:
        context.route(f"{host}/**", lead)
    begin(application, shop, *hosts)
    use("auth.logInWithEmailPassword", {name: PERSON[name] for name in ("email", "password")})
    made = use("embeddedWallet.create", {**EOA, "recoveryParams": PASSWORD})
    signature = use("embeddedWallet.signMessage", "hello")
    assert EthAccount.recover_message(encode_defunct(text="hello"), signature=signature) == made["address"]


def test_an_unreadable_answer_is_an_error_of_the_client(use: Use, shop: MockProject) -> None:
    use("embeddedWallet.create", {**EOA, "recoveryParams": PASSWORD})
    fault = {"server_error": {"times": 1}}
    shop.load({"rules": [{"when": "SignWithEmbeddedWallet", "then": {"fault": fault}}]})
    assert use("embeddedWallet.signMessage", "hello") == {"thrown": "INTERNAL_ERROR"}
    assert use("embeddedWallet.signMessage", "hello").startswith("0x")


def test_users_of_a_provider_have_their_own_wallets(
    application: "Page", call_client: Use, server: LiveServer, shop: MockProject
) -> None:
    begin(application, shop, server.url, f"{server.url}/_mock/embedded", "playfab")
    application.evaluate("ticket = 'session ticket of Ada'")
    call_client("embeddedWallet.create", {**EOA, "recoveryParams": PASSWORD})
    signature = call_client("embeddedWallet.signMessage", "hello")
    application.evaluate("ticket = 'session ticket of Bob'")
    assert call_client("embeddedWallet.signMessage", "hello") == {"thrown": "NOT_CONFIGURED"}
    application.evaluate("ticket = 'session ticket of Ada'")
    assert call_client("embeddedWallet.signMessage", "hello") == signature
    assert len(signature) == 132


def test_an_embedded_solana_wallet_signs(use: Use) -> None:
    wanted = {"accountType": "Externally Owned Account", "chainType": "SVM", "recoveryParams": PASSWORD}
    made = use("embeddedWallet.create", wanted)
    signature = use("embeddedWallet.signMessage", "hello", {"hashMessage": False})
    assert Signature.from_string(signature).verify(Pubkey.from_string(made["address"]), b"hello")


def test_a_passkey_recovers_an_embedded_wallet(
    use: Use, application: "Page", context: "BrowserContext"
) -> None:
    authenticator = {
        "protocol": "ctap2",
        "ctap2Version": "ctap2_1",
        "transport": "internal",
        "hasResidentKey": True,
        "hasUserVerification": True,
        "isUserVerified": True,
        "hasPrf": True,
        "automaticPresenceSimulation": True,
    }
    tools = context.new_cdp_session(application)
    tools.send("WebAuthn.enable")
    tools.send("WebAuthn.addVirtualAuthenticator", {"options": authenticator})
    made = use("embeddedWallet.create", {**EOA, "recoveryParams": {"recoveryMethod": "passkey"}})
    assert made["recoveryMethod"] == "passkey"
    passkey = {"passkeyId": made["recoveryMethodDetails"]["passkeyId"]}
    recovery = {
        "account": made["id"],
        "recoveryParams": {"recoveryMethod": "passkey", "passkeyInfo": passkey},
    }
    assert use("embeddedWallet.recover", recovery)["address"] == made["address"]
