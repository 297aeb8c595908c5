"""Section 4.1: list all animals.

Each limit is asked for together with a filter, so that one request answers for both; where such a request is refused,
each half is asked for alone, to tell which of the two is at fault.
"""

from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest

from petcheck.exchange import Credential, Exchange, Response
from petcheck.judging.interface import LIMIT_DEFAULT, LIMIT_MAX, STATUSES
from petcheck.judging.jsontext import integer
from petcheck.judging.matchers import answer_of, came, described, expect_status, page_of, problem_of_pet_status, quoted
from petcheck.judging.sightings import Page, animals_in, ids_with_status, order_of, page_in, page_in_words, pages_in
from petcheck.judging.verdicts import Breach, Inconclusive, NotRun
from petcheck.marks import observes, requirement, stage
from petcheck.probes import OPEN_LISTS
from petcheck.target import Target
from petcheck.wire.api import Api

# every status, and every limit that the document names: in pairs where a filter does not hide what the limit does
PAIRS = ((20, "available"), (100, "pending"), (1, "sold"))
LIMITS = ((1, "sold"), (20, "available"), (100, None))


def ok(exchange: Exchange) -> bool:
    """Whether it was answered 200."""
    return isinstance(exchange.answer, Response) and exchange.answer.status == 200


def whole_pages(target: Target) -> list[Page]:
    """The pages that came so far; asks for those that this file is about, so that each check finds them."""
    for limit, status in (*PAIRS, (100, None), (None, None)):
        target.api.list_pets(limit=limit, status=status)
    return list(pages_in(target.record))


@requirement("LIST-1")
def test_list(api: Api) -> None:
    """GET /pets is 200."""
    expect_status(api.list_pets(), 200)


@requirement("LIST-2")
@pytest.mark.parametrize(("limit", "status"), LIMITS, ids=lambda value: str(value or "all"))
def test_limit_is_accepted(target: Target, limit: int, status: str | None) -> None:
    """`limit`: integer from 1 to 100."""
    if not ok(target.api.list_pets(limit=limit, status=status)):
        expect_plain_list(target.api)
        expect_not_refused_before(target, "limit", str(limit))
        expect_status(target.api.list_pets(limit=limit), 200)


def expect_not_refused_before(target: Target, parameter: str, value: str) -> None:
    """`Inconclusive` where that parameter alone was refused with another value: asking again would tell nothing new."""
    for exchange in target.record:
        query = parse_qsl(urlsplit(exchange.request.url).query)
        alone = [name for name, _ in query] == [parameter] and query[0][1] != value
        if alone and value_is_valid(*query[0]) and exchange.request.credential is Credential.VALID and not ok(exchange):
            raise Inconclusive(f"{described(exchange)} was refused already, so this value was not tried alone.")


def value_is_valid(name: str, value: str) -> bool:
    """Whether the document provides for a parameter's value."""
    return value in STATUSES if name == "status" else value.isdecimal() and 1 <= int(value) <= LIMIT_MAX


def expect_plain_list(api: Api) -> None:
    """`Inconclusive` where GET /pets alone is not answered 200, so that no parameter is at fault."""
    if not ok(api.list_pets()):
        raise Inconclusive(
            f"GET /pets is not answered 200 without parameters either ({came(api.list_pets())}); see LIST-1."
        )


@requirement("LIST-6")
@pytest.mark.parametrize(("limit", "status"), PAIRS, ids=str)
def test_status_is_accepted(target: Target, limit: int, status: str) -> None:
    """`status`: one of available, pending, sold."""
    api = target.api
    both = api.list_pets(limit=limit, status=status)
    if ok(both):
        return
    expect_plain_list(api)
    expect_not_refused_before(target, "status", status)
    expect_status(api.list_pets(status=status), 200)
    if ok(api.list_pets(limit=limit)):
        expect_status(both, 200, sent="(each parameter alone is accepted)")


