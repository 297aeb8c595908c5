"""Section 4.3: get an animal (deprecated, removed on 5 December 2030)."""

import pytest

from petcheck.creations import listed_before, most_telling
from petcheck.exchange import Exchange, Response
from petcheck.judging.interface import LIMIT_MAX, REMOVAL_DAY
from petcheck.judging.jsontext import INT64_MAX, Json, integer
from petcheck.judging.matchers import (
    Animal,
    animal_of,
    answer_of,
    came,
    described,
    differences,
    expect_status,
    page_of,
    problem_of_int64,
    quoted,
    value_of,
)
from petcheck.judging.sightings import animals_in, page_in, pages_in
from petcheck.judging.verdicts import Breach, Inconclusive, NotRun
from petcheck.marks import observes, requirement, stage
from petcheck.target import Target

# requests that a second look at a difference takes, with the one that shows it
_CONFIRMATION = 4


def before_removal(target: Target) -> None:
    """`NotRun` from the day on which the operation is removed."""
    if target.as_of >= REMOVAL_DAY:
        raise NotRun(f"GET /pets/{{petId}} is removed on {REMOVAL_DAY}; GET-4 judges that.")


def read(target: Target) -> Exchange:
    """GET of an animal that exists, sent once. A 404 counts only for one that the list goes on showing."""
    return target.once("an existing animal", lambda: first_read(target))


def first_read(target: Target) -> Exchange:
    """The same, when it is first asked for: of an animal that the run created, else of one that was there before.

    One that was created and is not found is CREATE-12's matter.
    """
    mine = most_telling(target)
    if mine is not None:
        exchange = target.api.get_pet(mine)
        if exchange.status != 404:
            return exchange
    known = listed_before(target)
    if not known:
        raise Inconclusive("No animal is listed that could be read; one would settle it.", "--allow-writes")
    for number in known[:2]:
        exchange = target.api.get_pet(number)
        if exchange.status != 404:
            return exchange
        wide = page_in(target.api.list_pets(limit=LIMIT_MAX, fresh=True))
        if wide is not None and number in wide.ids:
            return target.api.get_pet(number, fresh=True)
    raise Inconclusive("The animals that were listed have vanished; another client may have removed them.")


@requirement("GET-1")
def test_existing_animal_is_read(target: Target) -> None:
    """An existing id is 200."""
    before_removal(target)
    expect_status(read(target), 200)


@requirement("GET-2")
def test_animal_is_the_one_asked_for(target: Target) -> None:
    """The body is that animal, with the fields that the list shows."""
    before_removal(target)
    expect_the_listed(target, read(target))


@requirement("GET-2")
@stage("spare")
def test_another_animal_is_the_one_asked_for(target: Target) -> None:
    """The same for a second animal, with a status where the first had none, if requests are left for it."""
    before_removal(target)
    first = animal_of(read(target))
    seen = animals_in(target.record)
    others = [n for n in seen if n != integer(first.get("id"))]
    others.sort(key=lambda n: ("status" in seen[n]) == ("status" in first))
    if not others or target.spare() < _CONFIRMATION:
        raise NotRun("No other animal is listed, or the requests that a run allows itself are spent.")
    expect_the_listed(target, target.api.get_pet(others[0]))


def expect_the_listed(target: Target, exchange: Exchange) -> None:
    """`Breach` where an answer 200 shows another animal than was asked for, or than is listed."""
    expect_status_elsewhere(exchange)
    animal = animal_of(exchange)
    if problem_of_int64("the Pet", "id", animal) is None:
        asked = int(exchange.request.url.rpartition("/")[2])
        if integer(animal["id"]) != asked:
            raise Breach(
                f"{described(exchange)} returned animal {quoted(animal['id'])}; section 4.3 makes `petId` the id.",
                exchange,
            )
    expect_same_as_listed(target, exchange, animal)


def expect_status_elsewhere(exchange: Exchange) -> None:
    """`Inconclusive` where there is no 200 to look at, which GET-1 judges."""
    if exchange.status != 200:
        raise Inconclusive(f"{described(exchange)} showed no animal ({came(exchange)}); GET-1 tells more.")


