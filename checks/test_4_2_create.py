"""Section 4.2: add an animal.

A run creates one animal of each status and one without. Three of them are bold: they carry a name or a category that
the service may refuse, and that must come back exact where it does not. Where it does, a plain one follows.
"""

import pytest

from petcheck.creations import (
    bold,
    created,
    creation,
    expect_absent,
    expect_read_as_created,
    listed,
    most_telling,
    pages_after,
    recipe,
    shows_whole_store,
)
from petcheck.exchange import Exchange
from petcheck.judging.interface import LIMIT_MAX, REMOVAL_DAY, STATUSES
from petcheck.judging.jsontext import integer, kind
from petcheck.judging.matchers import (
    animal_of,
    answer_of,
    came,
    described,
    difference_of_text,
    differences,
    expect_status,
    quoted,
)
from petcheck.judging.sightings import Page, page_in, pages_in
from petcheck.judging.verdicts import Breach, Inconclusive, NotRun
from petcheck.marks import observes, requirement, stage
from petcheck.probes import DEFECTS
from petcheck.target import Creation, Target

STATUS_OR_NONE = pytest.mark.parametrize("status", [*STATUSES, None], ids=lambda status: status or "none")


# ---- what must be accepted


@requirement("CREATE-1")
@STATUS_OR_NONE
@stage("create")
def test_valid_pet_is_created(target: Target, status: str | None) -> None:
    """A valid NewPet is 201, with each status and with none."""
    made = creation(target, status)
    if made.exchange.answer and not target.category_known and made.exchange.status == 400:
        raise Inconclusive(
            f"POST /pets was answered 400, perhaps because category {target.category} does not exist; "
            "no category is known, name one that exists.",
            "--category-id",
        )
    sent = f"with status {status!r}" if status else "without a status"
    expect_status(made.exchange, 201, sent=sent)


@requirement("CREATE-14")
@pytest.mark.parametrize("status", ["pending", "sold", None], ids=["far-name", "low-category", "near-name"])
@stage("create")
def test_doubtful_value_is_created_or_refused(target: Target, status: str | None) -> None:
    """What the document leaves to the service is 201 or 400: a name beyond ASCII, a category never seen."""
    made = bold(target, status)
    answer = answer_of(made.exchange, "201 or 400 (section 4.2)")
    if answer.status == 401:
        raise Inconclusive("POST /pets was answered 401 although the key is valid; AUTH-7 tells more.")
    if answer.status not in (201, 400) and creation(target, status).exchange.status == answer.status:
        raise Inconclusive(
            f"POST /pets was answered {came(made.exchange)} for a plain animal too; CREATE-1 tells more."
        )
    if answer.status not in (201, 400):
        raise Breach(
            f"POST /pets with {recipe(target, status).boldness}: expected 201 or 400 (section 4.2), "
            f"got {came(made.exchange)}.",
            made.exchange,
        )


@requirement("CREATE-2")
@STATUS_OR_NONE
@stage("create")
def test_name_is_repeated(target: Target, status: str | None) -> None:
    """The 201 repeats the name, code point for code point."""
    made = created(target, status)
    got = animal_of(made.exchange).get("name")
    if not isinstance(got, str):
        raise Inconclusive(f"The 201 has no name to compare ({kind(got)}); PET-2 tells more.")
    difference = difference_of_text(str(made.body["name"]), got)
    if difference:
        raise Breach(f"POST /pets: the name {difference} (section 4.2).", made.exchange)


@requirement("CREATE-3")
@STATUS_OR_NONE
@stage("create")
def test_category_is_repeated(target: Target, status: str | None) -> None:
    """The 201 repeats the categoryId, exact over the int64 range."""
    made = created(target, status)
    got = animal_of(made.exchange).get("categoryId")
    number = integer(got)
    if number is None:
        raise Inconclusive(f"The 201 has no integer categoryId to compare ({kind(got)}); PET-3 tells more.")
    if number != made.body["categoryId"]:
        raise Breach(
            f"POST /pets with categoryId {made.body['categoryId']}: the 201 says {number} (section 4.2).", made.exchange
        )


@requirement("CREATE-4")
@pytest.mark.parametrize("status", STATUSES)
@stage("create")
def test_status_is_repeated(target: Target, status: str) -> None:
    """The 201 repeats the status."""
    made = created(target, status)
    animal = animal_of(made.exchange)
    got = animal.get("status")
    if "name" not in animal or "categoryId" not in animal:
        raise Inconclusive("The 201 is no Pet to compare with; PET-2 and PET-3 tell more.")
    if "status" in animal and got not in STATUSES:
        raise Inconclusive(f"The 201 has no PetStatus to compare, it is {quoted(got)}; PET-4 tells more.")
    if got != status:
        said = quoted(got) if "status" in animal else "nothing of it"
        raise Breach(f"POST /pets with status {status!r}: the 201 says {said} (section 4.2).", made.exchange)


# ---- what must be refused


