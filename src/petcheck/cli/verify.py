"""`petcheck verify`: does a folder of reports prove what it says?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from petcheck.cli.parser import Parser
from petcheck.config.targets import EVERY_TARGET
from petcheck.errors import ConfigError, NotAKey
from petcheck.evidence.verify import verify
from petcheck.results.findings import TargetInfo
from petcheck.results.result import Result
from petcheck.results.timestamp import authorities
from petcheck.results.totals import headline, tested
from petcheck.sanitize import comma_list, printable
from petcheck.spec.outcomes import Exit
from petcheck.spec.version import VERSION
from petcheck.stream.lines import TargetSettings
from petcheck.stream.stream import Stream
from petcheck.stream.typed import timestamp
from petcheck.words import plural

_SHOWN = 40  # lines of what differs
_SHOWN_ABOVE = ("label", "subject", "target")
_NAMED = 6  # targets, requirements and waivers

PARSER = Parser(
    "verify",
    usage="petcheck verify DIR [--public-key FILE] [--timestamp-ca FILE]",
    description="Check offline that a folder of reports proves what it says: that no file was changed, that the "
    "verdicts follow from the recording, and, with a public key, who made it; with a certificate, when it existed.",
    epilog="Exit: 0 proven, 1 not proven, 4 not a folder of reports, 8 made by another version of petcheck,\n"
    "which alone can prove it.",
)
PARSER.add_argument("folders", nargs="*", metavar="DIR", help="a folder of reports")
PARSER.add_argument("--public-key", metavar="FILE", help="the Ed25519 key that signed it, in PEM")
PARSER.add_argument("--timestamp-ca", metavar="FILE", help="the authority that dated it: its root certificate, in PEM")
PARSER.add_argument("--timestamp", metavar="FILE", help="its response, if it is not in DIR as manifest.tsr")


def main(argv: list[str]) -> int:
    """Verify a folder of reports; returns the exit code."""
    options = PARSER.parse(argv)
    if len(options.folders) != 1:
        raise ConfigError("name one folder of reports: petcheck verify reports/")
    folder = Path(options.folders[0])
    key = None if options.public_key is None else Path(options.public_key)
    authority = None if options.timestamp_ca is None else Path(options.timestamp_ca)
    response = Path(options.timestamp) if options.timestamp else None
    if response is not None and authority is None:
        raise ConfigError("--timestamp needs --timestamp-ca FILE, the root certificate of the authority")
    if response is not None and not response.is_file():
        raise ConfigError(f"--timestamp {printable(str(response))} is not a file; give the response of the authority")
    try:
        if authority is not None:
            authorities(authority)
    except NotAKey as error:
        raise ConfigError(f"--timestamp-ca {printable(str(authority))} {error}") from None
    try:
        found = verify(folder, key, authority, response)
    except NotAKey as error:
        raise ConfigError(f"--public-key {printable(str(key))} {error}") from None
    name = printable(str(folder))
    if found.wrong:
        print(f"not proven: {name} does not prove what it says.")
        for line in found.wrong[:_SHOWN]:
            print(f"  {line}")
        if len(found.wrong) > _SHOWN:
            print(f"  and {len(found.wrong) - _SHOWN} more")
    elif found.maker is not None:
        held = "the digests, the recording in itself" + (", the signature of the given key" if key else "")
        held += ", the time of the authority" if found.dated else ""
        print(f"{name} was made by {found.maker}, which this one ({VERSION}) cannot prove: verify it with that one.")
        print(f"What does not depend on its rules holds: {held}.")
    else:
        signed = "and the signature is that of the given key" if key else "but not who made it (give --public-key)"
        print(f"proven: the verdicts in {name} follow from its recording, every file matches it, {signed}.")
    if found.dated is not None:
        print(f"dated: {found.dated}.")
    if found.stream is not None:
        told = list(_claims(found.stream, found.result))
        print("\n".join(["It says of the run:", *(f"  {printable(what):<9} {text}" for what, text in told)]))
    if not found.wrong:
        left = _unproven(signed=key is not None, dated=found.dated is not None)
        print("It does not prove:", *(f"  {line}" for line in left), sep="\n")
    for note in found.notes:
        print(note)
    if found.wrong:
        return int(Exit.FAILS)
    return int(Exit.OTHER_VERSION if found.maker is not None else Exit.HOLDS)


_WHO = "who made it: anybody who can write the folder can make up a whole run; a signature says who answers for it"
_WHEN = "when it was: the times are those of a clock that its owner sets; a time stamp says when it existed"
_ALWAYS_UNPROVEN = (
    "that this is what the server answered: it proves what follows from the recording, if the recording is true",
    "that there was no other run: one that failed may have been left out",
    "whose server it was, and what ran there: URL, labels and artifact are as the operator gave them",
)


def _unproven(*, signed: bool, dated: bool) -> list[str]:
    """What remains unproven if it is signed or dated."""
    when = "when it was made: the authority only says that all of it existed at that time" if dated else _WHEN
    return [*([] if signed else [_WHO]), *_ALWAYS_UNPROVEN, when]


def _claims(stream: Stream, result: Result | None) -> Iterator[tuple[str, str]]:
    """What a run says of itself, by what it is about."""
    head, settings, waivers = stream.head, stream.head.settings, stream.waivers
    if result is not None:
        yield "verdict", headline(result)
    targets: Sequence[TargetInfo | TargetSettings] = result.targets if result is not None else head.targets
    for number, target in enumerate(targets[:_NAMED], 1):
        may = "POST was permitted" if target.writes else "only reading was permitted"
        key = getattr(target, "key", None)
        plan = f", plan {printable(target.plan)}" if target.plan else ", no plan given"
        spent = ", the quota could be used up" if target.exhaust else ""
        named = f"{printable(target.name)} at {printable(target.base_url)}"
        yield f"target {number}", f"{named}, {f'key {printable(key)}' if key else 'no key'}{plan}; {may}{spent}"
    if len(targets) > _NAMED:
        yield "targets", f"and {len(targets) - _NAMED:,} more"
    for what, value in tested(settings):
        yield what, printable(value)
    older_set = settings.requirements_as_of
    by = f", by the requirements of {printable(older_set)}" if older_set else ""
    yield "day", f"judged as on {head.as_of}{by}; made from {timestamp(head.started)} to {timestamp(stream.finished)}"
    yield "chosen", "everything" if settings.choice is None else comma_list(settings.choice, _NAMED) or "nothing"
    accepted = [f"{each.requirement} on {each.target} until {each.expires} ({each.reason})" for each in waivers]
    yield "waived", comma_list(accepted, _NAMED) or "nothing"
    yield (
        "budget",
        f"at most {plural(settings.max_requests, 'request')} to a target, {settings.max_wait:g} s in one wait, "
        f"seed {head.seed}",
    )
    yield (
        "options",
        comma_list([_told(*one) for one in head.options.items() if one[0] not in _SHOWN_ABOVE], _SHOWN) or "none",
    )


def _told(name: str, value: object) -> str:
    """An option of the run; one without a value, or for all targets, is only named."""
    if value in (True, EVERY_TARGET, [EVERY_TARGET]):
        return name
    return ", ".join(f"{name} {one}" for one in (value if isinstance(value, list) else [value]))
