"""A run's configuration is checked before anything is sent; each error is one line that says what to do."""

from __future__ import annotations

import base64
import contextlib
from collections.abc import Mapping
from datetime import date
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from petcheck.config.load import configure
from petcheck.config.options import OPTIONS, Config
from petcheck.config.targets import Embedded, TargetConfig, Url
from petcheck.errors import ConfigError
from petcheck.spec.outcomes import Waiver
from petcheck.stream.lines import Label, Subject
from petcheck.wire.credentials import ApiKey
from tests.config.configured import EXAMINED, KEY, STAGING, TODAY, addresses, complaint, configured


def test_without_options_the_embedded_server_is_judged() -> None:
    reference = TargetConfig("reference", Embedded(), "pro", writes=True, exhaust=True)
    assert configured(environment={}) == Config(as_of=TODAY, seed=7, targets=(reference,), populate=101)


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
        min_examined=" 90% ",
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
            TargetConfig("staging", Url("https://a.example/v1", ApiKey("k-123")), "pro", True, -3, exhaust=True),
            TargetConfig("production", Url("https://b.example/v1", ApiKey("k-123")), "pro", False, -3, exhaust=True),
        ),
        max_requests=50,
        max_wait=0.0,
        examples=0,
        strict=True,
        min_examined="90%",
        dry_run=True,
        reports=Path("there/and/here"),
        timeout=0.5,
        ca_bundle="authorities.pem",
        given=config.given,
    )
    assert not Path("there").exists()


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
        [[gap]]
        requirement = "LIST-3"
        target = "staging"
        reason = "ticket 8"
        expires = 2027-02-04
        """,
        environment={"PETSTORE_API_KEY_STAGING": "s-1234", "PETSTORE_API_KEY": "k-1234"},
    )
    assert config.targets == (
        TargetConfig("staging", Url("https://staging.example/v1", ApiKey("s-1234")), "free", True, 4),
        TargetConfig("production", Url("https://example/v1", ApiKey("k-1234"))),
    )
    assert (config.max_requests, config.strict, config.timeout) == (100, True, 2.5)
    assert config.as_of == date(2027, 1, 1)
    assert config.waivers == (
        Waiver("LIST-5", "staging", "ticket 7", date(2027, 2, 3)),
        Waiver("LIST-3", "staging", "ticket 8", date(2027, 2, 4), gap=True),
    )


def test_the_command_line_overrides_the_file() -> None:
    file = '[defaults]\ntimeout = 5\nstrict = true\n[targets.staging]\nurl = "https://a.example/v1"\nplan = "pro"\n'
    config = configured(file, timeout="1", plan="free", target=["staging=https://b.example/v1"])
    assert (config.timeout, config.strict) == (1.0, True)
    assert config.targets == (TargetConfig("staging", Url("https://b.example/v1", ApiKey("k-123")), "free"),)


LABELS = "[defaults]\nlabel = ['build=1', 'ticket=PET-4']\nsubject = 'shop@sha256:" + "a" * 64 + "'\n"


def test_what_was_tested_is_given_in_words() -> None:
    image = "r.example/shop:1@sha256:" + "e" * 64
    config = configured(target=[STAGING], label=["build=17 42", "ticket=a=b"], subject=[image])
    assert config.labels == (Label("build", "17 42"), Label("ticket", "a=b"))
    assert config.subjects == (Subject("r.example/shop:1", "e" * 64),)
    in_file = configured(LABELS, target=[STAGING])
    assert (in_file.labels, in_file.subjects) == (
        (Label("build", "1"), Label("ticket", "PET-4")),
        (Subject("shop", "a" * 64),),
    )
    assert configured(LABELS, target=[STAGING], label=["build=2"]).labels == (Label("build", "2"),)


CANARY = "canary-Key/0123456789"
SHAPES = {
    "as it is": CANARY,
    "in capitals": CANARY.upper(),
    "escaped": quote(CANARY, safe=""),
    "in base64": base64.b64encode(CANARY.encode()).decode(),
    "in hex": CANARY.encode().hex(),
    "half": CANARY[: len(CANARY) // 2 + 4],
}


@pytest.mark.parametrize("place", ["label", "subject", "file"])
@pytest.mark.parametrize("shape", SHAPES)
def test_a_label_never_has_the_key(shape: str, place: str) -> None:
    said = SHAPES[shape]
    ways: dict[str, dict[str, Any]] = {
        "label": {"label": ["build=1", f"by=me {said}!"]},
        "subject": {"subject": [f"shop/{said}@sha256:{'a' * 64}"]},
        "file": {"file": f"[defaults]\nlabel = ['by={said}']\n"},
    }
    options = ways[place]
    file = options.pop("file", "")
    message = complaint(file, target=[STAGING], environment={"PETSTORE_API_KEY": CANARY}, **options)
    assert "contains the API key" in message
    assert said not in message


REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "a label without a value": ({"label": ["build"]}, "--label build: write it as NAME=VALUE, as in build=1742"),
    "an empty label": ({"label": ["build= "]}, "--label build= : write it as NAME=VALUE"),
    "a label with a name of two words": ({"label": ["a b=c"]}, "--label a b=c: write it as NAME=VALUE"),
    "a label of two lines": ({"label": ["a=b\nc"]}, "--label a=b c: write it as NAME=VALUE"),
    "a label twice": ({"label": ["a=b", "a=c"]}, "--label a=c: a is given twice; give it once"),
    "an artifact without a digest": (
        {"subject": ["shop"]},
        "--subject shop: write it as NAME@sha256: and the",
    ),
    "an artifact by another digest": ({"subject": ["shop@md5:00"]}, "--subject shop@md5:00: write it as NAME@sha256:"),
    "no key": (
        {"target": [STAGING], "environment": {}},
        "no API key for target 'target': set PETSTORE_API_KEY in the environment",
    ),
    "a blank key": (
        {"target": [STAGING], "environment": {"PETSTORE_API_KEY": "  "}},
        "PETSTORE_API_KEY is empty, so there is no API key for target 'target'",
    ),
    "no key of a name": (
        {"target": [f"eu-west={STAGING}"], "environment": {}},
        "no API key for target 'eu-west': set PETSTORE_API_KEY_EU_WEST or PETSTORE_API_KEY in the environment",
    ),
    "a key with a space": (
        {"target": [STAGING], "environment": {"PETSTORE_API_KEY": "a b"}},
        "PETSTORE_API_KEY: a key must have only printable ASCII characters, and no spaces",
    ),
    "a key with an umlaut": (
        {"target": [STAGING], "environment": {"PETSTORE_API_KEY": "ä"}},
        "PETSTORE_API_KEY: a key must have",
    ),
    "no scheme": ({"target": ["host/v1"]}, "--target host/v1: not an http or https URL; write it as https://host/v1"),
    "another scheme": ({"target": ["ftp://host/v1"]}, "--target ftp://host/v1: not an http or https URL"),
    "a host and a port": ({"target": ["localhost:8080/v1"]}, "--target localhost:8080/v1: not an http or https URL"),
    "no host": ({"target": ["https:///v1"]}, "--target https:///v1: not an http or https URL"),
    "an empty URL": ({"target": [""]}, "--target '': not an http or https URL"),
    "a port that is none": (
        {"target": ["https://h:99999/v1"]},
        "--target https://h:99999/v1: not a URL (Port out of range 0-65535)",
    ),
    "a bracket": ({"target": ["https://[::1/v1"]}, "--target https://[:…/v1: not a URL (Invalid IPv6 URL)"),
    "a password": (
        {"target": ["https://u:p@h/v1"]},
        "--target https://…@h/v1: a URL must not have a user or password; put the key into PETSTORE_API_KEY",
    ),
    "a query": ({"target": ["https://h/v1?a=b"]}, "--target https://h/v1?…: a URL must not have a query or a fragment"),
    "a fragment": (
        {"target": ["https://h/v1#a"]},
        "--target https://h/v1#…: a URL must not have a query or a fragment",
    ),
    "a space": ({"target": ["https://h/a b"]}, "--target 'https://h/a b': a URL must not have spaces"),
    "a line": ({"target": ["https://h/\nv1"]}, "--target 'https://h/\\nv1': a URL must not have spaces"),
    "a terminal's escape": ({"target": ["\x1b[31m"]}, "--target \N{REPLACEMENT CHARACTER}[31m: not an http"),
    "http to a foreign host": (
        {"target": ["http://far.example/v1"]},
        "--target http://far.example/v1: the key would be sent unencrypted; use https, or allow it with "
        "--insecure-http",
    ),
    "http to one that only looks local": (
        {"target": ["http://localhost.example/v1"]},
        "--target http://localhost.example/v1: the key would",
    ),
    "http to an address that only looks local": (
        {"target": ["http://127.0.0.1.example/v1"]},
        "--target http://127.0.0.1.example/v1: the key",
    ),
    "http to every address": ({"target": ["http://0.0.0.0/v1"]}, "--target http://0.0.0.0/v1: the key would be sent"),
    "http by way of a user": (
        {"target": ["http://localhost@far.example/v1"]},
        "--target http://…@far.example/v1: a URL must not have a user",
    ),
    "two of one name": (
        {"target": [STAGING, STAGING]},
        f"--target {STAGING}: two targets are named 'target'; give each a name, as in --target staging=URL",
    ),
    "an empty name": ({"target": [f"={STAGING}"]}, f"--target ={STAGING}: a name has letters, digits, - and _ only"),
    "an odd name": (
        {"target": [f"a b={STAGING}"]},
        f"--target a b={STAGING}: a name has letters, digits, - and _ only",
    ),
    "writes to nobody": (
        {"target": [f"a={STAGING}"], "allow_writes": "b"},
        "--allow-writes=b: no target has that name; targets: a",
    ),
    "app and target": ({"target": [STAGING], "app": "m:a"}, "give either --app or --target, not both"),
    "a self-test and a target": (
        {"target": [STAGING], "self_test": True},
        "--self-test tests petcheck itself: leave out --self-test or --target",
    ),
    "a self-test and an app": (
        {"app": "m:a", "self_test": True},
        "--self-test tests petcheck itself: leave out --self-test or --app",
    ),
    "no target in CI": (
        {"environment": {"CI": "true"}},
        "no target; give --target URL, or --self-test to test petcheck itself",
    ),
    "no target in CI, with a choice": ({"environment": {"CI": "1"}, "choose": ["CREATE-5"]}, "no target; give"),
    "a file without a target": (
        {"file": "[defaults]\nstrict = true\n"},
        "petcheck.toml names no target; give --target URL, or --self-test to test petcheck itself",
    ),
    "a named file without a target": (
        {"config": "petcheck.toml", "file": "", "environment": {}},
        "petcheck.toml names no target; give",
    ),
    "an app without a key": (
        {"app": "shop.main:app", "environment": {}},
        "no API key for target 'target': set PETSTORE_API_KEY in the environment",
    ),
    "writes to an app by name": (
        {"app": "shop.main:app", "allow_writes": "target"},
        "--allow-writes=target: no target has that name; targets: none",
    ),
    "an app without a name": (
        {"app": "shop.main"},
        "--app shop.main: write it as module:application, as in shop.main:app",
    ),
    "no plan": ({"plan": "gold"}, "--plan gold: no such plan; plans: free, pro, business, enterprise"),
    "nearly a plan": ({"plan": "buisness"}, "--plan buisness: no such plan; did you mean business?"),
    "no date": ({"as_of": "5.12.2030"}, "--as-of 5.12.2030: not a date; write it as YYYY-MM-DD"),
    "no day": ({"as_of": "2030-02-30"}, "--as-of 2030-02-30: not a date; write it as YYYY-MM-DD"),
    "no set": (
        {"requirements_as_of": "1.0"},
        "--requirements-as-of 1.0: no such set of requirements; sets: 0.1.0",
    ),
    "no authority": ({"timestamp_url": "tsa"}, "--timestamp-url tsa: not an http or https URL"),
    "no dashes": ({"as_of": "20301205"}, "--as-of 20301205: not a date; write it as YYYY-MM-DD"),
    "an underscore": ({"seed": "1_0"}, "--seed 1_0: not a whole number"),
    "other digits": ({"max_requests": "١٢"}, "--max-requests ١٢: not a whole number"),
    "no number": ({"max_requests": "many"}, "--max-requests many: not a whole number"),
    "no requests": ({"max_requests": "0"}, "--max-requests 0: must be 1 or more"),
    "less than no examples": ({"examples": "-1"}, "--examples -1: must be 0 or more"),
    "a negative seed": ({"seed": "-1"}, "--seed -1: must be 0 or more"),
    "no number or share": ({"min_examined": "most"}, "--min-examined most: write it as a number of requirements (50)"),
    "none to examine": ({"min_examined": "0"}, "--min-examined 0: write it"),
    "more than there are": (
        {"min_examined": "1000"},
        f"--min-examined 1000: only {EXAMINED} can be examined; give {EXAMINED} or less",
    ),
    "more at once than a server takes": ({"connections": 1000}, "--connections 1000: must be 100 or less"),
    "more than all": ({"min_examined": "101%"}, "--min-examined 101%: write it"),
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
    "reports without a name": ({"reports": ""}, "--reports '': must be text in quotes, and not empty"),
    "a variable that was written otherwise": (
        {"target": [STAGING], "environment": {"PETSTORE_APIKEY": "k-123"}},
        "no API key for target 'target': set PETSTORE_API_KEY in the environment (there is PETSTORE_APIKEY)",
    ),
    "reports below a file": (
        {"reports": "petcheck.toml/x", "file": "", "self_test": True},
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


def test_a_message_is_short_whatever_was_given() -> None:
    message = complaint(plan="x" * 5000)
    assert len(message) < 500
    assert message.startswith("--plan xxx")
    assert message.endswith("x: no such plan; plans: free, pro, business, enterprise")


def test_a_bundle_without_a_certificate() -> None:
    Path("empty.pem").write_text("nothing\n")
    assert complaint(ca_bundle="empty.pem") == (
        "--ca-bundle empty.pem: contains no certificate; give a PEM file of certificate authorities"
    )


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
    """A value in TOML, in one line."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, dict):
        return "{" + ", ".join(f"{toml(str(name))} = {toml(inner)}" for name, inner in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(toml, value)) + "]"
    if isinstance(value, str):
        return '"' + "".join(f"\\U{ord(character):08x}" for character in value) + '"'
    return str(value)


