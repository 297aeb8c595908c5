"""The end of a run: what was answered before is answered again, after everything else was sent.

An animal may expire, a write may be rolled back, a stale front may answer later requests, and an odd animal may spoil a
page. The sections that say how each answer must be judge them.
"""

from petcheck.toolkit import Target, Traffic, requirement, sends, stage

READ = ("LIST-1", "LIST-6", "LIST-7", "GET-1", "GET-2", "GET-3", "ORDERS-1")
CREATED = ("CREATE-12", "CREATE-13")


@requirement(*READ)
@sends(Traffic.PAGES, Traffic.ANIMALS, Traffic.OTHER_IDS, Traffic.ORDERS)
@stage("end")
def test_what_was_asked_first_is_asked_again(target: Target) -> None:
    """The widest page, the oldest, newest and oddest animals, an id that was not found, and the orders."""
    target.end()
    for name in (*READ, *(CREATED if target.config.writes else ())):
        target.settle(name)
