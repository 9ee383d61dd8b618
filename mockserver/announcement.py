"""What `serve` announces once it is ready: to people on standard output, to programs in a file."""

import os
from shlex import quote

from mockserver.domain.wallets.wallet_secrets import default_secret
from mockserver.ready_file import ReadyFile
from mockserver.state.project import Project
from mockserver.streams import discard_output
from mockserver.testing.environment import client_environment
from mockserver.version import __version__


def announce(url: str, project: Project, live: Project, ready_file: ReadyFile | None) -> None:
    """Write the ready file if one is wanted; print where the server is, its keys and what to try."""
    if ready_file is not None:
        ready_file.write(ready_content(url, project))
    try:
        print("\n".join(_lines(url, project, live)), flush=True)
    except OSError:
        # Its reader went away, or the disk is full. The server does without.
        discard_output()


def _lines(url: str, project: Project, live: Project) -> list[str]:
    sign_up = '{"email":"grace@example.com","password":"correct horse","name":"Grace"}'
    return [
        f"mockserver {__version__} at {url}",
        "",
        f"  test  {project.secret_key}  {project.publishable_key}",
        f"  live  {live.secret_key}  {live.publishable_key}",
        f"  wallet secret  {default_secret(project)}",
        "",
        "Try:",
        f"  curl {quote(f'{url}/_mock/health')}",
        f"  curl {quote(f'{url}/v2/accounts')} -H 'Authorization: Bearer {project.secret_key}'",
        f"  curl {quote(f'{url}/iam/v2/auth/sign-up/email')} -H 'x-project-key: {project.publishable_key}'"
        f" -H 'Content-Type: application/json' -d '{sign_up}'",
        "",
    ]


def environment(url: str, project: Project) -> dict[str, str]:
    """The variables that the official clients read, with values that work here."""
    return client_environment(url, project.secret_key, project.publishable_key, default_secret(project))


def ready_content(url: str, project: Project) -> dict[str, object]:
    """What the ready file says."""
    return {
        "url": url,
        "control_url": f"{url}/_mock",
        "pid": os.getpid(),
        "version": __version__,
        "secret_key": project.secret_key,
        "publishable_key": project.publishable_key,
        "env": environment(url, project),
    }