def expect_same_as_listed(target: Target, exchange: Exchange, animal: Animal) -> None:
    """`Breach` where a page shows the animal otherwise, and goes on doing so (list, read, list)."""
    number = integer(animal.get("id"))
    page = next((page for page in reversed(list(pages_in(target.record))) if number in page.ids), None)
    if page is None or number is None:
        return

    def in_list(value: Json) -> Animal | None:
        items = value if isinstance(value, list) else []
        return next((a for a in items if isinstance(a, dict) and integer(a.get("id")) == number), None)

    def sight(again: Exchange) -> Animal | None:
        return in_list(list(page_of(again)))  # type: ignore[arg-type]

    listed = sight(page.exchange)
    if listed is None or not differences(listed, animal):
        return
    api = target.api
    first = sight(api.list_pets(limit=page.limit, status=page.status, fresh=True))
    second = api.get_pet(number, fresh=True)
    third = sight(api.list_pets(limit=page.limit, status=page.status, fresh=True))
    if first is None or third is None or differences(first, third) or second.status != 200:
        raise Inconclusive("The animal changes from one request to the next; another client may be at it.")
    changed = differences(first, animal_of(second))
    if changed:
        raise Breach(
            f"{described(second)} shows another animal than {described(page.exchange)}: "
            f"{'; '.join(changed)} (section 4.3).",
            page.exchange,
            second,
        )


@requirement("GET-3")
def test_unknown_id_is_not_found(target: Target) -> None:
    """An id that no animal has is 404."""
    before_removal(target)
    for number in target.unknown_ids:
        exchange = target.api.get_pet(number)
        value = value_of(exchange.answer) if isinstance(exchange.answer, Response) else None
        exists = isinstance(value, dict) and integer(value.get("id")) == number
        if exchange.status != 200 or not exists:
            break
    expect_status(exchange, 404, sent="(an id that no animal has)")


@requirement("GET-4")
def test_operation_is_removed(target: Target) -> None:
    """From 5 December 2030 on the operation answers an existing animal's id with a 4xx."""
    if target.as_of < REMOVAL_DAY:
        raise NotRun(f"The removal is due on {REMOVAL_DAY}.")
    mine = most_telling(target)
    known = [mine] if mine is not None else listed_before(target)
    if not known:
        raise Inconclusive("No animal is listed whose id could be tried; one would settle it.", "--allow-writes")
    exchange = target.api.get_pet(known[0])
    answer = answer_of(exchange, "a 4xx (section 4.3)")
    if answer.status < 300 or answer.status >= 500:
        raise Breach(
            f"{described(exchange)}: expected 404, 410 or another 4xx, since section 4.3 removes the operation on "
            f"{REMOVAL_DAY}, got {came(exchange)}.",
            exchange,
        )


# ---- what the document leaves open


@pytest.mark.parametrize("segment", [str(INT64_MAX + 1), "abc"], ids=["beyond-int64", "text"])
@observes("pet-id-not-int64")
@stage("spare")
def test_segment_that_is_no_int64(target: Target, segment: str) -> None:
    """Observed: what such a segment gets. ERROR-5 judges that it is no 5xx."""
    if target.spare() <= 0 or target.as_of >= REMOVAL_DAY:
        return
    exchange = target.api.get_pet(segment)
    earlier = target.observed.get("pet-id-not-int64")
    said = f"{segment}: {came(exchange)}"
    target.observe("pet-id-not-int64", f"{earlier.value}; {said}" if earlier else said, exchange)


@observes("deprecation-headers")
def test_deprecation_headers(target: Target) -> None:
    """Observed: `Deprecation` and `Sunset`; a Sunset on another day than the document's is told."""
    if target.as_of >= REMOVAL_DAY:
        return
    exchange = read(target)
    if not isinstance(exchange.answer, Response):
        return
    found = [f"{name}: {value}" for name in ("Deprecation", "Sunset") if (value := exchange.answer.header(name))]
    sunset = exchange.answer.header("Sunset")
    if sunset and not ("Dec 2030" in sunset and any(day in sunset for day in ("04 ", "05 ", "4 ", "5 "))):
        found.append("the document removes it on 5 December 2030")
    target.observe("deprecation-headers", "; ".join(found) or "none", exchange)