@requirement("LIST-3")
@pytest.mark.parametrize("limit", [1, 20, 100])
def test_page_is_no_longer_than_its_limit(target: Target, limit: int) -> None:
    """`limit` is the maximum number of animals returned."""
    pages = [page for page in whole_pages(target) if page.limit == str(limit)]
    if not pages:
        raise Inconclusive(f"No page for limit={limit} came; LIST-2 tells more.")
    for page in pages:
        expect_no_more(page, limit)
    known = len(animals_in(target.record))
    filtered = max((len(ids_with_status(target.record, page.status)) for page in pages if page.status), default=0)
    if any(page.limit == str(limit) and page.status is None for page in pages):
        reach = known
    else:
        reach = filtered
        if reach <= limit < known:
            # the filter leaves fewer than the limit: ask without it
            unfiltered = page_in(target.api.list_pets(limit=limit))
            if unfiltered is not None:
                expect_no_more(unfiltered, limit)
                reach = known
    if reach <= limit and not any(page.size == limit for page in pages):
        raise Inconclusive(
            f"Only {reach} animals are known; with more than {limit} it could be told.", "--allow-writes"
        )


def expect_no_more(page: Page, limit: int) -> None:
    """`Breach` where a page is longer than its limit."""
    if page.size > limit:
        raise Breach(
            f"{described(page.exchange)} returned {page.size} animals; section 4.1 allows at most {limit}.",
            page.exchange,
        )


@requirement("LIST-4")
def test_default_page_is_a_page_of_20(target: Target) -> None:
    """`limit` is 20 where it is not given."""
    api = target.api
    whole_pages(target)
    exchange = api.list_pets()
    known = len(animals_in(target.record))
    if len(page_of(exchange)) < known <= len(page_of(exchange)) + len(target.created):
        # it came before the run created animals, and is compared with pages that came after
        exchange = api.list_pets(fresh=True)
    default = page_in(exchange)
    if default is not None:
        expect_no_more(default, LIMIT_DEFAULT)
    size = len(page_of(exchange))
    if size == LIMIT_DEFAULT < known:
        return
    if known > size:
        compare_with_20(target, exchange)
    if known <= LIMIT_DEFAULT:
        raise Inconclusive(
            f"{known} animals are listed; with more than {LIMIT_DEFAULT} the default page size could be told."
        )


def compare_with_20(target: Target, default: Exchange) -> None:
    """`Breach` where no limit and `limit=20` differ in size, twice, with the first not changing in between."""
    api = target.api
    explicit = api.list_pets(limit=LIMIT_DEFAULT)
    if len(page_of(explicit)) == len(page_of(default)):
        return
    sizes = [len(page_of(api.list_pets(limit=limit, fresh=True))) for limit in (None, LIMIT_DEFAULT, None)]
    if sizes[0] == sizes[2] != sizes[1]:
        raise Breach(
            f"GET /pets returned {sizes[0]} animals and GET /pets?limit=20 {sizes[1]}; "
            "section 4.1 makes 20 the default.",
            default,
            explicit,
        )


@requirement("LIST-5")
@stage("record")
def test_page_is_never_longer_than_100(target: Target) -> None:
    """`limit`: maximum 100, whatever is asked for. A refusal of more holds too."""
    pages = list(pages_in(target.record))
    for page in pages:
        target.api.examine(page.exchange)
        if page.size > LIMIT_MAX:
            raise Breach(
                f"{described(page.exchange)} returned {page.size} animals; section 4.1 allows 100 at most.",
                page.exchange,
            )
    beyond = target.observed.get("limit-over-100")
    if beyond is None:
        raise Inconclusive("No more than 100 animals were asked for: the requests that a run allows itself were spent.")
    exchange = target.api.examine(target.record[beyond.exchanges[0]])
    full = any(page.size == LIMIT_MAX for page in pages)
    if ok(exchange) and len(animals_in(target.record)) <= LIMIT_MAX and not full:
        raise Inconclusive("No more than 100 animals are listed, so no page could be too long.")
    answer_of(exchange, "a page of 100 animals at most, or a refusal (section 4.1)")


@requirement("LIST-7")
@pytest.mark.parametrize(("limit", "status"), PAIRS, ids=str)
def test_filtered_page_holds_that_status_only(target: Target, limit: int, status: str) -> None:
    """`status` filters by availability."""
    exchange = target.api.list_pets(limit=limit, status=status)
    animals = page_of(exchange)
    for animal in animals:
        if problem_of_pet_status(animal) is not None:
            continue  # no PetStatus at all: PET-4
        if animal.get("status") != status:
            has = quoted(animal["status"]) if "status" in animal else "absent"
            raise Breach(
                f"{described(exchange)} returned animal {quoted(animal.get('id'))}, whose status is {has}; "
                f"section 4.1 makes `status` a filter.",
                exchange,
            )
    if not animals:
        raise Inconclusive(f"No animal with status {status!r} is listed; one would settle it.", "--allow-writes")


