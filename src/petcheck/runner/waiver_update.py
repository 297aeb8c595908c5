"""Writes the waivers that a run asks for into petcheck.toml, at its end."""

from __future__ import annotations

from collections.abc import Sequence

from petcheck.config.options import Config
from petcheck.config.settings_file import SettingsFile, read_settings
from petcheck.config.values import why
from petcheck.config.waiver_options import WaiverUpdate
from petcheck.config.waivers import waivers_in
from petcheck.errors import ConfigError
from petcheck.judging.waivers import revised
from petcheck.results import atomic_write
from petcheck.results.result import Result
from petcheck.sanitize import comma_list, printable
from petcheck.spec.outcomes import Waiver
from petcheck.words import plural


def update_waivers(config: Config, update: WaiverUpdate, result: Result) -> tuple[tuple[Waiver, ...], str]:
    """Write the waivers that `result` asks for. A run that was cut short leaves the file as it is.

    Returns the waivers that the file has now, and one line that says what changed. Raises `ConfigError` if the file
    cannot be written, or if its waivers for these targets changed during the run.
    """
    name = printable(str(update.path))
    if not result.complete:
        return config.waivers, f"{name} is unchanged, since the run was not complete"
    file = read_settings(str(update.path)) if update.path.exists() else SettingsFile(str(update.path), {})
    targets = [target.name for target in result.targets]
    before = waivers_in(file, [*targets, *(one.target for one in config.waivers)])
    if _of(targets, before) != _of(targets, [one for one in config.waivers if not one.gap]):
        raise ConfigError(f"{name}: its waivers changed during the run; run again")
    outcomes = {(row.id, row.target): row.outcome for row in result.requirements}
    after = revised(before, outcomes, reason=update.reason, expires=update.expires)
    if after != before:
        from petcheck.config.waivers_file import edited  # tomlkit is needed for an update only

        text = edited(file, before, after)
        try:
            atomic_write.write(update.path, text)
        except OSError as error:
            raise ConfigError(f"{name}: cannot be written ({why(error)})") from None
    return (*after, *(one for one in config.waivers if one.gap)), _note(name, before, after)


def _of(targets: Sequence[str], waivers: Sequence[Waiver]) -> list[Waiver]:
    return [waiver for waiver in waivers if waiver.target in targets]


def _note(name: str, before: Sequence[Waiver], after: Sequence[Waiver]) -> str:
    """What changed; a waiver with another reason and day is renewed."""
    new, old = (_failures(one, other) for one, other in ((after, before), (before, after)))
    groups = {
        "added": [key for key in new if key not in old],
        "renewed": [key for key in new if key in old],
        "removed": [key for key in old if key not in new],
    }
    parts = [f"{plural(len(keys), 'waiver')} {verb} ({comma_list(keys)})" for verb, keys in groups.items() if keys]
    stands = sum(one in before for one in after)
    parts += [f"{plural(stands, 'waiver')} kept"] if stands else []
    return f"{name}: {'; '.join(parts) or 'nothing to waive'}"


def _failures(waivers: Sequence[Waiver], other: Sequence[Waiver]) -> list[str]:
    """What those of `waivers` are about that are not in `other`, in their order."""
    return list(dict.fromkeys(f"{one.requirement} on {one.target}" for one in waivers if one not in other))
