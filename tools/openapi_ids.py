"""The ids in openapi.yaml: each part names the entries of the catalogue that are about it, as the entries say."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

from petcheck.grouping import grouped

ROOT = Path(__file__).resolve().parent.parent
FILE = ROOT / "openapi.yaml"


def with_ids(root: Path = ROOT) -> str:
    """The text of openapi.yaml with the ids as they have to be. Raises ValueError if an entry names no part of it."""
    text = (root / "openapi.yaml").read_text("utf-8")
    entries = yaml.safe_load((root / "requirements.yaml").read_text("utf-8"))["requirements"]
    due = grouped(
        ((place, "x-open" if entry["level"] == "open" else "x-requirements"), entry["id"])
        for entry in entries
        for place in entry["in"]
    )
    changes = []
    for place, part in _parts(yaml.compose(text)):
        lists = {key.value: value for key, value in part.value if key.value in ("x-requirements", "x-open")}
        for extension in lists.keys() | {name for where, name in due if where == place}:
            ids = f"[{', '.join(due.pop((place, extension), ()))}]"
            at = lists.get(extension)
            if at is None:
                start = part.start_mark
                changes.append((start.index, start.index, f"{extension}: {ids}\n{' ' * start.column}"))
            else:
                changes.append((at.start_mark.index, at.end_mark.index, ids))
    if due:
        raise ValueError(f"openapi.yaml has no {', '.join(place for place, _ in due)}")
    for start, end, ids in sorted(changes, reverse=True):
        text = text[:start] + ids + text[end:]
    return text


def _parts(file: Any) -> Iterator[tuple[str, Any]]:
    """Each object of the file, with its name: an operation, a component or a member, and the way from there."""
    whole = _members(file)
    for path in _members(whole["paths"]).values():
        for operation in _members(path).values():
            yield from _below(_members(operation)["operationId"].value, operation)
    for kind in _members(whole["components"]).values():
        for name, component in _members(kind).items():
            yield from _below(name, component)
    for name in whole.keys() - {"paths", "components"}:
        yield from _below(name, whole[name])


def _below(name: str, node: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(node, yaml.MappingNode):
        yield name, node
    for step, child in _members(node).items():
        yield from _below(f"{name}/{step}", child)


def _members(node: Any) -> dict[str, Any]:
    """The members of an object, or the items of a list by their name, otherwise by their number."""
    if isinstance(node, yaml.MappingNode):
        return {key.value: value for key, value in node.value}
    if not isinstance(node, yaml.SequenceNode):
        return {}
    names = [_members(item).get("name") if isinstance(item, yaml.MappingNode) else None for item in node.value]
    return {
        str(at) if name is None else name.value: item
        for at, (name, item) in enumerate(zip(names, node.value, strict=True))
    }
