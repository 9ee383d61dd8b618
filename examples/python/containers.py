"""The server in a container: with the class of this package, and with testcontainers alone."""

from testcontainers.core.container import DockerContainer
from testcontainers.core.wait_strategies import HttpWaitStrategy

from mockserver.testing.container import LiveServerContainer


def project_in_container(image):
    with LiveServerContainer(image) as server:
        yield server.control.create_project(name="shop")


def generic_container(image, token):
    return (
        DockerContainer(image)
        .with_exposed_ports(4242)
        .with_env("MOCKSERVER_CLOCK", "frozen")
        .with_env("MOCKSERVER_CONTROL_TOKEN", token)
        .waiting_for(HttpWaitStrategy(4242, "/_mock/ready"))
    )


def url_of(container):
    return f"http://{container.get_container_host_ip()}:{container.get_exposed_port(4242)}"
