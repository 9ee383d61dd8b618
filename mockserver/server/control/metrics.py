"""What the server holds and did, in the text format of Prometheus (version 0.0.4)."""

from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import islice

from mockserver.state.world import World

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"

_MOST_PROJECTS = 1_000
"""In how many projects rows are counted, so that a scrape takes a few milliseconds at any size."""


def metrics_text(world: World, answers: Mapping[int, int], dropped_lines: int) -> str:
    """Every metric with its samples."""
    return "".join(f"{line}\n" for line in _lines(world, answers, dropped_lines))


def _lines(world: World, answers: Mapping[int, int], dropped_lines: int) -> Iterator[str]:
    projects = list(world)
    held = [project for project in projects if not project.is_put_away]
    rows: Counter[str] = Counter()
    dropped: Counter[str] = Counter()
    for project in islice(reversed(held), _MOST_PROJECTS):
        for name, table in project.named_tables():
            rows[name] += len(table)
            if table.retention is not None:
                dropped[table.retention.kind] += table.dropped
        rows["events"] += len(project.history)
        rows["snapshots"] += len(project.snapshots)
        dropped["snapshots"] += project.dropped_snapshots
    by_state = {"open": len(held), "put_away": len(projects) - len(held)}
    by_class = {f"{digit}xx": answers[digit] for digit in range(2, 6)}
    packed = sum(project.packed_size for project in projects)
    waiting = sum(project.waiting for project in projects)
    counted = f"in the {_MOST_PROJECTS} newest projects that are open"
    yield from _metric("projects", "gauge", "Projects.", "state", by_state)
    yield from _metric("packed_bytes", "gauge", "Memory of the projects that are put away.", "", {"": packed})
    journals = {"": world.histories.bytes}
    yield from _metric("journal_bytes", "gauge", "Memory of the journals of open projects.", "", journals)
    yield from _metric("rows", "gauge", f"Rows {counted}.", "table", rows)
    yield from _metric("dropped", "gauge", f"Rows that were dropped {counted}.", "kind", dropped)
    yield from _metric("answers_total", "counter", "Answers, by status.", "status", by_class)
    lines = {"": dropped_lines}
    yield from _metric("log_lines_dropped_total", "counter", "Lines that the log dropped.", "", lines)
    yield from _metric("waiting_calls", "gauge", "Calls that wait.", "", {"": waiting})


def _metric(name: str, kind: str, meaning: str, label: str, samples: Mapping[str, int]) -> Iterator[str]:
    yield f"# HELP mockserver_{name} {meaning}"
    yield f"# TYPE mockserver_{name} {kind}"
    for value, number in samples.items():
        labels = f'{{{label}="{value}"}}' if label else ""
        yield f"mockserver_{name}{labels} {number}"
