"""Properties: what holds for all parameters and bodies, tried with examples that schemathesis draws from openapi.yaml.

The examples are drawn before anything is sent, and sent once for all checks of an operation; each check judges one
requirement by them. What must hold for every response is judged where its section is, over all that was recorded.
"""

import pytest

from petcheck.properties.examples import Examples
from petcheck.toolkit import OPEN_LISTS, Operation, Target, observes, requirement, stage

pytestmark = stage("examples")


def each(*names: str) -> pytest.MarkDecorator:
    """A check for each of these requirements."""
    return pytest.mark.parametrize("name", [pytest.param(name, marks=requirement(name)) for name in names])


@each("CREATE-1", "CREATE-2", "CREATE-3", "CREATE-4", "CREATE-14")
def test_any_name_and_category(examples: Examples, name: str) -> None:
    """A valid NewPet is 201 and comes back exact; what the document leaves to the service is 201 or 400."""
    examples.hold(Operation.CREATE_PET, name)


@each("CREATE-5", "CREATE-6", "CREATE-7", "CREATE-8", "CREATE-9", "CREATE-10")
def test_any_defect(examples: Examples, name: str) -> None:
    """A body with a defect of any kind is 400."""
    examples.hold(Operation.CREATE_PET, name)


@each("LIST-1", "LIST-2", "LIST-6", "LIST-3", "LIST-4", "LIST-5", "LIST-7")
def test_any_limit_and_status(examples: Examples, name: str) -> None:
    """Every limit with every status gives a page that is no longer, of that status; any other limit 100 at most."""
    examples.hold(Operation.LIST_PETS, name)


@each("CREATE-11", "CREATE-13")
def test_pages_after_posts(examples: Examples, name: str) -> None:
    """What was refused is on no page, and what was created is on a page as it was created."""
    examples.compare(name)


@each("GET-1", "GET-2", "GET-3")
def test_any_id(examples: Examples, name: str) -> None:
    """Any int64 is 200 with that animal, or 404."""
    examples.hold(Operation.GET_PET, name)


@requirement("ORDERS-1")
def test_orders(examples: Examples) -> None:
    """The one case that there is, since no parameters are shown."""
    examples.hold(Operation.STORE_ORDERS, "ORDERS-1")


@observes(*OPEN_LISTS)
def test_open_parameters(examples: Examples, target: Target) -> None:
    """Observed: what parameters got that no check had requests left for."""
    examples.run()
    for name, query in OPEN_LISTS.items():
        asked = examples.asked(query)
        if asked is not None and name not in target.observed:
            target.observe_answer(name, asked)


@each("CREATE-12", "CREATE-13")
@stage("sequence")
def test_any_sequence(examples: Examples, name: str) -> None:
    """In whatever order animals are created, read, listed and filtered, they are what they were created as."""
    examples.compare(name)
