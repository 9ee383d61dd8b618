"""The projects that undeclared keys opened. The least recently used ones are put away."""

from collections import OrderedDict
from collections.abc import Iterator

from mockserver.state.project import Project

FEWEST = 16
"""The least of limits: as many projects are surely enough for one request."""
_LOOKED_AT = 3


class OpenProjects:
    """Up to a number of projects that are not put away.

    By number and not by time: only new projects need room, and how long ago one was used is a matter of
    real time, which decides nothing here.
    """

    def __init__(self, limit: int) -> None:
        self.limit = max(limit, FEWEST)
        self._projects: OrderedDict[Project, None] = OrderedDict()
        self._latest: Project | None = None
        """The project that was used last, which is open; None when it is deleted."""

    def __contains__(self, project: Project) -> bool:
        return project in self._projects

    def __iter__(self) -> Iterator[Project]:
        """The one that was not used for the longest first."""
        return iter(self._projects)

    def __len__(self) -> int:
        return len(self._projects)

    def use(self, project: Project) -> None:
        """Open a project if it was put away, and put others away for it."""
        if project is self._latest:
            return
        self._latest = project
        if project.is_put_away:
            project.take_out()
        self._projects[project] = None
        self._projects.move_to_end(project)
        for _ in range(_LOOKED_AT):
            if len(self._projects) <= self.limit:
                return
            oldest = next(iter(self._projects))
            if oldest.can_be_put_away:
                del self._projects[oldest]
                oldest.put_away()
            else:
                self._projects.move_to_end(oldest)

    def forget(self, project: Project) -> None:
        """Forget a project that is deleted."""
        if project is self._latest:
            self._latest = None
        self._projects.pop(project, None)
