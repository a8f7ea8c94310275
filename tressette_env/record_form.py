"""The form of a record: a game as plain data and as one line of JSON, checked value by value (CONTRACT §8).

What stands in a record may come from strangers, so nothing is taken on trust here.  Whether the game keeps to the
rules is checked by replaying it, in `tressette_env.replaying`.
"""

from __future__ import annotations

import json
import reprlib
from collections.abc import Sequence
from os import PathLike, fspath
from typing import Any, NamedTuple

from tressette_env import ENV_VERSION
from tressette_env.cards import card_id, card_text
from tressette_env.checking import LARGEST_COUNT
from tressette_env.rules import DEFAULT_TARGET, Rules

KEYS = ("version", "variant", "options", "players", "deals", "result")
OPTION_KEYS = ("napoletana", "target", "scores")
PACK_KEYS = ("suits", "ranks", "hand")
"""Options of a smaller pack; each is left out where it is that of the full pack."""
DEAL_KEYS = ("deck", "dealer", "plays", "points")
MOST_BYTES = 1_000_000
"""The longest line that is read."""
MOST_LETTERS = 1000
"""The longest name of a player."""
_MOST_DIGITS = 20
_LONGEST_REASON = 400


class RecordError(ValueError):
    """A record that is refused.

    Attributes: ``reason``; ``deal`` and ``ply``, both from 0, ``line``, from 1, and ``path``: each None where it is
    not known or says nothing.
    """

    def __init__(
        self,
        reason: str,
        deal: int | None = None,
        ply: int | None = None,
        line: int | None = None,
        path: str | PathLike[str] | None = None,
    ) -> None:
        self.reason = reason if len(reason) <= _LONGEST_REASON else reason[:_LONGEST_REASON] + "…"
        self.deal, self.ply, self.line = deal, ply, line
        self.path = None if path is None else fspath(path)
        in_file = [self.path, None if line is None else f"line {line}"]
        in_game = [None if deal is None else f"deal {deal}", None if ply is None else f"ply {ply}"]
        places = (", ".join(filter(None, group)) for group in (in_file, in_game))
        super().__init__(": ".join([*filter(None, places), self.reason]))

    def __reduce__(self) -> tuple[type[RecordError], tuple[Any, ...]]:
        """Pickle with the facts, so that worker processes can hand the error on."""
        return type(self), (self.reason, self.deal, self.ply, self.line, self.path)

    def at(self, path: str | PathLike[str], line: int) -> RecordError:
        """Return the same error of a line of a file."""
        return RecordError(self.reason, self.deal, self.ply, line, path)


class Form(NamedTuple):
    """A record whose form is right.

    ``rules``; ``match``: it is a match, not a single deal; ``players`` names by seat; ``scores`` before the first
    deal; and for each deal ``decks`` and ``plays`` (ids), ``dealers`` and ``points`` as they are claimed.
    """

    rules: Rules
    match: bool
    players: list[str]
    scores: list[int]
    decks: list[list[int]]
    dealers: list[int]
    plays: list[list[int]]
    points: list[list[int]]
    result: Any


def to_line(record: dict[str, Any]) -> str:
    """Return a record as its line of JSON, the line's end included."""
    return json.dumps(record, separators=(",", ":"), allow_nan=False) + "\n"


def from_line(line: bytes) -> Any:
    """Return what a line says, which may still be no record; `RecordError` unless it is plain JSON.

    Fractions, numbers of more than 20 digits and names given twice are refused: no record needs them.
    """
    if len(line) > MOST_BYTES:
        raise RecordError(f"the line is longer than {MOST_BYTES:,} bytes")
    if not line.endswith(b"\n"):
        raise RecordError("the line has no end: the file is not complete")
    try:
        text = line.decode("utf-8")
        return json.loads(
            text, object_pairs_hook=_object, parse_int=_whole, parse_float=_fraction, parse_constant=_fraction
        )
    except RecordError:
        raise
    except RecursionError:
        raise RecordError("the line is nested too deeply") from None
    except UnicodeDecodeError as error:
        raise RecordError(f"byte {error.start} of the line is not UTF-8") from None
    except ValueError as error:
        raise RecordError(f"the line is not JSON: {error}") from None


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    values = dict(pairs)
    if len(values) != len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise RecordError(f"{shown(twice)} is given twice")
    return values


def _whole(text: str) -> int:
    if len(text) > _MOST_DIGITS:
        raise RecordError(f"a number has {len(text)} digits")
    return int(text)


def _fraction(text: str) -> Any:
    raise RecordError(f"{text[:_MOST_DIGITS]} is no whole number")


def shown(value: Any) -> str:
    """Return a value for an error, cut short where it is long."""
    try:
        return reprlib.repr(value)
    except ValueError:  # an integer of thousands of digits
        return f"a huge {type(value).__name__}"


