"""The documentation, offline: its pages as Markdown, their sections, and a search."""

from mockserver.manual.pages import Page, find_page, pages, read_page
from mockserver.manual.search import Finding, search, suggest

__all__ = ["Finding", "Page", "find_page", "pages", "read_page", "search", "suggest"]
