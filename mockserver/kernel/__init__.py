"""Clock, entropy, tables, timers, state machines and undo: deterministic, and independent of the API."""
