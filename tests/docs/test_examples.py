"""The examples of the OpenAPI documents are what the server answers."""

from docs.examples import examples_file
from docs.generate import EXAMPLES


def test_the_examples_are_what_the_generator_writes() -> None:
    written = EXAMPLES.read_text(encoding="utf-8")
    assert examples_file(written) == written, "run python docs/generate.py"
