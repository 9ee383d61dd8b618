"""Handing the projects of a server that ends over to the others of its fleet."""

import asyncio
from contextlib import suppress

import httpx

from mockserver.kernel.effort import finish
from mockserver.launch.streams import warn
from mockserver.server.answering.control_token import TOKEN_HEADER
from mockserver.server.edge.app import App
from mockserver.server.edge.start_up import READY, CannotStart
from mockserver.state.project import Project

_PATIENCE_S = 20.0
"""Orchestrators end a server by force after 30 seconds, unless they are told otherwise."""
_PAUSE_S = 0.1


async def hand_over(app: App, url: str) -> None:
    """Send the state of each project that was changed to the server that a balancer has for it now.

    The balancer is given time to see that this server is not ready. Only when it sends the requests of a
    project to another one, the state is taken: no call is lost that was answered here.
    """
    server = app.pipeline.server
    server.is_ending = True
    try:
        # What it begins with the other servers have, too.
        app.start()
    except CannotStart:
        return
    token = server.access.token
    left = server.world.used_projects()
    client = httpx.AsyncClient(
        base_url=url,
        headers={} if token is None else {TOKEN_HEADER: token},
        # A connection that is kept leads where its first request led.
        limits=httpx.Limits(max_keepalive_connections=0),
        trust_env=False,
        timeout=_PATIENCE_S,
    )
    try:
        async with asyncio.timeout(_PATIENCE_S), client:
            while left:
                # What a balancer breaks off is tried again.
                with suppress(httpx.HTTPError):
                    if await _is_elsewhere(client, left[-1]):
                        await _hand_over(app, client, left[-1])
                        left.pop()
                        continue
                await asyncio.sleep(_PAUSE_S)
    except TimeoutError:
        names = ", ".join(project.name for project in left)
        warn(f"in {_PATIENCE_S:.0f} s no other server of {url} took {names}")


async def _hand_over(app: App, client: httpx.AsyncClient, project: Project) -> None:
    if app.pipeline.world.get(project.id) is None:
        return
    answer = await client.put(
        f"/_mock/projects/{project.id}/state",
        params={"replace": "true"},
        content=finish(app.recordings.state_of(project)),
        headers={"content-type": "application/jsonl"},
    )
    if not answer.is_success:
        warn(f"{project.name} ({project.id}) is lost: {answer.text}")


async def _is_elsewhere(client: httpx.AsyncClient, project: Project) -> bool:
    """Whether a server that is ready has the requests of the project, which this one is not."""
    answer = await client.get("/_mock/ready", headers={"authorization": f"Bearer {project.secret_key}"})
    return answer.content == READY
