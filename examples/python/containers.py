"""The server in a container: without `mockserver.testing.container`, what testcontainers needs to be told."""

from testcontainers.core.container import DockerContainer
from testcontainers.core.wait_strategies import HttpWaitStrategy


def mock_container(image: str, token: str) -> DockerContainer:
    return (
        DockerContainer(image)
        .with_exposed_ports(4242)
        .with_env("MOCKSERVER_CLOCK", "frozen")
        .with_env("MOCKSERVER_CONTROL_TOKEN", token)
        .waiting_for(HttpWaitStrategy(4242, "/_mock/ready"))
    )


def url_of(container: DockerContainer) -> str:
    return f"http://{container.get_container_host_ip()}:{container.get_exposed_port(4242)}"
