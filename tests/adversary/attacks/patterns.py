"""Patterns that take backtracking engines for ever, in rules of scenarios and in criteria of policies."""

import random
import time

from httpx import Client

from mockserver.server.assembly import assemble
from mockserver.state.world import World
from tests.adversary.budget import Budget
from tests.transport import InProcessTransport

ATOMS = [
    "a",
    "a|a",
    "a|aa",
    ".",
    r"\w",
    "[a-z]",
    r"\pL",
    "(?i:k)",
    "ab?",
    "",
    "^",
    "$",
    r"\b",
    "(?:)",
    "x{0}",
]
REPEATS = ["+", "*", "{1,50}", "{2,}", "+?", "*?", "{0,1000}", "?", ""]
LIMIT_S = 2.0
"""The CPU time of a request that no pattern may exceed, on a slow machine."""


def attack(budget: Budget) -> None:
    """Load and use them: each is refused or matched, in no time to speak of."""
    with Client(transport=InProcessTransport(assemble(World())), base_url="http://mock") as client:
        client.headers["authorization"] = "Bearer sk_test_patterns"
        for _ in budget:
            pattern = draw(budget.chance, budget.chance.randint(1, 4))
            text = budget.chance.choice(["a", "ab", "k", "é"]) * budget.chance.choice([30, 3_000, 30_000])
            for use in (_in_a_rule, _in_a_policy, _in_the_journal):
                began = time.process_time()
                status = use(client, pattern, f"{text}!")
                assert time.process_time() - began < LIMIT_S, (use, pattern)
                assert status in (200, 201, 400, 409, 422), (use, status, pattern)


def draw(chance: random.Random, depth: int) -> str:
    """A pattern of nested repetitions."""
    if depth == 0:
        return chance.choice(ATOMS)
    inner = "".join(draw(chance, depth - 1) for _ in range(chance.randint(1, 2)))
    return f"{chance.choice(['', '^'])}({inner}){chance.choice(REPEATS)}{chance.choice(['', '$'])}"


def _in_a_rule(client: Client, pattern: str, text: str) -> int:
    when = {"call": "CreateContract", "body": {"name": {"matches": pattern}}}
    scenario = {"name": "patterns", "rules": [{"when": when, "then": {"answer": 418}}]}
    loaded = client.post("/_mock/projects/-/scenarios", json=scenario)
    if loaded.is_success:
        name = {"name": text, "chainId": 80002, "address": "0x" + "11" * 20}
        assert client.post("/v1/contracts", json=name).status_code in (200, 400, 409, 418)
        client.delete(f"/_mock/projects/-/scenarios/{loaded.json()['id']}").raise_for_status()
    return loaded.status_code


def _in_a_policy(client: Client, pattern: str, text: str) -> int:
    criterion = {"type": "evmMessage", "operator": "match", "pattern": pattern}
    rule = {"action": "accept", "operation": "signEvmMessage", "criteria": [criterion]}
    made = client.post("/v2/policies", json={"scope": "project", "rules": [rule]})
    if made.is_success:
        payload = {"operation": "signEvmMessage", "payload": {"message": text}}
        assert client.post("/v2/policies/evaluate", json=payload).status_code in (200, 400)
        client.delete(f"/v2/policies/{made.json()['id']}").raise_for_status()
    return made.status_code


def _in_the_journal(client: Client, pattern: str, text: str) -> int:
    path = f"{pattern}*{text}"[:900] + "*" * 90
    return client.get("/_mock/projects/-/journal", params={"path": path}).status_code
