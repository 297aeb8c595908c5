"""Anybody's traffic: what it shows is judged, what it does not show is inconclusive, no recorder's slip is a fault."""

from __future__ import annotations

import base64
import copy
import json
import re
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from petcheck.cli.main import main
from petcheck.errors import ConfigError, NotARun
from petcheck.judging import traffic
from petcheck.results.result import Result
from petcheck.runner.written import judged_again
from tests.support.foreign import entries, har_of, judged, outcomes, stream_in
from tests.support.forked import petcheck
from tests.support.once import made_once
from tests.support.trial import KEY, Hurried, Trial, judge_in_place, server

Entry = dict[str, Any]


@pytest.fixture(scope="module")
def obeying() -> list[Entry]:
    """Traffic with a server that obeys."""
    return recorded()


def recorded(*faults: str, variations: tuple[str, ...] = (), keys: bool = True, examples: str = "0") -> list[Entry]:
    return entries(sent(*faults, variations=variations, examples=examples).exchanges, keys=keys)


@made_once
def sent(*faults: str, variations: tuple[str, ...] = (), examples: str = "0") -> Trial:
    clock = Hurried(50)
    with server(faults=faults, variations=variations, clock=clock) as url:
        options = ("--allow-writes", "--max-wait", "200", "--examples", examples)
        return judge_in_place(url, *options, clock=clock, seed=7)


def with_outcomes(result: Result) -> dict[str, set[str]]:
    """The requirements with each outcome."""
    found: dict[str, set[str]] = {}
    for name, outcome in outcomes(result).items():
        found.setdefault(outcome, set()).add(name)
    return found


def fails(document: Any, folder: Path, **options: Any) -> set[str]:
    return {name for name, outcome in outcomes(judged(document, folder, **options)).items() if outcome == "fail"}


def test_a_server_that_obeys_fails_nothing_and_passes_what_was_shown(obeying: list[Entry], tmp_path: Path) -> None:
    found = outcomes(judged(har_of(obeying), tmp_path, plan="pro"))
    assert sum(outcome == "pass" for outcome in found.values()) > 40
    assert "fail" not in found.values()
    assert (found["AUTH-1"], found["AUTH-7"], found["RATE-6"]) == ("pass", "pass", "inconclusive")


def test_reports_of_another_program_are_not_overwritten(obeying: list[Entry], tmp_path: Path) -> None:
    reports = tmp_path / "reports"
    reports.mkdir()
    (reports / "junit.xml").write_text("of another program")
    with pytest.raises(ConfigError, match=r"holds files that petcheck has not written and would overwrite \(junit"):
        judged_again(stream_in(har_of(obeying), tmp_path), reports)
    assert [path.name for path in reports.iterdir()] == ["junit.xml"]
    for _ in range(2):
        assert judged_again(stream_in(har_of(obeying), tmp_path), tmp_path / "own").trouble == []


def test_without_keys_section_5_is_inconclusive(tmp_path: Path) -> None:
    rows = {row.id: row for row in judged(har_of(recorded(keys=False)), tmp_path).requirements}
    assert {row.outcome for row in rows.values() if row.section == "5"} == {"inconclusive"}
    assert rows["AUTH-1"].reason.startswith("The recording has no Authorization header")
    assert rows["LIST-1"].outcome == "pass"
    assert "fail" not in {row.outcome for row in rows.values()}


@pytest.mark.parametrize(
    ("fault", "requirement"),
    [
        ("default-limit-50", "LIST-4"),
        ("no-key-needed@listPets", "AUTH-1"),
        pytest.param("id-text@getPet", "PET-1", marks=pytest.mark.slow),
    ],
)
def test_what_one_exchange_shows_is_found(fault: str, requirement: str, tmp_path: Path) -> None:
    from petstore_reference.faults import FAULTS

    if fault not in FAULTS:
        pytest.skip(f"the reference server has no fault {fault}")
    assert fails(har_of(recorded(fault)), tmp_path) == {requirement}


