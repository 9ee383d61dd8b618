"""The criteria of policies."""

from docs.pages.markdown import member, page, table
from mockserver.domain.policies.criteria.kinds import KINDS, Omissible, Several
from mockserver.domain.policies.criteria.operations import OPERATIONS


def criteria_page() -> str:
    """Every type of criterion: for which operations, with which operators and members."""
    rows = (
        (
            f"`{name}`",
            ", ".join(f"`{operation}`" for operation in OPERATIONS if operation in kind.operations),
            ", ".join(f"`{operator}`" for operator in kind.operators),
            ", ".join(
                member(name, not isinstance(check, Omissible)) + _several(check)
                for name, check in kind.members.items()
            ),
        )
        for name, kind in KINDS.items()
    )
    lines = [
        "# Criteria",
        "",
        "The criteria that a rule of a policy may have, as",
        "[`CreatePolicyV2`](operations/CreatePolicyV2.md) takes it. A criterion has a `type`, an",
        "`operator`, and the members of its type; members in bold are required. A rule matches when all its",
        "criteria match; a rule without criteria always matches. [Policies](../guides/policies.md)",
        "has examples.",
        "",
        *table(("type", "operations", "operators", "members"), rows),
        "",
        "Amounts are text: wei, lamports, a token's smallest unit. `pattern` is a regular expression (RE2).",
        "`abi` and `idl` are JSON text.",
    ]
    return page(lines)


def _several(check: object) -> str:
    check = check.check if isinstance(check, Omissible) else check
    return " (a list)" if isinstance(check, Several) else ""
