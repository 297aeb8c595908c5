"""Properties of all parameters and bodies, tested with examples that schemathesis generates from openapi.yaml.

The examples are generated before anything is sent, and sent once for all checks of an operation; each check judges one
requirement by them. Requirements on every response are judged in the file of their section, over the whole record.
"""

import pytest

from petcheck.properties.examples import Examples
from petcheck.toolkit import OPEN_LISTS, Operation, Target, Traffic, observes, requirement, sends, stage

pytestmark = stage("examples")


def each(*names: str) -> pytest.MarkDecorator:
    """A check for each of these requirements."""
    return pytest.mark.parametrize("name", [pytest.param(name, marks=requirement(name)) for name in names])


@sends(Traffic.NEW)
@each("CREATE-1", "CREATE-2", "CREATE-3", "CREATE-4", "CREATE-14")
def test_any_name_and_category(examples: Examples, name: str) -> None:
    """A valid NewPet gets 201 and comes back exactly; a value that the service may refuse gets 201 or 400."""
    examples.judge(Operation.CREATE_PET, name)


@sends(Traffic.DEFECTIVE)
@each("CREATE-5", "CREATE-6", "CREATE-7", "CREATE-8", "CREATE-9", "CREATE-10")
def test_any_defect(examples: Examples, name: str) -> None:
    """A body with any defect gets 400."""
    examples.judge(Operation.CREATE_PET, name)


@sends(Traffic.PAGES, Traffic.ODD_PAGES)
@each("LIST-1", "LIST-2", "LIST-6", "LIST-3", "LIST-4", "LIST-5", "LIST-7")
def test_any_limit_and_status(examples: Examples, name: str) -> None:
    """Every limit with every status gives a page no longer than the limit, of that status; other limits at most 100."""
    examples.judge(Operation.LIST_PETS, name)


@sends(Traffic.NEW, Traffic.DEFECTIVE)
@each("CREATE-11", "CREATE-12", "CREATE-13")
def test_animals_after_posts(examples: Examples, name: str) -> None:
    """A refused animal is on no page, and a created animal is read and listed as it was created."""
    examples.compare(name)


@sends(Traffic.ANIMALS, Traffic.OTHER_IDS)
@each("GET-1", "GET-2", "GET-3")
def test_any_id(examples: Examples, name: str) -> None:
    """Any int64 gets 200 with that animal, or 404."""
    examples.judge(Operation.GET_PET, name)


@requirement("ORDERS-1")
@sends(Traffic.ORDERS)
def test_orders(examples: Examples) -> None:
    """The only case, since no parameters are documented."""
    examples.judge(Operation.STORE_ORDERS, "ORDERS-1")


@observes(*OPEN_LISTS)
@sends(Traffic.ODD_PAGES)
def test_open_parameters(examples: Examples, target: Target) -> None:
    """Observed: the answers to parameters for which no check had requests left."""
    examples.run()
    for name, query in OPEN_LISTS.items():
        asked = examples.asked(query)
        if asked is not None and name not in target.observed:
            target.observe_answer(name, asked)


@sends(Traffic.NEW)
@each("CREATE-12", "CREATE-13")
@stage("sequence")
def test_any_sequence(examples: Examples, name: str) -> None:
    """Animals stay as they were created, in whatever order they are created, read, listed and filtered."""
    examples.compare(name)
