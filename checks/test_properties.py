"""Properties of all parameters and bodies, tested with examples that schemathesis generates from openapi.yaml.

The examples are drawn before anything is sent, and sent once for all operations, which take turns.
"""

from petcheck.properties.examples import Examples
from petcheck.toolkit import OPEN_LISTS, Operation, RequestKind, observes, requirement, sends, stage

pytestmark = stage("examples")


@requirement("CREATE-1", "CREATE-2", "CREATE-3", "CREATE-4", "CREATE-14", "PET-5")
@sends(RequestKind.NEW)
def test_any_name_and_category(examples: Examples) -> None:
    """A valid NewPet gets 201 and comes back exactly; a value that the service may refuse gets 201 or 400."""
    examples.settle(Operation.CREATE_PET)


@requirement("CREATE-5", "CREATE-6", "CREATE-7", "CREATE-8", "CREATE-9", "CREATE-10")
@sends(RequestKind.DEFECTIVE)
def test_any_defect(examples: Examples) -> None:
    """A body with any defect gets 400."""
    examples.settle(Operation.CREATE_PET)


@requirement("LIST-1", "LIST-2", "LIST-6", "LIST-3", "LIST-4", "LIST-5", "LIST-7")
@sends(RequestKind.PAGES, RequestKind.ODD_PAGES)
def test_any_limit_and_status(examples: Examples) -> None:
    """Every limit with every status gives a page no longer than the limit, of that status; other limits at most 100."""
    examples.settle(Operation.LIST_PETS)


@requirement("CREATE-11", "CREATE-12", "CREATE-13", "LIST-8")
@sends(RequestKind.NEW, RequestKind.DEFECTIVE)
@stage("compare")
def test_animals_after_posts(examples: Examples) -> None:
    """A refused animal is on no page, and a created animal is read and listed as it was created."""
    examples.compare()


@requirement("CREATE-5", "CREATE-6", "CREATE-7", "CREATE-8", "CREATE-9", "CREATE-10")
@sends(RequestKind.DEFECTIVE)
@stage("left over")
def test_what_is_left_over_sends_more_defects(examples: Examples) -> None:
    """Requests that were kept for questions of the end, but not needed, send defects; two stay for what follows."""
    examples.go_on()


@requirement("GET-1", "GET-2", "GET-3")
@observes("pet-id-not-int64")
@sends(RequestKind.ANIMALS, RequestKind.OTHER_IDS)
def test_any_id(examples: Examples) -> None:
    """Any int64 gets 200 with that animal, or 404."""
    examples.settle(Operation.GET_PET)


@requirement("ORDERS-1")
@sends(RequestKind.ORDERS)
def test_orders(examples: Examples) -> None:
    """The only case, since no parameters are documented."""
    examples.settle(Operation.STORE_ORDERS)


@observes(*OPEN_LISTS)
@sends(RequestKind.ODD_PAGES)
def test_open_parameters(examples: Examples) -> None:
    """Send the parameters for which no check had requests left: the answers are observed."""
    examples.run()


@requirement("CREATE-12", "CREATE-13")
@sends(RequestKind.NEW)
@stage("sequence")
def test_any_sequence(examples: Examples) -> None:
    """Animals stay as they were created, in whatever order they are created, read, listed and filtered."""
    examples.settle(Operation.CREATE_PET)
