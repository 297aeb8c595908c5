"""What each kind of credential puts on the wire, and what a report shows of it."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from petcheck.exchange import Credential
from petcheck.key import ApiKey
from petcheck.wire.credentials import authorization, random_key_like, shown

KEYS = st.text(st.characters(min_codepoint=0x21, max_codepoint=0x7E), min_size=1, max_size=60).map(ApiKey)


@pytest.mark.parametrize(
    ("credential", "sent", "said"),
    [
        (Credential.VALID, "Bearer s3cret", "Bearer $PETSTORE_API_KEY"),
        (Credential.MISSING, None, None),
        (Credential.RANDOM, "Bearer x9random", "Bearer x9random"),
        (Credential.CUT, "Bearer s3cre", "Bearer ${PETSTORE_API_KEY%?}"),
        (Credential.EXTENDED, "Bearer s3cretx", "Bearer ${PETSTORE_API_KEY}x"),
        (Credential.EMPTY, "Bearer", "Bearer"),
        (Credential.BASIC, "Basic s3cret", "Basic $PETSTORE_API_KEY"),
        (Credential.TOKEN, "Token s3cret", "Token $PETSTORE_API_KEY"),
        (Credential.NO_SCHEME, "s3cret", "$PETSTORE_API_KEY"),
    ],
)
def test_each_kind(credential: Credential, sent: str | None, said: str | None) -> None:
    assert authorization(credential, ApiKey("s3cret"), "x9random") == sent
    assert shown(credential, "x9random") == said


def test_every_kind_is_there() -> None:
    assert len(Credential) == 9


def test_a_key_of_one_character_is_cut_to_a_random_one() -> None:
    assert authorization(Credential.CUT, ApiKey("k"), "x9random") == "Bearer x9random"


@given(KEYS, st.integers())
def test_a_random_key_is_another_one_of_the_same_make(key: ApiKey, seed: int) -> None:
    drawn = random_key_like(key, random.Random(seed))
    assert drawn != key.secret
    if any(character.isalnum() for character in key.secret):
        assert len(drawn) == len(key.secret)
        assert [c.isdigit() for c in drawn] == [c.isdigit() for c in key.secret]


def test_the_same_seed_draws_the_same_key() -> None:
    key = ApiKey("sk-live_Abc123")
    assert random_key_like(key, random.Random(7)) == random_key_like(key, random.Random(7))
    assert random_key_like(key, random.Random(7))[:3].endswith("-")
