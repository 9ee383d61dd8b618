"""Who counts as having an e-mail address."""

from mockserver.domain.identity.users import is_email
from tests.tables import cases


@cases("text", "a@b.co", "first.last+tag@mail.example.com", "o'hara@example.com", "A_1-x@ex-ample.org")
def test_an_address_is_one(text: str) -> None:
    assert is_email(text)


@cases(
    "text",
    "",
    "a",
    "a@",
    "@b.co",
    "a@b",
    "a@b.c",
    ".a@b.co",
    "a.@b.co",
    "a..b@c.co",
    "a@-b.co",
    "a b@c.co",
    "a@b.co\n",
    "a@b..co",
    "ä@b.co",
    "x" * 250 + "@b.co",
)
def test_what_is_no_address_is_none(text: str) -> None:
    assert not is_email(text)
