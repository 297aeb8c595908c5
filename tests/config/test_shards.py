"""`--shard I/N` takes part of the targets: each target is in exactly one shard, and the same list is divided alike."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from petcheck.config.options import Config
from petcheck.stream.lines import ShardInfo
from tests.config.configured import KEY, complaint, configured

NAMES = ("a", "b", "c", "d", "e", "f", "g")
FILE = "".join(f'[targets.{name}]\nurl = "https://{name}.example/v1"\n' for name in NAMES)


def names(config: Config) -> list[str]:
    return [target.name for target in config.targets]


@given(targets=st.integers(1, 60), data=st.data())
def test_each_target_is_in_exactly_one_shard_and_none_is_empty(targets: int, data: st.DataObject) -> None:
    of = data.draw(st.integers(1, targets))
    listed = [f"t{number}" for number in range(targets)]
    parts = [[listed[place] for place in ShardInfo(number, of, targets, "").places] for number in range(1, of + 1)]
    assert [name for part in parts for name in part] == listed
    assert max(map(len, parts)) - min(map(len, parts)) <= 1
    assert all(parts)


def test_a_shard_of_the_targets_in_the_file() -> None:
    shards = [configured(FILE, shard=f"{number}/3") for number in (1, 2, 3)]
    assert [names(config) for config in shards] == [["a", "b"], ["c", "d"], ["e", "f", "g"]]
    assert [str(config.shard) for config in shards] == ["1/3", "2/3", "3/3"]
    assert {(config.shard.targets, config.shard.list_sha256) for config in shards if config.shard} == {
        (7, configured(FILE, shard="1/1").shard.list_sha256)  # type: ignore[union-attr]
    }
    assert configured(FILE).shard is None


def test_a_shard_of_the_targets_on_the_command_line() -> None:
    targets = [f"{name}=https://{name}.example/v1" for name in NAMES]
    assert names(configured(target=targets, shard="2/2")) == ["d", "e", "f", "g"]


def test_another_list_has_another_digest() -> None:
    shard, other = (configured(file, shard="1/2").shard for file in (FILE, FILE.replace("g.example", "h.example")))
    assert shard is not None
    assert other is not None
    assert shard.list_sha256 != other.list_sha256


def test_a_shard_needs_the_keys_of_its_own_targets_alone() -> None:
    own = {f"PETSTORE_API_KEY_{name}": "k-123" for name in "AB"}
    assert names(configured(FILE, environment=own, shard="1/3")) == ["a", "b"]
    assert complaint(FILE, environment=own, shard="2/3").startswith("no API key for target 'c'")


def test_a_mistake_anywhere_in_the_list_ends_every_shard() -> None:
    many = "".join(f'[targets.t{number}]\nurl = "https://t{number}.example/v1"\n' for number in range(10_000))
    wrong = many.replace("https://t9876.", "https:/t9876.")
    said = "petcheck.toml: [targets.t9876] url https:/t9876.example/v1: not an http or https URL; write it as https://host/v1"
    assert complaint(wrong, shard="1/50") == said
    assert len(configured(many, shard="1/50").targets) == 200


@pytest.mark.parametrize(
    ("shard", "said"),
    [
        ("8/5", "--shard 8/5: there is no such shard; the shards are 1/5 to 5/5"),
        ("0/5", "--shard 0/5: there is no such shard; the shards are 1/5 to 5/5"),
        ("2/1", "--shard 2/1: there is no such shard; the only shard is 1/1"),
        ("1/0", "--shard 1/0: there is no such shard; the only shard is 1/1"),
        ("1/8", "--shard 1/8: with 7 targets a shard would be empty; use 7 or fewer"),
        ("half", "--shard half: not a shard; write it as I/N, as in --shard 2/5"),
        ("-1/5", "--shard -1/5: not a shard; write it as I/N, as in --shard 2/5"),
        ("1/2/3", "--shard 1/2/3: not a shard; write it as I/N, as in --shard 2/5"),
    ],
)
def test_a_shard_that_is_none(shard: str, said: str) -> None:
    assert complaint(FILE, shard=shard) == said


def test_a_shard_of_nothing() -> None:
    said = "--shard 1/2: there is no list of targets to divide; name them in petcheck.toml, or with --target"
    assert complaint(environment=KEY, shard="1/2") == said
    assert complaint(environment=KEY, shard="1/2", app="shop:app") == said


def test_a_shard_is_no_default() -> None:
    assert complaint(f'{FILE}\n[defaults]\nshard = "1/2"\n').startswith("petcheck.toml: [defaults]: unknown setting")
