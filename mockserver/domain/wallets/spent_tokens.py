"""Tokens that are good once, remembered by their ids for as long as one of them could come again.

On a frozen clock a token never gets too old, so none is forgotten. On a ticking one those are that
every clock has passed, a minute of them at a time, so that nothing is searched for. How far that went
is remembered too: a clock that stands still again would take them otherwise.
"""

from math import ceil

from mockserver.state.project import Project
from mockserver.state.wallets import Forgotten, SpentToken

_FORGOTTEN_ID = "tokens"


def is_spent(project: Project, jti: str) -> bool:
    """Whether a token with this id is remembered."""
    return jti in project.wallets.spent_tokens


def forget_horizon_s(project: Project) -> int:
    """Before which moment a token ended that may have been spent and forgotten."""
    return 60 * _forget_horizon(project)


def spend(project: Project, jti: str, ends_s: float) -> None:
    """Remember the id of a token that is good until `ends_s`, whatever becomes of the request."""
    rows = project.wallets.spent_tokens
    rows.spend(rows.insert(SpentToken(jti, ceil(ends_s))))
    real_ms = project.clock.real_ms()
    if real_ms is not None:
        _forget(project, min(project.clock.now_ms, real_ms) // 60_000)


def _forget(project: Project, minute: int) -> None:
    """Forget the tokens that ended before a minute."""
    rows, since = project.wallets.spent_tokens, _forget_horizon(project)
    if minute <= since:
        return
    if minute - since < len(rows):
        ended = [row for each in range(since, minute) for row in rows.find("minute", each)]
    else:
        ended = [row for row in rows if row.ends_s < 60 * minute]
    for row in ended:
        rows.destroy(row.id)
    mark = Forgotten(_FORGOTTEN_ID, minute)
    marks = project.wallets.forgotten
    marks.spend(mark if mark.id in marks else marks.insert(mark))


def _forget_horizon(project: Project) -> int:
    mark = project.wallets.forgotten.get(_FORGOTTEN_ID)
    return 0 if mark is None else mark.minute
