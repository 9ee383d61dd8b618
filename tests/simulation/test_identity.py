"""Random sign-ins, codes, links and clock moves: what ended stays ended, and no user is locked out."""

from dataclasses import dataclass, field
from typing import Any

from eth_account import Account
from eth_account.messages import encode_defunct
from eth_account.signers.local import LocalAccount
from httpx import Client
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from mockserver.server.assembly import assemble
from mockserver.state.world import World
from mockserver.testing.client import MockServer
from tests.thoroughness import THOROUGHNESS
from tests.transport import InProcessTransport

AUTH = "/iam/v2/auth"
DAY_S = 24 * 3600
CODE_S = 300
LINK_S = 3600
NAMES = ("ada", "bob")
WALLETS: tuple[LocalAccount, ...] = tuple(Account.from_key(f"0x{digit * 64}") for digit in "12")
PURPOSES = {"sign-in": "sign-in/email-otp", "email-verification": "email-otp/verify-email"}
FIRST = "correct horse"


@dataclass
class Session:
    """A sign-in: whose it is, when it was last renewed, and whether it was ended."""

    token: str
    user_id: str
    remember: bool
    renewed_at: float
    ended: bool = False

    def lives_at(self, now_s: float) -> bool:
        return not self.ended and now_s < self.renewed_at + (7 if self.remember else 1) * DAY_S


@dataclass
class Code:
    """The newest code for a purpose, or one before it."""

    text: str
    sent_at: float
    wrong_tries: int = 0
    used: bool = False


@dataclass
class Model:
    """What the project must remember."""

    now_s: float = 0
    users: dict[str, str] = field(default_factory=dict)
    """By e-mail address."""
    passwords: dict[str, str] = field(default_factory=dict)
    sessions: list[Session] = field(default_factory=list)
    codes: dict[tuple[str, str], Code] = field(default_factory=dict)
    links: list[tuple[str, str, float]] = field(default_factory=list)
    """Reset links: the address, the token, and when it was sent."""
    spent: set[str] = field(default_factory=set)


