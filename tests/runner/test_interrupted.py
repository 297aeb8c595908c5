"""A signal that comes between two lines of the suite."""

from __future__ import annotations

import sys
import types
from contextlib import suppress

import pytest

from petcheck.runner.plugin import _Run


def between_two_lines() -> types.TracebackType:
    """A traceback whose last place has no line: one that Python's compiler has added."""
    with suppress(ValueError):
        raise KeyError
    raise AssertionError


def test_a_place_without_a_line_is_left_out_of_what_pytest_shows() -> None:
    frame = sys._getframe()
    code = between_two_lines.__code__
    [added, *_] = (start for start, _end, line in code.co_lines() if line is None)
    excinfo: pytest.ExceptionInfo[BaseException]
    try:
        between_two_lines()
    except KeyError as error:
        inner = error.__traceback__.tb_next  # type: ignore[union-attr]
        assert inner is not None
        last = types.TracebackType(None, inner.tb_frame, added, -1)
        error.__traceback__ = types.TracebackType(last, frame, 0, frame.f_lineno)
        excinfo = pytest.ExceptionInfo.from_exception(error)
    assert last.tb_lineno is None
    with pytest.raises(TypeError):
        excinfo.getrepr()
    run = object.__new__(_Run)
    run._screen, run._in_worker = None, False
    run.pytest_keyboard_interrupt(excinfo)
    assert "test_interrupted.py" in str(excinfo.getrepr())
