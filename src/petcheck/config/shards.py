"""Shards: parts of a list of targets that several machines judge. Each target is in exactly one of them."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping, Sequence

from petcheck.errors import ConfigError
from petcheck.stream.lines import ShardInfo
from petcheck.words import plural

_FORM = re.compile(r"([0-9]{1,6})/([0-9]{1,6})")


def read_shard(text: object, urls: Mapping[str, str]) -> ShardInfo:
    """The shard that `text` ("2/5") names, of the targets whose URLs are given by name. Raises `ConfigError`."""
    where = f"--shard {text}"
    form = _FORM.fullmatch(str(text))
    if form is None:
        raise ConfigError(f"{where}: not a shard; write it as I/N, as in --shard 2/5")
    number, of = map(int, form.groups())
    if not urls:
        raise ConfigError(
            f"{where}: there is no list of targets to divide; name them in petcheck.toml, or with --target"
        )
    if of < 1 or not 1 <= number <= of:
        shards = "the only shard is 1/1" if of <= 1 else f"the shards are 1/{of} to {of}/{of}"
        raise ConfigError(f"{where}: there is no such shard; {shards}")
    if of > len(urls):
        listed = plural(len(urls), "target")
        raise ConfigError(f"{where}: with {listed} a shard would be empty; use {len(urls)} or fewer")
    digest = hashlib.sha256(json.dumps(list(urls.items())).encode()).hexdigest()
    return ShardInfo(number, of, len(urls), digest)


def part_of(names: Sequence[str], shard: ShardInfo) -> Sequence[str]:
    """The names in that shard."""
    return [names[place] for place in shard.places]
