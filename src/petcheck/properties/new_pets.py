"""NewPets of a run as bytes (section 3). Pure."""

from __future__ import annotations

import json
from dataclasses import dataclass

from petcheck.json_values import kind, parse
from petcheck.spec.figures import INT64_MAX, INT64_MIN


@dataclass(frozen=True, slots=True)
class Pets:
    """The run's id, 8 characters that begin the names of its animals, and categories that exist, at least one.

    `unseen` are others, of a service that accepts any category.
    """

    run: str
    categories: tuple[int, ...]
    unseen: tuple[int, ...] = ()

    @property
    def category(self) -> int:
        """The category of most animals."""
        return self.categories[0]


def new_pet(pets: Pets, name: str, status: str | None, category: int | None = None) -> bytes:
    """A NewPet as bytes, in the known category unless another is given."""
    members: dict[str, object] = {"name": name, "categoryId": pets.category if category is None else category}
    return json.dumps(members | ({"status": status} if status else {}), ensure_ascii=False).encode()


def named(run: str, length: int) -> str:
    """A name of `length` printable ASCII characters: the run's id and more, or its beginning; `0` for length 1."""
    if length == 1:
        return "0"  # PHP treats it as empty, other languages as a number
    signs = "".join(chr(ord("a") + place * 7 % 26) for place in range(max(0, length - len(run))))
    return (run + signs)[:length]


def of_this_run(body: bytes | None, pets: Pets, *, refused: bool) -> bytes | None:
    """A generated body with this run's id in its name and, if its category is an int64, one that exists; the rest of
    the name stays. None if the body cannot be written.
    """
    value = parse(body or b"").value
    if not isinstance(value, dict):
        return body
    members = {name: value[name] for name in ("name", "categoryId", "status") if name in value}
    name, category = members.get("name"), members.get("categoryId")
    if isinstance(name, str):
        # a refused body has a name that no accepted animal has, of this run or an earlier one
        members["name"] = f"{pets.run} refused {name}" if refused else f"{pets.run} {name}"
    if kind(category) == "an integer" and isinstance(category, int) and INT64_MIN <= category <= INT64_MAX:
        members["categoryId"] = pets.category
    try:
        return json.dumps(members, ensure_ascii=False, default=float).encode()
    except (UnicodeEncodeError, TypeError):
        return None


def json_body(value: object) -> bytes:
    """A value as JSON in UTF-8."""
    return json.dumps(value, ensure_ascii=False).encode()
