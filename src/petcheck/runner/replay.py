"""Sends requests of a recording again, through the transport of a run, and decides what they show now."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable, Mapping
from contextlib import closing, contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from petcheck.config.keys import DEFAULT_TARGET
from petcheck.config.load import configure
from petcheck.errors import ConfigError
from petcheck.exchange import Exchange
from petcheck.judging.decided import decided
from petcheck.judging.decision import Failed
from petcheck.judging.judgement import Grounds
from petcheck.judging.once import WholeRecord
from petcheck.judging.rules import RULE
from petcheck.runner.session import Session
from petcheck.spec.catalogue import catalogue

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import date

    from petcheck.wire.transport import Transport


@contextmanager
def door(given: Mapping[str, Any], name: str, *, as_of: date, seed: int, writes: bool) -> Iterator[Transport]:
    """The transport to the target `name` of some options of a run, or to the only one; nothing is probed.

    POST is sent only with `writes`, whatever the options and petcheck.toml say. Raises `ConfigError` and `AppFailed`.
    """
    with tempfile.TemporaryDirectory(prefix="petcheck-") as folder:
        config = configure({**given, "reports": folder}, os.environ, today=as_of, seed=seed)
        target = next((one for one in config.targets if one.name == name), config.targets[0])
        if target.name != name and len(config.targets) > 1:
            raise ConfigError(f"no --target is called {name}; add --target {name}=URL")
        with closing(Session(config)) as session:
            yield session.door(replace(target, writes=writes, exhaust=False))


def failures_of(exchange: Exchange, requirements: Iterable[str], grounds: Grounds) -> dict[str, str]:
    """Those of some requirements that an exchange breaks by itself, each with what was found."""
    decisions = {name: decided(catalogue()[name], WholeRecord([exchange]), grounds) for name in requirements}
    return {name: decision.text for name, decision in decisions.items() if isinstance(decision, Failed)}


def shown_by(exchange: Exchange, requirement: str, grounds: Grounds) -> bool:
    """Whether an exchange that does not break a requirement shows that it holds: an error page shows no list."""
    return RULE[requirement].is_about(exchange, grounds)


def new_failures(now: Exchange, before: Exchange, grounds: Grounds) -> dict[str, str]:
    """What an answer breaks that the one before did not, each with what was found.

    What the run knew about the store does not count: it may hold other animals now.
    """
    bare = Grounds(grounds.as_of, grounds.plan)
    found, earlier = (failures_of(exchange, RULE, bare) for exchange in (now, before))
    return {name: text for name, text in found.items() if name not in earlier}


def as_test(exchange: Exchange, requirements: Mapping[str, str], path: str) -> str:
    """A test of pytest that sends the request of an exchange again; `requirements` have their statements.

    `path` is the path below the base URL, with the query.
    """
    request = exchange.request
    arguments = [f"URL, {request.method!r}, {path!r}", f"requirements={list(requirements)!r}"]
    arguments += [f"credential={request.credential.value!r}"] if not request.has_valid_key else []
    arguments += [f"body={request.call.body!r}"] if request.body is not None else []
    arguments += ["allow_writes=True"] if not request.operation.safe else []
    arguments += [f"name={exchange.target!r}"] if exchange.target != DEFAULT_TARGET else []
    names = "_".join(name.lower().replace("-", "_") for name in requirements)
    lines = [f"def test_exchange_{exchange.index}{'_' * bool(names)}{names}() -> None:"]
    lines += [f"    # {name}: {statement}" for name, statement in requirements.items()]
    return "\n".join([*lines, "    petcheck.replay(", *(f"        {one}," for one in arguments), "    )", ""])
