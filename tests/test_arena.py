"""Duplicate pairs and their statistics (CONTRACT §7)."""

from __future__ import annotations

import math

import numpy as np
import pytest

from agents import workers
from agents.arena import Effort
from agents.pairs import PairResults, join_results, no_pairs, play_pairs
from agents.statistics import summarize
from agents.workers import Meeting, in_chunks, play_chunks
from tests.games import FULL_RULES, SMALL_RULES, name
from tests.pair_results import same
from tests.toy_players import Highest, Illegal, Lowest, Mixed
from tressette_env import DealBatch, MatchBatch, Rules, play
from tressette_env.players import IllegalReplyError, Player
from tressette_env.view import View

EPISODES = ("deal", "match")
TOYS = "tests.toy_players"


def one_game(players: list[Player], rules: Rules, seed: int, game_id: int, episode: str) -> DealBatch:
    """Play one game alone, card by card; `players` by side."""
    game = DealBatch(1, rules) if episode == "deal" else MatchBatch(1, rules)
    game.reset(seed=seed, deal_ids=[game_id])
    while not game.done:
        game.step(np.asarray(players[game.player[0] % 2].act(game.view())))
    return game


@pytest.mark.parametrize("episode", EPISODES)
@pytest.mark.parametrize("rules", [*FULL_RULES, SMALL_RULES[1], SMALL_RULES[8]], ids=name)
def test_a_pair_is_two_games_on_the_same_cards_with_the_sides_swapped(rules: Rules, episode: str) -> None:
    a, b = Mixed(rules.variant), Lowest(rules.variant)
    results = play_pairs(a, b, rules, seed=5, first=2, pairs=4, episode=episode)
    decisions = 0
    for pair in range(4):
        margins, wins = [], []
        for side_of_a, players in enumerate(([a, b], [b, a])):
            game = one_game(players, rules, 5, 2 + pair, episode)
            points = game.points[0]
            margin = int(points[side_of_a] - points[1 - side_of_a])
            decisions += rules.num_cards
            if isinstance(game, MatchBatch):
                margin = int(game.payment[0]) * (1 if game.winner[0] == side_of_a else -1)
                decisions += rules.num_cards * (int(game.deal_number[0]) - 1)
                decisions += int(game.ply[0])
            margins.append(margin)
            wins.append(1.0 if margin > 0 else 0.5 if margin == 0 else 0.0)
        assert results.margin[pair] == np.mean(margins)
        assert results.wins[pair] == np.mean(wins)
    assert results.effort.decisions == decisions


@pytest.mark.parametrize("episode", EPISODES)
@pytest.mark.parametrize("rules", FULL_RULES, ids=name)
def test_a_player_against_itself_scores_exactly_zero(rules: Rules, episode: str) -> None:
    for player in (Lowest(rules.variant), Mixed(rules.variant, seed=3)):
        results = play_pairs(player, player, rules, seed=1, first=0, pairs=40, episode=episode)
        summary = summarize(results)
        assert (summary["mean"], summary["ci95"], summary["sd_pair"]) == (0, [0, 0], 0)
        assert summary["win_rate"] == 0.5
        assert set(results.wins) == {0.5}


@pytest.mark.parametrize("episode", EPISODES)
def test_results_do_not_depend_on_how_the_pairs_are_grouped(episode: str) -> None:
    rules = Rules("partners", napoletana=True)
    a, b = Mixed("partners"), Highest("partners")

    def play(first: int, pairs: int) -> PairResults:
        return play_pairs(a, b, rules, 9, first, pairs, episode)

    whole = play(0, 30)
    assert same(join_results([play(0, 7), play(7, 1), play(8, 22)]), whole)
    assert np.array_equal(play(0, 12).margin, whole.margin[:12])  # more pairs leave the earlier ones alone
    assert not np.array_equal(play(30, 30).margin, whole.margin)
    assert len(set(whole.margin)) > 2


def test_swapping_the_players_changes_the_sign() -> None:
    rules = Rules("two_player")
    a, b = Mixed("two_player"), Highest("two_player")
    ab, ba = (play_pairs(*players, rules, 2, 0, 50) for players in ((a, b), (b, a)))
    assert np.array_equal(ab.margin, -ba.margin)
    assert np.array_equal(ab.wins, 1 - ba.wins)


