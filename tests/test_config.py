"""What a run is told is checked whole before anything is sent; each mistake gets one line that says what to do."""

# ruff: noqa: E501 - messages are quoted as they come

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from petcheck.config import Config, TargetConfig, configure
from petcheck.judging.verdicts import Waiver
from petcheck.key import ApiKey
from petcheck.options import OPTIONS
from petcheck.values import ConfigError

TODAY = date(2026, 11, 21)
KEY = {"PETSTORE_API_KEY": "k-123"}
STAGING = "https://staging.example/v1"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def configured(file: str | None = None, *, environment: Mapping[str, str] = KEY, **options: Any) -> Config:
    """The configuration of options (`max_requests=5`) and of the text of a petcheck.toml."""
    if file is not None:
        Path("petcheck.toml").write_text(file, encoding="utf-8")
    given = {name.replace("_", "-"): value for name, value in options.items()}
    return configure(given, environment, today=TODAY, seed=7)


def complaint(file: str | None = None, **how: Any) -> str:
    """The one line that a configuration is refused with."""
    with pytest.raises(ConfigError) as refused:
        configured(file, **how)
    message = str(refused.value)
    assert message.splitlines() == [message]
    assert message.isprintable()
    return message


# ---- what is taken


def test_without_a_word_the_embedded_server_is_judged() -> None:
    assert configured(environment={}) == Config(as_of=TODAY, seed=7)


def test_every_option() -> None:
    Path("authorities.pem").write_text(certificate())
    config = configured(
        target=["staging=https://a.example/v1/", "production=https://b.example/v1"],
        allow_writes="staging",
        exhaust_rate_limit=True,
        plan="Pro",
        as_of="2030-12-05",
        category_id="-3",
        max_requests="50",
        max_wait="0",
        examples="0",
        seed="0",
        strict=True,
        dry_run=True,
        reports="there/and/here",
        timeout="0.5",
        ca_bundle="authorities.pem",
    )
    assert config == Config(
        as_of=date(2030, 12, 5),
        seed=0,
        repeats=True,
        targets=(
            TargetConfig("staging", "https://a.example/v1", ApiKey("k-123"), "pro", writes=True, category_id=-3),
            TargetConfig("production", "https://b.example/v1", ApiKey("k-123"), "pro", writes=False, category_id=-3),
        ),
        plan="pro",
        category_id=-3,
        exhaust=True,
        max_requests=50,
        max_wait=0.0,
        examples=0,
        strict=True,
        dry_run=True,
        reports=Path("there/and/here"),
        timeout=0.5,
        ca_bundle="authorities.pem",
        given=config.given,
    )
    assert Path("there/and/here").is_dir()
    assert list(Path("there/and/here").iterdir()) == []


def test_every_setting_of_a_file() -> None:
    config = configured(
        """
        [targets.staging]
        url = "https://staging.example/v1"
        plan = "free"
        allow-writes = true
        category-id = 4
        [targets.production]
        url = "https://example/v1"
        [defaults]
        max_requests = 100
        strict = true
        allow-writes = false
        exhaust-rate-limit = false
        as-of = 2027-01-01
        timeout = 2.5
        [[waivers]]
        requirement = "LIST-5"
        target = "staging"
        reason = "ticket 7"
        expires = 2027-02-03
        """,
        environment={"PETSTORE_API_KEY_STAGING": "s-1234", "PETSTORE_API_KEY": "k-1234"},
    )
    assert config.targets == (
        TargetConfig("staging", "https://staging.example/v1", ApiKey("s-1234"), "free", writes=True, category_id=4),
        TargetConfig("production", "https://example/v1", ApiKey("k-1234")),
    )
    assert (config.max_requests, config.strict, config.timeout, config.exhaust) == (100, True, 2.5, False)
    assert config.as_of == date(2027, 1, 1)
    assert config.waivers == (Waiver("LIST-5", "staging", "ticket 7", date(2027, 2, 3)),)


def test_the_command_line_counts_for_more_than_the_file() -> None:
    file = '[defaults]\ntimeout = 5\nstrict = true\n[targets.staging]\nurl = "https://a.example/v1"\nplan = "pro"\n'
    config = configured(file, timeout="1", plan="free", target=["staging=https://b.example/v1"])
    assert (config.timeout, config.strict) == (1.0, True)
    assert config.targets == (TargetConfig("staging", "https://b.example/v1", ApiKey("k-123"), "free"),)


