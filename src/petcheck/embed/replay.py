"""`petcheck.replay`: sends one request, and fails if the answer breaks a requirement by itself.

As a program, it is the separate process that does so: the caller may be a pytest run with any plugins and event loops.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from urllib.parse import parse_qsl, unquote

from petcheck.call import Call, Credential
from petcheck.config.keys import DEFAULT_TARGET, without_keys
from petcheck.config.load import utc_today
from petcheck.errors import BadFile, BadKey, BadUrl, BadValue, ConfigError, NotSent, SuiteBroke
from petcheck.judging.judgement import Grounds
from petcheck.judging.matchers import answer_text, described
from petcheck.spec.operations import Operation
from petcheck.stream.typed import plain, typed

_SEED = 1  # of the random key


def replay(
    base_url: str,
    method: str,
    path: str,
    *,
    requirements: Iterable[str],
    credential: str = Credential.VALID.value,
    body: bytes | None = None,
    allow_writes: bool = False,
    name: str = DEFAULT_TARGET,
) -> None:
    """Send one request, as `petcheck replay --as-pytest` has written it.

    Args:
        base_url: the base URL of the server.
        method: GET or POST.
        path: the path below the base URL, with its query.
        requirements: the ids of the requirements that the answer is judged by.
        credential: the key in words: `a valid key` is the one of the environment, `no key` none.
        body: the body of a POST.
        allow_writes: whether a POST may be sent.
        name: what the target is called: its key is in `PETSTORE_API_KEY_` and the name, or in `PETSTORE_API_KEY`.

    Raises:
        AssertionError: the answer breaks one of the requirements, or shows nothing about it, as an error page does.
        NotSent: the server does not answer, or POST is not allowed.
        ConfigError: the arguments are wrong. Its subclasses say what is.
        SuiteBroke: petcheck itself failed.
    """
    __tracebackhide__ = True
    sent = None if body is None else body.hex()
    asked = _Asked(base_url, method, path, tuple(requirements), credential, sent, allow_writes, name)
    done = subprocess.run(  # noqa: S603 - this Python
        [sys.executable, "-P", "-m", __name__],
        input=json.dumps(plain(asked, whole=True)),
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    if done.returncode:
        raise SuiteBroke(without_keys((done.stderr.strip().splitlines() or ["it said nothing"])[-1], os.environ))
    kind, said = json.loads(done.stdout)
    if kind:
        raise _ERRORS[kind](without_keys(said, os.environ))


@dataclass(frozen=True, slots=True)
class _Asked:
    """The arguments of `replay`; the body is in hexadecimal digits."""

    base_url: str
    method: str
    path: str
    requirements: tuple[str, ...]
    credential: str
    body: str | None
    allow_writes: bool
    name: str


_ERRORS: dict[str, type[Exception]] = {
    one.__name__: one for one in (AssertionError, NotSent, BadUrl, BadKey, BadValue, BadFile, ConfigError)
}


def _answer(asked: _Asked) -> tuple[str, str]:
    """The error that ends the call, and its message; both are empty if there is none."""
    # not in the caller's process: it has marks of pytest
    from petcheck.runner.replay import door, failures_of, shown_by

    today = utc_today()
    try:
        body = None if asked.body is None else bytes.fromhex(asked.body)
        call = _call(asked.method, asked.path, asked.credential, body)
        target = {"target": [f"{asked.name}={asked.base_url}"]}
        with door(target, asked.name, as_of=today, seed=_SEED, writes=asked.allow_writes) as transport:
            exchange = transport.send(call)
    except (NotSent, ConfigError) as error:
        kinds = (name for kind in type(error).__mro__ if (name := kind.__name__) in _ERRORS)
        return next(kinds), str(error)
    grounds = Grounds(today, writes=asked.allow_writes)
    found = failures_of(exchange, asked.requirements, grounds)
    unseen = [name for name in asked.requirements if name not in found and not shown_by(exchange, name, grounds)]
    found |= dict.fromkeys(
        unseen, f"{described(exchange)} returned {answer_text(exchange)}, which shows nothing about it"
    )
    return ("AssertionError" if found else ""), "; ".join(f"{name}: {text}" for name, text in found.items())


def _call(method: str, path: str, credential: str, body: bytes | None) -> Call:
    place, _, query = path.partition("?")
    known = {one.value: one for one in Credential}
    operation = next((one for one in Operation if (one.method, one.path) == (method, place)), None)
    head, _, last = place.rpartition("/")
    if operation is None and method == "GET" and f"{head}/{{petId}}" == Operation.GET_PET.path:
        operation = Operation.GET_PET
    if operation is None or credential not in known:
        raise BadValue(f"{method} {path} with {credential}: not a request that petcheck sends")
    pet_id = unquote(last, errors="surrogateescape") if operation is Operation.GET_PET else None
    pairs = parse_qsl(query, keep_blank_values=True, errors="surrogateescape")
    return Call(operation, known[credential], pet_id, tuple(pairs), body)


if __name__ == "__main__":
    print(json.dumps(_answer(typed(_Asked, json.load(sys.stdin)))))
