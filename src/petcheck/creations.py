"""What a run creates on a target, and how it looks for that afterwards (section 4.2)."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import count

from petcheck.exchange import Exchange
from petcheck.judging.interface import LIMIT_MAX, STATUSES
from petcheck.judging.jsontext import integer
from petcheck.judging.matchers import Animal, animal_of, came, described, differences, quoted
from petcheck.judging.sightings import Page, animals_in, page_in, pages_in
from petcheck.judging.verdicts import Breach, Inconclusive
from petcheck.probes import ValidPet
from petcheck.target import Creation, Target

# what must not be stored is posted with this status, so that one filtered page shows it in a store of any usual size
TELLTALE_STATUS = "sold"


def recipe(target: Target, status: str | None) -> ValidPet:
    """What the run posts for a status; `NotRun` where it may not."""
    target.need_writes()
    return next(pet for pet in target.valid_pets() if pet.status == status)


def bold(target: Target, status: str | None) -> Creation:
    """The bold animal of a status, posted once."""
    pet = recipe(target, status)
    if pet.bold is None:
        raise Inconclusive(f"Nothing bold is posted with status {status!r}.")
    return target.post(f"bold {status}", pet.bold)


def creation(target: Target, status: str | None) -> Creation:
    """The animal of a status: the bold one where it was accepted, else the plain one.

    Where the plainest of all was answered in the same way, other than 400, boldness is not what it was refused for.
    """
    pet = recipe(target, status)
    if pet.bold is not None:
        first = bold(target, status)
        plainest = target.post(f"plain {STATUSES[0]}", target.valid_pets()[0].plain)
        if first.accepted or (first.status != 400 and first.status == plainest.status):
            return first
    return target.post(f"plain {status}", pet.plain)


def created(target: Target, status: str | None) -> Creation:
    """The same, for a check that needs it to exist; `Inconclusive` where it was not created."""
    made = creation(target, status)
    if not made.accepted:
        raise Inconclusive(f"POST /pets created no animal to look at ({came(made.exchange)}); CREATE-1 tells more.")
    return made


def most_telling(target: Target) -> int | None:
    """The id of the created animal that tells most: of a bold one where there is one; None where none has an id."""
    made = [one for one in target.created if one.accepted and one.id is not None]
    order = ["bold pending", "bold sold", "bold None"]
    made.sort(key=lambda one: order.index(one.label) if one.label in order else len(order))
    return made[0].id if made else None


def listed_before(target: Target) -> list[int]:
    """Ids of listed animals that the run did not create, those first that are likeliest to show something."""
    target.api.list_pets()
    mine = {made.id for made in target.created}
    listed = animals_in(target.record)
    return sorted((n for n in listed if n not in mine), key=lambda n: ("status" not in listed[n], not odd(listed[n])))


def expect_read_as_created(target: Target, made: Creation, number: int, exchange: Exchange) -> None:
    """`Breach` where a GET of a created animal, by its id `number`, shows it otherwise than the 201 did, or goes on
    not to find it.
    """
    if exchange.status == 404 and not reads_at_all(target):
        raise Inconclusive("GET /pets/{petId} finds no animal at all; GET-1 tells more.")
    if exchange.status == 404 and target.await_visible(made, exchange.sent):
        exchange = target.api.get_pet(number, fresh=True)
    if exchange.status == 404:
        # another client may have removed it: only an animal that is still listed, or never was, proves anything
        if not listed(target, made) or any(number in page.ids for page in pages_after(target, exchange.finished)):
            raise Breach(
                f"{described(exchange)} was answered 404 for 10 s after POST /pets created that animal (section 4.2).",
                made.exchange,
                exchange,
            )
        raise Inconclusive("The animal was listed and has vanished; another client may have removed it.")
    if exchange.status != 200:
        raise Inconclusive(f"{described(exchange)} showed no animal ({came(exchange)}); GET-1 tells more.")
    changed = differences(made.animal, animal_of(exchange))
    if changed:
        again = target.api.get_pet(number, fresh=True)
        if again.status == 200 and differences(made.animal, animal_of(again)) == changed:
            raise Breach(
                f"POST /pets created animal {made.id}, and {described(exchange)} shows it changed: "
                f"{'; '.join(changed)} (section 4.2).",
                made.exchange,
                exchange,
            )
        raise Inconclusive("The animal changes from one request to the next; another client may be at it.")


def reads_at_all(target: Target) -> bool:
    """Whether some animal that the run did not create can be read; true where there is none to try."""
    others = listed_before(target)
    return not others or target.api.get_pet(others[0]).status == 200


def odd(animal: Animal) -> bool:
    """Whether an animal has something that a careless server gets wrong."""
    name, category = animal.get("name"), integer(animal.get("categoryId")) or 0
    return not (isinstance(name, str) and name.isascii()) or abs(category) > 2**53


def pages_after(target: Target, moment: float) -> list[Page]:
    """The pages that came after a monotonic time, asking for those that are likeliest to show what was posted."""
    wide = target.api.list_pets(limit=LIMIT_MAX)
    if wide.sent < moment and page_in(wide) is not None:
        target.api.list_pets(limit=LIMIT_MAX, fresh=True)
    pages = [page for page in pages_in(target.record) if page.exchange.sent >= moment]
    if not any(shows_created(target, page) for page in pages):
        exchange = target.api.list_pets(limit=LIMIT_MAX, status=TELLTALE_STATUS)
        if exchange.sent < moment:
            exchange = target.api.list_pets(limit=LIMIT_MAX, status=TELLTALE_STATUS, fresh=True)
        page = page_in(exchange)
        pages += [page] if page else []
    return pages


def shows_created(target: Target, page: Page) -> bool:
    """Whether a page shows an animal that the run has created."""
    return bool({made.id for made in target.created if made.accepted} & set(page.ids))


def listed(target: Target, made: Creation) -> bool:
    """Whether any page so far has shown a created animal."""
    return any(made.id in page.ids for page in pages_in(target.record))


def expect_absent(target: Target, markers: Mapping[object, Exchange], why: str) -> None:
    """No page that came since shows an animal with one of those names; `Inconclusive` where none could.

    `markers` maps names to the POSTs that were refused. A page that shows an animal which the run created after them
    would show one that was made of them.
    """
    if not markers:
        raise Inconclusive("Nothing was refused, so there is nothing that must not have been stored.")
    pages = pages_after(target, max(exchange.finished for exchange in markers.values()))
    stored = _marked(pages, markers)
    if stored is not None and target.repeats:
        # an earlier run with this seed, before the server was mended, has posted the same
        stored = _stored_again(target, stored)
    for page in pages:
        target.api.examine(page.exchange)
    if stored is not None:
        raise Breach(
            f"{described(stored.post)} was answered {came(stored.post)}, yet {described(stored.page.exchange)} lists "
            f"animal {quoted(stored.animal.get('id'))} named {quoted(stored.animal.get('name'))}: {why}.",
            stored.post,
            stored.page.exchange,
        )
    later = [made for made in target.created if all(made.exchange.sent >= post.finished for post in markers.values())]
    if not any(made.accepted and made.id in page.ids for made in later for page in pages):
        raise Inconclusive(
            "No page shows an animal that the run created, so none would show one that should not be there; "
            "a store of fewer than 100 animals would settle it."
        )


@dataclass(frozen=True, slots=True)
class _Stored:
    """An animal with the name of a POST that was refused, and the page that shows it."""

    name: str | int
    animal: Animal
    page: Page
    post: Exchange


def _marked(pages: Iterable[Page], markers: Mapping[object, Exchange]) -> _Stored | None:
    for page in pages:
        for animal in page.animals:
            name = animal.get("name")
            if isinstance(name, str) and name not in markers and name.isascii() and name.isdecimal():
                name = int(name)
            if isinstance(name, str | int) and name in markers:
                return _Stored(name, animal, page, markers[name])
    return None


def _stored_again(target: Target, stored: _Stored) -> _Stored:
    """The same body once more, under a name that nothing has: whether that is stored too.

    `Inconclusive` where it is not, since the animal may then be older than the run.
    """
    taken = {str(animal.get("name")) for animal in stored.page.animals}
    names = (f"{stored.name} {number}" if isinstance(stored.name, str) else stored.name + number for number in count(2))
    name = next(name for name in names if str(name) not in taken)
    body = (stored.post.request.body or b"").replace(_in_json(stored.name), _in_json(name))
    post = target.api.create_pet(body, credential=stored.post.request.credential)
    again = None
    if post.status == stored.post.status:
        again = _marked(pages_after(target, post.finished), {name: post})
    if again is None:
        raise Inconclusive(
            f"Animal {quoted(stored.animal.get('id'))} has the name of what was refused, {quoted(stored.name)}, and "
            "under another name the same is not stored: it may be of an earlier run with the same --seed. A run "
            "without --seed settles it."
        )
    return again


def _in_json(name: str | int) -> bytes:
    """A name as it stands in the body of a POST, without quotes, which some defective bodies have of another kind."""
    return json.dumps(name, ensure_ascii=False).strip('"').encode() if isinstance(name, str) else str(name).encode()


def shows_whole_store(pages: list[Page], made: list[Creation]) -> bool:
    """Whether unfiltered pages, one after the other, showed all animals there are, so that a missing one is missing.

    A page may be capped below the limit asked for. A cap is told by a round size, unless the ids that were given to
    the created animals follow right after those on the page; and a page that changes shows no whole store.
    """
    if not pages or any(page.size >= LIMIT_MAX or set(page.ids) != set(pages[0].ids) for page in pages):
        return False
    if len(pages[0].ids) < pages[0].size:
        return False  # items without an id could be anything, the created animals too
    given = [one.id for one in made if one.id is not None]
    follows = bool(given) and bool(pages[0].ids) and min(given) == max(pages[0].ids) + 1
    return pages[0].size % 5 != 0 or pages[0].size == 0 or follows
