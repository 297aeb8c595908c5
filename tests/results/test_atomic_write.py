"""Files are written as their paths ask for: regular files atomically, all else as it is."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from petcheck.results import atomic_write
from petcheck.results.atomic_write import is_standard_output, write
from tests.support.command import environment


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def broken() -> Iterator[str]:
    yield "half"
    raise ValueError("no more")


def test_a_new_file(tmp_path: Path) -> None:
    write(tmp_path / "page", ["one ", "\udc80two\n"])
    assert (tmp_path / "page").read_bytes() == b"one \\udc80two\n"
    assert names(tmp_path) == ["page"]


def test_an_older_file_is_replaced_whole_and_keeps_its_permissions(tmp_path: Path) -> None:
    page = tmp_path / "page"
    page.write_text("older")
    page.chmod(0o640)
    with page.open() as reader:
        write(page, "newer")
        assert reader.read() == "older"
    assert (page.read_text(), stat.S_IMODE(page.stat().st_mode)) == ("newer", 0o640)


def test_on_an_error_nothing_is_written(tmp_path: Path) -> None:
    page = tmp_path / "page"
    page.write_text("older")
    with pytest.raises(ValueError, match="no more"):
        write(page, broken())
    assert (page.read_text(), names(tmp_path)) == ("older", ["page"])


@pytest.mark.parametrize("there", [True, False], ids=["to a file", "to nothing"])
def test_a_link_stays_and_what_it_leads_to_is_written(tmp_path: Path, there: bool) -> None:
    (tmp_path / "far").mkdir()
    far = tmp_path / "far" / "page"
    if there:
        far.write_text("older")
    (tmp_path / "link").symlink_to("far/page")
    (tmp_path / "page").symlink_to("link")
    write(tmp_path / "page", "newer")
    assert far.read_text() == "newer"
    assert (tmp_path / "page").is_symlink()
    assert (tmp_path / "link").is_symlink()
    assert names(tmp_path / "far") == ["page"]


def test_a_link_to_itself_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "page").symlink_to("page")
    with pytest.raises(OSError, match="symbolic links"):
        write(tmp_path / "page", "x")
    assert names(tmp_path) == ["page"]


def test_a_device_stays_one(tmp_path: Path) -> None:
    before = Path(os.devnull).stat()
    (tmp_path / "null").symlink_to(os.devnull)
    write(Path(os.devnull), "x")
    write(tmp_path / "null", "x")
    assert os.path.samestat(Path(os.devnull).stat(), before)
    assert stat.S_ISCHR(before.st_mode)
    with pytest.raises(OSError, match="No space left"):
        write(Path("/dev/full"), "x")


def test_a_pipe_gets_the_bytes(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    got: list[bytes] = []
    reader = threading.Thread(target=lambda: got.append(pipe.read_bytes()))
    reader.start()
    write(pipe, "through\n")
    reader.join(10)
    assert got == [b"through\n"]
    assert pipe.is_fifo()


def test_a_folder_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(IsADirectoryError):
        write(tmp_path, "x")


@pytest.mark.parametrize("name", ["-", "/dev/stdout", "/dev/fd/1", "out"])
def test_standard_output_by_any_name(tmp_path: Path, name: str) -> None:
    code = (
        "import sys; from pathlib import Path; from petcheck.results.atomic_write import write\n"
        f"print('before'); write(Path({name!r}), ['pa', 'ge\\n']); print('after')"
    )
    with (tmp_path / "out").open("wb") as out:
        subprocess.run([sys.executable, "-c", code], cwd=tmp_path, env=environment(), stdout=out, check=True)
    assert (tmp_path / "out").read_text() == "before\npage\nafter\n"
    assert names(tmp_path) == ["out"]


def test_another_file_is_not_standard_output(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert not is_standard_output(tmp_path / "page")
    assert not is_standard_output(tmp_path)
    assert is_standard_output(Path(atomic_write.STANDARD_OUTPUT))
