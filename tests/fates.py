"""Fates that a test sets, in few words."""

from collections.abc import Mapping
from typing import Any, cast

from mockserver.domain.transactions.fate_options import FateSpec
from mockserver.domain.transactions.fates import set_fate
from mockserver.state.onchain import Fate
from mockserver.state.project import Project


def add_fate(
    project: Project,
    outcome: str,
    *,
    options: Mapping[str, Any] | None = None,
    for_call: bool = False,
    **members: Any,
) -> Fate:
    """Set a fate by its outcome, what else `set_fate` knows of it, and the options of the outcome."""
    fate = cast(FateSpec, {"outcome": outcome, **members, **(options or {})})
    return set_fate(project, fate, for_call=for_call)
