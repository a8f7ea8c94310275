"""Tressette as a game of OpenSpiel: `import examples.openspiel_game`, then `pyspiel.load_game("python_tressette")`.

Needs `pip install open-spiel`.  Parameters, in the string or as a dict: ``variant``, ``napoletana``, ``suits``,
``ranks`` and ``hand`` as in `tressette_env.Rules`, ``dealer`` a seat, or -1 (the default) to draw it.

    pyspiel.load_game("python_tressette(variant=two_player,suits=DC,ranks=A23,hand=2,dealer=1)")

A game is one deal from 0:0.  Chance first draws the dealer, unless it is given, then deals one card a node; a player's
action is a card id.  Returns are the points of a seat's side minus those of the other.  The information state is
what `DealBatch.observe` says, number for number, which has perfect recall; so it is the observation as well.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import comb
from typing import Any

import numpy as np
import pyspiel

from tressette_env import OBSERVATION_LAYOUT, Rules
from tressette_env.cards import NUM_CARDS, RANKS, SUITS, card_text, cards_of, cards_text
from tressette_env.episode import Episode, illegal_loss
from tressette_env.observation import obs_size

NAME = "python_tressette"
KIND = "deal"
DRAWN = -1
"""The parameter ``dealer`` when chance draws the dealer."""

_TYPE = pyspiel.GameType(
    short_name=NAME,
    long_name="Tressette",
    dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
    chance_mode=pyspiel.GameType.ChanceMode.EXPLICIT_STOCHASTIC,
    information=pyspiel.GameType.Information.IMPERFECT_INFORMATION,
    utility=pyspiel.GameType.Utility.ZERO_SUM,
    reward_model=pyspiel.GameType.RewardModel.TERMINAL,
    max_num_players=4,
    min_num_players=2,
    provides_information_state_string=True,
    provides_information_state_tensor=True,
    provides_observation_string=True,
    provides_observation_tensor=True,
    parameter_specification={
        "variant": "partners",
        "napoletana": False,
        "suits": SUITS,
        "ranks": RANKS,
        "hand": 10,
        "dealer": DRAWN,
    },
)


class TressetteGame(pyspiel.Game):  # type: ignore[misc]
    """The game of one rule set; ``rules`` and ``dealer`` (a seat or `DRAWN`) are what its parameters say.

    Raises ``ValueError`` for parameters of no rule set.
    """

    def __init__(self, params: dict[str, Any] | None = None) -> None:
        given = _TYPE.parameter_specification | (params or {})
        self.dealer: int = given.pop("dealer")
        self.rules = Rules(**given)
        if not DRAWN <= self.dealer < self.rules.seats:
            raise ValueError(f"dealer={self.dealer} is not allowed: -1 or a seat below {self.rules.seats}")
        if self.rules.ranks.isdigit():
            raise ValueError(f"ranks={self.rules.ranks!r} is not allowed here: OpenSpiel takes it for a number")
        most = illegal_loss(self.rules, KIND)
        info = pyspiel.GameInfo(
            num_distinct_actions=NUM_CARDS,
            max_chance_outcomes=NUM_CARDS,
            num_players=self.rules.seats,
            min_utility=-float(most),
            max_utility=float(most),
            utility_sum=0.0,
            max_game_length=self.rules.num_cards,
        )
        super().__init__(_TYPE, info, params or {})

    def new_initial_state(self) -> TressetteState:
        """Return the state before the deal."""
        return TressetteState(self)

    def max_chance_nodes_in_history(self) -> int:
        """Return how many outcomes a deal takes."""
        return self.rules.num_cards + (self.dealer == DRAWN)

    def make_py_observer(
        self, iig_obs_type: pyspiel.IIGObservationType | None = None, params: dict[str, Any] | None = None
    ) -> TressetteObserver:
        """Return the observer of what one seat may know; ``ValueError`` for any other kind."""
        kind = iig_obs_type or pyspiel.IIGObservationType(perfect_recall=True)
        if params or not kind.public_info or kind.private_info != pyspiel.PrivateInfoType.SINGLE_PLAYER:
            raise ValueError(f"{NAME} shows what one seat may know, hidden and public, without parameters")
        return TressetteObserver(self.rules)


class TressetteState(pyspiel.State):  # type: ignore[misc]
    """A deal being dealt or played; every rule is asked of the environment's own deal."""

    def __init__(self, game: TressetteGame) -> None:
        super().__init__(game)
        # Keep no reference to the game: a clone copies every attribute, and OpenSpiel's games cannot be copied.
        self._rules = game.rules
        self._dealer = game.dealer
        self._deck: list[int] = []
        self._episode: Episode | None = None

    @property
    def episode(self) -> Episode | None:
        """The deal once all cards are dealt, None before."""
        return self._episode

    def current_player(self) -> int:
        """Return the seat to act, or who stands for chance or the end."""
        if self._episode is None:
            return int(pyspiel.PlayerId.CHANCE)
        return int(pyspiel.PlayerId.TERMINAL) if self._episode.over else self._episode.deal.player

    def is_terminal(self) -> bool:
        """Return whether the deal is over; declarations alone may win a historical one."""
        return self._episode is not None and self._episode.over

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Return the seats that may deal, or the cards that may be dealt next, each with its probability.

        A hand is dealt in rising order, which a fair shuffle makes of the smaller cards more often: every hand then
        comes about in one way alone, and the tree is smaller by the orders in which a hand can be dealt.
        """
        if self._dealer == DRAWN:
            return [(seat, 1 / self._rules.seats) for seat in range(self._rules.seats)]
        in_hand, in_stock = len(self._deck) % self._rules.hand, len(self._deck) >= self._rules.seats * self._rules.hand
        missing = 1 if in_stock else self._rules.hand - in_hand
        above = -1 if in_stock or not in_hand else self._deck[-1]
        cards = [card for card in self._rules.pack if card > above and card not in self._deck]
        ways = comb(len(cards), missing)
        left = range(len(cards) - 1, missing - 2, -1)  # cards that are greater than each
        return [(card, comb(greater, missing - 1) / ways) for card, greater in zip(cards, left, strict=False)]

    def _legal_actions(self, player: int) -> list[int]:
        return cards_of(self._dealt.deal.legal)

    def _apply_action(self, action: int) -> None:
        if self._episode is not None:
            self._episode.play(action)
            return
        if action not in dict(self.chance_outcomes()):
            raise ValueError(f"chance can not have {self._action_to_string(pyspiel.PlayerId.CHANCE, action)} here")
        if self._dealer == DRAWN:
            self._dealer = action
            return
        self._deck.append(action)
        if len(self._deck) == self._rules.num_cards:
            self._episode = Episode(self._rules, KIND)
            self._episode.start(0, 0, {"deck": self._deck, "dealer": self._dealer})

    @property
    def _dealt(self) -> Episode:
        assert self._episode is not None, "no card is played before all are dealt"
        return self._episode

    def _action_to_string(self, player: int, action: int) -> str:
        if player != pyspiel.PlayerId.CHANCE:
            return card_text(action)
        return f"dealer {action}" if self._dealer == DRAWN else f"deal {card_text(action)}"

    def returns(self) -> list[float]:
        """Return the points of each seat's side minus those of the other, all 0 before the end."""
        if self._episode is None:
            return [0.0] * self._rules.seats
        by_side = self._episode.rewards()
        return [by_side[seat & 1] for seat in range(self._rules.seats)]

    def __str__(self) -> str:
        plays = [] if self._episode is None else [card for _, card in self._episode.deal.plays]
        return f"dealer {self._dealer}; deck {cards_text(self._deck)}; plays {cards_text(plays)}"

    def known_to(self, seat: int) -> str:
        """Return as text what makes the information set of a seat, which takes up its hand when all are dealt."""
        if self._episode is None:
            return f"seat {seat}"
        deal = self._episode.deal
        drawn = deal.deck[self._rules.seats * self._rules.hand : deal.next_draw]  # shown to all
        declared = {who: cards_text(cards_of(cards)) for who, cards in enumerate(deal.declared) if cards}
        parts = {
            "seat": seat,
            "dealer": deal.dealer,
            "hand": cards_text(cards_of(deal.hands[seat])),
            "declared": ", ".join(f"{who}:{cards}" for who, cards in declared.items()),
            "drawn": cards_text(drawn),
            "plays": " ".join(f"{who}:{card_text(card)}" for who, card in deal.plays),
        }
        return "; ".join(f"{name} {part}" for name, part in parts.items() if part != "")


