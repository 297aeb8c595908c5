"""The documentation: each link and each command works, and each requirement has a page."""

from __future__ import annotations

import re
import shlex
import tomllib
from collections.abc import Iterator
from datetime import date
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
import yaml
from markdown_it import MarkdownIt
from markdown_it.token import Token

from petcheck.cli import main as command
from petcheck.cli.parser import COMMANDS as PETCHECK_COMMANDS
from petcheck.cli.parser import Parser
from petcheck.cli.run import run_parser
from petcheck.config.load import configure
from petcheck.config.options import given_options
from petcheck.spec.catalogue import catalogue
from petstore_reference.faults import FAULTS
from tests.support.certificates import NEW, openssl
from tests.support.command import KEY
from tests.support.forked import petcheck
from tests.support.trial import server
from tools import site
from tools.screenshots import FAULTS as SHOWN

ROOT = Path(__file__).resolve().parents[2]
FILES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "SECURITY.md", *sorted((ROOT / "docs").glob("*.md"))]
SHELL = "sh"
REQUESTS_PAGE = (ROOT / "docs" / "requests.md").read_text("utf-8")
# programs that the documentation names and this project does not own
OTHERS = {"cosign", "curl", "export", "jq", "openssl", "pip", "ssh-keygen"}


@cache
def tokens(path: Path) -> list[Token]:
    return MarkdownIt().enable("table").parse(path.read_text("utf-8"))


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


# ---- links


def links(path: Path) -> Iterator[str]:
    for token in tokens(path):
        for part in token.children or ():
            yield from (str(part.attrs[name]) for name in ("href", "src") if name in part.attrs)


@pytest.mark.parametrize("path", FILES, ids=name_of)
def test_each_link_leads_to_a_file(path: Path) -> None:
    own = [urlsplit(link).path for link in links(path) if not urlsplit(link).scheme]
    assert [link for link in own if link and not (path.parent / link).exists()] == []


def test_the_site_has_each_page_and_names_it_once() -> None:
    def names(part: Any) -> Iterator[str]:
        for entry in part:
            for value in entry.values():
                yield from [value] if isinstance(value, str) else names(value)

    listed = list(names(tomllib.loads((ROOT / "zensical.toml").read_text("utf-8"))["project"]["nav"]))
    generated = {f"requirements/{entry.id}.md" for entry in catalogue().entries}
    assert sorted(listed) == sorted(site.pages().keys() - generated)


# ---- commands


def commands(path: Path) -> Iterator[str]:
    """Each line of the shell blocks of a page."""
    for token in tokens(path):
        if token.type == "fence" and token.info == SHELL:
            yield from (line.split("  ")[0] for line in re.sub(r"\\\n\s*", "", token.content).splitlines() if line)


COMMANDS = [
    pytest.param(line, id=f"{name_of(path)}:{place}")
    for path in FILES
    for place, line in enumerate(commands(path))
    if not re.match(r"(CREATE|  )", line)
]


def blocks(kind: str) -> list[Any]:
    """The fenced blocks of that kind, of all pages."""
    found = [(path, token) for path in FILES for token in tokens(path) if token.type == "fence" and token.info == kind]
    return [pytest.param(token.content, id=f"{name_of(path)}:{place}") for place, (path, token) in enumerate(found)]


