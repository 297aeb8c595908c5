"""exchanges.har: HAR 1.2 that developer tools open, and evidence that reads back equal."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from petcheck.results.har import Evidence, entries_by_index, entry_of, exchange_of, har, write_har

from petcheck.errors import NotEvidence
from petcheck.exchange import Credential, NoAnswer, Silence
from petcheck.spec.operations import Operation
from tests.support import samples


def test_one_exchange_in_full() -> None:
    document = har([samples.exchange(3, answer=samples.response(b"[]"))], version="0.1.0")
    assert document == {
        "log": {
            "version": "1.2",
            "creator": {"name": "petcheck", "version": "0.1.0"},
            "entries": [
                {
                    "startedDateTime": "2026-11-21T10:03:12.183Z",
                    "time": 12.0,
                    "request": {
                        "method": "GET",
                        "url": "https://staging.pets.example/v1/pets?limit=5",
                        "httpVersion": "HTTP/1.1",
                        "cookies": [],
                        "headers": [
                            {"name": "Authorization", "value": "Bearer $PETSTORE_API_KEY"},
                            {"name": "Accept", "value": "application/json"},
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
                        "-H \"Authorization: Bearer $PETSTORE_API_KEY\" -H 'Accept: application/json'",
                        "body_complete": True,
                        "section": "",
                        "sent": 100.06,
                        "finished": 100.072,
                    },
                }
            ],
        }
    }


def test_silence_has_status_0_and_a_reason() -> None:
    document = har([samples.exchange(answer=NoAnswer(Silence.TIMEOUT, "no byte in 10.0 s"))], version="0.1.0")
    answer = document["log"]["entries"][0]["response"]
    assert (answer["status"], answer["_error"]) == (0, "timeout: no byte in 10.0 s")
    assert entries_by_index(document)["staging", 0].error == "timeout: no byte in 10.0 s"


def test_bytes_that_are_not_utf8_are_base64_and_come_back() -> None:
    raw = bytes(range(256))
    sent = samples.request(method="POST", body=raw)
    document = har([samples.exchange(0, sent, samples.response(raw))], version="0.1.0")
    entry = document["log"]["entries"][0]
    assert entry["response"]["content"]["encoding"] == entry["request"]["postData"]["encoding"] == "base64"
    evidence = entries_by_index(document)["staging", 0]
    assert (evidence.request_body, evidence.response_body) == (raw, raw)


def test_evidence_comes_back_as_it_was(tmp_path: Path) -> None:
    exchanges = samples.hostile_run()[1] + samples.whole_run()[1]
    path = write_har(tmp_path, map(entry_of, exchanges), version="0.1.0")
    evidence = entries_by_index(json.loads(path.read_bytes()))
    production = [entry for entry in exchanges if entry.target == "production"][2]
    assert evidence["production", 2] == Evidence(
        target="production",
        index=2,
        operation=Operation.CREATE_PET,
        credential=Credential.VALID,
        curl="curl -isS 'https://production.pets.example/v1/pets' -H \"Authorization: Bearer $PETSTORE_API_KEY\" "
        "-H 'Accept: application/json' -H 'Content-Type: application/json' "
        '--data-raw \'{"name": "petcheck 4f2a 2", "categoryId": 9223372036854775807}\'',
        started="2026-11-21T10:03:12.163Z",
        elapsed_ms=5.4,
        method="POST",
        url="https://production.pets.example/v1/pets",
        request_headers=production.request.headers,
        request_body=b'{"name": "petcheck 4f2a 2", "categoryId": 9223372036854775807}',
        status=201,
        reason="Created",
        http_version="HTTP/1.1",
        response_headers=samples.response().headers,
        response_body=b'{"id": 102, "name": "petcheck 4f2a 2", "categoryId": 9223372036854775807}',
        whole=True,
        error=None,
    )


def test_an_exchange_comes_back_as_it_was() -> None:
    exchanges = samples.hostile_run()[1] + samples.whole_run()[1]
    moment = samples.START + timedelta(microseconds=1)
    silent = replace(exchanges[0], answer=NoAnswer(Silence.CUT_SHORT, "status 200 came: it ended"), started=moment)
    broken = replace(samples.response(b"\xff"), body_complete=False, encoding_broken="Content-Encoding is gzip")
    odd = replace(exchanges[0], answer=broken, resent=True)
    for exchange in (*exchanges, silent, odd):
        assert exchange_of(json.loads(json.dumps(entry_of(exchange)))) == exchange


@pytest.mark.parametrize(("member", "value"), [("operation", "deletePet"), ("operation", 1), ("credential", "any key")])
def test_an_unknown_operation_or_credential_is_refused(member: str, value: object) -> None:
    document = har([samples.exchange()], version="1")
    document["log"]["entries"][0]["_petcheck"][member] = value
    with pytest.raises(NotEvidence, match=repr(value)):
        entries_by_index(document)


def test_the_names_of_credentials_in_files_stay() -> None:
    """Existing files use these values."""
    assert [credential.value for credential in Credential] == [
        "a valid key",
        "no key",
        "a random key",
        "the key with its last character changed",
        "the key without its last character",
        "the key with a character appended",
        "the key followed by another word",
        "an empty token",
        "the key under the scheme Basic",
        "the key under the scheme Token",
        "the key under a scheme of six letters",
        "the key without a scheme",
        "a key of unknown validity",
    ]


@pytest.mark.parametrize("document", [{}, {"log": {"entries": [{}]}}, {"log": {"entries": 1}}, {"log": None}])
def test_another_har_is_refused(document: dict[str, Any]) -> None:
    with pytest.raises(NotEvidence, match=r"^is not a HAR of petcheck: "):
        entries_by_index(document)