@pytest.mark.parametrize(
    ("writes", "allowed"),
    [
        (None, [False, False]),
        ("*", [True, True]),
        ("b", [False, True]),
        ("a, b", [True, True]),
        (False, [False, False]),
    ],
)
def test_writes_are_allowed_to_those_named(writes: str | None, allowed: list[bool]) -> None:
    config = configured(target=["a=https://a.example/v1", "b=https://b.example/v1"], allow_writes=writes)
    assert [target.writes for target in config.targets] == allowed


@pytest.mark.parametrize(
    "url",
    [
        "https://host/v1",
        "https://host:8443/deep/er/v1",
        "HTTPS://host/v1",
        "http://localhost:8080/v1",
        "http://127.0.0.1/v1",
        "http://127.9.9.9/v1",
        "http://[::1]:8080/v1",
        "http://shop.localhost/v1",
    ],
)
def test_urls_that_are_taken(url: str) -> None:
    assert configured(target=[url]).targets[0].base_url == url


def test_http_to_a_foreign_host_on_request() -> None:
    assert (
        configured(target=["http://far.example/v1"], insecure_http=True).targets[0].base_url == "http://far.example/v1"
    )


# ---- what is refused

REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "no key": (
        {"target": [STAGING], "environment": {}},
        "no API key for target 'target': set PETSTORE_API_KEY in the environment",
    ),
    "a blank key": ({"target": [STAGING], "environment": {"PETSTORE_API_KEY": "  "}}, "no API key for target 'target'"),
    "no key of a name": (
        {"target": [f"eu-west={STAGING}"], "environment": {}},
        "no API key for target 'eu-west': set PETSTORE_API_KEY_EU_WEST or PETSTORE_API_KEY in the environment",
    ),
    "a key with a space": (
        {"target": [STAGING], "environment": {"PETSTORE_API_KEY": "a b"}},
        "PETSTORE_API_KEY: a key has printable ASCII characters only, and no spaces",
    ),
    "a key with an umlaut": (
        {"target": [STAGING], "environment": {"PETSTORE_API_KEY": "ä"}},
        "PETSTORE_API_KEY: a key has",
    ),
    "no scheme": ({"target": ["host/v1"]}, "--target host/v1: not an http or https URL; write it as https://host/v1"),
    "another scheme": ({"target": ["ftp://host/v1"]}, "--target ftp://host/v1: not an http or https URL"),
    "a host and a port": ({"target": ["localhost:8080/v1"]}, "--target localhost:8080/v1: not an http or https URL"),
    "no host": ({"target": ["https:///v1"]}, "--target https:///v1: not an http or https URL"),
    "an empty URL": ({"target": [""]}, "--target : not an http or https URL"),
    "a port that is none": (
        {"target": ["https://h:99999/v1"]},
        "--target https://h:99999/v1: not a URL (Port out of range 0-65535)",
    ),
    "a bracket": ({"target": ["https://[::1/v1"]}, "--target https://[:…/v1: not a URL (Invalid IPv6 URL)"),
    "a password": (
        {"target": ["https://u:p@h/v1"]},
        "--target https://…@h/v1: a URL must not hold a user or password; the key goes into PETSTORE_API_KEY",
    ),
    "a query": ({"target": ["https://h/v1?a=b"]}, "--target https://h/v1?…: a base URL has no query and no fragment"),
    "a fragment": ({"target": ["https://h/v1#a"]}, "--target https://h/v1#…: a base URL has no query and no fragment"),
    "a space": ({"target": ["https://h/a b"]}, "--target 'https://h/a b': a URL holds no spaces"),
    "a line": ({"target": ["https://h/\nv1"]}, "--target 'https://h/\\nv1': a URL holds no spaces"),
    "a terminal's escape": ({"target": ["\x1b[31m"]}, "--target \N{REPLACEMENT CHARACTER}[31m: not an http"),
    "http to a foreign host": (
        {"target": ["http://far.example/v1"]},
        "--target http://far.example/v1: the key would travel unencrypted; use https, or allow it with --insecure-http",
    ),
    "http to one that only looks local": (
        {"target": ["http://localhost.example/v1"]},
        "--target http://localhost.example/v1: the key would",
    ),
    "http to an address that only looks local": (
        {"target": ["http://127.0.0.1.example/v1"]},
        "--target http://127.0.0.1.example/v1: the key",
    ),
    "http to every address": ({"target": ["http://0.0.0.0/v1"]}, "--target http://0.0.0.0/v1: the key would travel"),
    "http by way of a user": (
        {"target": ["http://localhost@far.example/v1"]},
        "--target http://…@far.example/v1: a URL must not hold a user",
    ),
    "two of one name": (
        {"target": [STAGING, STAGING]},
        f"--target {STAGING}: two targets are called 'target'; name them, as in --target staging=URL",
    ),
    "an empty name": ({"target": [f"={STAGING}"]}, f"--target ={STAGING}: a name has letters, digits, - and _ only"),
    "an odd name": (
        {"target": [f"a b={STAGING}"]},
        f"--target a b={STAGING}: a name has letters, digits, - and _ only",
    ),
    "writes to nobody": (
        {"target": [f"a={STAGING}"], "allow_writes": "b"},
        "--allow-writes=b: no target has that name; there are a",
    ),
    "app and target": ({"target": [STAGING], "app": "m:a"}, "--app and --target exclude each other; give one of them"),
    "an app without a name": (
        {"app": "shop.main"},
        "--app shop.main: write it as module:application, as in shop.main:app",
    ),
    "no plan": ({"plan": "gold"}, "--plan gold: no such plan; there are free, pro, business, enterprise"),
    "nearly a plan": ({"plan": "buisness"}, "--plan buisness: no such plan; did you mean business"),
    "no date": ({"as_of": "5.12.2030"}, "--as-of 5.12.2030: not a date; write it as YYYY-MM-DD"),
    "no day": ({"as_of": "2030-02-30"}, "--as-of 2030-02-30: not a date; write it as YYYY-MM-DD"),
    "no number": ({"max_requests": "many"}, "--max-requests many: not a whole number"),
    "no requests": ({"max_requests": "0"}, "--max-requests 0: must be 1 or more"),
    "less than no examples": ({"examples": "-1"}, "--examples -1: must be 0 or more"),
    "a negative seed": ({"seed": "-1"}, "--seed -1: must be 0 or more"),
    "a fraction": ({"category_id": "1.5"}, "--category-id 1.5: not a whole number"),
    "a category beyond int64": (
        {"category_id": str(2**63)},
        f"--category-id {2**63}: a category is an int64, from -2^63 to 2^63-1",
    ),
    "no time": ({"timeout": "0"}, "--timeout 0: must be above 0 and below 1000000 seconds"),
    "not a number of seconds": ({"timeout": "nan"}, "--timeout nan: must be above 0"),
    "for ever": ({"max_wait": "inf"}, "--max-wait inf: must be above 0 and below 1000000 seconds"),
    "soon": ({"timeout": "soon"}, "--timeout soon: not a number of seconds"),
    "no bundle": (
        {"ca_bundle": "nowhere.pem"},
        "--ca-bundle nowhere.pem: cannot be read (No such file or directory); give a PEM file",
    ),
    "a folder as a bundle": ({"ca_bundle": "."}, "--ca-bundle .: "),
    "no file": (
        {"config": "nowhere.toml"},
        "nowhere.toml: cannot be read (No such file or directory); give --config another file",
    ),
    "a folder as a file": ({"config": "."}, ".: cannot be read (Is a directory); give --config another file"),
    "a name that no file can have": (
        {"config": "a\0b"},
        "a\N{REPLACEMENT CHARACTER}b: cannot be read (embedded null byte)",
    ),
    "reports without a name": ({"reports": ""}, "--reports '': must be a text in quotes, and not an empty one"),
    "a variable that was written otherwise": (
        {"target": [STAGING], "environment": {"PETSTORE_APIKEY": "k-123"}},
        "no API key for target 'target': set PETSTORE_API_KEY in the environment (there is PETSTORE_APIKEY)",
    ),
    "reports below a file": (
        {"reports": "petcheck.toml/x", "file": ""},
        "--reports petcheck.toml/x: cannot be written (Not a directory); give another folder",
    ),
    "reports in a name that is too long": (
        {"reports": "x" * 300},
        f"--reports {'x' * 300}: cannot be written (File name too long)",
    ),
}


