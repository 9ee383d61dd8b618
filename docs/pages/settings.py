"""The settings of a project."""

from dataclasses import fields

from docs.pages.markdown import as_json, page, table
from docs.pages.shapes import shape
from mockserver.api.docstrings import attribute_docs
from mockserver.api.settings import ENTRIES
from mockserver.api.wire import adapter
from mockserver.state.settings import Settings


def settings_page() -> str:
    """Every setting, its type, its default and what it does."""
    described = attribute_docs(Settings)
    properties = adapter(Settings).json_schema()["properties"]
    standard = Settings()
    defaults = {field.name: getattr(standard, field.name) for field in fields(Settings)}
    rows = (
        (f"`{name}`", shape(schema), f"`{as_json(defaults[name])}`", described.get(name, ""))
        for name, schema in properties.items()
    )
    lines = [
        "# Settings",
        "",
        "The settings of a project. Set them when creating one (`settings`), in a scenario (`settings`), in",
        "the `mockserver` marker (`settings`), or later with `PUT /_mock/projects/{p}/settings`.",
        "Settings that are not named keep their values.",
        "",
        *table(("setting", "value", "default", "effect"), rows),
    ]
    for name, entry in ENTRIES.items():
        lines += ["", f"## `{name}`", "", f"{described[name]} An entry may have:", "", *_entry_table(entry)]
    return page(lines)


def _entry_table(entry: type) -> list[str]:
    """What an entry of a setting that is a mapping may say."""
    described = attribute_docs(entry)
    properties = adapter(entry).json_schema()["properties"]
    rows = (
        (
            f"`{field.name}`",
            shape(properties[field.name]),
            f"`{as_json(field.default)}`",
            described.get(field.name, ""),
        )
        for field in fields(entry)
    )
    return table(("member", "value", "default", "meaning"), rows)
