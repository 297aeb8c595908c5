"""Waivers are written into petcheck.toml, and every other byte of it stays."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from datetime import date
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from petcheck.config.settings_file import SettingsFile
from petcheck.config.waivers import waivers_in
from petcheck.config.waivers_file import _checked, edited
from petcheck.errors import ConfigError
from petcheck.spec.outcomes import Waiver
from tests.config.configured import complaint, configured

LAST = date(2027, 3, 1)
OPTIONS: dict[str, Any] = {"update_waivers": True, "waiver_reason": "Release 12", "waiver_expires": "2027-03-01"}


def block(requirement: str, *, reason: str = "old", expires: str = "2027-01-01", note: str = "") -> str:
    return (
        f'[[waivers]]\nrequirement = "{requirement}"{note}\ntarget = "staging"\nreason = "{reason}"\n'
        f"expires = {expires}\n"
    )


def new(requirement: str, reason: str = "Release 12") -> Waiver:
    return Waiver(requirement, "staging", reason, LAST)


def changed(text: str, keep: Sequence[str] = (), add: Sequence[Waiver] = ()) -> str:
    file = SettingsFile("petcheck.toml", tomllib.loads(text), text)
    before = waivers_in(file, ["staging"])
    return edited(file, before, [*(one for one in before if one.requirement in keep), *add])


NEW = block("AUTH-1", reason="Release 12", expires="2027-03-01")
STAGING = '# our servers\n[targets.staging]\nurl = "https://h/v1"   # behind the VPN\n'
DEFAULTS = '# the plan is\n# that of June\n[defaults]\nplan = "pro"\n'


def test_a_file_that_is_not_there_or_empty() -> None:
    assert changed("", add=[new("AUTH-1")]) == NEW
    assert changed("\n", add=[new("AUTH-1")]) == NEW


def test_the_first_waiver_of_a_file() -> None:
    assert changed(STAGING, add=[new("AUTH-1")]) == f"{STAGING}\n{NEW}"
    assert changed(STAGING.rstrip("\n"), add=[new("AUTH-1")]) == f"{STAGING}\n{NEW}"
    assert changed("# nothing yet\n", add=[new("AUTH-1")]) == f"# nothing yet\n\n{NEW}"


def test_a_new_one_follows_the_last_and_comments_stay_where_they_are() -> None:
    first, second = block("LIST-1", note="  # see ticket 7"), block("LIST-2")
    text = f"{STAGING}\n# agreed in May\n{first}\n{second}\n{DEFAULTS}"
    both = ["LIST-1", "LIST-2"]
    assert changed(text, both, [new("AUTH-1")]) == f"{STAGING}\n# agreed in May\n{first}\n{second}\n{NEW}\n{DEFAULTS}"
    assert changed(text, both) == text


def test_a_file_that_ends_without_a_line_feed() -> None:
    assert changed(block("LIST-1").rstrip("\n"), ["LIST-1"], [new("AUTH-1")]) == f"{block('LIST-1')}\n{NEW}"
    assert changed(f"{STAGING}\n{block('LIST-1')}".rstrip("\n")) == f"{STAGING}\n"


def test_one_that_is_removed_leaves_the_comments_around_it() -> None:
    text = f"{STAGING}\n# one\n{block('LIST-1')}\n# two\n{block('LIST-2')}\n{DEFAULTS}"
    assert changed(text, ["LIST-2"]) == f"{STAGING}\n# one\n\n# two\n{block('LIST-2')}\n{DEFAULTS}"
    assert changed(text, ["LIST-1"]) == f"{STAGING}\n# one\n{block('LIST-1')}\n# two\n\n{DEFAULTS}"
    assert changed(text) == f"{STAGING}\n# one\n\n# two\n\n{DEFAULTS}"


def test_blank_lines_do_not_pile_up() -> None:
    text = f"{STAGING}\n{block('LIST-1')}\n{block('LIST-2')}\n{DEFAULTS}"
    assert changed(text, ["LIST-2"]) == f"{STAGING}\n{block('LIST-2')}\n{DEFAULTS}"
    assert changed(text) == f"{STAGING}\n{DEFAULTS}"


def test_all_are_removed_and_others_come() -> None:
    text = f"{STAGING}\n{block('LIST-1')}\n{DEFAULTS}"
    assert changed(text, add=[new("AUTH-1")]) == f"{STAGING}\n{NEW}\n{DEFAULTS}"


def test_one_that_is_renewed_is_changed_in_place() -> None:
    text = f"# a\n{block('LIST-1', note=' # b')}# c\n\n{block('LIST-2')}"
    renewed = block("LIST-1", reason="Release 12", expires="2027-03-01", note=" # b")
    assert changed(text, ["LIST-2"], [new("LIST-1")]) == f"# a\n{renewed}# c\n\n{block('LIST-2')}"


def test_of_two_for_one_failure_one_is_renewed() -> None:
    text = f"{block('LIST-1')}\n{block('LIST-1', reason='older')}"
    assert changed(text, add=[new("LIST-1")]) == f"{block('LIST-1', reason='Release 12', expires='2027-03-01')}\n"


def test_line_ends_of_windows_stay() -> None:
    text = f"{STAGING}\n{block('LIST-1')}\n{block('LIST-2')}".replace("\n", "\r\n")
    assert changed(text, ["LIST-1"], [new("AUTH-1")]) == f"{STAGING}\n{block('LIST-1')}\n{NEW}".replace("\n", "\r\n")


@given(st.text(st.characters(categories=["L", "N", "P", "S", "Zs"]), min_size=1).filter(str.strip))
def test_any_reason_is_read_back(reason: str) -> None:
    text = changed(STAGING, add=[new("AUTH-1", reason)])
    assert tomllib.loads(text)["waivers"] == [
        {"requirement": "AUTH-1", "target": "staging", "reason": reason, "expires": LAST}
    ]


@given(st.lists(st.sampled_from(["LIST-1", "LIST-2", "LIST-3"]), unique=True), st.lists(st.booleans(), min_size=3))
def test_whatever_is_kept_every_comment_stays(keep: list[str], comments: list[bool]) -> None:
    blocks = [
        f"# {name}\n{block(name)}" if with_comment else block(name)
        for name, with_comment in zip(["LIST-1", "LIST-2", "LIST-3"], comments, strict=False)
    ]
    text = f"{STAGING}\n{''.join(blocks)}{DEFAULTS}"
    made = changed(text, keep, [new("AUTH-1")])
    assert [line for line in made.splitlines() if line.startswith("#")] == [
        line for line in text.splitlines() if line.startswith("#")
    ]
    assert {one["requirement"] for one in tomllib.loads(made)["waivers"]} == {*keep, "AUTH-1"}


@pytest.mark.slow
def test_more_than_a_file_may_hold() -> None:
    many = [Waiver("LIST-1", f"tenant-{number}", "r" * 100, LAST) for number in range(60_000)]
    with pytest.raises(ConfigError, match=r"^petcheck\.toml: with 60,000 waivers it would be larger than 8 MB"):
        changed(STAGING, add=many)


def test_text_that_says_something_else_or_is_no_toml_is_not_written() -> None:
    file = SettingsFile("petcheck.toml", {})
    for text in (f"{NEW}{DEFAULTS}", f"waivers = []\n{NEW}"):
        with pytest.raises(ConfigError, match=r"^petcheck\.toml: the waivers cannot be written into it; write each as"):
            _checked(text, file, [new("AUTH-1")])


# ---- the options


def test_what_is_to_be_written() -> None:
    update = configured(**OPTIONS).waiver_update
    assert update is not None
    assert (str(update.path), update.reason, update.expires) == ("petcheck.toml", "Release 12", LAST)
    assert configured().waiver_update is None


INLINE = 'waivers = [{requirement = "LIST-1", target = "target", reason = "r", expires = 2027-01-01}]'
APART = f'{block("LIST-1")}[defaults]\nplan = "pro"\n{block("LIST-2")}'.replace("staging", "target")

AMONG_TARGETS = f'[targets.a]\nurl = "https://a/v1"\n{block("LIST-1")}[targets.staging]\nurl = "https://b/v1"\n'


@pytest.mark.parametrize(
    ("file", "changes", "said"),
    [
        (None, {"waiver_reason": None}, '--update-waivers: needs --waiver-reason "TEXT" and --waiver-expires YYYY-'),
        (None, {"waiver_expires": None}, '--update-waivers: needs --waiver-reason "TEXT" and --waiver-expires YYYY-'),
        (None, {"update_waivers": None}, "--waiver-reason: goes with --update-waivers; give both, or neither"),
        (
            None,
            {"update_waivers": None, "waiver_reason": None},
            "--waiver-expires: goes with --update-waivers; give both, or neither",
        ),
        (None, {"waiver_reason": " "}, "--waiver-reason ' ': must be text in quotes, and not empty"),
        (None, {"waiver_reason": "a\nb"}, "--waiver-reason: must be one line of text without control characters"),
        (None, {"waiver_expires": "soon"}, "--waiver-expires soon: not a date; write it as YYYY-MM-DD"),
        (None, {"waiver_expires": "2026-11-20"}, "--waiver-expires 2026-11-20: is in the past, so the waivers would"),
        (INLINE, {}, "petcheck.toml: write each waiver as a [[waivers]] table instead of `waivers = […]`, so that"),
        ("waivers = []", {}, "petcheck.toml: write each waiver as a [[waivers]] table instead of `waivers = […]`"),
        (AMONG_TARGETS, {}, "petcheck.toml: move all [[waivers]] tables to the end of the file, so that they can be"),
        (APART, {}, "petcheck.toml: move all [[waivers]] tables to the end of the file, so that they can be updated"),
        ("[defaults]\nupdate_waivers = true", {}, "petcheck.toml: [defaults]: unknown setting 'update-waivers'"),
        ("", {"config": "/dev/null"}, "--update-waivers /dev/null: is not a regular file, so it cannot be updated"),
    ],
)  # fmt: skip
def test_what_cannot_be_written_is_refused_before_the_run(
    file: str | None, changes: dict[str, str | None], said: str
) -> None:
    assert complaint(file, self_test=True, **(OPTIONS | changes)).startswith(said)
