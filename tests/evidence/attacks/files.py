"""Files beside the stream are edited, and the manifest lists them as they are; or they are no files, or not JSON."""
# ruff: noqa: E501 - one line for each

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.evidence.attacks.rows import ANOTHER, Row
from tests.evidence.forging import (
    ENVELOPE,
    MANIFEST,
    NO_FILES,
    RESULT,
    STATEMENT,
    STREAM,
    Edit,
    fifo,
    in_bytes,
    in_json,
    in_part,
    in_text,
    put,
)

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
