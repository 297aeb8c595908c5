"""The table of options: what is written by hand beside it, for the sake of types, is the same."""

from __future__ import annotations

import types
import typing
from collections.abc import Sequence
from dataclasses import fields

import pytest

import petcheck
from petcheck.config import options
from petcheck.config.options import OPTIONS, Config, Option, Options, Place
from petcheck.config.targets import Opening, TargetConfig
from tests.config.configured import STAGING, configured

HOMES = (Config, TargetConfig, Opening)
# their value is read together with others, and has no field of its own
TOGETHER = {"target", "config", "update-waivers", "waiver-reason", "waiver-expires"}
IN_PYTHON = [option for option in OPTIONS if Place.PYTHON in option.places]


def alternatives(kind: typing.Any) -> set[typing.Any]:
    """The types of a union, without None."""
    union = typing.get_origin(kind) in (typing.Union, types.UnionType)
    return set(typing.get_args(kind) if union else (kind,)) - {type(None)}


def named(option: Option) -> str:
    return option.name


@pytest.mark.parametrize("option", OPTIONS, ids=named)
def test_an_option_has_one_field(option: Option) -> None:
    homes = [kind for kind in HOMES for each in fields(kind) if each.name == option.field]
    assert len(homes) == (0 if option.name in TOGETHER else 1)
    assert option.read is None or homes


def test_the_options_in_python_are_those_of_the_table() -> None:
    assert list(typing.get_type_hints(Options)) == [option.argument for option in IN_PYTHON]
    assert all(f"    {option.argument}: {option.help}" in str(petcheck.Options.__doc__) for option in IN_PYTHON)


@pytest.mark.parametrize("option", [one for one in IN_PYTHON if one.name != "config"], ids=named)
def test_an_option_in_python_has_the_type_of_its_field(option: Option) -> None:
    hints = {name: hint for kind in HOMES for name, hint in typing.get_type_hints(kind).items()}
    if option.repeatable:  # its texts are read together
        assert typing.get_type_hints(Options)[option.argument] == Sequence[str]
        return
    assert alternatives(hints[option.field]) <= alternatives(typing.get_type_hints(Options)[option.argument])


def test_the_help_names_the_default() -> None:
    helps = {option.name: option.help for option in OPTIONS}
    assert [helps[name][-7:] for name in ("max-requests", "max-wait", "timeout")] == [" (1200)", "s (120)", "se (10)"]
    assert helps["reports"].endswith("(reports/)")


def test_a_default_may_be_text(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(options, "fields", lambda _: [types.SimpleNamespace(name="agent", default="petcheck/1")])
    assert Option("--agent", "what requests say ({default})", "TEXT").help == "what requests say (petcheck/1)"


# ---- which place counts

FILE = f"""
[targets.target]
url = "{STAGING}"
plan = "pro"
allow-writes = {{}}
category-id = 4
[defaults]
plan = "free"
allow-writes = {{}}
category-id = 7
"""


def test_a_target_goes_before_the_defaults_and_the_command_line_before_both() -> None:
    file = FILE.format("true", "false")
    (target,) = configured(file).targets
    assert (target.plan, target.category_id, target.writes) == ("pro", 4, True)
    (target,) = configured(file, plan="business", category_id="0").targets
    assert (target.plan, target.category_id) == ("business", 0)
    (target,) = configured(file.replace('plan = "pro"', "").replace("category-id = 4", "")).targets
    assert (target.plan, target.category_id) == ("free", 7)


@pytest.mark.parametrize(
    ("own", "default", "given", "writes"),
    [
        ("false", "true", None, False),
        ("false", "true", "*", True),
        ("false", "false", "target", True),
        ("true", '"target"', None, True),
        ("false", '"target"', None, False),
    ],
)
def test_no_default_allows_what_a_target_forbids(own: str, default: str, given: str | None, writes: bool) -> None:
    (target,) = configured(FILE.format(own, default), allow_writes=given).targets
    assert target.writes is writes


def test_targets_that_the_command_line_does_not_name_get_no_post_though_the_file_allows_it() -> None:
    other = '\n[targets.other]\nurl = "https://other.example/v1"\nallow-writes = {}\n'
    for own in ("true", "false"):
        file = FILE.format("true", "true") + other.format(own)
        assert {one.name: one.writes for one in configured(file, allow_writes="other").targets} == {
            "target": False,
            "other": True,
        }
