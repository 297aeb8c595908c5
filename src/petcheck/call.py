"""A call: a request before it is sent, with the key that it has and the form in which it is written."""

from __future__ import annotations

import json
from dataclasses import dataclass
from enum import Enum
from typing import TypeAlias
from urllib.parse import quote, urlencode

from petcheck.spec.operations import Operation

Members: TypeAlias = "dict[str, object] | list[object] | bytes | None"
"""The body of a POST: members of JSON, bytes as they are, or no body at all."""


class Credential(Enum):
    """The content of a request's Authorization header (section 5): the valid key, or one kind of invalid key."""

    VALID = "a valid key"
    MISSING = "no key"
    RANDOM = "a random key"
    CHANGED = "the key with its last character changed"
    CUT = "the key without its last character"
    EXTENDED = "the key with a character appended"
    IN_FRONT = "the key after another character"
    MIDDLE = "the key with a character in its middle changed"
    BEGINNING = "the first half of the key"
    END = "the second half of the key"
    WORD_AFTER = "the key followed by another word"
    EVERY_OBJECT = "the word constructor as the key"
    BEYOND_ASCII = "the key with a byte beyond ASCII appended"
    EMPTY = "an empty token"
    BASIC = "the key under the scheme Basic"
    TOKEN = "the key under the scheme Token"  # noqa: S105 - a description
    SIX_LETTERS = "the key under a scheme of six letters"
    NO_SCHEME = "the key without a scheme"
    LONGER_SCHEME = "the key under a scheme that ends in Bearer"
    TWICE = "the key after the word Bearer twice"
    GLUED = "the key without a space after Bearer"
    HYPHENATED = "the key after Bearer and a hyphen"
    UNKNOWN = "a key of unknown validity"

    @classmethod
    def _missing_(cls, value: object) -> Credential | None:
        """The kind that an older recording names in fewer words."""
        return cls.EVERY_OBJECT if value == "the word constructor" else None


class Form(Enum):
    """One of the spellings of a request that HTTP and JSON leave to the client (RFC 9110, 8259).

    All mean the same, but for two: whether a server reads a body in chunks or one of another type is open. The first is
    observed and not judged; the second must not get a 5xx.
    """

    PLAIN = "the plain form"
    LOWER = "header names in lower case"
    UPPER = "header names in capitals"
    NO_ACCEPT = "no Accept header"
    ANY_ACCEPT = "Accept: */*"
    NEW_CONNECTION = "its own connection"
    TURNED = "its parameters in the opposite order"
    SPACED = "white space in its JSON"
    ESCAPED = "escapes in its JSON"
    BACKWARDS = "its JSON members in the opposite order"
    CHUNKED = "its body in chunks"
    AS_TEXT = "its body as text/plain"


FORMS_OF_JSON = frozenset({Form.SPACED, Form.ESCAPED, Form.BACKWARDS})
OWN_CONNECTION = frozenset({Form.NEW_CONNECTION, Form.CHUNKED})
"""The forms of requests that share their connection with no other."""

ALIKE = tuple(form for form in Form if form not in (Form.PLAIN, Form.CHUNKED, Form.AS_TEXT))
"""The forms that mean the same as the plain one."""


@dataclass(frozen=True, slots=True)
class Call:
    """A request before it is sent: `pet_id` is the path's last segment, `query` its parameters in order.

    Bytes of `pet_id` and `query` that are not UTF-8 are surrogates, as `os.fsdecode` makes them. A POST whose body is
    None has no Content-Type either; one with an empty body has. Without a `form` the run chooses one.
    """

    operation: Operation
    credential: Credential = Credential.VALID
    pet_id: str | None = None
    query: tuple[tuple[str, str], ...] = ()
    body: bytes | None = None
    form: Form | None = None

    @property
    def method(self) -> str:
        """GET or POST."""
        return self.operation.method

    @property
    def section(self) -> str:
        """The section of the document that it is about: that of its operation, or of keys (5)."""
        return self.operation.section if self.credential is Credential.VALID else "5"

    @property
    def path(self) -> str:
        """The path below the base URL, with its query."""
        path = self.operation.path.replace("{petId}", quote(self.pet_id or "", safe="", errors="surrogateescape"))
        return path + ("?" + urlencode(self.query, quote_via=quote, errors="surrogateescape") if self.query else "")


def page_call(
    limit: int | str | None = None, status: str | None = None, credential: Credential = Credential.VALID
) -> Call:
    """`GET /pets` with the parameters that are not None (section 4.1)."""
    query = (("limit", None if limit is None else str(limit)), ("status", status))
    return Call(
        Operation.LIST_PETS, credential, query=tuple((name, value) for name, value in query if value is not None)
    )


def read_call(number: int) -> Call:
    """`GET /pets/{petId}` of an animal (section 4.3)."""
    return Call(Operation.GET_PET, pet_id=str(number))


def new_pet_call(body: Members, credential: Credential = Credential.VALID) -> Call:
    """`POST /pets` with a body (section 4.2)."""
    raw = body if body is None or isinstance(body, bytes) else json.dumps(body, ensure_ascii=False).encode()
    return Call(Operation.CREATE_PET, credential, body=raw)
