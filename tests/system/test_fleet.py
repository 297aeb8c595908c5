"""Many targets: each in a process and a folder of its own; shards in real processes; merge, verify and judge."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import ANY

import pytest

from petcheck.cli.main import main
from petcheck.evidence.verify import verify
from petcheck.reports.outputs import OUTPUTS
from petcheck.results.result import load, to_json
from petcheck.runner import fleet
from petcheck.runner.processes import Done, Processes, Task
from petcheck.stream.reading import RESULT_CAP
from petstore_reference.serve import running
from petstore_reference.server import ReferenceSettings, create_app
from tests.support import command
from tests.support.command import KEY, Ran, ended, environment
from tests.support.forked import petcheck, start
from tests.support.in_place import in_place
from tests.support.once import folder_made_once
from tests.support.peers import Caller, peer
from tests.support.signing import key_files
from tests.system.test_interruption import until

__all__ = ["in_place"]
EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "one-machine.sh"
FAULTS: dict[str, tuple[str, ...]] = {"c": ("default-limit-50",), "e": ("no-key-needed",)}
NAMES = ("a", "b", "c", "d", "e", "f")
CHOSEN = ("LIST-4", "AUTH-1", "GET-1", "GET-4")  # what fails, and what another day decides
FEW = ("-k", "test_9 or test_page_is", "--examples", "0")


@contextmanager
def servers(*names: str) -> Iterator[dict[str, str]]:
    """The URLs of reference servers, some of them with faults."""
    with ExitStack() as stack:
        apps = {
            name: create_app(ReferenceSettings(keys={KEY: "business"}, faults=FAULTS.get(name, ()))) for name in names
        }
        yield {name: f"{stack.enter_context(running(app))}/v1" for name, app in apps.items()}


def listed(folder: Path, urls: dict[str, str]) -> None:
    """Write a petcheck.toml with those targets."""
    folder.mkdir(parents=True, exist_ok=True)
    text = "".join(f'[targets.{name}]\nurl = "{url}"\n' for name, url in urls.items())
    (folder / "petcheck.toml").write_text(text)


@pytest.fixture(scope="module")
def made() -> Path:
    """A folder with the reports of one run of six targets, in `one`, and of the same run in three shards."""
    return folder_made_once("fleet", make)


def make(folder: Path) -> None:
    key_files(folder)
    with servers(*NAMES) as urls:
        listed(folder, urls)
        common = (*CHOSEN, "--seed", "3", "--examples", "0", "--as-of", "2026-11-21", "--sign-key", "key.pem")
        one = petcheck(folder, *common, "-n", "2", "--reports", "one")
        assert one.code == 1, one.out + one.err
        assert one.err == ""
        shards = [start(folder / str(n), *common, "--config", "../petcheck.toml", "--sign-key", "../key.pem",
                        "--shard", f"{n}/3", "--reports", f"../shard-{n}") for n in (1, 2, 3)]  # fmt: skip
        codes = [ended(shard, folder / str(n)).code for n, shard in enumerate(shards, 1)]
        assert codes == [0, 1, 1]
    (folder / "said").write_text(one.out)


@pytest.fixture
def folder(made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of that folder, which the test may spoil; it is the current one."""
    shutil.copytree(made, tmp_path / "copy")
    monkeypatch.chdir(tmp_path / "copy")
    return tmp_path / "copy"


def said(capsys: pytest.CaptureFixture[str], *argv: str) -> tuple[int, str]:
    """The exit code of a command that reads reports, and what it prints."""
    try:
        code = main(list(argv))
    except SystemExit as refused:
        code = int(str(refused.code))
    streams = capsys.readouterr()
    return code, streams.out + streams.err


def outputs_of(folder: Path) -> set[str]:
    """The files that a run in parts has by the table, and its manifest."""
    result = load(folder / "result.json")
    return {output.name for output in OUTPUTS if output.of(result)} | {"manifest.json"}


def without_times_and_ids(path: Path) -> Any:
    """A result without what differs from run to run."""
    document = to_json(load(path))
    for name in ("id", "started", "finished", "joined"):
        document["run"].pop(name)
    for name in ("reports", "config", "shard", "sign-key"):
        document["run"]["options"].pop(name, None)
    for check in document["checks"]:
        check.pop("duration_s")
    return document


# ---- one run


