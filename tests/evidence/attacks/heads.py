"""The head of the stream is edited, or another line that is no exchange: alone, or with every file made again."""
# ruff: noqa: E501 - one line for each

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

from tests.evidence.attacks.rows import ANOTHER, CONTRADICTS, Row
from tests.evidence.forging import ENVELOPE, STREAM, Edit, both, head, in_bytes, in_stream, in_text, line, made_up, put
from tests.support import streams

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


# ---- a run that cannot have been, and every file made from it

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
    "connections": "4",
    "strict": True,
    "label": ["build=9"],
    "choose": ["CREATE"],
    "target": ["https://other.example/v1"],
    "populate": "x",
}


REVISED: dict[str, Any] = {"waivers": {"waivers": []}}
WAIVER = {"requirement": "LIST-3", "target": "staging", "reason": "agreed", "expires": "2099-01-01"}
GIVEN = {"reports": "a\nproven: all", "sign-key": None, "insecure-http": "x", "strict": "yes", "header": 7}
SET = {
    "populate": -1,
    "connections": 0,
    "examples": -4,
    "min_examined": "900%",
    "labels": [{"name": "a", "value": "x\x1b[1m\nproven"}],
    "subjects": [{"name": "a\nb", "sha256": "e" * 64}],
    "max_wait": -5.0,
}
OF_TARGET = {"plan": "platinum", "category_id": 2**70, "headers": ["X"]}


PLANS = "staging plans what petcheck does not plan"


def relabelled(folder: Path) -> None:
    """What staging answered as what production answered, too."""

    def edit(lines: list[Any]) -> None:
        mine = [one for one in lines[1:] if '"staging"' in json.dumps(one)]
        others = json.loads(json.dumps(mine).replace("staging", "production"))
        lines[1:-1] = [*mine, *others]

    made_up(edit)(folder)


def renamed(old: str, new: str) -> Edit:
    """Another name of a check, wherever it stands."""
    return in_text(STREAM, old, new, everywhere=True, made=True)


def option(name: str, value: object) -> Edit:
    return made_up(lambda lines: put(head(lines)["options"], **{name: value}))


def setting(name: str, value: object) -> Edit:
    return in_stream(lambda lines: put(head(lines)["settings"], **{name: value}), listed=True)


def of_the_target(name: str, value: object) -> Edit:
    return in_stream(lambda lines: put(head(lines)["targets"][0], **{name: value}), listed=True)


def at_url(url: str) -> Edit:
    """The same run with another base URL, in every line."""
    return made_up(
        lambda lines: lines.__setitem__(
            slice(None), json.loads(json.dumps(lines).replace(json.dumps(streams.BASE)[1:-1], json.dumps(url)[1:-1]))
        )
    )


