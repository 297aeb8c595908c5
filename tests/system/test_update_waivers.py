"""`--update-waivers`: real runs on real servers write petcheck.toml, and the next run agrees with it."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from petstore_reference.serve import running
from petstore_reference.server import ReferenceSettings, create_app
from tests.support.command import KEY, ended, start
from tests.support.forked import petcheck
from tests.support.peers import Caller, peer
from tests.system.test_interruption import FEW, after, assert_interrupted, once, until

UPDATE = ("--update-waivers", "--waiver-reason", "Release 12 fixes it", "--waiver-expires", "2999-12-31")
OLD = 'target = "shop"\nreason = "known"\nexpires = 2999-01-01\n'


@pytest.fixture(scope="module")
def broken() -> Iterator[str]:
    """A server that fails LIST-4 and BODY-1."""
    faults = ("default-limit-50", "problem-json-type")
    # several runs share it, and none waits for requests without a key
    app = create_app(ReferenceSettings(keys={KEY: "business"}, faults=faults, anonymous_limit=10_000))
    with running(app) as url:
        yield f"{url}/v1"


def settings(folder: Path, url: str, *waived: str) -> Path:
    file = folder / "petcheck.toml"
    tables = "".join(f'\n# why {name}\n[[waivers]]\nrequirement = "{name}"\n{OLD}' for name in waived)
    file.write_text(f'[targets.shop]\nurl = "{url}"  # ours\n{tables}')
    return file


@pytest.mark.slow
def test_what_fails_is_waived_what_holds_is_not_and_the_rest_stays(tmp_path: Path, broken: str) -> None:
    file = settings(tmp_path, broken, "BODY-1", "LIST-3", "CREATE-1")
    ran = petcheck(tmp_path, *UPDATE, "--examples", "0")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.endswith(
        "\npetcheck.toml: 1 waiver added (LIST-4 on shop); 1 waiver removed (LIST-3 on shop); 2 waivers kept\n"
    )
    assert file.read_text() == (
        f'[targets.shop]\nurl = "{broken}"  # ours\n'
        f'\n# why BODY-1\n[[waivers]]\nrequirement = "BODY-1"\n{OLD}'
        "\n# why LIST-3\n"
        f'\n# why CREATE-1\n[[waivers]]\nrequirement = "CREATE-1"\n{OLD}'
        '\n[[waivers]]\nrequirement = "LIST-4"\ntarget = "shop"\n'
        'reason = "Release 12 fixes it"\nexpires = 2999-12-31\n'
    )
    ran.assert_reports()
    assert {name: outcome for name, outcome in ran.outcomes.items() if outcome in ("fail", "waived")} == {
        "BODY-1": "waived",
        "LIST-4": "waived",
    }
    assert "Release 12 fixes it" in ran.reason("LIST-4")
    settled = ran.result.run.settings
    assert settled is not None
    assert [waiver.requirement for waiver in settled.waivers] == ["BODY-1", "CREATE-1", "LIST-4"]
    assert petcheck(tmp_path, "verify", "reports").code == 0
    written = file.read_bytes()
    again = petcheck(tmp_path, "--examples", "0")
    assert again.code == 0
    assert again.outcomes == ran.outcomes
    assert petcheck(tmp_path, *UPDATE, "--examples", "0").out.endswith("\npetcheck.toml: 3 waivers kept\n")
    assert file.read_bytes() == written


def test_an_expired_one_is_renewed_in_place(tmp_path: Path, broken: str) -> None:
    file = settings(tmp_path, broken, "BODY-1", "LIST-4")
    file.write_text(file.read_text().replace("2999-01-01", "2020-01-01", 1))
    ran = petcheck(tmp_path, *UPDATE, "--examples", "0")
    assert ran.code == 0
    assert ran.out.endswith("\npetcheck.toml: 1 waiver renewed (BODY-1 on shop); 1 waiver kept\n")
    assert (
        '# why BODY-1\n[[waivers]]\nrequirement = "BODY-1"\ntarget = "shop"\nreason = "Release 12' in file.read_text()
    )


@pytest.mark.slow
def test_a_file_is_made_where_there_is_none(tmp_path: Path, broken: str) -> None:
    ran = petcheck(tmp_path, "--target", broken, *UPDATE, "-q")
    assert ran.code == 0
    assert ran.out.count("\n") == 1
    assert (tmp_path / "petcheck.toml").read_text().count('target = "target"') == 2


def test_a_link_stays_and_strict_still_counts(tmp_path: Path, broken: str) -> None:
    settings(tmp_path, broken).rename(tmp_path / "far.toml")
    (tmp_path / "petcheck.toml").symlink_to("far.toml")
    assert petcheck(tmp_path, *UPDATE, "--examples", "0", "--strict").code == 7
    assert (tmp_path / "petcheck.toml").is_symlink()
    assert (tmp_path / "far.toml").read_text().count("[[waivers]]") == 2


def test_a_run_that_is_cut_short_leaves_the_file(tmp_path: Path, broken: str) -> None:
    file = settings(tmp_path, broken)
    before = file.read_text()
    ran = petcheck(tmp_path, *UPDATE, "--examples", "0", "-x")
    assert ran.code == 1
    assert ran.out.endswith("\npetcheck.toml is unchanged, since the run was not complete\n")
    assert file.read_text() == before


def test_an_interrupted_run_leaves_the_file(tmp_path: Path) -> None:
    with peer(after(3, Caller.hang)) as up:
        file = settings(tmp_path, up.url)
        before = file.read_text()
        process = start(tmp_path, *UPDATE, *FEW)
        until(lambda: len(up.heads) > 3)
        process.send_signal(signal.SIGTERM)
        ran = ended(process, tmp_path)
    assert_interrupted(ran)
    assert file.read_text() == before


CHANGES: dict[str, tuple[Callable[[Path], object], str]] = {
    "a waiver": (
        lambda file: file.write_text(file.read_text().replace("known", "other")),
        "petcheck.toml: its waivers changed during the run; run again",
    ),
    "nonsense": (lambda file: file.write_text("["), "petcheck.toml: not TOML: "),
    "a folder": (
        lambda file: file.rename(file.with_name("away")).with_name("petcheck.toml").mkdir(),
        "petcheck.toml: cannot be read (Is a directory)",
    ),
}


@pytest.mark.parametrize("name", CHANGES)
def test_a_file_that_changes_during_the_run_is_left_alone(tmp_path: Path, name: str) -> None:
    change, said = CHANGES[name]
    file = tmp_path / "petcheck.toml"
    with peer(once(3, lambda: change(file))) as up:
        settings(tmp_path, up.url, "VERSION-1")
        ran = petcheck(tmp_path, *UPDATE, *FEW)
    assert ran.code == 3
    assert ran.last_line_of_trouble.startswith(f"petcheck: the waivers were not updated: {said}")
    assert "Release 12" not in (file.read_text() if file.is_file() else "")
    assert (ran.result.run.exit, ran.outcomes["VERSION-1"]) == (1, "pass")  # the waiver is stale


def test_the_waivers_of_other_targets_stay(tmp_path: Path, broken: str) -> None:
    file = settings(tmp_path, broken, "LIST-3")
    text = file.read_text().replace('target = "shop"', 'target = "other"')
    file.write_text('[targets.other]\nurl = "https://other.example/v1"\n' + text)
    ran = petcheck(tmp_path, "--target", f"shop={broken}", *UPDATE)
    assert ran.code == 0
    assert "2 waivers added" in ran.out
    assert 'requirement = "LIST-3"\ntarget = "other"' in file.read_text()


def test_gaps_stay_as_they_are(tmp_path: Path, broken: str) -> None:
    file = settings(tmp_path, broken)
    gap = '\n# why\n[[gap]]\nrequirement = "LIST-3"\n' + OLD
    file.write_text(file.read_text() + gap)
    ran = petcheck(tmp_path, "LIST-4", *UPDATE)
    assert (ran.code, ran.out.endswith("\npetcheck.toml: 1 waiver added (LIST-4 on shop)\n")) == (0, True), ran.out
    assert gap in file.read_text()
    settled = ran.result.run.settings
    assert settled is not None
    assert [(one.requirement, one.gap) for one in settled.waivers] == [("LIST-4", False), ("LIST-3", True)]
    stale = petcheck(tmp_path, "LIST-3", "LIST-4")
    assert stale.code == 1
    assert "The gap of LIST-3 on shop is stale: the requirement is examined now." in stale.out
