"""Each kind of target is resolved to one complete value: given by URL, an application, the embedded server."""

from __future__ import annotations

from typing import Any

import pytest

from petcheck.config.targets import App, Embedded, TargetConfig, Url, sharing_quotas
from petcheck.wire.credentials import ApiKey
from tests.config.configured import STAGING, configured


def test_the_embedded_server_allows_everything_on_any_plan() -> None:
    config = configured(environment={}, plan="free", category_id="3", allow_writes=False)
    assert config.targets == (TargetConfig("reference", Embedded(), "free", writes=True, exhaust=True),)


def test_the_embedded_server_is_judged_only_where_nobody_expects_another() -> None:
    everywhere = [{}, {"CI": ""}, {"CI": "false"}]
    assert [configured(environment=one).targets[0].source for one in everywhere] == [Embedded()] * 3
    for environment in ({}, {"CI": "true"}):
        file = f'[targets.staging]\nurl = "{STAGING}"\n[defaults]\nstrict = true\n'
        config = configured(file, environment=environment, self_test=True)
        assert ([target.source for target in config.targets], config.strict) == ([Embedded()], True)


def test_an_application_is_a_target_like_any_other() -> None:
    options: dict[str, Any] = {"plan": "free", "allow_writes": "*", "category_id": "3", "exhaust_rate_limit": True}
    source = App("shop.main:app", ApiKey("k-123"))
    assert configured(app="shop.main:app", **options).targets == (
        TargetConfig("target", source, "free", writes=True, category_id=3, exhaust=True),
    )
    assert configured(app="shop.main:app").targets == (TargetConfig("target", source),)


def test_an_application_replaces_the_targets_in_the_file() -> None:
    config = configured(f'[targets.staging]\nurl = "{STAGING}"\n', app="shop.main:app")
    assert [target.source for target in config.targets] == [App("shop.main:app", ApiKey("k-123"))]


@pytest.mark.parametrize(
    ("other", "key", "first"),
    [
        ("https://a.example/shop/v1", "k-123", "a"),
        ("https://A.example:443/v1", "k-123", "a"),
        ("https://a.example/v1", "k-456", "b"),
        ("https://b.example/v1", "k-123", "b"),
        ("https://a.example:8443/v1", "k-123", "b"),
        ("http://a.example/v1", "k-123", "b"),
    ],
)
def test_targets_with_the_same_server_and_key_share_a_quota(other: str, key: str, first: str) -> None:
    urls = {"a": ("https://a.example/v1", "k-123"), "b": (other, key)}
    targets = [TargetConfig(name, Url(url, ApiKey(secret))) for name, (url, secret) in urls.items()]
    assert sharing_quotas(targets) == {"a": "a", "b": first}


def test_an_application_shares_no_quota() -> None:
    targets = [TargetConfig(name, App("shop.main:app", ApiKey("k-123"))) for name in "ab"]
    assert sharing_quotas(targets) == {"a": "a", "b": "b"}


def test_the_permission_to_use_up_the_quota_applies_to_every_target() -> None:
    targets = ["a=https://a.example/v1", "b=https://b.example/v1"]
    assert [target.exhaust for target in configured(target=targets, exhaust_rate_limit=True).targets] == [True, True]
    assert [target.exhaust for target in configured(target=targets).targets] == [False, False]


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
def test_writes_are_allowed_to_named_targets(writes: str | None, allowed: list[bool]) -> None:
    config = configured(target=["a=https://a.example/v1", "b=https://b.example/v1"], allow_writes=writes)
    assert [target.writes for target in config.targets] == allowed