def test_nothing_that_was_shown_too_little_passes(obeying: list[Entry], tmp_path: Path) -> None:
    only = next(entry for entry in obeying if entry["request"]["url"].endswith("/v1/pets"))
    found = outcomes(judged(har_of([only]), tmp_path))
    assert "fail" not in found.values()
    assert (found["LIST-1"], found["CREATE-1"], found["GET-1"]) == ("pass", "inconclusive", "inconclusive")


# ---- sloppy recorders


def each(change: Callable[[Entry], object]) -> Callable[[list[Entry]], list[Entry]]:
    def changed(rows: list[Entry]) -> list[Entry]:
        for row in rows:
            change(row)
        return rows

    return changed


def set_in(path: str, value: Any) -> Callable[[Entry], None]:
    def put(entry: Entry) -> None:
        *steps, last = path.split("/")
        inner = entry
        for step in steps:
            inner = inner[step]
        inner[last] = value

    return put


def pop_in(path: str) -> Callable[[Entry], None]:
    def take(entry: Entry) -> None:
        first, _, last = path.rpartition("/")
        (entry[first] if first else entry).pop(last, None)

    return take


def in_base64(entry: Entry) -> None:
    content = entry["response"]["content"]
    if "text" in content and content.get("encoding") != "base64":
        content |= {"text": base64.b64encode(content["text"].encode()).decode(), "encoding": "base64"}


def cut(entry: Entry) -> None:
    content = entry["response"]["content"]
    content["text"] = content.get("text", "")[:-10]


def without_length(entry: Entry) -> None:
    headers = entry["request"]["headers"]
    entry["request"]["headers"] = [row for row in headers if row["name"] != "Content-Length"]


def without_posted(entry: Entry) -> None:
    without_length(entry)
    entry["request"].pop("postData", None)
    entry["request"]["bodySize"] = -1


def cut_posted(entry: Entry) -> None:
    without_length(entry)
    posted = entry["request"].get("postData", {})
    posted["text"] = posted.get("text", "")[:-5]
    entry["request"]["bodySize"] = 0


def cut_without_sizes(entry: Entry) -> None:
    cut(entry)
    entry["response"]["content"].pop("size", None)


SLIPS: dict[str, Callable[[list[Entry]], list[Any]]] = {
    "aborted": each(set_in("response/status", -1)),
    "no answer": each(pop_in("response")),
    "bodies left out": each(set_in("response/content/text", "")),
    "bodies cut": each(cut),
    "bodies in base64": each(in_base64),
    "methods in lower case": each(lambda entry: entry["request"].update(method=entry["request"]["method"].lower())),
    "headers without a value": each(lambda entry: entry["request"]["headers"].append({"name": "x-empty"})),
    "times in seconds": each(lambda entry: entry.update(time=entry["time"] / 1000)),
    "times in microseconds": each(lambda entry: entry.update(time=entry["time"] * 1000)),
    "no times": each(pop_in("time")),
    "negative times": each(set_in("time", -1)),
    "no starts": each(pop_in("startedDateTime")),
    "starts of no meaning": each(set_in("startedDateTime", "yesterday")),
    "from a cache": each(set_in("_fromCache", "disk")),
    "backwards": lambda rows: rows[::-1],
    "in parallel": each(set_in("startedDateTime", "2026-11-21T12:00:00.000Z")),
    "posted bodies left out": each(lambda entry: entry["request"].get("postData", {}).update(text="")),
    "posted bodies not mentioned": each(without_posted),
    "posted bodies cut": each(cut_posted),
    "bodies cut, sizes unknown": each(cut_without_sizes),
    "bodies emptied, sizes of 0": each(lambda entry: entry["response"].update(content={"size": 0, "text": ""})),
    "answered not modified": each(set_in("response/status", 304)),
    "statuses as fractions": each(lambda entry: entry["response"].update(status=float(entry["response"]["status"]))),
    "behind a proxy": each(
        lambda entry: entry["request"].update(url=re.sub("http://.*?/v1/", "https://proxy/x/", entry["request"]["url"]))
    ),
    "no headers of answers": each(set_in("response/headers", [])),
    "a gateway's trouble": lambda rows: [
        *rows,
        *(json.loads(json.dumps(row)) | {"response": row["response"] | {"status": 502}} for row in rows[:9]),
    ],
    "entries of another kind": lambda rows: [None, 1, "x", [], {}, {"request": 1}, {"request": {"url": []}}, *rows],
    "texts of another type": lambda rows: [
        {"request": {"method": 1, "url": 2, "headers": 3}, "response": {"status": "200", "headers": [1, {}]}},
        *rows,
    ],
}


