"""A server in a container, by testcontainers: the image as it is released."""

from functools import cached_property
from pathlib import Path
from typing import Self

from mockserver.server.answering.control_token import TOKEN_VARIABLE, draw_control_token
from mockserver.testing.client import MockServer

__tracebackhide__ = True

PORT = 4242
"""What the server in the image listens on."""
_SCENARIOS = "/scenarios"


class LiveServerContainer:
    """A server in a container of its own, ready when `start` returns. It needs the extra `container`.

    Like `LiveServer`, it has a `url` and a `control`. `image` is what the container is made from, such as
    `mockserver` after `docker build -t mockserver .`. `clock` is how the clocks of its projects begin, as
    `mockserver serve` takes it; `scenarios` is a directory of files for its default project. The control
    token is drawn unless given.

    The class is named after `LiveServer` because testcontainers has a `MockServerContainer`, of another
    product. An ImportError when testcontainers is not installed.
    """

    def __init__(
        self,
        image: str,
        *,
        clock: str = "frozen",
        scenarios: Path | None = None,
        control_token: str | None = None,
        startup_timeout_s: int = 60,
    ) -> None:
        # Imported on use: the package does without testcontainers.
        from testcontainers.core.container import DockerContainer
        from testcontainers.core.wait_strategies import HttpWaitStrategy

        self.control_token = control_token or draw_control_token()
        ready = HttpWaitStrategy(PORT, "/_mock/ready").with_startup_timeout(startup_timeout_s)
        self.container = (
            DockerContainer(image)
            .with_exposed_ports(PORT)
            .with_envs(**{TOKEN_VARIABLE: self.control_token, "MOCKSERVER_CLOCK": clock})
            .waiting_for(ready)
        )
        """The container, for networks, labels and what else testcontainers has, before it is started."""
        if scenarios is not None:
            self.container.with_volume_mapping(str(scenarios.resolve()), _SCENARIOS, "ro")

    @property
    def url(self) -> str:
        """The base URL for clients on this machine. Only a container that runs has one."""
        return f"http://{self.container.get_container_host_ip()}:{self.container.get_exposed_port(PORT)}"

    @cached_property
    def control(self) -> MockServer:
        """A client of the control API, of a container that runs."""
        return MockServer(self.url, control_token=self.control_token)

    def start(self) -> Self:
        """Start the container, and wait until its scenarios are loaded. TimeoutError with its log."""
        self.container.start()
        return self

    def stop(self) -> None:
        """Stop and remove the container."""
        if "control" in self.__dict__:
            self.control.close()
        self.container.stop()

    def __enter__(self) -> Self:
        try:
            return self.start()
        except BaseException:
            self.stop()
            raise

    def __exit__(self, *_: object) -> None:
        self.stop()
