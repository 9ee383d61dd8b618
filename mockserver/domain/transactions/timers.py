"""The handlers of all kinds of timers."""

from mockserver.domain.time.loop import TimerLoop
from mockserver.domain.transactions import lifecycle, mining
from mockserver.domain.transactions.solana import transactions as solana_transactions
from mockserver.domain.wallets import session_keys

TIMER_LOOP = TimerLoop(
    {
        mining.KIND: lifecycle.on_timer,
        solana_transactions.KIND: solana_transactions.on_timer,
        session_keys.KIND: session_keys.on_timer,
    }
)