@pytest.mark.parametrize("slip", SLIPS)
def test_no_slip_of_a_recorder_is_a_fault(slip: str, obeying: list[Entry], tmp_path: Path) -> None:
    shown = {"VERSION-1"} if slip == "behind a proxy" else set()
    assert fails(har_of(SLIPS[slip](copy.deepcopy(obeying))), tmp_path) == shown


@pytest.mark.parametrize(
    "variation",
    [
        *("cache-per-url", "others-add"),
        *(pytest.param(name, marks=pytest.mark.slow) for name in ("one-backend-down", "clock-behind")),
    ],
)
@pytest.mark.parametrize("keys", [True, pytest.param(False, marks=pytest.mark.slow)])
@pytest.mark.parametrize("examples", ["0", pytest.param("40", marks=pytest.mark.slow)])
def test_conforming_servers_raise_no_alarm(variation: str, keys: bool, examples: str, tmp_path: Path) -> None:
    assert fails(har_of(recorded(variations=(variation,), keys=keys, examples=examples)), tmp_path) == set()


# ---- which key, which server


def with_key(entry: Entry, token: str | None) -> Entry:
    entry = copy.deepcopy(entry)
    kept = [row for row in entry["request"]["headers"] if row["name"].lower() != "authorization"]
    shown = [{"name": "Authorization", "value": f"Bearer {token}"}] if token is not None else []
    entry["request"]["headers"] = kept + shown
    return entry


def test_a_token_that_only_ever_got_401_is_of_unknown_validity(obeying: list[Entry], tmp_path: Path) -> None:
    refused = next(entry for entry in obeying if entry["response"]["status"] == 401)
    served = next(entry for entry in obeying if entry["response"]["status"] == 200)
    rows = [served, with_key(refused, "unknown-token-1")]
    assert outcomes(judged(har_of(rows), tmp_path))["AUTH-2"] == "inconclusive"
    assert outcomes(judged(har_of([served, with_key(refused, None)]), tmp_path))["LIST-1"] == "pass"


@pytest.mark.parametrize(("took", "fails_it"), [(400, True), (1500, False)])
def test_a_401_counts_only_between_answers_that_accept_the_key(
    took: int, fails_it: bool, obeying: list[Entry], tmp_path: Path
) -> None:
    """The first request was accepted before the 401 was sent, or perhaps only after: the key may be new."""
    served = next(entry for entry in obeying if entry["response"]["status"] == 200)
    refused = with_key(next(entry for entry in obeying if entry["response"]["status"] == 401), KEY)
    rows = [copy.deepcopy(entry) for entry in (served, refused, served)]
    for second, (entry, time) in enumerate(zip(rows, (took, 400, 400), strict=True)):
        entry.update(startedDateTime=f"2026-11-21T12:00:0{second}.000Z", time=time)
        # with one Date, the third would be the first once more
        headers = entry["response"]["headers"]
        entry["response"]["headers"] = [one for one in headers if one["name"].lower() != "date"]
    assert ("AUTH-7" in fails(har_of(rows), tmp_path)) == fails_it


def test_where_every_key_is_refused_nothing_is_judged(obeying: list[Entry], tmp_path: Path) -> None:
    refused = [with_key(entry, "expired-token") for entry in obeying if entry["response"]["status"] == 401]
    result = judged(har_of(refused), tmp_path)
    assert result.run.exit == 6
    assert set(outcomes(result).values()) <= {"error", "not-run"}


def test_our_own_word_is_not_believed_against_a_header(obeying: list[Entry], tmp_path: Path) -> None:
    served = copy.deepcopy(next(entry for entry in obeying if entry["response"]["status"] == 200))
    served["_petcheck"] = {"credential": "no key"}
    assert outcomes(judged(har_of([served]), tmp_path))["AUTH-1"] == "inconclusive"
    masked = with_key(served, "[redacted]")
    masked["_petcheck"] = {"credential": "an empty token"}
    assert outcomes(judged(har_of([masked]), tmp_path))["AUTH-3"] in ("fail", "inconclusive")


