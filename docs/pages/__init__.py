"""The pages of docs/reference, each as the declarations have it."""

from docs.pages.chains import chains_page
from docs.pages.control import control_page
from docs.pages.criteria import criteria_page
from docs.pages.errors import errors_page, scopes_page
from docs.pages.grammar import grammar_page
from docs.pages.lifecycles import lifecycles_page
from docs.pages.objects import objects_page
from docs.pages.operation import operation_pages
from docs.pages.operations import operations_page
from docs.pages.recording import recording_page
from docs.pages.rpc import rpc_page
from docs.pages.settings import settings_page
from docs.pages.tools import tools_page


def pages() -> dict[str, str]:
    """Every page of the reference by its file name."""
    return {
        "operations.md": operations_page(),
        **operation_pages(),
        "objects.md": objects_page(),
        "criteria.md": criteria_page(),
        "scopes.md": scopes_page(),
        "errors.md": errors_page(),
        "lifecycles.md": lifecycles_page(),
        "scenario-grammar.md": grammar_page(),
        "settings.md": settings_page(),
        "control.md": control_page(),
        "chains.md": chains_page(),
        "rpc.md": rpc_page(),
        "tools.md": tools_page(),
        "recording-format.md": recording_page(),
    }