@pytest.mark.parametrize("text", blocks("yaml"))
def test_each_recipe_can_be_read_and_calls_what_exists(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert yaml.safe_load(text)
    for options in re.findall(r'make check ARGS="([^"]*)"', text):
        understood(shlex.split(options), monkeypatch)


@pytest.mark.parametrize("text", blocks("toml"))
def test_each_settings_file_is_understood(text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if "[tool.pytest" in text or "[pytest]" in text:
        return  # pytest's own settings, in a pyproject.toml
    (tmp_path / "petcheck.toml").write_text(text, "utf-8")
    monkeypatch.chdir(tmp_path)
    write_certificate(tmp_path, text)
    understood([], monkeypatch)


def write_certificate(folder: Path, text: str) -> None:
    """Write the files that a page shows a server, if it does."""
    if "ci.pem" in text:
        files = ("-keyout", "ci.key", "-out", "ci.pem")
        openssl("req", "-x509", *NEW, *files, "-days", "2", "-subj", "/CN=CI", cwd=folder)


def flags() -> set[str]:
    """The options of petcheck, of all its commands."""
    found = set(re.findall(r"--[a-z][a-z-]*", " ".join(run_parser().format_help().split())))
    for name in PETCHECK_COMMANDS:
        source = (ROOT / "src" / "petcheck" / "cli" / f"{name}.py").read_text("utf-8")
        found |= set(re.findall(r'"(--[a-z][a-z-]*)"', source))
    return found


@pytest.mark.parametrize("path", FILES, ids=name_of)
def test_each_option_in_the_text_is_one(path: Path) -> None:
    texts = [part.content for token in tokens(path) for part in token.children or () if part.type == "code_inline"]
    named = {found for text in texts for found in re.findall(r"(?<![\w-])--[a-z][a-z-]*", text)}
    assert named - flags() - {"--tb", "--full-trace"} == set()


class Parsed(BaseException):
    """The command line was understood."""


@pytest.mark.parametrize("line", COMMANDS)
def test_each_command_is_one(line: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    write_certificate(tmp_path, line)
    program, *arguments = shlex.split(line, comments=True) or ["export"]
    program = program.removeprefix(".venv/bin/")
    if program == "petcheck":
        understood(arguments, monkeypatch)
    elif program == "make":
        goals = {goal for goal in arguments if "=" not in goal}
        assert goals <= set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text("utf-8"), flags=re.MULTILINE))
    else:
        assert program in OTHERS


def understood(arguments: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """petcheck understands the arguments: a smaller command parses them, a run makes its configuration of them."""
    if arguments and arguments[0] in PETCHECK_COMMANDS:
        parse = Parser.parse

        def parse_and_stop(parser: Parser, given: list[str]) -> None:
            parse(parser, given)
            raise Parsed

        monkeypatch.setattr(Parser, "parse", parse_and_stop)
        with pytest.raises(Parsed):
            command.main(arguments)
        return
    options = run_parser().parse(arguments)
    keys = {f"PETSTORE_API_KEY{name}": KEY for name in ("", "_STAGING", "_PRODUCTION")}
    more = {"GATEWAY_KEY": "g-123", "HEADER_X_GATEWAY_KEY": "g-123", "CLIENT_KEY": "ci.key", "PROXY_LOGIN": "ann:p-1"}
    keys |= {f"PETSTORE_{name}": value for name, value in more.items()}
    configured = configure(given_options(options), keys, today=date(2026, 11, 22), seed=1)
    assert configured.targets


def test_the_failure_in_the_readme_is_as_the_program_prints_it(tmp_path: Path) -> None:
    """It is one of those in the screenshots. An ellipsis leaves something out; ids differ between runs."""
    (block,) = re.findall(r"```text\n(.*?)```", (ROOT / "README.md").read_text("utf-8"), flags=re.DOTALL)
    with server(faults=SHOWN, key=KEY) as url:
        printed = petcheck(tmp_path, "--target", url, "--allow-writes", "--seed", "1").out
        printed = printed.replace(url, "https://staging.example.com/v1")
    end = 0
    for part in map(alike, block.split("…")):
        assert part in alike(printed)[end:], printed
        end = alike(printed).index(part, end)


def alike(text: str) -> str:
    """The text of any run, on one line."""
    text = re.sub(r"\b[0-9a-f]{8}\b", "RUN", text)
    return " ".join(re.sub(r'(animal |"id":)\d+', r"\1N", text).split())


def test_the_tests_that_a_page_shows_are_named_after_requirements() -> None:
    page = (ROOT / "docs" / "pytest.md").read_text("utf-8")
    named = re.findall(r"^tests/\S+?\[(.*)\] [A-Z]+$", page, flags=re.MULTILINE)
    assert len(named) == 2
    assert set(named) <= {entry.title for entry in catalogue().judged}


# ---- generated pages


@pytest.mark.parametrize("entry", catalogue().entries, ids=lambda entry: entry.id)
def test_each_entry_has_a_page(entry: Any) -> None:
    page = site.page(entry)
    assert page.startswith(f"# {entry.id}\n\n{'' if entry.open else 'In short: '}{entry.statement}\n")
    faults = {name for name, fault in FAULTS.items() if entry.id in fault.breaks}
    assert {name for name in faults if f"| `{name}` |" not in page} == set()
    assert ("## Faults that it finds" in page) == bool(faults)
    assert ("## What petcheck checks" in page) == (not entry.open and not entry.untestable)


def test_a_page_names_the_checks_and_the_rule() -> None:
    page = site.page(catalogue()["AUTH-1"])
    assert "checks/test_5_authentication.py" in page
    assert "src/petcheck/judging/rules/authentication.py" in page
    assert "## What petcheck observes" in site.page(catalogue()["list-order"])


def test_the_index_lists_each_entry() -> None:
    index = site.index(catalogue())
    assert re.findall(r"^\| \[([^\]]+)\]\(\1\.md\)", index, flags=re.MULTILINE) == [
        entry.id for entry in catalogue().entries
    ]


def test_pages_from_the_root_have_links_as_in_the_site() -> None:
    pages = site.pages()
    assert "](architecture.md)" in pages["contributing.md"]
    assert "](security.md)" in pages["index.md"]
    assert [name for name, text in pages.items() if "](docs/" in text or "](../" in text] == []


# ---- architecture


def test_an_arrow_is_left_out_only_if_others_lead_there() -> None:
    from tools import architecture

    edges = frozenset({("a", "b"), ("b", "c"), ("a", "c"), ("c", "d"), ("a", "d"), ("e", "d")})
    assert architecture.reduced(edges) == {("a", "b"), ("b", "c"), ("c", "d"), ("e", "d")}


def test_the_page_describes_each_room() -> None:
    from tools import architecture

    page = (ROOT / "docs" / "architecture.md").read_text("utf-8").partition("Outside the package")[0]
    rooms = {room for rooms in architecture.floors() for room in rooms} - {"__main__"}
    assert set(re.findall(r"^\| `(\w+)` \|", page, flags=re.MULTILINE)) == rooms
