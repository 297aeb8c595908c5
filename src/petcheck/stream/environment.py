"""What a run ran on: the suite's commit, Python, the platform, and every package that petcheck needs."""

from __future__ import annotations

import platform
import re
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

from petcheck.spec.files import suite_root

# a requirement for which each marker must hold, one of them an extra
_ONLY_WITH_EXTRA = re.compile(r"(?!.* or ).*;.*\bextra *== *.*")
_NAME = re.compile(r"[A-Za-z0-9._-]+")
_COMMIT = re.compile(r"[0-9a-f]{40,64}")


@dataclass(frozen=True, slots=True)
class Environment:
    """`petcheck_commit` is None if the suite is not a checkout; `packages` are versions by name."""

    petcheck_commit: str | None
    python: str
    platform: str
    packages: dict[str, str]


@cache
def environment() -> Environment:
    """The environment of this process."""
    return Environment(
        petcheck_commit=commit_of(suite_root()),
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
    """The versions of an installed package and of all installed ones that it may need, in the order of their names."""
    found: dict[str, str] = {}
    wanted = [name]
    while wanted:
        needed = re.sub(r"[-_.]+", "-", wanted.pop()).lower()
        with suppress(PackageNotFoundError):
            if needed not in found:
                installed = distribution(needed)
                found[needed] = installed.version
                requirements = (text for text in installed.requires or () if not _ONLY_WITH_EXTRA.fullmatch(text))
                wanted += [named[0] for text in requirements if (named := _NAME.match(text))]
    return dict(sorted(found.items()))
