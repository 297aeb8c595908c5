"""How each request of a run is spelled: about half of them in the plain form, the others in one of those that mean the
same (RFC 9110, sections 5.1 and 12.5.1; RFC 8259, sections 2 and 7). The seed draws their order. Pure.
"""

from __future__ import annotations

import json
import random
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from petcheck.call import ALIKE, FORMS_OF_JSON, Call, Form
from petcheck.exchange import Exchange
from petcheck.json_values import parse
from petcheck.judging.request_bodies import Due, asked_for
from petcheck.plan.together import Kind, kind_of
from petcheck.spec.operations import Operation

_SMALL = 2**31 - 1
_LONGEST = 900  # bytes of a body that another spelling must not make too long


@dataclass
class Forms:
    """Chooses the form of each request; the same seed, requests and refusals make the same choice.

    A form in which a valid key was refused is not drawn again: that it is refused is seen, and it would hide the rest.
    """

    seed: str
    _refused: set[Form] = field(default_factory=set)
    _heard: int = 0
    _sent: dict[Kind, int] = field(default_factory=dict)
    _turns: dict[Kind, deque[Form]] = field(default_factory=dict)

    def formed(self, call: Call, recorded: Sequence[Exchange] = ()) -> Call:
        """The call in the form that it names, otherwise in the one whose turn it is: the longest unused that it has.

        `recorded` are the exchanges of the run so far, in order.
        """
        heard, self._heard = recorded[self._heard :], len(recorded)
        self._refused.update(one.request.form for one in heard if one.request.has_valid_key and one.status == 401)
        if call.form is not None:
            return spelled(call, call.form)
        # a server may mind a form only where it serves the request
        kind = kind_of(call)
        sent = self._sent.get(kind, 0)
        self._sent[kind] = sent + 1
        turns = self._turns.setdefault(kind, deque(self.drawn(call.operation)))
        form = next((form for form in turns if fits(form, call) and form not in self._refused), None)
        # few bodies have a form of JSON
        if form is None or sent == 0 or (sent % 2 == 0 and form not in FORMS_OF_JSON):
            return replace(call, form=Form.PLAIN)
        turns.remove(form)
        turns.append(form)
        return spelled(call, form)

    def drawn(self, operation: Operation) -> list[Form]:
        """The forms other than the plain one, in the order in which requests to an operation take them."""
        drawn = random.Random(f"{self.seed}/forms/{operation.value}")  # noqa: S311 - repeatable, not secret
        forms = drawn.sample(ALIKE, len(ALIKE))
        return sorted(forms, key=lambda form: form not in FORMS_OF_JSON)  # few bodies have those


def forms_for(seed: int, target: str) -> Forms:
    """The forms of a run's requests to a target."""
    return Forms(f"{seed}/{target}")


def fits(form: Form, call: Call) -> bool:
    """Whether a call has that form: only some have parameters to turn round, a body, or an animal as plain JSON."""
    if form is Form.TURNED:
        return len({name for name, _ in call.query}) == len(call.query) > 1
    if form is Form.AS_TEXT:
        return call.body is not None
    return form not in FORMS_OF_JSON or _is_plain_json(call.body)


def _is_plain_json(body: bytes | None) -> bool:
    """Whether a body is a NewPet that must be accepted, as `json.dumps` writes it.

    If it may be refused, nobody can tell whether the form is why. A small category is taken for one that exists.
    """
    if body is None or len(body) > _LONGEST or not isinstance(value := parse(body).value, dict):
        return False
    category = value.get("categoryId")
    known = {category} if isinstance(category, int) and abs(category) <= _SMALL else set()
    if asked_for(body, known).due is not Due.CREATED:
        return False
    return json.dumps(value, ensure_ascii=False).encode("utf-8", "replace") == body


def spelled(call: Call, form: Form) -> Call:
    """A call in a form that fits it. The sender spells header names and connects."""
    if form is Form.TURNED:
        return replace(call, form=form, query=call.query[::-1])
    if form not in FORMS_OF_JSON:
        return replace(call, form=form)
    value = json.loads(call.body or b"{}")
    if form is Form.SPACED:
        text = "\n" + json.dumps(value, ensure_ascii=False, indent="\t", separators=(" ,", " :  ")) + "\r\n "
    elif form is Form.BACKWARDS:
        text = json.dumps(dict(reversed(value.items())), ensure_ascii=False)
    else:
        text = "{" + ", ".join(f"{_escaped(name)}: {_escaped(one)}" for name, one in value.items()) + "}"
    return replace(call, form=form, body=text.encode())


def _escaped(value: object) -> str:
    """A JSON text with an escape for the first character of a string, and for each of its slashes."""
    if not isinstance(value, str) or not value or not value[0].isascii() or value[0] in '"\\' or value[0] < " ":
        return json.dumps(value, ensure_ascii=False)
    rest = json.dumps(value[1:], ensure_ascii=False)[1:].replace("/", "\\/")
    return f'"\\u{ord(value[0]):04x}{rest}'