@pytest.mark.parametrize(
    "label", [pytest.param(defect.label, marks=requirement(defect.requirement)) for defect in DEFECTS]
)
@stage("refuse")
def test_defective_body_is_refused(target: Target, label: str) -> None:
    """A body that misses a required field or holds an invalid value is 400."""
    target.need_writes()
    defect = next(defect for defect in target.defects() if defect.label == label)
    expect_status(target.refuse(defect.body), 400, sent=defect.sent)


# ---- what must be found again


@requirement("CREATE-12")
@stage("look")
def test_created_animal_can_be_read(target: Target) -> None:
    """GET /pets/{petId} shows the animal as the 201 did."""
    if target.as_of >= REMOVAL_DAY:
        raise NotRun(f"GET /pets/{{petId}} is removed on {REMOVAL_DAY}.")
    for status in (*STATUSES, None):
        creation(target, status)
    number = most_telling(target)
    if number is None:
        raise Inconclusive("POST /pets created no animal that could be read; CREATE-1 and PET-1 tell more.")
    made = next(made for made in target.created if made.id == number)
    expect_read_as_created(target, made, number, target.api.get_pet(number))


@requirement("CREATE-13")
@stage("look")
def test_created_animals_are_listed(target: Target) -> None:
    """The list shows each created animal as the 201 did, where the page has room for all animals."""
    target.need_writes()
    made = [creation(target, status) for status in (*STATUSES, None)]
    made = [one for one in made if one.accepted and one.id is not None]
    if not made:
        raise Inconclusive("POST /pets created no animal to look for; CREATE-1 and PET-1 tell more.")
    latest = max(made, key=lambda one: one.exchange.finished)
    pages_after(target, latest.exchange.finished)
    wide = [page for page in [page_in(target.api.list_pets(limit=LIMIT_MAX))] if page]
    looked = wide[-1].exchange.sent if wide else 0.0
    if not all_shown(target, wide, made) and target.await_visible(latest, looked):
        wide += [page for page in [page_in(target.api.list_pets(limit=LIMIT_MAX, fresh=True))] if page]
    expect_unchanged(target, made)
    missing = [one for one in made if not listed(target, one)]
    if missing and shows_whole_store(wide, made):
        raise Breach(
            f"POST /pets created animal {missing[0].id}; for 10 s {described(wide[-1].exchange)} listed "
            f"{wide[-1].size} animals without it, although the page has room for {LIMIT_MAX} (section 4.2).",
            missing[0].exchange,
            wide[-1].exchange,
        )
    if len(missing) == len(made):
        raise Inconclusive(
            "No page had room for the created animals; a store of fewer than 100 animals would settle it."
        )


def all_shown(target: Target, wide: list[Page], made: list[Creation]) -> bool:
    """Whether looking on would tell nothing: all are listed, or the pages do not show the whole store."""
    return all(listed(target, one) for one in made) or not shows_whole_store(wide, made)


def expect_unchanged(target: Target, made: list[Creation]) -> None:
    """`Breach` where the list shows a created animal otherwise than the 201 did, twice."""
    api = target.api
    for page in pages_in(target.record):
        for animal in page.animals:
            mine = next((one for one in made if one.id == integer(animal.get("id"))), None)
            changed = differences(mine.animal, animal) if mine else []
            if mine is None or not changed:
                continue
            again = page_in(api.list_pets(limit=page.limit, status=page.status, fresh=True))
            same = [a for a in again.animals if integer(a.get("id")) == mine.id] if again else []
            if same and differences(mine.animal, same[0]) == changed:
                raise Breach(
                    f"POST /pets created animal {mine.id}, and {described(page.exchange)} shows it changed: "
                    f"{'; '.join(changed)} (section 4.2).",
                    mine.exchange,
                    page.exchange,
                )


@requirement("CREATE-11")
@stage("look")
def test_refused_body_is_not_stored(target: Target) -> None:
    """What was refused with 400 is not in the list, looked for when what was accepted has had time to appear."""
    target.need_writes()
    markers: dict[object, Exchange] = {}
    for defect in target.defects():
        exchange = target.refuse(defect.body)
        if exchange.status == 400 and defect.marker is not None:
            markers[defect.marker] = exchange
    for made in target.created:
        if made.exchange.status == 400 and made.label.startswith("bold"):
            markers[made.body["name"]] = made.exchange
    plain = {made.body["name"] for made in target.created if made.accepted}
    markers = {name: exchange for name, exchange in markers.items() if name not in plain}
    expect_absent(target, markers, "what is refused must not be stored (section 4.2)")


# ---- what the document leaves open


@observes("name-beyond-ascii", "category-never-seen", "status-default")
@stage("create")
def test_open_points_of_creation(target: Target) -> None:
    """Observed: what became of the bold animals, and of the one without a status."""
    if not target.config.writes:
        for name in ("name-beyond-ascii", "category-never-seen", "status-default"):
            target.observe(name, "not observed: it takes --allow-writes")
        return
    near, low = bold(target, None), bold(target, "sold")
    target.observe("name-beyond-ascii", came(near.exchange), near.exchange)
    target.observe("category-never-seen", came(low.exchange), low.exchange)
    none = creation(target, None)
    default = quoted(none.animal["status"]) if "status" in none.animal else "no status"
    target.observe("status-default", default if none.accepted else came(none.exchange), none.exchange)
