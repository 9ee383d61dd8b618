"""The control API as Python objects, for a server in this process as for one in a container."""

from mockserver.testing.connection import ControlClient
from mockserver.testing.project import MockProject


class MockServer(ControlClient):
    """A client of the control API. `MockServer("http://localhost:4242")` connects to a running server."""

    def create_project(self, **given: object) -> MockProject:
        """Create a project.

        Options are `name`, `seed`, `livemode`, `scopes`, `settings`, `clock` and keys.
        """
        return MockProject(self, self.call("POST", "/_mock/projects", json=given))

    def projects(self) -> list[MockProject]:
        """Every project, oldest first."""
        found = self.call("GET", "/_mock/projects", params={"limit": 1_000_000})
        return [MockProject(self, entry) for entry in found["data"]]

    def start_recording(self, *, mask: bool = False) -> None:
        """Record every call of the server from now on, whichever project it is for.

        With `mask` placeholders stand for the secrets that clients bring along.
        """
        self.call("POST", "/_mock/recording", params={"mask": mask})

    def stop_recording(self) -> bytes:
        """End the recording and return it: a file for `mockserver replay`."""
        self.call("POST", "/_mock/recording/stop")
        return self.recording()

    def recording(self) -> bytes:
        """What was recorded so far, or the last recording."""
        return self.fetch("/_mock/recording")

    def project(self, secret_key: str) -> MockProject:
        """The project of a key; an undeclared test key creates its project."""
        headers = {"authorization": f"Bearer {secret_key}"}
        return MockProject(self, self.call("GET", "/_mock/projects/-", headers=headers))
