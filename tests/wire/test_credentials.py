"""The header that each kind of credential sends, and how a report shows it."""

from __future__ import annotations

import random
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from petcheck.call import Credential
from petcheck.wire.credentials import ApiKey, authorization, random_key_like, shown

KEYS = st.text(st.characters(min_codepoint=0x21, max_codepoint=0x7E), min_size=1, max_size=60).map(ApiKey)


@pytest.mark.parametrize(
    ("credential", "sent", "said"),
    [
        (Credential.VALID, "Bearer s3cret", "Bearer $PETSTORE_API_KEY"),
        (Credential.MISSING, None, None),
        (Credential.RANDOM, "Bearer x9random", "Bearer x9random"),
        (Credential.CHANGED, "Bearer s3cres", "Bearer ${PETSTORE_API_KEY%?}s"),
        (Credential.CUT, "Bearer s3cre", "Bearer ${PETSTORE_API_KEY%?}"),
        (Credential.EXTENDED, "Bearer s3cretx", "Bearer ${PETSTORE_API_KEY}x"),
        (Credential.IN_FRONT, "Bearer xs3cret", "Bearer x$PETSTORE_API_KEY"),
        (Credential.MIDDLE, "Bearer s3ctet", "Bearer ${PETSTORE_API_KEY%???}t${PETSTORE_API_KEY#????}"),
        (Credential.BEGINNING, "Bearer s3c", "Bearer ${PETSTORE_API_KEY%???}"),
        (Credential.END, "Bearer ret", "Bearer ${PETSTORE_API_KEY#???}"),
        (Credential.EVERY_OBJECT, "Bearer constructor", "Bearer constructor"),
        (Credential.BEYOND_ASCII, "Bearer s3creté", "Bearer ${PETSTORE_API_KEY}é"),
        (Credential.WORD_AFTER, "Bearer s3cret x", "Bearer $PETSTORE_API_KEY x"),
        (Credential.EMPTY, "Bearer", "Bearer"),
        (Credential.BASIC, "Basic s3cret", "Basic $PETSTORE_API_KEY"),
        (Credential.TOKEN, "Token s3cret", "Token $PETSTORE_API_KEY"),
        (Credential.SIX_LETTERS, "Apikey s3cret", "Apikey $PETSTORE_API_KEY"),
        (Credential.LONGER_SCHEME, "xBearer s3cret", "xBearer $PETSTORE_API_KEY"),
        (Credential.TWICE, "Bearer Bearer s3cret", "Bearer Bearer $PETSTORE_API_KEY"),
        (Credential.GLUED, "Bearers3cret", "Bearer$PETSTORE_API_KEY"),
        (Credential.HYPHENATED, "Bearer-s3cret", "Bearer-$PETSTORE_API_KEY"),
        (Credential.NO_SCHEME, "s3cret", "$PETSTORE_API_KEY"),
    ],
)
def test_each_kind(credential: Credential, sent: str | None, said: str | None) -> None:
    assert authorization(credential, ApiKey("s3cret"), "x9random") == sent
    assert shown(credential, ApiKey("s3cret"), "x9random") == said


def test_one_of_two_characters_is_appended() -> None:
    key, source = ApiKey("s3cret"), random.Random(1)
    sent = {authorization(Credential.EXTENDED, key, random_key_like(key, source)) for _ in range(20)}
    assert sent == {"Bearer s3cretx", "Bearer s3cret,"}


def test_every_kind_is_covered() -> None:
    assert len(Credential) == 22 + len({Credential.UNKNOWN})


def test_the_scheme_of_six_letters_is_as_long_as_bearer() -> None:
    sent = authorization(Credential.SIX_LETTERS, ApiKey("s3cret"), "x")
    assert sent is not None
    assert sent.partition(" ")[0].lower() not in ("bearer", "digest")
    assert len(sent.partition(" ")[0]) == len("Bearer")


def test_a_key_of_one_character_is_cut_to_a_random_one() -> None:
    assert authorization(Credential.CUT, ApiKey("k"), "x9random") == "Bearer x9random"
    assert shown(Credential.CUT, ApiKey("k"), "x9random") == "Bearer x9random"


