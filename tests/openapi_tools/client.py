"""Calls a server with the client that openapi-python-client generates from openapi.yaml; prints the results as JSON.

Arguments: the base URL, the API key. The folder of the generated package `pet_store` is the current one.
"""

from __future__ import annotations

import json
import sys

from pet_store import AuthenticatedClient
from pet_store.api.pets import create_pet, get_pet, list_pets
from pet_store.api.store import store_orders
from pet_store.models import Error400, Error401, Error404, NewPet, Pet, PetStatus


def main(base_url: str, key: str) -> None:
    """Call each operation, and cause each documented error."""
    client = AuthenticatedClient(base_url=base_url, token=key, raise_on_unexpected_status=True)
    stranger = AuthenticatedClient(base_url=base_url, token="not-a-key", raise_on_unexpected_status=True)

    created = create_pet.sync_detailed(client=client, body=NewPet(name="Rex", category_id=1, status=PetStatus.SOLD))
    pet = created.parsed
    assert isinstance(pet, Pet)
    page = list_pets.sync(client=client, limit=5, status=PetStatus.SOLD)
    assert isinstance(page, list)
    refused = list_pets.sync(client=client, limit=0)
    assert isinstance(refused, Error400)
    unknown = get_pet.sync(999_999, client=client)
    assert isinstance(unknown, Error404)
    locked = list_pets.sync(client=stranger)
    assert isinstance(locked, Error401)
    answers = {
        "created": [created.status_code, pet.name, pet.category_id, str(pet.status)],
        "readTheSame": get_pet.sync(pet.id, client=client) == pet,
        "statusesOfPage": sorted({str(each.status) for each in page}),
        "firstOfPage": page[0] == pet,
        "orders": store_orders.sync_detailed(client=client).status_code,
        "refused": refused.status,
        "unknown": unknown.status,
        "locked": locked.status,
    }
    json.dump(answers, sys.stdout)


if __name__ == "__main__":
    main(*sys.argv[1:])
