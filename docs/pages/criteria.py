"""The criteria of policies."""

from docs.pages.markdown import member, page, table
from mockserver.domain.policies.criteria.kinds import KINDS, Omissible, Several
from mockserver.domain.policies.criteria.operations import OPERATIONS


def criteria_page() -> str:
    """Every type of criteria: where it may stand, and what it has."""
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
        "What the rules of a policy (`POST /v2/policies`) may ask for. A criterion has a `type`, an",
        "`operator`, and the members of its type; those in bold have to be there. All criteria of a rule",
        "have to match, and a rule without any always matches. [Wallets](../guides/wallets.md#policies) has",
        "examples.",
        "",
        *table(("type", "in rules about", "operator", "members"), rows),
        "",
        "Amounts are text: wei, lamports, a token's smallest unit. `pattern` is a regular expression (RE2).",
        "`abi` and `idl` are JSON text.",
    ]
    return page(lines)


def _several(check: object) -> str:
    check = check.check if isinstance(check, Omissible) else check
    return " (a list)" if isinstance(check, Several) else ""
