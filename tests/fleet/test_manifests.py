"""The compose file and the manifests for Kubernetes fit the image, the options and each other."""

import shutil
import subprocess
from typing import Any

import pytest
import yaml

from mockserver import __version__
from mockserver.launch.options import APP_OPTIONS, SERVE_OPTIONS
from mockserver.server.assembly import ROUTES
from tests.fleet.balancers import EXAMPLE

VARIABLES = {option.variable: option for option in (*APP_OPTIONS, *SERVE_OPTIONS)}
PORT = 4242
CONFIGURATION = (EXAMPLE / "haproxy.cfg").read_text()


def manifests() -> dict[tuple[str, str], Any]:
    """Every manifest by its kind and name."""
    found = yaml.safe_load_all((EXAMPLE / "kubernetes.yaml").read_text())
    return {(each["kind"], each["metadata"]["name"]): each for each in found}


def container(kind: str, name: str) -> Any:
    """The only container of a workload."""
    (found,) = manifests()[kind, name]["spec"]["template"]["spec"]["containers"]
    return found


def check_variables(given: dict[str, str]) -> None:
    """Each is a variable of `serve`, with a value that it takes."""
    for name, value in given.items():
        VARIABLES[name].read_text(value)


def balanced(names: dict[str, str]) -> None:
    """HAProxy is given all that its configuration asks for."""
    assert all(f'"${{{name}}}"' in CONFIGURATION for name in names)
    assert CONFIGURATION.count('"${') == len(names)


def test_the_compose_file_has_the_servers_that_haproxy_knows() -> None:
    services = yaml.safe_load((EXAMPLE / "compose.yaml").read_text())["services"]
    fleet = services.pop("fleet")
    balanced(fleet["environment"])
    servers = [value for name, value in fleet["environment"].items() if name.startswith("MOCKSERVER")]
    assert servers == [f"{name}:{PORT}" for name in services]
    assert (EXAMPLE / fleet["volumes"][0].partition(":")[0]).is_file()
    for service in services.values():
        assert (EXAMPLE / service["build"] / "Dockerfile").is_file()
        check_variables(service["environment"])
        assert service["environment"]["MOCKSERVER_HAND_OVER"] == f"http://fleet:{PORT}"
        assert int(service["stop_grace_period"].removesuffix("s")) > 20


def test_each_server_of_the_set_is_one_that_haproxy_knows() -> None:
    found = manifests()
    spec = found["StatefulSet", "mockserver"]["spec"]
    service = found["Service", spec["serviceName"]]["spec"]
    assert service["clusterIP"] == "None"
    space = yaml.safe_load((EXAMPLE / "kustomization.yaml").read_text())["namespace"]
    names = {each["name"]: each["value"] for each in container("Deployment", "fleet")["env"]}
    balanced(names)
    assert [value for name, value in names.items() if name.startswith("MOCKSERVER")] == [
        f"mockserver-{number}.{spec['serviceName']}.{space}.svc.cluster.local:{PORT}"
        for number in range(spec["replicas"])
    ]


def test_selectors_find_the_pods_they_are_for() -> None:
    found = manifests()
    for kind, name in (("StatefulSet", "mockserver"), ("Deployment", "fleet")):
        spec = found[kind, name]["spec"]
        labels = spec["template"]["metadata"]["labels"]
        assert spec["selector"]["matchLabels"] == found["Service", name]["spec"]["selector"] == labels
    budget = found["PodDisruptionBudget", "mockserver"]["spec"]
    assert budget["selector"] == found["StatefulSet", "mockserver"]["spec"]["selector"]
    assert budget["maxUnavailable"] == 1


def test_a_server_is_probed_and_has_time_to_hand_over() -> None:
    server = container("StatefulSet", "mockserver")
    assert server["image"].endswith(f"/mockserver:{__version__}")
    assert server["ports"] == [{"name": "http", "containerPort": PORT}]
    for probe, operation in (("readinessProbe", "GetReady"), ("livenessProbe", "GetHealth")):
        assert server[probe]["httpGet"] == {"path": ROUTES.by_operation[operation].path, "port": "http"}
    given = {each["name"]: each.get("value", "a-control-token") for each in server["env"]}
    check_variables(given)
    pod = manifests()["StatefulSet", "mockserver"]["spec"]["template"]["spec"]
    assert pod["terminationGracePeriodSeconds"] > 20


def test_kustomize_builds_the_manifests() -> None:
    kubectl = shutil.which("kubectl")
    if kubectl is None:
        pytest.skip("kubectl is not installed")
    built = subprocess.run([kubectl, "kustomize", str(EXAMPLE)], capture_output=True, text=True, check=True)
    kinds = [each["kind"] for each in yaml.safe_load_all(built.stdout)]
    assert sorted(kinds) == sorted(["ConfigMap", *(kind for kind, _ in manifests())])
