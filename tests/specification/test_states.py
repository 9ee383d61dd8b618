"""What changes the state of what: stories of a few steps."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cache, partial
from typing import Any

from mockserver.yaml_files import read_yaml_file
from tests.specification.checks import Check, carry_out, each_operation
from tests.specification.lines import DATA, operations
from tests.specification.setting import the_stage
from tests.specification.stage import FIRST_WALLET, OWN_SECRET, SECOND_WALLET, signed_text, siwe_message
from tests.specification.test_cases import found, meets

WALLETS = {"first": FIRST_WALLET, "second": SECOND_WALLET}


BY_ID = {operation.id: operation for operation in operations()}
Story = Sequence[Mapping[str, Any]]


def story_checks() -> Iterator[Check]:
    """A check for each story. It begins on the stage as that of its operations needs it that needs most."""
    for thing, stories in the_stories().items():
        for name, steps in stories.items():
            needy = [each for step in steps if (each := BY_ID[step["do"]]).before or each.settings]
            operation = (
                BY_ID["GetAuthUser"] if steps[0].get("alone") else (needy or [BY_ID[steps[-1]["do"]]])[0]
            )
            yield Check(operation, f"{thing}: {name}", partial(happens, steps))


@cache
def the_stories() -> Mapping[str, Mapping[str, Story]]:
    """The stories, by the thing whose state changes."""
    stories: Mapping[str, Mapping[str, Story]] = read_yaml_file(DATA / "states.yaml")
    return stories


def happens(steps: Story) -> None:
    """What a story tells, step by step."""
    stage = the_stage()
    before, wallet_key = dict(stage.names), stage.wallet_key
    try:
        for step in steps:
            stage.wallet_key = OWN_SECRET if step.get("wallet_key") == "own" else wallet_key
            heard = meets(BY_ID[step["do"]], with_signature(step))
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


@each_operation(story_checks())
def test_a_state_changes_as_specified(checks: list[Check]) -> None:
    carry_out(checks)
