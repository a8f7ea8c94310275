"""What a spectator sees of a game, as a `Scene`, and the scene as text (``render_mode="ansi"``).

A spectator sees every hand face up; only the order of the stock stays hidden.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tressette_env.cards import NUM_RANKS, RANKS, SUITS, card_ids, card_text, cards_of, cards_text, hand_text
from tressette_env.episode import Episode
from tressette_env.rules import Rules

if TYPE_CHECKING:
    from tressette_env.render_cards import CardTable

_LABEL = 11
_SUIT_COLUMN = 21


@dataclass(frozen=True)
class Scene:
    """A moment of a game, for drawing.

    By seat: ``hands`` and ``declared`` (ids suit by suit, strongest first), ``known`` (bitboards) and ``tricks``;
    by side: ``points``, ``thirds`` and ``scores``; ``trick`` and ``last_trick``: (seat, card) pairs in order;
    ``player`` to act, -1 at the end, and the ``legal`` cards (bitboard); ``stock`` cards left;
    ``points_of_last_deal``, the one before in a match being played, or None; ``result`` of the game, or None.
    """

    rules: Rules
    kind: str
    hands: tuple[tuple[int, ...], ...]
    declared: tuple[tuple[int, ...], ...]
    known: tuple[int, ...]
    tricks: tuple[int, ...]
    trick: tuple[tuple[int, int], ...]
    last_trick: tuple[tuple[int, int], ...]
    player: int
    legal: int
    dealer: int
    points: tuple[int, ...]
    thirds: tuple[int, ...]
    scores: tuple[int, ...]
    points_of_last_deal: tuple[int, ...] | None
    stock: int
    ply: int
    result: dict[str, Any] | None

    @classmethod
    def of(cls, episode: Episode) -> Scene:
        """Return what a spectator of `episode` sees now."""
        deal, rules, result = episode.deal, episode.rules, episode.result()
        last_deal = episode.points_of_last_deal
        on_table = deal.ply % rules.seats
        return cls(
            rules=rules,
            kind=episode.kind,
            hands=tuple(map(_for_people, deal.hands)),
            declared=tuple(map(_for_people, deal.declared)),
            known=tuple(deal.known(seat) for seat in range(rules.seats)),
            tricks=tuple(deal.tricks),
            trick=tuple(deal.plays[deal.ply - on_table :]),
            last_trick=tuple(episode.last_trick),
            player=-1 if episode.over else deal.player,
            legal=0 if episode.over else deal.legal,
            dealer=deal.dealer,
            points=tuple(deal.points if result is None else result["points"]),
            thirds=tuple(deal.thirds),
            scores=tuple(episode.scores),
            points_of_last_deal=None if last_deal is None or episode.over else tuple(last_deal),
            stock=len(deal.deck) - deal.next_draw,
            ply=deal.ply,
            result=result,
        )

    def side_name(self, side: int) -> str:
        """Return the players of a side."""
        return " + ".join(f"player_{seat}" for seat in range(side, self.rules.seats, 2))

    def winner_of_last_trick(self) -> int:
        """Return the seat that took the last trick: with the strongest card of the suit led."""
        led = self.last_trick[0][1] // NUM_RANKS
        return max(self.last_trick, key=lambda play: (play[1] // NUM_RANKS == led, play[1]))[0]

    def score_name(self) -> str:
        """Return what the scores are: those of a match include its last deal at the end."""
        return "final score" if self.kind == "match" and self.result is not None else "score before"

    def title(self) -> str:
        """Return variant, option and kind of game."""
        option = ", napoletana" if self.rules.napoletana else ""
        return (
            f"{self.rules.variant}{option}, {f'match to {self.rules.target}' if self.kind == 'match' else 'one deal'}"
        )

    def progress(self) -> str:
        """Return how far the deal is."""
        if self.result is None:
            return f"trick {self.ply // self.rules.seats + 1} of {self.rules.num_tricks}"
        if "forfeited_by" in self.result:
            return f"ended by an illegal card of player_{self.result['forfeited_by']}"
        return "finished" if self.ply else "won by declarations"

    def outcome(self) -> str:
        """Return who won and how, of a finished game."""
        if self.result is None:
            return ""
        if self.kind == "match":
            chips = self.result["payment"]
            winner = self.result["winner"]
            won = f"{self.side_name(winner)} win{'s' * (self.rules.seats == 2)}"
            if "forfeited_by" not in self.result:
                won += f" {self.scores[winner]} : {self.scores[1 - winner]}"
            return f"{won}, {chips} chip{'s' * (chips > 1)}" if self.rules.variant == "historical" else won
        if "forfeited_by" in self.result:
            return f"{self.side_name(self.result['forfeited_by'] & 1)} lose{'s' * (self.rules.seats == 2)}"
        bonus = f", {self.result['bonus']}" if self.result["bonus"] else ""
        return f"{self.points[0]} : {self.points[1]}{bonus}"


def _for_people(cards: int) -> tuple[int, ...]:
    """Return the ids in a bitboard suit by suit, the strongest card first."""
    return tuple(card_ids(hand_text(cards_of(cards))))


def render_text(scene: Scene) -> str:
    """Return a scene as lines of text; ``*`` marks cards that are known to all."""
    lines = [f"Tressette: {scene.title()}; {scene.progress()}", ""]
    lines += _table(scene)
    lines.append("")
    if any(scene.hands):
        lines.append(f"{'hands':{_LABEL}}(all face up, * = known to all)")
        lines += [*(_hand(scene, seat) for seat in range(scene.rules.seats)), ""]
    if scene.last_trick:
        plays = ", ".join(f"player_{seat} {card_text(card)}" for seat, card in scene.last_trick)
        lines.append(f"{'last trick':{_LABEL}}{plays} -> player_{scene.winner_of_last_trick()}")
    for seat, cards in enumerate(scene.declared):
        if cards:
            lines.append(f"{'declared':{_LABEL}}player_{seat}: {cards_text(cards)}")
    if scene.rules.stock:
        lines.append(f"{'stock':{_LABEL}}{scene.stock} cards")
    lines += _counts(scene)
    if scene.result is not None:
        lines += ["", f"{'result':{_LABEL}}{scene.outcome()}"]
    return "\n".join(lines)


def _table(scene: Scene) -> list[str]:
    """Return the trick being played, each card before its player; seats go round counter-clockwise."""
    cards = {seat: card_text(card) for seat, card in scene.trick}
    names = {}
    for seat in range(scene.rules.seats):
        turn = "> " if seat == scene.player else "  "
        names[seat] = f"{turn}player_{seat}{' (d)' if seat == scene.dealer else ''}"
    above = scene.rules.seats // 2
    lines = [f"{'':16}{names[above]}", f"{'':19}[{cards.get(above, '  ')}]"]
    if scene.rules.seats == 4:
        lines.append(f"{names[3]:16}[{cards.get(3, '  ')}]  [{cards.get(1, '  ')}]  {names[1]}")
    return [*lines, f"{'':19}[{cards.get(0, '  ')}]", f"{'':16}{names[0]}"]


def _hand(scene: Scene, seat: int) -> str:
    parts = []
    for suit, letter in enumerate(SUITS):
        cards = [card for card in scene.hands[seat] if card // NUM_RANKS == suit]
        ranks = [RANKS[card % NUM_RANKS] + "*" * (scene.known[seat] >> card & 1) for card in cards]
        parts.append(f"{letter}: {' '.join(ranks) or '-':{_SUIT_COLUMN - 3}}")
    return f"{f'player_{seat}':{_LABEL}}{''.join(parts)}".rstrip()


def _counts(scene: Scene) -> list[str]:
    lines = []
    for side in (0, 1):
        tricks = sum(scene.tricks[side::2])
        text = f"tricks {tricks:2}, thirds {scene.thirds[side]:2}, points {scene.points[side]:2}"
        if scene.kind == "match" or any(scene.scores):
            text += f", {scene.score_name()} {scene.scores[side]:2}"
        if scene.points_of_last_deal is not None:
            text += f", last deal {scene.points_of_last_deal[side]:2}"
        lines.append(f"{f'side {side}':{_LABEL}}{text}  ({scene.side_name(side)})")
    return lines


def open_card_table(window: bool, fps: int) -> CardTable:
    """Return what draws scenes with cards; ``ImportError`` that says what to install without pygame-ce."""
    os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")
    try:
        from tressette_env.render_cards import CardTable
    except ModuleNotFoundError as error:
        if error.name != "pygame":
            raise
        raise ImportError("drawing cards needs pygame-ce: pip install tressette-env[render]") from error
    return CardTable(window, fps)
