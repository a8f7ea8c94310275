"""The errors of the environment; all are kinds of ``ValueError``."""

from __future__ import annotations

from collections.abc import Iterable

from tressette_env.cards import NUM_CARDS, card_text, cards_text


class PlayerError(ValueError):
    """A player failed; the message names it, where that was, and the cause.

    Attribute: ``row``, the row of the view it was asked about, or None if that is not known.
    """

    row: int | None = None


class IllegalCardError(ValueError):
    """A card that may not be played now; nothing was changed.

    Attributes: ``card`` (id), ``seat``, ``legal`` (list of ids that may be played), ``deal`` (row, or None).
    """

    def __init__(self, card: int, seat: int, legal: Iterable[int], deal: int | None = None) -> None:
        self.card, self.seat, self.legal, self.deal = int(card), int(seat), [int(c) for c in legal], deal
        where = "" if deal is None else f"deal {deal}: "
        name = card_text(self.card) if 0 <= self.card < NUM_CARDS else repr(self.card)
        super().__init__(f"{where}seat {self.seat} may not play {name}; legal cards: {cards_text(self.legal)}")

    def __reduce__(self) -> tuple[type[IllegalCardError], tuple[int, int, list[int], int | None]]:
        """Pickle with the facts, so that worker processes can hand the error on."""
        return type(self), (self.card, self.seat, self.legal, self.deal)
