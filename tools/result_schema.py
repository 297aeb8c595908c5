"""The settings of a run in the schema of result.json: each that a stream records has a member there."""

from __future__ import annotations

import json
import re
from dataclasses import fields
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, get_args, get_origin, get_type_hints

from petcheck.config.options import OPTIONS
from petcheck.stream.lines import RunSettings

FILE = Path(__file__).resolve().parent.parent / "src" / "petcheck" / "results" / "result.schema.json"
_TYPES = {int: "integer", float: "number", bool: "boolean", str: "string", NoneType: "null"}
_MEMBERS = re.compile(r'(?<=\n    "settings": \{\n).*?"properties": \{\n', re.DOTALL)


def with_settings(kind: type = RunSettings) -> str:
    """The text of the schema with a member for each field of `kind`: a new one is described as its option."""
    text = FILE.read_text("utf-8")
    known, hints = json.loads(text)["$defs"]["settings"]["properties"], get_type_hints(kind)
    helps = {option.field: {"description": option.help} for option in OPTIONS}
    lines = [
        f'        "{each.name}": {json.dumps(helps.get(each.name, {}) | _type_of(hints[each.name]))},\n'
        for each in fields(kind)
        if each.name not in known
    ]
    return _MEMBERS.sub(lambda found: found[0] + "".join(lines), text)


def _type_of(hint: Any) -> dict[str, Any]:
    """What a schema says of a value with that type; and nothing where that takes more than a name."""
    kinds = get_args(hint) if get_origin(hint) is UnionType else (hint,)
    names = [_TYPES[kind] for kind in kinds if kind in _TYPES]
    return {"type": names[0] if len(kinds) == 1 else names} if len(names) == len(kinds) else {}
