"""The headers of HTML pages."""

from mockserver.responses.pages import form_headers


def test_a_page_may_do_nothing_unless_it_is_allowed_to() -> None:
    headers = dict(form_headers())
    assert headers["content-security-policy"] == (
        "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )
    assert (headers["x-content-type-options"], headers["cache-control"]) == ("nosniff", "no-store")


def test_what_a_page_needs_is_added_to_its_policy() -> None:
    policy = dict(form_headers(style_src="'unsafe-inline'", form_action="*"))["content-security-policy"]
    assert "style-src 'unsafe-inline'" in policy
    assert "form-action *" in policy
    assert policy.startswith("default-src 'none'")
