"""What `serve` announces once it is ready: to people on standard output, to programs in a file."""

import errno
import json
import os
from pathlib import Path
from shlex import quote

from mockserver.domain.wallets.wallet_secrets import default_secret
from mockserver.state.project import Project
from mockserver.testing.environment import client_environment
from mockserver.version import __version__


def announce(
    url: str,
    project: Project,
    live: Project,
    ready_file: Path | None,
    *,
    control_token: str | None,
    is_drawn: bool,
) -> None:
    """Write the ready file if one is wanted; print where the server is, its keys and what to try.

    A control token is printed if it was drawn: one that was given is known, and stays out of logs.
    """
    if ready_file is not None:
        write_ready_file(ready_file, url, project, control_token)
    print("\n".join(_lines(url, project, live, control_token if is_drawn else None)), flush=True)


def _lines(url: str, project: Project, live: Project, control_token: str | None) -> list[str]:
    sign_up = '{"email":"grace@example.com","password":"correct horse","name":"Grace"}'
    return [
        f"mockserver {__version__} at {url}",
        "",
        f"  test  {project.secret_key}  {project.publishable_key}",
        f"  live  {live.secret_key}  {live.publishable_key}",
        f"  wallet secret  {default_secret(project)}",
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


def write_ready_file(path: Path, url: str, project: Project, control_token: str | None) -> None:
    """Write the ready file atomically: a reader never sees part of it."""
    content = {
        "url": url,
        "control_url": f"{url}/_mock",
        "pid": os.getpid(),
        "version": __version__,
        "secret_key": project.secret_key,
        "publishable_key": project.publishable_key,
        "control_token": control_token,
        "env": environment(url, project, control_token),
    }
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    draft.write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")
    os.replace(draft, path)


def withdraw_ready_file(path: Path | None) -> None:
    """Delete the ready file of an earlier run, which no longer says the truth.

    An OSError when nothing can be written there.
    """
    if path is None:
        return
    path.unlink(missing_ok=True)
    if not os.access(path.parent, os.W_OK):
        raise PermissionError(errno.EACCES, f"{path.parent} is no directory that can be written to")
