"""What a run ran on: the suite's commit, Python, the platform, and every package that petcheck needs."""

from __future__ import annotations

import platform
import re
from dataclasses import dataclass
from functools import cache
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path

from petcheck.spec.files import suite_root

_COMMIT = re.compile(r"[0-9a-f]{40,64}")


@dataclass(frozen=True, slots=True)
class Environment:
    """`commit` is None if the suite is not a checkout; `packages` are versions by name."""

    commit: str | None
    python: str
    platform: str
    packages: dict[str, str]


@cache
def environment() -> Environment:
    """The environment of this process."""
    return Environment(
        commit=commit_of(suite_root()),
        python=f"{platform.python_implementation()} {platform.python_version()}",
        platform=platform.platform(),
        packages=packages_of("petcheck"),
    )


def commit_of(root: Path) -> str | None:
    """The commit that a checkout is on, read from git's own files; None if `root` is not a checkout."""
    try:
        git = root / ".git"
        if git.is_file():  # of a worktree
            git = root / git.read_text("utf-8").removeprefix("gitdir: ").strip()
        head = (git / "HEAD").read_text("utf-8").strip()
        name = head.removeprefix("ref: ")
        if name != head:
            shared = git / "commondir"
            common = git / shared.read_text("utf-8").strip() if shared.exists() else git
            loose = common / name
            if loose.exists():
                head = loose.read_text("utf-8").strip()
            else:
                packed = (common / "packed-refs").read_text("utf-8").splitlines()
                head = next((line.partition(" ")[0] for line in packed if line.endswith(f" {name}")), "")
    except (OSError, ValueError):
        return None
    return head if _COMMIT.fullmatch(head) else None


def packages_of(name: str) -> dict[str, str]:
    """The versions of an installed package and of all that it needs here, in the order of their names."""
    from packaging.requirements import Requirement
    from packaging.utils import canonicalize_name

    found: dict[str, str] = {}
    wanted: list[tuple[str, frozenset[str]]] = [(name, frozenset())]
    while wanted:
        needed, extras = wanted.pop()
        installed = _installed(needed)
        if installed is None or canonicalize_name(needed) in found:
            continue
        found[canonicalize_name(needed)] = installed.version
        for text in installed.requires or ():
            requirement = Requirement(text)
            marker = requirement.marker
            if marker is None or any(marker.evaluate({"extra": extra}) for extra in extras | {""}):
                wanted.append((requirement.name, frozenset(requirement.extras)))
    return dict(sorted(found.items()))


def _installed(name: str) -> Distribution | None:
    try:
        return distribution(name)
    except PackageNotFoundError:
        return None
