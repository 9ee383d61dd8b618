"""What any call may meet: malformed HTTP, access, scopes, live mode, other projects, snapshots."""

import json
from typing import Any

from tests.regression.journeys.accounts import externally_owned
from tests.regression.journeys.money import contract, gas_policy
from tests.regression.journeys.sign_in import AUTH, PASSWORD, SHOP, sign_up
from tests.regression.story import Project, Story

CONTRACTS = "/v1/contracts"
TOKEN = "0x" + "5f" * 20
JSON = {"content-type": "application/json"}
BODIES = (
    "",
    "{",
    "[]",
    "null",
    "5",
    '"x"',
    '{"name": 1, "name": 2}',
    '{"name": "\\ud800"}',
    '{"a": NaN}',
    "[" * 2000,
)
SIGN_UP = {"name": "Ada", "email": "ada@example.com", "password": PASSWORD}


def wire(story: Story) -> None:
    """Bodies, media types, methods and paths that are not as they should be."""
    project = story.project("wire")
    for body in BODIES:
        story.raw("POST", CONTRACTS, body, {**project.secret, **JSON})
        story.raw("POST", f"{AUTH}/sign-in/email", body, {**project.visitor, **JSON})
    good = json.dumps({"name": "Token", "chainId": 80002, "address": TOKEN})
    for kind in ("text/plain", "application/json; charset=utf-8", "application/xml", "multipart/form-data"):
        story.raw("POST", CONTRACTS, good, {**project.secret, "content-type": kind})
    form = {**project.secret, "content-type": "application/x-www-form-urlencoded"}
    story.raw("POST", CONTRACTS, f"name=Form&chainId=80002&address=0x{'6f' * 20}&abi[0][type]=function", form)
    story.raw("POST", CONTRACTS, "x" * 3_000_000, {**project.secret, **JSON})
    for method in ("PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "GET"):
        for path in (CONTRACTS, "/v1/nothing", "/", f"{CONTRACTS}/", "//v1/contracts"):
            story.raw(method, path, "", {**project.secret, "x-request-id": "request-1"})
    asked = {
        "origin": SHOP,
        "access-control-request-method": "POST",
        "access-control-request-headers": "x-project-key",
    }
    story.raw("OPTIONS", f"{AUTH}/sign-in/email", "", asked)
    story.raw("GET", "/v1/players", "", {**project.secret, "origin": SHOP})


def access(story: Story) -> None:
    """Credentials that are missing, malformed, of another mode or of too narrow a scope."""
    project = story.project("access")
    narrow = story.project("narrow", scopes=["contracts:read", "accounts:read"])
    live = story.project("live", livemode=True)
    headers = [
        "",
        "Bearer",
        "Bearer  ",
        "Basic abc",
        "bearer sk_test_access",
        "Bearer sk_live_nobody",
        "Bearer sk_test_new",
    ]
    for path in (CONTRACTS, "/v2/accounts", "/iam/v2/me", f"{AUTH}/get-session", "/iam/v1/config"):
        for value in headers:
            project.call("GET", path, None, {"authorization": value})
        project.call("GET", path, None, {})
        project.call("GET", path, None, {"x-project-key": "pk_test_nobody_at_all"})
        narrow.call("GET", path)
    contract(narrow)
    for chain in (1, 137, 80002, 999999):
        contract(live, chainId=chain)
        live.call("POST", "/v1/players", {"name": "Live"})
        live.call("POST", "/v1/accounts", {"chainId": chain})
    for settings in ({"unknown_chains": "refuse"}, {"require_https": True}):
        project.change(**settings)
        contract(project, chainId=999999)
        project.call("GET", CONTRACTS, None, {**project.secret, "x-forwarded-proto": "https"})
    behalf(story, live)


def behalf(story: Story, other: Project) -> None:
    """Calls on behalf of another project, before and after it authorized the caller's."""
    caller = story.project("ecosystem")
    account = contract(other)
    body = {"chainId": 80002, "interactions": [{"contract": account}]}
    for ecosystems in ([], [caller.id]):
        other.change(ecosystems=ecosystems)
        for target in (other.id, "pro_unknown"):
            caller.answer("POST", "/v1/transaction_intents", body, x_behalf_of_project=target)


def repeats(story: Story) -> None:
    """Idempotency keys: the same request, another one, a refused one, after their lifetime."""
    project = story.project("repeats")
    for key in ("a", "a", "", "k" * 300, "b", "b"):
        for name in ("Once", "Once", "Twice"):
            project.answer("POST", "/v1/players", {"name": name}, x_idempotency_key=key)
    for body in ({"name": 5}, {"name": 5}, {"name": "Good"}):
        project.answer("POST", "/v1/players", body, x_idempotency_key="refused")
    project.advance(86_401)
    project.answer("POST", "/v1/players", {"name": "Twice"}, x_idempotency_key="a")


def snapshots(story: Story) -> None:
    """What follows a restore is what followed the snapshot."""
    project = story.project("snapshots")
    user = sign_up(project)["user"]["id"]
    project.control("POST", "/snapshots", {"name": "before"})
    for _ in range(2):
        externally_owned(project, user)
        gas_policy(project)
        project.advance(60)
        project.call("GET", "/v2/accounts")
        project.control("POST", "/snapshots/before/restore")


def sign_in_settings(story: Story) -> None:
    """Signing up and in under every setting that changes it."""
    every: tuple[dict[str, Any], ...] = (
        {"email_verification_required": True},
        {"email_verification_required": True, "auto_sign_in_after_verification": True},
        {"get_session_answers_null": True},
        {"trusted_origins": ["https://other.example"]},
        {"password_min_length": 20, "password_max_length": 21},
        {"sign_up_on_request": ["google"], "social_providers": ["google"]},
    )
    for number, settings in enumerate(every):
        project = story.project(f"sign-in-settings-{number}", settings=settings)
        visitor = project.visitor
        project.answer(
            "POST", f"{AUTH}/sign-up/email", {**SIGN_UP, "callbackURL": SHOP}, visitor, origin=SHOP
        )
        project.call("POST", f"{AUTH}/sign-in/email", SIGN_UP, visitor)
        project.call("POST", f"{AUTH}/send-verification-email", {"email": SIGN_UP["email"]}, visitor)
        url = project.mail(SIGN_UP["email"]).get("url")
        if url is not None:
            project.call("GET", url.removeprefix("http://mock.test"), None, {})
        project.call("POST", f"{AUTH}/sign-in/email", SIGN_UP, visitor)
        project.call(
            "POST",
            f"{AUTH}/email-otp/send-verification-otp",
            {"email": "x@example.com", "type": "sign-in"},
            visitor,
        )
        project.call("GET", f"{AUTH}/get-session", None, visitor)
        for provider in ("google", "apple"):
            project.call(
                "POST", f"{AUTH}/sign-in/social", {"provider": provider, "callbackURL": SHOP}, visitor
            )


JOURNEYS = (wire, access, repeats, snapshots, sign_in_settings)
