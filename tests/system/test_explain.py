"""`petcheck explain`: from the catalogue, the faults, and runs that were made before; nothing is sent."""

from __future__ import annotations

import re

import pytest

from petcheck.cli.explain import Answer, explanations
from petcheck.cli.main import main
from petcheck.spec.catalogue import catalogue
from petstore_reference.faults import FAULTS
from tests.support.trial import without_network
from tools.explanations import explanation


def explained(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, *words: str) -> str:
    monkeypatch.setenv("COLUMNS", "80")
    with without_network():
        assert main(["explain", *words]) == 0
    return capsys.readouterr().out


def test_a_requirement_in_full(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    page = explained(capsys, monkeypatch, "create-5")
    assert page.startswith(
        "CREATE-5 · section 4.2, Add an animal · stated\n"
        "In short: `POST /pets` without a body, or with a body that is not a JSON object,\nreturns 400.\n"
        "Also in section 7.\n"
    )
    assert "\nWhat petcheck sends\n  GET /pets\n  POST /pets with no body\n" in page
    assert (
        "\nA conforming response\n  POST /pets with no body\n  400 Bad Request\n  Content-Type: application/json\n"
        in page
    )
    number = len([fault for fault in FAULTS.values() if "CREATE-5" in fault.breaks])
    assert f"\nWhat it catches: {number} faults of the reference server, such as\n" in page
    assert "\n  An invalid body gets 422.\n" in page
    assert "\nWhen it cannot be judged\n  POST requests were not allowed. Run with --allow-writes.\n" in page
    assert page.endswith("\nTo judge it alone: petcheck CREATE-5 --target URL\n")
    assert max(map(len, page.splitlines())) <= 80


@pytest.mark.parametrize(
    ("name", "lines"),
    [
        (
            "AUTH-2",
            "  12 kinds of key × 4 operations, 48 pairs\n"
            "  a pass needs: a random key, the key with its last character changed, the key\n"
            "    without its last character, the key with a character appended, each of the 4\n"
            "    operations\n",
        ),
        ("CREATE-7", "  6 kinds of defect: an integer, null, a boolean, a number with a fraction, an\n"
         "    array, an object\n  a pass needs: an integer, null\n"),
        ("LIST-3", "  4 limits × 4 filters, 16 pairs\n  a pass needs: any of them\n"),
        ("GET-1", "  2 origins of an animal × 6 forms of the request, 12 pairs\n  a pass needs: any of them\n"),
        ("GET-3", "  5 classes of id: zero or negative, below 2^31, from 2^31 to 2^53, beyond 2^53,\n"
         "    the smallest or largest int64\n  a pass needs: any of them\n"),
        ("AUTH-5", "  3 kinds of key × 3 operations with a second defect, 9 pairs\n"
         "  a pass needs: GET /pets with no key, POST /pets with no key, GET /pets/{petId}\n    with no key\n"),
    ],
)  # fmt: skip
def test_what_a_pass_covers(
    name: str, lines: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert f"\nWhat a pass covers\n{lines}\nWhat it catches" in explained(capsys, monkeypatch, name)


def test_a_requirement_without_cells_has_no_such_paragraph(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "What a pass covers" not in explained(capsys, monkeypatch, "VERSION-1")


def test_what_no_check_can_see_says_why(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    page = explained(capsys, monkeypatch, "RATE-10")
    assert "Not testable: petcheck never uses up a day's quota" in page
    assert "judge it alone" not in page


def test_an_open_point(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    assert explained(capsys, monkeypatch, "limit-zero") == (
        "limit-zero · section 4.1, List all animals · open\n"
        "What does `limit=0` return?\n"
        "The document leaves this open: petcheck reports it and never judges it.\n"
    )


def test_a_group_lists_its_requirements(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    lines = explained(capsys, monkeypatch, "AUTH").splitlines()
    assert [line.split()[0] for line in lines if not line.startswith(" ")] == [f"AUTH-{n}" for n in range(1, 8)]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["LITS-4"], "explain: no requirement LITS-4; did you mean LIST-4?"),
        (["limit-zer"], "explain: no requirement limit-zer; did you mean limit-zero?"),
        (["a-secret-key"], "explain: no requirement has that name; `petcheck requirements` lists all"),
        ([], "explain: name a requirement: petcheck explain LIST-4"),
    ],
)
def test_a_typo_gets_the_nearest_name(words: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match=r"^4$"):
        main(["explain", *words])
    assert capsys.readouterr().err == f"petcheck: {message}\n"


def test_each_fault_that_is_named_can_be_served(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    pages = (explained(capsys, monkeypatch, entry.id) for entry in catalogue().judged)
    named = [found[1] for page in pages if (found := re.search(r"petcheck serve --fault (\S+)", page))]
    assert len(named) > 50
    assert [name for name in named if name not in FAULTS] == []


# ---- the data


@pytest.mark.parametrize("name", ["LIST-4", "CREATE-5", "AUTH-1", "GET-4"])
def test_the_data_is_of_this_suite(name: str) -> None:
    """`make explanations` writes it."""
    kept, now = explanations()[name], explanation(catalogue()[name])
    assert (kept.sent, kept.kinds) == (now.sent, now.kinds)
    assert isinstance(kept.answer, Answer)
    assert isinstance(now.answer, Answer)
    assert (kept.answer.request, kept.answer.status) == (now.answer.request, now.answer.status)


def test_reasons_name_the_option_that_helps() -> None:
    text = "No request exceeded the rate limit. Run with --exhaust-rate-limit."
    assert text in explanations()["RATE-6"].undecided
