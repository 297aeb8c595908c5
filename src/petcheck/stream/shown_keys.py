"""Whether a recorded Authorization header can be of the credential that petcheck's extension of a HAR names.

The header is recorded as a shell expression, or another program has masked the key in it. It is the recording itself;
the extension is a word about it, which anybody can change.
"""

from __future__ import annotations

import re

from petcheck.call import Credential
from petcheck.exchange import Exchange

_KEY = r"\$PETSTORE_API_KEY(_\d+)?"
_CUT = r"\$\{PETSTORE_API_KEY%\?\}"
_BEGINNING, _END = r"\$\{PETSTORE_API_KEY%\?+\}", r"\$\{PETSTORE_API_KEY#\?+\}"
_LITERAL = r"[^$\s]+"  # a drawn key
_MASK = re.compile(r"redact|\*\*\*|…|<|hidden|removed|xxxx", re.IGNORECASE)
_EXPRESSIONS = (
    (rf"Bearer {_KEY}", Credential.VALID),
    (rf"Bearer {_LITERAL}", Credential.RANDOM),
    (r"Bearer \$\{PETSTORE_API_KEY%\?+\}\S+", Credential.RANDOM),
    (rf"Bearer {_CUT}\S", Credential.CHANGED),
    (rf"Bearer {_CUT}", Credential.CUT),
    (rf"Bearer {_LITERAL}", Credential.CUT),  # of a key of one character nothing is left
    (r"Bearer \$\{PETSTORE_API_KEY\}[x,]", Credential.EXTENDED),
    (rf"Bearer x{_KEY}", Credential.IN_FRONT),
    (rf"Bearer ({_BEGINNING})?\S({_END})?", Credential.MIDDLE),
    (rf"Bearer {_BEGINNING}", Credential.BEGINNING),
    (rf"Bearer {_END}", Credential.END),
    # of a key of one character there is no half
    (rf"Bearer {_LITERAL}", Credential.BEGINNING),
    (rf"Bearer {_LITERAL}", Credential.END),
    (rf"Bearer {_KEY} x", Credential.WORD_AFTER),
    (r"Bearer constructor", Credential.EVERY_OBJECT),
    (r"Bearer \$\{PETSTORE_API_KEY\}é", Credential.BEYOND_ASCII),
    (r"Bearer", Credential.EMPTY),
    (rf"Basic {_KEY}", Credential.BASIC),
    (rf"Token {_KEY}", Credential.TOKEN),
    (rf"(?!Bearer)[A-Za-z]{{6}} {_KEY}", Credential.SIX_LETTERS),
    (_KEY, Credential.NO_SCHEME),
    (rf"xBearer {_KEY}", Credential.LONGER_SCHEME),
    (rf"{'Bearer ' * 2}{_KEY}", Credential.TWICE),
    (rf"Bearer{_KEY}", Credential.GLUED),
    (rf"Bearer-{_KEY}", Credential.HYPHENATED),
)


def can_be(credential: Credential, header: str | None) -> bool:
    """Whether a request with that header, None for none, can have had that credential."""
    if header is None:
        return credential is Credential.MISSING
    if is_written(credential, header):
        return True
    scheme, _, masked = header.rpartition(" ")
    if not _MASK.search(masked):
        return False
    if not scheme:
        return credential not in (Credential.MISSING, Credential.EMPTY)
    schemes = (pattern.partition(" ")[0] for pattern, kind in _EXPRESSIONS if kind is credential and " " in pattern)
    return any(re.fullmatch(pattern, scheme, re.IGNORECASE) for pattern in schemes)


def is_written(credential: Credential, header: str) -> bool:
    """Whether petcheck writes a request with that credential with that header."""
    return any(kind is credential and re.fullmatch(pattern, header) for pattern, kind in _EXPRESSIONS)


def is_expression(header: str) -> bool:
    """Whether it is a shell expression with the key in it, as petcheck records a header."""
    return "$" in header and any(re.fullmatch(pattern, header) for pattern, _ in _EXPRESSIONS)


def contradiction(exchange: Exchange, *, traffic: bool) -> str | None:
    """What an exchange says that its header contradicts, in words; None if nothing does.

    In `traffic` a header may not have been recorded, and a key may be of unknown validity.
    """
    request = exchange.request
    header = request.authorization
    if (traffic and (request.credential is Credential.UNKNOWN or header is None)) or can_be(request.credential, header):
        return None
    shown = "no Authorization header" if header is None else "another Authorization header"
    return f"says that request {exchange.index} had {request.credential.value}, and shows {shown}"
