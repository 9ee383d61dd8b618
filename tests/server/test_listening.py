"""The socket that a server listens on."""

import socket

from mockserver.server.edge.listening import bind


def test_answers_are_sent_at_once_on_every_event_loop() -> None:
    # asyncio sets this for sockets whose protocol is named only, which an accepted one's is not.
    with bind("127.0.0.1", 0) as listener, socket.create_connection(listener.getsockname()):
        connection, _ = listener.accept()
        with connection:
            assert connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
