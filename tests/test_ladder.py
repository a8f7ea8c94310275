"""The ladder: scores, ratings and their intervals; playing it with a store; its page."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from agents import kept_matches
from agents.arena import Effort
from agents.command import UsageError
from agents.ladder import ELO_SCALE, fixtures, make_ladder, over_field, rate, resampled
from agents.ladder_command import LadderOptions, run_ladder
from agents.ladder_page import label_places, ladder_page
from agents.ladder_report import ladder_report, ladder_text
from agents.pairs import PairResults
from agents.statistics import interval
from tests.commands import Capture
from tests.toy_players import TOYS

LOWEST, HIGHEST, MIXED = (f"{TOYS}:{name}" for name in ("Lowest", "Highest", "Mixed"))


def results(margins: Any, seconds: tuple[float, float] = (0.001, 0.01)) -> PairResults:
    """Results with these margins (2, pairs), each player having made ten choices."""
    games = np.asarray(margins, np.int64)
    of_sides = np.stack([games > 0, games < 0], axis=2).astype(np.int64)
    effort = Effort(40 * games.size, (10, 10), seconds)
    return PairResults(games, np.zeros_like(games), np.zeros_like(of_sides), of_sides, np.ones_like(games), effort)


def steady(margin: int, pairs: int = 50) -> PairResults:
    """Results whose pairs all have this margin, but for what a pair more or less makes."""
    swing = np.tile([1, -1], pairs // 2)
    return results([margin + swing, margin + swing])


def three_matches() -> dict[tuple[int, int], PairResults]:
    return {(0, 1): steady(2), (0, 2): steady(6), (1, 2): steady(3)}


def test_everybody_meets_everybody_on_as_many_pairs_as_both_are_good_for() -> None:
    assert fixtures([100, 10, 100]) == [(0, 1, 10), (0, 2, 100), (1, 2, 10)]


def test_scores_are_means_over_the_field() -> None:
    ladder = make_ladder(["c", "b", "a"], {(0, 1): steady(-3), (0, 2): steady(-6), (1, 2): steady(-2)})
    assert ladder.scores.tolist() == [-4.5, 0.5, 4]
    assert ladder.order.tolist() == [2, 1, 0]
    assert ladder.opponents.tolist() == [2, 2, 2]
    assert (ladder.means[0, 2], ladder.means[2, 0], ladder.means[2, 1]) == (-6, 6, 2)
    assert np.isnan(np.diag(ladder.means)).all()
    ends = interval(steady(-3).margin).ci95
    assert ladder.means_ci95[0, 1].tolist() == ends
    assert ladder.means_ci95[1, 0].tolist() == pytest.approx([-ends[1], -ends[0]])
    assert (ladder.scores_ci95[:, 0] < ladder.scores).all()
    assert (ladder.scores < ladder.scores_ci95[:, 1]).all()
    assert ladder.above_next[[2, 1]].tolist() == [1, 1]
    assert np.isnan(ladder.above_next[0])


def test_players_who_are_alike_are_above_each_other_half_of_the_time() -> None:
    rng = np.random.default_rng(3)
    even, against = np.zeros((2, 400)), rng.integers(-4, 7, (2, 400))
    alike = {(0, 1): results(even), (0, 2): results(against), (1, 2): results(against)}
    ladder = make_ladder(["a", "b", "c"], alike)
    assert ladder.order.tolist() == [0, 1, 2]
    assert ladder.above_next[0] == 0.5  # equal in every draw: all share the deals
    equally_strong = alike | {(1, 2): results(rng.permuted(against, axis=1))}
    assert 0.3 < make_ladder(["a", "b", "c"], equally_strong).above_next[0] < 0.7


def test_a_missing_match_leaves_the_others_and_nobody_met_is_nan() -> None:
    ladder = make_ladder(["a", "b", "c", "d"], {(0, 1): steady(2), (2, 3): results(np.zeros((2, 0)))})
    assert ladder.scores[:2].tolist() == [2, -2]
    assert np.isnan(ladder.scores[2:]).all()
    assert np.isnan(ladder.ratings[2:]).all()
    assert ladder.ratings[0] == 0 > ladder.ratings[1]
    assert ladder.order.tolist() == [0, 1, 2, 3]
    empty = make_ladder(["a", "b"], {})
    assert np.isnan(empty.scores).all()
    assert empty.ratings[0] == 0


def test_one_seed_makes_one_ladder() -> None:
    one, same, other = (make_ladder(["a", "b", "c"], three_matches(), seed) for seed in (1, 1, 2))
    assert np.array_equal(one.scores_ci95, same.scores_ci95)
    assert np.array_equal(one.ratings_ci95, same.ratings_ci95)
    assert not np.array_equal(one.scores_ci95, other.scores_ci95)


def test_a_draw_weighs_a_deal_alike_in_all_matches() -> None:
    rng = np.random.default_rng(0)
    long, short = rng.normal(size=1000), rng.normal(size=100)
    drawn = resampled([long, -long, long[:100], short, short[:1]], 4000, np.random.default_rng(1))
    assert np.allclose(drawn[:, 0], -drawn[:, 1])
    shared = np.corrcoef(drawn[:, 0], drawn[:, 2])[0, 1]
    assert shared == pytest.approx(np.sqrt(100 / 1000), abs=0.1)  # a tenth of the deals
    for index, column in ((0, long), (3, short)):
        assert drawn[:, index].mean() == pytest.approx(column.mean(), abs=5 * column.std() / len(column) ** 0.5 / 60)
        assert drawn[:, index].std() == pytest.approx(column.std() / len(column) ** 0.5, rel=0.05)
    assert np.isnan(drawn[:, 4]).all()


def test_score_intervals_cover_the_truth() -> None:
    """Three players on shared deals, whose luck is in two matches alike; one match is shorter."""
    rng = np.random.default_rng(7)
    meetings, opponents = [(0, 1), (0, 2), (1, 2)], np.array([2, 2, 2])
    truth = over_field(meetings, np.array([0.5, 1.0, 0.5]), opponents)
    covered, trials = 0, 400
    for trial in range(trials):
        luck = rng.normal(0, 3, 200)
        columns = [
            0.5 + luck + rng.normal(0, 3, 200),
            1.0 + luck[:80] + rng.normal(0, 3, 80),
            0.5 + rng.normal(0, 3, 200),
        ]
        drawn = over_field(meetings, resampled(columns, 400, np.random.default_rng(trial)), opponents)
        low, high = np.percentile(drawn, [2.5, 97.5], axis=0)
        covered += int(np.count_nonzero((low <= truth) & (truth <= high)))
    assert 0.925 < covered / (3 * trials) < 0.97


def simulated(ratings: list[float], games: int, rng: np.random.Generator) -> tuple[list[tuple[int, int]], Any, Any]:
    """Who met, the shares won and the number of games, drawn from Bradley–Terry."""
    meetings = [(a, b) for a in range(len(ratings)) for b in range(a + 1, len(ratings))]
    chances = [1 / (1 + 10 ** ((ratings[b] - ratings[a]) / 400)) for a, b in meetings]
    return meetings, rng.binomial(games, chances) / games, np.full(len(meetings), float(games))


def test_ratings_find_the_strengths_that_made_the_wins() -> None:
    truth = [0.0, 150.0, -220.0, 40.0]
    meetings, shares, games = simulated(truth, 40_000, np.random.default_rng(5))
    assert rate(meetings, shares, games, 4, 0) == pytest.approx(truth, abs=6)
    assert rate(meetings, shares, games, 4, 2) == pytest.approx(np.array(truth) + 220, abs=6)


def test_the_anchor_holds_when_players_join() -> None:
    rng = np.random.default_rng(8)
    meetings, shares, games = simulated([0.0, 100.0, -60.0, 500.0], 40_000, rng)
    few = [index for index, meeting in enumerate(meetings) if 3 not in meeting]
    before = rate([meetings[index] for index in few], shares[few], games[few], 3, 0)
    after = rate(meetings, shares, games, 4, 0)
    assert before[0] == after[0] == 0
    assert after[:3] == pytest.approx(before, abs=6)
    assert make_ladder(["a", "rules", "b"], three_matches()).ratings[1] == 0
    assert make_ladder(["a", "rules", "b"], three_matches()).anchor == 1


def test_a_rating_stays_finite_where_one_wins_all() -> None:
    ratings = rate([(0, 1)], np.array([1.0]), np.array([100.0]), 2, 0)
    assert ratings.tolist() == pytest.approx([0, -ELO_SCALE * np.log(100.5 / 0.5)])  # a tied deal is added


def test_ties_count_half_in_ratings() -> None:
    margins = np.array([[3, 0, -3, 0], [0, 0, 0, 0]])
    ladder = make_ladder(["a", "b"], {(0, 1): results(margins)})
    assert ladder.ratings.tolist() == pytest.approx([0, 0], abs=1e-6)
    assert make_ladder(["a", "b"], {(0, 1): results([[3, 1, -3, 1], [1, 1, 1, 1]])}).ratings[1] < -50


# --- the command


def options(*players: str, **others: Any) -> LadderOptions:
    return LadderOptions(**{"variant": "two_player", "pairs": 30, "players": list(players)} | others)


def report_of(path: Path) -> dict[str, Any]:
    """A report without the times in it."""
    report: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    del report["seconds"]
    for row in (*report["players"], *report["matches"]):
        assert np.min(row.pop("ms_per_decision")) > 0
    return report


def ladder(path: Path, *players: str, **others: Any) -> dict[str, Any]:
    assert run_ladder(options(*players, json=path, **others))
    return report_of(path)


def test_a_stored_ladder_plays_nothing_and_a_new_player_only_its_own_games(
    tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = tmp_path / "store.jsonl"
    first = ladder(tmp_path / "1.json", LOWEST, HIGHEST, MIXED, store=store)
    assert [(match["a"], match["b"], match["pairs"]) for match in first["matches"]] == [
        (LOWEST, HIGHEST, 30),
        (LOWEST, MIXED, 30),
        (HIGHEST, MIXED, 30),
    ]
    assert first["decisions"] == 3 * 60 * 40
    assert first["anchor"] == LOWEST
    assert f"match 3 of 3: {HIGHEST} against {MIXED}, 30 pairs\n" in capsys.readouterr().err
    played = []
    play_chunks = kept_matches.play_chunks
    monkeypatch.setattr(
        kept_matches,
        "play_chunks",
        lambda meeting, *rest: played.append((meeting.a, meeting.b)) or play_chunks(meeting, *rest),
    )
    assert ladder(tmp_path / "2.json", LOWEST, HIGHEST, MIXED, store=store) == first
    assert played == []
    output = capsys.readouterr()
    assert output.err == ""
    ladder(tmp_path / "3.json", "random", MIXED, LOWEST, HIGHEST, store=store)
    assert played == [("random", MIXED), ("random", LOWEST), ("random", HIGHEST)]


def test_the_number_of_workers_changes_nothing(tmp_path: Path) -> None:
    one, two = (
        ladder(tmp_path / f"{workers}.json", LOWEST, MIXED, pairs=60, workers=workers, seed=3) for workers in (1, 2)
    )
    assert one == two


def test_slow_players_play_fewer_pairs(tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    ladder(tmp_path / "out.json", LOWEST, MIXED)
    assert "searches" not in capsys.readouterr().out
    monkeypatch.setattr("tests.toy_players.Mixed.slow", True, raising=False)
    report = ladder(tmp_path / "slow.json", LOWEST, MIXED, HIGHEST, slow_pairs=4)
    assert [match["pairs"] for match in report["matches"]] == [4, 30, 4]
    assert report["slow_pairs"] == 4
    assert "30 duplicate pairs (4 where a player searches)" in capsys.readouterr().out


def test_an_interrupt_leaves_the_matches_that_were_completed(tmp_path: Path, capsys: Capture) -> None:
    path = tmp_path / "out.json"
    stopping = f"{TOYS}:Stopping:after=25"
    assert not run_ladder(options(LOWEST, HIGHEST, stopping, json=path, html=tmp_path / "out.html"))
    report = json.loads(path.read_text(encoding="utf-8"))
    assert (report["complete"], len(report["matches"])) == (False, 1)
    assert [row["opponents"] for row in report["players"]] == [1, 1, 0]
    assert report["players"][2]["score"] is None
    assert "stopped early" in capsys.readouterr().out
    assert "Stopped early" in (tmp_path / "out.html").read_text(encoding="utf-8")


def test_records_hold_all_games(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    assert run_ladder(options(LOWEST, HIGHEST, MIXED, pairs=3, records=path))
    players = [json.loads(line)["players"] for line in path.read_text(encoding="utf-8").splitlines()]
    assert players == [
        sides for pair in ([LOWEST, HIGHEST], [LOWEST, MIXED], [HIGHEST, MIXED]) for sides in [pair, pair[::-1]] * 3
    ]


def test_cheating_players_are_marked(tmp_path: Path, capsys: Capture) -> None:
    peeking = f"{TOYS}:Peeking"
    report = ladder(tmp_path / "out.json", LOWEST, peeking, html=tmp_path / "out.html")
    assert report["cheats"] == [peeking]
    assert f"{peeking} (cheats" in capsys.readouterr().out
    assert f"{peeking} (cheats" in (tmp_path / "out.html").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"players": [LOWEST, HIGHEST, LOWEST]}, "named twice"),
        ({"players": [LOWEST]}, "at least two"),
        ({"players": [LOWEST, "nobody"]}, "unknown player 'nobody'"),
        ({"slow_pairs": 0}, "--slow-pairs 0"),
        ({"variant": "whist"}, "whist"),
        ({"html": Path("no/such/folder.html")}, "--html"),
        ({"store": Path("a.jsonl"), "records": Path("b.jsonl")}, "use one of them"),
    ],
)
def test_bad_usage_is_refused_before_anything_is_played(wrong: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=re.escape(message)):
        run_ladder(LadderOptions(**{"variant": "two_player", "players": [LOWEST, HIGHEST]} | wrong))


def test_the_text_does_not_depend_on_the_terminal(capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    report = made_report(["rules", "[b]x[/b]", "c"])
    shown = {row["player"]: row["player"] for row in report["players"]}
    texts = []
    for width in ("20", "200"):
        monkeypatch.setenv("COLUMNS", width)
        texts.append(ladder_text(report, shown))
    assert texts[0] == texts[1]
    assert "[b]x[/b]" in texts[0]
    assert "+2.000 ±" in texts[0]
    assert "-6.000 ±" in texts[0]


# --- the page


def made_report(names: list[str]) -> dict[str, Any]:
    matches = three_matches()
    fields = ladder_report(names, matches, make_ladder(names, matches))
    more = {"variant": "partners", "napoletana": False, "seed": 0, "pairs": 50, "slow_pairs": 50}
    return more | {"distinct_deals": 50, **fields, "cheats": [], "seconds": 1.0, "version": 1, "complete": True}


class Tags(HTMLParser):
    """Checks that tags are closed in order; gathers texts, ids and what elements refer to."""

    EMPTY = frozenset({"meta", "path", "use", "rect", "line", "circle"})

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.text = ""
        self.tags: set[str] = set()
        self.ids: list[str] = []
        self.links: list[str] = []

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.open.append(tag)
        self.ids += [str(value) for name, value in attributes if name == "id"]
        self.links += [str(value) for name, value in attributes if name in ("src", "href", "xlink:href")]
        if tag == "meta":
            self.open.pop()

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_startendtag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attributes)
        self.handle_endtag(tag)

    def handle_data(self, data: str) -> None:
        self.text += data


def test_the_page_stands_alone_and_shows_every_name() -> None:
    names = ["rules", "<script>alert(1)</script>", 'a & $x_1$ "q"']
    page = ladder_page(made_report(names), {name: name for name in names})
    tags = Tags()
    tags.feed(page)
    assert tags.open == []
    assert "script" not in tags.tags
    assert {"table", "svg"} <= tags.tags
    for name in names:
        assert tags.text.count(name) >= 4  # ranked table, matrix, both pictures
    assert "<script" not in page
    addresses = set(re.findall(r"https?://[^\"' )]*", page))
    assert addresses <= {"http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"}
    assert all(link.startswith("#") for link in tags.links)
    assert len(set(tags.ids)) == len(tags.ids)
    assert {link.removeprefix("#") for link in tags.links} <= set(tags.ids)
    assert "+6.00" in tags.text
    assert page.count('role="img" aria-label="') == 2


def test_one_report_makes_one_page() -> None:
    names = ["rules", "b", "c"]
    report, shown = made_report(names), {name: name for name in names}
    assert ladder_page(report, shown) == ladder_page(report, shown)


def test_labels_do_not_cover_each_other() -> None:
    marks = np.array([[0.1, 0.9], [0.12, 0.89], [0.11, 0.885], [0.7, 0.88], [0.1, 0.2]])
    places = label_places(["first", "second", "third", "far", "low"], marks)
    near = places[:3, 1]
    assert (np.diff(near) < -0.04).all()
    assert places[3:, 1].tolist() == [0.88, 0.2]
    assert (places[:, 0] > marks[:, 0]).all()
