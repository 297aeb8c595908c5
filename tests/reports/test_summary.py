"""summary.md fits on one screen, and nothing that a target sent is markup."""

from __future__ import annotations

from dataclasses import replace

import pytest
from markdown_it import MarkdownIt

from petcheck.judging.cells import Coverage
from petcheck.judging.verdicts import AppliedWaiver
from petcheck.reports.summary import code, escape, render
from petcheck.results.findings import LeftAnimal
from petcheck.spec.operations import Operation
from tests.support import samples


def test_a_small_run() -> None:
    assert render(samples.result(), ()) == (
        "## `staging` does not conform: 1 of 1 requirement fails.\n\n"
        "petcheck `0.1.0`, interface `1.0.0`, judged as on `2026-11-21`, finished `2026-11-21T10:03:13.400Z`. "
        "`--seed 1` with the same options repeats this run.\n\n"
        "| target | pass | fail | error | inconclusive | not-run | waived | n/a |\n"
        "|---|--:|--:|--:|--:|--:|--:|--:|\n"
        "| `staging` | 0 | 1 | 0 | 0 | 0 | 0 | 0 |\n\n"
        "- Sent to `staging`: 2 requests (2 GET, 0 POST).\n\n"
        "### Failures\n\n"
        "- **`LIST-3`** (section 4\\.1 List all animals): A page never holds more animals than `limit` asks for\\."
        "<br>`GET /pets?limit=5 returned 6 animals; section 4.1 allows at most 5.`\n\n"
        "The evidence is in `report.html` and `exchanges.har`.\n"
    )


def test_a_long_run_says_what_the_evidence_holds_and_how_to_repeat_it() -> None:
    value, _ = samples.deep_run()
    text = render(value, ())
    assert "`--seed 41` with the same options repeats this run." in text
    assert "1,859 requests" in text


def test_the_pass_that_covers_least_is_named() -> None:
    value = samples.result(samples.row("AUTH-2", "pass", covered=Coverage("11 kinds of key × 4 operations", 9, 44)))
    assert "\n- Least covered on `staging`: `AUTH-2` 9 of 44 (11 kinds of key × 4 operations)\n" in render(value, ())


def test_other_notes_for_the_reader() -> None:
    value = samples.result(
        samples.row(outcome="pass", waiver=AppliedWaiver("known", "2026-12-31")),
        samples.row("CREATE-1", "not-run", section="4.2", settled_by="--allow-writes"),
        samples.row("LIST-8", "inconclusive"),
        targets=(samples.target(created=(LeftAnimal(131, "a"),)),),
    )
    assert render(value, ()).split("### Also\n\n")[1] == (
        "- The waiver of `LIST-3` on `staging` is stale: the requirement passes now.\n"
        "- Add `--allow-writes` to judge 1 requirement: `CREATE-1`\n"
        "- Not examined, see `report.html`: 1 requirement: `LIST-8`\n"
        "- Left behind on `staging`: 1 animal, listed in `report.html`\n\n"
        "The evidence is in `report.html` and `exchanges.har`.\n"
    )


HOSTILE = [
    samples.HOSTILE,
    "```\n</code></td><script>x</script>",
    "`` ` ```` |",
    "![x](http://evil.example/x.png)",
    "www.evil.example @octocat #1 :tada: me@evil.example",
    "a | b | c",
    "    indented\n\n---\n\n1. x",
]


@pytest.mark.parametrize("text", HOSTILE)
def test_nothing_from_a_target_becomes_markup(text: str) -> None:
    value = samples.result(
        samples.row(reason=text),
        samples.row("LIST-4", "inconclusive", settled_by=text),
        targets=(samples.target(unreachable=text, created=(LeftAnimal(1, text),)),),
    )
    kinds = set()
    plain = []
    for block in MarkdownIt("commonmark", {"html": True}).enable("table").parse(render(value, ())):
        kinds.add(block.type.removesuffix("_open").removesuffix("_close"))
        for token in block.children or []:
            kinds.add(token.type.removesuffix("_open").removesuffix("_close"))
            if token.type == "html_inline":
                assert token.content == "<br>"
            if token.type == "text":
                plain.append(token.content)
    assert kinds <= {
        *("heading", "paragraph", "inline", "text", "code_inline", "strong", "html_inline"),
        *("table", "thead", "tbody", "tr", "th", "td", "bullet_list", "list_item"),
    }
    assert not any(word in " ".join(plain) for word in ("evil", "octocat", "script", "indented"))


@pytest.mark.parametrize(
    ("text", "span"),
    [("a", "`a`"), ("`", "`` ` ``"), ("a``b", "```a``b```"), (" a", "`  a `"), ("", "` - `"), ("a|b", "`a\\u{7c}b`")],
)
def test_code_spans(text: str, span: str) -> None:
    assert code(text) == span


def test_escaped_words() -> None:
    assert escape("*a* <b> [c](d) #1 @me | `x` http://a") == (
        "\\*a\\* \\<b\\> \\[c\\]\\(d\\) \\#1 \\\\u{40}me \\| \\`x\\` http\\:\\/\\/a"
    )


def test_failures_of_one_cause_are_one_item_with_an_example_of_each() -> None:
    value, exchanges = samples.one_cause()
    text = render(value, exchanges)
    assert (
        "- **`CREATE-5 to CREATE-7, CREATE-10`** (section 4\\.2 Add an animal and others): "
        "`POST /pets returns 422 where 400 is required`<br>`POST /pets: expected 400, got 422.`<br>"
    ) in text
    assert "<br>`CREATE-10`: `POST /pets with null: expected 400, got 422.`\n" in text


def test_of_many_requirements_of_a_cause_some_are_left_to_the_report() -> None:
    row = samples.row("CREATE-1", section="4.2", expected="400", parts=("status",), exchanges=(0,), decisive=(0,))
    rows = [replace(row, id=f"CREATE-{number}", reason=f"Reason {number}.") for number in range(1, 13)]
    post = samples.request("/pets", method="POST", body=b"{}", operation=Operation.CREATE_PET)
    refused = samples.exchange(0, post, samples.response({}, 422))
    text = render(samples.result(*rows), (refused,))
    assert "`Reason 9.`<br>3 more, in `report.html`\n" in text


def test_many_failures_are_cut() -> None:
    value = samples.result(*(samples.row(f"LIST-{number}") for number in range(30)))
    assert "\n\nAnd 10 more in `report.html`.\n\n" in render(value, ())
