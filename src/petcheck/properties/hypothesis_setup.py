"""Keeps Hypothesis fast, repeatable and out of the user's folder.

By default, on its first use in a folder, it computes Unicode tables for seconds with 200 MB, stores them there, and
draws from the constants of whatever modules are loaded, so that a seed does not repeat a run elsewhere.
This module stores the tables in Hypothesis' own format; a version with another format computes them as before.
"""

from __future__ import annotations

import atexit
import gzip
import json
import shutil
import sys
import tempfile
import unicodedata
from functools import cache
from itertools import groupby
from pathlib import Path

_SURROGATES = range(0xD800, 0xE000)


@cache
def set_up_hypothesis() -> Path:
    """Set up Hypothesis once, for the rest of the process. Returns the temporary folder that it uses."""
    from hypothesis.configuration import set_hypothesis_home_dir
    from hypothesis.internal import constants_ast
    from hypothesis.internal.conjecture import providers

    home = Path(tempfile.mkdtemp(prefix="petcheck-hypothesis-"))
    atexit.register(shutil.rmtree, home, ignore_errors=True)
    tables = home / "unicode_data" / unicodedata.unidata_version
    tables.mkdir(parents=True)
    utf_8 = [[0, _SURROGATES.start - 1], [_SURROGATES.stop, sys.maxunicode]]
    _keep(tables / "charmap.json.gz", sorted(categories().items()))
    _keep(tables / "codec-v2-utf-8.json.gz", [utf_8, []])
    set_hypothesis_home_dir(home)
    if hasattr(providers, "_get_local_constants"):
        nothing = constants_ast.Constants()
        providers._get_local_constants = lambda: nothing
    return home


def categories() -> dict[str, list[tuple[int, int]]]:
    """The ranges of code points, both ends included, of each general category of Unicode."""
    found: dict[str, list[tuple[int, int]]] = {}
    first = 0
    for category, run in groupby(map(unicodedata.category, map(chr, range(sys.maxunicode + 1)))):
        last = first + sum(1 for _ in run) - 1
        found.setdefault(category, []).append((first, last))
        first = last + 1
    return found


def _keep(path: Path, table: object) -> None:
    with gzip.open(path, "wb", compresslevel=1) as file:
        file.write(json.dumps(table).encode())
