"""openapi.yaml says exactly what the document says, and links each part to the catalogue."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import requests
import schemathesis
from jsonschema_rs import Draft202012Validator
from schemathesis.core.failures import FailureGroup
from schemathesis.core.result import Ok
from schemathesis.core.transport import Response
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from petcheck.spec import figures
from petcheck.spec.files import read_yaml
from petcheck.spec.operations import Operation
from tools import openapi_ids

ROOT = Path(__file__).resolve().parents[2]
OPENAPI: dict[str, Any] = read_yaml((ROOT / "openapi.yaml").read_bytes())
CATALOGUE: dict[str, dict[str, Any]] = {
    entry["id"]: entry for entry in read_yaml((ROOT / "requirements.yaml").read_bytes())["requirements"]
}

INT64 = {"type": "integer", "format": "int64", "minimum": -(2**63), "maximum": 2**63 - 1}
ROUTES = {
    "listPets": ("/pets", "get"),
    "createPet": ("/pets", "post"),
    "getPet": ("/pets/{petId}", "get"),
    "storeOrders": ("/store/orders", "get"),
}
# answers that a server may give to a request of which the document says nothing; their bodies are open too
OPEN_ANSWERS = [("listPets", "422"), ("getPet", "400"), ("getPet", "422"), ("storeOrders", "200")]
RATE_LIMIT_HEADERS = {"X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset"}


def target(reference: str) -> dict[str, Any]:
    """The target of a reference within the file."""
    found: Any = OPENAPI
    for step in reference.removeprefix("#/").split("/"):
        found = found[step]
    return dict(found)


def resolved(part: dict[str, Any]) -> dict[str, Any]:
    """The part itself, or the target of its reference."""
    return target(part["$ref"]) if "$ref" in part else part


def operation(name: str) -> dict[str, Any]:
    path, method = ROUTES[name]
    found: dict[str, Any] = OPENAPI["paths"][path][method]
    return found


def responses(name: str) -> dict[str, dict[str, Any]]:
    return {status: resolved(response) for status, response in operation(name)["responses"].items()}


def parameters(name: str) -> dict[str, dict[str, Any]]:
    return {parameter["name"]: parameter for parameter in operation(name).get("parameters", [])}


def schema(name: str) -> dict[str, Any]:
    found: dict[str, Any] = OPENAPI["components"]["schemas"][name]
    return found


def demand(part: dict[str, Any]) -> dict[str, Any]:
    """The constraints of a schema: the schema without explanations."""
    return {key: value for key, value in part.items() if key not in {"description", "examples"} and key[:2] != "x-"}


def every_part(part: Any) -> Iterator[dict[str, Any]]:
    """Every object in and below the part."""
    if isinstance(part, dict):
        yield part
    for each in part.values() if isinstance(part, dict) else part if isinstance(part, list) else ():
        yield from every_part(each)


def examples(part: dict[str, Any]) -> list[Any]:
    """The examples of a body or a header."""
    several = [each["value"] for each in part.get("examples", {}).values()]
    return several + ([part["example"]] if "example" in part else [])


def named_lists(part: Any, extension: str, *, follow: bool = False) -> Iterator[list[str]]:
    """Every list of ids under the extension, in and below the part; with `follow`, also in its references."""
    if isinstance(part, list):
        part = dict(enumerate(part))
    if not isinstance(part, dict):
        return
    if follow and "$ref" in part:
        yield from named_lists(target(part["$ref"]), extension, follow=True)
    for key, value in part.items():
        if key == extension:
            yield value
        else:
            yield from named_lists(value, extension, follow=follow)


def named(part: Any, extension: str, *, follow: bool = False) -> set[str]:
    """The ids in those lists."""
    return {name for names in named_lists(part, extension, follow=follow) for name in names}


def schemas(part: dict[str, Any]) -> dict[str, Any]:
    """The schema of each media type of a body."""
    return {media_type: media["schema"] for media_type, media in part["content"].items()}


def every_response() -> list[tuple[str, str]]:
    return [(name, status) for name in ROUTES for status in operation(name)["responses"]]


# ---- the file as such


def test_it_is_valid_openapi() -> None:
    from openapi_spec_validator import (
        OpenAPIV31SpecValidator,
    )  # no other test needs it, and each worker reads this file

    assert OPENAPI["openapi"] == "3.1.0"
    assert [error.message for error in OpenAPIV31SpecValidator(OPENAPI).iter_errors()] == []


def test_nothing_forbids_more_fields() -> None:
    text = (ROOT / "openapi.yaml").read_text("utf-8")
    assert "additionalProperties" not in text
    assert "unevaluatedProperties" not in text


def test_a_reference_has_no_siblings() -> None:
    """JSON Schema allows them, but tools that were written for OpenAPI 3.0 ignore them."""
    assert [part for part in every_part(OPENAPI) if "$ref" in part and len(part) > 1] == []


def test_every_body_and_header_has_valid_examples() -> None:
    described = [part for part in every_part(OPENAPI) if "schema" in part and part.get("in") is None]
    assert len(described) == 12  # 8 bodies and 4 headers
    assert [part for part in described if not examples(part)] == []
    for part in described:
        validator = Draft202012Validator({**part["schema"], "components": OPENAPI["components"]})
        assert [error.message for example in examples(part) for error in validator.iter_errors(example)] == []


def test_an_example_of_an_error_obeys_the_rule_for_its_status() -> None:
    """Which shows that the test above validates against a whole schema."""
    (unauthorized,) = OPENAPI["components"]["responses"]["Unauthorized"]["content"].values()
    validator = Draft202012Validator({**unauthorized["schema"], "components": OPENAPI["components"]})
    assert not validator.is_valid({**unauthorized["example"], "status": 400})
    assert not validator.is_valid({"status": 401})


# ---- the catalogue, both ways


def test_required_parts_are_the_stated_and_implied_requirements() -> None:
    assert named(OPENAPI, "x-requirements") == {name for name, entry in CATALOGUE.items() if entry["level"] != "open"}


def test_open_parts_are_the_open_points() -> None:
    assert named(OPENAPI, "x-open") == {name for name, entry in CATALOGUE.items() if entry["level"] == "open"}


DESCRIBED = """
info:
  title: Pets
