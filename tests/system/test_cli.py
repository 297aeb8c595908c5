"""The command: what it refuses, how it ends, and that unrelated files and variables do not change it."""

# ruff: noqa: E501 - messages are quoted as they come

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from petcheck.cli.main import main
from petcheck.spec.files import suite_root
from petstore_reference.faults import KINDS
from petstore_reference.serve import running
from petstore_reference.server import ReferenceSettings, create_app
from petstore_reference.variations import VARIATIONS
from tests.support.certificates import issue, showing
from tests.support.command import KEY, Ran, ended, environment, start
from tests.support.forked import petcheck
from tests.support.peers import Caller, Peer, closed_port, peer
from tests.system.test_hostile_peers import store


@pytest.fixture
def listener() -> Iterator[Peer]:
    """A server that must get no request."""
    with peer(Caller.hang) as up:
        yield up


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    """A conforming server."""
    with running(create_app(ReferenceSettings(keys={KEY: "business"}, anonymous_limit=10_000))) as url:
        yield f"{url}/v1"


# ---- refused

REFUSED = {
    "no plan": (["--plan", "gold"], "--plan gold: no such plan; plans: free, pro, business, enterprise"),
    "no scheme": (["--target", "host/v1"], "--target host/v1: not an http or https URL; write it as https://host/v1"),
    "no option": (["--alow-writes"], "unknown option --alow-writes; did you mean --allow-writes?"),
    "no requirement": (["CREAT-5"], "no requirement CREAT-5; did you mean CREATE-5?"),
    "a URL alone": (["https://host/v1"], "use --target for a server: petcheck --target https://host/v1"),
    "two choices": (["--failed", "AUTH"], "--failed chooses the requirements; leave out either --failed or the ids"),
    "animals without permission": (["--populate", "120"], "--populate 120: creating animals needs --allow-writes"),
    "no number of animals": (["--populate", "0", "--allow-writes"], "--populate 0: must be 1 or more"),
    "animals beyond the budget": (["--populate", "2000", "--allow-writes"], "--populate 2000: takes up to 2,022 requests beside the "),
    "animals beyond the budget, tried dry": (["--populate", "2000", "--allow-writes", "--dry-run"], "--populate 2000: takes up to "),
    "animals beyond reason": (["--populate", "1000000000", "--allow-writes"], "--populate 1000000000: must be 5000 or less"),
    "no shortened option": (["--allow"], "unknown option --allow; "),
    "no command": (["serv"], "unknown command serv; did you mean serve?"),
    "no argument": (["checks/test_9.py"], "unknown argument checks/test_9.py; choose checks by name with -k"),
    "no option with a key": (["--api-key=SECRET"], "unknown option --api-key; `petcheck --help` lists all options"),
    "no command that is a key": (["SECRET"], "unknown word; write requirements as CREATE-5, groups as AUTH, sections as 4.2; "),
    "the key for an argument": (["--strict=" + KEY], "argument --strict: ignored explicit argument '[redacted-key]'"),
    "no number for pytest": (["--maxfail", "x"], "argument --maxfail: x: must be a whole number, 0 or more"),
    "no processes": (["-n", "-1"], "argument -n: -1: must be a whole number, 0 or more"),
    "no style": (["--tb", "pretty"], "argument --tb: pretty: must be one of auto, long, short, no, line, native"),
    "no file": (["--html", "."], "argument --html: .: is a folder; name a file"),
    "no folder for the page": (["--html", "none/x.html"], "argument --html: none/x.html: its folder does not exist; create it first"),
    "no value": (["--plan"], "argument --plan: expected one argument"),
    "no configuration": (["--config", "nowhere.toml"], "nowhere.toml: cannot be read (No such file or directory)"),
    "no folder": (["--reports", "file/reports"], "--reports file/reports: cannot be written (Not a directory)"),
    "a folder that is a link to nothing": (["--reports", "lost"], "--reports lost: cannot be written (lost is a link to nothing)"),
    "a folder below a link to nothing": (["--reports", "lost/a/b"], "--reports lost/a/b: cannot be written (/"),
    "unencrypted": (["--target", "http://192.0.2.1/v1"], "--target http://192.0.2.1/v1: the key would be sent unencrypted"),
    "no window": (["serve", "--window", "nan"], "serve: --window nan: must be above 0 and below 1000000 seconds"),
    "a window of nothing": (["serve", "--window", "0"], "serve: --window 0.0: must be above 0 and below 1000000 seconds"),
    "a window without an end": (["serve", "--window", "1e300"], "serve: --window 1e+300: must be above 0 and below 1000000 seconds"),
    "fewer animals than none": (["serve", "--animals", "-1"], "serve: --animals -1: must be 0 or more"),
    "animals beyond any store": (["serve", "--animals", "99999999999999999999"], "serve: --animals 99999999999999999999: must be 50000 or less"),
    "no date": (["--as-of", "tomorrow"], "--as-of tomorrow: not a date; write it as YYYY-MM-DD"),
    "a line break": (["--plan", "a\nb"], "--plan a b: no such plan"),
    "no app": (["--app", "nowhere:app"], "--app nowhere:app: No module named 'nowhere'"),
    "a factory of nothing": (["--factory"], "--factory goes with --app; give both, or neither"),
    "a base path of nothing": (["--base-path", "/v1"], "--base-path goes with --app; give both, or neither"),
    "no base path": (["--app", "shop:app", "--base-path", "v1"], "--base-path v1: not a path; write it as /v1, or / for the root"),
}  # fmt: skip


