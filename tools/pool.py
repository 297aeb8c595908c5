"""Writes the pool of property examples that schemathesis generates from openapi.yaml, for runs of the default size."""

from __future__ import annotations

import sys
import unicodedata
from importlib.metadata import version
from itertools import islice
from typing import get_args

from petcheck.call import Call
from petcheck.properties.generate import Generated
from petcheck.properties.pool import FILE, Mode, Pool, packed, values_digest
from petcheck.spec.files import suite_file
from petcheck.spec.operations import Operation

DRAWN = 200  # cases of each operation and mode; a default run tries 40 at most
SEED = 1


def generated() -> Pool:
    """The pool as schemathesis generates it now."""
    cases = Generated()
    groups = [(operation, mode) for operation in Operation for mode in get_args(Mode)]
    return Pool(
        values_sha256=values_digest(suite_file("openapi.yaml").read_bytes()),
        schemathesis=version("schemathesis"),
        unicode=unicodedata.unidata_version,
        covering={(operation, mode): tuple(cases.coverage(operation, mode)) for operation, mode in groups},
        drawn={(operation, mode): _drawn(cases, operation, mode) for operation, mode in groups},
    )


def _drawn(cases: Generated, operation: Operation, mode: Mode) -> tuple[Call, ...]:
    # an operation with few cases repeats them without end
    return tuple(dict.fromkeys(islice(cases.random(operation, mode, SEED), 2 * DRAWN)))[:DRAWN]


def main() -> int:
    """Write the pool."""
    pool = generated()
    FILE.write_bytes(packed(pool))
    number = sum(len(calls) for calls in (*pool.covering.values(), *pool.drawn.values()))
    print(f"{FILE.name}: {number} cases, {FILE.stat().st_size // 1000} KB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
