"""The head of a stream holds the settings that decide, and is the same on the way back."""

from __future__ import annotations

import json
from dataclasses import fields
from datetime import UTC, date, datetime

from hypothesis import given
from hypothesis import strategies as st

from petcheck.config.options import Config
from petcheck.config.targets import TargetConfig, Url
from petcheck.runner.head import head_of
from petcheck.spec.catalogue import catalogue
from petcheck.spec.figures import INT64_MAX, INT64_MIN, PLANS
from petcheck.spec.outcomes import Waiver
from petcheck.stream.lines import Head, RunSettings, ShardInfo, TargetSettings
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
    shard=st.none() | st.builds(ShardInfo, st.integers(1), st.integers(1), st.integers(1), WORDS),
)


@given(CONFIGS)
def test_the_head_holds_what_decides_and_is_read_back(config: Config) -> None:
    head = head_of(config, datetime(2026, 11, 22, tzinfo=UTC))
    assert typed(Head, json.loads(json.dumps(plain(head)))) == head
    assert [(one.plan, one.writes, one.exhaust, one.category_id) for one in head.targets] == [
        (one.plan, one.writes, one.exhaust, one.category_id) for one in config.targets
    ]
    recorded = (head.settings.max_requests, head.settings.examples, head.settings.waivers, head.settings.populate)
    assert recorded == (config.max_requests, config.examples, config.waivers, config.populate)
    assert (head.settings.strict, head.settings.seed_given) == (config.strict, config.repeats)
    assert head.settings.choice == (None if config.choice is None else tuple(sorted(config.choice)))


def test_no_field_of_the_stream_is_left_at_its_default_by_mistake() -> None:
    of_the_run, of_a_target = ({each.name for each in fields(kind)} for kind in (Config, TargetConfig))
    assert {each.name for each in fields(RunSettings)} - of_the_run == {"seed_given", "traffic"}
    assert {each.name for each in fields(TargetSettings)} - of_a_target == {"base_url", "reach"}


def test_no_key_is_recorded() -> None:
    head = head_of(configured(target=[STAGING]), datetime(2026, 11, 22, tzinfo=UTC))
    assert "k-123" not in json.dumps(plain(head))