# these also run in their own process
WHOLE = ("no option", "unencrypted", "the key for an argument")


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder to run the command in, within this process; its signal handlers and path are restored."""
    (tmp_path / "file").write_text("")
    (tmp_path / "lost").symlink_to("nowhere")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.setenv("PETSTORE_API_KEY", KEY)
    before = [(number, signal.getsignal(number)) for number in (signal.SIGINT, signal.SIGTERM)]
    yield tmp_path
    for number, handler in before:
        signal.signal(number, handler)


@pytest.mark.parametrize("name", REFUSED)
def test_a_mistake_gets_one_line_and_nothing_is_sent(
    name: str, here: Path, listener: Peer, capfd: pytest.CaptureFixture[str]
) -> None:
    arguments, message = REFUSED[name]
    if not ({"--target", "--app"} & set(arguments)) and arguments[0].startswith("-"):
        arguments = [*arguments, "--target", listener.url]
    if name in WHOLE:
        ran = petcheck(here, *arguments)
        out, err = ran.out, ran.err
        assert ran.code == 4
    else:
        with pytest.raises(SystemExit, match=r"^4$"):
            main(arguments)
        out, err = capfd.readouterr()
    assert err.startswith(f"petcheck: {message}")
    assert err.count("\n") == 1
    assert err.endswith("\n")
    assert out == ""
    assert "SECRET" not in err
    assert listener.connections == 0


def test_no_key(tmp_path: Path, listener: Peer) -> None:
    ran = petcheck(tmp_path, "--target", listener.url, key=None)
    wanted = "petcheck: no API key for target 'target': set PETSTORE_API_KEY in the environment"
    assert (ran.code, ran.out, ran.last_line_of_trouble) == (4, "", wanted)
    assert listener.connections == 0


# ---- could not be tested


def assert_untestable(ran: Ran, *said: str) -> None:
    assert ran.code == 6
    ran.assert_reports()
    (target,) = ran.result.targets
    assert target.requests.total <= 5
    assert target.unreachable is not None
    assert "\n" not in target.unreachable
    flat = " ".join(ran.out.split())
    for words in said:
        assert words in target.unreachable
        assert words in flat
    assert "Traceback" not in ran.out + ran.err


def test_an_unreachable_target(tmp_path: Path) -> None:
    with closed_port() as port:
        url = f"http://127.0.0.1:{port}/v1"
        ran = petcheck(tmp_path, "--target", url)
    assert_untestable(ran, f"{url} does not answer (unreachable: ", "check the URL")


@pytest.mark.slow
def test_a_host_that_cannot_be_found(tmp_path: Path) -> None:
    ran = petcheck(tmp_path, "--target", "https://a..b/v1")
    assert_untestable(ran, "https://a..b/v1 does not answer (unreachable: ")


def test_an_invalid_certificate_gets_no_key(tmp_path: Path) -> None:
    issue(tmp_path)
    url = "https://127.0.0.1:{}/v1"
    with peer(store, tls=showing(tmp_path, "here")) as up:
        trusted = petcheck(tmp_path / "a", "--target", url.format(up.port), "--ca-bundle", "../ca.pem", "-k", "test_9")
    assert trusted.code == 0, trusted.out
    with peer(store, tls=showing(tmp_path, "expired")) as up:
        ran = petcheck(tmp_path / "b", "--target", url.format(up.port), "--ca-bundle", "../ca.pem")
        assert up.heads == []
    assert_untestable(ran, f"{url.format(up.port)} does not answer (TLS: certificate has expired)")


@pytest.mark.parametrize("status", ["401 No", "403 No"])
def test_a_key_that_is_refused_everywhere(status: str, tmp_path: Path) -> None:
    with peer(lambda caller: caller.answer(b"{}", status=status)) as up:
        ran = petcheck(tmp_path, "--target", up.url)
        assert len(up.heads) == 2
    assert_untestable(
        ran, f"{up.url} rejects the key sha256:", f"on every operation ({status})", "check PETSTORE_API_KEY"
    )


# ---- how it ends


@pytest.mark.parametrize("words", [("-k", "no_such_check"), ("6",), ("-k", "no_such_check", "-v")])
def test_nothing_selected_leaves_the_old_reports(words: tuple[str, ...], tmp_path: Path, server: str) -> None:
    petcheck(tmp_path, "ORDERS-1", "--target", server)
    before = {path.name: path.read_bytes() for path in (tmp_path / "reports").iterdir()}
    ran = petcheck(tmp_path, *words, "--target", server)
    assert ran.code == 5
    assert ran.last_line_of_trouble == "petcheck: no check is selected; `petcheck --collect-only` lists them"
    assert {path.name: path.read_bytes() for path in (tmp_path / "reports").iterdir()} == before


@pytest.mark.slow
def test_nothing_selected_by_several_processes(tmp_path: Path, server: str) -> None:
    ran = petcheck(tmp_path, "--target", server, "-k", "no_such_check", "-n", "2")
    assert ran.code == 5
    ran.assert_reports()
    assert "\nNothing was tested.\n" in ran.out
    assert ran.out.endswith("\nnext: choose checks that exist; petcheck --collect-only lists them\n")


def test_an_invalid_expression_leaves_the_old_reports(tmp_path: Path, listener: Peer) -> None:
    page = tmp_path / "reports" / "pytest.html"
    page.parent.mkdir()
    page.write_text("old")
    made = page.with_name("manifest.json")
    made.write_text('{"suite": {"name": "petcheck"}}')
    ran = petcheck(tmp_path, "--target", listener.url, "-k", "((")
    assert ran.code == 4
    assert ran.err.startswith("petcheck: argument -k: ((: cannot be read (")
    assert "Generated html report" not in ran.out
    assert {path.name: path.read_text() for path in page.parent.iterdir()} == {
        "pytest.html": "old",
        "manifest.json": made.read_text(),
    }
    assert listener.connections == 0


def test_the_page_for_debugging_is_written_for_one_target_or_if_it_is_asked_for(tmp_path: Path, server: str) -> None:
    few = ("-k", "test_9")
    both = ("--target", f"one={server}", "--target", f"two={server}")
    page = tmp_path / "reports" / "pytest.html"

    for arguments, there in (
        (("--target", server), True),
        (both, False),  # that of the earlier run is gone
        ((*both, "--html", "reports/pytest.html"), True),
        ((*both, "--html", "mine.html"), False),
    ):
        assert petcheck(tmp_path, *arguments, *few).code == 0
        assert page.exists() == there
        # it proves nothing
        assert page.name not in page.with_name("manifest.json").read_text("utf-8")
    assert "two" in (tmp_path / "mine.html").read_text("utf-8")
    assert not (tmp_path / "assets").exists()


def test_strict(tmp_path: Path, server: str) -> None:
    assert petcheck(tmp_path / "a", "--target", server, "-k", "test_base_url or test_9").code == 0
    strict = petcheck(tmp_path / "b", "--target", server, "-k", "test_base_url or test_9", "--strict")
    assert strict.code == 7
    strict.assert_reports()


def test_stop_at_the_first_failure(tmp_path: Path) -> None:
    with peer(lambda caller: caller.answer(b"[]", headers=b"Content-Type: text/plain\r\n")) as up:
        ran = petcheck(tmp_path, "--target", up.url, "-x")
    assert ran.code == 1
    assert not ran.result.complete
    assert "fail" in ran.outcomes.values()
    assert {row.reason for row in ran.result.requirements} >= {"The run stopped before this requirement was checked."}
    ran.assert_reports()


def until(condition: object, seconds: float = 60) -> None:
    """Wait until the condition is true."""
    assert callable(condition)
    began = time.monotonic()
    while not condition():
        assert time.monotonic() - began < seconds
        time.sleep(0.02)


# ---- the same run in other ways


@pytest.fixture(scope="module")
def usual(server: str, tmp_path_factory: pytest.TempPathFactory) -> Ran:
    """A run that only reads."""
    ran = petcheck(tmp_path_factory.mktemp("usual"), "--target", server, "--seed", "5")
    assert ran.code == 0, ran.out
    ran.assert_reports()
    return ran


@pytest.mark.slow
def test_pytest_can_run_it_from_the_checkout(usual: Ran, server: str, tmp_path: Path) -> None:
    arguments = ["checks", "--target", server, "--seed", "5", "--examples", "0"]
    arguments += ["--reports", str(tmp_path / "reports")]
    ran = subprocess.run(
        [sys.executable, "-m", "pytest", *arguments],
        cwd=suite_root(),
        env=environment(),
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert ran.returncode == 0, ran.stdout
    there = Ran(ran.returncode, ran.stdout, ran.stderr, 0, 0, tmp_path / "reports")
    assert there.outcomes == usual.outcomes
    there.assert_reports()


@pytest.mark.slow
def test_side_by_side(usual: Ran, server: str, tmp_path: Path) -> None:
    ran = petcheck(tmp_path, "--target", f"a={server}", "--target", f"b={server}", "-n", "2", "--seed", "5")
    assert ran.code == 0, ran.out
    assert [target.name for target in ran.result.targets] == ["a", "b"]
    for name in ("a", "b"):
        outcomes = {row.id: row.outcome for row in ran.result.requirements if row.target == name}
        assert outcomes == usual.outcomes
    ours = {check.id.replace("[a", "[target").replace("[b", "[target") for check in ran.result.checks}
    assert ours == {check.id for check in usual.result.checks}
    ran.assert_reports()


def test_stray_files_and_variables_change_nothing(usual: Ran, server: str, tmp_path: Path) -> None:
    for name, text in {
        "pytest.ini": "[pytest]\naddopts = --no-such-option\n",
        "setup.cfg": "[tool:pytest]\naddopts = --no-such-option\n",
        "tox.ini": "[pytest]\naddopts = --no-such-option\n",
        "conftest.py": "raise RuntimeError('loaded')\n",
        "test_stray.py": "def test_stray():\n    assert False\n",
    }.items():
        (tmp_path / name).write_text(text)
    more = {
        "PYTEST_ADDOPTS": "--no-such-option",
        "PYTEST_PLUGINS": "no_such_plugin",
        "HTTP_PROXY": "http://127.0.0.1:9",
    }
    ran = petcheck(tmp_path, "--target", server, "--seed", "5", more=more)
    assert ran.code == 0, ran.out + ran.err
    assert ran.outcomes == usual.outcomes


# ---- the small commands


def test_version_and_help(tmp_path: Path) -> None:
    assert petcheck(tmp_path, "--version").out.startswith("petcheck ")
    shown = petcheck(tmp_path, "--help")
    assert shown.code == 0
    assert "--allow-writes" in shown.out


def test_the_catalogue(tmp_path: Path) -> None:
    ran = petcheck(tmp_path, "requirements", "--json", key=None)
    rows = json.loads(ran.out)
    assert (ran.code, rows[0]["id"], rows[0]["section"], rows[0]["level"]) == (0, "SERVICE-1", "1", "stated")
    piped = petcheck(tmp_path, "requirements", key=None).out
    assert [line.split()[:3] for line in piped.splitlines()] == [
        [row["id"], row["section"], row["level"]] for row in rows
    ]
    wrapped = petcheck(tmp_path, "requirements", key=None, more={"COLUMNS": "60"}).out
    assert max(map(len, wrapped.splitlines())) <= 60
    assert "4.1  List all animals · checks/test_4_1_list.py\n" in wrapped
    assert "  GET-4                stated\n" in wrapped
    assert "    In force from 2030-12-05 on.\n" in wrapped
    assert petcheck(tmp_path, "requirements", "--jso", key=None).code == 4


def test_checks_are_listed_and_no_report_is_written(tmp_path: Path) -> None:
    ran = petcheck(tmp_path, "--collect-only", "LIST-1", "--target", "http://127.0.0.1:1/v1")
    assert (ran.code, "test_parameters_are_accepted" in ran.out, ran.err) == (0, True, "")
    assert not (tmp_path / "reports").exists()


@pytest.mark.parametrize("arguments", [["requirements"], ["--collect-only"]])
def test_a_closed_pipe_is_no_error(tmp_path: Path, arguments: list[str]) -> None:
    ours, theirs = os.pipe()
    os.close(ours)
    with os.fdopen(theirs, "wb") as out:
        ran = subprocess.run(
            [sys.executable, "-m", "petcheck", *arguments],
            cwd=tmp_path,
            env=environment(),
            stdout=out,
            stderr=subprocess.PIPE,
            check=False,
        )
    assert (ran.returncode, ran.stderr) == (141, b"")


def test_the_reference_server(tmp_path: Path) -> None:
    process = start(tmp_path, "serve", "--port", "0", "--plan", "pro")
    try:
        until(lambda: (tmp_path / "stdout").read_text().endswith("Ctrl-C\n"))
        url = (tmp_path / "stdout").read_text().split()[3]
        assert url.endswith("/v1")
        assert KEY not in (tmp_path / "stdout").read_text()
        request = urllib.request.Request(f"{url}/pets?limit=1", headers={"Authorization": f"Bearer {KEY}"})
        with urllib.request.urlopen(request, timeout=10) as answer:
            assert (answer.status, answer.headers["X-RateLimit-Limit"]) == (200, "300")
            assert len(json.load(answer)) == 1
        with pytest.raises(urllib.error.HTTPError, match="401"):
            urllib.request.urlopen(f"{url}/pets", timeout=10)
    finally:
        process.send_signal(signal.SIGINT)
    ran = ended(process, tmp_path)
    assert ran.code == 0
    assert [line.partition(" ")[2] for line in ran.err.splitlines()] == ["GET /v1/pets?limit=1 200", "GET /v1/pets 401"]


def test_the_faults_and_variations_about_a_word(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["serve", "--list", "Retry-After"]) == 0
    title, *lines = capsys.readouterr().out.splitlines()
    assert title == "faults"
    assert "variations" in lines
    assert all("retry-after" in line.lower() for line in lines if line != "variations")
    assert main(["serve", "--list"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == sum(map(len, KINDS.values())) + len(KINDS) + len(VARIATIONS) + 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--fault", "default-limit-5"], "no fault is named 'default-limit-5'; did you mean default-limit-50 or "),
        (["--variation", "qqq"], "no variation is named 'qqq'; `petcheck serve --list` lists all, `--list WORD` those"),
        (["--list", "qqq"], "no fault and no variation is about 'qqq'; `petcheck serve --list` lists all"),
    ],
)
def test_an_unknown_fault_says_where_they_are(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit, match=r"^4$"):
        main(["serve", *arguments])
    error = capsys.readouterr().err
    assert error.startswith(f"petcheck: serve: {message}")
    assert "`petcheck serve --list` lists all" in error


@pytest.mark.parametrize(
    "arguments",
    [
        ["--fault", "no-such-fault"],
        ["--plan", "gold"],
        ["--window", "0"],
        ["--animals", "-1"],
        ["--port", "x"],
        ["--as-of", "soon"],
        ["--port", "99999"],
    ],
)
def test_an_impossible_reference_server(arguments: list[str], tmp_path: Path) -> None:
    ran = petcheck(tmp_path, "serve", "--port", "0", *arguments)
    assert (ran.code, ran.out) == (4, "")
    assert ran.last_line_of_trouble.startswith("petcheck: ")
