"""Any bytes, and any values, in each file that petcheck reads: a verdict or one line, never a traceback.

500 examples each; PETCHECK_EXAMPLES sets another number.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import shutil
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
import tomlkit
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from petcheck.cli.main import main
from petcheck.config.load import configure
from petcheck.errors import ConfigError
from tests.config.configured import TODAY
from tests.evidence.forging import ENVELOPE, MANIFEST, RESULT, STATEMENT, STREAM, make
from tests.evidence.test_attacks import ODD, places_in, within
from tests.support.authorities import authority
from tests.support.entries import story
from tests.support.foreign import har_of
from tests.support.once import folder_made_once

pytestmark = pytest.mark.slow
TIME, HAR, FOREIGN, SETTINGS = "manifest.tsr", "exchanges.har", "foreign.har", "petcheck.toml"
VERIFY = ("verify", "one", "--public-key", "key.pub")
COMMANDS: dict[str, tuple[tuple[str, ...], ...]] = {
    STREAM: (VERIFY, ("judge", "one")),
    RESULT: (VERIFY, ("history", "one"), ("compare", "one", "pair")),
    MANIFEST: (VERIFY,),
    STATEMENT: (VERIFY,),
    ENVELOPE: (VERIFY,),
    TIME: ((*VERIFY, "--timestamp-ca", "notary/root.pem"),),
    HAR: (("judge", f"one/{HAR}"),),
    FOREIGN: (("judge", f"one/{FOREIGN}"),),
}
MORE_THAN_ONE_WAY = (ENVELOPE, TIME)  # an envelope has more spellings, and a response members that nobody signs
FILE = """
[defaults]
max-requests = 300
plan = "pro"
label = ["build=1"]
[targets.staging]
url = "https://staging.example/v1"
allow-writes = true
header = ["X-Gate=1"]
[[waivers]]
requirement = "LIST-3"
target = "staging"
reason = "agreed"
expires = 2026-12-01
[[gap]]
requirement = "GET-4"
target = "staging"
reason = "not yet"
expires = 2026-12-01
"""
any_number_of_times = settings(
    max_examples=int(os.environ.get("PETCHECK_EXAMPLES", "500")),
    suppress_health_check=list(HealthCheck),
    phases=(Phase.explicit, Phase.generate),
)
PIECES = st.binary(max_size=8) | st.sampled_from(
    [
        b"\x00",
        b"\n",
        b'"',
        b"{",
        b"]",
        b",",
        b"\\u0000",
        b"\\ud800",
        b"1e999",
        b"NaN",
        b"null",
        b"9" * 30,
        b"\xff",
        b"[[",
        b"=",
    ]
)
EDITS = st.lists(st.tuples(st.integers(0, 10**6), st.integers(0, 60), PIECES), min_size=1, max_size=3)


def with_edits(data: bytes, edits: list[tuple[int, int, bytes]]) -> bytes:
    for place, removed, put in edits:
        at = place % (len(data) + 1)
        data = data[:at] + put + data[at + removed :]
    return data


@pytest.fixture(scope="module")
def honest(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Reports that are signed and dated, and a recording of another program."""
    folder = tmp_path_factory.mktemp("any")
    shutil.copytree(folder_made_once("honest", make), folder, dirs_exist_ok=True)
    (folder / "notary").mkdir()
    authority(folder / "notary").dates(folder / "one")
    (folder / "one" / FOREIGN).write_text(json.dumps(har_of(story())))
    return folder


def ended(*arguments: str) -> tuple[int, str, str]:
    """The exit code of a command, and what it says. Whatever it raises is a defect."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err), within(60):
        try:
            code = main(arguments)
        except SystemExit as left:
            code = int(left.code or 0)
    return code, out.getvalue(), err.getvalue()


def expect_a_verdict_or_a_line(honest: Path, name: str, text: bytes) -> None:
    """Each command that reads the file ends as it should when the file has that text."""
    path = honest / "one" / name
    before = path.read_bytes()
    path.write_bytes(text)
    try:
        for command in COMMANDS[name]:
            code, out, err = ended(*command)
            assert code in (0, 1, 2, 4, 5, 6, 8), (command, code, err)
            assert (err.count("\n") == 1) if code == 4 else out, (command, code, err)
            assert code or text == before or command[0] != "verify" or name in MORE_THAN_ONE_WAY, out
    finally:
        path.write_bytes(before)


@pytest.mark.parametrize("name", COMMANDS)
def test_any_bytes(name: str, honest: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(honest)
    data = (honest / "one" / name).read_bytes()

    @any_number_of_times
    @given(EDITS)
    def edited(edits: list[tuple[int, int, bytes]]) -> None:
        expect_a_verdict_or_a_line(honest, name, with_edits(data, edits))

    edited()


@pytest.mark.parametrize("name", [name for name in COMMANDS if name != TIME])
def test_any_value_in_any_place(name: str, honest: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(honest)
    text = (honest / "one" / name).read_text("utf-8")

    @any_number_of_times
    @given(st.data())
    def edited(data: st.DataObject) -> None:
        documents = [json.loads(line) for line in text.splitlines()] if name == STREAM else json.loads(text)
        places = list(places_in(documents))
        holder, key = places[data.draw(st.integers(0, len(places) - 1))]
        holder[key] = data.draw(ODD)
        written = "".join(json.dumps(one) + "\n" for one in documents) if name == STREAM else json.dumps(documents)
        expect_a_verdict_or_a_line(honest, name, written.encode())

    edited()


def configured(text: bytes) -> None:
    """Read a petcheck.toml, which is accepted or refused in one line that can be printed."""
    Path(SETTINGS).write_bytes(text)
    for environment in ({"PETSTORE_API_KEY": "k-123"}, {"PETSTORE_API_KEY_STAGING": "k-123"}):
        refused = ""
        try:
            configure({}, environment, today=TODAY, seed=7)
        except ConfigError as error:
            refused = str(error) or "\n"
        assert refused.isprintable()


@pytest.mark.parametrize("how", ["bytes", "values"])
def test_any_settings_and_waivers(how: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    configured(FILE.encode())

    def value(data: st.DataObject) -> bytes:
        document = tomlkit.parse(FILE).unwrap()
        places = list(places_in(document))
        holder, key = places[data.draw(st.integers(0, len(places) - 1))]
        holder[key] = data.draw(ODD.filter(lambda one: one is not None) | st.dates() | st.just(TODAY + timedelta(9)))
        try:
            return tomlkit.dumps(document).encode()
        except (ValueError, TypeError):  # no TOML has it
            return FILE.encode()

    make_text: Callable[[Any], bytes] = value
    if how == "bytes":
        make_text = lambda data: with_edits(FILE.encode(), data.draw(EDITS))  # noqa: E731

    @any_number_of_times
    @given(st.data())
    def edited(data: st.DataObject) -> None:
        configured(make_text(data))

    edited()
