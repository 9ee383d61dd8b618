"""A consumer in JavaScript with planted mistakes: a failure finds each, and finds nothing without it."""

import shutil
from pathlib import Path

import pytest

from mockserver.exploring.commands import Settings, check
from mockserver.exploring.plan import Trial, paths_of
from mockserver.exploring.report import Result
from tests.tables import cases
from tests.thoroughness import sampled

pytestmark = [
    pytest.mark.clients,
    pytest.mark.skipif(shutil.which("node") is None, reason="there is no node"),
]
SHOP = Path(__file__).parent / "planted" / "shop.mjs"
MISTAKES = {
    "retries_without_a_key": ("CreateTransaction", "lost answer", "missed", "paid twice"),
    "retries_with_another_key": ("CreateTransaction", "lost answer", "missed", "paid twice"),
    "sends_an_order_without_a_key": ("CreateTransaction", "sent twice", "missed", "paid twice"),
    "does_not_look_whether_it_reverted": ("CreateTransaction", "fate reverted", "missed", "1 reverted"),
    "takes_a_dropped_one_for_paid": ("CreateTransaction", "fate dropped", "missed", "1 failed"),
    "takes_one_that_is_sent_for_paid": ("CreateTransaction", "fate never_mined", "missed", "left pending"),
    "polls_without_an_end": ("CreateTransaction", "fate never_mined", "hung", ""),
    "tries_again_for_ever": ("CreateContract", "503 lasting", "hung", ""),
    "swallows_an_outage": ("CreateContract", "503 once", "missed", "lost"),
    "swallows_a_rate_limit": ("CreateContract", "429", "missed", "lost"),
    "swallows_a_server_error": ("CreateContract", "500", "missed", "lost"),
    "swallows_a_wrong_chain": ("CreateContract", "chain_unknown", "missed", "lost"),
    "swallows_a_broken_connection": ("CreateContract", "broken connection", "missed", "lost"),
    "swallows_any_exception": ("CreateContract", "503 lasting", "missed", "lost"),
    "does_not_catch_a_broken_connection": ("CreateContract", "lost answer", "crashed", "TypeError"),
    "does_not_catch_a_broken_answer": ("CreateContract", "malformed JSON", "crashed", "SyntaxError"),
    "reads_json_of_a_gateway": ("GetContracts", "503 once", "crashed", "SyntaxError"),
    "reads_a_member_that_an_error_lacks": ("GetContracts", "429", "crashed", "TypeError"),
    "makes_a_policy_without_a_key": ("CreatePolicyV2", "lost answer", "missed", "made twice"),
    "does_not_look_whether_a_policy_is_off": ("UpdatePolicyV2", "503 once", "missed", "policy"),
    "does_not_look_whether_a_contract_is_gone": ("DeleteContract", "503 once", "missed", "contract"),
    "does_not_look_whether_signing_out_succeeded": ("signOut", "503 once", "missed", "session: kept"),
    "expects_a_session_to_last": ("getUserSession", "session expired", "crashed", "TypeError"),
    "expects_a_code_to_last": ("signInEmailOTP", "code expired", "missed", "user"),
    "works_a_webhook_off_each_time": ("webhook test", "twice", "missed", "policy project: made twice"),
}
"""The call and the failure that show a mistake, the verdict about it, and what its reasons say."""
SAMPLE = sampled(MISTAKES.items(), 8)


def meet(folder: Path, operation: str, failure: str, *words: str) -> Result:
    """What the shop shows with a failure of its first call of an operation."""
    path = next(path for path in paths_of(operation) if path.id == failure)
    settings = Settings(["node", str(SHOP), *words], 60, folder, noticed=frozenset({"ShopError"}))
    return check(settings, Trial("default", operation, 1, path, 0))


@cases("mistake, shown", *SAMPLE, ids=lambda value: value if isinstance(value, str) else "")
def test_a_mistake_is_found(tmp_path: Path, mistake: str, shown: tuple[str, str, str, str]) -> None:
    operation, failure, verdict, reason = shown
    judgement = meet(tmp_path, operation, failure, mistake).judgement
    assert (judgement.verdict, reason in " ".join(judgement.reasons)) == (verdict, True), judgement


@cases("operation, failure", *{shown[:2]: None for _, shown in SAMPLE})
def test_nothing_is_found_without_the_mistake(tmp_path: Path, operation: str, failure: str) -> None:
    judgement = meet(tmp_path, operation, failure, "careful", operation).judgement
    assert judgement.verdict in ("noticed", "survived"), judgement