def test_each_target_has_a_folder_of_its_own_and_the_top_joins_them(made: Path) -> None:
    top = made / "one"
    found = {path.name for path in top.iterdir()}
    assert found == outputs_of(top) | {"attestation.json", "attestation.dsse.json", "targets"}
    assert not found & {"exchanges.har", "comparison.html"}
    assert sorted(path.name for path in (top / "targets").iterdir()) == list(NAMES)
    parts = [load(top / "targets" / name / "result.json") for name in NAMES]
    whole = load(top / "result.json")
    assert whole.requirements == tuple(row for part in parts for row in part.requirements)
    assert whole.checks == tuple(row for part in parts for row in part.checks)
    assert whole.observations == tuple(row for part in parts for row in part.observations)
    assert whole.targets == tuple(target for part in parts for target in part.targets)
    assert (whole.complete, whole.run.exit) == (True, 1)
    assert {row.target: row.id for row in whole.requirements if row.outcome == "fail"} == {"c": "LIST-4", "e": "AUTH-1"}
    assert (top / "targets" / "a" / "report.html").exists()
    assert not (top / "targets" / "a" / "pytest.html").exists()


def test_its_pages_lead_to_each_other_have_the_date_and_draw_each_target(made: Path) -> None:
    page = (made / "one" / "report.html").read_text("utf-8")
    started = load(made / "one" / "result.json").run.started
    assert f'<time datetime="{started}">{started[:10]} {started[11:16]}</time> UTC</p>' in page
    drawn = re.findall(r'<li><p><a href="targets/(\w)/report.html">\w</a></p><svg class="lanes"(.*?)</svg>', page)
    assert [name for name, _ in drawn] == ["c", "e", "a", "b", "d", "f"]  # those that fail first
    assert ["bar-fail" in picture for _, picture in drawn] == [True, True, False, False, False, False]
    for name in NAMES:
        part = (made / "one" / "targets" / name / "report.html").read_text("utf-8")
        assert '<a href="../../report.html">All targets of this run</a>' in part
        assert re.search(r'<p class="eyebrow">.*<time datetime="', part)


def test_what_it_says_is_one_line_and_then_what_fails(made: Path) -> None:
    lines = (made / "said").read_text().splitlines()
    assert "4 of 6 targets show no failure; 2 fail (c, e)." in lines
    assert "LIST-4 on 1 of 6 targets (c) · section 4.1" in lines
    page = (made / "one" / "report.html").read_text()
    assert all(f'<a href="targets/{name}/report.html">{name}</a>' in page for name in NAMES)
    assert "2 of 6 targets fail" in (made / "one" / "badge.json").read_text()


