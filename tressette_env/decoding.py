"""The decoder: an observation row back into plain facts (CONTRACT §4).

It reads the row through `OBSERVATION_LAYOUT` alone, so what it returns is what a network is told.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from tressette_env.cards import ACE, NUM_RANKS, NUM_SUITS, SUITS, THREE, TWO
from tressette_env.checking import as_array, described
from tressette_env.observation import LARGEST_ENTRY, OBSERVATION_LAYOUT, obs_size
from tressette_env.rules import Rules, variant_name

_KEY_STRENGTHS = np.array([ACE, TWO, THREE])


class Play(NamedTuple):
    """A card that fell: relative seat, card id, trick and place in the trick, both from 0."""

    seat: int
    card: int
    trick: int
    place: int


class Trick(NamedTuple):
    """A finished trick: relative seats that led and won, card ids in the order in which they fell."""

    leader: int
    winner: int
    cards: list[int]


class _Row:
    """A row cut into its blocks."""

    def __init__(self, row: npt.NDArray[np.int64], variant: str) -> None:
        layout = OBSERVATION_LAYOUT[variant]
        self._blocks = {name: row[block.slice] for name, block in layout.items()}
        self._parts = layout[SUITS[0]].fields
        self.seats = layout["turn"].shape[0]

    def has(self, part: str) -> bool:
        """Return whether the suit blocks of this variant have a part of that name."""
        return part in self._parts

    def values(self, block: str) -> list[int]:
        """Return a block that concerns no suit."""
        return [int(value) for value in self._blocks[block]]

    def marked_seat(self, block: str) -> int | None:
        """Return the seat marked in a block, None if none is."""
        marks = self.values(block)
        return marks.index(1) if 1 in marks else None

    def per_suit(self, part: str) -> npt.NDArray[np.int64]:
        """Return a part of the suit blocks, (4, …)."""
        inner = self._parts[part]
        return np.stack([self._blocks[suit][inner.slice].reshape(inner.shape) for suit in SUITS])

    def per_card(self, part: str) -> npt.NDArray[np.int64]:
        """Return one value a card, (…, 40): a row for each seat where the part has seats."""
        values = np.moveaxis(self.per_suit(part), 0, -2)
        if values.shape[-1] != NUM_RANKS:
            whole = np.zeros((*values.shape[:-1], NUM_RANKS), np.int64)
            whole[..., _KEY_STRENGTHS] = values
            values = whole
        return values.reshape(*values.shape[:-2], NUM_SUITS * NUM_RANKS)

    def cards_by_seat(self, part: str) -> list[list[int]]:
        """Return the ids marked for each seat; empty where the variant has no such part."""
        if not self.has(part):
            return [[] for _ in range(self.seats)]
        return [np.flatnonzero(marks).tolist() for marks in self.per_card(part)]

    def suits_by_seat(self, part: str) -> list[list[str]]:
        """Return the suits marked for each seat; empty where the variant has no such part."""
        if not self.has(part):
            return [[] for _ in range(self.seats)]
        return [[SUITS[suit] for suit in np.flatnonzero(marks)] for marks in self.per_suit(part).T]


def decode(row: Any, variant: str | Rules) -> dict[str, Any]:
    """Return what an observation row says, as plain Python values.

    `row` (obs_size,): whole numbers of any dtype; `variant`: a name or a `Rules` object.
    Seats are relative to the observer (0 itself, 1 the next to play), sides too (0 its own); cards are ids,
    suits letters; lists by seat have one entry a seat.

    - ``hand``; ``plays``: `Play` (seat, card, trick, place) in order; ``table``: those of the trick being played;
      ``tricks``: finished `Trick` (leader, winner, cards); ``follow``: the suit led to the table, or None;
    - by seat: ``known`` cards, shown and still in hand; ``drawn`` {card: trick after which}; ``announced`` and
      ``silent`` suits (napoletana); ``declared`` cards, fallen or not (those of the announced suits too);
      ``excluded`` cards; ``voids`` suits; ``tricks_taken``; ``cards_left``;
    - by side: ``thirds``, ``declared_points``, ``scores``;
    - ``target``, ``napoletana`` (bool), ``stock``, ``trick``, ``place``; and ``dealer``, ``leader``, ``turn``: a
      seat, None in the blank row of a deal that is over.

    Raises ``ValueError`` for an unknown variant, a wrong shape, or values that no observation holds.
    """
    name = variant_name(variant)
    cut = _Row(_checked(row, name), name)
    plays = _plays(cut)
    finished = len(plays) - len(plays) % cut.seats
    announced = cut.suits_by_seat("announced")
    led = np.flatnonzero(cut.per_suit("follow"))
    facts: dict[str, Any] = {
        "hand": np.flatnonzero(cut.per_card("hand")).tolist(),
        "plays": plays,
        "table": plays[finished:],
        "tricks": _tricks(plays[:finished], cut),
        "follow": SUITS[led[0]] if len(led) else None,
        "known": cut.cards_by_seat("known"),
        "drawn": _drawn(cut),
        "announced": announced,
        "silent": cut.suits_by_seat("silent"),
        "declared": cut.cards_by_seat("declared")
        if cut.has("declared")
        else [_key_cards(suits) for suits in announced],
        "excluded": cut.cards_by_seat("excluded"),
        "voids": cut.suits_by_seat("void"),
        "tricks_taken": cut.values("tricks"),
        "napoletana": cut.values("napoletana") == [1],
    }
    facts |= {name: cut.values(name) for name in ("cards_left", "thirds", "declared_points", "scores")}
    facts |= {name: cut.values(name)[0] for name in ("target", "stock", "trick", "place")}
    facts |= {name: cut.marked_seat(name) for name in ("dealer", "leader", "turn")}
    return facts


def _checked(row: Any, variant: str) -> npt.NDArray[np.int64]:
    values, size = as_array(row), obs_size(variant)
    if values is None or values.shape != (size,):
        raise ValueError(f"an observation of {variant} has shape ({size},), not {described(row)}")
    if values.dtype.kind not in "iuf":
        raise ValueError(f"an observation holds whole numbers, not {values.dtype}")
    whole = (values >= 0) & (values <= LARGEST_ENTRY) & (values == np.floor(values))
    if not whole.all():
        column = int(np.argmin(whole))
        raise ValueError(
            f"an observation holds whole numbers from 0 to {LARGEST_ENTRY}: column {column} is {values[column]}"
        )
    return values.astype(np.int64)


def _plays(cut: _Row) -> list[Play]:
    fell = cut.per_card("fell")
    cards = sorted(np.flatnonzero(fell).tolist(), key=fell.__getitem__)
    if fell[cards].tolist() != list(range(1, len(cards) + 1)):
        raise ValueError("no observation: the plies at which its cards fell do not count from 1 without a gap")
    by_seat = cut.per_card("played")
    if (by_seat[:, cards].sum(axis=0) != 1).any():
        raise ValueError("no observation: a card that fell has not fallen from exactly one hand")
    seats = by_seat.argmax(axis=0)
    return [Play(int(seats[card]), card, ply // cut.seats, ply % cut.seats) for ply, card in enumerate(cards)]


def _tricks(plays: list[Play], cut: _Row) -> list[Trick]:
    won = cut.per_card("won")
    tricks = []
    for start in range(0, len(plays), cut.seats):
        trick = plays[start : start + cut.seats]
        winners = [play.seat for play in trick if won[play.card]]
        if len(winners) != 1:
            raise ValueError(f"no observation: {len(winners)} cards took trick {start // cut.seats}")
        tricks.append(Trick(trick[0].seat, winners[0], [play.card for play in trick]))
    return tricks


def _drawn(cut: _Row) -> list[dict[int, int]]:
    """Return for each seat the cards it drew, in order, with the trick after which; it has or has played them."""
    drawn: list[dict[int, int]] = [{} for _ in range(cut.seats)]
    if not cut.has("drew"):
        return drawn
    drew, had = cut.per_card("drew"), cut.per_card("played") + cut.per_card("known")
    for card in sorted(np.flatnonzero(drew).tolist(), key=drew.__getitem__):
        drawn[int(had[:, card].argmax())][card] = int(drew[card]) - 1
    return drawn


def _key_cards(suits: list[str]) -> list[int]:
    return [NUM_RANKS * SUITS.index(suit) + int(strength) for suit in suits for strength in _KEY_STRENGTHS]
