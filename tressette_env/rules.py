"""The rule sets as data: variants, options and smaller packs (RULES §1-§7, CONTRACT §1)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tressette_env.cards import RANKS, SUITS, pack_of

SEATS = {"two_player": 2, "partners": 4, "historical": 4}
"""Number of seats of each variant."""
VARIANTS = tuple(SEATS)
TARGETS = (21, 31, 41)
DEFAULT_TARGET = 21
HISTORICAL_TARGET = 21
EPISODES = ("deal", "match")
"""What a game may be: one deal, or deal after deal until a side has won."""


@dataclass(frozen=True)
class Rules:
    """One rule set.

    ``variant``: ``"two_player"`` (with a stock), ``"partners"`` or ``"historical"`` (four seats in pairs).
    ``napoletana``: 3-2-ace of a suit scores 3 points (modern variants only).
    ``target``: points that end a match: 21, 31 or 41 (historical: 21).
    ``suits``, ``ranks``, ``hand``: a smaller pack and the number of cards dealt to a seat, for games that
    can be solved exactly.  Card ids stay those of the full pack.

    Raises ``ValueError`` that names the value and what is allowed.
    """

    variant: str
    napoletana: bool = False
    target: int = DEFAULT_TARGET
    suits: str = SUITS
    ranks: str = RANKS
    hand: int = 10

    def __post_init__(self) -> None:
        """Refuse what is no rule set."""
        _choice("variant", self.variant, VARIANTS)
        _choice("napoletana", self.napoletana, (False, True))
        _choice("target", self.target, TARGETS)
        if self.variant == "historical":
            if self.napoletana:
                raise ValueError("napoletana=True is not allowed in historical (its declarations include it): False")
            if self.target != HISTORICAL_TARGET:
                raise ValueError(f"target={self.target!r} is not allowed in historical: {HISTORICAL_TARGET}")
        object.__setattr__(self, "suits", _subset("suits", self.suits, SUITS))
        object.__setattr__(self, "ranks", _subset("ranks", self.ranks, RANKS))
        self._check_deal()

    def _check_deal(self) -> None:
        """Refuse a hand size that the pack cannot serve."""
        if isinstance(self.hand, bool) or not isinstance(self.hand, int) or self.hand < 1:
            raise ValueError(f"hand={self.hand!r} is not allowed: a whole number of at least 1")
        left = self.num_cards - self.seats * self.hand
        if self.variant == "two_player":
            if left < 0 or left % 2:
                raise ValueError(
                    f"hand={self.hand} leaves {left} of {self.num_cards} cards for the stock: "
                    "two_player needs an even number that is not negative"
                )
        elif left:
            raise ValueError(
                f"hand={self.hand} deals {self.seats * self.hand} of {self.num_cards} cards: "
                f"{self.variant} deals the whole pack to {self.seats} seats"
            )

    @property
    def seats(self) -> int:
        """Number of seats: 2 or 4."""
        return SEATS[self.variant]

    @property
    def num_cards(self) -> int:
        """Cards in the pack, which is also the number of plays of a deal."""
        return len(self.suits) * len(self.ranks)

    @property
    def num_tricks(self) -> int:
        """Tricks of a deal."""
        return self.num_cards // self.seats

    @property
    def stock(self) -> int:
        """Cards left for the stock after dealing."""
        return self.num_cards - self.seats * self.hand

    @property
    def pack(self) -> list[int]:
        """The ids of the pack in rising order."""
        return pack_of(self.suits, self.ranks)


def variant_name(variant: str | Rules) -> str:
    """Return the name of a variant, given by name or as a `Rules` object; ``ValueError`` if it is neither."""
    name = variant.variant if isinstance(variant, Rules) else variant
    _choice("variant", name, VARIANTS)
    return name


def check_episode(episode: str) -> None:
    """Raise ``ValueError`` unless `episode` is one of `EPISODES`."""
    _choice("episode", episode, EPISODES)


def resolve_rules(variant: str | Rules, napoletana: bool = False, target: int = DEFAULT_TARGET) -> Rules:
    """Return the rules that a variant name with options, or a `Rules` object, stands for.

    The options of a `Rules` object hold.  Beside it an option at its default says nothing, so it may be left
    out or given; any other value than the object's is a ``ValueError``, as is a value of no rule set.
    """
    if not isinstance(variant, Rules):
        return Rules(variant, napoletana=napoletana, target=target)
    _choice("napoletana", napoletana, (False, True))
    _choice("target", target, TARGETS)
    if napoletana and not variant.napoletana:
        raise ValueError("napoletana=True contradicts the Rules object, which has napoletana=False")
    if target not in (DEFAULT_TARGET, variant.target):
        raise ValueError(f"target={target!r} contradicts the Rules object, which has target={variant.target}")
    return variant


def _choice(name: str, value: Any, allowed: tuple[Any, ...]) -> None:
    if not any(type(value) is type(option) and value == option for option in allowed):
        listed = ", ".join(repr(option) for option in allowed)
        raise ValueError(f"{name}={value!r} is not allowed: {listed}")


def _subset(name: str, value: Any, whole: str) -> str:
    """Return the letters of `value` in the order of `whole`; ``ValueError`` unless it is a subset of it."""
    if not isinstance(value, str) or not value or len(set(value)) != len(value) or set(value) - set(whole):
        raise ValueError(f"{name}={value!r} is not allowed: different letters of {whole!r}")
    return "".join(letter for letter in whole if letter in value)
