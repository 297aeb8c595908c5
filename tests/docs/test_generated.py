"""What is derived from the code is as `make generated` writes it, and a region of a page is filled in place."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools import generated


@pytest.fixture(scope="module")
def files() -> dict[Path, str]:
    return dict(generated.files())


def test_every_generated_file_is_up_to_date(files: dict[Path, str]) -> None:
    outdated = [path.relative_to(generated.ROOT) for path, text in files.items() if path.read_text("utf-8") != text]
    assert outdated == [], "make generated writes them"


def test_the_regions_of_pages_are_among_them(files: dict[Path, str]) -> None:
    names = {path.name for path in files}
    assert {"README.md", "requests.md", "start.md", "architecture.svg", "licences.md", "kill-matrix.md"} <= names


def test_a_region_is_filled_and_the_rest_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(generated, "REGIONS", {"number": lambda: "12", "table": lambda: "| a |\n|---|"})
    table = "<!-- generated: table -->\n\nold\n\n<!-- end -->\n\nend\n"
    page = f"# At most <!-- generated: number -->7<!-- end --> of 7\n\n{table}"
    filled = page.replace("-->7<", "-->12<").replace("old", "| a |\n|---|")
    assert generated.filled(page) == generated.filled(filled) == filled


def test_a_region_that_nothing_makes_is_a_mistake() -> None:
    with pytest.raises(KeyError):
        generated.filled("<!-- generated: no-such-thing --><!-- end -->")
