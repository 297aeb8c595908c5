"""Section 4.2: whether an animal of the run is on no page at all, in a store of more animals than a page surely shows.

Each page of 20 to 99 animals may be cut, and the latest is never known to be the whole store. So the run may create one
more animal, to know it.
"""

from __future__ import annotations

from collections.abc import Sequence

from petcheck.call import page_call, read_call
from petcheck.exchange import Exchange, Page
from petcheck.judging.agree import agree
from petcheck.judging.creations import Creation, listed_in, read_in, reads_of
from petcheck.judging.decision import Ask, Record, Undecided
from petcheck.judging.judgement import Grounds
from petcheck.judging.matchers import described
from petcheck.judging.pages import LAG_S, SMALLEST_CAP, order_varies, pages_of, whole_stores
from petcheck.judging.unfiltered import one_more
from petcheck.spec.figures import LIMIT_MAX, REMOVAL_DAY
from petcheck.spec.operations import Operation

_WIDE = page_call(LIMIT_MAX)


def on_no_page(
    record: Record, creations: Sequence[Creation], grounds: Grounds
) -> tuple[Page, Creation, Exchange] | Ask | None:
    """A page of the whole store, the animal that it and all others lack, and the GET that finds it; or what to ask.

    None if each animal is on a page, or no animal is known to be left out. It is compared in a row, `LAG_S` after it
    was created and first missing.
    """
    if grounds.as_of >= REMOVAL_DAY or order_varies(record):
        return None
    never = [one for one in creations if one.id not in listed_in(record)]
    wholes = [page for page in whole_stores(record) if page.size >= SMALLEST_CAP]
    lacking = next(((page, one) for one in never for page in wholes if one.is_before(page.exchange)), None)
    if lacking is None:
        return None
    page, one = lacking
    reads = read_in(record).get(one.id, ())
    if any(read.status == 404 for read in reads):
        return None  # another client may have removed it
    unsure = Undecided(
        f"{described(page.exchange)} does not show animal {one.id}, which {Operation.CREATE_PET} created; it may be "
        "shown late, as by a cache. Run again.",
        examined=(one.exchange, page.exchange),
        doubtful=True,
    )
    due = max(one.due, page.exchange.finished + LAG_S)
    pages = [other for other in pages_of(record, _WIDE) if other.exchange.sent >= due]
    row = next(iter(agree(pages, reads_of(reads))), None)
    if row is None:
        return Ask((_WIDE, read_call(one.id), _WIDE), unsure, due)
    before, read, after = row
    proved = next((each for each in (before, after) if each in wholes), None)
    if proved is not None:
        return proved, one, read.exchange
    post = one_more(after, record) if grounds.writes and after.has_room else None
    return Ask((post, _WIDE), unsure) if post is not None else None
