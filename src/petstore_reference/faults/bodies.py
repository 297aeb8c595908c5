"""Sections 1 and 4: bodies that are not JSON, or whose Content-Type is not `application/json`."""

from __future__ import annotations

import gzip
import zlib
from codecs import BOM_UTF8
from functools import partial

from petstore_reference.messages import Answer, Operation, ReceivedCall
from petstore_reference.overrides import bodies, both, header, served
from petstore_reference.registry import ALL, OF_ANIMALS, fault

json_text = partial(fault, section="1")
media_type = partial(fault, section="4")

_CREATE, _GET, _LIST = (Operation.CREATE,), (Operation.GET,), (Operation.LIST,)
_TYPE = "Content-Type"


def _single_quotes(body: bytes) -> bytes:
    return body.replace(b'"', b"'")


def _trailing_comma(body: bytes) -> bytes:
    return body[:-1] + b"," + body[-1:] if body[-1:] in (b"]", b"}") else body


def _not_a_number(body: bytes) -> bytes:
    return body.replace(b'"name":', b'"weight":NaN,"name":')


def _lines(body: bytes) -> bytes:
    return body[1:-1].replace(b"},{", b"}\n{")


def _shortened(body: bytes) -> bytes:
    return body[: len(body) - 1]


def _buffered(body: bytes) -> bytes:
    return body[:1000]


def _raw_deflate(body: bytes) -> bytes:
    return zlib.compress(body, wbits=-15)


def _commented(body: bytes) -> bytes:
    return b"/* petstore */" + body


def _nothing(answer: Answer, call: ReceivedCall) -> Answer:
    return Answer(answer.status, b"", (("Location", f"{call.path}/1"),), None)


FAULTS = [
    *json_text(
        "single-quotes",
        "Response bodies have single quotes instead of double quotes.",
        "SERVICE-1",
        bodies(_single_quotes),
        each=OF_ANIMALS,
    ),
    *json_text(
        "trailing-comma",
        "Response bodies have a trailing comma.",
        "SERVICE-1",
        bodies(_trailing_comma),
        each=OF_ANIMALS,
    ),
    *json_text(
        "nan",
        "Animals have a field with the value NaN.",
        "SERVICE-1",
        bodies(_not_a_number, 200, 201),
        each=OF_ANIMALS,
    ),
    *json_text(
        "last-byte-lost", "Response bodies lack their last byte.", "SERVICE-1", bodies(_shortened), each=OF_ANIMALS
    ),
    *json_text(
        "list-cut-at-1000", "Lists are cut off after 1,000 bytes.", "SERVICE-1", bodies(_buffered, 200), at=_LIST
    ),
    *json_text(
        "json-lines",
        "The list is one object per line instead of an array.",
        "SERVICE-1 PETS-1",
        bodies(_lines, 200),
        at=_LIST,
    ),
    *json_text(
        "json-with-prefix",
        "Response bodies begin with `)]}',`, a prefix against script inclusion.",
        "SERVICE-1",
        bodies(lambda body: b")]}',\n" + body),
    ),
    *json_text(
        "byte-order-mark", "Response bodies begin with a byte order mark.", "SERVICE-1", bodies(BOM_UTF8.__add__)
    ),
    *json_text("json-commented", "Response bodies begin with a comment.", "SERVICE-1", bodies(_commented)),
    *json_text(
        "gzip-unannounced",
        "Lists are compressed with gzip, but have no Content-Encoding.",
        "SERVICE-1",
        bodies(gzip.compress, 200),
        at=_LIST,
    ),
    *json_text(
        "created-without-body",
        "A 201 has a Location header and no body.",
        "SERVICE-1 BODY-1",
        served(_nothing),
        at=_CREATE,
    ),
    *json_text(
        "created-with-empty-json",
        "A 201 has no body, but the Content-Type application/json.",
        "SERVICE-1",
        bodies(lambda body: b"", 201),
        at=_CREATE,
    ),
    *json_text(
        "get-without-body",
        "`GET /pets/{petId}` returns 200 without a body.",
        "SERVICE-1",
        bodies(lambda body: b"", 200),
        at=_GET,
    ),
    *json_text(
        "gzip-falsely-announced",
        "Content-Encoding is gzip, but the body is not compressed.",
        "SERVICE-1",
        header("Content-Encoding", "gzip", 200, 201),
        at=(),
        each=OF_ANIMALS,
    ),
    *json_text(
        "deflate-without-zlib",
        "Bodies are compressed with deflate, but lack the header of zlib.",
        "SERVICE-1",
        both(bodies(_raw_deflate, 200, 201), header("Content-Encoding", "deflate", 200, 201)),
        each=OF_ANIMALS,
    ),
    *media_type("text-plain", "Content-Type is text/plain.", "BODY-1", header(_TYPE, "text/plain"), each=ALL),
    *media_type(
        "text-html", "Content-Type is text/html.", "BODY-1", header(_TYPE, "text/html; charset=utf-8"), each=ALL
    ),
    *media_type("text-json", "Content-Type is text/json.", "BODY-1", header(_TYPE, "text/json")),
    *media_type(
        "javascript", "Content-Type is application/javascript.", "BODY-1", header(_TYPE, "application/javascript")
    ),
    *media_type(
        "octet-stream",
        "Content-Type is application/octet-stream.",
        "BODY-1",
        header(_TYPE, "application/octet-stream"),
    ),
    *media_type(
        "vendor-json",
        "Content-Type is application/vnd.api+json.",
        "BODY-1",
        header(_TYPE, "application/vnd.api+json"),
    ),
    *media_type("json-seq", "Content-Type is application/json-seq.", "BODY-1", header(_TYPE, "application/json-seq")),
    *media_type("no-content-type", "Responses have no Content-Type.", "BODY-1", header(_TYPE, None), each=ALL),
    *media_type(
        "text-plain-errors-only",
        "Errors have the Content-Type text/plain.",
        "BODY-1",
        header(_TYPE, "text/plain", 400, 401, 404),
    ),
    *media_type(
        "problem-json-type",
        "Errors have the Content-Type application/problem+json.",
        "BODY-1",
        header(_TYPE, "application/problem+json", 400, 401, 404),
    ),
    *media_type("text-html-401", "A 401 has the Content-Type text/html.", "BODY-1", header(_TYPE, "text/html", 401)),
    *media_type(
        "text-html-404", "A 404 has the Content-Type text/html.", "BODY-1", header(_TYPE, "text/html", 404), at=_GET
    ),
    *media_type(
        "text-plain-400",
        "A 400 has the Content-Type text/plain.",
        "BODY-1",
        header(_TYPE, "text/plain", 400),
        at=_CREATE,
    ),
]
