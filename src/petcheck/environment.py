"""API keys: where a run gets them from, and how they are kept out of what it says."""

from __future__ import annotations

import difflib
from collections.abc import Mapping

from petcheck.judging.interface import STATUSES
from petcheck.key import ApiKey
from petcheck.options import KEY_VARIABLE
from petcheck.values import ConfigError
from petcheck.wire.redaction import Redactor

DEFAULT_TARGET = "target"
_TELLING_KEY = 8  # characters; a shorter one may stand in another word by chance
# keys are masked wherever they appear; these could not be told from what a target must say anyway
_SHORTEST_KEY, _SHORTEST_NUMBER = 4, 8
_WORDS = (
    *("petcheck", "refused", "id", "name", "categoryId", "status", "code", "message", *STATUSES),
    *("application/json", "X-RateLimit-Remaining", "X-RateLimit-Reset", "X-RateLimit-Limit", "Content-Type"),
)


def key_of(name: str, environment: Mapping[str, str]) -> ApiKey:
    """The key of the target of that name. Raises `ConfigError` where there is none, or none that can be masked."""
    own = f"{KEY_VARIABLE}_{name.upper().replace('-', '_')}"
    variable = own if environment.get(own) else KEY_VARIABLE
    secret = environment.get(variable, "").strip()
    if not secret:
        wanted = KEY_VARIABLE if name == DEFAULT_TARGET else f"{own} or {KEY_VARIABLE}"
        near = difflib.get_close_matches(own, [known for known in environment if known.startswith("PETSTORE")], n=1)
        hint = f" (there is {near[0]})" if near else ""
        raise ConfigError(f"no API key for target {name!r}: set {wanted} in the environment{hint}")
    if not all("!" <= character <= "~" for character in secret):
        raise ConfigError(f"{variable}: a key has printable ASCII characters only, and no spaces")
    if len(secret) < _SHORTEST_KEY or (secret.isdecimal() and len(secret) < _SHORTEST_NUMBER) or _is_a_word(secret):
        raise ConfigError(
            f"{variable}: the key is too short, or a word of the interface, and cannot be masked in the evidence "
            "without spoiling that; use a longer one"
        )
    return ApiKey(secret)


def _is_a_word(secret: str) -> bool:
    return any(secret.lower() in word.lower() for word in _WORDS)


def long_keys(environment: Mapping[str, str]) -> list[str]:
    """Every key in the environment that is too long to stand in another word by chance."""
    secrets = (value.strip() for name, value in environment.items() if name.startswith(KEY_VARIABLE))
    return [secret for secret in secrets if len(secret) >= _TELLING_KEY]


def without_keys(text: str, environment: Mapping[str, str]) -> str:
    """`text`, said to whoever started the run, without the keys of the environment."""
    for secret in long_keys(environment):
        # what is not ASCII is no key, and is refused as one
        text = Redactor(ApiKey(secret)).in_text(text) if secret.isascii() else text.replace(secret, "[redacted-key]")
    return text


def app_key(environment: Mapping[str, str]) -> ApiKey:
    """The key for an application under --app. Raises `ConfigError` where there is none."""
    return key_of(DEFAULT_TARGET, environment)
