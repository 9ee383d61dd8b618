"""Names that mean nothing, and what was probably meant."""

from mockserver.kernel.spelling import describe_unknown, did_you_mean, list_some, nearest, shorten
from tests.tables import cases


@cases(
    "word, found",
    ("secnods", "seconds"),
    ("externalId", "external_id"),
    ("EXTERNAL_ID", "external_id"),
    ("sec", "seconds"),
    ("se", None),
    ("ext", "external_id"),
    ("ex", None),
    ("unlike", None),
    ("", None),
)
def test_the_nearest_name_is_found_whatever_its_case(word: str, found: str | None) -> None:
    assert nearest(word, ["seconds", "external_id", "to"]) == found


@cases("word, names", ("insufficient_found", ["USER_NOT_FOUND", "TRANSACTION_NOT_FOUND", "SHARE_NOT_FOUND"]))
def test_what_is_alike_by_chance_is_no_suggestion(word: str, names: list[str]) -> None:
    assert nearest(word, names) is None


def test_a_long_word_costs_no_more_than_a_short_one() -> None:
    assert nearest("seconds" + "x" * 1_000_000, ["seconds"]) is None


@cases("length, shown", (120, "x" * 120), (121, "x" * 117 + "..."))
def test_a_long_text_is_cut_to_120_characters(length: int, shown: str) -> None:
    assert shorten("x" * length) == shown


@cases(
    "count, shown",
    (0, ""),
    (2, "1, 2"),
    (14, "1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14"),
    (15, "1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14 and more"),
)
def test_of_many_values_the_first_fourteen_are_listed(count: int, shown: str) -> None:
    assert list_some(range(1, count + 1)) == shown


def test_a_finding_ends_with_the_question_or_with_nothing() -> None:
    assert did_you_mean("to") == " (did you mean to?)"
    assert did_you_mean(None) == ""


@cases("count, found", (300, "transfer"), (301, None))
def test_of_many_names_those_of_the_same_letter_are_compared(count: int, found: str | None) -> None:
    names = [f"a{number:04}" for number in range(count - 1)] + ["transfer"]
    assert nearest("ransfer", names) == found


@cases(
    "name, names, finding",
    ("too", ["to", "at"], ("'too' is not a way", "to")),
    ("x", ["to"], ("'x' is not a way; there is to", None)),
    ("x", [], ("'x' is not a way", None)),
    ("x", "abcdefghijklmn", ("'x' is not a way; there is a, b, c, d, e, f, g, h, i, j, k, l, m, n", None)),
    ("x", "abcdefghijklmno", ("'x' is not a way", None)),
)
def test_of_few_names_all_are_told(name: str, names: list[str], finding: tuple[str, str | None]) -> None:
    assert describe_unknown("a way", name, names) == finding


def test_among_many_names_one_of_the_same_first_letter_is_found() -> None:
    names = [f"a{number:04}" for number in range(5_000)] + ["transfer"]
    assert nearest("transfr", names) == "transfer"
