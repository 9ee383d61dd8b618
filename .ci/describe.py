"""Leads what the package index shows to the repository, for a release: .ci/describe.py OWNER/NAME TAG

The links of the README are relative, and lead nowhere from there.
"""

import re
import sys
from pathlib import Path

_LINK = re.compile(r"(!?)\[([^\]]*)\]\((?!https://)([^)\s]+)\)")


def describe(checkout: Path, repository: str, tag: str) -> None:
    """Write README.md and pyproject.toml of a checkout anew."""
    url = f"https://github.com/{repository}"
    pictures = f"https://raw.githubusercontent.com/{repository}"

    def lead(link: re.Match[str]) -> str:
        mark, text, path = link.groups()
        return f"{mark}[{text}]({f'{pictures}/{tag}' if mark else f'{url}/blob/{tag}'}/{path})"

    readme, project = checkout / "README.md", checkout / "pyproject.toml"
    readme.write_text(_LINK.sub(lead, readme.read_text(encoding="utf-8")), encoding="utf-8")
    pages = {"Source": url, "Issues": f"{url}/issues"}
    pages |= {
        "Documentation": f"{url}/blob/{tag}/docs/index.md",
        "Changelog": f"{url}/blob/{tag}/CHANGELOG.md",
    }
    urls = "".join(f'{name} = "{page}"\n' for name, page in pages.items())
    text = project.read_text(encoding="utf-8")
    project.write_text(f"{text}\n[project.urls]\n{urls}", encoding="utf-8")


if __name__ == "__main__":
    describe(Path.cwd(), *sys.argv[1:])