def test_quietly_it_is_one_line(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, text = said(capsys, "merge", "one", "-o", "again", "-q")
    assert (code, text.count("\n")) == (1, 1)
    assert text.startswith("4 of 6 targets show no failure; 2 fail (c, e). (")
    assert text.endswith("; seed 3) again/report.html\n")


def test_the_folder_proves_what_it_says(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, text = said(capsys, "verify", "one", "--public-key", "key.pub")
    assert code == 0
    assert text.startswith("proven: the verdicts in one follow from its recording, every file matches it, ")
    assert text.splitlines()[0].endswith("and the signature is that of the given key.")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("spoil", "lines"),
    [
        (
            lambda top: replace_in(top / "targets/c/result.json", '"outcome": "fail"', '"outcome": "pass"'),
            [
                "targets/c: result.json is not what the recording comes to",
                "targets/c: LIST-4: the result says pass, its recording fail",
            ],
        ),
        (
            lambda top: replace_in(top / "result.json", '"exit": 1', '"exit": 0'),
            [
                "result.json is not what the recording comes to",
            ],
        ),
        (
            lambda top: shutil.rmtree(top / "targets/f"),
            [
                "targets/f: one/targets/f/manifest.json cannot be read: No such file or directory",
            ],
        ),
        (
            lambda top: (top / "attestation.dsse.json").unlink(),
            ["it is not signed: there is no attestation.dsse.json"],
        ),
    ],
)
@pytest.mark.usefixtures("in_place")
def test_what_was_changed_is_named(
    folder: Path, capsys: pytest.CaptureFixture[str], spoil: Callable[[Path], object], lines: list[str]
) -> None:
    spoil(folder / "one")
    code, text = said(capsys, "verify", "one", "--public-key", "key.pub")
    assert code == 1
    assert text.startswith("not proven: one does not prove what it says.\n")
    for line in lines:
        assert f"\n  {line}" in text


def replace_in(path: Path, old: str, new: str) -> None:
    text = path.read_text("utf-8")
    assert old in text
    path.write_text(text.replace(old, new), "utf-8")


@pytest.mark.usefixtures("in_place")
def test_files_of_others_are_named_and_prove_nothing(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shutil.copytree(folder / "one" / "targets" / "a", folder / "one" / "targets" / "old")
    code, text = said(capsys, "verify", "one")
    assert code == 0
    assert "targets/old is not in the manifest and proves nothing" in text


def files_in(folder: Path) -> dict[str, bytes]:
    """Every file below a folder that its streams come to."""
    files = (path for path in folder.rglob("*") if path.is_file() and path.name != "attestation.dsse.json")
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


def test_it_is_judged_again_target_by_target(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, text = said(capsys, "judge", "one", "--reports", "again")
    assert code == 1
    assert text.startswith("judged from one: 6 targets, nothing was sent\nLIST-4 on 1 of 6 targets (c) · section 4.1\n")
    assert files_in(folder / "again") == files_in(folder / "one")
    for name in ("again", *(f"one/targets/{target}" for target in NAMES)):
        code, text = said(capsys, "verify", name)
        assert (code, text[:7]) == (0, "proven:")
    code, text = said(capsys, "judge", "one", "--as-of", "2030-12-05")
    assert code == 1
    assert "GET-4 on 6 of 6 targets (a, b, c, d, e, f) · section 4.3" in text


@pytest.mark.usefixtures("in_place")
def test_targets_of_fleets_are_compared_one_by_one(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert said(capsys, "compare", "one", "shard-1") == (
        4,
        "petcheck: compare: one has many targets; give the folder of one, one/targets/NAME\n",
    )
    assert said(capsys, "compare", "one/targets/a", "shard-1/targets/a")[0] == 0


# ---- shards


@pytest.mark.usefixtures("in_place")
def test_merged_shards_equal_one_run_but_for_times_and_ids(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, text = said(capsys, "merge", "shard-3", "shard-1", "shard-2", "-o", "merged")
    assert code == 1
    assert text.replace("merged", "one") == (folder / "said").read_text()
    one, merged = (without_times_and_ids(folder / name / "result.json") for name in ("one", "merged"))
    assert merged == one
    assert {path.relative_to(folder / "one") for path in (folder / "one").rglob("*")} - {
        Path("attestation.dsse.json")
    } == {path.relative_to(folder / "merged") for path in (folder / "merged").rglob("*")}
    joined = load(folder / "merged" / "result.json").run.joined
    assert [str(run.shard) for run in joined] == ["1/3", "2/3", "3/3"]


@pytest.mark.usefixtures("in_place")
def test_merged_shards_prove_what_they_say_and_keep_their_signatures(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert said(capsys, "merge", "shard-1", "shard-2", "shard-3", "-o", "merged", "--sign-key", "key.pem")[0] == 1
    code, text = said(capsys, "verify", "merged", "--public-key", "key.pub")
    assert (code, text[:7]) == (0, "proven:")


def test_a_shard_has_few_targets_and_shows_them_side_by_side(folder: Path) -> None:
    found = {path.name for path in (folder / "shard-1").iterdir()}
    assert found >= outputs_of(folder / "shard-1") | {"comparison.html", "targets"}
    assert not (folder / "shard-1" / "exchanges.har").exists()
    page = (folder / "shard-1" / "report.html").read_text()
    assert '<body class="several' in page
    assert page.count('<details class="entry">') == sum(
        target.requests.total for target in load(folder / "shard-1" / "result.json").targets
    )


@pytest.mark.usefixtures("in_place")
def test_a_shard_that_is_missing_is_told(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, text = said(capsys, "merge", "shard-1", "shard-3", "-o", "merged")
    assert code == 2
    assert "Shard 2/3 is missing; merge all shards." in " ".join(text.split())
    assert not load(folder / "merged" / "result.json").complete
    assert said(capsys, "verify", "merged")[0] == 0


REFUSED: dict[str, tuple[Callable[[Path], object], tuple[str, ...], str]] = {
    "twice": (
        lambda folder: shutil.copytree(folder / "shard-2", folder / "copy"),
        ("shard-1", "shard-2", "copy"),
        "shard 2/3 is given twice: shard-2 and copy; give it once",
    ),
    "same target": (
        lambda folder: None,
        ("one", "one/targets/c"),
        "c is in one and in one/targets/c; leave one of them out",
    ),
    "other verdicts": (
        lambda folder: replace_in(folder / "shard-2/targets/c/result.json", '"outcome": "fail"', '"outcome": "pass"'),
        ("one", "shard-2/targets/c"),
        "c is in one and in shard-2/targets/c; leave one of them out",
    ),
    "mixed": (
        lambda folder: None,
        ("shard-1", "one/targets/c"),
        "one/targets/c is not a shard, but others are; merge only the shards of one run",
    ),
    "other suite": (
        lambda folder: changed(folder / "shard-2", lambda head: head["suite"], "requirements_sha256"),
        ("shard-1", "shard-2"),
        "shard-1 and shard-2 were made by different suites (",
    ),
    "other day": (
        lambda folder: replace_in(folder / "shard-2/exchanges.jsonl", '"as_of": "2026-11-21"', '"as_of": "2026-11-22"'),
        ("shard-1", "shard-2"),
        "shard-1 and shard-2 were judged as on different days (2026-11-21 and 2026-11-22); give every run the same",
    ),
    "other options": (
        lambda folder: replace_in(folder / "shard-2/exchanges.jsonl", '"max_requests": 1200', '"max_requests": 12'),
        ("shard-1", "shard-2"),
        "shard-1 and shard-2 have different options or waivers; give every run the same ones",
    ),
    "spoiled": (
        lambda folder: replace_in(folder / "shard-2/targets/c/report.html", "<h1>", "<h1> "),
        ("shard-1", "shard-2"),
        "shard-2/targets/c/report.html is not the file that the manifest lists; give a folder as its run wrote it",
    ),
    "torn": (
        lambda folder: (folder / "shard-2/targets/c/exchanges.jsonl").unlink(),
        ("shard-1", "shard-2"),
        "shard-2/targets/c/exchanges.jsonl cannot be read: No such file or directory; give a whole folder of reports",
    ),
    "nothing": (
        lambda folder: (folder / "empty").mkdir(),
        ("shard-1", "empty"),
        "empty holds no recording: neither exchanges.jsonl nor exchanges.har",
    ),
    "none": (lambda folder: None, (), "name the folders of reports: petcheck merge shard-1/ shard-2/ -o reports/"),
}


def changed(folder: Path, part: Callable[[Any], Any], digest: str) -> None:
    """Give the head of a recording another digest in one part."""
    path = folder / "exchanges.jsonl"
    first, *others = path.read_text("utf-8").splitlines(keepends=True)
    document = json.loads(first)
    part(document["petcheck"])[digest] = "0" * 64
    path.write_text(json.dumps(document) + "\n" + "".join(others), "utf-8")


@pytest.mark.parametrize("name", REFUSED)
def test_folders_that_are_not_of_one_run_are_refused_in_one_line(
    folder: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    spoil, folders, line = REFUSED[name]
    spoil(folder)
    code, text = said(capsys, "merge", *folders, "-o", "merged")
    assert (code, text.count("\n")) == (4, 1)
    assert text.startswith(f"petcheck: merge: {line}")
    assert not (folder / "merged" / "result.json").exists()


@pytest.mark.parametrize(
    ("folders", "output", "holder"),
    [
        (("shard-2",), "shard-2", "shard-2"),
        (("one/targets/a", "one/targets/b"), "one", "one/targets/a"),
        (("shard-2", "shard-3"), "shard-2/targets/c", "shard-2/targets/c"),
        (("link/targets/a", "one/targets/b"), "one", "link/targets/a"),
        (("shard-2",), "linked", "shard-2/targets/c"),
    ],
    ids=["itself", "the run of its parts", "a part of it", "through a link", "through a link below"],
)
def test_nothing_is_merged_over_an_input(
    folders: tuple[str, ...], output: str, holder: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "link").symlink_to("one")
    (folder / "linked/targets").mkdir(parents=True)
    (folder / "linked/targets/c").symlink_to("../../shard-2/targets/c")
    before = files_in(folder)
    code, text = said(capsys, "merge", *folders, "-o", output)
    assert (code, text) == (
        4,
        f"petcheck: merge: {holder} holds an input of the command; give -o another folder\n",
    )
    assert files_in(folder) == before


@pytest.mark.usefixtures("in_place")
def test_shards_of_different_lists(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    changed(folder / "shard-2", lambda head: head["shard"], "list_sha256")
    assert said(capsys, "merge", "shard-1", "shard-2", "-o", "merged") == (
        4,
        "petcheck: merge: shard-1 and shard-2 have different lists of targets (1/3 and 2/3); "
        "give every shard the same list and the same number of shards\n",
    )


@pytest.mark.slow
def test_runs_that_are_no_shards_are_merged_too(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each by itself, and several with one recording, which is judged again for each of them."""
    with servers("x", "y", "z") as urls:
        named = [word for name in ("x", "y") for word in ("--target", f"{name}={urls[name]}")]
        both = petcheck(tmp_path / "both", *named, *FEW, "--seed", "5")
        alone = petcheck(tmp_path / "alone", "--target", f"z={urls['z']}", *FEW, "--seed", "6")
    assert (both.code, alone.code) == (0, 0)
    code, text = said(capsys, "merge", str(both.reports), str(alone.reports), "-o", "merged")
    assert code == 0, text
    assert [target.name for target in load(folder / "merged/result.json").targets] == ["x", "y", "z"]
    assert "seeds in each target's report" in text.replace("\n", " ")
    assert said(capsys, "verify", "merged")[0] == 0
    pages = {name: Path("merged", "targets", name, "report.html").read_text("utf-8") for name in "xyz"}
    # a run of one target is copied byte for byte, as its manifest proves it
    assert [name for name, page in pages.items() if '<a href="../../report.html">' in page] == ["x", "y"]
    top = Path("merged", "report.html").read_text("utf-8")
    assert re.findall(r'href="(targets/[^"]*)"', top) == [f"targets/{name}/report.html" for name in "xyz"]


@pytest.mark.slow
def test_the_example_for_one_machine(tmp_path: Path) -> None:
    """Real processes, as many at a time as it says, each with its shard."""
    with servers(*NAMES) as urls:
        listed(tmp_path, urls)
        ran = subprocess.run(
            ["sh", str(EXAMPLE), *FEW],
            cwd=tmp_path,
            env=environment()
            | {"SHARDS": "3", "JOBS": "2", "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"},
            capture_output=True,
            text=True,
            check=False,
            timeout=300,
        )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert "All 6 targets show no failure." in ran.stdout
    whole = load(tmp_path / "reports" / "result.json")
    assert [target.name for target in whole.targets] == list(NAMES)
    assert len({run.seed for run in whole.run.joined}) == 1
    assert sorted(path.name for path in tmp_path.iterdir()) == ["petcheck.toml", "reports"]


@pytest.mark.slow
def test_what_is_chosen_and_what_failed_last(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A choice is one for all targets; the last run is read from the folders of the targets."""
    with servers(*NAMES) as urls:
        listed(tmp_path, urls)
        chosen = petcheck(tmp_path, "LIST-4", "AUTH-1", "ORDERS-1", "--examples", "0")
        first = chosen.result
        top = tmp_path / "reports" / "result.json"
        with top.open("ab") as file:
            file.write(b" " * RESULT_CAP)  # as large as that of a thousand targets
        again = petcheck(tmp_path, "--failed", "--examples", "0")
    assert (chosen.code, again.code) == (1, 1), again.err
    for result, judged_ids in ((first, {"LIST-4", "AUTH-1", "ORDERS-1"}), (again.result, {"LIST-4", "AUTH-1"})):
        rows = result.requirements
        assert {(row.target, row.id) for row in rows if row.outcome == "fail"} == {("c", "LIST-4"), ("e", "AUTH-1")}
        assert {row.id for row in rows if row.outcome in ("pass", "fail")} == judged_ids
    assert said(capsys, "verify", str(tmp_path / "reports"))[0] == 0


def test_the_history_of_a_run_in_parts_is_read_from_its_parts(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, text = said(capsys, "history", "one", "--json")
    assert code == 0
    with Path("one/result.json").open("ab") as file:
        file.write(b" " * RESULT_CAP)
    assert said(capsys, "history", "one", "--json") == (0, text)
    Path("one/manifest.json").unlink()
    assert said(capsys, "history", "one", "--json") == (0, text), "the parts are in the folder"


# ---- trouble


def hanging(folder: Path, urls: dict[str, str], *arguments: str) -> Any:
    """A run of six targets, of which the first hangs, once all the others have ended."""
    listed(folder, urls)
    process = start(folder, *FEW, "--seed", "1", "-n", "2", "--timeout", "60", *arguments)
    until(lambda: len(list((folder / "reports" / "targets").glob("*/attestation.json"))) == 5)
    return process


def judged(ran: Ran) -> set[str]:
    return {row.target for row in ran.result.requirements if row.outcome == "pass"}


@pytest.mark.slow
def test_a_target_that_hangs_holds_up_no_other_and_a_signal_ends_it(tmp_path: Path) -> None:
    with peer(Caller.hang) as silent, servers(*NAMES[1:]) as urls:
        process = hanging(tmp_path, {"a": silent.url, **urls})
        os.kill(process.pid, signal.SIGTERM)
        ran = ended(process, tmp_path)
    assert ran.code == 2, ran.out + ran.err
    assert not ran.result.complete
    assert judged(ran) == set(NAMES[1:])
    assert ran.result.run.exit == 2
    ran.assert_reports()
    assert verify(ran.reports, None).wrong == ()


@pytest.mark.slow
def test_a_process_that_dies_loses_its_own_target_alone(tmp_path: Path) -> None:
    with peer(Caller.hang) as silent, servers(*NAMES[1:]) as urls:
        process = hanging(tmp_path, {"a": silent.url, **urls})
        until(lambda: silent.heads)
        until(lambda: len(judging_in(tmp_path, process.pid)) == 1)  # one of the others may not have ended yet
        (child,) = judging_in(tmp_path, process.pid)
        os.kill(child, signal.SIGKILL)
        ran = ended(process, tmp_path)
    assert ran.code == 3, ran.out + ran.err
    assert ran.err == "petcheck: a: the suite broke: its process died\n"
    assert judged(ran) == set(NAMES[1:])
    lost = [row for row in ran.result.requirements if row.target == "a" and row.in_force]
    assert {row.outcome for row in lost} == {"not-run"}
    assert {row.reason for row in lost} == {"No check of this requirement ran: its process died."}
    assert verify(ran.reports, None).wrong == ()


class Mute(Processes):
    """Runs tasks here, one after the other, and passes no value on, as if each process died after its last file."""

    def each(self, tasks: Iterable[Task[Any]]) -> Iterator[Done[Any]]:
        for task in tasks:
            task.function(*task.arguments, *task.more())
            yield Done(task.name, None)


@pytest.mark.slow
def test_a_process_that_dies_after_its_last_file_loses_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PETSTORE_API_KEY", KEY)
    monkeypatch.setattr(fleet, "Processes", Mute)
    with servers(*NAMES) as urls:
        listed(tmp_path, urls)
        assert said(capsys, *FEW, "--seed", "1") == (0, ANY)
    assert load(tmp_path / "reports/result.json").complete
    # what an earlier run left proves nothing of this one
    monkeypatch.setattr(fleet, "judge_target", lambda *_: None)
    listed(tmp_path, urls)
    assert said(capsys, *FEW, "--seed", "1")[0] == 3


def processes_in(folder: Path) -> dict[int, int]:
    """The processes that work in a folder, each with its parent; without one of Python's own that may linger."""
    found = {}
    for path in Path("/proc").iterdir():
        if path.name.isdecimal():
            try:
                if (path / "cwd").readlink() == folder and b"resource_tracker" not in (path / "cmdline").read_bytes():
                    found[int(path.name)] = int((path / "stat").read_text().rpartition(")")[2].split()[1])
            except OSError:
                continue
    return found


def judging_in(folder: Path, command: int) -> list[int]:
    """The processes that judge a target for a command: children of the one from which it forks them."""
    return [pid for pid, parent in processes_in(folder).items() if command not in (pid, parent)]


@pytest.mark.slow
def test_when_the_command_is_killed_its_processes_end_too(tmp_path: Path) -> None:
    with peer(Caller.hang) as silent, servers(*NAMES[1:]) as urls:
        process = hanging(tmp_path, {"a": silent.url, **urls})
        until(lambda: silent.heads)
        process.kill()
        until(lambda: not processes_in(tmp_path))
    assert not (tmp_path / "reports" / "result.json").exists()
    assert load(tmp_path / "reports/targets/b/result.json").complete
    assert not load(tmp_path / "reports/targets/a/result.json").complete
    assert [name for name in NAMES if verify(tmp_path / "reports/targets" / name, None).wrong] == []


# what joins the reports is written slowly; the file `writing` shows that it has begun
SLOW_DISK = """
import os, pathlib, runpy, time
fsync = os.fsync
def slow(descriptor):
    if not pathlib.Path("writing").exists():
        pathlib.Path("writing").touch()
        time.sleep(3)
    fsync(descriptor)
os.fsync = slow
runpy.run_module("petcheck", run_name="__main__", alter_sys=True)
"""


@pytest.mark.slow
def test_a_signal_while_the_joined_reports_are_written_does_not_lose_them(tmp_path: Path) -> None:
    (tmp_path / "slowly.py").write_text(SLOW_DISK)
    with servers(*NAMES[:5]) as urls:
        listed(tmp_path, urls)
        process = command.start(tmp_path, *FEW, "-n", "2", program="slowly")
        until((tmp_path / "writing").exists)
        process.send_signal(signal.SIGINT)
        ran = ended(process, tmp_path)
    assert ran.code == 0, ran.out + ran.err
    ran.assert_reports()
    assert len(ran.result.targets) == 5


@pytest.mark.slow
def test_after_the_first_failure_no_further_target_is_begun(tmp_path: Path) -> None:
    with servers(*NAMES) as urls:
        listed(tmp_path, {name: urls[name] for name in ("c", "a", "b", "d", "e", "f")})
        ran = petcheck(tmp_path, "--examples", "0", "-k", "4_1", "-x", "--seed", "1")
    assert ran.code == 1, ran.out + ran.err
    assert [target.name for target in ran.result.targets] == ["c"]
    assert not ran.result.complete


@pytest.mark.slow
def test_targets_that_cannot_be_reached_are_told_together(tmp_path: Path) -> None:
    listed(tmp_path, dict.fromkeys(NAMES, "http://127.0.0.1:9/v1"))
    ran = petcheck(tmp_path, *FEW)
    assert ran.code == 6, ran.out + ran.err
    assert "Of 6 targets 6 could not be tested (a, b, c, d, e" in ran.out
    assert ran.out.count("does not answer") == 1
    assert "6 targets could not be tested" in ran.out


@pytest.mark.slow
def test_a_folder_with_files_of_others_is_left_alone(tmp_path: Path) -> None:
    part = tmp_path / "reports" / "targets" / "b"
    part.mkdir(parents=True)
    (part / "report.html").write_text("mine")
    with servers(*NAMES) as urls:
        listed(tmp_path, urls)
        ran = petcheck(tmp_path, *FEW)
    assert ran.code == 3
    assert ran.err.startswith("petcheck: b: reports/targets/b holds files that petcheck has not written")
    assert (part / "report.html").read_text() == "mine"
    assert [target.name for target in ran.result.targets] == ["a", "c", "d", "e", "f"]


@pytest.mark.slow
def test_reports_of_a_run_of_one_recording_do_not_stay(tmp_path: Path) -> None:
    with servers(*NAMES) as urls:
        petcheck(tmp_path, "--target", f"a={urls['a']}", "--target", f"b={urls['b']}", *FEW)
        assert (tmp_path / "reports" / "exchanges.jsonl").exists()
        listed(tmp_path, urls)
        petcheck(tmp_path, *FEW)
    left = {path.name for path in (tmp_path / "reports").iterdir()}
    assert left == outputs_of(tmp_path / "reports") | {"attestation.json", "targets"}


@pytest.mark.slow
def test_nothing_is_sent_by_a_dry_run_and_pytest_leaves_fleets_to_petcheck(tmp_path: Path) -> None:
    listed(tmp_path, {name: f"https://{name}.example/v1" for name in NAMES})
    ran = petcheck(tmp_path, "--dry-run")
    assert ran.code == 0
    assert ran.out.count("nothing was sent") == 6
    done = subprocess.run(
        [sys.executable, "-m", "pytest", str(EXAMPLE.parents[1] / "checks"), "-q", "-p", "no:cacheprovider"],
        cwd=tmp_path, env=environment(), capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 4
    assert "pytest judges at most 4 targets, and no shards; run `petcheck` instead" in done.stdout + done.stderr
