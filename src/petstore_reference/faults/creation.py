"""Section 4.2: valid animals that are not added with 201."""

from __future__ import annotations

from dataclasses import replace

from petstore_reference.messages import Answer
from petstore_reference.overrides import pets, refused_if, served, with_status_code
from petstore_reference.registry import create

FAULTS = [
    # 201
    *create("created-200", "`POST /pets` returns 200 instead of 201.", "CREATE-1", with_status_code(200)),
    *create("created-202", "`POST /pets` returns 202 instead of 201.", "CREATE-1", with_status_code(202)),
    *create(
        "created-204",
        "`POST /pets` returns 204 instead of 201.",
        "CREATE-1",
        served(lambda answer, call: Answer(204, b"", (), None)),
    ),
    *create(
        "created-303",
        "`POST /pets` returns 303 with a redirect to the list.",
        "CREATE-1",
        served(lambda answer, call: Answer(303, b"", (("Location", "/v1/pets"),), None)),
    ),
    *create("create-404", "A valid POST gets 404.", "CREATE-1", refused_if("not_found", lambda new: True, 404)),
    *create("create-405", "A valid POST gets 405.", "CREATE-1", refused_if("read_only", lambda new: True, 405)),
    *create("create-403", "A valid POST gets 403.", "CREATE-1", refused_if("read_only", lambda new: True, 403)),
    *create(
        "create-crashes",
        "A valid POST gets 500.",
        "CREATE-1 ERROR-5",
        refused_if("internal", lambda new: True, 500),
    ),
    *create(
        "create-501",
        "A valid POST gets 501.",
        "CREATE-1 ERROR-5",
        refused_if("internal", lambda new: True, 501),
    ),
    *create(
        "create-pending-refused",
        "A POST with status pending gets 400.",
        "CREATE-1",
        refused_if("status_unknown", lambda new: new.status == "pending"),
    ),
    *create(
        "create-sold-refused",
        "A POST with status sold gets 400.",
        "CREATE-1",
        refused_if("status_unknown", lambda new: new.status == "sold"),
    ),
    *create(
        "create-available-refused",
        "A POST with status available gets 400.",
        "CREATE-1",
        refused_if("status_unknown", lambda new: new.status == "available"),
    ),
    *create(
        "create-without-status-refused",
        "A POST without `status` gets 400.",
        "CREATE-1",
        refused_if("status_missing", lambda new: new.status is None),
    ),
    *create(
        "create-without-status-422",
        "A POST without `status` gets 422.",
        "CREATE-1",
        refused_if("status_missing", lambda new: new.status is None, 422),
    ),
    *create(
        "create-without-status-crashes",
        "A POST without `status` gets 500.",
        "CREATE-1 ERROR-5",
        refused_if("internal", lambda new: new.status is None, 500),
    ),
    *create(
        "created-in-data",
        "The Pet in the 201 is wrapped in `data`.",
        "PET-1 PET-2 PET-3",
        served(lambda answer, call: replace(answer, content={"data": answer.content})),
    ),
    *create("created-id-only", "The 201 holds only the `id`.", "PET-2 PET-3", pets(lambda pet: {"id": pet["id"]})),
    *create(
        "created-message",
        "The 201 holds only a message.",
        "PET-1 PET-2 PET-3",
        served(lambda answer, call: replace(answer, content={"message": "created"})),
    ),
]