@pytest.mark.parametrize(("how", "expected"), REFUSED.values(), ids=REFUSED)
def test_a_mistake_on_the_command_line(how: dict[str, Any], expected: str) -> None:
    message = complaint(**how)
    assert message.startswith(expected)
    assert len(message) < 500


IN_FILE = {
    "not TOML": ("a = ", "petcheck.toml: not TOML: Invalid value (at end of document)"),
    "an unknown table": ("[target.a]", "petcheck.toml: unknown setting 'target'; did you mean targets?"),
    "a table that is none": ("defaults = 3", "petcheck.toml: [defaults] must be a table"),
    "a target that is no table": (
        'targets.a = "https://h/v1"',
        "petcheck.toml: target 'a' needs a table with `url = \"https://…/v1\"`",
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
        "petcheck.toml: [targets.a]: unknown setting 'api-key'; known are url, plan",
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
        "petcheck.toml: [defaults] reports 1: must be a text in quotes",
    ),
    "a waiver with a number for a reason": (
        '[[waivers]]\nrequirement = "LIST-5"\ntarget = "a"\nreason = 1\nexpires = 2027-01-01',
        "petcheck.toml: waiver 1: `reason` 1: must be a text in quotes",
    ),
    "two tables of one name": (
        '[targets.a]\nurl = "https://h/v1"\n[targets.a]\nurl = "https://h/v1"',
        "petcheck.toml: not TOML: Cannot declare ('targets', 'a') twice",
    ),
    "a waiver that is no table": ("waivers = [3]", "petcheck.toml: waivers are written as [[waivers]] tables"),
    "a waiver without a reason": (
        '[[waivers]]\nrequirement = "LIST-5"\ntarget = "a"\nexpires = 2027-01-01',
        "petcheck.toml: waiver 1: `reason` is missing",
    ),
    "a waiver without an end": (
        '[[waivers]]\nrequirement = "LIST-5"\ntarget = "a"\nreason = "r"',
        "petcheck.toml: waiver 1: `expires` is missing",
    ),
    "a waiver of nothing": (
        '[[waivers]]\nrequirement = "LIST-99"\ntarget = "a"\nreason = "r"\nexpires = 2027-01-01',
        "petcheck.toml: waiver 1: no requirement 'LIST-99'; did you mean LIST-",
    ),
    "a waiver of an open point": (
        '[[waivers]]\nrequirement = "limit-zero"\ntarget = "a"\nreason = "r"\nexpires = 2027-01-01',
        "petcheck.toml: waiver 1: no requirement 'limit-zero'",
    ),
    "a waiver until some day": (
        '[[waivers]]\nrequirement = "LIST-5"\ntarget = "a"\nreason = "r"\nexpires = "soon"',
        "petcheck.toml: waiver 1: `expires` soon: not a date",
    ),
    "a waiver with more": (
        '[[waivers]]\nrequirement = "LIST-5"\nuntil = 1',
        "petcheck.toml: waiver 1: unknown setting 'until'",
    ),
    "a waiver for nobody": (
        '[targets.staging]\nurl = "https://h/v1"\n[[waivers]]\nrequirement = "LIST-5"\ntarget = "stagin"\nreason = "r"\nexpires = 2027-01-01',
        "petcheck.toml: waiver 1: no target 'stagin'; did you mean staging?",
    ),
}


