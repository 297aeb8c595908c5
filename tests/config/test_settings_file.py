"""petcheck.toml: each error in it is one line that says what to do."""

# ruff: noqa: E501 - messages are quoted as they come

from __future__ import annotations

from pathlib import Path

import pytest

from tests.config.configured import complaint, configured

IN_FILE = {
    "not TOML": ("a = ", "petcheck.toml: not TOML: Invalid value (at end of document)"),
    "an unknown table": ("[target.a]", "petcheck.toml: unknown setting 'target'; did you mean targets?"),
    "a table that is none": ("defaults = 3", "petcheck.toml: [defaults] must be a table"),
    "a target that is no table": (
        'targets.a = "https://h/v1"',
        "petcheck.toml: target 'a' needs a table with `url = \"https://…/v1\"`",
    ),
    "a URL in other letters": (
        '[targets.a]\nulr = "https://a.example/v1"',
        "petcheck.toml: [targets.a]: unknown setting 'ulr'; did you mean url?",
    ),
    "a target without a URL": ('[targets.a]\nplan = "pro"', "petcheck.toml: target 'a' needs a table with `url"),
    "a target of an odd name": (
        '[targets."a b"]\nurl = "https://h/v1"',
        "petcheck.toml: target 'a b': a name has letters, digits, - and _ only",
    ),
    "an unknown setting of a target": (
        '[targets.a]\nurl = "https://h/v1"\nplann = 1',
        "petcheck.toml: [targets.a]: unknown setting 'plann'; did you mean plan?",
    ),
    "a key in the file": (
        '[targets.a]\nurl = "https://h/v1"\napi-key = "x"',
        "petcheck.toml: [targets.a]: unknown setting 'api-key'; it must be one of url, allow-writes, client-cert, ",
    ),
    "writes in words": (
        '[targets.a]\nurl = "https://h/v1"\nallow-writes = "false"',
        "petcheck.toml: [targets.a] allow-writes 'false': must be true or false",
    ),
    "a plan of a target": (
        '[targets.a]\nurl = "https://h/v1"\nplan = "gold"',
        "petcheck.toml: [targets.a] plan gold: no such plan",
    ),
    "a category of a target": (
        '[targets.a]\nurl = "https://h/v1"\ncategory-id = true',
        "petcheck.toml: [targets.a] category-id True: not a whole number",
    ),
    "an unknown default": (
        "[defaults]\nmax-request = 3",
        "petcheck.toml: [defaults]: unknown setting 'max-request'; did you mean max-requests?",
    ),
    "a default target": ('[defaults]\ntarget = "https://h/v1"', "petcheck.toml: [defaults]: unknown setting 'target'"),
    "a default of the wrong type": (
        '[defaults]\nstrict = "no"',
        "petcheck.toml: [defaults] strict 'no': must be true or false",
    ),
    "unencrypted by a word": (
        '[defaults]\ninsecure-http = "false"',
        "petcheck.toml: [defaults] insecure-http 'false': must be true or false",
    ),
    "a default that is no date": (
        '[defaults]\nas-of = "soon"',
        "petcheck.toml: [defaults] as-of soon: not a date; write it as YYYY-MM-DD",
    ),
    "a default out of range": (
        "[defaults]\nmax-requests = 0",
        "petcheck.toml: [defaults] max-requests 0: must be 1 or more",
    ),
    "a folder that no disk has": (
        '[defaults]\nreports = "a\\u0000b"',
        "petcheck.toml: [defaults] reports a\N{REPLACEMENT CHARACTER}b: cannot be written",
    ),
    "a bundle that no disk has": (
        '[defaults]\nca-bundle = "a\\u0000b"',
        "petcheck.toml: [defaults] ca-bundle a\N{REPLACEMENT CHARACTER}b: cannot be read",
    ),
    "a URL of a target": (
        '[targets.a]\nurl = "ftp://h/v1"',
        "petcheck.toml: [targets.a] url ftp://h/v1: not an http or https URL",
    ),
    "a default twice": (
        "[defaults]\nmax-wait = 1\nmax_wait = 2",
        "petcheck.toml: [defaults]: max_wait is set twice, with a dash and with an underscore; keep one",
    ),
    "a setting of a target twice": (
        '[targets.a]\nurl = "https://h/v1"\nallow-writes = false\nallow_writes = true',
        "petcheck.toml: [targets.a]: allow_writes is set twice",
    ),
    "writes in a number": (
        "[defaults]\nallow-writes = 1",
        "petcheck.toml: [defaults] allow-writes 1: must be true, false, or names of targets",
    ),
    "a folder that is a number": (
        "[defaults]\nreports = 1",
        "petcheck.toml: [defaults] reports 1: must be text in quotes",
    ),
    "a waiver with a number for a reason": (
        '[[waivers]]\nrequirement = "LIST-5"\ntarget = "target"\nreason = 1\nexpires = 2027-01-01',
        "petcheck.toml: waiver 1: `reason` 1: must be text in quotes",
    ),
    "two tables of one name": (
        '[targets.a]\nurl = "https://h/v1"\n[targets.a]\nurl = "https://h/v1"',
        "petcheck.toml: not TOML: Cannot declare ('targets', 'a') twice",
    ),
    "a waiver that is no table": ("waivers = [3]", "petcheck.toml: waivers must be [[waivers]] tables"),
    "a waiver without a reason": (
        '[[waivers]]\nrequirement = "LIST-5"\ntarget = "a"\nexpires = 2027-01-01',
        "petcheck.toml: waiver 1: `reason` is missing",
    ),
    "a waiver without an end": (
        '[[waivers]]\nrequirement = "LIST-5"\ntarget = "a"\nreason = "r"',
        "petcheck.toml: waiver 1: `expires` is missing",
    ),
    "a gap without an end": (
        '[targets.a]\nurl = "https://a.example/v1"\n[[gap]]\nrequirement = "LIST-5"\ntarget = "a"\nreason = "r"',
        "petcheck.toml: gap 1: `expires` is missing; a gap needs requirement, target, reason and expires",
    ),
    "the same gap twice": (
        '[targets.a]\nurl = "https://a.example/v1"\n'
        + '[[gap]]\nrequirement = "LIST-5"\ntarget = "a"\nreason = "r"\nexpires = 2030-01-01\n' * 2,
        "petcheck.toml: gap 2 is the same as gap 1; remove one",
    ),
    "two names of one key": (
        '[targets.x]\nurl = "https://a.example/v1"\n[targets.X]\nurl = "https://b.example/v1"',
        "targets x and X share PETSTORE_API_KEY_X; give one another name",
    ),
    "a default at the top": (
        'strict = true\n[targets.a]\nurl = "https://a.example/v1"',
        "petcheck.toml: strict is a default; put it under [defaults]",
    ),
    "a gap that is no table": ("gap = 1", "petcheck.toml: gap must be [[gap]] tables"),
    "a waiver of nothing": (
        '[[waivers]]\nrequirement = "LIST-99"\ntarget = "a"\nreason = "r"\nexpires = 2027-01-01',
        "petcheck.toml: waiver 1: no requirement 'LIST-99'; did you mean LIST-",
    ),
    "a waiver of an open point": (
        '[[waivers]]\nrequirement = "limit-zero"\ntarget = "a"\nreason = "r"\nexpires = 2027-01-01',
        "petcheck.toml: waiver 1: no requirement 'limit-zero'",
    ),
    "a waiver until some day": (
        '[[waivers]]\nrequirement = "LIST-5"\ntarget = "target"\nreason = "r"\nexpires = "soon"',
        "petcheck.toml: waiver 1: `expires` soon: not a date",
    ),
    "a waiver with more": (
        '[[waivers]]\nrequirement = "LIST-5"\nuntil = 1',
        "petcheck.toml: waiver 1: unknown setting 'until'",
    ),
    "a waiver for a target that neither the file nor the run has": (
        '[[waivers]]\nrequirement = "LIST-5"\ntarget = "staging"\nreason = "r"\nexpires = 2027-01-01',
        "petcheck.toml: waiver 1: no target 'staging'; there are reference; name it in [targets], or with --target",
    ),
    "a waiver for nobody": (
        '[targets.staging]\nurl = "https://h/v1"\n[[waivers]]\nrequirement = "LIST-5"\ntarget = "stagin"\nreason = "r"\nexpires = 2027-01-01',
        "petcheck.toml: waiver 1: no target 'stagin'; did you mean staging?",
    ),
}


@pytest.mark.parametrize(("file", "expected"), IN_FILE.values(), ids=IN_FILE)
def test_a_mistake_in_the_file(file: str, expected: str) -> None:
    assert complaint(file, self_test="[targets" not in file).startswith(expected)


def test_a_file_that_is_not_utf_8() -> None:
    Path("latin.toml").write_bytes(b'[defaults]\nplan = "fr\xe9e"\n')
    assert complaint(config="latin.toml") == "latin.toml: not UTF-8 at byte 21, so not TOML"


def test_a_windows_file_is_read_like_any_other() -> None:
    Path("windows.toml").write_bytes(b'\xef\xbb\xbf[defaults]\r\nplan = "pro"\r\n')
    assert configured(config="windows.toml", app="m:a").targets[0].plan == "pro"


def test_a_file_that_is_too_large_is_not_read_completely() -> None:
    Path("large.toml").write_bytes(b"#" * 8_000_001)
    assert complaint(config="large.toml").startswith("large.toml: larger than 8 MB")
    assert complaint(config="/dev/zero").startswith("/dev/zero: larger than 8 MB")
