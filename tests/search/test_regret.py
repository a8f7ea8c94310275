"""``python evaluate.py regret``: points lost against exact play."""

from __future__ import annotations

import json
from functools import lru_cache, partial
from pathlib import Path

import numpy as np
import pytest

from agents import regret_command, workers
from agents.progress import Progress
from agents.regret import (
    BEST,
    CHOICES,
    DECISIONS,
    POINTS,
    THIRDS,
    RegretResults,
    join_regrets,
    play_regret,
    points_lost,
)
from tests import commands
from tests.commands import Capture, without_times
from tests.games import name
from tests.toy_players import TOYS, Highest, Lowest, Mixed
from tressette_env import ENV_VERSION, DealBatch, Rules
from tressette_env.cards import card_ids

run, run_json = partial(commands.run, "regret"), partial(commands.run_json, "regret")
FIELDS = (
    "player opponent variant napoletana pairs distinct_deals seed cards points_lost_per_deal ci95 sd_pair "
    "thirds_lost_per_deal decisions unforced points_lost_per_decision thirds_lost_per_decision best_share by_trick "
    "by_seat ms_per_decision seconds version complete cheats"
)
TINY_RULES = [
    Rules("two_player", suits="DS", ranks="7A23", hand=2),  # a stock of four
    Rules("two_player", suits="DCS", ranks="A3", hand=3),
    Rules("two_player", napoletana=True, suits="DC", ranks="A23", hand=3),
    Rules("partners", ranks="A2", hand=2),
    Rules("partners", suits="DCS", ranks="3RA2", hand=3),
    Rules("historical", ranks="F3", hand=2),
]


def value(game: DealBatch, before: DealBatch | None = None) -> tuple[int, int]:
    """Final points of side 0 less side 1's, and its final thirds with three for the last trick.

    All play their best with open cards, each number taken by itself: every line of play is tried.
    """
    if game.done:
        assert before is not None
        thirds = int(game.thirds[0, 0])
        last_trick = int(game.points[0, 0] - before.points[0, 0]) - thirds // 3  # before the end: declarations alone
        return int(game.points[0, 0] - game.points[0, 1]), thirds + 3 * last_trick
    best = (max, min)[int(game.player[0]) % 2]
    points, thirds = zip(*(value(after(game, card), game) for card in legal(game)), strict=True)
    return best(points), best(thirds)


def legal(game: DealBatch) -> list[int]:
    return [int(card) for card in np.flatnonzero(game.legal_mask()[0])]


def after(game: DealBatch, card: int) -> DealBatch:
    game = game.copy()
    game.step([card])
    return game


