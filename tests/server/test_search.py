"""How texts are found in bytes that have them encoded."""

import json

import pytest

from mockserver.server.recording.search import Search


@pytest.mark.parametrize(
    "secret", ["wallet \U0001f510 seed", "\U0001f511\U0010ffff\U00010000 key", "caf\xe9 con leche"]
)
def test_a_text_is_found_as_json_escapes_it(secret: str) -> None:
    search = Search()
    search.add(secret.encode(), b"<masked>")
    raw = json.dumps({"note": f"it is {secret}."}).encode()
    assert secret.encode() not in raw
    assert search.finds(raw)
    assert search.replace(raw) == b'{"note": "it is <masked>."}'
