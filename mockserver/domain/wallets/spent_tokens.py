"""Replay protection: the ids (`jti`) of used single-use tokens, stored until the tokens have expired.

On a frozen clock a token never expires, so none is removed. On a ticking clock those are removed that
have expired by the project's clock and by the real one, found by an index of their minute. The minute
up to which that was done is stored as well: if the clock is frozen again, an older token could
otherwise be replayed.
"""

from math import ceil

from mockserver.state.project import Project
from mockserver.state.wallets import SpentToken, SpentTokenHorizon

_HORIZON_ID = "tokens"


def is_spent(project: Project, jti: str) -> bool:
    """Whether a token with this id was used."""
    return jti in project.wallets.spent_tokens


def forget_horizon_s(project: Project) -> int:
    """The time before which used tokens that ended may have been removed."""
    return 60 * _forget_horizon(project)


def spend(project: Project, jti: str, ends_s: float) -> None:
    """Store the id of a token that is valid until `ends_s`, even if the request is rejected."""
    rows = project.wallets.spent_tokens
    rows.spend(rows.insert(SpentToken(jti, ceil(ends_s))))
    # A token may be compared with either clock (see `wallet_auth`), so it has to be expired on both.
    real_ms = project.clock.real_ms()
    if real_ms is not None:
        _forget(project, min(project.clock.now_ms, real_ms) // 60_000)


def _forget(project: Project, minute: int) -> None:
    """Remove the tokens that ended before a minute."""
    rows, since = project.wallets.spent_tokens, _forget_horizon(project)
    if minute <= since:
        return
    # The index has a bucket for each minute. After a jump of the clock there may be more minutes than rows.
    if minute - since < len(rows):
        ended = [row for each in range(since, minute) for row in rows.find("minute", each)]
    else:
        ended = [row for row in rows if row.ends_s < 60 * minute]
    for row in ended:
        rows.destroy(row.id)
    mark = SpentTokenHorizon(_HORIZON_ID, minute)
    marks = project.wallets.spent_token_horizon
    marks.spend(mark if mark.id in marks else marks.insert(mark))


def _forget_horizon(project: Project) -> int:
    mark = project.wallets.spent_token_horizon.get(_HORIZON_ID)
    return 0 if mark is None else mark.minute
