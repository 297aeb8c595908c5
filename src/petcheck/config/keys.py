"""API keys: where a run gets them, and how it keeps them out of its messages."""

from __future__ import annotations

import difflib
from collections.abc import Mapping

from petcheck.errors import BadKey
from petcheck.spec.figures import (
    CONTENT_TYPE,
    ERROR_FIELDS,
    MEDIA_TYPE,
    OPEN_LISTS,
    PET_FIELDS,
    RATE_HEADERS,
    RETRY_AFTER,
    STATUSES,
)
from petcheck.spec.operations import Operation
from petcheck.wire.credentials import ApiKey
from petcheck.wire.redaction import Redactor

KEY_VARIABLE = "PETSTORE_API_KEY"
DEFAULT_TARGET = "target"
_LONG_KEY = 8  # characters; a shorter key may be part of another word by chance
# a key is masked wherever it appears; masking a shorter key would mask the interface's own words and numbers
_SHORTEST_KEY, _SHORTEST_NUMBER = 4, 8
_WORDS = (
    *("petcheck", "refused", *PET_FIELDS, *ERROR_FIELDS, *STATUSES),
    *(MEDIA_TYPE, CONTENT_TYPE, *RATE_HEADERS, RETRY_AFTER, "Content-Length", "Content-Encoding", "Transfer-Encoding"),
    *("http://", "https://", "http://127.0.0.1", "HTTP/1.1", "true", "false", "null", "Date", "GMT"),
    *(operation.path for operation in Operation),
    *(f"?{name}={value}" for query in OPEN_LISTS.values() for name, value in query.items()),
)


def key_of(name: str, environment: Mapping[str, str], where: str = "") -> ApiKey:
    """The key of a target, whose base URL or path is `where`. Raises `BadKey` if there is none that can be masked."""
    own = own_variable(name)
    variable = own if own in environment else KEY_VARIABLE
    secret = environment.get(variable, "").strip()
    if not secret and variable in environment:
        raise BadKey(f"{variable} is empty, so there is no API key for target {name!r}; put the key into it")
    if not secret:
        wanted = KEY_VARIABLE if name == DEFAULT_TARGET else f"{own} or {KEY_VARIABLE}"
        near = difflib.get_close_matches(own, [known for known in environment if known.startswith("PETSTORE")], n=1)
        hint = f" (there is {near[0]})" if near else ""
        raise BadKey(f"no API key for target {name!r}: set {wanted} in the environment{hint}")
    return checked_key(secret, variable, where)


def checked_key(secret: str, variable: str, where: str = "") -> ApiKey:
    """A key that can be sent to `where` and masked; the environment `variable` has it. Raises `BadKey`."""
    if secret.lower().startswith("bearer "):
        raise BadKey(f"{variable} begins with the word Bearer; remove it, petcheck adds it")
    if not all("!" <= character <= "~" for character in secret):
        raise BadKey(f"{variable}: a key must have only printable ASCII characters, and no spaces")
    if not can_be_masked(secret):
        raise BadKey(
            f"{variable}: the key is too short or a word of the interface, and masking it would damage the evidence; "
            "use a longer one"
        )
    if _is_in(secret, where):
        raise BadKey(
            f"{variable}: the key is part of the target's URL, and masking it would damage the evidence; "
            "use another one"
        )
    return ApiKey(secret, variable)


def can_be_masked(secret: str) -> bool:
    """Whether a secret can be masked wherever it appears, without damage to the evidence."""
    shortest = _SHORTEST_NUMBER if secret.isdecimal() else _SHORTEST_KEY
    return len(secret) >= shortest and not _is_in(secret, "\n".join(_WORDS))


def _is_in(secret: str, text: str) -> bool:
    """Whether masking a secret, or the part of it that is masked too, would change a text."""
    return Redactor(ApiKey(secret)).in_text(text) != text


def own_variable(name: str) -> str:
    """The environment variable that holds the key of the target `name` alone."""
    return f"{KEY_VARIABLE}_{name.upper().replace('-', '_')}"


def long_keys(environment: Mapping[str, str]) -> list[str]:
    """Every key in the environment that is too long to be part of another word by chance."""
    return [secret for secret in keys_in(environment) if len(secret) >= _LONG_KEY]


def keys_in(environment: Mapping[str, str]) -> list[str]:
    """Every key in the environment that can be one."""
    secrets = (value.strip() for name, value in environment.items() if name.startswith(KEY_VARIABLE))
    return [secret for secret in secrets if len(secret) >= _SHORTEST_KEY]


def without_keys(text: str, environment: Mapping[str, str]) -> str:
    """`text`, a message to the user, without the keys of the environment."""
    for secret in long_keys(environment):
        # a key that is not ASCII is refused elsewhere; here it is masked as it is
        text = Redactor(ApiKey(secret)).in_text(text) if secret.isascii() else text.replace(secret, "[redacted-key]")
    return text
