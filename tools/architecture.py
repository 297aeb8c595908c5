"""Draws the architecture: the floors that pyproject.toml orders, and the imports between rooms.

It leaves out an arrow that follows from others: if a imports b and b
imports c, there is no arrow from a to c.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise
from pathlib import Path

import grimp

ROOT = Path(__file__).resolve().parent.parent
PICTURE = ROOT / "docs" / "architecture.svg"
Edges = frozenset[tuple[str, str]]
WIDTH, COLUMN, FLOOR, BOX_WIDTH, BOX_HEIGHT = 840, 260, 80, 116, 36


def floors() -> list[list[str]]:
    """The rooms on each floor, the top floor first, from the contract in pyproject.toml."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    (contract,) = (each for each in project["tool"]["importlinter"]["contracts"] if each["type"] == "layers")
    return [[room.strip() for room in layer.split("|")] for layer in contract["layers"]]


def imports() -> Edges:
    """Which room imports which, in the code as it is."""
    graph = grimp.build_graph("petcheck", cache_dir=None)
    pairs = (
        (module.split(".")[1], imported.split(".")[1])
        for module in graph.modules
        for imported in graph.find_modules_directly_imported_by(module)
        if "." in module and "." in imported
    )
    return frozenset((room, other) for room, other in pairs if room != other)


def reduced(edges: Edges) -> Edges:
    """The edges that do not follow from others."""
    below: dict[str, set[str]] = {}
    for room, other in edges:
        below.setdefault(room, set()).add(other)
    return frozenset(
        (room, other)
        for room, other in edges
        if not any(other in _reachable(step, below) for step in below[room] - {other})
    )


def _reachable(room: str, below: Mapping[str, set[str]]) -> set[str]:
    found: set[str] = set()
    waiting = [room]
    while waiting:
        new = below.get(waiting.pop(), set()) - found
        found |= new
        waiting += new
    return found


def drawn(floors: list[list[str]], edges: Edges) -> str:
    """The picture of these floors and edges as SVG."""
    places = {
        room: (WIDTH / 2 + (place - (len(rooms) - 1) / 2) * COLUMN, number * FLOOR + FLOOR / 2)
        for number, rooms in enumerate(floors)
        for place, room in enumerate(rooms)
    }
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {len(floors) * FLOOR}" role="img" '
        'aria-label="The rooms of petcheck on their floors; each imports only from floors below">',
        '<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
        '<path d="M0 0 8 4 0 8z" fill="#7a8794"/></marker></defs>',
        f'<rect width="{WIDTH}" height="{len(floors) * FLOOR}" fill="#ffffff"/>',
        *_arrows(places, edges),
        *_rooms(places),
        "</svg>",
        "",
    ]
    return "\n".join(lines)


def _arrows(places: Mapping[str, tuple[float, float]], edges: Edges) -> Iterator[str]:
    for room, other in sorted(edges):
        steps = list(_way(places[room], places[other], places.values()))
        path = f"M{steps[0][0]:.0f} {steps[0][1]:.0f}"
        for (x, y), (to_x, to_y) in pairwise(steps):
            middle = (y + to_y) / 2
            path += f"C{x:.0f} {middle:.0f} {to_x:.0f} {middle:.0f} {to_x:.0f} {to_y:.0f}"
        yield f'<path d="{path}" fill="none" stroke="#7a8794" stroke-width="1.5" marker-end="url(#tip)"/>'


def _way(
    start: tuple[float, float], end: tuple[float, float], boxes: Iterable[tuple[float, float]]
) -> Iterator[tuple[float, float]]:
    """The points of an arrow. It crosses the floors in between where there is no room: above its end, below its start,
    or at the right edge.
    """
    (x, y), (to_x, to_y) = start, end
    yield x, y + BOX_HEIGHT / 2
    between = [box for box in boxes if y < box[1] < to_y]
    if between:
        taken = [box_x for box_x, _ in between]
        lane = next(at for at in (to_x, x, WIDTH - 12) if all(abs(box - at) > BOX_WIDTH / 2 for box in taken))
        yield lane, y + FLOOR - BOX_HEIGHT / 2
        yield lane, to_y - FLOOR + BOX_HEIGHT / 2
    yield to_x, to_y - BOX_HEIGHT / 2 - 2


def _rooms(places: Mapping[str, tuple[float, float]]) -> Iterator[str]:
    for room, (x, y) in places.items():
        yield (
            f'<rect x="{x - BOX_WIDTH / 2:.0f}" y="{y - BOX_HEIGHT / 2:.0f}" width="{BOX_WIDTH}" '
            f'height="{BOX_HEIGHT}" rx="6" fill="#eef3f8" stroke="#34506b"/>'
        )
        yield (
            f'<text x="{x:.0f}" y="{y + 5:.0f}" text-anchor="middle" font-family="sans-serif" font-size="15" '
            f'fill="#14283a">{room}</text>'
        )


def picture() -> str:
    """The picture of the code as it is."""
    shown = [[room for room in rooms if room != "__main__"] for rooms in floors()]
    edges = reduced(frozenset(edge for edge in imports() if "__main__" not in edge))
    return drawn([rooms for rooms in shown if rooms], edges)
