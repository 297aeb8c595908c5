"""Renders a page: one file without scripts or external resources; its Content-Security-Policy forbids both.

Hooks of the template engine sanitize and then escape every string, so that no template can forget it.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Callable, Iterable
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from markupsafe import Markup, escape

from petcheck.reports import exchange_text
from petcheck.results import totals
from petcheck.sanitize import BODY_LIMIT, FIELD_LIMIT, HEADER_LIMIT, printable, printable_reason
from petcheck.spec import sections
from petcheck.stream.typed import timestamp
from petcheck.words import plural

if TYPE_CHECKING:
    from jinja2 import Environment

_OPTION = re.compile(r"--[a-z][a-z-]{1,24}(?: \d{1,19})?")
_LISTED = 200  # entries of one kind that a page lists
_TEMPLATES = Path(__file__).parent / "templates"


def page(template: str, sheet: str, rules: str = "", **values: Any) -> str:
    """The page rendered from `template` with `values`.

    Its style is page.css, then the file `sheet`, then `rules`. The template gets it as `style`, and its digest for the
    Content-Security-Policy as `style_hash`.
    """
    style = "".join((_TEMPLATES / name).read_text("utf-8") for name in ("page.css", sheet)) + rules
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    made = environment().get_template(template).render(style=Markup(style), style_hash=digest, **values)
    return made.strip() + "\n"


def macro(name: str) -> Callable[..., Markup]:
    """The macro of that name, which is alone in its template."""
    found: Callable[..., Markup] = getattr(environment().get_template(f"{name}.html.jinja").module, name)
    return found


@cache
def environment() -> Environment:
    """The template engine with our filters: `field`, `reason`, `body`, `statement`, `headers` and others."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    from petcheck.reports.template_bytecode import TemplateBytecode

    made = Environment(
        bytecode_cache=TemplateBytecode(_TEMPLATES, settings=Path(__file__).read_bytes()),
        loader=FileSystemLoader(_TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_harmless,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters |= {
        "field": partial(printable_reason, limit=FIELD_LIMIT),
        "reason": printable_reason,
        "lines": lambda text: escape(printable(text, max(len(text), 1), lines=True)),
        "body": lambda body, part="": marked_up(exchange_text.body_pieces(body, part)),
        "statement": _statement,
        "headers": lambda headers, part="": marked_up(exchange_text.header_pieces(headers, part)),
        "answer": lambda exchange, part: marked_up(exchange_text.answer_pieces(exchange, part)),
        "pieces": marked_up,
        "differs": lambda line: any(piece.marked for piece in line),
        "slug": slug,
        "place": sections.place,
        "milliseconds": exchange_text.milliseconds,
        "lasting": exchange_text.lasting,
        "answered": exchange_text.status_or_error,
        "curl": exchange_text.curl_of,
        "timestamp": timestamp,
        "plural": plural,
    }
    limits = {"body": BODY_LIMIT, "field": FIELD_LIMIT, "headers": HEADER_LIMIT, "listed": _LISTED}
    made.globals |= {"limits": limits, "totals": totals, "title": sections.title}
    return made


def slug(section: str) -> str:
    """A section number as part of an identifier, in the page and in the style sheet."""
    return re.sub("[^0-9A-Za-z]+", "-", section)


def marked_up(pieces: Iterable[exchange_text.Marked]) -> Markup:
    """The pieces joined, with the marked ones in a `mark` element."""
    texts = (Markup(f"<mark>{escape(p.text)}</mark>") if p.marked else escape(p.text) for p in pieces)
    return Markup("").join(texts)


def _harmless(value: Any) -> Any:
    """The filter of every expression in a template: strings become printable, our own markup stays."""
    if isinstance(value, str) and not hasattr(value, "__html__"):
        return printable(value, len(value))
    return value


def _statement(text: str) -> Markup:
    """A statement or a reason, with backticks around code; a line never breaks inside an option."""
    parts = printable_reason(text).split("`")
    if len(parts) % 2 == 0:
        return _prose("`".join(parts))
    code = (Markup(f"<code>{escape(part)}</code>") if index % 2 else _prose(part) for index, part in enumerate(parts))
    return Markup("").join(code)


def _prose(text: str) -> Markup:
    return Markup(_OPTION.sub(r'<span class="option">\g<0></span>', str(escape(text))))