class Watcher(Mixed):
    """Notes what it is shown."""

    def __init__(self, variant: str, seed: int = 0) -> None:
        super().__init__(variant, seed)
        self.views: list[View] = []

    def act(self, view: View) -> np.ndarray:
        self.views.append(view)
        return super().act(view)


@pytest.mark.parametrize("variant", ["two_player", "partners"])
def test_a_player_is_shown_its_own_decisions_only(variant: str) -> None:
    a, b = Watcher(variant), Watcher(variant, seed=1)
    results = play_pairs(a, b, Rules(variant), seed=4, first=0, pairs=20)
    shown = [sum(len(view) for view in player.views) for player in (a, b)]
    assert shown == [20 * 40, 20 * 40]
    assert sum(shown) == results.effort.decisions
    for view in (*a.views, *b.views):
        assert (view.seat >= 0).all()
        assert view.legal.any(axis=1).all()
    leading = [player.views[0].hand for player in (a, b)]
    assert set(leading[0].tolist()) == set(leading[1].tolist())  # both get to lead with the same cards


class OpenLowest:
    """Notes what it is handed, and that it agrees; plays its lowest card."""

    sees_hidden_cards = True

    def __init__(self) -> None:
        self.asked = 0

    def act_on(self, deals: DealBatch, rows: np.ndarray, view: View) -> np.ndarray:
        assert np.array_equal(deals.hands[rows, view.seat], view.hand)
        assert np.array_equal(deals.player[rows], view.seat)
        self.asked += len(rows)
        return view.legal.argmax(axis=1)


@pytest.mark.parametrize("episode", EPISODES)
@pytest.mark.parametrize("variant", ["two_player", "partners", "historical"])
def test_only_a_player_that_says_it_cheats_is_handed_the_deals(variant: str, episode: str) -> None:
    """The other one has no method by which it could be."""
    rules, cheat = Rules(variant), OpenLowest()
    results = play_pairs(cheat, Mixed(variant), rules, 3, 0, 6, episode)
    fair = play_pairs(Lowest(variant), Mixed(variant), rules, 3, 0, 6, episode)
    assert same(results, fair)
    assert 0 < cheat.asked < results.effort.decisions


class Forgetful(Lowest):
    """Counts its own decisions by hand."""

    def __init__(self, variant: str) -> None:
        super().__init__(variant)
        self.choices = 0

    def act(self, view: View) -> np.ndarray:
        self.choices += sum(bin(cards).count("1") > 1 for cards in view.legal_cards.tolist())
        return super().act(view)


def test_effort_is_counted_for_each_player() -> None:
    a, b = Forgetful("partners"), Forgetful("partners")
    effort = play_pairs(a, b, Rules("partners"), seed=1, first=0, pairs=5).effort
    assert effort.choices == (a.choices, b.choices)
    assert effort.decisions == 5 * 2 * 40
    assert 0 < a.choices < 5 * 40
    assert min(effort.seconds) > 0
    whole = effort + Effort(10, (1, 2), (0.5, 0.25))
    assert whole.decisions == 410
    assert whole.choices == (a.choices + 1, b.choices + 2)
    assert Effort(100, (50, 20), (1.0, 0.1)).ms_per_decision == pytest.approx([20, 5])
    assert all(math.isnan(value) for value in Effort().ms_per_decision)


def test_the_first_pairs_have_their_share_of_the_effort() -> None:
    whole = play_pairs(Mixed("partners"), Lowest("partners"), Rules("partners"), seed=1, first=0, pairs=20)
    part, alone = whole.first(5), play_pairs(Mixed("partners"), Lowest("partners"), Rules("partners"), 1, 0, 5)
    assert all(np.array_equal(*columns) for columns in zip(part.columns, alone.columns, strict=True))
    assert part.effort.decisions == alone.effort.decisions == 5 * 2 * 40
    assert part.effort.choices == pytest.approx(alone.effort.choices, rel=0.1)
    assert part.effort.ms_per_decision == pytest.approx(whole.effort.ms_per_decision, rel=0.01)
    assert whole.first(20) is whole.first(30) is whole


