"""The player `rules`: named rules give every legal card marks, and the card with the highest sum is played."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from tressette_env.baselines.bits import FloatArray, ids_of, weakest
from tressette_env.baselines.discard import DISCARD_RULES
from tressette_env.baselines.ending import count_ending
from tressette_env.baselines.facts import Facts, Knowledge, Marks
from tressette_env.baselines.follow import FOLLOW_RULES
from tressette_env.baselines.lead import LEAD_RULES
from tressette_env.baselines.weights import WEIGHTS
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

RULE_NAMES = (
    *_KNOWLEDGE_RULES,
    *dict.fromkeys(name for table in _RULES.values() for name in table if name not in _KNOWLEDGE_RULES),
    _WEIGH_DRAW,
)
"""The rules that can be switched off."""


class Situation(NamedTuple):
    """Decisions judged by the same rules: the moment (lead, follow, discard) and the column of the weights."""

    moment: str
    column: int


class RulesPlayer:
    """A sound player of all three variants, deterministic.

    `without`: names of rules to switch off (see `RULE_NAMES`), joined by ``+``, to measure what they add.
    Equal sums: the card with the lowest id.  The seed changes nothing.  `version` changes whenever a
    decision does.  Raises ``ValueError`` for an unknown variant or rule, listing the known ones.
    """

    version = 1

    def __init__(self, variant: str | Rules = "partners", seed: int = 0, without: str = "") -> None:
        self.rules = resolve_rules(variant)
        self.seed = seed
        dropped = frozenset(filter(None, str(without).split("+")))
        unknown = sorted(dropped - set(RULE_NAMES))
        if unknown:
            raise ValueError(f"unknown rule {unknown[0]!r} in without={without!r}: known are {', '.join(RULE_NAMES)}")
        self._dropped = dropped
        self._weights = WEIGHTS
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
        weights = self._weights[situation.moment]
        for name, rule in _RULES[situation.moment].items():
            if name in self._dropped:
                continue
            for mark, values in rule(facts).items():
                if weight := weights[name][mark][column]:
                    sums += np.float32(weight) * values
        return sums


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
