"""Where an id is that a call did not find: in another table or project, or in a row that was removed."""

import re
from collections.abc import Iterator

from mockserver.server.answering.envelopes import find_code, find_message
from mockserver.server.control.history.effects import shown_tables
from mockserver.state.project import Project
from mockserver.state.world import World

_ID = re.compile(r"[\w-]{20,}")
"""Other words of a message are shorter."""
_LOOKED_AT = 500
"""So many of the latest events may have removed a row."""


def explain_lost_ids(world: World, project: Project, body: object) -> Iterator[str]:
    """A line for each id that was not found, by the body of an answer, and that is or was the id of a row."""
    if not (find_code(body) or "").lower().endswith("not_found"):
        return
    for row_id in dict.fromkeys(_ID.findall(find_message(body) or "")):
        others = (other for other in world if other is not project)
        where = _find_tables(project, row_id) or _find_removal(project, row_id)
        where = where or next(filter(None, (_find_tables_elsewhere(other, row_id) for other in others)), "")
        if where:
            yield f"      {row_id} {where}"


def _find_tables(project: Project, row_id: str) -> str:
    found = [name for name, table in shown_tables(project).items() if row_id in table]
    return f"is in {' and '.join(found)}" if found else ""


def _find_tables_elsewhere(other: Project, row_id: str) -> str:
    where = _find_tables(other, row_id)
    return where and f"{where} of the project {other.name} ({other.id})"


def _find_removal(project: Project, row_id: str) -> str:
    """By which event a row was removed, if it was one of the latest."""
    for event in reversed(project.history.since(max(0, project.history.last_number - _LOOKED_AT))):
        if any(each.id == row_id and each.after is None for each in project.changes_of(event).rows):
            return f"was removed by #{event.number} {event.operation or event.cause}"
    return ""
