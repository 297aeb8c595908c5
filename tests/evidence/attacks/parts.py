"""The folder of a run in parts is edited."""
# ruff: noqa: E501 - one line for each

from __future__ import annotations

import shutil
from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path
from typing import Any

from tests.evidence.attacks.files import replaced
from tests.evidence.attacks.rows import Row
from tests.evidence.forging import (
    ENVELOPE,
    MANIFEST,
    RESULT,
    SETTINGS,
    STREAM,
    Edit,
    both,
    gone,
    head,
    in_json,
    in_part,
    in_stream,
    in_text,
    line,
    list_again,
    made_up,
    of_target,
    put,
    write,
)
from tests.support import samples, streams


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


def relabelled(folder: Path) -> None:
    """The recording of a target under another one's name, with every file made from it."""
    write(of_target("b", part=True, recorded_with="a"), folder / "targets" / "b")
    list_again(folder)


ACCEPTED = {"waivers": {"waivers": [{"requirement": "LIST-3", "target": "b", "reason": "ok", "expires": "2099-01-01"}]}}
BUDGET = replace(streams.SETTINGS, max_requests=9)
WAIVED = replace(streams.SETTINGS, waivers=SETTINGS.waivers)
LATER = samples.START + timedelta(days=1)

PARTS: list[Row] = [
    ("a target not listed", "fleet", unlisted, "manifest.json lists other targets than exchanges.jsonl"),
    ("a target listed twice", "fleet", listed_twice, MANIFEST),
    ("a target not listed, nor in the head", "fleet", both(unlisted, in_stream(lambda lines: head(lines)["targets"].pop(0), listed=True)), "result.json is not what"),
    ("no target listed", "fleet", in_json(MANIFEST, lambda one: put(one, files={name: entry for name, entry in one["files"].items() if not name.startswith("targets/")})), "not proven"),
    ("another's part under its name", "fleet", conforming, "targets/a: it is of other targets than the run"),
    ("another's recording under its name and URL", "fleet", relabelled, "targets/b has the exchanges of a"),
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
    ("an edited page of a part", "fleet", in_part("c", in_text("report.html", "fail", "pass")), "targets/c: report.html is not what"),
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
