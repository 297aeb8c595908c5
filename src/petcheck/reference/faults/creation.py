"""Section 4.2: valid animals that are not added with 201."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from petcheck.reference.behaviour import Override
from petcheck.reference.messages import Answer, Operation
from petcheck.reference.overrides import pets, refused_if, served
from petcheck.reference.registry import fault

create = partial(fault, section="4.2", at=(Operation.CREATE,))


def _status_code(status: int) -> Override:
    return served(lambda answer, call: replace(answer, status=status))


FAULTS = [
    # 201
    *create("created-200", "An animal is added with 200.", "CREATE-1", _status_code(200)),
    *create("created-202", "An animal is added with 202.", "CREATE-1", _status_code(202)),
    *create(
        "created-204",
        "An animal is added with 204.",
        "CREATE-1",
        served(lambda answer, call: Answer(204, b"", (), None)),
    ),
    *create(
        "created-303",
        "Adding an animal redirects to the list.",
        "CREATE-1",
        served(lambda answer, call: Answer(303, b"", (("Location", "/v1/pets"),), None)),
    ),
    *create("create-404", "No animal can be added: 404.", "CREATE-1", refused_if("not_found", lambda new: True, 404)),
    *create("create-405", "No animal can be added: 405.", "CREATE-1", refused_if("read_only", lambda new: True, 405)),
    *create("create-403", "No animal can be added: 403.", "CREATE-1", refused_if("read_only", lambda new: True, 403)),
    *create(
        "create-crashes",
        "Adding an animal gets 500.",
        "CREATE-1 ERROR-5",
        refused_if("internal", lambda new: True, 500),
    ),
    *create(
        "create-501",
        "Adding an animal is not implemented.",
        "CREATE-1 ERROR-5",
        refused_if("internal", lambda new: True, 501),
    ),
    *create(
        "pending-refused",
        "A new animal must not be pending.",
        "CREATE-1",
        refused_if("status_unknown", lambda new: new.status == "pending"),
    ),
    *create(
        "sold-refused",
        "A new animal must not be sold.",
        "CREATE-1",
        refused_if("status_unknown", lambda new: new.status == "sold"),
    ),
    *create(
        "available-refused",
        "A new animal must not be available.",
        "CREATE-1",
        refused_if("status_unknown", lambda new: new.status == "available"),
    ),
    *create(
        "status-required",
        "A new animal must have a status.",
        "CREATE-1",
        refused_if("status_missing", lambda new: new.status is None),
    ),
    *create(
        "status-required-422",
        "A new animal without a status gets 422.",
        "CREATE-1",
        refused_if("status_missing", lambda new: new.status is None, 422),
    ),
    *create(
        "status-missing-crashes",
        "A new animal without a status gets 500.",
        "CREATE-1 ERROR-5",
        refused_if("internal", lambda new: new.status is None, 500),
    ),
    *create(
        "created-in-data",
        "The animal in the 201 is inside `data`.",
        "PET-1 PET-2 PET-3",
        served(lambda answer, call: replace(answer, content={"data": answer.content})),
    ),
    *create("created-id-only", "The 201 has only the id.", "PET-2 PET-3", pets(lambda pet: {"id": pet["id"]})),
    *create(
        "created-message",
        "The 201 has only a message.",
        "PET-1 PET-2 PET-3",
        served(lambda answer, call: replace(answer, content={"message": "created"})),
    ),
]
