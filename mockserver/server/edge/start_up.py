"""Why a server does not start."""


class CannotStart(Exception):
    """The server cannot start. The message is one line; the findings of a scenario follow it."""