def form_of(record: Any) -> Form:
    """Return what a record says; `RecordError` if a value is missing, unknown, or of the wrong kind."""
    if type(record) is dict and "version" in record:
        _check_version(record["version"])
    _keys("the record", record, KEYS)
    rules, match, scores = _options(record["variant"], record["options"])
    players, deals = record["players"], record["deals"]
    _kind("players", players, list)
    if len(players) != rules.seats:
        raise RecordError(f"players: {len(players)} names, but {rules.variant} has {rules.seats} seats")
    for seat, name in enumerate(players):
        check_name(f"players: the name of seat {seat}", name)
    _kind("deals", deals, list)
    if not deals:
        raise RecordError("deals: there is none")
    if not match and len(deals) > 1:
        raise RecordError(f"deals: {len(deals)} of them, but without a target a game is one deal")
    parts = [_deal(number, deal, rules) for number, deal in enumerate(deals)]
    decks, dealers, plays, points = map(list, zip(*parts, strict=True))
    return Form(rules, match, players, scores, decks, dealers, plays, points, record["result"])


def _check_version(version: Any) -> None:
    if type(version) is not int or version != ENV_VERSION:
        raise RecordError(
            f"version {shown(version)}: this is environment version {ENV_VERSION}, which reads its own records only"
        )


def _options(variant: Any, options: Any) -> tuple[Rules, bool, list[int]]:
    """Return the rules, whether the game is a match, and the scores before it."""
    _kind("variant", variant, str)
    _keys("options", options, OPTION_KEYS, PACK_KEYS)
    _kind("options: napoletana", options["napoletana"], bool)
    target, scores = options["target"], options["scores"]
    if target is not None:
        _number("options: target", target, LARGEST_COUNT)
    _two_numbers("options: scores", scores)
    pack = {key: options[key] for key in PACK_KEYS if key in options}
    for key, value in pack.items():
        _kind(f"options: {key}", value, int if key == "hand" else str)
    try:
        rules = Rules(
            variant, napoletana=options["napoletana"], target=DEFAULT_TARGET if target is None else target, **pack
        )
    except ValueError as error:
        raise RecordError(str(error)) from None
    return rules, target is not None, scores


def options_of(rules: Rules, match: bool, scores: list[int]) -> dict[str, Any]:
    """Return the options of a record."""
    full = Rules(rules.variant)
    pack = {key: getattr(rules, key) for key in PACK_KEYS if getattr(rules, key) != getattr(full, key)}
    return {"napoletana": rules.napoletana, "target": rules.target if match else None, "scores": scores, **pack}


def _deal(number: int, deal: Any, rules: Rules) -> tuple[list[int], int, list[int], list[int]]:
    """Return deck, dealer, plays and points of a deal."""
    try:
        _keys("the deal", deal, DEAL_KEYS)
        _kind("deck", deal["deck"], list)
        deck = [_card(f"deck: place {place}", text) for place, text in enumerate(deal["deck"])]
        if len(deck) != rules.num_cards:
            raise RecordError(f"deck: {len(deck)} cards, but the pack has {rules.num_cards}")
        lacking = sorted(set(rules.pack) - set(deck))
        if lacking:
            raise RecordError(f"deck: {card_text(lacking[0])} of the pack is missing")
        _number("dealer", deal["dealer"], rules.seats - 1)
        _kind("plays", deal["plays"], list)
        _two_numbers("points", deal["points"])
    except RecordError as error:
        raise RecordError(error.reason, number) from None
    plays = []
    for ply, text in enumerate(deal["plays"]):
        try:
            plays.append(_card("the play", text))
        except RecordError as error:
            raise RecordError(error.reason, number, ply) from None
    return deck, deal["dealer"], plays, deal["points"]


def check_name(what: str, name: Any) -> None:
    """Raise `RecordError` unless a player's name is a printable text of moderate length."""
    _kind(what, name, str)
    if not name or len(name) > MOST_LETTERS or not name.isprintable():
        raise RecordError(f"{what} is {shown(name)}: it must be 1 to {MOST_LETTERS} letters that can be printed")


def _keys(what: str, value: Any, needed: Sequence[str], allowed: Sequence[str] = ()) -> None:
    _kind(what, value, dict)
    for key in needed:
        if key not in value:
            raise RecordError(f"{what}: {key!r} is missing")
    for key in value:
        if key not in needed and key not in allowed:
            raise RecordError(f"{what}: {shown(key)} is unknown; known: {', '.join((*needed, *allowed))}")


_KIND_NAMES = {dict: "an object", list: "a list", str: "a text", bool: "true or false", int: "a whole number"}


def _kind(what: str, value: Any, kind: type) -> None:
    if type(value) is not kind:
        raise RecordError(f"{what} must be {_KIND_NAMES[kind]}, not {shown(value)}")


def _number(what: str, value: Any, most: int) -> None:
    _kind(what, value, int)
    if not 0 <= value <= most:
        raise RecordError(f"{what} is {shown(value)}: it must be from 0 to {most}")


def _two_numbers(what: str, values: Any) -> None:
    _kind(what, values, list)
    if len(values) != 2:
        raise RecordError(f"{what}: {len(values)} numbers, but there are two sides")
    for side, value in enumerate(values):
        _number(f"{what} of side {side}", value, LARGEST_COUNT)


def _card(what: str, text: Any) -> int:
    _kind(what, text, str)
    try:
        return card_id(text if len(text) <= _MOST_DIGITS else text[:_MOST_DIGITS] + "…")
    except ValueError as error:
        raise RecordError(f"{what}: {error}") from None