class SigningIn(RuleBasedStateMachine):
    """One project, driven by its users, beside a model of who is signed in."""

    def __init__(self) -> None:
        super().__init__()
        transport = InProcessTransport(assemble(World()))
        self.project = MockServer("http://mock", transport=transport).create_project(
            # The model remembers every code: none is dropped, however long ago it has expired.
            name="identity",
            settings={"expired_kept_ms": 10**12},
        )
        self.client = Client(transport=transport, base_url="http://mock")
        self.model = Model()

    name = st.sampled_from(NAMES)
    pick = st.integers(0, 50)

    def call(self, path: str, body: object = None, token: str | None = None, method: str = "POST") -> Any:
        headers = {"x-project-key": self.project.publishable_key}
        if token is not None:
            headers["authorization"] = f"Bearer {token}"
        self.client.cookies.clear()
        return self.client.request(method, f"{AUTH}/{path}", json=body, headers=headers)

    def as_user(self, session: Session, path: str, body: object = None, method: str = "POST") -> Any:
        """A call with a session, which renews it if it is allowed and due."""
        model = self.model
        alive = session.lives_at(model.now_s)
        answer = self.call(path, body, session.token, method)
        if not alive:
            assert answer.status_code == 401, "a session outlives its end"
        elif answer.is_success and session.remember and model.now_s - session.renewed_at >= DAY_S:
            session.renewed_at = model.now_s
        return answer

    def opened(self, answer: Any, user_id: str, remember: bool = True) -> None:
        self.model.sessions.append(Session(answer.json()["token"], user_id, remember, self.model.now_s))

    def session(self, pick: int) -> Session:
        return self.model.sessions[pick % len(self.model.sessions)]

    # --- signing in -----------------------------------------------------------------------------

    @rule(name=name, remember=st.booleans())
    def sign_up(self, name: str, remember: bool) -> None:
        email = f"{name}@example.com"
        answer = self.call(
            "sign-up/email", {"name": name, "email": email, "password": FIRST, "rememberMe": remember}
        )
        if email in self.model.users:
            assert answer.json()["code"] == "USER_ALREADY_EXISTS_USE_ANOTHER_EMAIL"
            return
        self.model.users[email] = answer.json()["user"]["id"]
        self.model.passwords[email] = FIRST
        self.opened(answer, self.model.users[email], remember)

    @rule(name=name, remember=st.booleans(), password=st.sampled_from((FIRST, "battery staple")))
    def sign_in_with_a_password(self, name: str, remember: bool, password: str) -> None:
        email = f"{name}@example.com"
        answer = self.call("sign-in/email", {"email": email, "password": password, "rememberMe": remember})
        if self.model.passwords.get(email) != password:
            assert answer.json()["code"] == "INVALID_EMAIL_OR_PASSWORD"
        else:
            self.opened(answer, self.model.users[email], remember)

    @rule(name=name, purpose=st.sampled_from(sorted(PURPOSES)))
    def ask_for_a_code(self, name: str, purpose: str) -> None:
        email = f"{name}@example.com"
        assert self.call("email-otp/send-verification-otp", {"email": email, "type": purpose}).is_success
        text = self.project.outbox.latest(to=email, kind=purpose)["code"]
        self.model.codes[purpose, email] = Code(text, self.model.now_s)

    @precondition(lambda self: self.model.codes)
    @rule(pick=pick, rightly=st.booleans())
    def use_a_code(self, pick: int, rightly: bool) -> None:
        model = self.model
        purpose, email = sorted(model.codes)[pick % len(model.codes)]
        code = model.codes[purpose, email]
        text = code.text if rightly else "000000" if code.text != "000000" else "111111"
        answer = self.call(PURPOSES[purpose], {"email": email, "otp": text})
        if code.used:
            assert answer.json()["code"] == "INVALID_OTP", "a code works twice"
        elif model.now_s >= code.sent_at + CODE_S:
            assert answer.json()["code"] == "OTP_EXPIRED"
            code.used = True
        elif code.wrong_tries == 3:
            assert answer.json()["code"] == "TOO_MANY_ATTEMPTS"
            code.used = True
        elif not rightly:
            assert answer.json()["code"] == "INVALID_OTP"
            code.wrong_tries += 1
        else:
            code.used = True
            self.proven(answer, purpose, email)
            again = self.call(PURPOSES[purpose], {"email": email, "otp": text})
            assert again.json()["code"] == "INVALID_OTP", "a code works twice"

    def proven(self, answer: Any, purpose: str, email: str) -> None:
        if purpose == "email-verification" and email not in self.model.users:
            assert answer.json()["code"] == "USER_NOT_FOUND"
            return
        user_id = self.model.users.setdefault(email, answer.json()["user"]["id"])
        assert answer.json()["user"]["id"] == user_id
        if purpose == "sign-in":
            self.opened(answer, user_id)

    @rule(name=name)
    def ask_for_a_reset(self, name: str) -> None:
        email = f"{name}@example.com"
        assert self.call("request-password-reset", {"email": email, "redirectTo": "/"}).is_success
        if email in self.model.users:
            url = self.project.outbox.latest(to=email, kind="reset-password")["url"]
            token = url.partition("/reset-password/")[2].partition("?")[0]
            self.model.links.append((email, token, self.model.now_s))

    @precondition(lambda self: self.model.links)
    @rule(pick=pick, password=st.sampled_from((FIRST, "battery staple")))
    def follow_a_reset(self, pick: int, password: str) -> None:
        email, token, sent_at = self.model.links[pick % len(self.model.links)]
        answer = self.call("reset-password", {"newPassword": password, "token": token})
        if token in self.model.spent or self.model.now_s >= sent_at + LINK_S:
            assert answer.json()["code"] == "INVALID_TOKEN", "a link works twice, or after its end"
        else:
            self.model.spent.add(token)
            self.model.passwords[email] = password

    # --- wallets ----------------------------------------------------------------------------------

    def proof(self, wallet: LocalAccount, family: str, session: Session | None) -> dict[str, Any]:
        body = {"walletAddress": wallet.address, "chainId": 80002}
        if session is None:
            answer = self.call(f"{family}/nonce", body)
        else:
            answer = self.as_user(session, f"{family}/nonce", body)
        nonce = answer.json().get("nonce", "no-nonce-at-all")
        message = (
            f"shop.example wants you to sign in with your Ethereum account:\n{wallet.address}\n\n\n"
            f"URI: https://shop.example\nVersion: 1\nChain ID: 80002\nNonce: {nonce.replace('-', '')}\n"
            "Issued At: 2026-01-01T00:00:00.000Z"
        )
        signature = wallet.sign_message(encode_defunct(text=message)).signature.hex()
        return body | {"message": message, "signature": f"0x{signature.removeprefix('0x')}"}

    @rule(wallet=st.sampled_from(WALLETS))
    def sign_in_with_a_wallet(self, wallet: LocalAccount) -> None:
        proof = self.proof(wallet, "siwe", None)
        answer = self.call("siwe/verify", proof)
        self.opened(answer, answer.json()["user"]["id"])
        again = self.call("siwe/verify", proof)
        assert again.json()["code"] == "UNAUTHORIZED_INVALID_OR_EXPIRED_NONCE", "a nonce works twice"

    @precondition(lambda self: self.model.sessions)
    @rule(pick=pick, wallet=st.sampled_from(WALLETS))
    def link_a_wallet(self, pick: int, wallet: LocalAccount) -> None:
        session = self.session(pick)
        answer = self.as_user(session, "link-siwe/verify", self.proof(wallet, "link-siwe", session))
        assert answer.status_code in (200, 400, 401)

    @precondition(lambda self: self.model.sessions)
    @rule(pick=pick, wallet=st.sampled_from(WALLETS))
    def unlink_a_wallet(self, pick: int, wallet: LocalAccount) -> None:
        body = {"walletAddress": wallet.address, "chainId": 80002}
        self.as_user(self.session(pick), "link-siwe/unlink", body)

    @precondition(lambda self: self.model.sessions)
    @rule(pick=pick, provider=st.sampled_from(("credential", "siwe")))
    def unlink_an_account(self, pick: int, provider: str) -> None:
        session = self.session(pick)
        answer = self.as_user(session, "unlink-account", {"providerId": provider})
        if answer.is_success and provider == "credential":
            email = next(key for key, user_id in self.model.users.items() if user_id == session.user_id)
            del self.model.passwords[email]

    # --- ending -----------------------------------------------------------------------------------

    @precondition(lambda self: self.model.sessions)
    @rule(pick=pick, path=st.sampled_from(("sign-out", "revoke-sessions", "revoke-other-sessions")))
    def end_sessions(self, pick: int, path: str) -> None:
        session = self.session(pick)
        alive = session.lives_at(self.model.now_s)
        if path == "sign-out":
            assert self.call(path, {}, session.token).is_success
            session.ended = True
            return
        self.as_user(session, path)
        for other in self.model.sessions if alive else ():
            if other.user_id == session.user_id and (other is not session or path == "revoke-sessions"):
                other.ended = True

    @precondition(lambda self: self.model.sessions)
    @rule(pick=pick, which=pick)
    def revoke_a_session(self, pick: int, which: int) -> None:
        session, victim = self.session(pick), self.session(which)
        answer = self.as_user(session, "revoke-session", {"token": victim.token})
        if answer.is_success:
            assert victim.user_id == session.user_id
            victim.ended = True

    @precondition(lambda self: self.model.sessions)
    @rule(pick=pick)
    def use_a_session(self, pick: int) -> None:
        session = self.session(pick)
        answer = self.as_user(session, "get-session", method="GET")
        assert answer.is_success is session.lives_at(self.model.now_s)

    @rule(seconds=st.sampled_from([1, CODE_S - 1, CODE_S, LINK_S, DAY_S - 1, DAY_S, 6 * DAY_S, 7 * DAY_S]))
    def let_time_pass(self, seconds: int) -> None:
        self.project.clock.advance(seconds)
        self.model.now_s += seconds

    # --- what must hold ---------------------------------------------------------------------------

    @invariant()
    def who_is_signed_in_is_whom_the_model_knows(self) -> None:
        for session in self.model.sessions:
            answer = self.call("get-session?disableRefresh=true", token=session.token, method="GET")
            assert answer.is_success is session.lives_at(self.model.now_s)
            if answer.is_success:
                assert answer.json()["user"]["id"] == session.user_id

    def teardown(self) -> None:
        headers = {"authorization": f"Bearer {self.project.secret_key}"}
        for user in self.client.get("/v2/users?limit=100", headers=headers).json()["data"]:
            assert user["id"] in self.ways_in(user), f"{user['email']} is locked out"

    def ways_in(self, user: dict[str, Any]) -> set[str]:
        """Whom signing in by every way that the user has leads to."""
        found = set()
        for link in user["linkedAccounts"]:
            if link["provider"] == "siwe":
                wallet = next(row for row in WALLETS if link["accountId"].startswith(row.address))
                found.add(self.call("siwe/verify", self.proof(wallet, "siwe", None)).json()["user"]["id"])
            else:
                body = {"email": user["email"], "password": self.model.passwords[user["email"]]}
                found.add(self.call("sign-in/email", body).json()["user"]["id"])
        if user["emailVerified"]:
            self.call("email-otp/send-verification-otp", {"email": user["email"], "type": "sign-in"})
            code = self.project.outbox.latest(to=user["email"], kind="sign-in")["code"]
            answer = self.call("sign-in/email-otp", {"email": user["email"], "otp": code})
            found.add(answer.json()["user"]["id"])
        return found


SigningIn.TestCase.settings = settings(
    max_examples=12 * THOROUGHNESS,
    stateful_step_count=30,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
TestSigningIn = SigningIn.TestCase
