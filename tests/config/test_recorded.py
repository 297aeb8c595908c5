"""The settings in a recording: complete, the same on the way back, and refused if no run records them."""

from __future__ import annotations

import json
from dataclasses import fields, replace
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from petcheck.config.options import OPTIONS, Config
from petcheck.config.recorded import settings_of
from petcheck.config.shards import Shard
from petcheck.config.targets import TargetConfig, Url
from petcheck.config.waivers import WaiverUpdate
from petcheck.runner.head import head_of
from petcheck.spec.catalogue import catalogue
from petcheck.spec.figures import INT64_MAX, INT64_MIN, PLANS
from petcheck.spec.outcomes import Waiver
from petcheck.stream.lines import Head
from petcheck.stream.typed import plain, typed
from petcheck.wire.credentials import ApiKey
from tests.config.configured import STAGING, configured

SOURCE = Url(STAGING, ApiKey("k-123"))
DAYS = st.dates(min_value=date(1000, 1, 1))
WORDS = st.text(min_size=1).filter(str.strip)
SECONDS = st.floats(0.001, 999_999)
IDS = st.sampled_from([entry.id for entry in catalogue().judged])
NAMES = st.lists(st.sampled_from(["a", "b", "eu-west"]), min_size=1, unique=True)
CONFIGS = st.builds(
    Config,
    as_of=DAYS,
    seed=st.integers(0),
    targets=NAMES.flatmap(
        lambda names: st.tuples(
            *(
                st.builds(
                    TargetConfig,
                    st.just(name),
                    st.just(SOURCE),
                    st.none() | st.sampled_from([*PLANS]),
                    st.booleans(),
                    st.none() | st.integers(INT64_MIN, INT64_MAX),
                    exhaust=st.booleans(),
                )
                for name in names
            )
        )
    ),
    choice=st.none() | st.frozensets(IDS),
    populate=st.none() | st.integers(1),
    max_requests=st.integers(1),
    max_wait=st.just(0.0) | SECONDS,
    examples=st.none() | st.integers(0),
    repeats=st.booleans(),
    strict=st.booleans(),
    reports=st.none(),
    timeout=SECONDS,
    waivers=st.lists(st.builds(Waiver, IDS, WORDS, WORDS, DAYS)).map(tuple),
    given=st.dictionaries(st.text(), st.booleans() | st.text() | st.lists(st.text())),
    shard=st.none() | st.builds(Shard, st.integers(1), st.integers(1), st.integers(1), WORDS),
)
# what only says where things are, or what to do with them
NOT_RECORDED: dict[str, Any] = {
    "failed": True,
    "dry_run": True,
    "reports": Path("elsewhere"),
    "sign_key": Path("key.pem"),
    "ca_bundle": "authorities.pem",
    "waiver_update": WaiverUpdate(Path("petcheck.toml"), "ticket 7", date(2030, 1, 1)),
}


@given(CONFIGS)
def test_what_is_recorded_is_json_and_the_head_reads_it(config: Config) -> None:
    assert json.loads(json.dumps(settings_of(config))) == settings_of(config)
    head = head_of(config, datetime(2026, 11, 22, tzinfo=UTC))
    assert typed(Head, json.loads(json.dumps(plain(head)))) == head
    assert [target.plan for target in head.targets] == [target.plan for target in config.targets]


def test_every_field_is_recorded_or_named_here() -> None:
    config = configured(target=[STAGING])
    assert {each.name for each in fields(Config)} == settings_of(config).keys() | NOT_RECORDED.keys()
    assert settings_of(replace(config, **NOT_RECORDED)) == settings_of(config)


def test_every_option_that_decides_is_recorded() -> None:
    settings: dict[str, Any] = settings_of(configured(target=[STAGING]))
    fields_of_options = {option.field for option in OPTIONS if option.decides}
    assert settings.keys() | settings["targets"][0].keys() == fields_of_options | {
        *("targets", "name", "waivers", "repeats", "given"),
    }


def test_no_key_is_recorded() -> None:
    assert "k-123" not in json.dumps(settings_of(configured(target=[STAGING])))
