"""Where in a request its secrets are replaced, and what of it stays."""

from base64 import b64encode
from typing import Any

from mockserver.api.call import Request
from mockserver.server.answering.masking import LONGEST_PARSED, Hiding
from mockserver.server.assembly import ROUTES
from mockserver.server.recording.request_mask import hide_in_request, hide_in_text
from tests.tables import cases

HIDING = Hiding(lambda value: f"<{value}>", lambda text: f"({text})")
SIGN_UP = "/iam/v2/auth/sign-up/email"
FORM = "application/x-www-form-urlencoded"


def hidden(
    path: str = SIGN_UP,
    body: bytes = b"",
    content_type: str = "application/json",
    query: str = "",
    **headers: Any,
) -> Request:
    """A request as it is shown, of which a body that is not read is `[body]`."""
    given = {"content-type": content_type} | {
        name.replace("_", "-"): value for name, value in headers.items()
    }
    raw = [(name.encode(), value.encode("latin-1")) for name, value in given.items()]
    request = Request("POST", path, query, given, body, raw_headers=raw)
    return hide_in_request(request, ROUTES, HIDING, lambda text: f"[{len(text)}]")


@cases(
    "name, value, shown",
    ("authorization", "Bearer abc", "Bearer (abc)"),
    ("authorization", "abc", "(abc)"),
    ("authorization", "Bearer", "Bearer"),
    ("authorization", "basic ", "basic "),
    ("authorization", "Basic " + b64encode(b"a:b").decode(), "Basic " + b64encode(b"(a):(b)").decode()),
    ("proxy-authorization", "basic  " + b64encode(b"a").decode(), "basic " + b64encode(b"(a)()").decode()),
    ("authorization", "Basic ?", "Basic (?)"),
    ("x-note", "Basic YTpi", "Basic YTpi"),
    ("x-mockserver-token", "abc", "abc"),
    ("x-project-key", "abc", "(abc)"),
    ("cookie", "a=b; c=d=e;f", "a=(b); c=(d=e); (f)"),
    ("referer", "https://a.example/?token=abc&b=c", "https://a.example/?token=(abc)&b=c"),
    ("referer", "https://[a.example/?token=abc", "https://[a.example/?token=abc"),
    ("x-note", "token=abc", "token=abc"),
)
def test_of_a_header_the_credentials_are_hidden(name: str, value: str, shown: str) -> None:
    given: dict[str, Any] = {name.replace("-", "_"): value}
    assert dict(hidden(**given).raw_headers)[name.encode()].decode() == shown


@cases(
    "path, query, shown",
    (SIGN_UP, "token=a%20b&c=d", (SIGN_UP, "token=(a b)&c=d")),
    ("/iam/v2/auth/reset-password/abc", "", ("/iam/v2/auth/reset-password/(abc)", "")),
    ("/iam/v2/auth/reset-password/abc/", "", ("/iam/v2/auth/reset-password/(abc)/", "")),
    ("/v1/contracts/", "", ("/v1/contracts/", "")),
    ("/v1/abc", "", ("/v1/abc", "")),
    ("/", "", ("/", "")),
)
def test_a_urls_secret_parameters_are_hidden(path: str, query: str, shown: tuple[str, str]) -> None:
    request = hidden(path, query=query)
    assert (request.path, request.query) == shown


@cases(
    "body, shown",
    (b'{"name": "A",  "password": "p"}', b'{"name": "A", "password": "<p>"}'),
    (b'{"name":  "A"}', b'{"name":  "A"}'),
    (b'{"passwrod": "p"}', b'{"passwrod": "<p>"}'),
    (b'{"name": "A", "name":  "A"}', b'{"name": "A"}'),
    (b'{"password": "p", "password": "q"}', b'{"password": "<q>"}'),
    (b'{"password": NaN}', b"[17]"),
    (b'{"password": "p"', b"[16]"),
    (b"\xff", b"[1]"),
    (b"[" * 2000 + b"]" * 2000, b"[4000]"),
    (b"", b""),
)
def test_of_a_body_all_that_may_be_secret_is_hidden(body: bytes, shown: bytes) -> None:
    assert hidden(body=body).body == shown


def test_a_body_without_secrets_keeps_unknown_members() -> None:
    assert hidden("/v1/contracts", b'{"passwrod": "p"}').body == b'{"passwrod": "p"}'


def test_a_form_is_hidden_by_pairs_and_only_if_it_is_one() -> None:
    assert hidden(body=b"name=A&password=p", content_type=FORM).body == b"name=A&password=<p>"
    assert hidden(body=b"name=A&password=p").body == b"[17]"


@cases("more", 0, 1)
def test_a_body_is_read_up_to_its_largest_size(more: int) -> None:
    rest = b'{"password": "p", "name": ""}'
    body = rest[:-2] + b"x" * (LONGEST_PARSED + more - len(rest)) + rest[-2:]
    assert hidden(body=body).body.startswith(b'{"password": "<p>"' if not more else b"[")


def test_a_digest_is_hidden_with_the_body_that_it_is_of() -> None:
    names = ("digest", "content-md5", "content-digest", "repr-digest", "etag")
    given: dict[str, Any] = {name.replace("-", "_"): "abc=" for name in names}
    for body, shown in ((b'{"password": "p"}', b"<abc=>"), (b'{"name": "A"}', b"abc=")):
        found = dict(hidden(body=body, **given).raw_headers)
        assert [found[name.encode()] for name in names] == [shown] * 4 + [b"abc="]


@cases(
    "text, shown",
    ("password: abc, b: c", "password: <abc>, b: c"),
    ("{'password': 'a b'}", "{'password': '<a b>'}"),
    ('{"password": "a\\tb\\""}', '{"password": "<a\tb">"}'),
    ('"password" = "a\\q"', '"password" = "<a\\q>"'),
    ("password: abc  \nnext: 1", "password: <abc>\nnext: 1"),
    ("password: ''", "password: ''"),
    ("name: abc", "name: abc"),
    ("a password of mine", "a password of mine"),
)
def test_of_a_text_members_named_like_secrets_are_hidden(text: str, shown: str) -> None:
    assert hide_in_text(text, HIDING) == shown


def test_a_control_text_is_hidden_by_its_members() -> None:
    path = "/_mock/projects/pro_1/scenarios"
    assert hidden(path, b"given: [{password: \xe9}]", "application/yaml").body == (
        b"given: [{password: <\xe9>}]"
    )
