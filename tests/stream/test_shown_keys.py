"""A recorded Authorization header is believed, not the word about it."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from petcheck.call import Credential
from petcheck.exchange import Exchange
from petcheck.judging.rules.authentication import INVALID
from petcheck.stream.shown_keys import can_be, contradiction, is_expression
from petcheck.wire.credentials import ApiKey, random_key_like, shown
from tests.support import samples

SENT = [kind for kind in Credential if kind is not Credential.UNKNOWN]
OF_BEARER = {kind for kind in SENT if (shown(kind, ApiKey("ab"), "cd") or "").startswith("Bearer ")}


@pytest.mark.parametrize("secret", ["sk_live-0a1b2c3d4e5f", "x", "12345678", "Abc.def"])
@pytest.mark.parametrize("kind", SENT)
def test_a_header_as_petcheck_records_it_can_be_of_its_credential(kind: Credential, secret: str) -> None:
    key = ApiKey(secret)
    header = shown(kind, key, random_key_like(key, random.Random(1)))
    assert can_be(kind, header)
    others = {other for other in SENT if can_be(other, header)}
    assert others <= {kind, *INVALID["AUTH-2"]}  # they break the same requirement
    assert header is None or "$" not in header or is_expression(header)


@pytest.mark.parametrize(
    ("header", "kinds"),
    [
        (None, {Credential.MISSING}),
        ("Bearer", {Credential.EMPTY}),
        ("Basic $PETSTORE_API_KEY", {Credential.BASIC}),
        ("Bearer ***", OF_BEARER),
        ("basic [redacted]", {Credential.BASIC}),
        ("Digest <hidden>", {Credential.SIX_LETTERS}),
        ("[redacted]", set(SENT) - {Credential.MISSING, Credential.EMPTY}),
        ("Negotiate [redacted]", set()),
        ("$(rm -rf ~)", set()),
    ],
)
def test_the_credentials_that_a_header_can_be_of(header: str | None, kinds: set[Credential]) -> None:
    assert {kind for kind in SENT if can_be(kind, header)} == kinds


def with_(credential: Credential, headers: tuple[tuple[str, str], ...]) -> Exchange:
    return samples.exchange(7, replace(samples.request(), credential=credential, headers=headers))


def test_a_contradiction_is_named() -> None:
    assert contradiction(with_(Credential.MISSING, ()), traffic=False) is None
    forged = with_(Credential.VALID, (("Accept", "*/*"),))
    said = "says that request 7 had a valid key, and shows no Authorization header"
    assert contradiction(forged, traffic=False) == said
    assert contradiction(forged, traffic=True) is None  # it was not recorded
    forged = with_(Credential.MISSING, (("authorization", "Bearer $PETSTORE_API_KEY"),))
    said = "says that request 7 had no key, and shows another Authorization header"
    assert contradiction(forged, traffic=True) == said
    assert contradiction(with_(Credential.UNKNOWN, forged.request.headers), traffic=True) is None
