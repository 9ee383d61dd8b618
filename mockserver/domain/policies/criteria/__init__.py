"""Criteria of policy rules: 17 types, their validation and their matching (specification, Policies)."""

from mockserver.domain.policies.criteria.facts import Criterion, Facts, Verdict
from mockserver.domain.policies.criteria.kinds import (
    KINDS,
    find_problems,
    interface_length,
    match_criterion,
    normalize_criterion,
    patterns_weight,
)
from mockserver.domain.policies.criteria.operations import OPERATIONS, SENDING, Operation, rules_about
from mockserver.kernel.effort import Effort
from mockserver.patterns import LONGEST_PATTERNS

__all__ = [
    "KINDS",
    "LONGEST_PATTERNS",
    "OPERATIONS",
    "SENDING",
    "Criterion",
    "Effort",
    "Facts",
    "Operation",
    "Verdict",
    "find_problems",
    "interface_length",
    "match_criterion",
    "normalize_criterion",
    "patterns_weight",
    "rules_about",
]
