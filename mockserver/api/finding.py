"""The control API still looks here for what is in `state.existence`."""

from mockserver.state.existence import require

__all__ = ["require"]
