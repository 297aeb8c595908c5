"""Writes revised waivers into petcheck.toml; every other byte of the file stays, comments and order included.

tomlkit finds the tables and changes values in place. With a table that it removes it would remove the comments below
it, which are often about the next one; so a table is only marked here, and then cut out of the text.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict

import tomlkit
from tomlkit.exceptions import TOMLKitError
from tomlkit.items import AoT, Item, Table

from petcheck.config.settings_file import LONGEST_FILE, SettingsFile
from petcheck.config.waivers import waivers_in
from petcheck.errors import ConfigError
from petcheck.spec.outcomes import Waiver
from petcheck.words import plural

# no TOML file may hold this character
_MARK = "\x00"
_BEGIN, _END, _NEW = f"{_MARK}begin{_MARK}", f"{_MARK}end{_MARK}", f"{_MARK}new{_MARK}"
_REMOVED = re.compile(rf"{_BEGIN}.*?{_END}((?:[ \t]*\r?\n)*)", re.DOTALL)


def tables_of(file: SettingsFile) -> tuple[tomlkit.TOMLDocument, list[Table]]:
    """The file as a document, and its tables of waivers in order. Raises `ConfigError` if they cannot be edited."""
    try:
        document = tomlkit.parse(file.text)
        waivers = document.get("waivers", AoT([]))
        whole = tomlkit.dumps(document) == file.text
    except TOMLKitError as error:
        raise ConfigError(f"{file.name}: cannot be edited ({' '.join(str(error).split())})") from None
    if not isinstance(waivers, AoT):
        raise ConfigError(
            f"{file.name}: write each waiver as a [[waivers]] table instead of `waivers = […]`, "
            "so that they can be updated"
        )
    if not whole:
        raise ConfigError(
            f"{file.name}: move all [[waivers]] tables to the end of the file, so that they can be updated"
        )
    return document, list(waivers)


def edited(file: SettingsFile, before: Sequence[Waiver], after: Sequence[Waiver]) -> str:
    """The text of the file, which has the waivers `before`, with those of `after`. Raises `ConfigError`.

    A waiver that is in both stays as it is. For the same requirement and target, reason and day are changed in place.
    Any other is removed, and new ones follow the last.
    """
    document, tables = tables_of(file)
    missing = list(after)
    others: list[tuple[Table, Waiver]] = []
    for table, waiver in zip(tables, before, strict=True):
        if waiver in missing:
            missing.remove(waiver)
        else:
            others.append((table, waiver))
    for table, waiver in others:
        failure = waiver.requirement, waiver.target
        heir = next((one for one in missing if (one.requirement, one.target) == failure), None)
        if heir is None:
            table.trivia.indent = _BEGIN + table.trivia.indent
            _append(table, _END)
        else:
            table["reason"], table["expires"] = heir.reason, heir.expires
            missing.remove(heir)
    newline = "\r\n" if "\r\n" in file.text else "\n"
    rows = ({name: value for name, value in asdict(waiver).items() if name != "gap"} for waiver in missing)
    tables_added = (tomlkit.dumps({"waivers": [row]}) for row in rows)
    new = "".join(newline + added.replace("\n", newline) for added in tables_added)
    if tables and new:
        _append(tables[-1], _NEW)
        text = _without_removed(tomlkit.dumps(document).replace(_NEW, new))
    else:
        text = _without_removed(tomlkit.dumps(document))
        text = (text if not text or text.endswith("\n") else text + newline) + new
    text = text.lstrip("\r\n") if not file.text.strip() else text
    return _checked(text, file, after)


def _append(table: Table, mark: str) -> None:
    """Put a mark behind the last value of a table, and before the comments and blank lines that follow it."""
    last: Item = list(table.values())[-1]
    if not last.trivia.trail.partition(_MARK)[0]:
        last.trivia.trail = "\n" + last.trivia.trail  # the file ends without a line feed
    last.trivia.trail += mark


def _without_removed(text: str) -> str:
    """The text without the marked tables, and without the blank lines after one that follows a blank line."""
    while (removed := _REMOVED.search(text)) is not None:
        before, after = text[: removed.start()], text[removed.end() :]
        blank = not before or before.endswith(("\n\n", "\r\n\r\n"))
        text = before + ("" if blank else removed[1]) + after
    return text


def _checked(text: str, file: SettingsFile, waivers: Sequence[Waiver]) -> str:
    """The text, if it says what it must and all else as before."""
    if len(text.encode()) > LONGEST_FILE:
        raise ConfigError(
            f"{file.name}: with {plural(len(waivers), 'waiver')} it would be larger than 8 MB; fix some first"
        )
    with suppress(tomllib.TOMLDecodeError):
        content = tomllib.loads(text)
        written = SettingsFile(file.name, content, text)
        rest, before = ({name: one[name] for name in one if name != "waivers"} for one in (content, file.content))
        same = sorted(waivers_in(written, [one.target for one in waivers]), key=repr) == sorted(waivers, key=repr)
        if same and rest == before:
            return text
    raise ConfigError(f"{file.name}: the waivers cannot be written into it; write each as a [[waivers]] table")
