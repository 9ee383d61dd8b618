"""Projects beside libraries that set the clock of Python."""

import time

import time_machine
from freezegun import freeze_time

from mockserver.testing.server import LiveServer


def test_the_server_keeps_its_time_while_a_test_sets_python_s() -> None:
    with LiveServer() as server:
        project = server.control.create_project(clock="now")
        began_s = project.clock.now_s
        with freeze_time("2001-01-01"):
            assert project.clock.now_s - began_s < 60
            assert server.url
        with time_machine.travel("2001-01-01", tick=False):
            assert project.clock.now_s - began_s < 60
        assert abs(project.clock.now_s - time.time()) < 5


def test_a_project_created_meanwhile_begins_at_the_set_time() -> None:
    with LiveServer() as server, freeze_time("2030-01-01"):
        assert server.control.create_project(clock="now").clock.now.startswith("2030-01-01T00:00:0")
