"""What `serve` announces once it is ready: to people on standard output, to programs in a file."""

import os
from shlex import quote
from typing import TYPE_CHECKING, NamedTuple

from mockserver.domain.wallets.wallet_secrets import default_secret
from mockserver.launch.ready_file import ReadyFile
from mockserver.launch.streams import discard_output
from mockserver.state.project import Project
from mockserver.testing.environment import client_environment
from mockserver.version import __version__

if TYPE_CHECKING:
    from mockserver.launch.certificates import Trust


class Ready(NamedTuple):
    """A server that answers requests."""

    url: str
    project: Project
    live: Project
    control_token: str | None
    is_drawn: bool
    """Whether the control token was drawn: one that was given is known, and stays out of logs."""
    trust: "Trust | None"
    clock: str
    """How the clocks of new projects run."""

    def environment(self) -> dict[str, str]:
        """The variables that clients read, with values that work here."""
        found = client_environment(
            self.url,
            self.project.secret_key,
            self.project.publishable_key,
            default_secret(self.project),
            self.control_token,
        )
        return found if self.trust is None else found | self.trust.environment()


def announce(ready: Ready, ready_file: ReadyFile | None) -> None:
    """Write the ready file if one is wanted; print where the server is, its keys and what to try."""
    if ready_file is not None:
        ready_file.write(ready_content(ready))
    try:
        print("\n".join(_lines(ready)), flush=True)
    except OSError:
        # Its reader went away, or the disk is full. The server does without.
        discard_output()


def _lines(ready: Ready) -> list[str]:
    url, project, live = ready.url, ready.project, ready.live
    token = [f"  control token  {ready.control_token}"] if ready.is_drawn else []
    trust = [] if ready.trust is None else [f"  authority      {ready.trust.authority}"]
    curl = "curl" if ready.trust is None else f"curl --cacert {quote(str(ready.trust.authority))}"
    sign_up = '{"email":"grace@example.com","password":"correct horse","name":"Grace"}'
    return [
        f"mockserver {__version__} at {url}",
        "",
        f"  test  {project.secret_key}  {project.publishable_key}",
        f"  live  {live.secret_key}  {live.publishable_key}",
        f"  wallet secret  {default_secret(project)}",
        f"  clock          {ready.clock}",
        f"  page           {url}/_mock/",
        f"  reference      {url}/_mock/docs",
        *token,
        *trust,
        "",
        "Try:",
        f"  {curl} {quote(f'{url}/_mock/health')}",
        f"  {curl} {quote(f'{url}/v2/accounts')} -H 'Authorization: Bearer {project.secret_key}'",
        f"  {curl} {quote(f'{url}/iam/v2/auth/sign-up/email')} -H 'x-project-key: {project.publishable_key}'"
        f" -H 'Content-Type: application/json' -d '{sign_up}'",
        "",
    ]


def ready_content(ready: Ready) -> dict[str, object]:
    """What the ready file says."""
    return {
        "url": ready.url,
        "control_url": f"{ready.url}/_mock",
        "pid": os.getpid(),
        "version": __version__,
        "secret_key": ready.project.secret_key,
        "publishable_key": ready.project.publishable_key,
        "control_token": ready.control_token,
        "env": ready.environment(),
    }
