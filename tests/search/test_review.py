"""``evaluate.py review``: the best card of each recorded decision, and what the one played cost."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from agents.regret import points_lost
from agents.review import EXACT, best_cards, judge_cards, review_deal
from agents.review_command import ReviewOptions, run_review
from agents.search.pimc import PimcPlayer
from agents.search.worlds import draw_worlds
from tests.games import random_cards
from tests.toy_players import Lowest
from tressette_env import ENV_VERSION, DealBatch, MatchBatch, Rules, make_player
from tressette_env.cards import card_id, card_text, popcount
from tressette_env.record import Recorder, records_of, replay_plies, write
from tressette_env.view import View

Record = dict[str, Any]
JUDGE = "pimc:worlds=5"
FIELDS = "record judge games deals decisions forced exact players worst list seconds version complete"
BLUNDER_PLY = 24


class Judge(Lowest):
    """Values a card by its id: the lowest is best; without worlds, so without errors."""

    def values(self, view: View) -> Any:
        return np.where(view.legal, -np.arange(40.0), np.nan)


def played(rules: Rules, deals: int, seed: int = 0) -> list[Record]:
    """Deals in which side 0 plays as `rules` and side 1 random cards."""
    batch = DealBatch(deals, rules)
    batch.reset(seed=seed)
    player, rng = make_player("rules", rules), np.random.default_rng(seed)
    while not batch.done:
        batch.step(np.where(batch.player % 2, random_cards(batch, rng), player.act(batch.view())))
    return records_of(batch, [["first", "second"] * (rules.seats // 2)] * deals)


def with_one_blunder() -> tuple[Record, int, str]:
    """A two_player deal played exactly from the empty stock on, but for one card: the record, its cost and the card.

    The deal is the first of a seed in which the ending has a decision, at a given ply, that can cost at least two
    points.  Before it everybody plays the judge's card, so that nothing costs more.
    """
    rules = Rules("two_player")
    exact = make_player("rules+solver", rules)
    for deal in range(100):
        game = DealBatch(1, rules)
        game.reset(seed=8, deal_ids=[deal])
        cost, card = 0, ""
        while not game.done:
            view = game.view()
            chosen = exact.act(view) if game.ply[0] >= rules.stock else view.legal.argmax(axis=1)
            if game.ply[0] == BLUNDER_PLY:
                legal = np.flatnonzero(view.legal[0])
                lost = [int(points_lost(game, np.arange(1), view, np.array([other]))[0]) for other in legal]
                cost, chosen = max(lost), legal[[int(np.argmax(lost))]]
                card = card_text(int(chosen[0]))
            game.step(chosen)
        if cost >= 2:
            return records_of(game, [["careful", "careless"]])[0], cost, card
    raise AssertionError("no deal of these has such a decision")


def options(path: Path, **arguments: Any) -> ReviewOptions:
    return ReviewOptions(**{"record": path, "judge": JUDGE, "json": path.with_suffix(".json")} | arguments)


def review(path: Path, records: list[Record], **arguments: Any) -> dict[str, Any]:
    write(path, records)
    chosen = options(path, **arguments)
    assert run_review(chosen)
    assert chosen.json is not None
    report: dict[str, Any] = json.loads(chosen.json.read_text("utf-8"))
    return report


def test_a_planted_blunder_is_the_worst_with_its_exact_cost(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    record, cost, card = with_one_blunder()
    report = review(
        tmp_path / "games.jsonl", [record], judge=f"{__name__}:Judge"
    )  # the lowest card was played: it likes it
    assert list(report) == FIELDS.split()
    (worst,) = report["worst"]
    assert (worst["ply"], worst["trick"], worst["card"], worst["judged"]) == (BLUNDER_PLY, 13, card, EXACT)
    assert (worst["cost"], worst["error"], worst["fault"]) == (cost, 0, True)
    assert worst["values"][worst["best"]] - worst["values"][card] == cost
    seat = worst["seat"]
    by_player = {row["player"]: row for row in report["players"]}
    assert by_player[record["players"][seat]]["lost"] == cost
    assert by_player[record["players"][seat]]["lost_per_deal"] == cost
    assert by_player[record["players"][seat]]["faults"] == 1
    assert by_player[record["players"][1 - seat]]["lost"] == 0
    output = capsys.readouterr().out
    assert output.index("worst decisions") < output.index("all decisions")
    assert f"{cost:.2f}" in output


def test_every_decision_is_listed_or_forced(tmp_path: Path) -> None:
    records = played(Rules("partners", ranks="FRA23", hand=5), 3)
    report = review(tmp_path / "games.jsonl", records)
    assert report["decisions"] + report["forced"] == 3 * 20
    assert [(row["game"], row["ply"]) for row in report["list"]] == sorted(
        (row["game"], row["ply"]) for row in report["list"]
    )
    for row in report["list"]:
        plays = records[row["game"] - 1]["deals"][0]["plays"]
        assert row["card"] == plays[row["ply"]]
        assert row["trick"] == row["ply"] // 4 + 1
        assert len(row["values"]) > 1
        assert row["values"][row["best"]] == max(row["values"].values()) or row["cost"] == 0
        assert row["cost"] == pytest.approx(row["values"][row["best"]] - row["values"][row["card"]])
        assert row["player"] == ("first", "second")[row["seat"] % 2]
    costs = sorted((row["cost"] for row in report["list"]), reverse=True)
    assert [row["cost"] for row in report["worst"]] == costs[:3]
    assert (report["games"], report["deals"], report["version"], report["complete"]) == (3, 3, ENV_VERSION, True)
    assert [row["sides"] for row in report["players"]] == [3, 3]
    assert sum(row["lost"] for row in report["players"]) == pytest.approx(sum(costs))
    one = review(tmp_path / "games.jsonl", records, game=2)
    assert one["list"] == [row for row in report["list"] if row["game"] == 2]


@pytest.mark.parametrize("variant", ["two_player", "partners", "historical"])
def test_exact_is_what_the_seat_can_know(variant: str) -> None:
    """Exact costs are those of the solver with the true cards; elsewhere the judge speaks."""
    rules = Rules(variant)
    judge = PimcPlayer(rules, worlds=3)
    record = played(rules, 1, seed=2)[0]
    deals = replay_plies(record)
    view = deals.view()
    decisions = review_deal(record, 0, judge, "the judge").decisions
    rows = np.array([decision.ply for decision in decisions])
    cards = np.array([card_id(decision.card) for decision in decisions])
    exact = np.array([decision.judged == EXACT for decision in decisions])
    assert rows.tolist() == np.flatnonzero(popcount(view.legal_cards) > 1).tolist()
    if variant == "two_player":
        assert exact.tolist() == (rows >= rules.stock).tolist()
    else:
        assert exact.tolist() == (draw_worlds(view.take(rows), 1).counts == 1).tolist()
        assert not exact[rows < 20].any()
    costs = np.array([decision.cost for decision in decisions])
    if exact.any():
        lost = points_lost(deals, rows[exact], view.take(rows[exact]), cards[exact])
        assert costs[exact].tolist() == lost.tolist()
    values = judge.values(view.take(rows[~exact]))
    assert costs[~exact] == pytest.approx(np.nanmax(values, axis=1) - values[np.arange(len(values)), cards[~exact]])
    assert {decision.judged for decision in decisions} <= {EXACT, "the judge"}


def test_with_one_world_left_the_pair_games_are_judged_exactly() -> None:
    """What was declared, and who did not follow, may leave one way for the hidden cards: the true one."""
    rules = Rules("historical")
    found = 0
    for record in played(rules, 40, seed=3):
        deals = replay_plies(record)
        view = deals.view()
        rows = np.flatnonzero((popcount(view.legal_cards) > 1) & (view.ply >= 24))
        seen, cards = view.take(rows), np.array([card_id(record["deals"][0]["plays"][row]) for row in rows])
        worlds = draw_worlds(seen, 4)
        means, errors, exact = judge_cards(seen, cards, Judge("historical"), "judge")
        assert exact.tolist() == (worlds.counts == 1).tolist()
        assert (worlds.hands[exact] == deals.hands[rows[exact], None]).all()
        costs = np.nanmax(means, axis=1) - means[np.arange(len(rows)), cards]
        assert costs[exact].tolist() == points_lost(deals, rows[exact], seen.take(exact), cards[exact]).tolist()
        assert (errors[exact] == 0).all()
        assert np.isnan(errors[~exact]).all()
        found += int(exact.sum())
    assert found >= 5


def test_errors_are_those_of_the_paired_differences() -> None:
    rules = Rules("partners")
    judge = PimcPlayer(rules, worlds=8)
    view = replay_plies(played(rules, 1)[0]).view()
    view = view.take(np.flatnonzero(popcount(view.legal_cards) > 1)[:6])
    cards = view.legal.argmax(axis=1)
    means, errors, exact = judge_cards(view, cards, judge, "judge")
    assert not exact.any()
    by_world = judge.world_values(view).astype(np.float64)
    assert means == pytest.approx(judge.values(view), nan_ok=True)
    best = best_cards(means, cards)
    for row, (own, other) in enumerate(zip(best, cards, strict=True)):
        difference = by_world[row, :, own] - by_world[row, :, other]
        assert errors[row] == pytest.approx(difference.std(ddof=1) / 8**0.5)
    assert errors[best == cards].tolist() == [0] * int((best == cards).sum())


def test_the_card_played_is_best_where_none_is_better() -> None:
    means = np.full((2, 40), np.nan)
    means[:, [3, 5, 9]] = [[1.0, 1.0, 0.0], [1.0, 2.0, 0.0]]
    assert best_cards(means, np.array([5, 3])).tolist() == [5, 5]
    assert best_cards(means, np.array([9, 5])).tolist() == [3, 5]


def test_matches_mini_packs_and_a_judge_of_ones_own(tmp_path: Path) -> None:
    rules = Rules("two_player", napoletana=True, suits="DC", ranks="RA23", hand=2)
    batch = MatchBatch(2, rules)
    batch.reset(seed=1)
    recorder, rng = Recorder(batch, [["one", "two"]] * 2), np.random.default_rng(1)
    while not batch.done:
        recorder.step(random_cards(batch, rng))
    records = recorder.records()
    report = review(tmp_path / "games.jsonl", records, judge=f"{__name__}:Judge")
    assert report["deals"] == sum(len(record["deals"]) for record in records) > 4
    estimated = [row for row in report["list"] if row["judged"] != EXACT]
    assert 0 < len(estimated) < len(report["list"])
    for row in estimated:
        assert row["error"] is None  # this judge has none
        assert row["best"] == min(row["values"], key=card_id)
        assert row["cost"] == card_id(row["card"]) - card_id(row["best"])


def test_one_player_on_both_sides_counts_for_each(tmp_path: Path) -> None:
    rules = Rules("partners", ranks="FRA23", hand=5)
    record = played(rules, 1)[0] | {"players": ["x", "x", "x", "y"]}
    report = review(tmp_path / "games.jsonl", [record])
    rows = {row["player"]: row for row in report["players"]}
    assert (rows["x"]["sides"], rows["y"]["sides"]) == (2, 1)
    assert rows["x"]["lost_per_deal"] == pytest.approx(rows["x"]["lost"] / 2)


def test_a_deal_won_by_declarations_has_nothing_to_judge(tmp_path: Path) -> None:
    rules = Rules("historical")
    batch = MatchBatch(40, rules)
    batch.reset(seed=1, scores=[[20, 20]] * 40)
    won = int(np.flatnonzero(~batch.active)[0])
    single = MatchBatch(1, rules)
    single.reset(decks=batch.decks[[won]], dealers=batch.dealer[[won]], scores=[[20, 20]])
    report = review(tmp_path / "games.jsonl", Recorder(single, [list("abcd")]).records())
    assert (report["decisions"], report["forced"], report["deals"], report["complete"]) == (0, 0, 1, True)


def test_names_are_shown_as_they_are(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    record = played(Rules("partners", ranks="A2", hand=2), 1)[0] | {"players": ["[red]a", ":smile:", "b", "c"]}
    review(tmp_path / "games.jsonl", [record])
    output = capsys.readouterr().out
    assert "[red]a" in output
    assert ":smile:" in output
