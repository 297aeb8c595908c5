"""The end of a run: what was answered before is answered again, after everything else was sent.

An animal may expire, a write may be rolled back, a stale front may answer later requests, and an odd animal may spoil a
page. The sections that say how each answer must be judge them.
"""

from itertools import islice

from petcheck.properties.examples import Examples
from petcheck.toolkit import (
    ASKED_AGAIN,
    CREATED_ASKED_AGAIN,
    RequestKind,
    Target,
    ask_again_at_the_end,
    observes,
    requirement,
    sends,
    stage,
)


@requirement(*ASKED_AGAIN)
@observes("requests-at-the-same-time")
@sends(RequestKind.PAGES, RequestKind.ANIMALS, RequestKind.OTHER_IDS, RequestKind.ORDERS)
@stage("end")
def test_what_was_asked_first_is_asked_again(target: Target) -> None:
    """The widest page, the first and newest animals, those of a status that was not read, an unknown id, the orders."""
    ask_again_at_the_end(target)
    # first what fewest requests decide
    if target.config.writes:
        target.settle("CREATE-12")
    target.ask_whether_removed()
    target.repeat_in_plain_form()
    for name in (*ASKED_AGAIN, *(CREATED_ASKED_AGAIN if target.config.writes else ())):
        target.settle(name)


@requirement(*ASKED_AGAIN)
@sends(RequestKind.PAGES, RequestKind.ANIMALS, RequestKind.OTHER_IDS, RequestKind.ORDERS)
@stage("cut off")
def test_what_was_cut_off_is_asked_again(target: Target) -> None:
    """The widest page, if a POST came after it; that one was the last of the run.

    A run without property examples has few requests for its end; it may use those kept for questions, too.
    """
    target.ask_after_the_last_post()
    if not target.budget.examples_share:
        for call in islice(target.cut_off, max(target.budget.spare_in_all() - 1, 0)):
            target.api.call(call, fresh=True)


@requirement("CREATE-14")
@sends(RequestKind.NEW, RequestKind.PAGES)
@stage("spoil")
def test_no_animal_spoils_a_page(target: Target, examples: Examples) -> None:
    """An animal with a lone surrogate is created or refused, and the widest page can still be read."""
    examples.spoil()
    for name in ("CREATE-14", *ASKED_AGAIN):
        target.settle(name)
