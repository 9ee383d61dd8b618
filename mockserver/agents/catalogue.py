"""All tools."""

from mockserver.agents import recordings, tasks
from mockserver.agents.tools import of_function, read_operations

_FUNCTIONS = (
    of_function(tasks.start, "adds", is_own=True),
    of_function(tasks.list_operations, "reads"),
    of_function(tasks.read_docs, "reads"),
    of_function(tasks.call_operation, "adds"),
    of_function(tasks.explain_call, "reads"),
    of_function(tasks.set_fault, "adds"),
    of_function(tasks.unhappy_paths, "reads"),
    of_function(recordings.replay_recording, "reads"),
    of_function(recordings.export_recording, "reads"),
)
TOOLS = {tool.name: tool for tool in _FUNCTIONS} | read_operations()
"""All tools by name."""
