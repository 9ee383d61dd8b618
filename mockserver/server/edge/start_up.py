"""Whether a server has started, and why it does not."""

READY = b'{"status":"ready"}'
"""What `GET /_mock/ready` answers then; other servers, and balancers without any, answer 200 with a page."""


class CannotStart(Exception):
    """The server cannot start. The message is one line; the findings of a scenario follow it."""
