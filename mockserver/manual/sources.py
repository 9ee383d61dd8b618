"""Where the pages are: in the checkout, or compressed in the installed package."""

import json
from functools import cache
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[2]
PACK = "pages.json.xz"
"""The file of this package that has all pages. A build makes it (`docs/packing.py`); a checkout has none."""

# How the code is built, and why, a tenth of the whole: for those who change it, and they have a checkout.
LEFT_OUT = frozenset({"architecture", "decisions"})


def collect_sources(checkout: Path) -> dict[str, str]:
    """The text of each page of a checkout by its name: the path below `docs` without its ending."""
    docs = checkout / "docs"
    paths = {path.relative_to(docs).with_suffix("").as_posix(): path for path in docs.rglob("*.md")}
    paths["CHANGELOG"] = checkout / "CHANGELOG.md"
    return {
        name: path.read_text(encoding="utf-8") for name, path in sorted(paths.items()) if name not in LEFT_OUT
    }


def compress_sources(sources: dict[str, str]) -> bytes:
    """The pages as the package has them: the same pages give the same bytes."""
    # Pages of operations are alike, over distances that gzip does not see: xz makes a third less of all.
    import lzma

    return lzma.compress(json.dumps(sources, ensure_ascii=False).encode(), preset=9 | lzma.PRESET_EXTREME)


@cache
def load_sources() -> dict[str, str]:
    """The text of each page by its name, as it was written. LookupError where it cannot be read."""
    pack = Path(__file__).with_name(PACK)
    if not pack.is_file():
        return collect_sources(CHECKOUT)
    try:
        import lzma
    except ImportError:
        raise LookupError("the pages are compressed by xz, and this Python was built without lzma") from None
    read: dict[str, str] = json.loads(lzma.decompress(pack.read_bytes()))
    return read
