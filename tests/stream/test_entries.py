"""An exchange is an entry of a HAR 1.2 that developer tools open, and comes back as it was."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import timedelta

from petcheck.call import Credential
from petcheck.exchange import NoAnswer, Silence
from petcheck.spec.version import VERSION
from petcheck.stream.entries import entry_of, exchange_of
from tests.support import samples


def test_one_exchange_in_full() -> None:
    assert entry_of(samples.exchange(3, answer=samples.response(b"[]"))) == {
        "startedDateTime": "2026-11-21T10:03:12.183Z",
        "time": 12.0,
        "request": {
            "method": "GET",
            "url": "https://staging.pets.example/v1/pets?limit=5",
            "httpVersion": "HTTP/1.1",
            "cookies": [],
            "headers": [
                {"name": "Accept", "value": "application/json"},
                {"name": "Accept-Encoding", "value": "gzip, deflate"},
                {"name": "User-Agent", "value": f"petcheck/{VERSION}"},
                {"name": "Authorization", "value": "Bearer $PETSTORE_API_KEY"},
            ],
            "queryString": [{"name": "limit", "value": "5"}],
            "headersSize": -1,
            "bodySize": 0,
        },
        "response": {
            "status": 200,
            "statusText": "OK",
            "httpVersion": "HTTP/1.1",
            "cookies": [],
            "headers": [
                {"name": "Date", "value": "Sat, 21 Nov 2026 10:03:12 GMT"},
                {"name": "Content-Type", "value": "application/json; charset=utf-8"},
                {"name": "X-RateLimit-Limit", "value": "60"},
                {"name": "X-RateLimit-Remaining", "value": "41"},
                {"name": "X-RateLimit-Reset", "value": "1795255440"},
            ],
            "content": {"size": 2, "mimeType": "application/json; charset=utf-8", "text": "[]"},
            "redirectURL": "",
            "headersSize": -1,
            "bodySize": -1,
        },
        "cache": {},
        "timings": {"send": 0, "wait": 12.0, "receive": 0},
        "_petcheck": {
            "target": "staging",
            "index": 3,
            "operation": "listPets",
            "credential": "a valid key",
            "curl": "curl -isS 'https://staging.pets.example/v1/pets?limit=5' "
            f"-H 'Accept: application/json' -H 'User-Agent: petcheck/{VERSION}' "
            '-H "Authorization: Bearer $PETSTORE_API_KEY"',
            "body_complete": True,
            "section": "",
            "sent": 100.06,
            "finished": 100.072,
        },
    }


def test_silence_has_status_0_and_a_reason() -> None:
    exchange = samples.exchange(answer=NoAnswer(Silence.TIMEOUT, "no byte in 10.0 s"))
    answer = entry_of(exchange)["response"]
    assert (answer["status"], answer["_error"]) == (0, "timeout: no byte in 10.0 s")


def test_bytes_that_are_not_utf8_are_base64() -> None:
    raw = bytes(range(256))
    entry = entry_of(samples.exchange(0, samples.request(method="POST", body=raw), samples.response(raw)))
    assert entry["response"]["content"]["encoding"] == entry["request"]["postData"]["encoding"] == "base64"


def test_an_exchange_comes_back_as_it_was() -> None:
    exchanges = samples.hostile_run()[1] + samples.whole_run()[1]
    moment = samples.START + timedelta(microseconds=1)
    silent = replace(exchanges[0], answer=NoAnswer(Silence.CUT_SHORT, "status 200 came: it ended"), started=moment)
    broken = replace(samples.response(b"\xff"), body_complete=False, encoding_broken="Content-Encoding is gzip")
    odd = replace(exchanges[0], answer=broken, resent=True)
    for exchange in (*exchanges, silent, odd):
        assert exchange_of(json.loads(json.dumps(entry_of(exchange)))) == exchange


def test_the_names_of_credentials_in_files_stay() -> None:
    """Existing files use these values."""
    assert [credential.value for credential in Credential] == [
        "a valid key",
        "no key",
        "a random key",
        "the key with its last character changed",
        "the key without its last character",
        "the key with a character appended",
        "the key after another character",
        "the key with a character in its middle changed",
        "the first half of the key",
        "the second half of the key",
        "the key followed by another word",
        "the word constructor as the key",
        "the key with a byte beyond ASCII appended",
        "an empty token",
        "the key under the scheme Basic",
        "the key under the scheme Token",
        "the key under a scheme of six letters",
        "the key without a scheme",
        "the key under a scheme that ends in Bearer",
        "the key after the word Bearer twice",
        "the key without a space after Bearer",
        "the key after Bearer and a hyphen",
        "a key of unknown validity",
    ]
