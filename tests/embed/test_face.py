"""The public names of `petcheck`."""

from __future__ import annotations

import re
import typing

import pytest

import petcheck
from tests.system.test_startup import imported


def test_each_public_name_is_there() -> None:
    assert dir(petcheck) == petcheck.__all__ == sorted(petcheck.__all__)
    lazy = [name for names in petcheck._PLACES.values() for name in names]
    assert sorted([*lazy, "__version__"]) == petcheck.__all__
    for name in lazy:
        assert getattr(petcheck, name).__doc__


def test_no_other_name_is() -> None:
    with pytest.raises(AttributeError, match="'nothing'"):
        _ = petcheck.nothing


def test_its_docstring_names_the_functions_and_errors() -> None:
    named = re.findall(r"\w+", str(petcheck.__doc__))
    assert set(petcheck.__all__) - {"__version__"} <= set(named)


def test_its_types_are_known_where_they_are_imported() -> None:
    assert typing.get_type_hints(petcheck.check)["return"] is petcheck.Result


def test_importing_it_imports_nothing_else() -> None:
    import sys

    assert imported("import petcheck") <= {"petcheck", "importlib", "typing", *sys.stdlib_module_names} | imported("")
