"""A page as its elements, and a check for every page: it is complete and self-contained."""

from __future__ import annotations

from collections.abc import Collection
from html.parser import HTMLParser


class Elements(HTMLParser):
    """The elements of a page: tag and attributes in order, and whether each that opens is closed."""

    VOID = frozenset({"meta", "input", "br"})

    def __init__(self, page: str) -> None:
        super().__init__()
        self.all: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.all.append((tag, dict(attrs)))
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.all.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    @property
    def ids(self) -> list[str]:
        return [attributes["id"] or "" for _, attributes in self.all if "id" in attributes]


def whole_and_self_contained(page: str, *, beside: Collection[str] = ()) -> None:
    """Its links lead to places in it, or to the files `beside` it, and it links each of these files."""
    page.encode("utf-8")
    elements = Elements(page)
    assert elements.open == []
    ids = set(elements.ids)
    assert len(elements.ids) == len(ids)
    assert {tag for tag, _ in elements.all} & {"script", "img", "link", "iframe", "object", "form", "base"} == set()
    for tag, attributes in elements.all:
        assert not any(key.startswith("on") or key in ("style", "src", "srcset") for key in attributes), tag
    links = {attributes["href"] for _, attributes in elements.all if "href" in attributes}
    assert links <= {*(f"#{name}" for name in ids), *beside}
    assert "url(" not in page.split("</style>")[0]
    assert "default-src 'none'; style-src 'sha256-" in page
    assert len(page.encode()) < 5_000_000
