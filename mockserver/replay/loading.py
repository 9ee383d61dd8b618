"""From the first lines of a recording to a server in the state in which it begins."""

from collections.abc import Callable
from typing import NamedTuple

from mockserver.kernel.secrecy import Names
from mockserver.server.assembly import assemble
from mockserver.server.edge.app import App
from mockserver.server.recording.loading import Meta, empty_world, read_heads, read_projects
from mockserver.server.recording.reading import Lines


class Opening(NamedTuple):
    """What a recording begins with."""

    meta: Meta
    app: App
    """A server in the state in which the recording begins."""
    digests: dict[str, str]
    """The digests of its projects."""


def load(lines: Lines, real_ms: Callable[[], int]) -> Opening:
    """Build the server of a recording; real time comes from `real_ms`. BadRecording."""
    meta, head = read_heads(lines)
    world = empty_world(head, real_ms)
    app = assemble(world, limits=head.limits, control=head.access, names=Names(head.secret_names))
    return Opening(meta, app, read_projects(lines, head, world, app.pipeline))
