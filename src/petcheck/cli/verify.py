"""`petcheck verify`: does a folder of reports prove what it says?"""

from __future__ import annotations

from pathlib import Path

from petcheck.cli.parser import Parser, fail
from petcheck.errors import NotAKey, NotARun
from petcheck.evidence.verify import verify
from petcheck.results.totals import headline
from petcheck.sanitize import printable
from petcheck.spec.outcomes import Exit

_SHOWN = 40  # lines of what differs

PARSER = Parser(
    "verify",
    usage="petcheck verify DIR [--public-key FILE]",
    description="Check offline that a folder of reports proves what it says: that no file was changed, that the "
    "verdicts follow from the recording, and, with a public key, who made it.",
    epilog="Exit: 0 proven, 1 not proven, 4 not a folder of reports.",
)
PARSER.add_argument("folders", nargs="*", metavar="DIR", help="a folder of reports")
PARSER.add_argument("--public-key", metavar="FILE", help="the Ed25519 key that signed it, in PEM")


def main(argv: list[str]) -> int:
    """Verify a folder of reports; returns the exit code."""
    options = PARSER.parse(argv)
    if len(options.folders) != 1:
        fail("verify: name one folder of reports: petcheck verify reports/")
    folder = Path(options.folders[0])
    key = Path(options.public_key) if options.public_key else None
    try:
        found = verify(folder, key)
    except NotARun as error:
        fail(f"verify: {error}")
    except NotAKey as error:
        fail(f"verify: --public-key {printable(str(key))} {error}")
    name = printable(str(folder))
    if found.wrong:
        print(f"not proven: {name} does not prove what it says.")
        for line in found.wrong[:_SHOWN]:
            print(f"  {line}")
        if len(found.wrong) > _SHOWN:
            print(f"  and {len(found.wrong) - _SHOWN} more")
    else:
        signed = "and the signature is that of the given key" if key else "but not who made it (give --public-key)"
        print(f"proven: the verdicts in {name} follow from its recording, no file was changed alone, {signed}.")
    if found.result is not None:
        run = found.result.run
        print(f"the run says: {headline(found.result)}")
        given = ", ".join(f"{printable(name)} {printable(str(value))}" for name, value in run.options.items()) or "none"
        print(f"it claims: made {printable(run.started)}, judged as on {run.as_of}, options: {given}")
    for note in found.notes:
        print(note)
    return int(Exit.FAILS if found.wrong else Exit.HOLDS)
