"""What each kind of credential puts into the Authorization header (section 5), and how a report shows it."""

from __future__ import annotations

import random
import string

from petcheck.exchange import Credential
from petcheck.key import ApiKey

VARIABLE = "$PETSTORE_API_KEY"


def authorization(credential: Credential, key: ApiKey, random_key: str) -> str | None:
    """The header's value as it is sent; None where there is no header."""
    secret = key.secret
    match credential:
        case Credential.VALID:
            return f"Bearer {secret}"
        case Credential.MISSING:
            return None
        case Credential.RANDOM:
            return f"Bearer {random_key}"
        case Credential.CUT:
            # a key of one character would leave the empty token, which is another kind
            return f"Bearer {secret[:-1] or random_key}"
        case Credential.EXTENDED:
            return f"Bearer {secret}x"
        case Credential.EMPTY:
            return "Bearer"
        case Credential.BASIC:
            return f"Basic {secret}"
        case Credential.TOKEN:
            return f"Token {secret}"
        case Credential.NO_SCHEME:
            return secret


def shown(credential: Credential, random_key: str) -> str | None:
    """The same as an expression of the shell, with the key as a variable; None where there is no header."""
    match credential:
        case Credential.CUT:
            return "Bearer ${PETSTORE_API_KEY%?}"
        case Credential.EXTENDED:
            return "Bearer ${PETSTORE_API_KEY}x"
        case _:
            return authorization(credential, ApiKey(VARIABLE), random_key)


def random_key_like(key: ApiKey, source: random.Random) -> str:
    """A key of the same length and make as `key`, and otherwise nothing in common with it."""
    if not any(character.isalnum() for character in key.secret):
        return "".join(source.choice(string.ascii_letters) for _ in range(32))
    while True:
        drawn = "".join(source.choice(_kin(character)) for character in key.secret)
        if drawn != key.secret:
            return drawn


def _kin(character: str) -> str:
    for family in (string.digits, string.ascii_lowercase, string.ascii_uppercase, "-_."):
        if character in family:
            return character if family == "-_." else family
    return string.ascii_letters