@given(KEYS, st.integers())
def test_a_random_key_has_the_shape_of_the_key(key: ApiKey, seed: int) -> None:
    drawn = random_key_like(key, random.Random(seed))
    assert drawn != key.secret
    if any(character.isalnum() for character in key.secret):
        assert len(drawn) == len(key.secret)
        assert [c.isdigit() for c in drawn] == [c.isdigit() for c in key.secret]


@pytest.mark.parametrize(
    ("secret", "kept", "alphabet"),
    [
        ("sk-live_Abc123xyz", "sk-live_", None),
        ("550e8400-e29b-41d4-a716-446655440000", "550e8400-e29b-41d4-a716-", "0123456789"),
        ("pk.5f3a9c0de1b2", "pk.", "0123456789abcdef"),
        ("5F3A9C0DE1B2", "", "0123456789ABCDEF"),
        ("token_", "", None),
        ("plain", "", None),
    ],
)
def test_a_random_key_keeps_the_recognisable_prefix(secret: str, kept: str, alphabet: str | None) -> None:
    for seed in range(20):
        drawn = random_key_like(ApiKey(secret), random.Random(seed))
        assert drawn.startswith(kept)
        assert drawn != secret
        assert alphabet is None or set(drawn[len(kept) :]) <= set(alphabet)


@given(KEYS, st.integers())
def test_the_last_character_changes_to_another_letter_or_digit(key: ApiKey, seed: int) -> None:
    sent = authorization(Credential.CHANGED, key, random_key_like(key, random.Random(seed)))
    assert sent is not None
    changed = sent.removeprefix("Bearer ")
    assert changed[:-1] == key.secret[:-1]
    assert changed[-1].isalnum()
    assert changed[-1].lower() != key.secret[-1].lower()


@given(KEYS, st.integers(), st.sampled_from([kind for kind in Credential if kind is not Credential.UNKNOWN]))
def test_the_shown_header_equals_the_sent_one_after_shell_expansion(
    key: ApiKey, seed: int, credential: Credential
) -> None:
    drawn = random_key_like(key, random.Random(seed))
    said, sent = shown(credential, key, drawn), authorization(credential, key, drawn)
    if said is None or sent is None:
        assert said is sent
        return

    def put_in(match: re.Match[str]) -> str:
        return key.secret[len(match[2] or "") : len(key.secret) - len(match[1] or "")]

    assert re.sub(r"\$\{PETSTORE_API_KEY(?:%(\?+)|#(\?+))?\}|\$PETSTORE_API_KEY", put_in, said) == sent


def test_the_random_key_is_shown_without_the_part_that_it_shares_with_the_key() -> None:
    key = ApiKey("eyJhbGciOi.eyJzdWIiOi.a1b2c3")
    drawn = random_key_like(key, random.Random(1))
    assert drawn.startswith("eyJhbGciOi.eyJzdWIiOi.")
    assert shown(Credential.RANDOM, key, drawn) == "Bearer ${PETSTORE_API_KEY%??????}" + drawn[-6:]


def test_the_same_seed_gives_the_same_key() -> None:
    key = ApiKey("sk-live_Abc123")
    assert random_key_like(key, random.Random(7)) == random_key_like(key, random.Random(7))


@pytest.mark.parametrize(
    "names", [[f"pets-key-{number}" for number in range(1, 10)], [f"key_{one}" for one in "abcdef"]]
)
def test_no_other_key_of_a_numbered_set_is_sent(names: list[str]) -> None:
    for seed in range(50):
        key = ApiKey(names[0])
        drawn = random_key_like(key, random.Random(seed))
        sent = {drawn} | {
            str(authorization(kind, key, drawn)).removeprefix("Bearer ")
            for kind in (Credential.CHANGED, Credential.CUT, Credential.EXTENDED)
        }
        assert sent.isdisjoint(names)
        assert all(len(one) >= len(names[0]) - 1 for one in sent)
