"""Matches and parties (RULES §6, §7, and the marks of §8), against the written rules and the naive oracle."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest

from tests.games import FULL_RULES, name, random_cards, rich_decks
from tests.oracle import Oracle
from tests.test_worked_examples import E1_HANDS, E1_TRICKS
from tressette_env import MatchBatch, Rules
from tressette_env.cards import card_ids
from tressette_env.matches import settle

PARTNERS, HISTORICAL = Rules("partners"), Rules("historical")
E1_DECK = [card_ids(" ".join(E1_HANDS))]
E1_DEALER = [3]  # seat 0 leads; side 0 wins 6:5, nobody has anything to declare
UNDECIDED = -1


def after_e1(rules: Rules, scores: tuple[int, int]) -> MatchBatch:
    """A match in which deal 0 was E1, 6:5."""
    match = MatchBatch(1, rules)
    match.reset(seed=3, decks=E1_DECK, dealers=E1_DEALER, scores=[scores])
    for card in card_ids(" ".join(E1_TRICKS)):
        match.step([card])
    return match


def first_declarer_of(hand: str, scores: tuple[int, int]) -> MatchBatch:
    """A party whose first declarer, seat 1, holds these ten cards, and the others combinations of no worth."""
    hands: list[list[int]] = [[], card_ids(hand), [], []]
    rest = [card for card in range(40) if card not in hands[1]]
    for place, card in enumerate(rest):
        hands[(2, 3, 0)[place % 3]].append(card)
    match = MatchBatch(1, HISTORICAL)
    match.reset(seed=3, decks=[[card for cards in hands for card in cards]], dealers=[0], scores=[scores])
    return match


def settled(rules: Rules, scores: tuple[int, int], points: tuple[int, int], played: bool = True) -> tuple[object, ...]:
    """Total, winner, payment and next marks of one deal."""
    outcome = settle(rules, np.array([scores]), np.array([points]), np.array([played]))
    return tuple(part[0].tolist() for part in outcome)


@pytest.mark.parametrize("target", [21, 31, 41])
@pytest.mark.parametrize(
    ("missing", "points", "winner"),
    [
        ((3, 10), (5, 6), 0),  # one side gets there
        ((10, 3), (6, 5), 1),
        ((5, 10), (5, 6), 0),  # the target itself is enough
        ((6, 7), (5, 6), UNDECIDED),  # both are one short
        ((1, 2), (0, 11), 1),  # the side nearer to the target may lose
        ((3, 2), (6, 5), UNDECIDED),  # 24:24 and the like: equal
        ((3, 1), (6, 5), 1),  # both get there: the side with more wins
        ((-4, -4), (5, 6), 1),  # a tie above the target is broken by the next deal
    ],
)
def test_when_a_modern_match_ends(target: int, missing: tuple[int, int], points: tuple[int, int], winner: int) -> None:
    before = (target - missing[0], target - missing[1])
    after = [before[0] + points[0], before[1] + points[1]]
    payment = 0 if winner == UNDECIDED else 1
    assert settled(Rules("partners", target=target), before, points) == (after, winner, payment, [0, 0])


def test_equal_points_lead_to_another_deal() -> None:
    match = after_e1(PARTNERS, (19, 20))
    assert match.scores.tolist() == [[25, 25]]
    assert match.winner.tolist() == [UNDECIDED]
    assert match.payment.tolist() == [0]
    assert match.active.tolist() == [True]
    assert match.last_points.tolist() == [[6, 5]]
    assert match.points.tolist() == [[0, 0]]  # of the deal just dealt
    assert match.thirds.tolist() == [[0, 0]]
    while not match.done:
        match.step(random_cards(match, np.random.default_rng(1)))
    assert match.deal_number.tolist() == [1]  # eleven points cannot be halved
    assert match.scores.sum() == 61


def test_the_side_with_more_wins_when_both_reach_the_target() -> None:
    match = after_e1(PARTNERS, (18, 20))
    assert match.scores.tolist() == [[24, 25]]
    assert match.winner.tolist() == [1]
    assert match.payment.tolist() == [1]
    assert match.next_marks.tolist() == [[0, 0]]
    assert match.done


def test_a_higher_target_goes_on() -> None:
    assert after_e1(PARTNERS, (18, 14)).winner.tolist() == [0]
    assert after_e1(Rules("partners", target=31), (18, 14)).winner.tolist() == [UNDECIDED]


def test_the_target_is_tested_at_the_end_of_a_deal_only() -> None:
    """19:18, a napoletana in trick 1 makes 22:18, the tricks 2:9 → 24:27: the other side wins."""
    rules, rows = Rules("partners", napoletana=True), 4096
    match = MatchBatch(rows, rules)
    match.reset(seed=0, decks=rich_decks(rules, rows, 5), dealers=[3] * rows, scores=[(19, 18)] * rows)
    rng = np.random.default_rng(6)
    for ply in range(rules.num_cards):
        match.step(random_cards(match, rng))
        if ply == 3:
            announced = (match.points == (3, 0)).all(axis=1)
        if ply < rules.num_cards - 1:
            assert match.active.all()
            assert (match.scores == (19, 18)).all()
    example = announced & (match.last_points == (5, 9)).all(axis=1)
    assert example.any()
    assert (match.scores[example] == (24, 27)).all()
    assert (match.winner[example] == 1).all()


def test_a_declaration_that_reaches_21_wins_at_once() -> None:
    """18:18 and the first declarer has 3: the party is won, no card is played, the next starts 0:0."""
    match = first_declarer_of("3D 2D AD 4D 7C FC RS 6S 5B CB", (18, 18))
    assert match.done
    assert match.winner.tolist() == [1]
    assert match.scores.tolist() == [[18, 21]]
    assert match.last_points.tolist() == [[0, 3]]
    assert match.payment.tolist() == [1]
    assert match.next_marks.tolist() == [[0, 0]]
    assert match.player.tolist() == [-1]
    assert match.legal.tolist() == [0]


def test_a_party_won_by_declarations_carries_nothing_over() -> None:
    match = first_declarer_of("3D 2D AD RD CD FD 7D 6D 5D 4D", (5, 20))
    assert match.scores.tolist() == [[5, 30]]
    assert match.payment.tolist() == [2]
    assert match.next_marks.tolist() == [[0, 0]]


def test_marks_carry_over_and_chips() -> None:
    assert settled(HISTORICAL, (15, 9), (8, 3)) == ([23, 12], 0, 1, [2, 0])
    assert settled(HISTORICAL, (9, 15), (3, 8)) == ([12, 23], 1, 1, [0, 2])
    assert settled(HISTORICAL, (15, 5), (6, 5)) == ([21, 10], 0, 2, [0, 0])
    assert settled(HISTORICAL, (15, 6), (6, 5)) == ([21, 11], 0, 1, [0, 0])
    assert settled(HISTORICAL, (20, 0), (41, 0)) == ([61, 0], 0, 2, [20, 0])  # at most 20
    assert settled(HISTORICAL, (20, 10), (21, 0)) == ([41, 10], 0, 2, [20, 0])
    assert settled(HISTORICAL, (20, 10), (19, 3)) == ([39, 13], 0, 1, [18, 0])
    assert settled(HISTORICAL, (18, 18), (0, 3), played=False) == ([18, 21], 1, 1, [0, 0])
    assert settled(HISTORICAL, (9, 8), (6, 5)) == ([15, 13], UNDECIDED, 0, [0, 0])
    assert settled(HISTORICAL, (19, 20), (6, 5)) == ([25, 25], UNDECIDED, 0, [0, 0])
    assert settled(PARTNERS, (15, 5), (6, 5)) == ([21, 10], 0, 1, [0, 0])  # no chips, no marks in the modern game


def test_a_played_deal_of_the_historical_game_settles() -> None:
    won = after_e1(HISTORICAL, (18, 5))
    assert won.scores.tolist() == [[24, 10]]
    assert (won.winner.tolist(), won.payment.tolist(), won.next_marks.tolist()) == ([0], [2], [[3, 0]])
    tied = after_e1(HISTORICAL, (19, 20))
    assert tied.scores.tolist() == [[25, 25]]
    assert tied.deal_number.tolist() == [1]
    assert tied.winner.tolist() == [UNDECIDED]


def test_at_equal_marks_above_21_any_declaration_wins() -> None:
    match = first_declarer_of("3D 2D AD 4D 7C FC RS 6S 5B CB", (25, 25))
    assert (match.winner.tolist(), match.scores.tolist()) == ([1], [[25, 28]])
    silent = first_declarer_of("3D 2D RD 4D 7C FC RS 6S 5B CB", (25, 25))
    assert silent.scores.tolist() == [[25, 25]]
    assert silent.active.tolist() == [True]


class Follower:
    """One match played by the written rules beside row `row` of a batch, which deals the cards."""

    def __init__(self, batch: MatchBatch, row: int, scores: list[int]) -> None:
        self.batch, self.row, self.rules = batch, row, batch.rules
        self.scores = scores
        self.dealer = int(batch.dealer[row])
        self.deal = self.dealt()
        self.over = False
        self.settle()

    def dealt(self) -> Oracle:
        return Oracle(self.rules, self.batch.decks[self.row], self.dealer, (self.scores[0], self.scores[1]))

    def play(self, card: int) -> None:
        self.deal.play(card)
        self.settle()

    def settle(self) -> None:
        """Count the deals that are over, and compare everything with the batch."""
        while self.deal.over and not self.over:
            points = self.deal.points()
            self.scores = [self.scores[0] + points[0], self.scores[1] + points[1]]
            self.over = max(self.scores) >= self.rules.target and self.scores[0] != self.scores[1]
            if not self.over:
                self.dealer = (self.dealer + 1) % self.deal.seats
                self.deal = self.dealt()
            if self.over or not self.deal.over:
                assert self.batch.last_points[self.row].tolist() == points
        self.compare()

    def compare(self) -> None:
        batch, row = self.batch, self.row
        assert batch.active[row] != self.over
        assert batch.scores[row].tolist() == self.scores
        assert batch.dealer[row] == self.dealer
        winner, payment, marks = UNDECIDED, 0, [0, 0]
        if self.over:
            winner, payment = int(self.scores[1] > self.scores[0]), 1
            if self.rules.variant == "historical":
                payment = 2 if min(self.scores) < 11 else 1
                if self.deal.played_out:
                    marks[winner] = min(max(self.scores) - 21, 20)
        else:
            assert batch.points[row].tolist() == self.deal.points()
            assert batch.player[row] == self.deal.player
        assert (batch.winner[row], batch.payment[row]) == (winner, payment)
        assert batch.next_marks[row].tolist() == marks


def follow(batch: MatchBatch, seed: int, scores: npt.NDArray[np.int64]) -> list[Follower]:
    """Play matches of a seed from these scores at random, beside the written rules."""
    rng = np.random.default_rng(seed)
    batch.reset(seed=seed, scores=scores)
    followers = [Follower(batch, row, start) for row, start in enumerate(scores.tolist())]
    while not batch.done:
        cards, active = random_cards(batch, rng), batch.active
        batch.step(cards)
        for row in np.flatnonzero(active):
            followers[row].play(int(cards[row]))
    assert all(follower.over for follower in followers)
    return followers


@pytest.mark.parametrize("rules", [*FULL_RULES, Rules("two_player", napoletana=True, target=41)], ids=name)
def test_random_matches_follow_the_rules(rules: Rules) -> None:
    follow(MatchBatch(25, rules), 11, np.zeros((25, 2), np.int64))


def test_historical_parties_near_their_end_follow_the_rules() -> None:
    batch = MatchBatch(150, HISTORICAL)
    followers = follow(batch, 12, np.random.default_rng(4).integers(8, 21, (150, 2)))
    by_declarations = [follower.row for follower in followers if not follower.deal.played_out]
    assert 0 < len(by_declarations) < 150
    assert (batch.deal_number[by_declarations] > 0).any()
    assert set(batch.payment.tolist()) == {1, 2}
