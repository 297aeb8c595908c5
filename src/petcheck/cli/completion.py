"""`petcheck completion`: prints the completion of a shell, which `make generated` has written."""

from __future__ import annotations

from pathlib import Path

from petcheck.cli.parser import Parser
from petcheck.errors import ConfigError

FOLDER = Path(__file__).parent / "shell"
FILES = {"bash": "petcheck.bash", "zsh": "_petcheck", "fish": "petcheck.fish"}
MAN_PAGE = "petcheck.1"

PARSER = Parser(
    "completion",
    usage="petcheck completion bash|zsh|fish",
    description="Print the completion of a shell; load it in the shell's start-up file.",
    epilog='bash: eval "$(petcheck completion bash)"\n'
    'zsh:  eval "$(petcheck completion zsh)", after compinit\n'
    "fish: petcheck completion fish | source",
)
PARSER.add_argument("shell", nargs="?", metavar="SHELL", help=", ".join(FILES))


def main(argv: list[str]) -> int:
    """Print the completion of a shell; returns the exit code."""
    shell = PARSER.parse(argv).shell
    if shell not in FILES:
        raise ConfigError(f"name a shell: {', '.join(FILES)}")
    print((FOLDER / FILES[shell]).read_text(encoding="utf-8"), end="")
    return 0