@lru_cache
def by_brute_force(rules: Rules, seats: tuple[int, ...], deal: int, cards: int) -> list[list[int]]:
    """What `Mixed` in these seats (`Lowest` in the others) loses: (trick, seat, choices, points, thirds) by decision.

    Seats are counted from the one that leads first.
    """
    game = DealBatch(1, rules)
    game.reset(seed=3, deal_ids=[deal])
    mixed, lowest = Mixed(rules.variant), Lowest(rules.variant)
    found: list[list[int]] = []
    leader = int(game.player[0])
    while not game.done:
        seat = int(game.player[0])
        chosen = int((mixed if seat in seats else lowest).act(game.view())[0])
        held = bin(int(game.hands[0, seat])).count("1")
        if seat in seats and game.ply[0] >= rules.stock and held <= cards:
            sign = 1 - 2 * (seat % 2)
            values = {card: sign * np.array(value(after(game, card), game)) for card in legal(game)}
            lost = np.max(list(values.values()), axis=0) - values[chosen]
            where = [int(game.ply[0]) // rules.seats, (seat - leader) % rules.seats]
            found.append([*where, len(values), *lost.tolist()])
        game = after(game, chosen)
    return found


def expected(rules: Rules, first: int, pairs: int, cards: int, alone: bool) -> RegretResults:
    seatings = [(0, 1, 2, 3)] if alone else [(0, 2), (1, 3)]
    lost, counts = np.zeros(pairs), np.zeros((rules.num_tricks, rules.seats, 5), np.int64)
    for pair in range(pairs):
        for seats in seatings:
            for trick, seat, choices, points, thirds in by_brute_force(rules, seats, first + pair, cards):
                counts[trick, seat, DECISIONS] += 1
                if choices > 1:
                    counts[trick, seat, CHOICES] += 1
                    counts[trick, seat, BEST] += points == 0
                    counts[trick, seat, POINTS] += points
                    counts[trick, seat, THIRDS] += thirds if rules.variant != "historical" else 0
                    lost[pair] += points / 2
    return RegretResults(lost, counts)


@pytest.mark.parametrize("alone", [True, False], ids=["alone", "with opponent"])
@pytest.mark.parametrize("rules", TINY_RULES, ids=name)
def test_regret_is_what_trying_every_line_of_play_says(rules: Rules, alone: bool) -> None:
    opponent = None if alone else Lowest(rules.variant)
    for cards in (rules.hand, 2):
        results = play_regret(Mixed(rules.variant), opponent, rules, 3, 5, 12, cards)
        right = expected(rules, 5, 12, cards, alone)
        assert results.lost.tolist() == right.lost.tolist()
        assert results.counts.tolist() == right.counts.tolist()
        assert results.effort.decisions == 12 * rules.num_cards * (1 if alone else 2)
    if rules.variant == "partners":
        assert 0 < results.counts[..., POINTS].sum() < results.counts[..., THIRDS].sum()


def test_a_bad_card_loses_what_it_loses() -> None:
    """Seat 0 leads with A and 7 against 7 and A: the ace first makes 1:2, the seven first 2:1."""
    rules = Rules("two_player", suits="DS", ranks="7A", hand=2)
    deals = DealBatch(3, rules)
    decks = [card_ids("AD 7S 7D AS")] * 2 + [card_ids("7S 7D AD AS")]
    deals.reset(decks=decks, dealers=[1, 1, 0])
    rows = np.arange(2)
    lost = points_lost(deals, rows, deals.view().take(rows), np.array(card_ids("AD 7S")))
    assert lost.tolist() == [2, 0]
    # Seat 1 leads with both aces: either order takes everything.
    rows = np.array([2])
    for ace in card_ids("AD AS"):
        assert points_lost(deals, rows, deals.view().take(rows), np.array([ace])).tolist() == [0]


def test_chunks_change_nothing() -> None:
    rules = Rules("two_player")
    player = Highest("two_player")
    whole = play_regret(player, None, rules, 1, 0, 9, cards=5)
    parts = [play_regret(player, None, rules, 1, first, size, cards=5) for first, size in ((0, 2), (2, 6), (8, 1))]
    joined = join_regrets(parts, rules)
    assert joined.lost.tolist() == whole.lost.tolist()
    assert joined.counts.tolist() == whole.counts.tolist()
    assert (joined.effort.decisions, joined.effort.choices) == (whole.effort.decisions, whole.effort.choices)
    assert len(join_regrets([], rules)) == 0


def test_a_report(capsys: Capture, tmp_path: Path) -> None:
    path = tmp_path / "o.json"
    common = ("random", "--variant", "two_player", "--pairs", "12", "--seed", "4", "--json", str(path))
    code, output, errors = run(capsys, *common)
    assert (code, errors) == (0, "")
    report = json.loads(path.read_text())
    assert list(report) == FIELDS.split()
    assert (report["player"], report["opponent"], report["variant"]) == ("random", "random", "two_player")
    assert (report["pairs"], report["seed"], report["cards"], report["napoletana"]) == (12, 4, 10, False)
    assert report["distinct_deals"] == 12
    assert (report["version"], report["complete"], report["cheats"]) == (ENV_VERSION, True, [])
    assert report["decisions"] == 12 * 20
    rows = report["by_trick"]
    assert [row["trick"] for row in rows] == list(range(11, 21))
    assert [row["decisions"] for row in rows] == [24] * 10
    assert rows[-1]["unforced"] == 0
    assert rows[-1]["best_share"] is None  # no choice, nothing to say
    assert sum(row["unforced"] for row in rows) == report["unforced"] < report["decisions"]
    seats = report["by_seat"]
    assert [row["seat"] for row in seats] == [1, 2]
    assert sum(row["unforced"] for row in seats) == report["unforced"]
    lost = sum(row["unforced"] * row["points_lost_per_decision"] for row in rows[:-1])
    assert report["points_lost_per_decision"] == pytest.approx(lost / report["unforced"])
    assert report["points_lost_per_deal"] == pytest.approx(lost / 24)  # of each of two sides
    thirds = sum(row["unforced"] * row["thirds_lost_per_decision"] for row in rows[:-1])
    assert report["thirds_lost_per_deal"] == pytest.approx(thirds / 24)
    assert lost > 0
    half_width = 1.96 * report["sd_pair"] / 12**0.5
    assert report["ci95"] == pytest.approx([lost / 24 - half_width, lost / 24 + half_width])
    assert 0 < report["best_share"] < 1
    assert report["thirds_lost_per_decision"] > report["points_lost_per_decision"]
    for shown in (f"{report['points_lost_per_deal']:.4f}", f"{report['best_share']:.1%}", "empty stock", "12 deals"):
        assert shown in output


@pytest.mark.parametrize("variant", ["partners", "historical"])
def test_four_seats_are_measured_with_few_cards_and_the_report_says_what_that_means(
    capsys: Capture, tmp_path: Path, variant: str
) -> None:
    path = tmp_path / "o.json"
    report = run_json(capsys, path, "greedy", "--variant", variant, "--pairs", "3", "--cards", "4")
    assert [row["trick"] for row in report["by_trick"]] == [7, 8, 9, 10]
    assert report["decisions"] == 3 * 4 * 4
    against = ("greedy", "--opponent", "random", "--variant", variant, "--pairs", "3", "--cards", "4")
    report = run_json(capsys, path, *against)
    assert (report["player"], report["opponent"]) == ("greedy", "random")
    assert report["decisions"] == 2 * 3 * 4 * 2
    output = run(capsys, *against)[1]
    assert "greedy, against random" in output
    assert "3 duplicate pairs of seed 0" in output
    assert "the best fair play loses some too" in output


def test_default_cards_are_seven_with_four_seats() -> None:
    for variant, cards in (("two_player", 10), ("partners", 7), ("historical", 7)):
        options = regret_command.RegretOptions(player="rules", variant=variant)
        assert regret_command.check_regret(options)[1] == cards


def test_exact_play_loses_nothing(capsys: Capture, tmp_path: Path) -> None:
    common = ("--variant", "two_player", "--pairs", "10", "--seed", "2")
    report = run_json(capsys, tmp_path / "o.json", "rules+solver", *common)
    assert (report["points_lost_per_deal"], report["ci95"], report["best_share"]) == (0, [0, 0], 1)
    assert report["unforced"] > 0
    plain = run_json(capsys, tmp_path / "o.json", "rules", *common)
    assert plain["points_lost_per_deal"] > 0
    assert plain["best_share"] < 1
    against = run_json(capsys, tmp_path / "o.json", "rules+solver", "--opponent", "random", *common)
    assert (against["points_lost_per_deal"], against["best_share"]) == (0, 1)


def test_workers_change_nothing_but_the_time(capsys: Capture, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    common = ("greedy", "--variant", "two_player", "--pairs", "12", "--napoletana", "--cards", "5")
    alone = run_json(capsys, tmp_path / "o.json", *common)
    monkeypatch.setattr(workers, "LARGEST_CHUNK", 5)
    assert run_json(capsys, tmp_path / "o.json", *common) == alone
    assert run_json(capsys, tmp_path / "o.json", *common, "--workers", "2") == alone


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ("nobody --variant partners", "unknown player 'nobody'"),
        ("rules --opponent nobody --variant partners", "unknown player 'nobody'"),
        ("rules --variant partners --cards 1", "--cards 1 is not allowed: from 2"),
        ("rules --variant partners --cards 11", "--cards 11 is not allowed"),
        ("rules --variant partners --pairs 0", "--pairs 0"),
        ("rules --variant partners --json no_folder/o.json", "no_folder"),
        ("rules --variant pairs", "variant='pairs' is not allowed"),
        ("rules+solver --variant partners", "+solver plays exactly once every card is known, from the empty stock"),
        ("cheat+solver --variant two_player", "+solver is for players that do not see all cards"),
        ("pimc:depth=1 --variant partners", "its options are: seed, worlds"),
        ("rules greedy --variant partners", "unrecognized arguments: greedy"),
        ("--variant partners", "PLAYER"),
    ],
)
def test_bad_usage_is_one_line_and_exit_code_2(capsys: Capture, arguments: str, told: str) -> None:
    code, output, errors = run(capsys, *arguments.split())
    assert (code, output) == (2, "")
    assert told in errors
    assert errors.count("\n") == 1