@pytest.mark.parametrize(("file", "expected"), IN_FILE.values(), ids=IN_FILE)
def test_a_mistake_in_the_file(file: str, expected: str) -> None:
    assert complaint(file).startswith(expected)


def test_a_file_that_is_no_utf_8() -> None:
    Path("latin.toml").write_bytes(b'[defaults]\nplan = "fr\xe9e"\n')
    assert complaint(config="latin.toml") == "latin.toml: not UTF-8, and so no TOML, at byte 21"


def test_a_file_of_windows_is_read_like_any_other() -> None:
    Path("windows.toml").write_bytes(b'\xef\xbb\xbf[defaults]\r\nplan = "pro"\r\n')
    assert configured(config="windows.toml").plan == "pro"


def test_a_file_that_is_too_large_is_not_read_whole() -> None:
    Path("large.toml").write_bytes(b"#" * 1_000_001)
    assert complaint(config="large.toml").startswith("large.toml: more than a megabyte")
    assert complaint(config="/dev/zero").startswith("/dev/zero: more than a megabyte")


def test_a_message_is_short_whatever_was_given() -> None:
    message = complaint(plan="x" * 5000)
    assert len(message) < 500
    assert message.startswith("--plan xxx")
    assert message.endswith("x: no such plan; there are free, pro, business, enterprise")


