"""The key is masked in everything that a target sends, in each form in which it may come back."""

from __future__ import annotations

import base64
import gzip
import html
import json
import re
import string
import time
import tracemalloc
import zlib
from collections.abc import Callable
from urllib.parse import quote, unquote

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from petcheck.exchange import MASK, MASKED
from petcheck.wire.credentials import ApiKey
from petcheck.wire.redaction import Redactor

SECRET = "sk/live+Kq7=vXw2_TzR9.mPb4LcY8dH"
REDACTOR = Redactor(ApiKey(SECRET))

# keys like those of real services: long, and mostly letters and digits
KEYS = st.text(string.ascii_letters + string.digits + "-_./+=~", min_size=24, max_size=64)
MIXED = KEYS.filter(lambda key: len(set(key)) > 8)
AROUND = st.text(max_size=30)


def escaped(pattern: str, how: Callable[[str], str]) -> str:
    """The key with the characters escaped that fit a pattern."""
    return re.sub(pattern, lambda found: how(found[0]), SECRET)


FORMS = {
    "plain": SECRET,
    "upper": SECRET.upper(),
    "lower": SECRET.lower(),
    "percent": quote(SECRET, safe=""),
    "percent lower": quote(SECRET, safe="").lower(),
    "percent but slashes": quote(SECRET),
    "percent throughout": "".join(f"%{ord(c):02X}" for c in SECRET),
    "JSON escapes": "".join(f"\\u{ord(c):04X}" for c in SECRET),
    "JSON slashes": json.dumps(SECRET).strip('"').replace("/", "\\/"),
    "percent twice": quote(quote(SECRET, safe=""), safe=""),
    "percent throughout twice": "".join(f"%25{ord(c):02X}" for c in SECRET),
    "HTML": html.escape(SECRET),
    "HTML references": "".join(f"&#{ord(c)};" for c in SECRET),
    "HTML references in hex": "".join(f"&#X{ord(c):X};" for c in SECRET),
    "JSON escapes of .NET": escaped(r"[+&<>']", lambda c: f"\\u{ord(c):04X}"),
    "JSON escapes of every fifth": "".join(c if i % 5 else f"\\u{ord(c):04x}" for i, c in enumerate(SECRET)),
    "escapes of scripts": escaped(r"\W", lambda c: f"\\x{ord(c):02x}"),
    "escapes of regular expressions": re.escape(SECRET),
    "percent of what is no letter": escaped("[^A-Za-z0-9]", lambda c: f"%{ord(c):02X}"),
    "HTML references of what is no letter": escaped("[^A-Za-z0-9]", lambda c: f"&#x{ord(c):x};"),
    "HTML references without an end": escaped("[^A-Za-z0-9]", lambda c: f"&#{ord(c)}"),
    "HTML names": SECRET.replace("/", "&sol;").replace("+", "&plus;").replace("=", "&equals;").replace(".", "&period;"),
    "URLs in HTML in JSON": escaped(r"\W", lambda c: f"\\u0026#37;{ord(c):02X}"),
    "JSON in JSON": escaped(r"\W", lambda c: f"\\\\u{ord(c):04x}"),
    "half of it escaped": SECRET[:16].replace("/", "%2F").replace("+", "\\u002b"),
    "base64 in URLs": quote(base64.b64encode(SECRET.encode()).decode(), safe="").lower(),
    "UTF-16": SECRET.encode("utf-16-le").decode(),
    "UTF-16 of a network": SECRET.encode("utf-16-be").decode(),
    "hex": SECRET.encode().hex(),
    "base64": base64.b64encode(SECRET.encode()).decode(),
    "base64 for URLs": base64.urlsafe_b64encode(SECRET.encode()).decode(),
    "base64 after 7": base64.b64encode(f"Bearer {SECRET}".encode()).decode(),
    "base64 after 1": base64.b64encode(f":{SECRET}".encode()).decode(),
    "base64 after 2": base64.b64encode(f"u:{SECRET}".encode()).decode(),
    "base64 after 4": base64.b64encode(f"usr:{SECRET}@host".encode()).decode(),
    "first half": SECRET[:16],
    "second half": SECRET[16:],
    "middle": SECRET[8:24],
    "twice": f"{SECRET}{SECRET}",
    "cut twice": "-".join([SECRET[:-1], SECRET[1:]]),
}


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_each_form(form: str) -> None:
    shown = REDACTOR.in_text(f"before {form} after")
    assert "[redacted-key]" in shown
    assert shown.startswith("before ")
    assert shown.endswith(" after")
    for window in windows(SECRET, len(SECRET) // 2):
        for looked_through in (shown, undone(shown), shown.upper(), bytes_in(shown)):
            assert window not in looked_through
            assert window.upper() not in looked_through


def undone(text: str) -> str:
    """A text without escapes, as its readers may undo them."""
    for _ in range(3):
        text = unquote(html.unescape(re.sub(r"\\u(....)|\\x(..)", lambda n: chr(int(n[1] or n[2], 16)), text)))
    return text


def windows(secret: str, length: int) -> list[str]:
    return [secret[start : start + length] for start in range(len(secret) - length + 1)]


def bytes_in(text: str) -> str:
    """The decoded base64 in a text."""
    found = b""
    for word in text.replace("[redacted-key]", " ").split():
        for offset in range(4):
            raw = word[offset:]
            raw = raw[: len(raw) // 4 * 4]
            found += base64.b64decode(raw.replace("-", "+").replace("_", "/").encode("ascii", "ignore") + b"====")
    return found.decode("latin-1")


def test_surrounding_text_is_kept() -> None:
    assert REDACTOR.in_text(f'{{"key":"{SECRET}","n":1}}') == '{"key":"[redacted-key]","n":1}'
    assert REDACTOR.in_bytes(b"\xff\x00" + SECRET.encode() + b"\xfe") == b"\xff\x00" + MASK + b"\xfe"


def test_around_an_escaped_key_other_escapes_are_kept() -> None:
    body = r'[{"name": "Zo\u00eb \"%s\" \ud83d\udc08 100%%25"}, "a&amp;b \/ \\u0041"]'
    key = json.dumps(SECRET.replace("T", "&#84;")).strip('"').replace("/", r"\/").replace("+", r"\u002b")
    assert REDACTOR.in_text(body % key) == body % "[redacted-key]"


SMALL = st.text(st.sampled_from("\\u002b&#x;%25sol/ké"), max_size=40)


@given(MIXED, st.data(), SMALL, SMALL)
def test_a_key_with_any_of_its_characters_escaped_is_masked(
    secret: str, data: st.DataObject, before: str, after: str
) -> None:
    ways = ["{}", "\\u{:04x}", "\\x{:02X}", "%{:02x}", "&#{};", "&#x{:X};"]
    chosen = data.draw(st.lists(st.sampled_from(ways), min_size=len(secret), max_size=len(secret)))
    written = "".join(c if way == "{}" else way.format(ord(c)) for c, way in zip(secret, chosen, strict=True))
    assert Redactor(ApiKey(secret)).in_text(f"{before} {written} {after}") == f"{before} [redacted-key] {after}"


ESCAPES_OF_NOTHING = r"100% & \ %zz &none; &#0; &#55296; &#9999999; \x4 \u00"


@pytest.mark.parametrize(
    "text", ["", "\ud800 lone", ESCAPES_OF_NOTHING, "Zoë 貓 \U0001f408", '{"categoryId": 7}', "x" * 10_000]
)
def test_other_text_is_kept(text: str) -> None:
    assert REDACTOR.in_text(text) == text


@given(st.text())
def test_text_without_the_key_is_unchanged(text: str) -> None:
    if not any(window in text.lower() for window in windows(SECRET.lower(), 12)):
        assert REDACTOR.in_text(text) == text


@given(st.binary())
def test_bytes_without_the_key_are_unchanged(data: bytes) -> None:
    assert REDACTOR.in_bytes(data) == data


def deflated(data: bytes) -> bytes:
    """Deflate without the header of zlib."""
    packer = zlib.compressobj(wbits=-15)
    return packer.compress(data) + packer.flush()


PACKED = {
    "gzip": gzip.compress,
    "zlib": zlib.compress,
    "deflate": deflated,
    "cut": lambda data: gzip.compress(data)[:-12],
    "damaged": lambda data: zlib.compress(data, 0)[:-200] + b"\xff" * 200,
    "twice": lambda data: deflated(gzip.compress(data)),
    "in UTF-16": lambda data: data.decode().encode("utf-16"),
}


@pytest.mark.parametrize("pack", PACKED.values(), ids=PACKED)
def test_a_body_that_has_the_key_compressed_is_masked(pack: Callable[[bytes], bytes]) -> None:
    said = f'{{"message": "no such key: Bearer {SECRET}"}}'.encode() + b" " * 1_000
    body = pack(said)
    assert b"[redacted-key]" in REDACTOR.in_body(body)
    assert len(REDACTOR.in_body(body)) < 20 or body.startswith(b"\xff\xfe")
    other = pack(said.replace(SECRET.encode(), b"another key, of somebody else"))
    assert REDACTOR.in_body(other) == other


@given(st.binary())
def test_a_body_without_the_key_is_unchanged(data: bytes) -> None:
    assert REDACTOR.in_body(data) == data


def test_a_bomb_is_searched_to_a_cap() -> None:
    bomb = deflated(gzip.compress(b"\0" * 50_000_000))
    tracemalloc.start()
    assert REDACTOR.in_body(bomb) == bomb
    assert tracemalloc.get_traced_memory()[1] < 40_000_000
    tracemalloc.stop()


@given(MIXED, AROUND, AROUND)
def test_no_half_of_a_key_survives(secret: str, before: str, after: str) -> None:
    shown = Redactor(ApiKey(secret)).in_text(before + secret + after)
    assert not [window for window in windows(secret, len(secret) // 2) if window in shown]


@given(MIXED, st.data())
def test_no_half_of_a_part_survives(secret: str, data: st.DataObject) -> None:
    half = len(secret) // 2
    start = data.draw(st.integers(0, len(secret) - half))
    end = data.draw(st.integers(start + half, len(secret)))
    shown = Redactor(ApiKey(secret)).in_text(f"<{secret[start:end]}>")
    assert not [window for window in windows(secret, half) if window in shown]


@given(MIXED, st.binary(max_size=7), st.binary(max_size=7))
@example("A" * 20 + "bcdefghijkl", b"", b"")
def test_base64_reveals_no_half_of_the_key_at_any_offset(secret: str, before: bytes, after: bytes) -> None:
    encoded = base64.b64encode(before + secret.encode() + after).decode()
    shown = Redactor(ApiKey(secret)).in_text(encoded)
    assert not [window for window in windows(secret, len(secret) // 2) if window in bytes_in(shown)]


@given(MIXED)
def test_masking_twice_equals_masking_once(secret: str) -> None:
    redactor = Redactor(ApiKey(secret))
    once = redactor.in_text(f"{secret} {secret[:-1]}")
    assert redactor.in_text(once) == once


@pytest.mark.parametrize("secret", ["k", "ab", "dev-1", "0123456789ab", "a" * 12, "x" * 40, "абв"])
def test_short_and_simple_keys_are_masked_completely(secret: str) -> None:
    shown = Redactor(ApiKey(secret)).in_text(f"[{secret}]")
    assert secret not in shown.replace("[redacted-key]", "")


def test_masking_a_key_of_digits_keeps_numbers_valid() -> None:
    redactor = Redactor(ApiKey("480215790436"))
    assert json.loads(redactor.in_text('{"id": 480215790436, "n": -4802157904361}')) == {
        "id": 999999999999,
        "n": -9999999999991,
    }


DIGITS = ("12345678", "480215790436", "482913750264819375", "4829137502648193750", "1" * 40)


@pytest.mark.parametrize("secret", [SECRET, *DIGITS])
def test_what_is_masked_can_be_seen(secret: str) -> None:
    for text in (secret, secret[: max(len(secret) // 2, min(len(secret) - 1, 12))]):
        assert MASKED.search(Redactor(ApiKey(secret)).in_bytes(f"<{text}>".encode()))


def test_words_of_the_interface_are_kept_even_if_they_are_part_of_the_key() -> None:
    body = '{"categoryId": 7, "status": "available", "name": "petstore"}'
    assert Redactor(ApiKey("petstore-available-categoryId-status-name")).in_text(body) == body


@pytest.mark.parametrize("secret", [SECRET, "a" * 32, "ab" * 16])
def test_a_flood_of_the_key_is_masked_in_seconds(secret: str) -> None:
    data = (secret[:20].encode() + b"-" + secret.encode()) * (4 * 1024 * 1024 // 53)
    began = time.process_time()
    shown = Redactor(ApiKey(secret)).in_bytes(data)
    assert time.process_time() - began < 20
    assert not [window for window in windows(secret, 16) if window.encode() in shown]


@pytest.mark.parametrize("secret", ["dev-1", "aaaa", SECRET])
def test_a_flood_of_all_but_one_character_takes_little_memory(secret: str) -> None:
    data = f"{secret[:-1]}.".encode() * (1024 * 1024 // len(secret))
    tracemalloc.start()
    shown = Redactor(ApiKey(secret)).in_bytes(data)
    assert tracemalloc.get_traced_memory()[1] < 12 * len(data)
    tracemalloc.stop()
    assert secret[:-1].encode() not in shown


def test_pieces_of_a_short_key_are_kept_in_a_long_page_of_words() -> None:
    page = '{"description": "indeed a dear dog"}' * 3_000
    assert Redactor(ApiKey("dear1-x")).in_text(page) == page


@pytest.mark.parametrize("piece", ["%41", "ab%41", "%25252541", "&#37;41", r"\\\\", f"{SECRET[:-1]}%4b"])
def test_a_flood_of_escapes_is_searched_in_seconds_and_in_bounded_memory(piece: str) -> None:
    data = piece.encode() * (1024 * 1024 // len(piece))
    began = time.process_time()
    REDACTOR.in_bytes(data)
    assert time.process_time() - began < 3
    tracemalloc.start()
    REDACTOR.in_bytes(data)
    assert tracemalloc.get_traced_memory()[1] < 6 * len(data)
    tracemalloc.stop()


def test_redaction_keeps_markup_and_masks_the_key_in_it() -> None:
    shown = REDACTOR.in_text(html.escape(f"<b>{SECRET}</b>"))
    assert shown == "&lt;b&gt;[redacted-key]&lt;/b&gt;"
