"""Step 1: a pet store as you might write it in an afternoon."""

from fastapi import FastAPI, HTTPException
from pydantic import BaseModel

app = FastAPI()


class NewPet(BaseModel):
    name: str
    categoryId: int
    status: str | None = None


class Pet(NewPet):
    id: int


STATUSES = ("available", "pending", "sold")
store: dict[int, Pet] = {}
for n in range(1, 131):
    store[n] = Pet(id=n, name="Rex", categoryId=1, status=STATUSES[n % 3])


@app.get("/v1/pets")
def list_pets(limit: int = 20, status: str | None = None) -> list[Pet]:
    newest_first = reversed(store.values())
    return [pet for pet in newest_first if status in (None, pet.status)][:limit]


@app.post("/v1/pets", status_code=201)
def create_pet(new: NewPet) -> Pet:
    pet = Pet(id=len(store) + 1, **new.model_dump())
    store[pet.id] = pet
    return pet


@app.get("/v1/pets/{pet_id}")
def get_pet(pet_id: int) -> Pet:
    if pet_id not in store:
        raise HTTPException(404, "No animal has this identifier.")
    return store[pet_id]