LINES: list[Row] = [
    ("before the run", "one", made_up(lambda lines: put(head(lines), started="2026-11-22T10:03:12.123Z")), "was sent before the run began"),
    ("after the run", "one", made_up(lambda lines: put(line(lines, "end"), finished="2026-11-21T08:03:12.123Z")), "was answered after the run had ended"),
    ("the end of time", "one", made_up(lambda lines: put(line(lines, "end"), finished="9999-12-31T23:59:59.999Z")), "not proven"),
    ("POST without permission", "pair", made_up(lambda lines: [put(one, writes=False) for one in head(lines)["targets"]]), "a POST to a target that may only be read"),
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
    ("a check of another requirement", "one", made_up(lambda lines: put(line(lines, "planned")["checks"][0], requirements=["LIST-3"])), PLANS),
    ("a check of no requirement", "one", made_up(lambda lines: line(lines, "planned")["checks"][0].pop("requirements")), PLANS),
    ("a check of one requirement more", "one", made_up(lambda lines: put(line(lines, "planned")["checks"][0], requirements=["PETS-1", "LIST-3"])), PLANS),
    ("a check that is said to be on top", "one", made_up(lambda lines: put(line(lines, "planned")["checks"][0], on_top=True)), PLANS),
    ("a check that petcheck does not have", "one", renamed("test_list_is_a_bare_array", "test_all_is_well"), PLANS),
    ("a check of another file", "one", renamed("checks/test_2", "checks/test_1"), PLANS),
    ("a check of another target", "one", renamed("bare_array[staging]", "bare_array[production]"), PLANS),
    ("a check twice in the plan", "one", made_up(lambda lines: line(lines, "planned")["checks"].append(line(lines, "planned")["checks"][0])), PLANS),
    ("a plan narrowed without a word", "one", made_up(lambda lines: head(lines)["options"].clear()), "staging lacks checks, and nothing says why"),
    ("a target never opened", "one", made_up(lambda lines: [head(lines)["options"].clear(), lines.__setitem__(slice(1, -1), [])]), "was never opened"),
    ("answers of a target that is gone", "one", made_up(lambda lines: lines.insert(3, {"gone": {"target": "staging", "reason": "down"}})), CONTRADICTS),
    ("gone before it was opened", "one", made_up(lambda lines: lines.insert(1, {"gone": {"target": "staging", "reason": "down"}})), CONTRADICTS),
    ("a run relabelled as traffic", "one", made_up(lambda lines: put(head(lines)["settings"], traffic=True)), "not that of judged traffic"),
    *((f"the option {name} other than the settings", "one", option(name, value), f"its option {name}") for name, value in OTHERWISE.items()),
    ("an option that petcheck does not have", "one", option("approved", "yes"), "petcheck has no option approved"),
    *((f"the option {name} as {value!a}", "one", option(name, value), f"its option {name} has a value that nobody") for name, value in GIVEN.items()),
    *((f"the setting {name} as {value!a}", "one", setting(name, value), "is not one of petcheck") for name, value in SET.items()),
    *((f"the {name} of a target as {value!a}", "one", of_the_target(name, value), "is not one of petcheck") for name, value in OF_TARGET.items()),
    ("a header of the target that was not sent", "one", made_up(lambda lines: put(head(lines)["targets"][0], headers=["X-Gate=1"])), "and is written otherwise"),
    ("a number to examine that is none", "one", made_up(lambda lines: put(head(lines)["settings"], min_examined="lots")), "it has no number of requirements to examine"),
    ("a waiver of nothing", "one", made_up(lambda lines: head(lines)["settings"]["waivers"].append({**WAIVER, "requirement": "LIST-99"})), "its waivers are not those of petcheck"),
    ("a waiver without a reason", "one", in_stream(lambda lines: head(lines)["settings"]["waivers"].append({**WAIVER, "reason": ""}), listed=True), "its waivers are not those of petcheck"),
    ("waivers that nobody asked for", "one", made_up(lambda lines: lines.insert(-1, REVISED)), "the run was not asked for any"),
    ("runs that it joins", "one", made_up(lambda lines: lines.insert(-1, {"joined": {"runs": []}})), "it is one run, and joins runs"),
    ("checks that were planned too late", "one", made_up(lambda lines: lines.insert(3, lines.pop(2))), "planned after the first request"),
    ("no key", "one", made_up(lambda lines: put(line(lines, "opened"), key=None)), "for which it had no key"),
    ("a pause longer than allowed", "one", made_up(lambda lines: [put(line(lines, "end"), finished="2026-11-21T11:03:12.123Z"), put(line(lines, "waited"), seconds=600.0)]), "longer than the run may wait"),
    ("help that petcheck does not give", "one", made_up(lambda lines: put(line(lines, "ended", 1)["dropped"], settled_by="--give-me")), "an option that petcheck does not have"),
    ("another target's exchanges", "pair", relabelled, "production has the exchanges of staging"),
    ("two heads", "one", made_up(lambda lines: lines.insert(1, {"petcheck": {**head(lines), "seed": 9}})), CONTRADICTS),
    ("no head", "one", made_up(lambda lines: lines.pop(0)), CONTRADICTS),
    ("a line after the end", "one", made_up(lambda lines: lines.append({"waited": {"target": "staging", "seconds": 1.0, "why": "x"}})), CONTRADICTS),
    ("a line of an unknown kind", "one", made_up(lambda lines: lines.insert(3, {"approved": {}})), CONTRADICTS),
    ("a line that is not an object", "one", made_up(lambda lines: lines.insert(3, [])), CONTRADICTS),
    ("nothing", "one", in_bytes(STREAM, lambda data: b""), "is empty"),
]  # fmt: skip
