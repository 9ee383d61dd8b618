"""What `serve` announces once it is ready: to people on standard output, to programs in a file."""

import os
from shlex import quote

from mockserver.domain.wallets.wallet_secrets import default_secret
from mockserver.ready_file import ReadyFile
from mockserver.state.project import Project
from mockserver.streams import discard_output
from mockserver.testing.environment import client_environment
from mockserver.version import __version__


def announce(
    url: str,
    project: Project,
    live: Project,
    ready_file: ReadyFile | None,
    *,
    control_token: str | None,
    is_drawn: bool,
) -> None:
    """Write the ready file if one is wanted; print where the server is, its keys and what to try.

    A control token is printed if it was drawn: one that was given is known, and stays out of logs.
    """
    if ready_file is not None:
        ready_file.write(ready_content(url, project, control_token))
    lines = _lines(url, project, live, control_token if is_drawn else None)
    try:
        print("\n".join(lines), flush=True)
    except OSError:
        # Its reader went away, or the disk is full. The server does without.
        discard_output()


def _lines(url: str, project: Project, live: Project, control_token: str | None) -> list[str]:
    sign_up = '{"email":"grace@example.com","password":"correct horse","name":"Grace"}'
    return [
        f"mockserver {__version__} at {url}",
        "",
        f"  test  {project.secret_key}  {project.publishable_key}",
        f"  live  {live.secret_key}  {live.publishable_key}",
        f"  wallet secret  {default_secret(project)}",
        f"  reference      {url}/_mock/docs",
        *([] if control_token is None else [f"  control token  {control_token}"]),
        "",
        "Try:",
        f"  curl {quote(f'{url}/_mock/health')}",
        f"  curl {quote(f'{url}/v2/accounts')} -H 'Authorization: Bearer {project.secret_key}'",
        f"  curl {quote(f'{url}/iam/v2/auth/sign-up/email')} -H 'x-project-key: {project.publishable_key}'"
        f" -H 'Content-Type: application/json' -d '{sign_up}'",
        "",
    ]


def environment(url: str, project: Project, control_token: str | None) -> dict[str, str]:
    """The variables that clients read, with values that work here."""
    return client_environment(
        url, project.secret_key, project.publishable_key, default_secret(project), control_token
    )


def ready_content(url: str, project: Project, control_token: str | None) -> dict[str, object]:
    """What the ready file says."""
    return {
        "url": url,
        "control_url": f"{url}/_mock",
        "pid": os.getpid(),
        "version": __version__,
        "secret_key": project.secret_key,
        "publishable_key": project.publishable_key,
        "control_token": control_token,
        "env": environment(url, project, control_token),
    }
