"""Tokens and signatures that are nearly right: altered, of another signer, project or time, or used again."""

import random

from mockserver.state.world import World
from tests.adversary.attacks import proofs
from tests.adversary.attacks.proofs import Proof, Tenant
from tests.adversary.budget import Budget
from tests.server.robustness.stage import held

CHARACTERS = "ABCxyz019-_"
HEX = "0123456789abcdef"


def attack(budget: Budget) -> None:
    """Use them: every one is refused and changes nothing; then the true one is accepted, if need be once."""
    world = World()
    tenant, other = Tenant(world, "tests"), Tenant(world, "other")
    makers = (proofs.session, proofs.access, proofs.wallet, proofs.siwe, proofs.transaction, proofs.id_token)
    accepted = [make(tenant, other) for make in makers]
    project, state = tenant.project, tenant.project.snapshot()
    for _ in budget:
        proof = budget.chance.choice(accepted)
        forged = forge(budget.chance, proof)
        before, elsewhere = held(project), held(other.project)
        _refuse(proof, forged)
        assert held(project) == before, (proof.name, forged)
        project.restore(state)
        assert proof.use(proof.value).is_success, proof.name
        if proof.spent_by_use:
            _refuse(proof, proof.value)
        assert held(other.project) == elsewhere, (proof.name, forged)
        project.restore(state)


def _refuse(proof: Proof, value: str) -> None:
    answer = proof.use(value)
    assert 400 <= answer.status_code < 500, (proof.name, value, answer.text)


def forge(chance: random.Random, proof: Proof) -> str:
    """Something else that looks like a proof."""
    if chance.random() < 0.3:
        return chance.choice(proof.lookalikes)
    value = proof.value
    characters = HEX if value.startswith("0x") else CHARACTERS
    place = chance.randrange(2 if characters is HEX else 0, len(value))
    kind = chance.randrange(4)
    if kind == 0:
        other = chance.choice(sorted(set(characters) - {value[place].lower(), value[place]}))
        return value[:place] + other + value[place + 1 :]
    if kind == 1:
        return value[:place] + value[place + 1 :]
    if kind == 2:
        return value[:place] + chance.choice(characters) + value[place:]
    return value[:place]
