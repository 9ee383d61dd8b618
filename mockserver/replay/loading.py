"""From the first lines of a recording to a server in the state in which it begins."""

from collections.abc import Callable

from mockserver.kernel.secrecy import Names
from mockserver.server.assembly import assemble
from mockserver.server.edge.app import App
from mockserver.server.recording.loading import Meta, empty_world, read_heads, read_projects
from mockserver.server.recording.reading import Lines


def load(lines: Lines, real_ms: Callable[[], int]) -> tuple[Meta, App, dict[str, str]]:
    """A server in the state in which a recording begins, with the digests of its projects. BadRecording.

    Real time comes from `real_ms`.
    """
    meta, head = read_heads(lines)
    world = empty_world(head, real_ms)
    app = assemble(world, limits=head.limits, control=head.access, names=Names(head.secret_names))
    return meta, app, read_projects(lines, head, world, app.pipeline)
