"""Where an id is that a call did not find: in another table or project, or in a row that was removed."""

import re
from collections.abc import Iterator

from mockserver.server.answering.envelopes import find_code, find_message
from mockserver.state.project import Project
from mockserver.state.world import World

_ID = re.compile(r"[\w-]{20,}")
"""Other words of a message are shorter."""
_MOST_IDS = 5
"""A message of the server has one or two; one of a rule may have thousands."""
_LOOKED_AT = 500
"""So many of the latest events may have removed a row."""


def explain_lost_ids(world: World, project: Project, body: object) -> Iterator[str]:
    """Where each id is that was not found, by the body of an answer, if it is or was that of a row."""
    if not (find_code(body) or "").lower().endswith("not_found"):
        return
    for row_id in [*dict.fromkeys(_ID.findall(find_message(body) or ""))][:_MOST_IDS]:
        where = _find_tables(project, row_id) or _find_removal(project, row_id)
        if found := where or _find_elsewhere(world, row_id):
            yield f"{row_id} {found}"


def _find_tables(project: Project, row_id: str) -> str:
    found = [name for name, table in project.named_tables() if row_id in table and not table.schema.internal]
    return f"is in {' and '.join(found)}" if found else ""


def _find_elsewhere(world: World, row_id: str) -> str:
    for project in world:
        # One that is put away has no rows, and to take out all of them would take long.
        if not project.is_put_away and (where := _find_tables(project, row_id)):
            return f"{where} of the project {project.name} ({project.id})"
    return ""


def _find_removal(project: Project, row_id: str) -> str:
    """By which event a row was removed, if it was one of the latest."""
    for event in reversed(project.history.since(max(0, project.history.last_number - _LOOKED_AT))):
        if any(each.id == row_id and each.after is None for each in project.changes_of(event).rows):
            return f"was removed by #{event.number} {event.operation or event.cause}"
    return ""
