"""Which policy is asked, which rule decides, and what is said of it."""

from typing import Literal

from hypothesis import given
from hypothesis import strategies as st

from mockserver.domain.policies.criteria import Effort, Facts
from mockserver.domain.policies.evaluation import as_sent, decide, evaluate, policies_in_force
from mockserver.state.guardrails import Policy, PolicyRule, Scope
from mockserver.state.project import Project
from mockserver.state.world import World
from tests.tables import cases

ACCOUNT = "acc_1"
SEND = "sendEvmTransaction"

Action = Literal["accept", "reject"]


def rule(
    number: int, *, action: Action = "accept", operation: str = SEND, at_most: int | None = None
) -> PolicyRule:
    criteria = () if at_most is None else ({"type": "ethValue", "operator": "<=", "ethValue": str(at_most)},)
    return PolicyRule(f"plr_{number}", 0, action, operation, criteria)


def policy(
    number: int, *rules: PolicyRule, scope: Scope = "project", priority: int = 0, enabled: bool = True
) -> Policy:
    account_id = ACCOUNT if scope == "account" else None
    return Policy(f"ply_{number}", 0, scope, None, account_id, enabled, priority, rules or (rule(number),))


def project_with(*policies: Policy) -> Project:
    project = World().create(name="policies")
    for row in policies:
        project.guardrails.policies.insert(row)
    return project


RULES = st.lists(
    st.tuples(
        st.sampled_from(["accept", "reject"]),
        st.sampled_from([SEND, "signEvmMessage"]),
        st.none() | st.integers(0, 4),
    ),
    min_size=1,
    max_size=4,
)
POLICIES = st.lists(st.tuples(st.integers(-2, 2), st.booleans(), RULES), max_size=5)


@given(POLICIES, st.integers(0, 5))
def test_the_first_matching_rule_decides_by_priority_then_age(
    drawn: list[tuple[int, bool, list[tuple[Action, str, int | None]]]], value: int
) -> None:
    rows = [
        policy(
            number,
            *(
                rule(10 * number + at, action=action, operation=operation, at_most=at_most)
                for at, (action, operation, at_most) in enumerate(rules)
            ),
            priority=priority,
            enabled=enabled,
        )
        for number, (priority, enabled, rules) in enumerate(drawn)
    ]
    decision = decide(project_with(*rows), SEND, Facts(value=str(value)))
    in_force = [row for row in rows if row.enabled and any(each.operation == SEND for each in row.rules)]
    candidates = [
        (-row.priority, number, at, row, each)
        for number, row in enumerate(rows)
        if row.enabled
        for at, each in enumerate(row.rules)
        if each.operation == SEND and all(value <= int(one["ethValue"]) for one in each.criteria)
    ]
    if candidates:
        *_, row, first = min(candidates, key=lambda found: found[:3])
        assert (decision.policy_id, decision.rule_id) == (row.id, first.id)
        assert decision.allowed is (first.action == "accept")
    else:
        assert decision.rule_id is None
        assert decision.allowed is (not in_force)
        assert as_sent(decision).allowed


@given(st.permutations(range(5)), st.integers(0, 5))
def test_the_order_of_birth_matters_among_equals_only(order: list[int], value: int) -> None:
    rows = [policy(number, rule(number, at_most=number), priority=number) for number in range(5)]
    facts = Facts(value=str(value))
    assert decide(project_with(*(rows[at] for at in order)), SEND, facts) == decide(
        project_with(*rows), SEND, facts
    )


def test_an_older_policy_goes_first_whatever_its_scope() -> None:
    older, newer = policy(1, scope="account"), policy(2)
    assert decide(project_with(older, newer), SEND, Facts(), account_id=ACCOUNT).policy_id == older.id
    assert decide(project_with(newer, older), SEND, Facts(), account_id=ACCOUNT).policy_id == newer.id


def test_a_policy_for_an_account_is_asked_for_that_account_only() -> None:
    project = project_with(policy(1, rule(1, action="reject"), scope="account"))
    assert not decide(project, SEND, Facts(), account_id=ACCOUNT).allowed
    assert decide(project, SEND, Facts(), account_id="acc_2").allowed
    assert decide(project, SEND, Facts()).allowed


def test_a_policy_for_transactions_is_asked_when_it_is_passed() -> None:
    project = project_with(policy(1, rule(1, action="reject"), scope="transaction"))
    assert decide(project, SEND, Facts()).allowed
    assert evaluate(policies_in_force(project, SEND, None, ["ply_1"]), SEND, Facts()).rule_id == "plr_1"


def test_passing_another_accounts_policy_does_not_enforce_it() -> None:
    project = project_with(policy(1, rule(1, action="reject"), scope="account"))
    assert evaluate(policies_in_force(project, SEND, None, ["ply_1"]), SEND, Facts()).allowed


def test_a_disabled_or_deleted_policy_is_not_asked() -> None:
    row = policy(1, rule(1, action="reject"))
    for changed in (row._replace(enabled=False), row._replace(deleted=True)):
        project = project_with(row)
        assert not decide(project, SEND, Facts()).allowed
        project.guardrails.policies.replace(changed)
        assert decide(project, SEND, Facts()).allowed


def test_without_a_policy_everything_is_allowed() -> None:
    decision = decide(project_with(), SEND, Facts())
    assert decision.allowed
    assert decision.reason == "No policy applies to sendEvmTransaction."


