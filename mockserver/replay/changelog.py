"""What changed between two versions of the package, by its changelog."""

from mockserver.manual import read_page


def entries_between(recorded: str, current: str) -> list[str]:
    """The lines of the changelog since the version of a recording; none for the same version."""
    if recorded == current:
        return []
    try:
        text = read_page("CHANGELOG")
    except LookupError:
        return []
    later, _, _ = text.partition(f"\n## [{recorded}]")
    _, heading, entries = later.partition("\n## ")
    return [line for line in f"{heading}{entries}".splitlines() if line.strip()]