def elsewhere(entry: Entry, host: str) -> Entry:
    entry = copy.deepcopy(entry)
    entry["request"]["url"] = f"https://{host}/v1/" + entry["request"]["url"].partition("/v1/")[2]
    return entry


@pytest.mark.parametrize("secret", ["k\udcff\udcfe-abcdefgh", "Bearer k-abcdefgh", "name"])
def test_the_key_that_judge_takes_is_checked_as_for_a_run(
    secret: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "x.har").write_text(json.dumps(har_of([])))
    monkeypatch.setenv("PETSTORE_API_KEY", secret)
    with pytest.raises(SystemExit) as ended:
        main(["judge", str(tmp_path / "x.har")])
    said = capsys.readouterr().err
    assert (ended.value.code, said.count("\n")) == (4, 1)
    assert said.startswith("petcheck: judge: PETSTORE_API_KEY")


def test_several_base_urls_are_named_and_one_is_chosen(
    obeying: list[Entry], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [*obeying, *(elsewhere(entry, "other.example") for entry in obeying)]
    with pytest.raises(
        NotARun, match=r"has several base URLs: http://127.*, https://other\.example/v1; choose one with"
    ):
        judged(har_of(rows), tmp_path)
    result = judged(har_of(rows), tmp_path, base_url="https://other.example/v1")
    assert result.targets[0].base_url == "https://other.example/v1"
    assert result.targets[0].requests.total == len(obeying)
    path = str(tmp_path / "traffic.har")
    with pytest.raises(SystemExit) as ended:
        main(["judge", path])
    assert ended.value.code == 4
    assert capsys.readouterr().err.count("\n") == 1


def test_two_hars_are_judged_and_compared(
    obeying: list[Entry], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, rows in (("a", obeying), ("b", recorded("default-limit-50"))):
        (tmp_path / f"{name}.har").write_text(json.dumps(har_of(rows)))
    assert main(["judge", str(tmp_path / "a.har"), str(tmp_path / "b.har"), "--reports", str(tmp_path / "out")]) == 1
    said = capsys.readouterr().out
    assert said.count("are exchanges with the four operations") == 2
    assert "LIST-4" in said
    assert (tmp_path / "out" / "comparison.html").exists()
    assert main(["verify", str(tmp_path / "out" / "2")]) == 0


def test_nothing_of_the_four_operations_is_exit_5(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "x.har").write_text(json.dumps(har_of([])))
    assert main(["judge", str(tmp_path / "x.har")]) == 5
    assert capsys.readouterr().out.endswith("x.har: 0 of 0 entries are exchanges with the four operations\n")


# ---- secrets and hostile files


def test_no_secret_of_any_host_is_written(obeying: list[Entry], tmp_path: Path) -> None:
    other = elsewhere(obeying[0], "bank.example")
    other["request"]["url"] = "https://ann:canary-password@bank.example/login?access_token=canary-query-token"
    other["request"]["headers"] = [
        {"name": "Authorization", "value": "Bearer canary-other-token"},
        {"name": "Cookie", "value": "a=1; sid=canary-cookie-value"},
    ]
    other["request"]["postData"] = {"mimeType": "application/json", "text": '{"password": "canary-in-json"}'}
    rows = copy.deepcopy(obeying)
    served = next(row for row in rows if row["response"]["status"] == 200)
    served["response"]["headers"] += [
        {"name": "Set-Cookie", "value": "sid=canary-set-cookie; Path=/"},
        {"name": "X-Echo", "value": f"canary-cookie-value {KEY} canary-in-json canary-other-token"},
    ]
    served["request"]["url"] += "?session=canary-query-token"
    folder = tmp_path / "out"
    folder.mkdir()
    assert judged_again(stream_in(har_of([*rows, other]), tmp_path), folder).trouble == []
    files = {path.name: path.read_bytes() for path in folder.iterdir()}
    assert {"manifest.json", "attestation.json", "exchanges.har", "report.html"} <= files.keys()
    canaries = (b"canary-", KEY.encode(), base64.b64encode(KEY.encode())[:20])
    assert [(name, canary) for name, content in files.items() for canary in canaries if canary in content] == []


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "is not whole JSON"),
        ("<html>", "is not whole JSON"),
        ('{"log": 1}', "is not whole JSON"),
        ("{}", "is not a HAR"),
        ('{"log": {"entries": [' + "[" * 50_000, "is not whole JSON"),
        ('{"log": {"_petcheck": [1], "entries": []}}', "it has what petcheck does not write"),
        ('{"log": {"_petcheck": [], "entries": []}}', "it has what petcheck does not write"),
        ('{"log": {"_petcheck": [], "entries": [{}]}}', "petcheck writes no such line"),
    ],
)
def test_what_is_no_recording_is_refused_in_one_line(
    text: str, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "x.har").write_text(text)
    with pytest.raises(SystemExit) as ended:
        main(["judge", str(tmp_path / "x.har")])
    assert ended.value.code == 4
    err = capsys.readouterr().err
    assert said in err
    assert err.count("\n") == 1


