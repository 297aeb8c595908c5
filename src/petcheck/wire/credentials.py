"""The Authorization header for each kind of credential (section 5), and how reports show it."""

from __future__ import annotations

import hashlib
import random
import re
import string
from collections.abc import Mapping
from dataclasses import dataclass, field

from petcheck.call import Credential

VARIABLE = "$PETSTORE_API_KEY"
_KEY = re.compile(r"\$PETSTORE_API_KEY|\$\{PETSTORE_API_KEY(?:([%#])(\?+))?\}")
_SEPARATORS = "_-."
_NUMBERED = 4  # a key with fewer characters after its prefix is one of a set
_HEX_DIGITS_FROM = 8  # characters; a shorter text may be hexadecimal by chance


@dataclass(frozen=True, slots=True)
class ApiKey:
    """A bearer token (section 5). `secret` is for the Authorization header and for redaction, nothing else.

    `variable` is the environment variable that had it.
    """

    secret: str = field(repr=False)
    variable: str = field(default=VARIABLE.removeprefix("$"), compare=False)

    @property
    def fingerprint(self) -> str:
        """`sha256:` and the first eight hex digits: enough to distinguish keys, not enough to guess one."""
        return "sha256:" + hashlib.sha256(self.secret.encode()).hexdigest()[:8]

    def __repr__(self) -> str:
        return f"ApiKey({self.fingerprint})"


@dataclass(frozen=True, slots=True)
class Header:
    """A header of a request, and how files show its value: a secret one as a shell expression."""

    name: str
    value: str = field(repr=False)
    shown: str


# an empty token is another kind of credential, so a part of a key of one character is replaced with the random key
_VALUES: Mapping[Credential, str | None] = {
    Credential.VALID: "Bearer {key}",
    Credential.MISSING: None,
    Credential.RANDOM: "Bearer {random}",
    Credential.CHANGED: "Bearer {cut}{last}",
    Credential.CUT: "Bearer {shorter}",
    # a server may compare the beginning, or cut a header at commas; which one is drawn with the random key
    Credential.EXTENDED: "Bearer {before}{appended}",
    Credential.IN_FRONT: "Bearer x{key}",
    # a server may compare the beginning of a key, or both ends
    Credential.MIDDLE: "Bearer {beginning}{inner}{after}",
    Credential.BEGINNING: "Bearer {first_half}",
    Credential.END: "Bearer {second_half}",
    # a server that splits the header at blanks may look at the second part only
    Credential.WORD_AFTER: "Bearer {key} x",
    # what a careless lookup in a JavaScript object finds
    Credential.EVERY_OBJECT: "Bearer constructor",
    # in Latin-1, so not UTF-8: a server may fail on the byte, or leave it out
    Credential.BEYOND_ASCII: "Bearer {before}é",
    Credential.EMPTY: "Bearer",
    Credential.BASIC: "Basic {key}",
    Credential.TOKEN: "Token {key}",
    # as long as `Bearer`, for servers that cut a scheme off by its length; not a registered scheme
    Credential.SIX_LETTERS: "Apikey {key}",
    Credential.NO_SCHEME: "{key}",
    # a pattern that is not tied to the beginning finds `Bearer` in it
    Credential.LONGER_SCHEME: "xBearer {key}",
    # a server may take the last word, or cut off the scheme as often as it finds it
    Credential.TWICE: "Bearer " * 2 + "{key}",
    Credential.GLUED: "Bearer{key}",
    # a server may look for `Bearer` and cut off seven characters
    Credential.HYPHENATED: "Bearer-{key}",
}


def authorization(credential: Credential, key: ApiKey, random_key: str) -> str | None:
    """The header's value as it is sent: what is shown, with the key. A run sends no key of unknown validity."""

    def cut(found: re.Match[str]) -> str:
        number = len(found[2] or "")
        return key.secret[number:] if found[1] == "#" else key.secret[: len(key.secret) - number]

    expression = shown(credential, key, random_key)
    return expression and _KEY.sub(cut, expression)


def shown(credential: Credential, key: ApiKey, random_key: str) -> str | None:
    """The header's value as a shell expression, with the key as a variable; None for no header."""
    template, secret = _VALUES[credential], key.secret
    middle = len(secret) // 2
    has_parts = middle > 0
    random = _expression_of(key, random_key)
    return template and template.format(
        key=VARIABLE,
        before=_part(),
        appended="x,"[sum(random_key.encode()) % 2],
        random=random,
        cut=_part(last=1),
        last=_other_character(secret, len(secret) - 1, random_key),
        shorter=_part(last=1) if has_parts else random,
        beginning=_part(last=len(secret) - middle) if has_parts else "",
        inner=_other_character(secret, middle, random_key),
        after=_part(first=middle + 1) if secret[middle + 1 :] else "",
        first_half=_part(last=len(secret) - middle) if has_parts else random,
        second_half=_part(first=middle) if has_parts else random,
    )


def _part(*, first: int = 0, last: int = 0) -> str:
    """The key without so many of its first or of its last characters, as a shell has it."""
    return "${PETSTORE_API_KEY" + "#" * bool(first) + "%" * bool(last) + "?" * (first + last) + "}"


def _expression_of(key: ApiKey, random_key: str) -> str:
    """The random key, with the variable instead of the part that it shares with the key."""
    kept = _prefix(key.secret)
    if not kept or not random_key.startswith(kept):
        return random_key
    drawn = random_key[len(kept) :]
    return _part(last=len(drawn)) + drawn


def _other_character(secret: str, place: int, random_key: str) -> str:
    """The replacement of one of the key's characters: from the same alphabet, and the same during the whole run.

    In a numbered key it is from the other alphabet, since the next number may be a valid key.
    """
    replaced = secret[place]
    alphabet = _alphabet_of(replaced, secret) if replaced.isalnum() else string.ascii_letters
    if replaced.isalnum() and len(secret) - _end_of_prefix(secret) < _NUMBERED:
        alphabet = string.ascii_lowercase if replaced in string.digits else string.digits
    # a server may ignore case
    others = [character for character in alphabet if character.lower() != replaced.lower()]
    return others[sum(random_key.encode()) % len(others)]


def random_key_like(key: ApiKey, source: random.Random) -> str:
    """A random key of the same shape: its length, its alphabet, and the part before the last `_`, `-` or `.`.

    A server may recognise a key by its prefix. If few letters or digits follow the prefix, the whole key is random: the
    others of a set of numbered keys may be valid.
    """
    secret, kept = key.secret, _prefix(key.secret)
    if not any(character.isalnum() for character in secret):
        return "".join(source.choice(string.ascii_letters) for _ in range(32))
    while True:
        drawn = kept + "".join(source.choice(_alphabet_of(character, secret)) for character in secret[len(kept) :])
        if drawn != secret:
            return drawn


def _prefix(secret: str) -> str:
    end = _end_of_prefix(secret)
    return secret[:end] if sum(character.isalnum() for character in secret[end:]) >= _NUMBERED else ""


def _end_of_prefix(secret: str) -> int:
    return max(secret.rfind(separator) for separator in _SEPARATORS) + 1


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
