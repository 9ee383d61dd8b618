"""Of the projects that undeclared keys opened, those that were used last stay in memory."""

from typing import Any

from mockserver.state.open_projects import OpenProjects
from tests.tables import cases


class Fake:
    """A project that is put away, unless it is in use."""

    def __init__(self, *, is_idle: bool = True) -> None:
        self.is_put_away, self.can_be_put_away = True, is_idle

    def put_away(self) -> None:
        """Leave memory."""
        self.is_put_away = True

    def take_out(self) -> None:
        """Come back."""
        self.is_put_away = False


def opened(limit: int, projects: list[Any]) -> OpenProjects:
    room = OpenProjects(limit)
    for project in projects:
        room.use(project)
    return room


def away(projects: list[Any]) -> list[int]:
    return [number for number, project in enumerate(projects) if project.is_put_away]


@cases("limit, kept", (0, 16), (16, 16), (17, 17))
def test_so_many_projects_stay_and_at_least_sixteen(limit: int, kept: int) -> None:
    projects: list[Any] = [Fake() for _ in range(20)]
    room = opened(limit, projects)
    assert (len(room), room.limit) == (kept, kept)
    assert away(projects) == [*range(20 - kept)]
    assert [*room] == projects[20 - kept :]


def test_the_one_that_was_not_used_for_the_longest_goes() -> None:
    projects: list[Any] = [Fake() for _ in range(17)]
    room = opened(16, [*projects[:16], projects[0], projects[16]])
    assert away(projects) == [1]
    assert (projects[1] in room, projects[0] in room) == (False, True)
    room.use(projects[1])
    assert away(projects) == [2]


@cases("busy, gone", (1, [1]), (2, [2]), (3, []))
def test_three_that_are_in_use_are_looked_at_in_vain(busy: int, gone: list[int]) -> None:
    projects: list[Any] = [Fake(is_idle=number >= busy) for number in range(17)]
    room = opened(16, projects)
    assert (away(projects), len(room)) == (gone, 17 - len(gone))


def test_a_deleted_project_takes_no_room() -> None:
    projects: list[Any] = [Fake() for _ in range(17)]
    room = opened(16, projects[:16])
    room.forget(projects[15])
    room.use(projects[16])
    assert (away(projects), projects[15] in room) == ([], False)
    room.use(projects[15])
    assert (away(projects), projects[15] in room) == ([0], True)
