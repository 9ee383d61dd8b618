"""The handlers of all kinds of timers."""

from functools import cache

from mockserver.domain.time.loop import TimerLoop
from mockserver.state.history.history import TimerHandler


@cache
def find_handler(kind: str) -> TimerHandler | None:
    """The handler of a kind of timers, imported on first use: every call asks for timers, few are set."""
    if kind == "transaction":
        from mockserver.domain.transactions.lifecycle import on_timer
    elif kind == "solana_transaction":
        from mockserver.domain.transactions.solana.transactions import on_timer
    elif kind == "session_key":
        from mockserver.domain.wallets.session_keys import on_timer
    else:
        return None
    return on_timer


TIMER_LOOP = TimerLoop(find_handler)
