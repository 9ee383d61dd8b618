"""What changes the state of what: stories of a few steps."""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import pytest
import yaml

from tests.specification.checks import Check, carry_out, parameters
from tests.specification.lines import DATA, operations
from tests.specification.setting import the_stage
from tests.specification.stage import FIRST_WALLET, OWN_SECRET, SECOND_WALLET, signed_text, siwe_message
from tests.specification.test_cases import found, meets

WALLETS = {"first": FIRST_WALLET, "second": SECOND_WALLET}


def story_checks() -> Iterator[Check]:
    """A check for each story. It begins on the stage as its last operation needs it."""
    by_id = {operation.id: operation for operation in operations()}
    for thing, stories in yaml.safe_load((DATA / "states.yaml").read_text()).items():
        for name, steps in stories.items():
            needed = next((s["do"] for s in steps if by_id[s["do"]].before and not s.get("alone")), None)
            settings = next((s["do"] for s in steps if by_id[s["do"]].settings), None)
            operation = by_id[needed or settings or _plain(steps)]
            yield Check(operation, f"{thing}: {name}", partial(happens, steps))


def _plain(steps: Sequence[Mapping[str, Any]]) -> str:
    """An operation of a story for which the stage needs nothing special."""
    return "GetAuthUser" if steps[0].get("alone") else str(steps[-1]["do"])


def happens(steps: Sequence[Mapping[str, Any]]) -> None:
    stage = the_stage()
    before = dict(stage.names)
    wallet_key = stage.wallet_key
    by_id = {operation.id: operation for operation in operations()}
    try:
        for step in steps:
            stage.wallet_key = OWN_SECRET if step.get("wallet_key") == "own" else wallet_key
            heard = meets(by_id[step["do"]], with_signature(step))
            for name, path in step.get("keep", {}).items():
                stage.names[name] = found(heard.body, path)
    finally:
        stage.wallet_key = wallet_key
        stage.names = before


def with_signature(step: Mapping[str, Any]) -> Mapping[str, Any]:
    """A step whose message a wallet has signed, with the nonce that was kept."""
    if "sign_in_with" not in step:
        return step
    wallet = WALLETS[step["sign_in_with"]]
    message = siwe_message(wallet.address, the_stage().names["nonce"])
    signed = {"walletAddress": wallet.address, "message": message, "signature": signed_text(wallet, message)}
    return {**step, "with": {**step.get("with", {}), **signed}}


@pytest.mark.parametrize("check", parameters(story_checks()))
def test_a_state_changes_as_specified(check: Check) -> None:
    carry_out(check)
