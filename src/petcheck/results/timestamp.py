"""manifest.tsr: the response of an RFC 3161 authority, which says that the manifest existed at a time."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from petcheck.errors import NotAKey, NotDated
from petcheck.results.manifest import FILE as MANIFEST
from petcheck.sanitize import printable
from petcheck.stream.reading import SMALL_CAP, read_file, why_unread

if TYPE_CHECKING:  # these take a tenth of a second, so only where a time is asked for or checked
    from cryptography.x509 import Certificate
    from rfc3161_client import TimeStampResponse

FILE = "manifest.tsr"
_VERIFY_ERROR = re.compile(r'Verify error: ([^"]+)"')
_GRANTED = 0

Stamp: TypeAlias = Callable[[bytes], bytes]
"""An authority at work: from a manifest to its response. Raises NotDated."""


@dataclass(frozen=True, slots=True)
class Dated:
    """A moment at which a manifest existed, and the subject of the certificate of the authority that says so."""

    moment: datetime
    authority: str

    def __str__(self) -> str:
        shown = self.moment.astimezone(UTC).replace(tzinfo=None).isoformat(" ")
        return f"{MANIFEST} existed at {shown} UTC, says the authority {self.authority}"


def stamp_by(ask: Callable[[bytes], bytes]) -> Stamp:
    """A stamp whose authority is asked by `ask`, which sends a query and returns the response or raises NotDated."""
    from rfc3161_client import HashAlgorithm, TimestampRequestBuilder

    def stamp(manifest: bytes) -> bytes:
        query = TimestampRequestBuilder().data(manifest).hash_algorithm(HashAlgorithm.SHA256).build()
        response = ask(query.as_bytes())
        try:
            info = _granted(response).tst_info
        except NotDated as error:
            raise NotDated(f"the authority's response {error}") from None
        if (info.message_imprint.message, info.nonce) != (query.message_imprint.message, query.nonce):
            raise NotDated("the authority's response is to another query")
        return response

    return stamp


def authorities(path: Path) -> list[Certificate]:
    """The certificates in a PEM file, a root among them. Raises NotAKey."""
    from cryptography.x509 import load_pem_x509_certificates

    try:
        found = load_pem_x509_certificates(read_file(path, SMALL_CAP))
    except OSError as error:
        raise NotAKey(f"cannot be read ({why_unread(error)})") from None
    except ValueError:
        raise NotAKey("holds no certificate in PEM") from None
    if all(one.issuer != one.subject for one in found):
        raise NotAKey("holds no root certificate, which an authority has issued to itself; add it to the file")
    return found


def dated(response: bytes, manifest: bytes, trusted: Sequence[Certificate]) -> Dated:
    """When a manifest existed, by a response that trusted certificates vouch for.

    The certificates have to be valid at the time that it states. Raises NotDated, whose message reads on after the name
    of the response.
    """
    from cryptography.x509 import load_der_x509_certificate
    from rfc3161_client import VerificationError, VerifierBuilder

    answer = _granted(response)
    try:
        inside = [load_der_x509_certificate(one) for one in answer.signed_data.certificates]
        signers = [(one.issuer, one.serial_number) for one in answer.signed_data.signer_infos]
        named = {one for one in (*inside, *trusted) if [(one.issuer, one.serial_number)] == signers}
        if not named:
            raise NotDated("lacks its authority's certificate; add it to the file of --timestamp-ca")
        if len(named) > 1:  # anybody can add one, and its subject would be shown
            raise NotDated("has several certificates for its one signature")
        (signer,) = named
        own = None if inside else signer  # the authority was not asked for its certificate
        VerifierBuilder(roots=list(trusted), tsa_certificate=own).build().verify_message(answer, manifest)
    except (VerificationError, ValueError) as error:
        raise NotDated(_why_not(str(error))) from None
    return Dated(answer.tst_info.gen_time, printable(signer.subject.rfc4514_string(), 200))


def _granted(response: bytes) -> TimeStampResponse:
    """A response that has a time. Raises NotDated."""
    from rfc3161_client import decode_timestamp_response

    try:
        answer = decode_timestamp_response(response)
        status, said = answer.status, "; ".join(answer.status_string)
    except ValueError as error:
        raise NotDated(f"is not a time stamp response of RFC 3161 ({printable(str(error), 100)})") from None
    if status != _GRANTED:
        raise NotDated(f"is a refusal with status {status}{f': {printable(said, 100)}' if said else ''}")
    with suppress(ValueError):
        if answer.tst_info is not None:
            return answer
    raise NotDated("has no time")


def _why_not(error: str) -> str:
    """Why a response proves no time, from the words of the library."""
    found = _VERIFY_ERROR.search(error)
    if "Mismatch between messages" in error:
        return f"is about another file than this {MANIFEST}"
    if found is None:
        return f"proves no time: {printable(error, 150)}"
    if "expired" in found[1] or "not yet valid" in found[1]:
        return f"was signed with a certificate that was not valid at the time that it states ({printable(found[1])})"
    return f"is of an authority that the file of --timestamp-ca does not vouch for ({printable(found[1])})"
