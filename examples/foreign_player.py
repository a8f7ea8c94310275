"""A foreign player in plain Python: it imports nothing of this project, so any language can do the same.

It reads one request a line and answers each with one line, as docs/process.md describes.  Measure it with

    python evaluate.py match "process:python examples/foreign_player.py" random --variant partners --pairs 200
"""

import json
import sys
from typing import Any

STRENGTH = "4567FCRA23"  # weakest to strongest
THIRDS = {"A": 3, "3": 1, "2": 1, "R": 1, "C": 1, "F": 1}  # of a point; the others are worth nothing


def worth(card: str) -> tuple[int, int]:
    """Return what a card is worth, and its strength among cards worth the same."""
    return THIRDS.get(card[0], 0), STRENGTH.index(card[0])


def choose(request: dict[str, Any]) -> str:
    """Return the card to play: take what is worth taking as cheaply as possible, give the partner the most."""
    trick: list[tuple[int, str]] = request["trick"]
    legal: list[str] = request["legal"]
    if not trick:
        threes = [card for card in legal if card[0] == "3"]
        return threes[0] if threes else min(legal, key=worth)
    suit = trick[0][1][1]
    seat, best = max((play for play in trick if play[1][1] == suit), key=lambda play: STRENGTH.index(play[1][0]))
    last = len(trick) == request["seats"] - 1
    if seat % 2 == request["seat"] % 2:  # sides: even seats against odd ones
        return max(legal, key=worth) if last else min(legal, key=worth)
    winners = [card for card in legal if card[1] == suit and STRENGTH.index(card[0]) > STRENGTH.index(best[0])]
    if winners and (last or any(worth(card)[0] for _, card in trick)):
        return min(winners, key=lambda card: STRENGTH.index(card[0]))
    return min(legal, key=worth)


def answer(request: dict[str, Any]) -> dict[str, Any]:
    """Return the reply to a request."""
    if request["type"] == "hello":
        return {"name": "foreign example", "version": "1"}
    return {"id": request["id"], "card": choose(request)}


def main() -> None:
    """Answer requests until the input ends."""
    for line in sys.stdin:
        print(json.dumps(answer(json.loads(line))), flush=True)


if __name__ == "__main__":
    main()
