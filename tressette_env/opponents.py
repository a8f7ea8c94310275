"""Who plays with a learner: players by name or as objects, one for all games or mixed by weights."""

from __future__ import annotations

import inspect
import math
from collections.abc import Mapping, Sequence
from numbers import Real
from typing import Any, NamedTuple, cast

import numpy as np
import numpy.typing as npt

from tressette_env.cards import IntArray
from tressette_env.players import AnyPlayer, Player, make_player, sees_hidden_cards
from tressette_env.rules import Rules
from tressette_env.shuffling import random_bits, stream_keys

FloatArray = npt.NDArray[np.float64]
Opponent = str | Player | Mapping[Any, float] | Sequence[Any]
"""A player (its name or an object), a mapping of players to weights, or a list of players that are equally likely."""
_ROLES = 1
"""Tells the stream of seats and opponents from the streams of deals, which have fewer parts."""
_FRACTION_BITS = np.uint64(11)
_PARTNER_DISTANCE = 2
_PARTNERSHIP_SEATS = 4


class Companion(NamedTuple):
    """A player, and how messages name it."""

    name: str
    player: AnyPlayer


class Roles(NamedTuple):
    """How games are manned, each (N,): the learner's ``seat``; ``opponent`` and ``partner``, places in a list."""

    seat: IntArray
    opponent: IntArray
    partner: IntArray


class Company:
    """The players that may sit with the learner, and the draw of who does.

    `opponent`: see `Opponent`; `partner` likewise, None for the same player as the opponent of that game.
    Attribute: ``companions``, all of them.  Raises ``ValueError`` for what is no player and for wrong weights.
    """

    def __init__(self, rules: Rules, opponent: Opponent, partner: Opponent | None = None) -> None:
        if partner is not None and rules.seats < _PARTNERSHIP_SEATS:
            raise ValueError(f"partner={partner!r} is not allowed in {rules.variant}, where nobody has one: None")
        opponents, self._opponent_chances = _mixture("opponent", opponent, rules)
        partners: list[Companion] = []
        self._partner_chances: FloatArray | None = None
        if partner is not None:
            partners, self._partner_chances = _mixture("partner", partner, rules)
        self._first_partner = len(opponents)
        self.companions = opponents + partners

    def draw(self, rules: Rules, seeds: IntArray, numbers: IntArray, seat: int | None) -> Roles:
        """Return the roles in games `numbers` (N,) of `seeds` (N,), drawn from these alone; `seat`: None if drawn."""
        bits = random_bits(stream_keys(seeds, numbers, 0, _ROLES), 3)
        drawn = (bits[:, 0] & np.uint64(rules.seats - 1)).astype(np.int64)
        seats = drawn if seat is None else np.full(len(bits), seat)
        uniform = (bits[:, 1:] >> _FRACTION_BITS) * 2.0**-53
        opponents = self._opponent_chances.searchsorted(uniform[:, 0], side="right")
        if self._partner_chances is None:
            return Roles(seats, opponents, opponents)
        partners = self._partner_chances.searchsorted(uniform[:, 1], side="right") + self._first_partner
        return Roles(seats, opponents, partners)


def checked_seat(rules: Rules, seat: Any) -> int | None:
    """Return the learner's seat, None where it is drawn; ``ValueError`` naming the seats if it is none."""
    if seat is None:
        return None
    if isinstance(seat, bool) or not isinstance(seat, int | np.integer) or not 0 <= seat < rules.seats:
        seats = ", ".join(map(str, range(rules.seats)))
        raise ValueError(f"seat={seat!r} is not allowed in {rules.variant}: {seats}, or None to draw one each episode")
    return int(seat)


def is_partner(seat: IntArray, other: IntArray) -> Any:
    """Return where `other` is the partner of `seat`, of four seats."""
    return (seat ^ other) == _PARTNER_DISTANCE


def _mixture(role: str, given: Any, rules: Rules) -> tuple[list[Companion], FloatArray]:
    """Return the players of a role, and the chances (k,) that one of the first 1, 2, … k of them is drawn."""
    if isinstance(given, Mapping):
        players, weights = list(given), list(given.values())
    elif isinstance(given, Sequence) and not isinstance(given, str):
        players, weights = list(given), [1.0] * len(given)
    else:
        players, weights = [given], [1.0]
    if not players:
        raise ValueError(f"{role}={given!r} names no player")
    for player, weight in zip(players, weights, strict=True):
        if isinstance(weight, bool) or not isinstance(weight, Real) or not 0 <= cast(float, weight) < math.inf:
            raise ValueError(f"{role}: the weight of {player!r} must be a number of at least 0, not {weight!r}")
    total = float(sum(weights))
    if not 0 < total < math.inf:
        raise ValueError(f"{role}: the weights {weights} sum to {total}, which must be a number above 0")
    chosen = [(player, weight) for player, weight in zip(players, weights, strict=True) if weight]
    chances = np.cumsum([weight for _, weight in chosen]) / total
    chances[-1] = 1
    return [_companion(role, player, rules) for player, _ in chosen], chances


def _companion(role: str, given: Any, rules: Rules) -> Companion:
    if isinstance(given, str):
        return Companion(f"{role} {given!r}", make_player(given, rules))
    method = "act_on" if sees_hidden_cards(given) else "act"
    if inspect.isclass(given) or not callable(getattr(given, method, None)):
        raise ValueError(f"{role}={given!r} is no player: give a name, or an object with a method {method}")
    return Companion(f"{role} {type(given).__name__}", given)
