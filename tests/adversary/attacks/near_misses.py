"""Rules that look at secrets and at large values, and the explanations why they did not match."""

import json
import random
from functools import partial
from typing import Any

from mockserver.state.world import World
from tests.adversary.attacks.proofs import AUTH, Tenant
from tests.adversary.budget import Budget
from tests.adversary.costs import BUDGET_MS, SLOWNESS, time_ms
from tests.server.robustness.stage import held

SECRET = "opensesame0opensesame"
CONTROL = "/_mock/projects/-"
CALLS: dict[str, tuple[str, list[str]]] = {
    "signUpEmail": (f"{AUTH}/sign-up/email", ["password", "name", "email", "image"]),
    "signInEmail": (f"{AUTH}/sign-in/email", ["password", "email"]),
    "signInEmailOTP": (f"{AUTH}/sign-in/email-otp", ["otp", "email"]),
    "importPrivateKey": ("/v2/accounts/backend/import", ["encryptedPrivateKey", "wallet"]),
    "ThirdPartyV2": ("/iam/v2/user/third_party", ["token"]),
}
HEADERS = ["authorization", "x-player-token", "x-wallet-auth", "cookie", "x-kind", "x-mockserver-token"]
LARGE: list[Any] = ["x" * 200_000, [0] * 9_000, {f"m{n}": "x" * 50 for n in range(3_000)}, None, "Ada", 7]
TESTS = ["another", {"matches": "^(a+)+$"}, {"contains": "zz"}, {"present": False}, {"equals": "x" * 300}]


def attack(budget: Budget) -> None:
    """Ask for them: they come at once, are short, tell no secret and change nothing."""
    tenant = Tenant(World(), "tests")
    project = tenant.project
    tenant.client.headers.update(tenant.secret)
    state = project.snapshot()
    for _ in budget:
        project.restore(state)
        operation = budget.chance.choice(list(CALLS))
        path, members = CALLS[operation]
        load(tenant, draw_rules(budget.chance, operation, members))
        secret = budget.chance.choice(HEADERS[1:])
        tenant.client.post(path, json=draw_body(budget.chance, members), headers={secret: SECRET})
        before = held(project)
        number = project.history.last_number
        path = f"{CONTROL}/journal/{number}/near-misses"
        answer, spent_ms = time_ms(partial(tenant.client.get, path))
        assert answer.status_code == 200, answer.text
        assert SECRET not in answer.text or secret == "x-kind", answer.text
        assert spent_ms < BUDGET_MS * SLOWNESS, (operation, spent_ms)
        assert len(answer.content) < 2_000_000
        assert held(project) == before


def load(tenant: Tenant, rules: list[Any]) -> None:
    """Load a scenario of these rules; JSON is YAML."""
    text = json.dumps({"name": "near", "rules": rules})
    headers = {"content-type": "application/yaml"}
    answer = tenant.client.post(f"{CONTROL}/scenarios", content=text.encode(), headers=headers)
    assert answer.status_code == 201, answer.text


def draw_rules(chance: random.Random, operation: str, members: list[str]) -> list[Any]:
    """Rules about one operation, which no call meets."""

    def condition(names: list[str]) -> dict[str, Any]:
        return {name: chance.choice(TESTS) for name in chance.sample(names, k=chance.randint(1, len(names)))}

    rules = []
    for _ in range(chance.choice([1, 5, 100])):
        when = {"call": operation, "headers": condition(HEADERS), "body": condition(members)}
        rules.append({"when": {**when, "state": "elsewhere"}, "then": {"answer": 500}})
    rules.append({"when": "ListPolicies", "then": {"state": "elsewhere"}})
    return rules


def draw_body(chance: random.Random, members: list[str]) -> dict[str, Any]:
    """A body with a secret in the first member, which is one, and large values in the others."""
    body = {name: chance.choice(LARGE) for name in members[1:]}
    hidden = chance.choice([SECRET, [SECRET], {"of": SECRET}, {"deep": [{"of": SECRET}]}])
    return {**body, members[0]: hidden, chance.choice(["passwrod", "of"]): SECRET}