paths:
  /pets:
    get:
      operationId: listPets
      parameters:
      - name: limit
        x-open: [old]
components: {}
"""


@pytest.mark.parametrize(("place", "written"), [
    ("info", "info:\n  x-requirements: [A-1]\n  title"),
    ("listPets", "get:\n      x-requirements: [A-1]\n      operationId"),
    ("listPets/parameters/limit", "- x-requirements: [A-1]\n        name: limit\n        x-open: [a-2, a-3]\n"),
])  # fmt: skip
def test_an_id_is_written_where_its_entry_says(tmp_path: Path, place: str, written: str) -> None:
    (tmp_path / "openapi.yaml").write_text(DESCRIBED)
    rows = f"""requirements:
    - {{id: A-1, level: stated, in: [{place}]}}
    - {{id: a-2, level: open, in: [listPets/parameters/limit]}}
    - {{id: a-3, level: open, in: [listPets/parameters/limit]}}
    """
    (tmp_path / "requirements.yaml").write_text(rows)
    text = openapi_ids.with_ids(tmp_path)
    assert written in text
    (tmp_path / "openapi.yaml").write_text(text)
    assert openapi_ids.with_ids(tmp_path) == text
    (tmp_path / "requirements.yaml").write_text(rows.replace(place, "listCats"))
    with pytest.raises(ValueError, match="has no listCats"):
        openapi_ids.with_ids(tmp_path)


@pytest.mark.parametrize("extension", ["x-requirements", "x-open"])
def test_no_part_names_an_entry_twice(extension: str) -> None:
    assert [names for names in named_lists(OPENAPI, extension) if not names or len(set(names)) < len(names)] == []


def test_each_part_names_its_entries() -> None:
    components = OPENAPI["components"]
    parts = [
        OPENAPI["info"],
        *OPENAPI["servers"],
        *(part for kind in components.values() for part in kind.values()),
        *(operation(name) for name in ROUTES),
        *(parameter for name in ROUTES for parameter in parameters(name).values()),
        *(responses(name)[status] for name, status in every_response()),
        *(resolved(field) for part in components["schemas"].values() for field in part.get("properties", {}).values()),
        operation("createPet")["requestBody"],
        responses("createPet")["201"]["links"]["getCreatedPet"],
    ]
    assert [part.get("description") for part in parts if not part.get("x-requirements")] == []


@pytest.mark.parametrize(
    ("name", "subject"),
    [("listPets", "LIST-"), ("createPet", "CREATE-"), ("getPet", "GET-"), ("storeOrders", "ORDERS-")],
)
def test_an_operation_or_its_references_name_the_entries_of_its_section(name: str, subject: str) -> None:
    due = {entry for entry in CATALOGUE if entry.startswith(subject)}
    assert due - named(operation(name), "x-requirements", follow=True) == set()


# ---- 1 and 4: the operations


def test_there_are_four_operations() -> None:
    found = {
        part["operationId"]: (path, method)
        for path, methods in OPENAPI["paths"].items()
        for method, part in methods.items()
    }
    assert found == ROUTES


# ---- 2 and 3: the fields


def test_there_are_the_five_schemas_of_the_document_and_one_for_each_error() -> None:
    five = {"Pet", "NewPet", "PetStatus", "Pets", "Error"}
    assert set(OPENAPI["components"]["schemas"]) == five | {"Error400", "Error401", "Error404"}


def test_pet_status_has_three_values() -> None:
    assert demand(schema("PetStatus")) == {"type": "string", "enum": ["available", "pending", "sold"]}


def test_new_pet() -> None:
    assert schema("NewPet")["type"] == "object"
    assert schema("NewPet")["required"] == ["name", "categoryId"]
    assert {name: demand(field) for name, field in schema("NewPet")["properties"].items()} == {
        "name": {"type": "string"},
        "categoryId": INT64,
        "status": {"$ref": "#/components/schemas/PetStatus"},
    }


def test_a_pet_is_a_new_pet_with_an_id() -> None:
    assert schema("Pet")["type"] == "object"
    assert schema("Pet")["required"] == ["id", *schema("NewPet")["required"]]
    assert {name: demand(field) for name, field in schema("Pet")["properties"].items()} == {
        "id": INT64,
        **{name: demand(field) for name, field in schema("NewPet")["properties"].items()},
    }


def test_pets_is_a_bare_array() -> None:
    assert demand(schema("Pets")) == {
        "type": "array",
        "maxItems": 100,
        "items": {"$ref": "#/components/schemas/Pet"},
    }


def test_the_bounds_of_int64_are_read_exactly() -> None:
    bounds = schema("Pet")["properties"]["id"]
    assert (bounds["minimum"], bounds["maximum"]) == (-9223372036854775808, 9223372036854775807)
    assert isinstance(bounds["maximum"], int)


# ---- 4.1: list


def test_list_takes_a_limit_and_a_status() -> None:
    assert {name: (part["in"], part["required"]) for name, part in parameters("listPets").items()} == {
        "limit": ("query", False),
        "status": ("query", False),
    }
    limit, status = parameters("listPets").values()
    assert limit["schema"] == {"type": "integer", "minimum": 1, "maximum": 100, "default": 20}
    assert status["schema"] == {"$ref": "#/components/schemas/PetStatus"}
    assert "requestBody" not in operation("listPets")


# ---- 4.2: create


def test_create_takes_a_new_pet() -> None:
    body = operation("createPet")["requestBody"]
    assert body["required"] is True
    assert schemas(body) == {"application/json": {"$ref": "#/components/schemas/NewPet"}}
    assert parameters("createPet") == {}


def test_the_created_animal_links_to_get_pet() -> None:
    (link,) = responses("createPet")["201"]["links"].values()
    assert link["operationId"] == "getPet"
    assert link["parameters"] == {"petId": "$response.body#/id"}


# ---- 4.3: get


def test_get_takes_an_id() -> None:
    assert list(parameters("getPet")) == ["petId"]
    pet_id = parameters("getPet")["petId"]
    assert (pet_id["in"], pet_id["required"], pet_id["schema"]) == ("path", True, INT64)
    assert "requestBody" not in operation("getPet")


def test_only_get_is_deprecated_and_names_its_removal_day() -> None:
    assert [name for name in ROUTES if operation(name).get("deprecated", False)] == ["getPet"]
    assert "5 December 2030" in operation("getPet")["description"]
    assert str(CATALOGUE["GET-4"]["from"]) in operation("getPet")["description"]


# ---- 4.4: orders


def test_nothing_is_required_of_orders() -> None:
    assert parameters("storeOrders") == {}
    assert "requestBody" not in operation("storeOrders")
    assert "content" not in responses("storeOrders")["default"]


# ---- 5: authentication


@pytest.mark.parametrize("name", ROUTES)
def test_every_operation_needs_the_key_as_a_bearer_token(name: str) -> None:
    (needed,) = operation(name).get("security", OPENAPI["security"])
    (scheme,) = needed
    found = OPENAPI["components"]["securitySchemes"][scheme]
    assert (found["type"], found["scheme"]) == ("http", "bearer")


# ---- 4 and 7: the responses


def test_the_responses_are_the_documented_ones() -> None:
    assert {name: set(responses(name)) for name in ROUTES} == {
        "listPets": {"200", "400", "401", "422", "429"},
        "createPet": {"201", "400", "401", "429"},
        "getPet": {"200", "400", "401", "404", "422", "429"},
        "storeOrders": {"200", "401", "429", "default"},
    }


@pytest.mark.parametrize(
    ("name", "status", "body"), [("listPets", "200", "Pets"), ("createPet", "201", "Pet"), ("getPet", "200", "Pet")]
)
def test_a_success_has_its_body(name: str, status: str, body: str) -> None:
    assert schemas(responses(name)[status]) == {"application/json": {"$ref": f"#/components/schemas/{body}"}}


@pytest.mark.parametrize(
    ("name", "status"),
    [case for case in every_response() if case[1] in {"400", "401", "404"} and case not in OPEN_ANSWERS],
)
def test_an_error_has_the_error_body_and_names_its_own_status(name: str, status: str) -> None:
    assert schemas(responses(name)[status]) == {"application/json": {"$ref": f"#/components/schemas/Error{status}"}}
    own_status = {"type": "object", "properties": {"status": {"enum": [int(status)]}}}
    assert demand(schema(f"Error{status}")) == {"allOf": [{"$ref": "#/components/schemas/Error"}, own_status]}


@pytest.mark.parametrize(("name", "status"), OPEN_ANSWERS)
def test_an_open_answer_may_have_any_body(name: str, status: str) -> None:
    assert "content" not in responses(name)[status]
    assert responses(name)[status]["x-open"]


def test_error_has_three_fields() -> None:
    assert schema("Error")["type"] == "object"
    assert schema("Error")["required"] == ["code", "message", "status"]
    assert {name: demand(field) for name, field in schema("Error")["properties"].items()} == {
        "code": {"type": "string"},
        "message": {"type": "string"},
        "status": {"type": "integer"},
    }


# ---- 8: limits


@pytest.mark.parametrize(("name", "status"), every_response())
def test_every_response_requires_the_rate_limit_headers(name: str, status: str) -> None:
    headers = {header: resolved(part) for header, part in responses(name)[status]["headers"].items()}
    assert set(headers) - {"Retry-After"} == RATE_LIMIT_HEADERS
    assert [header for header, part in headers.items() if part.get("required") is not True] == []


def test_the_rate_limit_headers_are_numbers() -> None:
    headers = OPENAPI["components"]["headers"]
    assert {name: headers[name]["schema"] for name in RATE_LIMIT_HEADERS} == {
        "X-RateLimit-Limit": {"type": "integer", "minimum": 1},
        "X-RateLimit-Remaining": {"type": "integer", "minimum": 0},
        "X-RateLimit-Reset": {"type": "number", "minimum": 0},
    }


@pytest.mark.parametrize("name", ROUTES)
def test_a_429_has_retry_after_and_may_have_any_body(name: str) -> None:
    assert resolved(responses(name)["429"]["headers"]["Retry-After"])["required"] is True
    assert "content" not in responses(name)["429"]


def test_only_a_429_has_retry_after() -> None:
    saying = {
        (name, status) for name, status in every_response() if "Retry-After" in responses(name)[status]["headers"]
    }
    assert saying == {(name, "429") for name in ROUTES}


# ---- 9: versioning


def test_the_description_has_version_1_0_0() -> None:
    assert OPENAPI["info"]["version"] == "1.0.0"


def test_production_and_staging_end_in_v1() -> None:
    production, staging = OPENAPI["servers"]
    assert production["description"].startswith("Production")
    assert staging["description"].startswith("Staging")
    for server in (production, staging):
        assert server["url"].endswith("/v1")
    assert production["variables"]["host"]["default"] != staging["variables"]["host"]["default"]


# ---- as the engine has it


def test_the_engine_has_the_same_operations() -> None:
    assert {str(known.value): str(known) for known in Operation} == {
        name: f"{method.upper()} {path}" for name, (path, method) in ROUTES.items()
    }


def test_the_engine_uses_the_same_figures() -> None:
    limit = parameters("listPets")["limit"]["schema"]
    assert (limit["minimum"], limit["maximum"], limit["default"]) == (
        figures.LIMIT_MIN,
        figures.LIMIT_MAX,
        figures.LIMIT_DEFAULT,
    )
    assert tuple(schema("PetStatus")["enum"]) == figures.STATUSES
    assert OPENAPI["info"]["version"] == figures.INTERFACE_VERSION
    assert CATALOGUE["GET-4"]["from"] == figures.REMOVAL_DAY


# ---- as the tool that draws the examples reads it


@cache
def drawn() -> schemathesis.schemas.BaseSchema:
    return schemathesis.openapi.from_dict(OPENAPI)


def test_schemathesis_reads_four_operations() -> None:
    found = [result.ok() for result in drawn().get_all_operations() if isinstance(result, Ok)]
    assert [operation.label for operation in found] == [
        "GET /pets",
        "POST /pets",
        "GET /pets/{petId}",
        "GET /store/orders",
    ]


RATES = {"X-RateLimit-Limit": "60", "X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "1800000000"}
JSON = {"Content-Type": "application/json", **RATES}
PET = b'[{"id": %s, "name": "Rex", "categoryId": 1}]'
ERROR = b'{"code": "no_key", "message": "No key.", "status": %s}'
CHECKED = [
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
]


def complaints(path: str, status: int, body: bytes, headers: dict[str, str]) -> list[str]:
    """The names of the failures that schemathesis finds in an answer to GET on the path."""
    case = drawn()[path]["GET"].Case()
    request = requests.Request(**case.as_transport_kwargs(base_url="http://127.0.0.1/v1")).prepare()
    answer = Response(
        status_code=status,
        headers={name: [value] for name, value in headers.items()},
        content=body,
        request=request,
        elapsed=0.0,
        verify=True,
    )
    try:
        case.validate_response(answer, checks=CHECKED)
    except FailureGroup as group:
        return [type(failure).__name__ for failure in group.exceptions]
    return []


@pytest.mark.parametrize(
    ("path", "status", "body", "headers"),
    [
        ("/pets", 200, b"[]", JSON),
        ("/pets", 200, b'[{"id": 1, "name": "", "categoryId": 1, "status": "sold", "age": null}]', JSON),
        ("/pets", 200, PET % b"-9223372036854775808", JSON),
        ("/pets", 200, PET % b"9223372036854775807", JSON),
        ("/pets", 200, b"[]", {**JSON, "X-RateLimit-Reset": "1800000000.5"}),
        ("/pets", 200, b"[]", {**JSON, "Content-Type": "Application/JSON; charset=utf-8"}),
        ("/pets", 401, ERROR % b"401", JSON),
        ("/pets", 429, b"", {**RATES, "Retry-After": "30"}),
        ("/pets", 429, b"slow down", {**RATES, "Retry-After": "Thu, 05 Dec 2030 00:00:00 GMT"}),
        ("/store/orders", 200, b"<p>none</p>", {**RATES, "Content-Type": "text/html"}),
        ("/store/orders", 204, b"", RATES),
        ("/store/orders", 400, b'{"detail": "which?"}', JSON),
    ],
)
def test_schemathesis_passes_what_the_document_allows(
    path: str, status: int, body: bytes, headers: dict[str, str]
) -> None:
    assert complaints(path, status, body, headers) == []


@pytest.mark.parametrize(
    ("status", "body", "headers", "complaint"),
    [
        (200, b'{"pets": []}', JSON, "JsonSchemaError"),
        (200, PET % b'"1"', JSON, "JsonSchemaError"),
        (200, PET % b"9223372036854775808", JSON, "JsonSchemaError"),
        (200, PET % b"-9223372036854775809", JSON, "JsonSchemaError"),
        (200, b'[{"id": 1, "name": "Rex"}]', JSON, "JsonSchemaError"),
        (200, b'[{"id": 1, "name": "Rex", "categoryId": 1, "status": "Sold"}]', JSON, "JsonSchemaError"),
        (200, b"[]", {"Content-Type": "application/json"}, "MissingHeaders"),
        (200, b"[]", {**JSON, "X-RateLimit-Limit": "many"}, "JsonSchemaError"),
        (200, b"[]", {**JSON, "X-RateLimit-Reset": "tomorrow"}, "JsonSchemaError"),
        (200, b"[]", {**JSON, "Content-Type": "text/html"}, "UndefinedContentType"),
        (401, ERROR % b"400", JSON, "JsonSchemaError"),
        (429, b"", RATES, "MissingHeaders"),
        (429, b"", {**RATES, "Retry-After": "soon"}, "JsonSchemaError"),
        (403, b"{}", JSON, "UndefinedStatusCode"),
    ],
)
def test_schemathesis_finds_what_the_document_forbids(
    status: int, body: bytes, headers: dict[str, str], complaint: str
) -> None:
    assert set(complaints("/pets", status, body, headers)) == {complaint}
