"""The page on which a browser shows the server, and the files that it loads."""

from mockserver import errors
from mockserver.api.call import Reply
from mockserver.errors import ApiError
from mockserver.kernel.spelling import shorten
from mockserver.server.answering.control_call import ControlCall
from mockserver.server.control.groups import ControlGroup

page = ControlGroup("Page", below="/_mock")


@page.operation("GET /page", "OpenPage", status=302, is_page=True)
def open_page(call: ControlCall[None, None, None]) -> Reply:
    """Redirect to the page; so does `GET /` where HTML is asked for, as browsers do."""
    return Reply(status=302, headers=(("location", f"{call.request.root_path}/_mock/"),))


@page.operation("GET /", "ShowPage", writes=("text/html",), is_page=True)
def show_page(call: ControlCall[None, None, None]) -> Reply:
    """Show the page. It has no data in it: its scripts call the control API as any client does."""
    # Imported on first use: most servers are never looked at.
    from mockserver.server.page import page_shell

    return page_shell()


@page.operation(
    "GET /page/{file}",
    "GetPageFile",
    errors.CONTROL_UNKNOWN_FILE,
    writes=("text/css", "text/javascript"),
    is_page=True,
)
def get_page_file(call: ControlCall[None, None, None]) -> Reply:
    """Retrieve a file that the page loads."""
    from mockserver.server.page import page_file

    name = call.path["file"]
    found = page_file(name, call.request.headers.get("accept-encoding", ""))
    if found is None:
        raise ApiError(errors.CONTROL_UNKNOWN_FILE, name=shorten(name))
    return found
