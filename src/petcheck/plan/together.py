"""Requests that a run sends at the same time: which of those that it sends anyway, and how they are mixed. Pure.

A burst replaces the same requests one after the other, so it costs nothing. Races show in it: two animals with one id,
an answer that belongs to another request, a count that covers too little.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from itertools import pairwise

from petcheck.call import Call, Credential
from petcheck.json_values import parse
from petcheck.judging.decision import Record
from petcheck.judging.request_bodies import Due, asked_for
from petcheck.spec.operations import Operation
from petcheck.stream.lines import CONNECTIONS

_READING = 4  # requests at the same time
_BESIDE = 2  # pages that are requested beside one again
Kind = tuple[Operation, bool, bool]
"""An operation, whether the key is valid, and whether the body must be refused."""


def connections(allowed: int, *, writes: bool) -> int:
    """How many requests a run may have under way at the same time, if `allowed` is the value of `--connections`."""
    return min(allowed, CONNECTIONS if writes else _READING)


def kind_of(call: Call) -> Kind:
    """The kind of a request: one of each is answered alone before others are part of a burst."""
    refused = call.operation is Operation.CREATE_PET and asked_for(call.body, ()).due is Due.REFUSED
    return call.operation, call.credential is Credential.VALID, refused


def may_end_a_server(call: Call) -> bool:
    """Whether careless code may end on a request, with a key or a value of a kind that it does not expect.

    Nothing else is under way beside it, so that it is known which request a server ended on.
    """
    if call.credential in _ODD_KEYS:
        return True
    asked = asked_for(call.body, ())
    if call.operation is not Operation.CREATE_PET or asked.due is not Due.REFUSED:
        return False
    pet = parse(call.body or b"").value
    status = pet.get("status", "") if isinstance(pet, dict) else ""
    return asked.requirement in _OF_ANOTHER_TYPE or not isinstance(status, str)


_ODD_KEYS = (Credential.EVERY_OBJECT, Credential.BEYOND_ASCII)
_OF_ANOTHER_TYPE = ("CREATE-5", "CREATE-7", "CREATE-8")


def pages_beside(call: Call, record: Record) -> list[Call]:
    """The pages, at most two, that were requested beside a page the last time that it was: its answer may be theirs."""
    last = next((one for one in reversed(record) if one.request.call == call), None)
    if call.operation is not Operation.LIST_PETS or last is None or last.burst is None:
        return []
    others = (one.request.call for one in record if one.burst == last.burst)
    pages = dict.fromkeys(one for one in others if one.operation is Operation.LIST_PETS and one != call)
    valid = [one for one in pages if one.credential is Credential.VALID]
    # a server that mixes requests up mixes those that share a parameter
    return sorted(valid, key=lambda one: not {*one.query} & {*call.query})[:_BESIDE]


def first_of_each_kind(calls: Iterable[Call], record: Record) -> tuple[Call, ...]:
    """The calls that must be sent alone first, as no request of their kind has been answered alone."""
    known = {kind_of(one.request.call) for one in record if one.burst is None}
    firsts: dict[Kind, Call] = {}
    for call in calls:
        firsts.setdefault(kind_of(call), call)
    return tuple(call for kind, call in firsts.items() if kind not in known)


def mixed(calls: Iterable[Call], size: int) -> list[list[Call]]:
    """Bursts of at most `size`, about equally long: neighbours stay together, and each has some of the invalid keys."""
    valid: list[Call] = []
    invalid: list[Call] = []
    for call in calls:
        (valid if call.credential is Credential.VALID else invalid).append(call)
    number = math.ceil((len(valid) + len(invalid)) / size)
    first = _parts(valid, number)
    # the bursts that have fewer valid ones come first here
    return [one + other for one, other in zip(first, reversed(_parts(invalid, number)), strict=True)]


def _parts(calls: list[Call], number: int) -> list[list[Call]]:
    """That many slices, the longer ones first."""
    least, more = divmod(len(calls), number) if number else (0, 0)
    ends = [least * place + min(place, more) for place in range(number + 1)]
    return [calls[begin:end] for begin, end in pairwise(ends)]
