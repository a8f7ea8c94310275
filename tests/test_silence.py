"""Napoletana by hand: when it is announced, what it is worth, and what its absence tells."""

from __future__ import annotations

import numpy as np
import pytest

from tests.games import dealt, oracles
from tests.oracle import Oracle
from tressette_env import DealBatch, Rules
from tressette_env.cards import card_ids, cards_of, cards_text

PARTNERS = Rules("partners", napoletana=True)
TWO = Rules("two_player", napoletana=True)


class Table:
    """One deal, played by the core and the oracle side by side."""

    def __init__(self, rules: Rules, hands: tuple[str, ...], stock: str = "", leader: int = 0) -> None:
        cards = [card_ids(text) for text in hands]
        rest = [card for card in rules.pack if not any(card in hand for hand in [*cards, card_ids(stock)])]
        # The quiet cards first and by turns, so that no hand is completed by accident.
        rest.sort(key=lambda card: (card % 10 >= 7, card))
        while any(len(hand) < rules.hand for hand in cards):
            for hand in cards:
                if len(hand) < rules.hand:
                    hand.append(rest.pop(0))
        deck = [card for hand in cards for card in hand] + card_ids(stock) + rest
        self.deals: DealBatch = dealt(rules, [deck], [(leader - 1) % rules.seats])
        self.oracle: Oracle = oracles(rules, self.deals)[0]

    def play(self, text: str) -> Table:
        for card in card_ids(text):
            self.deals.step(np.array([card]))
            self.oracle.play(card)
        return self

    def known(self, seat: int) -> str:
        known = cards_of(self.deals.view().known[0, seat])
        assert set(known) == self.oracle.known(seat)
        return cards_text(known)

    def excluded(self, seat: int) -> str:
        excluded = cards_of(self.deals.view().excluded[seat, 0])
        assert set(excluded) == self.oracle.excluded(seat)
        return cards_text(excluded)

    def points(self) -> list[int]:
        return self.deals.points[0].tolist()


def test_it_is_announced_with_the_first_card_which_may_be_one_of_the_three() -> None:
    table = Table(PARTNERS, ("3D 2D AD", "4D 5D", "6D", "7D FD"))
    assert table.known(0) == ""
    assert table.points() == [0, 0]
    table.play("AD")
    assert table.known(0) == "2D 3D"
    assert table.points() == [3, 0]
    table.play("4D 6D 7D 2D 5D")
    assert table.known(0) == "3D"
    assert table.points() == [3, 0]


def test_a_player_announces_with_his_own_first_card_in_his_turn() -> None:
    table = Table(PARTNERS, ("4D", "5D 3C 2C AC", "6D", "7D 3S 2S AS 3B 2B AB")).play("4D")
    assert table.points() == [0, 0]
    assert table.play("5D").known(1) == "AC 2C 3C"
    assert table.points() == [0, 3]
    table.play("6D 7D")
    assert table.points() == [0, 3 + 6]  # two suits at once
    assert table.known(3) == "AS 2S 3S AB 2B 3B"


def test_without_the_option_nothing_is_said() -> None:
    table = Table(Rules("partners"), ("3D 2D AD", "4D", "6D", "7D")).play("3D 4D 6D 7D AD")
    assert table.known(0) == table.excluded(0) == ""
    assert table.points() == [0, 0]


def test_a_first_card_in_silence_excludes_the_third_of_two_that_have_fallen() -> None:
    table = Table(PARTNERS, ("3D 2D", "AD 4D 5D", "6D FD", "7D CD")).play("3D")
    assert table.excluded(0) == ""
    table.play("4D 6D 7D 2D")
    assert table.excluded(0) == "AD"
    assert table.excluded(1) == table.excluded(2) == table.excluded(3) == ""