@requirement("LIST-8")
def test_filtered_pages_are_complete(target: Target) -> None:
    """An animal of a status is on the page of that status, where the whole store fits on a page.

    A server may cut to the limit before it filters, so only a page that is shorter than its limit proves anything; and
    it may cap pages, so the filtered page must be shorter than the unfiltered one.
    """
    everything = page_in(target.api.list_pets(limit=LIMIT_MAX))
    if everything is None or everything.size >= LIMIT_MAX:
        raise Inconclusive("The store does not fit on one page, so nobody can tell what a filtered page leaves out.")
    examined = [status for status in STATUSES if filtered_page_is_complete(target, everything, status)]
    if not examined:
        raise Inconclusive("No animal with a status is listed; one would settle it.", "--allow-writes")


def filtered_page_is_complete(target: Target, everything: Page, status: str) -> bool:
    """True where the filtered page shows all of a status, False where nothing can be told, else `Breach`."""
    api = target.api
    due = of_status(everything, status)
    if not due:
        return False
    seen = {n for page in pages_in(target.record) if page.status == status for n in page.ids}
    if due <= seen:
        return True
    wide = page_in(api.list_pets(limit=LIMIT_MAX, status=status))
    if wide is None:
        return False
    missing = due - set(wide.ids)
    if not missing:
        return True
    before, between, after = (
        page_in(api.list_pets(limit=LIMIT_MAX, status=name, fresh=True)) for name in (None, status, None)
    )
    if before is None or between is None or after is None or before.ids != after.ids:
        return False  # the list changes from one request to the next
    still = of_status(before, status) & of_status(after, status) & missing - set(between.ids)
    if not still or not between.size < before.size < LIMIT_MAX:
        return False
    raise Breach(
        f"{described(between.exchange)} left out animal {min(still)}, which {described(before.exchange)} lists with "
        f"status {status!r}; section 4.1 makes `status` a filter of the whole list.",
        before.exchange,
        between.exchange,
        after.exchange,
    )


def of_status(page: Page, status: str) -> set[int]:
    """The ids on a page that have a status."""
    return {n for a in page.animals if a.get("status") == status and (n := integer(a.get("id"))) is not None}


# ---- what the document leaves open


# the likeliest to be got wrong are asked first, for a run that can afford a few only
FIRST = ("limit-over-100", "limit-not-a-number")


@pytest.mark.parametrize(
    ("name", "parameters"),
    [
        pytest.param(name, query, id=name, marks=[observes(name), stage("spare" if name in FIRST else "open")])
        for name, query in OPEN_LISTS.items()
    ],
)
def test_open_parameters(target: Target, name: str, parameters: dict[str, Any]) -> None:
    """Observed: what parameters get that the document does not provide for. ERROR-5 judges that it is no 5xx."""
    if target.spare() <= 0:
        return
    exchange = target.api.list_pets(**parameters)
    target.observe(name, page_in_words(exchange), exchange)


@requirement("LIST-4")
@stage("open")
def test_default_page_of_a_filter(target: Target) -> None:
    """The same with a filter; it matters less, and so runs where requests are left for it."""
    if target.spare() <= 0:
        raise NotRun("The requests that a run allows itself are spent.")
    page = page_in(target.api.list_pets(status="pending"))
    if page is None or page.size < LIMIT_DEFAULT:
        raise Inconclusive("No filtered page was full; with more than 20 pending animals it could be told.")
    expect_no_more(page, LIMIT_DEFAULT)


@observes("list-order")
def test_order(target: Target) -> None:
    """Observed: in which order animals come."""
    page = page_in(target.api.list_pets(limit=LIMIT_MAX))
    target.observe("list-order", order_of(page) if page else "no list came", *([page.exchange] if page else []))


@observes("paging-metadata")
def test_paging_metadata(target: Target) -> None:
    """Observed: headers of a page that point to the next one."""
    exchange = target.api.list_pets()
    headers = exchange.answer.headers if isinstance(exchange.answer, Response) else ()
    names = sorted({n for n, _ in headers if n.lower() == "link" or "page" in n.lower() or "total" in n.lower()})
    target.observe("paging-metadata", ", ".join(names) or "none", exchange)
