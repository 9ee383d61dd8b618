"""A recording has the real time of what may depend on it."""

import json
from typing import Any

from mockserver.api.call import Request
from mockserver.launch.application import AppOptions, build_app


def test_real_time_is_recorded_where_a_clock_ticks() -> None:
    app = build_app(AppOptions(clock="frozen"))
    app.start()
    app.recordings.start()

    def create(**body: Any) -> None:
        headers = {"content-type": "application/json"}
        request = Request(
            "POST", "/_mock/projects", "", headers, json.dumps(body).encode(), client="127.0.0.1"
        )
        assert getattr(app.pipeline.answer(request), "status", 0) == 201

    create(name="frozen")
    create(name="ticking", clock={"mode": "ticking"})
    create(name="another")
    lines = [json.loads(line) for line in app.recordings.read().splitlines()]
    answers = [line for line in lines if "status" in line.get("answer", {})]
    assert ["real_ms" in line for line in answers] == [False, True, False]