def test_a_url_may_end_in_an_empty_query() -> None:
    assert configured(target=["https://h/v1/?"]).targets[0].base_url == "https://h/v1"


def test_a_bundle_without_a_certificate() -> None:
    Path("empty.pem").write_text("nothing\n")
    assert complaint(ca_bundle="empty.pem") == (
        "--ca-bundle empty.pem: holds no certificate; give a PEM file of certificate authorities"
    )


def test_no_message_shows_the_key() -> None:
    secret = "k-Zq93+ä"
    assert "Zq93" not in complaint(target=[STAGING], environment={"PETSTORE_API_KEY": secret})


@pytest.mark.parametrize(
    "url",
    [
        "https://SECRET@h/v1",
        "https://u:SECRET@h/v1",
        "https://:SECRET@h/v1",
        "https://@SECRET@h/v1",
        "u:SECRET@h/v1",
        "https://h/v1?key=SECRET",
        "https://h/v1?key=SECRET@x",
        "https://h/v1#SECRET",
        "h/v1?SECRET",
        "https://h:SECRET/v1",
        "h:SECRET/v1",
        "https://[::1]:SECRET/v1",
        "a b=https://h/v1?SECRET",
        "ftp://SECRET:SECRET@h/v1?SECRET#SECRET",
        "https://SECRET\N{FULLWIDTH SOLIDUS}@h/v1",
    ],
)
def test_no_message_shows_where_a_key_is_put_by_mistake(url: str) -> None:
    assert "SECRET" not in complaint(target=[url])
    assert "SECRET" not in complaint(target=[f"a={url}", f"a={url}"])
    assert "SECRET" not in complaint(f'[targets.a]\nurl = "{url.rpartition("a b=")[2]}"')


OWN = "K8vQw2zRt-Sx71"


@pytest.mark.parametrize(
    ("how", "where"),
    [
        ({"target": [f"https://h/{OWN}/v1"]}, "--target"),
        ({"target": [f"https://h/%4B{OWN[1:]}/v1"]}, "--target"),
        ({"target": [f"https://h/v1?key={OWN}"]}, "--target"),
        ({"reports": OWN}, "--reports"),
        ({"plan": OWN}, "--plan"),
        ({"config": OWN}, None),
        ({"file": f'[targets.a]\nurl = "https://h/v1"\nkey = "{OWN}"'}, "petcheck.toml"),
        ({"file": f'# {OWN}\n[targets.a]\nurl = "https://h/v1"'}, "petcheck.toml"),
    ],
)
def test_the_key_itself_is_refused_wherever_it_is_put_and_not_repeated(how: dict[str, Any], where: str | None) -> None:
    message = complaint(environment={"PETSTORE_API_KEY_OF_ANOTHER": OWN}, **how)
    assert OWN not in message
    if where is not None:
        assert message == f"{where} holds the API key; take it out, PETSTORE_API_KEY is the place for it"


def test_a_configuration_shows_no_key() -> None:
    assert "k-123" not in repr(configured(target=[STAGING]))


# ---- whatever is given

WORDS = st.text(max_size=20) | st.sampled_from(
    ["https://h/v1", "a=http://127.0.0.1/v1", "free", "2030-12-05", "1", "*", "a"]
)
ANYTHING = st.none() | st.booleans() | WORDS
GIVEN = st.fixed_dictionaries(
    {},
    optional={
        option.flag[2:]: st.lists(WORDS, max_size=3)
        if option.repeatable
        else st.none() | st.booleans()
        if option.metavar is None
        else st.none() | WORDS
        for option in OPTIONS
        if option.flag not in ("--reports", "--config")
    },
)
VALUES: st.SearchStrategy[Any] = st.recursive(
    st.booleans()
    | st.integers(-(2**70), 2**70)
    | st.floats()
    | st.text(st.characters(codec="utf-8"), max_size=9)
    | st.dates(min_value=date(1000, 1, 1))
    | st.sampled_from(["https://h/v1", "LIST-5", "free"]),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["url", "plan", "x"]), inner, max_size=3)
    ),
    max_leaves=4,
)
NAMES = [option.flag[2:] for option in OPTIONS if option.flag != "--reports"]
FILES = st.fixed_dictionaries(
    {},
    optional={
        "defaults": VALUES | st.dictionaries(st.sampled_from([*NAMES, "x"]), VALUES, max_size=4),
        "targets": VALUES
        | st.dictionaries(
            st.sampled_from(["a", "b c", "é", ""]),
            st.fixed_dictionaries(
                {"url": st.just("https://h/v1") | VALUES},
                optional=dict.fromkeys(("plan", "allow-writes", "category-id", "x"), VALUES),
            ),
            max_size=2,
        ),
        "waivers": VALUES
        | st.lists(
            st.fixed_dictionaries(
                {"requirement": st.just("LIST-5") | VALUES, "target": VALUES, "reason": VALUES, "expires": VALUES}
            ),
            max_size=2,
        ),
        "x": VALUES,
    },
)


