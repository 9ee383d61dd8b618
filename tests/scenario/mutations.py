"""Scenarios that are nearly right."""

from pathlib import Path
from typing import Any

from hypothesis import strategies as st

EXAMPLES = sorted((Path(__file__).parents[2] / "scenarios").glob("*.yaml"))
"""The files that are changed."""

VOCABULARY = """
    name seed clock keys settings given fates rules when then call nth body headers query state
    answer error limit delay patch fate outcome count per path as key scopes mode at rate matches
    present kind status CreateContract ${token.id} ${ reverted ${project.id} 2026-01-01T00:00:00Z
    0001-01-01T00:00:00+23:59 10s 999999999d sk_live_x ticking ((( (a{9999999999}) start
    contract_not_found args panic code from every to requires
    caller user scope resource transaction has exists clock after before probability any all not each
    subset one_of length above at_least below publishable 0.5 usr_1
"""

WORDS = st.sampled_from([*VOCABULARY.split(), "GET /v1/contracts/{id}", "POST **"])

junk = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | WORDS | st.text(max_size=10),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=3),
    max_leaves=8,
)


def replaced(tree: Any, steps: list[int], value: Any) -> Any:
    """A tree in which what lies at the end of some steps is something else."""
    if not steps or not isinstance(tree, (dict, list)) or not tree:
        return value
    keys = list(tree) if isinstance(tree, dict) else list(range(len(tree)))
    key = keys[steps[0] % len(keys)]
    tree[key] = replaced(tree[key], steps[1:], value)
    return tree