@pytest.mark.parametrize("first", ["3D", "4D"])
def test_a_drawn_card_completes_the_three_in_hand(first: str) -> None:
    # Seat 0 wins and draws the ace: announced if the 3 is still in hand.
    table = Table(TWO, ("3D 2D 4D 5C", "7D 6D 4C"), stock="AD 5D")
    if first == "4D":
        table.play("4D 7D")  # seat 1 wins and draws the ace first
        assert table.points() == [0, 0]
        assert table.known(1) == "AD"
        return
    table.play("3D 6D")
    assert table.known(0) == "AD"
    assert table.points() == [0, 0]  # one of the three has been played already: nothing
    assert table.excluded(0) == ""  # and the 2 may well be there


def test_the_winner_draws_first_and_both_may_announce() -> None:
    table = Table(TWO, ("3D 2D RC 5S", "3C 2C 4C 6S"), stock="AD AC").play("RC 4C")
    assert table.points() == [3, 3]
    assert table.known(0) == "AD 2D 3D"
    assert table.known(1) == "AC 2C 3C"


def test_a_drawn_card_in_silence_excludes_nothing_while_one_other_is_known() -> None:
    # Seat 0 draws the ace, later plays the 3, which it has held since the deal: then it cannot hold the 2.
    table = Table(TWO, ("3D RC RS 5C", "4C 4S 7D 6D"), stock="AD 5D 6C 7C").play("RC 4C")
    assert table.known(0) == "AD"
    assert table.excluded(0) == ""
    table.play("3D 7D")
    assert table.excluded(0) == "2D"


def test_a_card_that_fell_before_the_other_was_drawn_excludes_nothing() -> None:
    # The 3 falls in the first trick, the ace comes after it: the 2 may have been there all the time.
    table = Table(TWO, ("3D 2D 5C", "7D 6D 4C"), stock="AD 5D").play("3D 7D")
    assert table.known(0) == "AD"
    assert table.excluded(0) == ""
    assert "2D" in cards_text(sorted(table.oracle.hands[0]))


def test_two_drawn_cards_exclude_the_third_if_they_were_together() -> None:
    hands = ("RC RS RB", "4C 4S 4B 5C")
    together = Table(TWO, hands, stock="AD 5D 3D 6D").play("RC 4C RS 4S")
    assert together.known(0) == "AD 3D"
    assert together.excluded(0) == "2D"
    apart = Table(TWO, hands, stock="AD 5D 3D 6D").play("RC 4C AD")
    apart.play(cards_text([sorted(apart.oracle.legal())[0]]))
    assert apart.known(0) == "3D"
    assert apart.excluded(0) == ""


def test_nothing_is_announced_twice() -> None:
    table = Table(TWO, ("3D 2D AD RC", "4C 5C"), stock="RD CD FD 7D").play("RC 4C")
    assert table.points() == [3, 0]
    table.play("RD CD")
    assert table.points() == [3, 0]


def test_historical_silence_excludes_what_would_have_been_declared() -> None:
    hands = (
        "3S 2S AS CS RD RC 4D 5D 6B 7B",
        "RS FS 7S 6S 5S 4S 4C 4B 5C 6C",
        "3D 2C AB RB CD FC 7D 6D 5B 7C",
        "3C 3B 2D 2B AD AC CC CB FD FB",
    )
    table = Table(Rules("historical"), hands, leader=3)
    assert table.known(0) == "AS 2S 3S"
    assert table.excluded(0) == "RS"  # it would have lengthened 3-2-A; behind the gap all is open
    assert table.excluded(1) == table.excluded(2) == table.excluded(3) == ""
    table.play("3C RC 4C 2C")
    assert table.excluded(3) == ""
    table.play("3B 6B 4B 5B")
    assert table.excluded(3) == "3D 3S"  # three 3s are declared
    assert table.excluded(1) == ""  # three 4s are not
    table.play("2B 7B 4S AB")
    assert table.excluded(1) == "4D"  # but four are
    assert table.excluded(3) == "3D 3S AB"