def toml(value: Any) -> str:
    """A value as TOML would write it, in one line."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, dict):
        return "{" + ", ".join(f"{toml(str(name))} = {toml(inner)}" for name, inner in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(toml, value)) + "]"
    if isinstance(value, str):
        return '"' + "".join(f"\\U{ord(character):08x}" for character in value) + '"'
    return str(value)


def hold_to_one_line(options: Mapping[str, Any]) -> None:
    with contextlib.suppress(ConfigError):
        try:
            config = configure(options, KEY, today=TODAY, seed=1)
        except ConfigError as refused:
            message = str(refused)
            assert message
            assert message.splitlines() == [message]
            assert message.isprintable()
            raise
        assert all(target.base_url.startswith(("http", "HTTP")) for target in config.targets)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=120)
@given(GIVEN)
def test_any_options_are_taken_or_refused_in_one_line(options: dict[str, Any]) -> None:
    hold_to_one_line(options)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=120)
@given(FILES)
def test_any_file_of_toml_is_taken_or_refused_in_one_line(content: dict[str, Any]) -> None:
    Path("fuzz.toml").write_text("".join(f"{name} = {toml(value)}\n" for name, value in content.items()))
    hold_to_one_line({"config": "fuzz.toml"})


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.binary(max_size=60) | st.text(max_size=60).map(lambda text: text.encode("utf-8", "surrogatepass")))
def test_any_file_is_taken_or_refused_in_one_line(content: bytes) -> None:
    Path("fuzz.toml").write_bytes(content)
    hold_to_one_line({"config": "fuzz.toml"})


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.text(st.characters(exclude_characters="\0"), max_size=40))
def test_any_key_is_taken_or_refused_in_one_line(secret: str) -> None:
    readable = secret.strip() != "" and all("!" <= character <= "~" for character in secret.strip())
    key: object = None
    try:
        key = configure({"target": [STAGING]}, {"PETSTORE_API_KEY": secret}, today=TODAY, seed=1).targets[0].key
        refusal = None
    except ConfigError as error:
        refusal = str(error)
    if refusal is None:
        assert (readable, key) == (True, ApiKey(secret.strip()))
    else:
        assert refusal.isprintable()
        assert not readable or len(secret.strip()) <= len("X-RateLimit-Remaining")


def test_a_key_that_is_no_text_is_refused_in_one_line() -> None:
    message = complaint(
        target=[STAGING], environment={"PETSTORE_API_KEY": "0123456789\udcff", "PETSTORE_API_KEY_X": "ä" * 9}
    )
    assert message == "PETSTORE_API_KEY: a key has printable ASCII characters only, and no spaces"


@pytest.mark.parametrize("secret", ["key", "1795", "name", "Pending", "categoryid", "json", "remaining", "petcheck"])
def test_a_key_that_masking_would_take_for_evidence_is_refused(secret: str) -> None:
    with pytest.raises(ConfigError, match=r"^PETSTORE_API_KEY: the key is too short, or a word of the interface, .+$"):
        configure({"target": [STAGING]}, {"PETSTORE_API_KEY": secret}, today=TODAY, seed=1)


def certificate() -> str:
    """A certificate authority that somebody may trust."""
    import ssl

    paths = ssl.get_default_verify_paths()
    for place in (paths.cafile, paths.openssl_cafile):
        if place and Path(place).is_file():
            text = Path(place).read_text(encoding="utf-8")
            end = "-----END CERTIFICATE-----\n"
            return text[text.index("-----BEGIN CERTIFICATE") : text.index(end) + len(end)]
    pytest.skip("this machine trusts no certificate authority")
