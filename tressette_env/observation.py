"""The observation: its layout as data, and the encoder (CONTRACT §4).

One block a suit, all with the same inner order, then one block for what concerns no suit.  Seats are
relative to the observer: 0 itself, 1 the next to play, and so on; sides: 0 its own, 1 the other.
Within a suit block the bits come first, so that a row is a few shifts into words and one ``unpackbits``.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from tressette_env.cards import (
    ACE,
    ACES,
    FIGURES,
    LOWEST_OF_EACH_SUIT,
    NUM_RANKS,
    NUM_SUITS,
    SUIT_BITS,
    SUIT_SHIFTS,
    SUITS,
    UInt64Array,
)
from tressette_env.rules import VARIANTS, Rules

if TYPE_CHECKING:
    from tressette_env.view import View

UInt8Array = npt.NDArray[np.uint8]
_WORD = 64
_ENCODE_ROWS = 4096  # rows encoded at once: the arrays stay in a core's cache
_UNPACK_ROWS = 512  # the same for the bytes, of which there are more


@dataclass(frozen=True)
class Block:
    """A part of the observation: where it is, its shape once cut out, and what it means."""

    slice: slice
    shape: tuple[int, ...]
    meaning: str
    fields: dict[str, Block] = field(default_factory=dict)
    """The inner parts of a suit block; their slices count from the start of the block."""


_PER_CARD = "by strength, 4 first and 3 last"


_Field = tuple[str, tuple[int, ...], str]


def _suit_bit_fields(variant: str) -> list[_Field]:
    seats = 2 if variant == "two_player" else 4
    fields: list[_Field] = [
        ("hand", (NUM_RANKS,), f"1 = in the observer's hand, {_PER_CARD}"),
        ("played", (seats, NUM_RANKS), f"1 = fell from this seat's hand, {_PER_CARD}"),
        ("table", (NUM_RANKS,), f"1 = in the trick being played, {_PER_CARD}"),
        ("led", (NUM_RANKS,), f"1 = led a trick, {_PER_CARD}"),
        ("won", (NUM_RANKS,), f"1 = took a trick, {_PER_CARD}"),
        ("known", (seats, NUM_RANKS), f"1 = shown to all and still in this seat's hand, {_PER_CARD}"),
        ("void", (seats,), "1 = failed to follow this suit: holds no unseen card of it"),
        ("follow", (1,), "1 = this suit was led to the trick being played"),
    ]
    if variant == "historical":
        fields += [
            ("declared", (seats, NUM_RANKS), f"1 = declared by this seat, fallen or not, {_PER_CARD}"),
            ("excluded", (seats, NUM_RANKS), f"1 = silence shows that this seat does not hold it, {_PER_CARD}"),
        ]
    else:
        fields += [
            ("announced", (seats,), "1 = this seat announced the napoletana of this suit"),
            ("silent", (seats,), "1 = its first card fell without this suit's napoletana: not dealt complete"),
            ("excluded", (seats, 3), "1 = silence shows that this seat does not hold it: ace, two, three"),
        ]
    return fields


def _suit_byte_fields(variant: str) -> list[_Field]:
    fields: list[_Field] = [("fell", (NUM_RANKS,), f"1 + the ply (from 0) at which it fell, 0 = not yet, {_PER_CARD}")]
    if variant == "two_player":
        fields.append(("drew", (NUM_RANKS,), f"1 + the trick (from 0) after which it was drawn, 0 = not, {_PER_CARD}"))
    return fields


def _global_fields(variant: str) -> list[_Field]:
    seats = 2 if variant == "two_player" else 4
    return [
        ("thirds", (2,), "thirds of a point taken by each side"),
        ("declared_points", (2,), "points of each side for declarations in this deal"),
        ("scores", (2,), "points (historical: marks) of each side before this deal, at most 255"),
        ("target", (1,), "points that end the match, 0 in a single deal"),
        ("napoletana", (1,), "1 = napoletana counts"),
        ("tricks", (seats,), "tricks taken by each seat"),
        ("cards_left", (seats,), "cards in each hand"),
        ("stock", (1,), "cards left in the stock"),
        ("trick", (1,), "tricks finished"),
        ("place", (1,), "cards on the table"),
        ("leader", (seats,), "1 = leads the trick being played"),
        ("dealer", (seats,), "1 = dealt"),
        ("turn", (seats,), "1 = is to act"),
    ]


def _blocks(fields: list[_Field], start: int) -> dict[str, Block]:
    blocks = {}
    for name, shape, meaning in fields:
        size = int(np.prod(shape))
        blocks[name] = Block(slice(start, start + size), shape, meaning)
        start += size
    return blocks


def _layout(variant: str) -> dict[str, Block]:
    inner = _blocks(_suit_bit_fields(variant) + _suit_byte_fields(variant), 0)
    size = max(block.slice.stop for block in inner.values())
    suits = {
        suit: Block(slice(index * size, (index + 1) * size), (size,), f"suit {suit}, see its fields", inner)
        for index, suit in enumerate(SUITS)
    }
    return suits | _blocks(_global_fields(variant), NUM_SUITS * size)


OBSERVATION_LAYOUT: dict[str, dict[str, Block]] = {variant: _layout(variant) for variant in VARIANTS}
"""``OBSERVATION_LAYOUT[variant][block]``: the suit blocks ``D C S B`` (with ``.fields``), then the rest."""

OBSERVATION_SIZES = {
    variant: max(block.slice.stop for block in layout.values()) for variant, layout in OBSERVATION_LAYOUT.items()
}


def suit_order(variant: str, order: str) -> npt.NDArray[np.int64]:
    """Return the columns that put the suits of a row in `order` (such as ``"CDSB"``): ``row[suit_order(…)]``.

    The suit that stands in ``order[k]`` of the old row becomes suit k of the new one.
    """
    if sorted(order) != sorted(SUITS):
        raise ValueError(f"order={order!r} is not allowed: an arrangement of {SUITS!r}")
    columns = np.arange(OBSERVATION_SIZES[variant])
    layout = OBSERVATION_LAYOUT[variant]
    for new, old in zip(SUITS, order, strict=True):
        columns[layout[new].slice] = np.arange(layout[old].slice.start, layout[old].slice.stop)
    return columns


class _Packer:
    """Collects bits of each suit into words, (words, 4, n), in the order of the layout."""

    def __init__(self, rows: int, bits: int) -> None:
        self._words = np.zeros((-(-bits // _WORD), NUM_SUITS, rows), np.uint64)
        self._bits = bits
        self._offset = 0
        self._flags: UInt64Array | None = None
        self._flag_bits = 0

    def cards(self, bitboards: UInt64Array | None) -> None:
        """Add ten bits a suit; None stands for none set."""
        self._flush()
        if bitboards is not None:
            self._put(bitboards, NUM_RANKS)
        self._offset += NUM_RANKS

    def flags(self, bitboards: UInt64Array | None, width: int = 1) -> None:
        """Add the lowest `width` bits of each suit; None stands for none set."""
        if self._flag_bits + width > NUM_RANKS:
            self._flush()
        if bitboards is not None:
            part = (bitboards & (LOWEST_OF_EACH_SUIT * np.uint64((1 << width) - 1))) << np.uint64(self._flag_bits)
            self._flags = part if self._flags is None else self._flags | part
        self._flag_bits += width

    def unpack(self, suits: UInt8Array) -> None:
        """Write the bits as bytes 0 and 1 to the front of suit blocks (n, 4, at least `bits`)."""
        self._flush()
        words = np.ascontiguousarray(self._words.transpose(2, 1, 0)).astype("<u8", copy=False)
        for start in range(0, len(words), _UNPACK_ROWS):
            part = words[start : start + _UNPACK_ROWS]
            octets = np.unpackbits(part.view(np.uint8).reshape(-1), bitorder="little")
            of_suits = octets.reshape(len(part), NUM_SUITS, -1)[:, :, : self._bits]
            suits[start : start + _UNPACK_ROWS, :, : self._bits] = of_suits

    def _flush(self) -> None:
        if self._flags is not None:
            self._put(self._flags, self._flag_bits)
        self._offset += self._flag_bits
        self._flags, self._flag_bits = None, 0

    def _put(self, bitboards: UInt64Array, width: int) -> None:
        values = bitboards >> SUIT_SHIFTS[:, None]
        values &= np.uint64(SUIT_BITS)
        word, shift = divmod(self._offset, _WORD)
        if shift + width > _WORD:
            self._words[word + 1] |= values >> np.uint64(_WORD - shift)
        values <<= np.uint64(shift)
        self._words[word] |= values


def encode(view: View) -> UInt8Array:
    """Return the observations of a view, (n, obs_size) uint8; zeros where the seat is -1."""
    observation = np.empty((len(view), OBSERVATION_SIZES[view.variant]), np.uint8)
    for start in range(0, len(view), _ENCODE_ROWS):
        rows = slice(start, start + _ENCODE_ROWS)
        _encode_into(observation[rows], view.take(rows) if len(view) > _ENCODE_ROWS else view)
    return observation


def _encode_into(observation: UInt8Array, view: View) -> None:
    layout = OBSERVATION_LAYOUT[view.variant]
    rows, last_seat = len(view), view.rules.seats - 1
    seats = (view.seat.astype(np.int64) + np.arange(view.rules.seats)[:, None]) & last_seat
    suit_size = layout[SUITS[0]].shape[0]
    suit_columns = NUM_SUITS * suit_size
    suits = observation[:, :suit_columns].reshape(rows, NUM_SUITS, suit_size)
    inner = layout[SUITS[0]].fields
    bits = inner["fell"].slice.start
    _pack_suits(view, seats, bits).unpack(suits)
    for name in ("fell", "drew"):
        if name in inner:
            suits[:, :, inner[name].slice] = getattr(view, name).reshape(rows, NUM_SUITS, NUM_RANKS)
    values = np.empty((observation.shape[1] - suit_columns, rows), np.uint8)
    for name, entries in _globals(view, seats).items():
        columns = layout[name].slice
        values[columns.start - suit_columns : columns.stop - suit_columns] = entries
    observation[:, suit_columns:] = values.T
    observation[view.seat < 0] = 0


def _relative(by_seat: UInt64Array, seats: npt.NDArray[np.int64]) -> UInt64Array:
    """Reorder (seats, n) bitboards from absolute to the observer's relative seats."""
    rows = by_seat.shape[1]
    relative: UInt64Array = by_seat.reshape(-1).take(seats * rows + np.arange(rows))
    return relative


