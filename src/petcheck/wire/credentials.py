"""The Authorization header for each kind of credential (section 5), and how reports show it."""

from __future__ import annotations

import hashlib
import random
import string
from collections.abc import Mapping
from dataclasses import dataclass, field

from petcheck.exchange import Credential

VARIABLE = "$PETSTORE_API_KEY"
_SEPARATORS = "_-."
_HEX_DIGITS_FROM = 8  # characters; a shorter text may be hexadecimal by chance


@dataclass(frozen=True, slots=True)
class ApiKey:
    """A bearer token (section 5). `secret` is for the Authorization header and for redaction, nothing else."""

    secret: str = field(repr=False)

    @property
    def fingerprint(self) -> str:
        """`sha256:` and the first eight hex digits: enough to distinguish keys, not enough to guess one."""
        return "sha256:" + hashlib.sha256(self.secret.encode()).hexdigest()[:8]

    def __repr__(self) -> str:
        return f"ApiKey({self.fingerprint})"


# `cut` is the key without its last character, `other` a character instead of that one. `shorter` is `cut`, or of a key
# of one character the random key: an empty token is another kind of credential
_VALUES: Mapping[Credential, str | None] = {
    Credential.VALID: "Bearer {key}",
    Credential.MISSING: None,
    Credential.RANDOM: "Bearer {random}",
    Credential.CHANGED: "Bearer {cut}{other}",
    Credential.CUT: "Bearer {shorter}",
    Credential.EXTENDED: "Bearer {before}x",
    # a server that splits the header at blanks may look at the second part only
    Credential.WORD_AFTER: "Bearer {key} x",
    Credential.EMPTY: "Bearer",
    Credential.BASIC: "Basic {key}",
    Credential.TOKEN: "Token {key}",
    # as long as `Bearer`, for servers that cut a scheme off by its length; not a registered scheme
    Credential.SIX_LETTERS: "Apikey {key}",
    Credential.NO_SCHEME: "{key}",
}


def authorization(credential: Credential, key: ApiKey, random_key: str) -> str | None:
    """The header's value as it is sent; None for no header. A run sends no key of unknown validity."""
    return _value(credential, key, random_key, key.secret, key.secret, key.secret[:-1], random_key)


def shown(credential: Credential, key: ApiKey, random_key: str) -> str | None:
    """The same as a shell expression, with the key as a variable; None for no header."""
    cut, before = "${PETSTORE_API_KEY%?}", "${PETSTORE_API_KEY}"
    return _value(credential, key, random_key, VARIABLE, before, cut, _expression_of(key, random_key))


def _value(
    credential: Credential, key: ApiKey, random_key: str, whole: str, before: str, cut: str, random: str
) -> str | None:
    """`whole` is the key, `before` the key where a letter follows it, as they are written."""
    template = _VALUES[credential]
    other = _other_character(key.secret, random_key)
    shorter = cut if key.secret[1:] else random_key
    return template and template.format(key=whole, before=before, cut=cut, other=other, shorter=shorter, random=random)


def _expression_of(key: ApiKey, random_key: str) -> str:
    """The random key, with the variable instead of the part that it shares with the key."""
    kept = _prefix(key.secret)
    if not kept or not random_key.startswith(kept):
        return random_key
    drawn = random_key[len(kept) :]
    return "${PETSTORE_API_KEY%" + "?" * len(drawn) + "}" + drawn


def _other_character(secret: str, random_key: str) -> str:
    """The replacement of the key's last character: from the same alphabet, and the same during the whole run.

    It differs in more than case, since a server may ignore case.
    """
    last = secret[-1]
    alphabet = _alphabet_of(last, secret) if last.isalnum() else string.ascii_letters
    others = [character for character in alphabet if character.lower() != last.lower()]
    return others[sum(random_key.encode()) % len(others)]


def random_key_like(key: ApiKey, source: random.Random) -> str:
    """A random key of the same shape: its length, its alphabet, and the part before the last `_`, `-` or `.`.

    A server may recognise a key by its prefix. If no letter or digit follows the prefix, the whole key is random.
    """
    secret, kept = key.secret, _prefix(key.secret)
    if not any(character.isalnum() for character in secret):
        return "".join(source.choice(string.ascii_letters) for _ in range(32))
    while True:
        drawn = kept + "".join(source.choice(_alphabet_of(character, secret)) for character in secret[len(kept) :])
        if drawn != secret:
            return drawn


def _prefix(secret: str) -> str:
    end = max(secret.rfind(separator) for separator in _SEPARATORS) + 1
    return secret[:end] if any(character.isalnum() for character in secret[end:]) else ""


def _alphabet_of(character: str, secret: str) -> str:
    """The characters that may replace this one: digits, letters of its case, or hexadecimal letters."""
    if character in _SEPARATORS:
        return character
    if character in string.digits:
        return string.digits
    after = secret[len(_prefix(secret)) :].lower()
    hexadecimal = len(after) >= _HEX_DIGITS_FROM and set(after) <= set(string.hexdigits)
    letters = "abcdef" if hexadecimal else string.ascii_lowercase
    if character in string.ascii_lowercase:
        return letters
    return letters.upper() if character in string.ascii_uppercase else string.ascii_letters
