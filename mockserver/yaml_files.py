"""YAML that is data: of the package, and of files that users give. Scenarios are read event by event."""

from pathlib import Path
from typing import Any


def read_yaml(text: str) -> Any:
    """What a text says, None for an empty one. A ValueError says what is wrong with it."""
    import yaml

    # libyaml, where there is one, takes a tenth of the time.
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        return yaml.load(text, Loader=loader)
    except yaml.YAMLError as error:
        raise ValueError(str(error)) from None
    except (ArithmeticError, AttributeError, LookupError):
        raise ValueError("a value is not what its tag, such as !!bool, says") from None


def read_yaml_file(file: Path) -> Any:
    """The same of a file, by its name."""
    try:
        return read_yaml(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ValueError(f"{file}: {getattr(error, 'strerror', None) or error}") from None
