"""Names that say that their value is secret: of headers, parameters, cookies and members."""

from __future__ import annotations

import re
from functools import lru_cache
from unicodedata import normalize
from urllib.parse import unquote

# names without separators, in lower case
_SECRET = re.compile(
    r"auth(?!or(?!iz)|enticate$)|token|secret|passw|passphrase|passcode|pwd|session|sess(id)?$|csrf|xsrf|cookie|jwt|saml|"
    r"credential|signature|^sig(n|ned)?$|bearer|assertion|nonce|hmac|otp$|^x?(user)?(pass|pw|creds?|pin)$|verifier$|codechallenge|^(connect)?sid$|"
    r"cvv|cvc$|ssn$|mnemonic|seedphrase|connectionstring|^dsn$|"
    r"(?<!mon)(?<!tur)(?<!don)(?<!hoc)(?<!hus)key(?!word|board|hole)"
)
_CODE = re.compile(
    r"(?<!status)(?<!error)(?<!err)(?<!http)(?<!country)(?<!zip)(?<!post)(?<!postal)(?<!lang)(?<!language)(?<!currency)"
    r"(?<!response)(?<!reason)(?<!result)(?<!exit)(?<!bar)(?<!qr)(?<!area)(?<!uni)(?<!en)(?<!de)codes?$"
)
_OPEN = re.compile(r"access-control-|content-security-policy|vary$|allow$", re.IGNORECASE)  # names of headers


@lru_cache(maxsize=4096)
def says_secret(name: str) -> bool:
    """Whether the name of a header, a parameter or a member says that its value is secret, in any spelling."""
    plain = re.sub(r"\\u(.{4})", _character, unquote(name))
    plain = re.sub(r"[^a-z0-9]", "", normalize("NFKC", plain).lower())
    return not _OPEN.match(name) and (_SECRET.search(plain) or _CODE.search(plain)) is not None


def _character(escape: re.Match[str]) -> str:
    try:
        return chr(int(escape[1], 16))
    except ValueError:
        return escape[0]
