"""The player ``process:COMMAND``: a foreign program that speaks lines of JSON (docs/process.md)."""

from __future__ import annotations

import json
import os
from typing import Any

import numpy as np

from tressette_env.cards import NUM_CARDS, SUIT_MASKS, SUITS, IntArray, card_id, card_text, cards_of, popcount
from tressette_env.errors import PlayerError
from tressette_env.program import Program, shown
from tressette_env.rules import Rules, resolve_rules
from tressette_env.shuffling import check_seed
from tressette_env.view import View

PROTOCOL = 1
"""Raised by every change after which a program that was right may be wrong."""
LIMIT_VARIABLE = "TRESSETTE_TIME_LIMIT"
DEFAULT_LIMIT = 10.0
"""Seconds that a program has for a card."""
START_SECONDS = 60.0
"""Seconds that it has to start and to answer the first request; the limit, if that is longer."""
_LONGEST_LIMIT = 86_400.0
_LONGEST_NAME = 100


class ProcessPlayer:
    """Asks a program for each card that is a choice; a single legal card is played without asking.

    One program runs for each player, from when it is built.  `name` and `version` are what it calls itself.
    Raises ``ValueError`` if the command can not be started or the time limit in the environment variable
    ``TRESSETTE_TIME_LIMIT`` (seconds) is none, and `PlayerError` if the program does not answer by the protocol.
    """

    slow = True

    def __init__(self, command: str, variant: str | Rules = "partners", seed: int = 0) -> None:
        self.rules = resolve_rules(variant)
        self._seed = str(check_seed(seed, 1)[0])
        self._limit = time_limit()
        self._program = Program(command)
        hello = {
            "type": "hello",
            "protocol": PROTOCOL,
            "variant": self.rules.variant,
            "seed": self._seed,
            "time_limit": self._limit,
        }
        asked = "for its name and version"
        reply = self._program.ask(hello, asked, max(self._limit, START_SECONDS))
        if not all(_is_name(reply.get(field)) for field in ("name", "version")):
            must = f'"name" and "version" must be texts of 1 to {_LONGEST_NAME} letters'
            raise self._program.failure(asked, f"answered {shown(json.dumps(reply))}; {must}")
        self.name, self.version = str(reply["name"]), str(reply["version"])

    def act(self, view: View) -> IntArray:
        """Return (n,) int64 card ids, 0 where no card is legal; `PlayerError`, with its row, if the program fails."""
        cards = np.asarray(view.legal.argmax(axis=1), np.int64)
        for row in np.flatnonzero(popcount(view.legal_cards) > 1).tolist():
            try:
                cards[row] = self._ask(request_of(view, row, self._seed))
            except PlayerError as error:
                error.row = row
                raise
        return cards

    def _ask(self, request: dict[str, Any]) -> int:
        asked = f"which of {' '.join(request['legal'])} seat {request['seat']} plays"
        reply = self._program.ask(request, asked, self._limit)
        try:
            return card_id(reply["card"])
        except (KeyError, ValueError):
            example = json.dumps({"card": request["legal"][0]})
            raise self._program.failure(
                asked, f"answered {shown(json.dumps(reply))}, which names no card: write it as in {example}"
            ) from None


def time_limit() -> float:
    """Return the seconds a program has for a card; ``ValueError`` if the environment says what is no time."""
    text = os.environ.get(LIMIT_VARIABLE, "").strip()
    try:
        seconds = float(text) if text else DEFAULT_LIMIT
    except ValueError:
        seconds = 0.0
    if not 0 < seconds <= _LONGEST_LIMIT:
        raise ValueError(
            f"{LIMIT_VARIABLE}={text!r} is no time limit: write seconds, more than 0 and at most {_LONGEST_LIMIT:g}"
        )
    return seconds


def request_of(view: View, row: int, seed: str) -> dict[str, Any]:
    """Return the request for the card of one row: all that its seat knows, in the words of docs/process.md."""
    rules = view.rules
    plays = [[int(view.play_seats[row, i]), card_text(view.plays[row, i])] for i in range(view.ply[row])]
    request: dict[str, Any] = {
        "type": "play",
        "variant": rules.variant,
        "napoletana": rules.napoletana,
        "target": view.target,
        "scores": view.scores[row].tolist(),
        "seats": rules.seats,
        "seat": int(view.seat[row]),
        "dealer": int(view.dealer[row]),
        "hand": _texts(view.hand[row]),
        "legal": _texts(view.legal_cards[row]),
        "trick": plays[view.ply[row] // rules.seats * rules.seats :],
        "plays": plays,
        "draws": _draws(view, row),
        "stock": rules.stock - int(popcount(view.drawn[:, row]).sum()),
        "known": [_texts(cards) for cards in view.shown[:, row]],
        "declared": [_texts(cards) for cards in view.declared[:, row]],
        "void": [_suits(cards) for cards in view.void[:, row]],
        "excluded": [_texts(cards) for cards in view.excluded[:, row]],
        "declared_points": view.declared_points[row].tolist(),
        "thirds": view.thirds[row].tolist(),
        "seed": seed,
        "key": str(view.keys[row]),
    }
    if rules.num_cards < NUM_CARDS:
        request["pack"] = {"suits": rules.suits, "ranks": rules.ranks, "hand": rules.hand}
    return request


def _draws(view: View, row: int) -> list[list[Any]]:
    """Return the drawn cards as [seat, card], in order: after each trick its winner draws first."""
    leaders = [*view.play_seats[row, : view.ply[row] : view.rules.seats], view.leader[row]]  # of each trick
    draws = []
    for seat, drawn in enumerate(view.drawn[:, row]):
        for card in cards_of(int(drawn)):
            after = int(view.drew[row, card])  # the winner of a trick leads the next
            draws.append((after, leaders[after] != seat, seat, card))
    return [[seat, card_text(card)] for _, _, seat, card in sorted(draws)]


def _texts(cards: np.uint64) -> list[str]:
    return [card_text(card) for card in cards_of(int(cards))]


def _suits(cards: np.uint64) -> str:
    return "".join(suit for suit, mask in zip(SUITS, SUIT_MASKS, strict=True) if cards & mask)


def _is_name(text: Any) -> bool:
    return isinstance(text, str) and text.strip() != "" and len(text) <= _LONGEST_NAME and text.isprintable()
