"""What in a request may have caused a failure: a POST before it, its name, its form, the example that it simplifies."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from petcheck.call import Call, Form
from petcheck.exchange import Exchange, Page, Request, limit_in
from petcheck.json_values import integer
from petcheck.judging.creations import name_in, oddity, posts_in, taken
from petcheck.judging.decision import Failed, Record
from petcheck.judging.matchers import answer_text, described, one_of
from petcheck.judging.pages import shown_in
from petcheck.judging.request_bodies import half_of_a_pair
from petcheck.judging.statuses import query_is_valid
from petcheck.spec.figures import LIMIT_DEFAULT, RATE_HEADERS
from petcheck.spec.operations import Operation


def spoiled_by(exchange: Exchange, record: Record, named: Exchange) -> str:
    """The POST of the run after which a page could no longer be read, in words; empty if it could not before.

    It could if another one with the same filter did, and as many animals. Of several POSTs the oddest is the likeliest;
    if only filtered pages can no longer be read, one of an animal without a status. A 429 says nothing about the page.
    The page is "it" if it is what the sentence after this one has `named`.
    """
    request = exchange.request
    if exchange.burst is not None or exchange.status == 429:
        return ""
    if request.operation is not Operation.LIST_PETS or not request.has_valid_key:
        return ""
    covering = (e for e in record if e.page is not None and _covers(e.page, exchange.request))
    last = max(covering, key=lambda e: e.finished, default=None)
    if last is None:
        return ""
    worked = last.finished
    lists = [e for e in record if e.request.operation is Operation.LIST_PETS and e.sent >= worked]
    broken = [e for e in lists if e.status == exchange.status and e.page is None]
    # another page may have shown it first; one with other parameters may fail for these
    first = min([exchange, *(e for e in broken if query_is_valid(e))], key=lambda e: e.sent)
    broke = first.sent
    perhaps = min([broke, *(e.sent for e in broken)])
    # one that overlaps with that page may have come before it, too
    between = [e for e in posts_in(record) if worked <= e.sent < first.finished]
    posts = [e for e in between if e.status == 201 or e.heard.status >= 500]
    if not any(e.finished <= broke for e in posts):
        return ""
    unfiltered = (e for e in lists if e.page is not None and not e.page.filtered)
    by_status = "status" in dict(request.query) and any(e.sent >= broke for e in unfiltered)
    worst = max(
        posts,
        key=lambda e: (by_status and _has_no_status(e), *_badness(e), e.finished <= perhaps, e.index),
    )
    it = "It" if exchange is named and last.request.call == exchange.request.call else last.request.summary
    number = integer((worst.object or {}).get("id"))
    did = "created an animal" if number is None else f"created animal {number}"
    did = did if worst.status == 201 else f"returned {answer_text(worst)}"
    if len(posts) == 1:
        return f"{it} worked until {worst.request.summary} {did}. "
    return f"{it} worked until one of {len(posts)} POSTs, most likely {worst.request.summary}, which {did}. "


def _has_no_status(post: Exchange) -> bool:
    """Whether it created an animal without a status: it is rare, and a filter may not be ready for it."""
    return post.status == 201 and (post.object or {}).get("status") is None


def _badness(post: Exchange) -> tuple[bool, ...]:
    """How likely a POST is to spoil a page.

    Likeliest are an animal whose POST failed or whose own 201 cannot be read, one with half of a surrogate pair, which
    no UTF-8 can show, one whose body is not plain JSON, and one that a store may keep badly.
    """
    half, no_plain_json = half_of_a_pair(post.request), bool(post.request.parsed.wrong)
    return post.status != 201, post.object is None, half, no_plain_json, *oddity(post)


def _covers(page: Page, request: Request) -> bool:
    """Whether a page was the same as another, or had the same valid filter and at least as many animals."""
    if page.exchange.request.call == request.call:
        return True
    query = dict(request.query)
    asked = LIMIT_DEFAULT if "limit" not in query else limit_in(query.pop("limit"))
    if page.asked is None or asked is None or query != ({"status": page.status} if page.status else {}):
        return False
    return page.asked >= asked and query_is_valid(page.exchange)


def named_before(exchange: Exchange, record: Record) -> str:
    """That an animal had the name of a refused POST before, in words; empty if none had. Names may be shared."""
    if exchange.request.operation.safe or exchange.status == 201:
        return ""
    first = taken(name_in(exchange.request.body), [e for e in record if e.finished <= exchange.sent])
    if first is None:
        return ""
    number = integer((first.object or {}).get("id"))
    return f" {'An animal' if number is None else f'Animal {number}'} has had that name before."


_TO_NO_REQUEST = (400, 405, 501)  # what servers answer to something that is not a request


def _may_answer_no_request(exchange: Exchange) -> bool:
    """Whether the answer may be to something that is not a request, or that names no operation."""
    unknown = exchange.status == 404 and exchange.request.operation is not Operation.GET_PET
    return unknown or exchange.status in _TO_NO_REQUEST


def unread_before(exchange: Exchange, exchanges: Iterable[Exchange]) -> Exchange | None:
    """The POST right before it on its connection whose body the server may have taken for a request; None without one.

    It got a 4xx, maybe before the server had read the body. And the response after it lacks the rate headers of that
    4xx, or an equal request got another status elsewhere: a 400 alone may be about the request.
    """
    if exchange.connection is None or not _may_answer_no_request(exchange):
        return None
    others = {one.index: one for one in exchanges if one.target == exchange.target}
    post = _refused_before(exchange, others.get(exchange.index - 1))
    if post is None:
        return None
    bare = not _has_rate_headers(exchange) and _has_rate_headers(_first_refusal(post, others))
    call = exchange.request.call
    return post if bare or any(_differs(one, exchange, call, others) for one in others.values()) else None


def _refused_before(exchange: Exchange, before: Exchange | None) -> Exchange | None:
    """The exchange before, if it was on the same connection and refused a body."""
    if before is None or exchange.connection is None or before.connection != exchange.connection:
        return None
    return before if before.request.body and 400 <= before.heard.status < 500 else None


def _first_refusal(post: Exchange, others: Mapping[int, Exchange]) -> Exchange:
    """The POST, or the one whose body it may itself have been taken for."""
    while not _has_rate_headers(post) and _may_answer_no_request(post):
        before = _refused_before(post, others.get(post.index - 1))
        if before is None:
            break
        post = before
    return post


def _differs(one: Exchange, exchange: Exchange, call: Call, others: Mapping[int, Exchange]) -> bool:
    """Whether an equal request that no refused POST came right before got another status, which is an answer to it."""
    if one.status in (429, exchange.status) or not 200 <= one.heard.status < 500:
        return False
    return _refused_before(one, others.get(one.index - 1)) is None and one.request.call == call


def _has_rate_headers(exchange: Exchange) -> bool:
    return any(exchange.heard.header(name) is not None for name in RATE_HEADERS)


def after_unread(decision: Failed, record: Record) -> str:
    """That the body of a POST may be why the next response is wrong, in words; empty unless that explains them all."""
    first = decision.proofs[0].exchange
    post = unread_before(first, record) if first in decision.wrong else None
    if post is None or any(unread_before(one, record) is None for one in decision.wrong):
        return ""
    return (
        f" It came on the connection on which {described(post)} (#{post.index}) got {post.status} just before:"
        " the server may have taken that body for a request, if it came after the headers and not with them."
    )


def forms_in(decision: Failed) -> tuple[Form, ...]:
    """The forms of all exchanges with a failure if they may be the cause: they are few, and not the plain one.

    Of a failure in a burst, those beside it may be the cause, unless it fails alone too.
    """
    alone = any(one.burst is None for one in decision.wrong)
    if not alone and any(proof.exchange.burst is not None for proof in decision.proofs):
        return ()
    forms = tuple(dict.fromkeys(proof.exchange.request.form for proof in decision.proofs))
    return forms if len(forms) <= _FORMS and Form.PLAIN not in forms else ()


_FORMS = 2  # as many have header names in another case, or another Accept


def in_plain_form(exchange: Exchange, record: Record) -> Exchange | None:
    """The latest exchange of a record whose request means the same and has the plain form, if it came after this one.

    An earlier one may have met another store, or a server that still worked.
    """
    call = exchange.request.call
    later = (e for e in reversed(record) if e.sent >= exchange.finished)
    return next((e for e in later if e.request.form is Form.PLAIN and e.request.call == call), None)


def in_form(decision: Failed, record: Record) -> str:
    """The form on which a failure depends, in words, and the answer to the plain form; empty if that is not seen.

    It is seen if the form failed more than once, and the plain form got another status later, or an equal one while no
    animal was created in between; or if the form failed before and after it. It is not if the animal was created in
    between.
    """
    forms, first = forms_in(decision), decision.proofs[0].exchange
    plain = in_plain_form(first, record) if forms else None
    if plain is None or plain.status is None or plain in decision.wrong or len(decision.wrong) == 1:
        return ""
    created = [one for one in posts_in(record) if one.status == 201 and first.index < one.index < plain.index]
    if any(first.request.pet_id in shown_in(one) for one in created):
        return ""
    same = plain.status == first.status
    if created and same and not any(plain.finished <= one.sent for one in decision.wrong):
        return ""
    got = f"it got {answer_text(plain)}{', which keeps the rule' if same else ''}"
    return f" The request had {one_of([form.value for form in forms])}; in the plain form {got}."


SIMPLIFIED = " Simplified from "
"""What follows in a reason names the example as it was found."""


def simplified_from(decision: Failed) -> Exchange | None:
    """The failing example that the exchange of a failure is a simpler form of; None if it is of none."""
    first = decision.proofs[0].exchange
    return next((one for one in decision.wrong if one.index == first.simplifies), None)
