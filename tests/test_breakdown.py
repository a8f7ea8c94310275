"""Where results come from: kinds of games, histogram and deals won, by hand and against a count from the decks."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from agents.breakdown import breakdown, deals_won_rate, details_text, histogram
from agents.pairs import PairResults, no_pairs, play_pairs
from agents.statistics import interval
from tests import commands
from tests.commands import Capture
from tests.games import FULL_RULES, name
from tests.oracle import combinations
from tests.toy_players import Highest, Lowest, Mixed
from tressette_env import DealBatch, MatchBatch, Rules

run = partial(commands.run, "match")
SIDES = ("A is side 0", "A is side 1")
LEADS = ("A's side leads", "B's side leads")
DECLARERS = ("only A's side declares", "only B's side declares", "both sides declare", "nobody declares")


def by_hand(declared: bool = True) -> PairResults:
    """Three pairs: A leads in both games of the first, in one of the second, in none of the third."""
    points = np.zeros((2, 3, 2), np.int64)
    if declared:
        points[0] = [[3, 0], [0, 4], [0, 0]]
        points[1] = [[0, 3], [1, 1], [5, 0]]
    margins = np.array([[4, -2, 0], [2, 6, -5]])
    won = np.stack([margins > 0, margins < 0], axis=2).astype(np.int64)
    return PairResults(margins, np.array([[1, 0, 0], [1, 1, 0]]), points, won, np.ones_like(margins))


def test_rows_by_hand() -> None:
    """The unit is the pair: one with two games of a kind counts once, with their mean."""
    rows = {row["kind"]: row for row in breakdown(by_hand())}
    expected = {
        "A is side 0": [4, -2, 0],
        "A is side 1": [2, 6, -5],
        "A's side leads": [3, 6],
        "B's side leads": [-2, -2.5],
        "only A's side declares": [4, -5],
        "only B's side declares": [2, -2],
        "both sides declare": [6],
        "nobody declares": [0],
    }
    games = [3, 3, 3, 3, 2, 2, 1, 1]
    assert list(rows) == list(expected)
    assert [row["games"] for row in rows.values()] == games
    for kind, means in expected.items():
        found = interval(np.array(means, float))
        assert rows[kind]["mean"] == found.mean
        assert rows[kind]["ci95"] == pytest.approx(found.ci95, nan_ok=True)


def test_kinds_without_a_game_are_left_out() -> None:
    kinds = [row["kind"] for row in breakdown(by_hand(declared=False))]
    assert kinds == [*SIDES, *LEADS]
    assert [row["kind"] for row in breakdown(by_hand().first(1))] == [
        *SIDES,
        "A's side leads",
        "only A's side declares",
        "only B's side declares",
    ]
    assert breakdown(no_pairs()) == []


@pytest.mark.parametrize("episode", ["deal", "match"])
@pytest.mark.parametrize("rules", FULL_RULES, ids=name)
def test_kinds_share_out_all_games(rules: Rules, episode: str) -> None:
    results = play_pairs(Mixed(rules.variant), Lowest(rules.variant), rules, 4, 0, 150, episode)
    rows = {row["kind"]: row for row in breakdown(results)}
    with_declarations = episode == "deal" and (rules.napoletana or rules.variant == "historical")
    assert any(kind in rows for kind in DECLARERS) == with_declarations
    for kinds in (SIDES, LEADS, *([DECLARERS] if with_declarations else [])):
        found = [rows[kind] for kind in kinds if kind in rows]
        assert sum(row["games"] for row in found) == 300
    assert sum(rows[kind]["mean"] for kind in SIDES) / 2 == pytest.approx(results.margin.mean())
    # In two_player one of the two games is led by A; with four seats also, as partners sit opposite.
    assert rows["A's side leads"]["games"] == rows["B's side leads"]["games"] == 150


@pytest.mark.parametrize("episode", ["deal", "match"])
def test_who_led_is_seen_in_the_game(episode: str) -> None:
    rules = Rules("partners")
    results = play_pairs(Mixed("partners"), Lowest("partners"), rules, 4, 10, 40, episode)
    games = (DealBatch if episode == "deal" else MatchBatch)(40, rules)
    games.reset(seed=4, deal_ids=np.arange(10, 50))
    first_to_play = games.player.astype(int) % 2
    assert np.array_equal(results.led, [first_to_play == 0, first_to_play == 1])


def test_historical_declarers_are_those_that_the_decks_show() -> None:
    rules, pairs = Rules("historical"), 120
    results = play_pairs(Highest("historical"), Mixed("historical"), rules, 6, 0, pairs)
    deals = DealBatch(pairs, rules)
    deals.reset(seed=6)
    held = [
        [sum(worth for _, worth in combinations(deck[10 * seat : 10 * seat + 10], rules)) for seat in range(4)]
        for deck in deals.decks.tolist()
    ]
    by_side = np.array([[points[0] + points[2], points[1] + points[3]] for points in held])
    assert np.array_equal(results.declared[0], by_side)
    assert np.array_equal(results.declared[1], by_side[:, ::-1])
    rows = {row["kind"]: row["games"] for row in breakdown(results)}
    declares = by_side > 0
    assert rows["both sides declare"] == 2 * int(declares.all(axis=1).sum()) > 0
    assert rows["nobody declares"] == 2 * int((~declares).all(axis=1).sum()) > 0
    one = int((declares[:, 0] != declares[:, 1]).sum())
    assert rows["only A's side declares"] == rows["only B's side declares"] == one > 0


def test_histogram() -> None:
    assert histogram(by_hand()) == {"-5": 1, "-2": 1, "0": 1, "2": 1, "4": 1, "6": 1}
    assert histogram(no_pairs()) == {}
    results = play_pairs(Mixed("partners"), Lowest("partners"), Rules("partners"), 4, 0, 90)
    margins = histogram(results)
    assert sum(margins.values()) == 2 * 90
    assert list(map(int, margins)) == sorted(map(int, margins))
    total = sum(int(margin) * games for margin, games in margins.items())
    assert total == pytest.approx(results.margin.mean() * 180)


def test_deals_won_by_hand() -> None:
    """Of 12 deals A won 5 and B 4: 5 + 3/2 of 12."""
    plain, sides = np.zeros((2, 1), np.int64), np.zeros((2, 1, 2), np.int64)
    results = PairResults(plain, plain, sides, np.array([[[3, 2]], [[2, 2]]]), np.array([[5], [7]]))
    assert deals_won_rate(results) == pytest.approx(6.5 / 12)
    assert np.isnan(deals_won_rate(no_pairs()))
    assert deals_won_rate(by_hand()) == pytest.approx((3 + 0.5) / 6)


@pytest.mark.parametrize("variant", ["two_player", "partners", "historical"])
def test_deals_won_in_matches_are_those_of_each_match(variant: str) -> None:
    """The deals of each match are played one by one, and their points read as they end."""
    rules, pairs = Rules(variant), 6
    a, b = Mixed(variant), Lowest(variant)
    results = play_pairs(a, b, rules, 8, 0, pairs, "match")
    drawn = 0
    for pair in range(pairs):
        for game, players in enumerate(([a, b], [b, a])):
            won, deals = [0, 0], 0
            match = MatchBatch(1, rules)
            match.reset(seed=8, deal_ids=[pair])
            while not match.done:
                before, scores = int(match.deal_number[0]), match.scores[0]
                match.step(np.asarray(players[match.player[0] % 2].act(match.view())))
                ended = match.deal_number[0] - before + match.done
                last = match.last_points[0]
                # Declarations may end the next deal, and the match, before a card is played.
                earlier = match.scores[0] - scores - last
                for own, other in [earlier, last][2 - ended :]:
                    won[0] += own > other
                    won[1] += other > own
                    drawn += own == other
                deals += ended
            assert results.deals_won[game, pair].tolist() == (won if game == 0 else won[::-1])
            assert results.deals[game, pair] == deals
    won_by_a, won_by_b = results.deals_won.sum(axis=(0, 1))
    assert deals_won_rate(results) == pytest.approx((won_by_a + drawn / 2) / (won_by_a + won_by_b + drawn))


def test_details_on_the_terminal(capsys: Capture, tmp_path: Path) -> None:
    path = tmp_path / "o.json"
    common = ("greedy", "random", "--variant", "historical", "--pairs", "30", "--json", str(path))
    code, short, _ = run(capsys, *common)
    assert code == 0
    code, output, _ = run(capsys, *common, "--details")
    assert code == 0
    report = json.loads(path.read_text())
    assert "games by A's margin:" not in short
    lines = details_text(report["breakdown"], report["histogram"])
    assert output.endswith("\n".join(lines) + "\n")
    for row in report["breakdown"]:
        assert any(
            line.split(str(row["games"]))[0].strip() == row["kind"] and f"{row['mean']:+.3f}" in line for line in lines
        )
    widest = max(report["histogram"].values())
    bars = {line.split()[0]: line.count("#") for line in lines[-len(report["histogram"]) :]}
    assert bars == {f"{int(margin):+d}": round(40 * games / widest) for margin, games in report["histogram"].items()}
