"""The tools of agents."""

from docs.pages.markdown import page, table
from docs.pages.shapes import meaning, shape
from mockserver.agents.tools import TOOLS


def tools_page() -> str:
    """Every tool with what it takes."""
    lines = [
        "# Tools for agents",
        "",
        "See [agents](../guides/agents.md) for how they are used. A tool that *reads* changes nothing,",
        "one that *destroys* takes away what was there. `mockserver mcp --read-only` offers those that",
        "read, and no others. An answer has at most 20,000 bytes. An argument with an asterisk is needed.",
        "",
        *table(
            ("tool", "kind", "what it does"),
            ((f"`{each.name}`", each.kind, each.describe()) for each in TOOLS.values()),
        ),
    ]
    for tool in TOOLS.values():
        schema = tool.schema()
        described = {"components": {"schemas": schema.get("$defs", {})}}
        members = schema["properties"].items()
        if members:
            lines += ["", f"## `{tool.name}`", ""]
            lines += table(
                ("argument", "value", "meaning"),
                (
                    (
                        f"`{name}`" + (" *" if name in schema.get("required", ()) else ""),
                        shape(each, described),
                        meaning(each),
                    )
                    for name, each in members
                ),
            )
    return page(lines)
