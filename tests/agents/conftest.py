"""The tests of the tools need the extra `mcp`."""

from importlib.util import find_spec

collect_ignore_glob = [] if find_spec("mcp") else ["*"]
