"""What a run prints at its end."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import pytest

from petcheck.exchange import Exchange
from petcheck.judging.cells import Coverage
from petcheck.judging.verdicts import AppliedWaiver
from petcheck.reports.terminal import one_line, render
from petcheck.results.deciding import by_index
from petcheck.results.findings import LeftAnimal, RequestCount
from petcheck.spec.operations import Operation
from petcheck.stream.lines import RunSettings
from tests.support import samples
from tests.support.streams import SETTINGS


def evidence_of(exchanges: tuple[Exchange, ...]) -> tuple[Exchange, ...]:
    return tuple(by_index(exchanges).values())


ANSWER = """\
  answer 200 [{"id": 1, "name": "\\u017dofie", "categoryId": 2, "status": "available"}, {"id": 2,
         "name": "Rex", "categoryId": 3, "status": "available"}, {"id": 3, "name": "Minka",
         "categoryId": 4, "status": "available"}, {"id": 4, "name": "S\\u00f8ren", …"""


def test_a_small_run() -> None:
    value = samples.result(
        samples.row(),
        samples.row("LIST-1", "pass", decisive=()),
        samples.row("CREATE-1", "not-run", section="4.2", settled_by="--allow-writes", exchanges=(), decisive=()),
        samples.row("LIST-8", "inconclusive", reason="No animal is listed; allow writes to make one."),
        samples.row("RATE-10", "not-run", section="8", in_force=False),
        targets=(
            samples.target(created=(LeftAnimal(131, "petcheck 1"), LeftAnimal(None, "petcheck 2")), waited_s=1.25),
        ),
    )
    text = render(value, evidence_of(samples.two_exchanges()), width=100, colour=False, folder="reports/")
    assert text == (
        "LIST-3 · section 4.1\n"
        "  rule   A page never holds more animals than `limit` asks for.\n"
        "  found  GET /pets?limit=5 returned 6 animals; section 4.1 allows at most 5.\n"
        f"{ANSWER}\n"
        "  send   curl -isS 'https://staging.pets.example/v1/pets?limit=5' "
        '-H "Authorization: Bearer $PETSTORE_API_KEY"\n'
        "\n"
        "not examined\n"
        "  add --allow-writes to judge 1: CREATE-1\n"
        "  LIST-8: No animal is listed; allow writes to make one.\n"
        "  n/a (not testable, or not in force): RATE-10\n"
        "\n"
        "sent: 2 requests (2 GET, 0 POST); waited 1.2 s\n"
        "left behind: up to 2 animals (id 131; 1 of unknown id); the interface cannot delete them\n"
        "petcheck 0.1.0, interface 1.0.0, judged as on 2026-11-21, seed 1\n"
        "\n"
        "staging  https://staging.pets.example/v1\n"
        "  §    section                     pass  fail  inconclusive  not-run  n/a\n"
        "  4.1  List all animals               1     1             1        ·    ·\n"
        "  4.2  Add an animal                  ·     ·             ·        1    ·\n"
        "  8    Limits                         ·     ·             ·        ·    1\n"
        "       all                            1     1             1        1    1\n"
        "\n"
        "staging does not conform: 1 of 4 requirements fails.\n"
        "  LIST-3: GET /pets?limit=5 returned 6 animals; section 4.1 allows at most 5.\n"
        "reports: reports/report.html, result.json, exchanges.har, junit.xml, summary.md\n"
        "next: petcheck explain LIST-3; add --failed to run only what failed"
    )


def test_the_passes_that_cover_the_smallest_shares_are_below_the_table() -> None:
    shares = {"AUTH-1": (4, 4), "AUTH-2": (9, 44), "AUTH-4": (6, 16), "LIST-3": (2, 20), "LIST-6": (8, 20)}
    rows = [samples.row(name, "pass", covered=Coverage("a × b", *share)) for name, share in shares.items()]
    rows.append(samples.row("GET-3", "pass", covered=Coverage("5 classes of id", 1, 5)))
    rows += [samples.row("CREATE-8", covered=Coverage("kinds of defect", 1, 6)), samples.row("LIST-5", "pass")]
    text = render(samples.result(*rows), (), width=80, colour=False, folder=None)
    least = text.partition("least covered: ")[2].partition("\n\n")[0]
    assert " ".join(least.split()) == "LIST-3 2 of 20 (a × b), GET-3 1 of 5 classes of id, AUTH-2 9 of 44 (a × b)"
    whole = render(samples.result(rows[0], rows[-1]), (), width=80, colour=False, folder=None)
    assert "least covered" not in whole


def test_what_a_post_before_it_may_have_spoiled_is_sent_after_that_post() -> None:
    post = samples.request("/pets", method="POST", body=b'{"name": "Rex"}', operation=Operation.CREATE_PET)
    bare = samples.response({}, 400, headers=())
    exchanges = (
        replace(samples.exchange(0, post, samples.response({}, 401)), connection=3),
        replace(samples.exchange(1, answer=bare), connection=3),
    )
    value = samples.result(samples.row(exchanges=(1,), decisive=(1,), parts=("status",), expected="200"))
    text = render(value, evidence_of(exchanges), width=100, colour=False, folder="reports")
    key = '-H "Authorization: Bearer $PETSTORE_API_KEY"'
    assert (
        f"  send   curl -isS 'https://staging.pets.example/v1/pets' -H 'Content-Type: application/json' {key} "
        '--data-raw \'{"name": "Rex"}\' --next '
        f"-isS 'https://staging.pets.example/v1/pets?limit=5' {key}\n"
    ) in text


def test_failures_of_one_cause_are_one_item() -> None:
    value, exchanges = samples.one_cause()
    text = render(value, evidence_of(exchanges), width=100, colour=False, folder="reports")
    assert text.startswith(
        "CREATE-5 to CREATE-7, CREATE-10 · POST /pets returns 422 where 400 is required\n"
        "  rule   CREATE-5: CREATE-5 is 400.\n"
        "  found  POST /pets: expected 400, got 422.\n"
        "  also   CREATE-10: POST /pets with null: expected 400, got 422.\n"
        '  answer 422 {"detail": "no"}\n'
        "  send   curl -isS 'https://staging.pets.example/v1/pets' "
    )
    assert text.endswith(
        "staging does not conform: 4 of 4 requirements fail.\n"
        "  CREATE-5 to CREATE-7, CREATE-10: POST /pets returns 422 where 400 is required\n"
        "reports: reports/report.html, result.json, exchanges.har, junit.xml, summary.md\n"
        "next: petcheck explain CREATE-5; add --failed to run only what failed"
    )


def test_several_causes_are_counted_and_the_one_that_clears_most_comes_next() -> None:
    value, exchanges = samples.one_cause()
    body = replace(exchanges[0], index=4, request=samples.request(), answer=samples.response(b"<p>"))
    html = replace(value.requirements[0], id="PET-1", expected="", exchanges=(4,), decisive=(4,), parts=("body",))
    text = render(
        replace(value, requirements=(html, *value.requirements)),
        evidence_of((*exchanges, body)), width=100, colour=False, folder="reports",
    )  # fmt: skip
    assert "staging does not conform: 5 of 5 requirements fail, from 2 causes.\n" in text
    assert text.endswith(
        "next: petcheck explain CREATE-5, whose cause breaks 4 requirements; add --failed to run only what\n"
        "      failed"
    )


@pytest.mark.parametrize("width", [20, 40, 60, 72, 80, 100, 200])
@pytest.mark.parametrize("targets", [1, 3])
def test_only_curl_lines_are_wider_than_the_terminal(width: int, targets: int) -> None:
    value, exchanges = samples.whole_run(targets=targets)
    text = render(value, evidence_of(exchanges), width=width, colour=False, folder="reports")
    wide = [line for line in text.splitlines() if len(line) > max(width, 40) and "curl" not in line]
    assert wide == []


def test_a_long_run_says_what_the_evidence_holds_and_how_to_repeat_it() -> None:
    value, exchanges = samples.deep_run()
    text = render(value, evidence_of(exchanges), width=200, colour=False, folder="r")
    assert "judged as on 2026-11-21, seed 41\n" in text
    assert "1,859 requests" in text


def test_the_simplest_example_comes_first() -> None:
    value, exchanges = samples.deep_run()
    text = render(value, evidence_of(exchanges), width=80, colour=False, folder="r")
    assert re.findall(r"pets\?limit=(\d+)&status=sold' ", text) == ["71"]


@pytest.mark.parametrize("width", range(40, 80))
def test_an_option_stays_beside_its_number(width: int) -> None:
    value = samples.result(samples.row(reason="GET /pets, answered 500. --seed 41 --examples 20 tries the same again."))
    text = render(value, (), width=width, colour=True, folder="r")
    assert "--seed 41" in text
    assert "--examples 20" in text
    assert "\u00a0" not in text


def test_colour_changes_no_text() -> None:
    value, exchanges = samples.whole_run()
    plain = render(value, evidence_of(exchanges), width=80, colour=False, folder="reports")
    coloured = render(value, evidence_of(exchanges), width=80, colour=True, folder="reports")
    assert "\x1b" not in plain
    assert re.sub(r"\x1b\[[0-9;]*m", "", coloured) == plain
    assert re.findall("\x1b\\[1;31m(\\w+) does not conform", coloured) == ["staging", "production"]


def test_hostile_text_reaches_the_terminal_as_text() -> None:
    value, exchanges = samples.hostile_run()
    text = render(value, evidence_of(exchanges), width=80, colour=False, folder="reports")
    text.encode("utf-8")
    assert text.replace("\n", "").isprintable()
    assert len(text) < 20_000


@pytest.mark.parametrize("width", [40, 80])
def test_no_line_is_a_ci_command(width: int) -> None:
    said = " ".join("x" * pad + " ::error::x ##vso[a.b]c ##[error]d ::set-env::" for pad in range(1, 60))
    value = samples.result(
        samples.row(reason=said),
        samples.row("LIST-4", "inconclusive", reason=said),
        samples.row("LIST-5", "error", reason=said),
        targets=(samples.target(unreachable=said),),
    )
    text = render(value, (), width=width, colour=False, folder="reports")
    assert [line for line in text.splitlines() if re.search(r"^\s*::|##\w*\[", line)] == []
    assert "\\u{3a}:error::x" in text


def test_an_unreachable_target_says_so_once() -> None:
    reason = "Nothing answers at https://staging.pets.example/v1: connection refused."
    value = samples.result(
        *(samples.row(f"LIST-{n}", "error", reason=reason, exchanges=(), decisive=()) for n in range(1, 9)),
        exit_code=6,
        targets=(samples.target(unreachable=reason),),
    )
    text = render(value, (), width=100, colour=False, folder="reports")
    assert text.startswith("sent: ")
    assert " ".join(text.split()).count(reason) == 1
    assert "staging  https://staging.pets.example/v1\n  nothing was judged\n" in text
    assert text.splitlines()[-2] == f"staging could not be tested: {reason}"


@pytest.mark.parametrize(
    ("rows", "changes", "line"),
    [
        (
            [("LIST-1", "pass"), ("LIST-3", "fail")],
            {"complete": False},
            "staging does not conform: 1 of 2 requirements fails. The run stopped early; the rest "
            "was not judged. (1 pass, 1 fail; 2 requests; seed 1)",
        ),
        ([("LIST-1", "pass")], {}, "staging conforms: the requirement holds. (1 pass; 2 requests; seed 1)"),
        (
            [("LIST-1", "pass"), ("LIST-3", "fail")],
            {},
            "staging does not conform: 1 of 2 requirements fails. (1 pass, 1 fail; 2 requests; seed 1)",
        ),
        (
            [("LIST-1", "pass"), ("LIST-2", "not-run"), ("LIST-3", "inconclusive")],
            {},
            "staging: 1 of 3 requirements examined, none fails. "
            "(1 pass, 1 inconclusive, 1 not-run; 2 requests; seed 1)",
        ),
        (
            [("LIST-1", "pass"), ("LIST-2", "not-run")],
            {"exit_code": 7},
            "staging: 1 of 2 requirements examined, none fails. "
            "Under --strict, requirements that were not examined fail the run: LIST-2. "
            "(1 pass, 1 not-run; 2 requests; seed 1)",
        ),
        (
            [("LIST-1", "pass"), ("LIST-2", "waived")],
            {},
            "staging: 2 of 2 requirements examined, 1 failure waived. (1 pass, 1 waived; 2 requests; seed 1)",
        ),
        (
            [("LIST-1", "pass"), ("LIST-2", "waived"), ("LIST-3", "not-run")],
            {
                "run": samples.run(
                    7, settings=RunSettings(9, 9.0, None, seed_given=False, strict=False, min_examined="90%")
                )
            },
            "staging: 2 of 3 requirements examined, 1 failure waived. "
            "--min-examined 90% is not reached: staging 2 of 3 examined. "
            "(1 pass, 1 not-run, 1 waived; 2 requests; seed 1)",
        ),
        ([("LIST-1", "not-run")], {}, "staging has no verdict: nothing was examined. (1 not-run; 2 requests; seed 1)"),
        (
            [("LIST-1", "pass"), ("LIST-2", "error")],
            {},
            "staging has no verdict: 1 of 2 requirements could not be judged. (1 pass, 1 error; 2 requests; seed 1)",
        ),
        (
            [("LIST-1", "pass")],
            {"complete": False, "exit_code": 2},
            "staging conforms: the requirement holds. The run was interrupted; the rest "
            "was not judged. (1 pass; 2 requests; seed 1)",
        ),
        ([], {"targets": (), "requirements": ()}, "Nothing was tested. (no verdicts; 0 requests; seed 1)"),
    ],
)
def test_the_verdict_in_one_line(rows: list[tuple[str, str]], changes: dict[str, object], line: str) -> None:
    value = samples.result(*(samples.row(name, outcome) for name, outcome in rows), **changes)  # type: ignore[arg-type]
    assert one_line(value, "reports/") == f"{line} reports/report.html"


def test_waivers_that_fail_the_run() -> None:
    stale = samples.row("LIST-1", "pass", waiver=AppliedWaiver("known", "2026-11-21"))
    expired = samples.row("LIST-2", "pass", waiver=AppliedWaiver("known", "2026-11-20"))
    assert one_line(samples.result(stale), "r") == (
        "staging conforms: the requirement holds. The run still fails: "
        "The waiver of LIST-1 on staging is stale: the requirement passes now. "
        "(1 pass; 2 requests; seed 1) r/report.html"
    )
    gap = samples.row("LIST-3", "pass", waiver=AppliedWaiver("known", "2026-11-22", gap=True))
    assert "The run still fails: stale or expired waivers and gaps: 2." in one_line(samples.result(stale, gap), "r")
    text = render(
        samples.result(stale, expired, samples.row(waiver=AppliedWaiver("x", "2026-11-01"))),
        (),
        width=100,
        colour=False,
        folder="r",
    )
    assert (
        "The waiver of LIST-1 on staging is stale: the requirement passes now.\n"
        "The waiver of LIST-2 on staging expired after 2026-11-20.\n"
        "The waiver of LIST-3 on staging expired after 2026-11-01.\n"
    ) in text


def test_long_lists_are_cut() -> None:
    value = samples.result(
        samples.row(exchanges=tuple(range(9)), decisive=tuple(range(9))),
        targets=(
            samples.target(
                created=tuple(LeftAnimal(n, f"animal {n}") for n in range(8)),
                requests=RequestCount(9, 9, 0, {"4.1": 9}),
            ),
        ),
    )
    exchanges = tuple(samples.exchange(n, samples.request(f"/pets?limit={n + 1}")) for n in range(9))
    text = render(value, evidence_of(exchanges), width=100, colour=False, folder="reports")
    assert "left behind: 8 animals (ids 0 to 7); the interface cannot delete them\n" in text
    assert text.count("curl ") == 1


@pytest.mark.parametrize(
    ("changes", "step"),
    [
        ({}, "petcheck explain LIST-3; add --failed to run only what failed"),
        ({"options": {"failed": True}}, "petcheck explain LIST-3"),
        ({"settings": replace(SETTINGS, traffic=True)}, "petcheck explain LIST-3"),
    ],
    ids=["failures", "chosen so", "traffic"],
)
def test_what_to_do_next(changes: dict[str, Any], step: str) -> None:
    value = samples.result(samples.row(), run=samples.run(1, **changes))
    text = render(value, (), width=200, colour=False, folder="r")
    assert text.splitlines()[-1] == f"next: {step}"


def test_a_strict_run_names_the_options_that_it_lacks() -> None:
    rows = [
        samples.row("LIST-1", "pass"),
        samples.row("CREATE-1", "not-run", settled_by="--allow-writes"),
        samples.row("CREATE-2", "not-run", settled_by="--allow-writes"),
        samples.row("RATE-6", "not-run", settled_by="--exhaust-rate-limit"),
        samples.row("LIST-8", "inconclusive"),
    ]
    text = render(samples.result(*rows, exit_code=7), (), width=200, colour=False, folder="r")
    assert text.splitlines()[-1] == "next: add --allow-writes and --exhaust-rate-limit to judge 3 more"
    text = render(samples.result(*rows[-1:], exit_code=7), (), width=200, colour=False, folder="r")
    assert text.splitlines()[-1].startswith("reports: ")


def test_a_choice_that_matches_nothing_says_where_the_names_are() -> None:
    value = samples.result(exit_code=5, targets=(), requirements=())
    assert render(value, (), width=200, colour=False, folder="r").splitlines()[-1] == (
        "next: choose checks that exist; petcheck --collect-only lists them"
    )


def test_a_run_that_only_a_waiver_fails_says_how_to_remove_it() -> None:
    stale = samples.row("LIST-1", "pass", waiver=AppliedWaiver("known", "2026-11-21"))
    assert render(samples.result(stale), (), width=200, colour=False, folder="r").splitlines()[-1] == (
        "next: remove the waivers that no longer hold from petcheck.toml, or run again with --update-waivers"
    )


def test_deselected_checks_are_named_once() -> None:
    rows = [samples.row(f"LIST-{n}", "not-run", reason="Deselected.", exchanges=(), decisive=()) for n in range(1, 4)]
    text = render(samples.result(*rows), (), width=100, colour=False, folder="reports")
    assert "not examined\n  LIST-1 to LIST-3: Deselected.\n\n" in text
    rows = [samples.row(f"LIST-{n}", "not-run", reason="Deselected.", exchanges=(), decisive=()) for n in range(40)]
    text = render(samples.result(*rows), (), width=100, colour=False, folder="reports")
    assert "not examined\n  40 requirements: Deselected.\n\n" in text


def test_the_same_request_twice_is_printed_once() -> None:
    value = replace(samples.result(samples.row(decisive=(0, 1))))
    exchanges = (samples.exchange(0), samples.exchange(1))
    assert render(value, evidence_of(exchanges), width=100, colour=False, folder="reports").count("curl ") == 1


def test_the_log_is_that_of_the_exchange_that_is_shown_and_of_no_other() -> None:
    value, (shown, other) = samples.result(samples.row(decisive=(0, 1))), samples.two_exchanges()
    both = (replace(shown, log=""), replace(other, log="KeyError: 'elsewhere'"))
    assert "elsewhere" not in render(value, both, width=100, colour=False, folder=None)
    here = (replace(shown, log="KeyError: 'here'"), both[1])
    assert render(value, here, width=100, colour=False, folder=None).count("KeyError: 'here'") == 1


def test_a_number_that_was_given_is_to_be_raised() -> None:
    rows = [samples.row("LIST-1", "pass"), samples.row("LIST-2", "not-run", settled_by="--max-requests")]
    for options, way in (({}, "add"), ({"max-requests": 9}, "raise")):
        value = samples.result(*rows, exit_code=7, run=samples.run(7, options=options))
        text = render(value, (), width=100, colour=False, folder=None)
        assert f"{way} --max-requests to judge 1: LIST-2" in text
        assert f"next: {way} --max-requests to judge 1 more" in text
