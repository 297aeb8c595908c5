"""Step 2: every request has a key, every error has one shape, and the orders exist."""

import os
import secrets

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response
from pydantic import BaseModel
from starlette.exceptions import HTTPException

app = FastAPI()
KEY = os.environ["PETSTORE_API_KEY"]


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


def error(status: int, code: str, message: str) -> JSONResponse:
    return JSONResponse({"code": code, "message": message, "status": status}, status)


@app.exception_handler(HTTPException)
def refused(request: Request, refusal: HTTPException) -> JSONResponse:
    return error(refusal.status_code, "refused", refusal.detail)


@app.exception_handler(RequestValidationError)
def invalid(request: Request, invalid: RequestValidationError) -> JSONResponse:
    return error(400, "invalid", invalid.errors()[0]["msg"])


@app.middleware("http")
async def authenticate(request: Request, call_next) -> Response:
    scheme, _, token = request.headers.get("Authorization", "").partition(" ")
    if scheme != "Bearer" or not secrets.compare_digest(token.encode(), KEY.encode()):
        return error(401, "key_invalid", "Send a valid API key as `Authorization: Bearer <API_KEY>`.")
    return await call_next(request)


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


@app.get("/v1/store/orders")
def list_orders() -> list[dict]:
    return []