def test_with_a_policy_that_does_not_match_nothing_is_allowed() -> None:
    decision = decide(project_with(policy(1, rule(1, at_most=1))), SEND, Facts(value="2"))
    assert not decision.allowed
    assert decision.rule_id is None
    assert decision.reason == (
        "No policy rule matched: in ply_1, ethValue: value 2 is not <= 1. The account would pay by itself."
    )


@cases("scope", "project", "account", "transaction")
def test_sending_is_denied_by_a_rule_only(scope: Scope) -> None:
    project = project_with(policy(1, rule(1, at_most=1), scope=scope))
    decision = evaluate(policies_in_force(project, SEND, ACCOUNT, ["ply_1"]), SEND, Facts(value="2"))
    assert (decision.allowed, as_sent(decision).allowed) == (False, True)
    assert decision.reason.endswith("The account would pay by itself.")
    rejecting = decide(project_with(policy(1, rule(1, action="reject"))), SEND, Facts())
    assert not as_sent(rejecting).allowed


def test_a_policy_about_other_operations_does_not_matter() -> None:
    decision = decide(project_with(policy(1)), "signEvmHash", Facts())
    assert decision.allowed
    assert decision.reason == "No policy applies to signEvmHash."


def test_a_policy_about_it_denies_what_no_rule_accepts() -> None:
    decision = decide(
        project_with(policy(1, rule(1, operation="signEvmHash", at_most=0))), "signEvmHash", Facts(value="1")
    )
    assert not decision.allowed
    assert decision.reason == "No policy rule matched: in ply_1, ethValue: value 1 is not <= 0."


def test_rules_about_sending_count_for_sponsoring_not_reverse() -> None:
    sponsoring = policy(1, rule(1, operation="sponsorEvmTransaction", at_most=0))
    assert decide(project_with(sponsoring), SEND, Facts()).policy_id is None
    assert decide(project_with(policy(1)), "sponsorEvmTransaction", Facts()).policy_id == "ply_1"
    assert decide(project_with(policy(1)), "sponsorSolTransaction", Facts()).policy_id is None


def test_a_policy_for_sponsoring_and_signing_is_asked_twice() -> None:
    both = policy(
        1,
        rule(10, operation="sponsorEvmTransaction", at_most=5),
        rule(11, action="reject", operation="signEvmMessage"),
    )
    project = project_with(both)
    assert decide(project, "sponsorEvmTransaction", Facts(value="5")).rule_id == "plr_10"
    refused = decide(project, "sponsorEvmTransaction", Facts(value="6"))
    assert (refused.allowed, refused.rule_id) == (False, None)
    assert decide(project, "signEvmMessage", Facts()).rule_id == "plr_11"
    assert decide(project, SEND, Facts()).reason == f"No policy applies to {SEND}."
    assert decide(project, "signEvmHash", Facts()).reason == "No policy applies to signEvmHash."
    looked = [each.matched for each in decide(project, "signEvmMessage", Facts(value="5")).policies[0].rules]
    assert looked == [None, True]


def test_a_policy_for_sponsoring_and_sending_is_asked_once() -> None:
    both = policy(1, rule(10, operation="sponsorEvmTransaction", at_most=5), rule(11, at_most=9))
    project = project_with(both, policy(2, rule(20, at_most=0)))
    assert [row.id for row in policies_in_force(project, "sponsorEvmTransaction", ACCOUNT)] == [
        "ply_1",
        "ply_2",
    ]
    assert decide(project, "sponsorEvmTransaction", Facts(value="9")).rule_id == "plr_11"


def test_a_rejection_says_what_was_seen() -> None:
    rejecting = policy(1, rule(1, action="reject", at_most=5))
    assert evaluate([rejecting], SEND, Facts(value="3")).reason == "Rejected by policy rule: value 3 is <= 5."
    plain = policy(2, rule(2, action="reject"))
    assert evaluate([plain], SEND, Facts()).reason == f"Rejected by policy rule: it rejects every {SEND}."


def test_the_trace_shows_everything_up_to_the_rule_that_decided() -> None:
    first = policy(1, rule(10, operation="signEvmHash"), rule(11, at_most=1), priority=1)
    second = policy(2, rule(20, at_most=9), rule(21))
    decision = decide(project_with(second, first), SEND, Facts(value="2"))
    assert decision.reason == "Allowed by policy rule"
    looked = [(trace.id, rule.id, rule.matched) for trace in decision.policies for rule in trace.rules]
    assert looked == [("ply_1", "plr_10", None), ("ply_1", "plr_11", False), ("ply_2", "plr_20", True)]
    seen = decision.policies[0].rules[1].criteria[0]
    assert (seen.type, seen.operator, seen.matched, seen.observed) == ("ethValue", "<=", False, "2")
    assert seen.reason == "value 2 is not <= 1"


def test_beyond_too_many_policies_the_reason_says_so() -> None:
    rows = [policy(number, rule(number, at_most=1)) for number in range(10_000)]
    decision = evaluate(rows, SEND, Facts(value="2"))
    assert not decision.allowed
    left_out = len(rows) - len(decision.policies)
    assert 0 < left_out < 5_000
    assert f"(the last {left_out:,} policies come after too much other work)" in decision.reason


def test_a_criterion_after_too_much_other_work_does_not_match() -> None:
    decision = evaluate([policy(1, rule(1, at_most=1))], SEND, Facts(value="1"), Effort(left=100))
    assert not decision.allowed
    assert decision.reason.startswith("No policy rule matched: in ply_1, ethValue: comes after")
