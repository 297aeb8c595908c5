"""The envelope of the signature is edited."""
# ruff: noqa: E501 - one line for each

from __future__ import annotations

from tests.evidence.attacks.files import replaced
from tests.evidence.attacks.rows import Row
from tests.evidence.forging import ENVELOPE, gone, in_bytes, put, signed_again


def pae(kind: bytes, payload: bytes) -> bytes:
    """What DSSE signs."""
    return b"DSSEv1 %d %s %d %s" % (len(kind), kind, len(payload), payload)


SIGNATURES: list[Row] = [
    ("none", "one", signed_again(lambda one, sign: put(one, signatures=[])), "is not signed with the key"),
    ("no list", "one", signed_again(lambda one, sign: put(one, signatures={"sig": "x"})), "is not signed with the key"),
    ("of nothing", "one", signed_again(lambda one, sign: put(one["signatures"][0], sig="")), "is not signed with the key"),
    ("that is no text", "one", signed_again(lambda one, sign: put(one["signatures"][0], sig=1)), "is not signed with the key"),
    ("of another payload", "one", signed_again(lambda one, sign: put(one, payload="e30=")), "is not signed with the key"),
    ("of another type", "one", signed_again(lambda one, sign: put(one, payloadType="text/plain")), "is not signed with the key"),
    ("that holds, of another type", "one", signed_again(lambda one, sign: put(one, payload="e30=", payloadType="text/plain", signatures=[{"sig": sign(pae(b"text/plain", b"{}"))}])), "is not signed with the key"),
    ("that holds, of another statement", "one", signed_again(lambda one, sign: put(one, payload="e30=", signatures=[{"sig": sign(pae(b"application/vnd.in-toto+json", b"{}"))}])), "signs another attestation than"),
    ("of the payload alone", "one", signed_again(lambda one, sign: put(one["signatures"][0], sig=sign(b"{}"))), "is not signed with the key"),
    ("with a payload that is no text", "one", signed_again(lambda one, sign: put(one, payload=1)), "is not signed with the key"),
    ("with a payload that is no base64", "one", signed_again(lambda one, sign: put(one, payload="?")), "is not signed with the key"),
    ("an envelope that is a list", "one", in_bytes(ENVELOPE, lambda data: b"[]"), "is not a JSON object"),
    ("a fleet without one", "fleet", replaced(ENVELOPE, gone), "it is not signed"),
]  # fmt: skip
