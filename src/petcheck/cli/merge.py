"""`petcheck merge`: merges the reports of several runs, such as shards, into those of one run."""

from __future__ import annotations

from pathlib import Path

from petcheck.cli.output import look
from petcheck.cli.parser import Parser
from petcheck.config import values
from petcheck.config.urls import authority_url
from petcheck.errors import ConfigError
from petcheck.runner.merge import merge
from petcheck.runner.start import witnesses_of
from petcheck.runner.written import show

PARSER = Parser(
    "merge",
    usage="petcheck merge DIR… [-o DIR] [-q] [--sign-key FILE] [--timestamp-url URL]",
    description="Merge the reports of several runs, such as the shards of one run, into one report. "
    "Nothing is sent. The reports of each target are copied unchanged.",
    epilog="Exit: like that of one run over all targets; 2 also if a shard is missing, 4 if the folders are not "
    "of one run.",
)
PARSER.add_argument("folders", nargs="*", metavar="DIR", help="a folder of reports")
PARSER.add_argument("-o", "--output", metavar="DIR", default="reports", help="folder for the merged reports (reports/)")
PARSER.add_argument("-q", "--quiet", action="store_true", help="one line: the verdict and where the report is")
PARSER.add_argument("--sign-key", metavar="FILE", help="sign the merged reports with this Ed25519 private key")
PARSER.add_argument("--timestamp-url", metavar="URL", help="have an RFC 3161 authority date the merged reports")


def main(argv: list[str]) -> int:
    """Merge folders of reports; returns the exit code."""
    options = PARSER.parse(argv)
    if not options.folders:
        raise ConfigError("name the folders of reports: petcheck merge shard-1/ shard-2/ -o reports/")
    folders = [Path(folder) for folder in options.folders]
    key = None if options.sign_key is None else Path(options.sign_key)
    given = options.timestamp_url
    url = None if given is None else authority_url(given, "--timestamp-url")
    witnesses = witnesses_of(key, url)
    end = merge(folders, values.folder(options.output, "-o"), witnesses)
    show(end, options.output, look(), quiet=options.quiet)
    return end.code