def _pack_suits(view: View, seats: npt.NDArray[np.int64], size: int) -> _Packer:
    rules = view.rules
    historical = rules.variant == "historical"
    shows = historical or rules.napoletana or bool(rules.stock)
    speaks = historical or rules.napoletana
    nothing: list[UInt64Array | None] = [None] * rules.seats
    packer = _Packer(len(view), size)
    packer.cards(view.hand)
    for cards in _relative(view.played, seats):
        packer.cards(cards)
    for cards in (view.table, view.led, view.won):
        packer.cards(cards)
    for known in _relative(view.shown, seats) if shows else nothing:
        packer.cards(known)
    for suits in _relative(view.void, seats):
        packer.flags(suits)
    packer.flags(view.suit)
    declared = _relative(view.declared, seats) if speaks else nothing
    excluded = _relative(view.excluded, seats) if speaks else nothing
    if historical:
        for known in (*declared, *excluded):
            packer.cards(known)
    else:
        for known in declared:
            packer.flags(None if known is None else known >> np.uint64(ACE))
        for known in _relative(view.silent, seats) if speaks else nothing:
            packer.flags(known)
        for known in excluded:
            packer.flags(None if known is None else known >> np.uint64(ACE), 3)
    return packer


def _globals(view: View, seats: npt.NDArray[np.int64]) -> dict[str, npt.NDArray[np.generic] | int]:
    """Return the values that concern no suit, each (n,) or (entries, n)."""
    rules = view.rules
    own = view.seat & 1
    last_seat = np.int8(rules.seats - 1)
    ply, leader, dealer = (values.astype(np.int8) for values in (view.ply, view.leader, view.dealer))
    place = ply & last_seat
    played = _relative(view.played, seats)
    cards_left = rules.hand - np.bitwise_count(played).view(np.int8)
    drawn = np.zeros_like(cards_left)
    if rules.stock:
        drawn = np.bitwise_count(_relative(view.drawn, seats)).view(np.int8)
    thirds = np.bitwise_count(view.taken & FIGURES) + np.uint8(3) * np.bitwise_count(view.taken & ACES)
    seat = seats.astype(np.int8)
    return {
        "thirds": _own_first(thirds, own),
        "declared_points": _own_first(view.declared_points.T, own),
        "scores": np.minimum(_own_first(view.scores.T, own), 255),
        "target": view.target,
        "napoletana": int(rules.napoletana),
        "tricks": np.bitwise_count(played & view.won),
        "cards_left": cards_left + drawn,
        "stock": rules.stock - drawn.sum(axis=0, dtype=np.int8),
        "trick": ply // np.int8(rules.seats),
        "place": place,
        "leader": seat == leader,
        "dealer": seat == dealer,
        "turn": seat == ((leader + place) & last_seat),
    }


def _own_first(by_side: npt.NDArray[Any], own: npt.NDArray[np.int8]) -> npt.NDArray[Any]:
    """Reorder (2, n) from absolute sides to the observer's own side first."""
    return np.where(own == 0, by_side, by_side[::-1])


def obs_size(variant: str | Rules) -> int:
    """Return the number of columns of an observation of this variant."""
    return int(OBSERVATION_SIZES[variant.variant if isinstance(variant, Rules) else variant])
