"""Puts the pages of the documentation into the wheel, in one compressed file: a hook of hatchling's build."""

import sys
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))


class PackingHook(BuildHookInterface):  # type: ignore[misc]
    """See hatchling."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Make the file, and name it. An editable installation reads the checkout."""
        from mockserver.manual.sources import PACK, collect_sources, compress_sources

        if version == "editable":
            return
        self.place = tempfile.TemporaryDirectory()
        pack = Path(self.place.name) / PACK
        pack.write_bytes(compress_sources(collect_sources(ROOT)))
        build_data["force_include"][str(pack)] = f"mockserver/manual/{PACK}"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Remove the file."""
        if version != "editable":
            self.place.cleanup()
