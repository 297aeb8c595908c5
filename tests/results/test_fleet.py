"""A fleet is summed up in one sentence, groups of targets with the same verdicts, and the requirements that fail."""

from __future__ import annotations

from dataclasses import replace

from petcheck.judging.verdicts import Verdict
from petcheck.results import fleet, totals
from petcheck.results.causes import causes
from petcheck.results.result import Result
from petcheck.spec.outcomes import Outcome
from petcheck.stream.lines import JoinedRun, ShardInfo
from tests.support import samples


def of(**outcomes: str) -> Result:
    """A fleet: for each target the outcomes of LIST-3 and AUTH-1 ("pass fail"), or "down"."""
    targets, rows = [], []
    for name, text in outcomes.items():
        down = "it does not answer" if text == "down" else None
        targets.append(samples.target(name, unreachable=down))
        for requirement, outcome in zip(("LIST-3", "AUTH-1"), ("error error" if down else text).split(), strict=True):
            rows.append(samples.row(requirement, outcome, target=name))
    return samples.result(*rows, targets=tuple(targets))


MIXED = {"a": "pass pass", "b": "fail pass", "c": "pass pass", "d": "down", "e": "fail pass", "f": "pass inconclusive"}


def test_one_sentence_names_the_targets_that_fail() -> None:
    said = "3 of 6 targets show no failure; 2 fail (b, e), 1 could not be tested (d)."
    assert totals.headline(of(**MIXED)) == said
    assert fleet.verdict(fleet.members(of(**MIXED)), named=False) == (
        "3 of 6 targets show no failure; 2 fail, 1 could not be tested."
    )


def test_of_many_that_fail_the_first_are_named() -> None:
    many = of(**{f"t{number}": "fail pass" for number in range(1, 8)})
    assert totals.headline(many) == "Of 7 targets 7 fail (t1, t2, t3, t4, t5 and 2 more)."


def test_a_fleet_without_failures() -> None:
    assert totals.headline(of(**dict.fromkeys("abcde", "pass pass"))) == "All 5 targets show no failure."
    unseen = of(**dict.fromkeys("abcd", "pass waived"), e="not-run not-run")
    assert totals.headline(unseen) == "4 of 5 targets show no failure; 1 has no verdict (e)."


def test_up_to_four_targets_are_told_one_by_one() -> None:
    few = of(a="pass pass", b="fail pass", c="pass pass", d="pass pass")
    assert totals.headline(few).count("requirements") == 4


def test_targets_with_the_same_verdicts_are_one_group_and_those_that_fail_come_first() -> None:
    found = fleet.groups(fleet.members(of(**MIXED)))
    assert [[member.target.name for member in group] for group in found] == [
        ["b", "e"],
        ["d"],
        ["a", "c"],
        ["f"],
    ]
    assert [group[0].outcome for group in found] == ["fail", "error", "pass", "pass"]
    assert found[0][0].verdicts == {"LIST-3": "fail", "AUTH-1": "pass"}
    assert found[1][0].target.unreachable == "it does not answer"
    assert found[0][0].failing == ("LIST-3",)


def test_the_requirements_that_most_targets_fail_come_first() -> None:
    found = causes(of(**MIXED | {"f": "fail fail"}), ())
    assert [(one.ids, one.targets) for one in found] == [("LIST-3", ("b", "e", "f")), ("AUTH-1", ("f",))]


def test_what_was_not_examined_is_told_by_the_option_that_settles_it() -> None:
    whole = of(**MIXED | {"a": "not-run pass"})
    rows = [
        replace(row, settled_by="--allow-writes" if row.outcome == "not-run" else None) for row in whole.requirements
    ]
    found = totals.unexamined(replace(whole, requirements=tuple(rows)))
    assert [(one.settled_by, one.ids, one.targets) for one in found] == [
        ("--allow-writes", ("LIST-3",), ("a",)),
        (None, ("AUTH-1",), ("f",)),
    ]


def test_where_groups_differ_or_fail() -> None:
    groups = fleet.groups(fleet.members(of(**MIXED)))
    assert fleet.differing(groups[:1]) == ("LIST-3",)
    assert fleet.differing(groups[2:]) == ("AUTH-1",)
    assert fleet.differing(groups[2:3]) == ()


def test_the_worst_verdict_in_force_is_that_of_the_target() -> None:
    def outcome(*outcomes: Outcome, in_force: bool = True) -> Outcome:
        rows: list[Verdict] = [samples.row(outcome=one, in_force=in_force) for one in outcomes]
        return fleet.outcome_of(samples.target(), rows)

    assert outcome("pass", "fail", "error") == "fail"
    assert outcome("pass", "waived", "error") == "error"
    assert outcome("pass", "waived", "not-run") == "waived"
    assert outcome("not-run", "inconclusive") == "inconclusive"
    assert outcome("fail", in_force=False) == "inconclusive"


def merged(*numbers: int, seeds: tuple[int, ...] = (1, 1)) -> Result:
    shards = [ShardInfo(number, 4, 9, "a" * 64) for number in numbers]
    runs = [
        JoinedRun("id", seed, "2026-11-21T10:03:12Z", "2026-11-21T10:03:13Z", shard)
        for shard, seed in zip(shards, seeds, strict=False)
    ]
    whole = of(**MIXED)
    return replace(whole, complete=False, run=replace(whole.run, joined=tuple(runs)))


def test_shards_that_are_missing_are_named() -> None:
    assert totals.notices(merged(1, 3)) == ("Shards 2/4, 4/4 are missing; merge all shards.",)
    assert totals.missing_shards(merged(1, 3).run) == [2, 4]
    assert totals.notices(merged(1, 3, 4, seeds=(1, 1, 1))) == ("Shard 2/4 is missing; merge all shards.",)
    assert totals.missing_shards(of(**MIXED).run) == []


def test_a_seed_repeats_a_merged_run_only_if_all_shards_had_it() -> None:
    assert totals.repeat_hint(merged(1, 2).run) == "--seed 1 with the same options repeats this run"
    assert totals.repeat_hint(merged(1, 2, seeds=(1, 2)).run) == (
        "each target's own report names the seed that repeats its run"
    )
