"""How a page is made: templates whose every expression is made visible and escaped, and one style sheet by its hash.

A page is one file without script or any outside resource, forbidden both by its own Content-Security-Policy. Every
string is made visible and then escaped by the template engine's own hooks, so no place in a template can forget it.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from petcheck.reports import digest, marked
from petcheck.reports.visible import BODY_LIMIT, FIELD_LIMIT, REASON_LIMIT, visible

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup

_OPTION = re.compile(r"--[a-z][a-z-]{1,24}(?: \d{1,19})?")
_TEMPLATES = Path(__file__).parent / "templates"


def page(template: str, sheet: str, rules: str = "", **values: Any) -> str:
    """The page that `template` makes of `values`.

    Its style is what all pages share, then the file `sheet`, then `rules`; the template gets it as `style`, and its
    digest for the Content-Security-Policy as `style_hash`.
    """
    style = "".join((_TEMPLATES / name).read_text("utf-8") for name in ("page.css", sheet)) + rules
    made = (
        environment()
        .get_template(template)
        .render(
            style=markup(style), style_hash=base64.b64encode(hashlib.sha256(style.encode()).digest()).decode(), **values
        )
    )
    return made.strip() + "\n"


@cache
def environment() -> Environment:
    """The template engine with our filters: `field`, `reason`, `body`, `statement`, `headers` and others."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    made = Environment(
        loader=FileSystemLoader(_TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_harmless,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters |= {
        "field": _field,
        "reason": _reason,
        "body": _body,
        "statement": _statement,
        "headers": _headers,
        "slug": slug,
        "milliseconds": digest.milliseconds,
        "plural": digest.plural,
    }
    made.globals |= {"limits": {"body": BODY_LIMIT, "field": FIELD_LIMIT}}
    return made


def slug(section: str) -> str:
    """A section number fit for an identifier, in the page and in the style sheet."""
    return re.sub("[^0-9A-Za-z]+", "-", section)


def markup(text: str) -> Markup:
    """`text`, which is markup of ours, as what is not escaped again."""
    from markupsafe import Markup

    return Markup(text)


def escaped(text: str) -> Markup:
    """`text` with its markup escaped."""
    from markupsafe import escape

    return escape(text)


def _harmless(value: Any) -> Any:
    """What every expression of a template passes through: strings become visible, markup of ours stays."""
    if isinstance(value, str) and not hasattr(value, "__html__"):
        return visible(value, len(value))
    return value


def _field(text: str) -> str:
    return visible(text, FIELD_LIMIT, whole_in="result.json")


def _reason(text: str) -> str:
    return visible(text, REASON_LIMIT, whole_in="result.json")


def _body(body: bytes, part: str = "") -> Markup:
    return _pieces(marked.body(body, part))


def _headers(headers: Sequence[tuple[str, str]], part: str = "") -> Markup:
    return _pieces(marked.headers(headers, part))


def _pieces(pieces: Iterable[marked.Piece]) -> Markup:
    """The pieces one after the other, what decides as `mark`."""
    texts = (markup(f"<mark>{escaped(p.text)}</mark>") if p.decides else escaped(p.text) for p in pieces)
    return markup("").join(texts)


def _statement(text: str) -> Markup:
    """A sentence of the catalogue, or a reason, whose backticks mark code. An option in it is not broken in two."""
    parts = visible(text, REASON_LIMIT, whole_in="result.json").split("`")
    if len(parts) % 2 == 0:
        return _prose("`".join(parts))
    code = (markup(f"<code>{escaped(part)}</code>") if index % 2 else _prose(part) for index, part in enumerate(parts))
    return markup("").join(code)


def _prose(text: str) -> Markup:
    return markup(_OPTION.sub(r'<span class="option">\g<0></span>', str(escaped(text))))
