"""The four operations as methods; identical GETs are sent once and shared between checks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from petcheck.call import Call, Credential, Members, new_pet_call, page_call
from petcheck.errors import OperationSilent
from petcheck.exchange import Exchange
from petcheck.spec.operations import Operation
from petcheck.wire.tally import stays_silent
from petcheck.wire.transport import Transport


@dataclass
class Api:
    """Calls the operations of one target through its transport."""

    transport: Transport
    _shared: dict[Call, Exchange] = field(default_factory=dict)
    _silent: dict[Call, str] = field(default_factory=dict)

    def list_pets(
        self,
        *,
        limit: int | str | None = None,
        status: str | None = None,
        credential: Credential = Credential.VALID,
        fresh: bool = False,
    ) -> Exchange:
        """`GET /pets` (section 4.1)."""
        return self.call(page_call(limit, status, credential), fresh=fresh)

    def get_pet(self, pet_id: int | str) -> Exchange:
        """`GET /pets/{petId}` (section 4.3)."""
        return self.call(Call(Operation.GET_PET, pet_id=str(pet_id)))

    def store_orders(self, *, credential: Credential = Credential.VALID) -> Exchange:
        """`GET /store/orders` (section 4.4)."""
        return self.call(Call(Operation.STORE_ORDERS, credential))

    def create_pet(self, body: Members) -> Exchange:
        """`POST /pets` (section 4.2). The same call is sent once in a run, since what a POST creates stays."""
        return self.call(new_pet_call(body))

    def call(self, call: Call, *, fresh: bool = False) -> Exchange:
        """Send a call, or return the exchange of the same earlier call unless `fresh`. Raises `NotSent`.

        One that was sent without an answer that counts is not sent again for another check, either.
        """
        if fresh or call not in self._shared:
            if not fresh and call in self._silent:
                raise OperationSilent(self._silent[call])
            sent = len(self.transport.recorded)
            try:
                self._shared[call] = self.transport.send(call)
            except OperationSilent as silence:
                if len(self.transport.recorded) > sent:
                    self._silent[call] = silence.reason
                raise
        return self._shared[call]

    def ask_together(self, calls: Sequence[Call]) -> list[Exchange | None]:
        """Send calls at the same time, if the target and the run allow it; the exchange of each, None without one.

        A call that has its own form here is the same call for what asks for it later.
        """
        before = len(self.transport.recorded)
        answers = self.transport.send_together(calls)
        sent = {replace(call, form=None): one for call, one in zip(calls, answers, strict=True)}
        self._shared |= {call: one for call, one in sent.items() if one is not None}
        tried = {one.request.call: one for one in self.transport.recorded[before:]}
        silent = (call for call, one in sent.items() if one is None and call in tried and stays_silent(tried[call]))
        self._silent |= {call: f"{call.operation} did not answer." for call in silent}
        return answers

    def sample(self, call: Call) -> Exchange:
        """Send a call that no check repeats, or return the exchange of the same earlier call. Raises `NotSent`."""
        return self._shared[call] if call in self._shared else self.transport.send(call)

    def answer_to(self, call: Call) -> Exchange | None:
        """The exchange that checks share for a call; None without one."""
        return self._shared.get(call)

    def last_of(self, call: Call) -> Exchange | None:
        """The last exchange of a call for checks, answered or not; None if it was not sent."""
        answer = self.answer_to(call)
        if call not in self._silent:
            return answer
        return next((one for one in reversed(self.transport.recorded) if one.request.call == call), answer)

    def known(self, call: Call) -> bool:
        """Whether the same call was sent for a check before, answered or not."""
        return call in self._shared or call in self._silent