def test_a_player_that_fails_ends_with_1(capsys: Capture) -> None:
    code, output, errors = run(capsys, f"{TOYS}:Failing", "--variant", "two_player", "--pairs", "2")
    assert (code, output) == (1, "")
    assert errors.startswith(f"evaluate.py regret: failed: player ({TOYS}:Failing) failed in deal ")


def test_an_interrupt_keeps_what_was_measured(capsys: Capture, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "o.json"
    common = ("greedy", "--variant", "two_player", "--cards", "4")
    whole = run_json(capsys, path, *common, "--pairs", "5")
    monkeypatch.setattr(workers, "LARGEST_CHUNK", 5)

    def interrupted(self: Progress, count: int) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Progress, "advance", interrupted)
    code, output, _ = run(capsys, *common, "--pairs", "50", "--json", str(path))
    assert code == 130
    assert "stopped early" in output
    assert without_times(path) == whole | {"complete": False}


def test_a_cheating_player_is_marked(capsys: Capture, tmp_path: Path) -> None:
    path = tmp_path / "o.json"
    common = ("--variant", "two_player", "--pairs", "2", "--cards", "3", "--json", str(path))
    _, output, _ = run(capsys, f"{TOYS}:Peeking", *common)
    assert f"{TOYS}:Peeking (cheats: sees all cards), both sides: two_player" in output
    assert json.loads(path.read_text())["cheats"] == ["player", "opponent"]


def test_help_has_an_example(capsys: Capture) -> None:
    code, output, _ = run(capsys, "--help")
    assert code == 0
    assert "python evaluate.py regret rules --variant two_player" in output
    assert "pimc:worlds=20" in output