def assert_to_one_line(options: Mapping[str, Any]) -> None:
    with contextlib.suppress(ConfigError):
        try:
            config = configure(options, KEY, today=TODAY, seed=1)
        except ConfigError as refused:
            message = str(refused)
            assert message
            assert message.splitlines() == [message]
            assert message.isprintable()
            raise
        assert config.targets
        assert all(address.startswith(("http", "HTTP")) for address in addresses(config))


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=300)
@given(GIVEN)
def test_any_options_are_accepted_or_refused_in_one_line(options: dict[str, Any]) -> None:
    assert_to_one_line(options)


@pytest.mark.slow
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=300)
@given(FILES)
def test_any_toml_file_is_accepted_or_refused_in_one_line(content: dict[str, Any]) -> None:
    Path("fuzz.toml").write_text("".join(f"{name} = {toml(value)}\n" for name, value in content.items()))
    assert_to_one_line({"config": "fuzz.toml"})


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.binary(max_size=60) | st.text(max_size=60).map(lambda text: text.encode("utf-8", "surrogatepass")))
def test_any_file_is_accepted_or_refused_in_one_line(content: bytes) -> None:
    Path("fuzz.toml").write_bytes(content)
    assert_to_one_line({"config": "fuzz.toml"})


def certificate() -> str:
    """A certificate that this machine trusts."""
    import ssl

    paths = ssl.get_default_verify_paths()
    for place in (paths.cafile, paths.openssl_cafile):
        if place and Path(place).is_file():
            text = Path(place).read_text(encoding="utf-8")
            end = "-----END CERTIFICATE-----\n"
            return text[text.index("-----BEGIN CERTIFICATE") : text.index(end) + len(end)]
    pytest.skip("this machine trusts no certificate authority")
