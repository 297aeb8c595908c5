"""The licences of the packages that a run needs, from their metadata: docs/licences.md."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path

from packaging.markers import Marker
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parent.parent
DOCUMENT = ROOT / "docs" / "licences.md"
_PIN = re.compile(r"^([a-z0-9.-]+)==([^ ]+)(?: ; ([^\\]+?))? \\$", re.MULTILINE)
_ASKED_FOR = re.compile(r'"([A-Za-z0-9_-]+)[^"]*"[\],]*\s*#\s*(.+)$', re.MULTILINE)
# packages pinned for another system or Python are not installed here
_ELSEWHERE = {"colorama": "BSD-3-Clause"}
# licence classifiers as SPDX identifiers
_TERMS = {
    "MIT License": "MIT",
    "BSD License": "BSD",
    "Apache Software License": "Apache-2.0",
    "Mozilla Public License 2.0 (MPL 2.0)": "MPL-2.0",
    "Python Software Foundation License": "PSF-2.0",
}


@dataclass(frozen=True)
class Pin:
    """A package that requirements.lock pins; `marker` says on which systems, all if it is empty."""

    name: str
    version: str
    marker: str

    @property
    def installed(self) -> Distribution | None:
        """The installed package; None if it is pinned for another system."""
        if self.marker and not Marker(self.marker).evaluate():
            return None
        try:
            return distribution(self.name)
        except PackageNotFoundError:
            return None


def pins() -> list[Pin]:
    """The packages that requirements.lock pins, in its order."""
    text = (ROOT / "requirements.lock").read_text("utf-8")
    return [Pin(name, version, marker) for name, version, marker in _PIN.findall(text)]


def licence(pin: Pin) -> str:
    """The licence of a package, from its metadata."""
    found = pin.installed
    if found is None:
        return _ELSEWHERE[pin.name]
    metadata = found.metadata.json
    if expression := metadata.get("license_expression"):
        return str(expression)
    classifiers = [line.rpartition(" :: ")[2] for line in metadata.get("classifier", ())]
    said = [_TERMS[line] for line in classifiers if line in _TERMS]
    stated = str(metadata.get("license", "")).strip()
    brief = stated if stated and "\n" not in stated and len(stated) <= 40 else ""
    return brief if brief and (not said or said == ["BSD"]) else " and ".join(said)


def reasons() -> dict[str, str]:
    """The purpose of each package: its comment in pyproject.toml, otherwise the packages that need it."""
    project = (ROOT / "pyproject.toml").read_text("utf-8")
    for_tests = project.partition("[project.optional-dependencies]")[2].partition("[dependency-groups]")[0]
    found = _ASKED_FOR.findall(project.replace(for_tests, ""))
    asked = {canonicalize_name(name): why for name, why in found}
    needed: dict[str, list[str]] = {}
    for pin in pins():
        for name in _needs(pin):
            needed.setdefault(name, []).append(pin.name)
    return {
        pin.name: asked.get(canonicalize_name(pin.name))
        or ("needed by " + ", ".join(sorted(set(needed[pin.name]))) if pin.name in needed else _elsewhere(pin))
        for pin in pins()
    }


def _needs(pin: Pin) -> Iterator[str]:
    found = pin.installed
    for line in (found.requires if found else None) or ():
        requirement = Requirement(line)
        # a package that only an extra needs is not installed
        if "extra" not in str(requirement.marker or ""):
            yield canonicalize_name(requirement.name)


def _elsewhere(pin: Pin) -> str:
    return f"where {pin.marker}" if pin.marker else "an extra of one of the others"


def document() -> str:
    """The text of docs/licences.md."""
    why = reasons()
    rows = [f"| {pin.name} | {pin.version} | {licence(pin)} | {why[pin.name]} |" for pin in pins()]
    return "\n".join(
        [
            "# Licences",
            "",
            "`make generated` writes this page from `requirements.lock`, which pins what a run needs; do not edit it.",
            "petcheck itself has the MIT licence. The wheel contains none of these packages; pip installs them.",
            "",
            "| Package | Version | Licence | Purpose |",
            "|---|---|---|---|",
            *rows,
            "",
        ]
    )
