"""A new option needs three lines in one file, as docs/adding-an-option.md shows them: then it works everywhere."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from petcheck.spec.files import suite_root

PAGE = (suite_root() / "docs" / "adding-an-option.md").read_text("utf-8")
FIELD, ROW, ARGUMENT = re.findall(r"```python\n(.*)\n```", PAGE)
# the end of a line in options.py that each block follows
PLACES = {
    "timeout: float = DEADLINE_S\n": FIELD,
    "timeout: float\n": ARGUMENT,
    "ALLOWED, _least(least=1)),\n": f"{ROW},",
}
PROGRAM = """
import datetime, pathlib, sys
from petcheck.cli.run import read_options, run_parser
from petcheck.config.load import configure
from petcheck.config.options import given_options
from petcheck.embed.process import _by_flag

def waits(options):
    return configure(options, {}, today=datetime.date(2030, 1, 1), seed=1).first_wait

print(waits(given_options(read_options([]))), waits(given_options(read_options(["--first-wait=2.5"]))))
print(waits(_by_flag({"first_wait": 3})))
pathlib.Path("petcheck.toml").write_text("[defaults]\\nfirst-wait = 4")
print(waits({"self-test": True}))
run_parser().print_help()
read_options(["--first-wai", "3"])
"""


def test_it_is_an_option_everywhere(tmp_path: Path) -> None:
    shutil.copytree(suite_root() / "src", tmp_path / "src", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(suite_root() / "requirements.yaml", tmp_path)
    table = tmp_path / "src/petcheck/config/options.py"
    text = table.read_text("utf-8")
    for place, block in PLACES.items():
        assert place in text
        text = text.replace(place, f"{place}    {block}\n", 1)
    table.write_text(text, encoding="utf-8")
    environment = {**os.environ, "PYTHONPATH": str(tmp_path / "src")}
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )
    assert done.stdout.splitlines()[:3] == ["5.0 2.5", "3.0", "4.0"], done.stderr
    assert re.search(r"^  --first-wait S +seconds until the first answer \(5\)$", done.stdout, flags=re.MULTILINE)
    assert done.stderr == "petcheck: unknown option --first-wai; did you mean --first-wait?\n"