class TressetteObserver:
    """What a seat may know: ``tensor`` (obs_size,) float32, and its blocks in ``dict`` by their names in the layout."""

    def __init__(self, rules: Rules) -> None:
        self.tensor = np.zeros(obs_size(rules), np.float32)
        layout = OBSERVATION_LAYOUT[rules.variant]
        self.dict = {name: self.tensor[block.slice].reshape(block.shape) for name, block in layout.items()}

    def set_from(self, state: TressetteState, player: int) -> None:
        """Write what `player` may know, zeros before all cards are dealt and after the end."""
        self.tensor[:] = 0 if state.episode is None else state.episode.deal.observe(player)

    def string_from(self, state: TressetteState, player: int) -> str:
        """Return it as text; unlike the tensor it names the seat, and lasts to the end."""
        return state.known_to(player)


def chance_actions(rules: Rules, deck: Sequence[int], dealer: int | None = None) -> list[int]:
    """Return the outcomes of chance that deal `deck`, a permutation of the pack, and draw `dealer` unless None."""
    dealt = rules.seats * rules.hand
    hands = [sorted(deck[start : start + rules.hand]) for start in range(0, dealt, rules.hand)]
    cards = [card for hand in hands for card in hand] + list(deck[dealt:])
    return cards if dealer is None else [dealer, *cards]


pyspiel.register_game(_TYPE, TressetteGame)
