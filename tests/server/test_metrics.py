"""The metrics, as the parser of Prometheus' own client reads them."""

from httpx import Client
from prometheus_client.parser import text_string_to_metric_families as parse


def test_what_is_counted_is_read_with_its_kind_and_its_labels(api: Client) -> None:
    api.get("/v1/contracts")
    api.get("/v1/contracts/con_x")
    families = {family.name: family for family in parse(api.get("/_mock/metrics").text)}
    answers = families["mockserver_answers"]
    assert answers.type == "counter"
    counted = {sample.labels["status"]: sample.value for sample in answers.samples}
    assert counted == {"2xx": 1, "3xx": 0, "4xx": 1, "5xx": 0}
    assert {sample.name for sample in answers.samples} == {"mockserver_answers_total"}
    projects = families["mockserver_projects"]
    assert (projects.type, {sample.labels["state"] for sample in projects.samples}) == (
        "gauge",
        {"open", "put_away"},
    )


def test_every_metric_says_what_it_is_and_is_named_once(api: Client) -> None:
    text = api.get("/_mock/metrics").text
    families = list(parse(text))
    assert len({family.name for family in families}) == len(families) == text.count("# TYPE ")
    for family in families:
        assert family.documentation
        assert family.type in ("counter", "gauge")
        assert family.samples, family.name
        assert family.name.startswith("mockserver_")