def test_a_deal_won_by_declarations_counts_for_both_seatings(monkeypatch: pytest.MonkeyPatch) -> None:
    """No card is played, and the pair is even.  From 0:0 it takes 21 marks: too rare to find, so 5 shall do."""
    monkeypatch.setattr(play, "HISTORICAL_TARGET", 5)
    rules = Rules("historical")
    batch = DealBatch(200, rules)
    batch.reset(seed=6)
    declared = ~batch.active
    assert (np.abs(batch.points[declared]).max(axis=1) >= 5).all()
    results = play_pairs(Mixed("historical"), Lowest("historical"), rules, seed=6, first=0, pairs=200)
    assert 0 < declared.sum() < 200
    assert set(results.margin[declared]) == {0.0}
    assert set(results.wins[declared]) == {0.5}
    assert results.effort.decisions == 2 * 40 * np.count_nonzero(~declared)


def test_an_illegal_reply_names_player_deal_and_ply() -> None:
    a, b = Lowest("partners"), Illegal("partners")
    with pytest.raises(IllegalReplyError, match=r"^my bot played \w\w in deal 10\d at ply 6; legal cards: ") as raised:
        play_pairs(a, b, Rules("partners"), seed=1, first=100, pairs=10, names=("other", "my bot"))
    told = str(raised.value).split()
    deal, card = int(told[6]), told[3]
    with pytest.raises(IllegalReplyError) as alone:
        play_pairs(a, b, Rules("partners"), seed=1, first=deal, pairs=1, names=("other", "my bot"))
    assert f"played {card} in deal {deal} " in str(alone.value)
    with pytest.raises(IllegalReplyError, match=r"A played \w\w in match \d, deal 0 at ply 6; legal cards: "):
        play_pairs(b, a, Rules("partners"), seed=1, first=0, pairs=10, episode="match")


def test_an_unknown_episode_is_refused() -> None:
    with pytest.raises(ValueError, match="episode='party' is not allowed: 'deal', 'match'"):
        play_pairs(Lowest("partners"), Lowest("partners"), Rules("partners"), 0, 0, 1, episode="party")


def test_workers_and_chunks_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    meeting = Meeting(f"{TOYS}:Mixed", f"{TOYS}:Highest", Rules("partners", napoletana=True), seed=3)
    expected = play_pairs(Mixed("partners", seed=3), Highest("partners"), meeting.rules, 3, 0, 50)
    assert same(join_results(play_chunks(meeting, 50)), expected)
    monkeypatch.setattr(workers, "LARGEST_CHUNK", 12)
    assert [len(part) for part in play_chunks(meeting, 50)] == [12, 12, 12, 12, 2]
    assert same(join_results(play_chunks(meeting, 50)), expected)
    assert same(join_results(play_chunks(meeting, 50, workers=2)), expected)


def chunk_sizes(pairs: int, slow: bool) -> list[int]:
    sizes = []
    for first, size in in_chunks(lambda first, size: (first, size), pairs, slow=slow):
        assert first == sum(sizes)
        sizes.append(size)
    return sizes


@pytest.mark.parametrize("pairs", [1, 30, 128, 129, 1000, 20_000])
def test_slow_players_are_asked_in_small_chunks(pairs: int) -> None:
    sizes = chunk_sizes(pairs, slow=True)
    assert sum(sizes) == pairs
    assert max(sizes) <= 8
    assert len(sizes) >= min(pairs, 64)
    assert max(chunk_sizes(pairs, slow=False)) >= max(sizes)


def test_a_player_says_that_it_is_slow(monkeypatch: pytest.MonkeyPatch) -> None:
    meeting = Meeting("rules", f"{TOYS}:Lowest", Rules("partners"))
    assert [len(part) for part in play_chunks(meeting, 20)] == [20]
    monkeypatch.setattr(Lowest, "slow", True, raising=False)
    assert [len(part) for part in play_chunks(meeting, 20)] == [1] * 20


@pytest.mark.parametrize("pairs", [1, 24, 26, 400, 401, 15_999, 16_000, 123_456])
def test_chunks_cover_every_pair_once_in_order(monkeypatch: pytest.MonkeyPatch, pairs: int) -> None:
    played: list[tuple[int, int]] = []
    nothing = no_pairs()

    def note(meeting: Meeting, first: int, size: int) -> PairResults:
        played.append((first, size))
        return nothing

    monkeypatch.setattr(workers, "play_chunk", note)
    assert set(map(id, play_chunks(Meeting("rules", "rules", Rules("partners")), pairs))) == {id(nothing)}
    ends = [first + size for first, size in played]
    assert [first for first, _ in played] == [0, *ends[:-1]]
    assert ends[-1] == pairs
    assert max(size for _, size in played) <= 1000
