"""The words to avoid: each is found in its place, with what to write instead, and good text passes."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from petstore_reference.faults import FAULTS
from tools import prose
from tools.prose import Finding, Word, findings, read, rules, served

KNOWN = rules()
WHOEVER = "write name the person: the sender, the user, the maintainer"


def found(text: str) -> list[str]:
    return [words for _, words, _ in read(text, KNOWN)]


def in_file(folder: Path, name: str, text: str) -> list[Finding]:
    path = folder / name
    path.write_text(text, "utf-8")
    return findings(path, name, KNOWN)


# ---- the list


@pytest.mark.parametrize("word", KNOWN.words, ids=lambda word: word.pattern.pattern)
def test_each_word_has_an_example_that_it_finds(word: Word) -> None:
    assert word.pattern.search(word.example)
    assert word.write
    assert [text for text in word.good if word.pattern.search(text)] == []


def test_every_pattern_of_files_names_one() -> None:
    assert [pattern for pattern in KNOWN.files if not any(prose.ROOT.glob(pattern))] == []


def test_good_text_passes() -> None:
    text = (
        "The body is not JSON; expected 400, got 201. There is no key, and the old one is no longer valid. "
        "The server returns None, which comes from a cache. Add one animal to the store and run again."
    )
    assert found(text) == []


def test_a_phrase_may_span_lines_but_not_texts(tmp_path: Path) -> None:
    assert found("It waits in\norder to retry.") == ["in\norder to"]
    assert in_file(tmp_path, "a.md", "- It waits in\n- order to retry.\n") == []


def test_general_words_are_those_of_proselint() -> None:
    assert "for ever" in found("It waits for ever.")


# ---- the kinds of files


def test_a_document_is_read_without_its_code(tmp_path: Path) -> None:
    page = (
        "# Title\n\nSome text\nthat whoever reads\n\n```sh\npetcheck whoever\n```\n\n| a |\n|---|\n| `whoever` upon |\n"
    )
    assert [(each.line, each.found) for each in in_file(tmp_path, "a.md", page)] == [(4, "whoever"), (12, "upon")]


def test_a_program_is_read_where_it_has_prose(tmp_path: Path) -> None:
    program = (
        '"""A docstring.\n\nWhoever reads it.\n"""\n'
        'NAME = "whoever-waits"\n'
        'KEY = "whoever"\n'
        'TEXT = f"{KEY} is no {NAME}, "\\\n'
        '    f"upon {KEY} {NAME}"\n'
        "# whoever calls it\n"
        "upon = 1  # thus it is\n"
    )
    assert [(each.line, each.found) for each in in_file(tmp_path, "a.py", program)] == [
        (3, "Whoever"),
        (5, "whoever"),
        (7, "is no"),
        (8, "upon"),
        (9, "whoever"),
        (10, "thus"),
    ]


def test_a_catalogue_is_read_value_by_value(tmp_path: Path) -> None:
    text = "# upon this\n- id: whoever\n  says: >-\n    It waits\n    for whoever sends.\n  run: |\n    upon that\n"
    assert [(each.line, each.found) for each in in_file(tmp_path, "a.yaml", text)] == [(1, "upon"), (5, "whoever")]


def test_a_template_is_read_without_its_markup(tmp_path: Path) -> None:
    text = (
        "<style>upon it {}</style>\n<p class='upon it'>It has\n{{ upon }} parts,\n"
        "<code>whoever</code> it is</p>{# upon it #}\n{% if upon that %}<p>upon that</p>{% endif %}\n"
    )
    assert [(each.line, each.found) for each in in_file(tmp_path, "a.jinja", text)] == [(4, "whoever"), (5, "upon")]


def test_of_any_other_file_the_comments_are_read(tmp_path: Path) -> None:
    text = "# whoever calls\n# this upon start\nrun upon start  # thus it is\n// hence this\n"
    assert [each.found for each in in_file(tmp_path, "Makefile", text)] == ["whoever", "upon", "thus", "hence"]


def test_what_shows_only_where_parts_are_put_together_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    fault = next(iter(FAULTS.values()))
    monkeypatch.setattr(prose, "FAULTY", {"upon-start": replace(fault, summary="The the name.")})
    (name, summary) = served(KNOWN, ())[:2]
    assert (name.file, name.found) == ("petcheck serve --fault upon-start", "upon")
    assert summary.found == "The the"
    assert [each.found for each in served(KNOWN, [name])[:1]] == ["The the"]


# ---- the command


def test_the_command_says_where_and_what_to_write(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "page.md"
    path.write_text("# Title\n\nIt is sent to whoever asks.\n", "utf-8")
    assert prose.main([str(path)]) == 1
    assert capsys.readouterr().out.splitlines()[0] == f'{path}:3: "whoever": {WHOEVER}'


def test_the_command_is_silent_on_good_text(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "page.md"
    path.write_text("# Title\n\nIt is sent to the user.\n", "utf-8")
    assert prose.main([str(path)]) == 0
    assert capsys.readouterr().out == ""