@pytest.mark.slow
def test_a_har_of_a_hundred_megabytes_is_read_in_little_memory(obeying: list[Entry], tmp_path: Path) -> None:
    script = elsewhere(obeying[0], "shop.example")
    script["request"]["url"] = "https://shop.example/shop.js"
    script["response"]["content"] = {"size": 300_000, "mimeType": "text/javascript", "text": "x" * 300_000}
    with (tmp_path / "x.har").open("w") as file:
        file.write('{"log": {"entries": [')
        for entry in obeying:
            file.write(json.dumps(entry) + "," + (json.dumps(script) + ",") * 6)
        file.write("null]}}")
    assert (tmp_path / "x.har").stat().st_size > 100_000_000
    ran = petcheck(tmp_path, "judge", "x.har")
    assert (ran.code, ran.err) == (0, "")
    assert f"{len(obeying)} of {7 * len(obeying) + 1} entries are exchanges with the four operations" in ran.out
    assert ran.peak_mb < 200


@pytest.mark.slow
def test_a_har_of_pages_is_judged_in_little_memory(obeying: list[Entry], tmp_path: Path) -> None:
    """What a piece of the recording was parsed into does not stay in memory."""
    page = copy.deepcopy(next(entry for entry in obeying if entry["request"]["url"].endswith("pets?limit=100")))
    text = json.dumps([{"id": number, "name": "Rex " * 20, "categoryId": 3} for number in range(100)])
    page["response"]["content"] |= {"text": text, "size": len(text)}
    changing = ("Content-Length", "Date")  # by its Date, an exchange is known to be recorded twice
    page["response"]["headers"] = [row for row in page["response"]["headers"] if row["name"] not in changing]
    page.pop("_petcheck", None)
    begin = datetime.fromisoformat(page["startedDateTime"])
    with (tmp_path / "x.har").open("w") as file:
        file.write('{"log": {"entries": [')
        for number in range(3_000):
            page["startedDateTime"] = (begin + timedelta(seconds=number)).isoformat()
            file.write(json.dumps(page) + ",")
        file.write("null]}}")
    assert (tmp_path / "x.har").stat().st_size > 30_000_000
    ran = petcheck(tmp_path, "judge", "x.har")
    assert "x.har: 3,000 of 3,001 entries are exchanges with the four operations" in ran.out
    assert ran.peak_mb < 160


def test_a_long_record_is_judged_in_pieces(
    obeying: list[Entry], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = copy.deepcopy(next(entry for entry in obeying if entry["request"]["url"].endswith("/v1/pets")))
    broken["response"]["content"] |= {"text": "{}", "size": 2}
    broken["response"]["headers"] = [row for row in broken["response"]["headers"] if row["name"] != "Content-Length"]
    rows = [*obeying, broken]
    whole = with_outcomes(judged(har_of(rows), tmp_path))
    monkeypatch.setattr(traffic, "_PIECE", 25)
    monkeypatch.setattr(traffic, "_PIECE_BYTES", 100_000)
    pieces = with_outcomes(judged(har_of(rows), tmp_path))
    assert pieces["fail"] == whole["fail"] == {"PETS-1"}
    assert 20 < len(pieces["pass"]) < len(whole["pass"])
