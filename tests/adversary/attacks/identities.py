"""Users by e-mail address and by provider identity, whichever comes first, in spellings that look alike."""

import json
import random
from collections import Counter
from typing import Any

import jwt
from httpx import Response

from mockserver.state.project import Project
from mockserver.state.world import World
from tests.adversary.attacks.proofs import AUTH, Tenant
from tests.adversary.budget import Budget
from tests.server.robustness.stage import held

EMAILS = [
    *("ada@example.com", "ADA@example.com", "ada@EXAMPLE.com", "ad\u0430@example.com", "\u0130@example.com"),
    *("i\u0307@example.com", "ada@example.com ", "ada@example", "ada@@example.com", "a" * 260 + "@b.co"),
    *("ada\n@example.com", "", "ada@example.com\0", "stra\u00dfe@example.com", "STRASSE@example.com"),
]
SUBJECTS = [
    "1",
    "01",
    "1 ",
    "\u0661",
    "acc_1",
    "",
    "..",
    "usr_" + "0" * 36,
    "x" * 256,
    "x" * 257,
    "firebase:1",
]
PROVIDERS = ["firebase", "supabase", "custom", "nobody", "google"]
STEPS = 8


def attack(budget: Budget) -> None:
    """Make them: no address and no identity has two users, and a refusal changes nothing."""
    tenant = Tenant(World(), "tests")
    project = tenant.project
    state = project.snapshot()
    for _ in budget:
        project.restore(state)
        for _ in range(STEPS):
            before = held(project)
            make = budget.chance.choice([pregenerate, come_by_token, sign_up, sign_in_by_code])
            answer = make(tenant, budget.chance)
            assert answer.status_code < 500, answer.text
            if answer.is_error:
                assert held(project) == before, answer.request.content
            check(project)


def pregenerate(tenant: Tenant, chance: random.Random) -> Response:
    """Create a user before they first sign in."""
    body: dict[str, Any] = {"accounts": [draw_account(chance) for _ in range(chance.choice([0, 1, 1, 3]))]}
    if chance.random() < 0.7:
        body["email"] = chance.choice(EMAILS)
    if chance.random() < 0.7:
        body |= {"thirdPartyUserId": chance.choice(SUBJECTS), "thirdPartyProvider": chance.choice(PROVIDERS)}
    return tenant.client.post("/v2/users/pregenerate", json=body, headers=tenant.secret)


def draw_account(chance: random.Random) -> dict[str, Any]:
    """An account to make, which may not fit."""
    kinds = ["Externally Owned Account", "Smart Account", "Delegated Account", "Smart"]
    account: dict[str, Any] = {
        "accountType": chance.choice(kinds),
        "chainType": chance.choice(["EVM", "SVM"]),
    }
    if chance.random() < 0.7:
        account |= {"chainId": chance.choice([80002, 137, 0, 2**53]), "implementationType": "Calibur"}
    return account


def come_by_token(tenant: Tenant, chance: random.Random) -> Response:
    """Use the API as the user of a provider's token."""
    claims: dict[str, Any] = {"sub": chance.choice([*SUBJECTS, 7, None, ["1"]])}
    if chance.random() < 0.7:
        claims |= {
            "email": chance.choice([*EMAILS, 7]),
            "email_verified": chance.choice([True, False, "true"]),
        }
    headers = {
        "authorization": f"Bearer {tenant.project.publishable_key}",
        "x-auth-provider": chance.choice(PROVIDERS),
        # Not by jwt.encode, which refuses a subject that is no text.
        "x-player-token": jwt.api_jws.encode(json.dumps(claims).encode(), "k" * 32),
    }
    return tenant.client.get("/v2/accounts", headers=headers)


def sign_up(tenant: Tenant, chance: random.Random) -> Response:
    """Sign up with a password."""
    body = {"name": "Ada", "email": chance.choice(EMAILS), "password": "long enough"}
    return tenant.client.post(f"{AUTH}/sign-up/email", json=body, headers=tenant.visitor)


def sign_in_by_code(tenant: Tenant, chance: random.Random) -> Response:
    """Sign in with the code of a mail."""
    email = chance.choice(EMAILS)
    asked = tenant.client.post(
        f"{AUTH}/email-otp/send-verification-otp",
        json={"email": email, "type": "sign-in"},
        headers=tenant.visitor,
    )
    mail = tenant.project.outbox.last("kind", "sign-in")
    if asked.is_error or mail is None:
        return asked
    body = {"email": email, "otp": mail.code}
    return tenant.client.post(f"{AUTH}/sign-in/email-otp", json=body, headers=tenant.visitor)


def check(project: Project) -> None:
    """Every address and every identity belongs to one user who is there."""
    users = list(project.identity.users)
    emails = Counter(user.email for user in users if user.email is not None)
    assert not [email for email, count in emails.items() if count > 1], emails
    assert all(email == email.lower() for email in emails)
    ids = {user.id for user in users}
    linked = list(project.identity.linked_accounts)
    assert len({(row.provider, row.account_id) for row in linked}) == len(linked)
    assert {row.user_id for row in linked} <= ids
    wallets = {row.id: row.user_id for row in project.wallets.wallets}
    assert all(wallets[account.wallet_id] in ids for account in project.wallets.accounts)
