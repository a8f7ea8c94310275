"""Cross-play: partnerships on the same deals, and what mixing them costs."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from agents.command import UsageError
from agents.crossplay import CrossTable, drops, join_cross, play_cross, seatings
from agents.crossplay_command import CrossplayOptions, run_crossplay
from agents.pairs import play_pairs
from tests.commands import Capture
from tests.toy_players import TOYS, Cards, Highest, Lowest, Mixed
from tressette_env import DealBatch, Rules
from tressette_env.view import View

LOWEST, HIGHEST, MIXED = (f"{TOYS}:{name}" for name in ("Lowest", "Highest", "Mixed"))


class Agreed(Lowest):
    """One of two partners plays high and the other low, which is better than both alike: its convention says who."""

    def __init__(self, variant: str, seed: int = 0, convention: int = 0) -> None:
        super().__init__(variant, seed)
        self.convention = convention

    def act(self, view: View) -> Cards:
        high = view.seat // 2 == self.convention
        return np.where(high, 39 - view.legal[:, ::-1].argmax(axis=1), view.legal.argmax(axis=1))


def agreed(convention: int) -> str:
    return f"{__name__}:Agreed:convention={convention}"


def options(*players: str, **others: Any) -> CrossplayOptions:
    return CrossplayOptions(
        **{"variant": "partners", "pairs": 40, "players": list(players), "opponent": LOWEST} | others
    )


def crossplay(path: Path, *players: str, **others: Any) -> dict[str, Any]:
    """The report of a run that completes, without the times."""
    assert run_crossplay(options(*players, json=path, **others))
    report: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    assert report.pop("seconds") > 0
    assert np.min(report.pop("ms_per_decision")) > 0
    return report


def one_game(players: list[Any], rules: Rules, seed: int, deal: int) -> int:
    """Play one deal card by card, `players` by seat, and return side 0's points less side 1's."""
    game = DealBatch(1, rules)
    game.reset(seed=seed, deal_ids=[deal])
    while not game.done:
        game.step(np.asarray(players[game.player[0]].act(game.view())))
    return int(game.points[0, 0] - game.points[0, 1])


@pytest.mark.parametrize("variant", ["partners", "historical"])
def test_a_partnership_plays_both_sides_and_both_orders(variant: str) -> None:
    rules = Rules(variant)
    table = CrossTable((HIGHEST, MIXED), LOWEST, rules, seed=4)
    x, y, other = Highest(variant, 4), Mixed(variant, 4), Lowest(variant, 4)
    found = play_cross(table, first=3, deals=5)
    assert table.partnerships == [(0, 0), (0, 1), (1, 1)]
    for deal in range(5):
        for index, (a, b) in enumerate([(x, x), (x, y), (y, y)]):
            margins = []
            for one, two in ((a, b), (b, a)):
                margins.append(one_game([one, other, two, other], rules, 4, 3 + deal))
                margins.append(-one_game([other, one, other, two], rules, 4, 3 + deal))
            assert found.values[index, deal] == np.mean(margins)
    assert found.effort.decisions == 5 * (2 + 4 + 2) * 40
    alone = play_pairs(x, other, rules, 4, 3, 5)
    assert np.array_equal(found.values[0], alone.margin)


def test_seatings() -> None:
    seats, side = seatings((1, 1), 2)
    assert (seats.tolist(), side.tolist()) == ([[1, 2, 1, 2], [2, 1, 2, 1]], [0, 1])
    seats, side = seatings((0, 1), 2)
    assert seats.tolist() == [[0, 2, 1, 2], [2, 0, 2, 1], [1, 2, 0, 2], [2, 1, 2, 0]]
    assert side.tolist() == [0, 1, 0, 1]


def test_drops_by_hand() -> None:
    table = CrossTable(("a", "b", "c"), "d", Rules("partners"))
    values = np.array([[4.0, 0.0], [1.0, 1.0], [2.0, 5.0], [2.0, 2.0], [0.0, 0.0], [6.0, 6.0]])  # aa ab ac bb bc cc
    found = drops(table, values)
    assert {pair: drop.tolist() for pair, drop in found.items()} == {
        (0, 1): [2.0, 0.0],
        (0, 2): [3.0, -2.0],
        (1, 2): [4.0, 4.0],
    }


def test_one_policy_under_two_names_loses_nothing(tmp_path: Path, capsys: Capture) -> None:
    report = crossplay(tmp_path / "out.json", MIXED, f"{MIXED}:seed=0")
    assert [row["mean"] for row in report["drops"]] == [0]
    assert report["drops"][0]["ci95"] == [0, 0]
    assert report["mean_drop"] == {"mean": 0, "ci95": [0, 0]}
    assert len({row["mean"] for row in report["partnerships"]}) == 1
    assert "+0.000" in capsys.readouterr().out


def test_a_private_convention_shows(tmp_path: Path, capsys: Capture) -> None:
    report = crossplay(tmp_path / "out.json", agreed(0), agreed(1), pairs=1200)
    drop = report["drops"][0]
    assert 0 < drop["ci95"][0] < drop["mean"] < drop["ci95"][1]
    own, mixed, other = (row["mean"] for row in report["partnerships"])
    assert drop["mean"] == pytest.approx((own + other) / 2 - mixed)
    assert f"{drop['mean']:+.3f}" in capsys.readouterr().out


def test_the_mean_drop_is_over_all_pairs(tmp_path: Path) -> None:
    report = crossplay(tmp_path / "out.json", LOWEST, HIGHEST, MIXED, variant="historical", opponent="random")
    assert [(row["a"], row["b"]) for row in report["drops"]] == [(LOWEST, HIGHEST), (LOWEST, MIXED), (HIGHEST, MIXED)]
    assert report["mean_drop"]["mean"] == pytest.approx(np.mean([row["mean"] for row in report["drops"]]))
    assert report["decisions"] == 40 * (3 * 2 + 3 * 4) * 40
    assert (report["pairs"], report["complete"], report["cheats"]) == (40, True, [])


def test_the_number_of_workers_changes_nothing(tmp_path: Path) -> None:
    files = [tmp_path / f"{workers}.jsonl" for workers in (1, 2)]
    one, two = (
        crossplay(tmp_path / "out.json", MIXED, HIGHEST, pairs=60, workers=workers, records=file)
        for workers, file in zip((1, 2), files, strict=True)
    )
    assert one == two
    assert files[0].read_text(encoding="utf-8") == files[1].read_text(encoding="utf-8")


def test_records_hold_all_games_deal_by_deal(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    report = crossplay(tmp_path / "out.json", MIXED, HIGHEST, pairs=30, records=path)  # two chunks
    games = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    assert len(games) == 30 * 8
    decks = [tuple(game["deals"][0]["deck"]) for game in games]
    assert all(len(set(decks[8 * deal : 8 * deal + 8])) == 1 for deal in range(30))
    assert len(set(decks)) == 30
    for row in report["partnerships"]:
        margins = []
        for game in games:
            seats, (zero, one) = game["players"], game["deals"][0]["points"]
            if sorted(seats[::2]) == sorted([row["a"], row["b"]]):
                margins.append(zero - one)
            elif sorted(seats[1::2]) == sorted([row["a"], row["b"]]):
                margins.append(one - zero)
        assert len(margins) == 30 * (2 if row["a"] == row["b"] else 4)
        assert np.mean(margins) == pytest.approx(row["mean"])


def test_deals_do_not_depend_on_how_they_are_grouped() -> None:
    table = CrossTable((MIXED, HIGHEST), LOWEST, Rules("partners"), seed=2)
    whole = play_cross(table, 0, 7)
    parts = join_cross([play_cross(table, 0, 3), play_cross(table, 3, 4)], table)
    assert np.array_equal(whole.values, parts.values)
    assert whole.effort.decisions == parts.effort.decisions


def test_an_interrupt_leaves_the_deals_that_were_completed(tmp_path: Path, capsys: Capture) -> None:
    path = tmp_path / "out.json"
    stopping = f"{TOYS}:Stopping:after=300"
    assert not run_crossplay(options(LOWEST, stopping, pairs=100, json=path, opponent=HIGHEST))
    report = json.loads(path.read_text(encoding="utf-8"))
    assert report["complete"] is False
    assert 0 < report["pairs"] < 100
    assert "stopped early" in capsys.readouterr().out
    at_once = f"{TOYS}:Stopping"
    assert not run_crossplay(options(LOWEST, at_once, json=path))
    report = json.loads(path.read_text(encoding="utf-8"))
    assert (report["pairs"], report["mean_drop"]["mean"]) == (0, None)


def test_cheating_players_are_marked(tmp_path: Path, capsys: Capture) -> None:
    peeking = f"{TOYS}:Peeking"
    report = crossplay(tmp_path / "out.json", LOWEST, peeking, opponent=peeking)
    assert report["cheats"] == [peeking, "opponent"]
    assert report["drops"][0]["mean"] == 0  # it makes nothing of what it sees
    assert f"two of {peeking} (cheats" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"variant": "two_player"}, "two_player has no partners"),
        ({"players": [LOWEST]}, "at least two"),
        ({"players": [LOWEST, LOWEST]}, "named twice"),
        ({"opponent": "nobody"}, "unknown player 'nobody'"),
        ({"pairs": 0}, "--pairs 0"),
        ({"records": Path("no/such/folder.jsonl")}, "--records"),
    ],
)
def test_bad_usage_is_refused_before_anything_is_played(wrong: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=re.escape(message)):
        run_crossplay(CrossplayOptions(**{"variant": "partners", "players": [LOWEST, HIGHEST]} | wrong))
