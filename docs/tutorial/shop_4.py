"""Step 4: every response says how much of the quota is left."""

import math
import os
import secrets
import time
from typing import Annotated, Literal

from fastapi import FastAPI, Query, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response
from pydantic import BaseModel, Field, StrictInt, StrictStr, field_validator, model_serializer
from starlette.exceptions import HTTPException

app = FastAPI()
KEY = os.environ["PETSTORE_API_KEY"]


Int64 = Annotated[StrictInt, Field(ge=-(2**63), le=2**63 - 1)]
Status = Literal["available", "pending", "sold"]


class NewPet(BaseModel):
    name: StrictStr
    categoryId: Int64
    status: Status = None  # may be left out; null is refused

    @field_validator("name")
    @classmethod
    def can_be_encoded(cls, name: str) -> str:
        name.encode()  # fails for half of a surrogate pair
        return name

    @model_serializer(mode="wrap")
    def without_null(self, write) -> dict:
        return {name: value for name, value in write(self).items() if value is not None}


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


class Quota:
    """Counts the requests of one key in each minute."""

    def __init__(self, limit: int) -> None:
        self.limit, self.used, self.ends = limit, 0, 0.0

    def spend(self) -> bool:
        """Whether one more request is within the limit."""
        now = time.time()
        if now >= self.ends:
            self.used, self.ends = 0, now + 60
        self.used += 1
        return self.used <= self.limit

    def headers(self) -> dict[str, str]:
        remaining = max(0, self.limit - self.used)
        reset = math.ceil(self.ends)
        return {
            "X-RateLimit-Limit": str(self.limit),
            "X-RateLimit-Remaining": str(remaining),
            "X-RateLimit-Reset": str(reset),
        }


PER_MINUTE = {"free": 60, "pro": 300, "business": 1000}
own, strangers = Quota(PER_MINUTE["pro"]), Quota(PER_MINUTE["free"])


def has_key(request: Request) -> bool:
    scheme, _, token = request.headers.get("Authorization", "").partition(" ")
    return scheme == "Bearer" and secrets.compare_digest(token.encode(), KEY.encode())


@app.middleware("http")
async def authenticate(request: Request, call_next) -> Response:
    if not has_key(request):
        return error(401, "key_invalid", "Send a valid API key as `Authorization: Bearer <API_KEY>`.")
    return await call_next(request)


@app.middleware("http")
async def limit_rate(request: Request, call_next) -> Response:
    quota = own if has_key(request) else strangers
    if quota.spend():
        response = await call_next(request)
    else:
        response = error(429, "rate_limited", "Wait for Retry-After.")
        response.headers["Retry-After"] = str(max(1, math.ceil(quota.ends - time.time())))
    response.headers.update(quota.headers())
    return response


@app.get("/v1/pets")
def list_pets(limit: Annotated[int, Query(ge=1, le=100)] = 20, status: Status | None = None) -> list[Pet]:
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
