"""Criteria of policy rules: 17 types, what makes one sound, whether one matches (specification, Policies)."""

from mockserver.domain.criteria.facts import Criterion, Facts, Verdict
from mockserver.domain.criteria.kinds import KINDS, matches, problems, sound
from mockserver.domain.criteria.operations import OPERATIONS, SPONSORING, Operation

__all__ = [
    "KINDS",
    "OPERATIONS",
    "SPONSORING",
    "Criterion",
    "Facts",
    "Operation",
    "Verdict",
    "matches",
    "problems",
    "sound",
]
