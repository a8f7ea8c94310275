"""The players `rules` and `tuned`: named rules give every legal card marks, and the highest sum is played."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import ClassVar, NamedTuple

import numpy as np

from tressette_env.baselines.bits import FloatArray, ids_of, weakest
from tressette_env.baselines.discard import DISCARD_RULES
from tressette_env.baselines.ending import count_ending
from tressette_env.baselines.facts import Facts, Knowledge, Marks
from tressette_env.baselines.follow import FOLLOW_RULES
from tressette_env.baselines.lead import LEAD_RULES
from tressette_env.baselines.tuned_weights import TUNED
from tressette_env.baselines.weights import WEIGHTS, Weights
from tressette_env.cards import IntArray, popcount
from tressette_env.rules import Rules, resolve_rules
from tressette_env.view import View

RuleTable = dict[str, Callable[[Facts], Marks]]
_ENDING: RuleTable = {"count_ending": count_ending}
_RULES: dict[str, RuleTable] = {
    "lead": LEAD_RULES | _ENDING,
    "follow": FOLLOW_RULES | _ENDING,
    "discard": DISCARD_RULES | _ENDING,
}
_KNOWLEDGE_RULES = ("count_fallen", "known_voids", "known_cards")
_WEIGH_DRAW = "weigh_draw"
_PAIRS, _STOCK, _OPEN = range(3)  # columns of the weights
_RULED_OUT = np.float32(-1e9)


def _rule_names(weights: Weights) -> tuple[str, ...]:
    """Return the rules that a player with these weights uses and can switch off."""
    of_moments = dict.fromkeys(name for rules in weights.values() for name in rules)
    return (*dict.fromkeys((*_KNOWLEDGE_RULES, *of_moments)), _WEIGH_DRAW)


class Situation(NamedTuple):
    """Decisions judged by the same rules: the moment (lead, follow, discard) and the column of the weights."""

    moment: str
    column: int


class RulesPlayer:
    """A sound player of all three variants, deterministic.

    `without`: names of rules to switch off (see `rule_names`), joined by ``+``, to measure what they add.
    Equal sums: the card with the lowest id.  The seed changes nothing.  `version` changes whenever a
    decision does.  Raises ``ValueError`` for an unknown variant or rule, listing the known ones.
    """

    version = 1
    weights: ClassVar[Weights] = WEIGHTS
    rule_names: ClassVar[tuple[str, ...]] = _rule_names(WEIGHTS)

    def __init__(self, variant: str | Rules = "partners", seed: int = 0, without: str = "") -> None:
        self.rules = resolve_rules(variant)
        self.seed = seed
        dropped = frozenset(filter(None, str(without).split("+")))
        unknown = sorted(dropped - set(self.rule_names))
        if unknown:
            known = ", ".join(self.rule_names)
            raise ValueError(f"unknown rule {unknown[0]!r} in without={without!r}: known are {known}")
        self._dropped = dropped
        self._knowledge = Knowledge(
            count_fallen="count_fallen" not in dropped,
            use_voids="known_voids" not in dropped,
            use_shown="known_cards" not in dropped,
        )

    def act(self, view: View) -> IntArray:
        """Return (n,) int64 card ids, 0 where no card is legal."""
        cards = ids_of(weakest(view.legal_cards))
        for situation, rows in _situations(view):
            cards[rows] = self._choose(view if len(rows) == len(view) else view.take(rows), situation)
        return cards

    def _choose(self, view: View, situation: Situation) -> IntArray:
        facts = Facts(view, self._knowledge)
        sums = self._sums(facts, situation)
        sums[facts.bit == 0] = _RULED_OUT
        chosen: IntArray = facts.card[sums.argmax(axis=0), np.arange(len(view))]
        return chosen

    def _sums(self, facts: Facts, situation: Situation) -> FloatArray:
        """Return (k, n): what the marks of each legal card are worth together."""
        column = situation.column
        if column == _STOCK and _WEIGH_DRAW in self._dropped:
            column = _OPEN
        sums = np.zeros_like(facts.value)
        for name, weights in self.weights[situation.moment].items():
            if name in self._dropped:
                continue
            marks = _RULES[situation.moment][name](facts)
            for mark, by_column in weights.items():
                if by_column[column] and mark in marks:
                    sums += np.float32(by_column[column]) * marks[mark]
        return sums


class TunedPlayer(RulesPlayer):
    """`rules` with weights learned by self-play, and the last four tricks of two players counted out.

    A trained linear policy: a stronger opponent than the hand-written one, and no yardstick of hand-written play.
    """

    version = 1
    weights: ClassVar[Weights] = TUNED
    rule_names: ClassVar[tuple[str, ...]] = _rule_names(TUNED)


def _situations(view: View) -> Iterator[tuple[Situation, IntArray]]:
    """Group the rows that have a choice by situation; yield each group with its rows."""
    chooses = (view.legal_cards & (view.legal_cards - np.uint64(1))) != 0
    leads = view.suit == 0
    discards = ~leads & ((view.hand & view.suit) == 0)
    if view.rules.stock:
        draws = popcount(view.drawn).sum(axis=0) < view.rules.stock
        columns = [(_STOCK, draws), (_OPEN, ~draws)]
    else:
        columns = [(_PAIRS if view.rules.seats > 2 else _OPEN, np.ones(len(view), bool))]
    moments = {"lead": leads, "follow": ~leads & ~discards, "discard": discards}
    for moment, at_moment in moments.items():
        for column, in_phase in columns:
            rows = np.flatnonzero(chooses & at_moment & in_phase)
            if len(rows):
                yield Situation(moment, column), rows
