"""Forms of a request that mean the same."""

from __future__ import annotations

import json

import pytest

from petcheck.call import ALIKE, FORMS_OF_JSON, Call, Credential, Form, page_call
from petcheck.exchange import Exchange
from petcheck.plan.forms import Forms, fits, spelled
from petcheck.spec.operations import Operation
from tests.support.exchanges import exchange

BODY = b'{"name": "a/b \\"x", "categoryId": 7, "status": "sold"}'
POST = Call(Operation.CREATE_PET, body=BODY)


def test_the_first_request_of_an_operation_is_plain_and_every_other_one_differs() -> None:
    forms = Forms("7")
    drawn = [forms.formed(page_call(5, "sold")).form for _ in range(20)]
    assert drawn[::2] == [Form.PLAIN] * 10
    assert set(drawn[1::2]) == set(ALIKE) - FORMS_OF_JSON
    assert {Forms(str(seed)).formed(POST).form for seed in range(9)} == {Form.PLAIN}


def test_a_form_in_which_a_valid_key_was_refused_is_not_drawn_again() -> None:
    forms = Forms("7")
    recorded: list[Exchange] = []
    for index in range(40):
        call = forms.formed(page_call(5, "sold"), recorded)
        form = call.form or Form.PLAIN
        status = 401 if form is Form.LOWER else 200
        recorded.append(exchange(Operation.LIST_PETS, status, [], form=form, index=index))
    drawn = [one.request.form for one in recorded]
    assert drawn.count(Form.LOWER) == 1
    assert drawn.count(Form.UPPER) > 1
    keyless = exchange(Operation.LIST_PETS, 401, {}, form=Form.UPPER, credential=Credential.MISSING)
    assert forms.formed(page_call(5), [*recorded, keyless]).form is Form.PLAIN
    assert Form.UPPER in {forms.formed(page_call(5), [*recorded, keyless]).form for _ in range(20)}


def test_a_named_form_is_kept_and_takes_no_turn() -> None:
    forms = Forms("7")
    asked = page_call(5, "sold")
    turned = forms.formed(Call(Operation.LIST_PETS, query=asked.query, form=Form.TURNED))
    assert turned.query == asked.query[::-1]
    assert forms.formed(asked).form is Form.PLAIN


@pytest.mark.parametrize("form", [Form.SPACED, Form.ESCAPED, Form.BACKWARDS])
def test_json_in_another_form_means_the_same(form: Form) -> None:
    assert fits(form, POST)
    body = spelled(POST, form).body
    assert body is not None
    assert body != BODY
    assert json.loads(body) == json.loads(BODY)


@pytest.mark.parametrize(
    "body",
    [
        None,
        b"",
        b"null",
        b"[1, 2]",
        b'{"name": "Rex"}',
        b'{"name": "Rex", "name": "Tex"}',
        b'{"name": "Rex", "categoryId": 1.5}',
        b'{"name":"Rex", "categoryId": 1}',
        b'{"name": "\\ud800", "categoryId": 1}',
        b'{"name": "Rex", "a": {"b": 1}}',
        json.dumps({"name": "x" * 900, "categoryId": 1}).encode(),
        # what may be refused in the plain form, too
        '{"name": "é", "categoryId": 1}'.encode(),
        b'{"name": "Rex", "categoryId": 9223372036854775807}',
        b'{"name": 7, "categoryId": 1}',
    ],
)
def test_a_body_that_is_not_plain_keeps_its_bytes(body: bytes | None) -> None:
    assert not any(fits(form, Call(Operation.CREATE_PET, body=body)) for form in FORMS_OF_JSON)


def test_only_different_parameters_have_another_order() -> None:
    assert not fits(Form.TURNED, page_call(5))
    assert not fits(Form.AS_TEXT, page_call(5))
    assert not fits(Form.TURNED, Call(Operation.LIST_PETS, query=(("limit", "5"), ("limit", "7"))))


@pytest.mark.parametrize("form", Form)
def test_a_request_gives_its_call_without_its_form(form: Form) -> None:
    calls = (page_call(5, "sold", Credential.EMPTY), POST, Call(Operation.GET_PET, pet_id="é/7"))
    for call in calls:
        if fits(form, call):
            sent = spelled(call, form)
            made = exchange(call.operation, path=sent.path, asked=sent.body, credential=call.credential, form=form)
            assert made.request.call == call
