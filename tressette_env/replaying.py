"""Records replayed: whether they keep to the rules, and the batch or environment at any ply.

No rule stands here: the deals of many records are played together in one `DealBatch`, which knows what is legal and
what it is worth, and `matches` settles what they come to.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from tressette_env import tressette_v0
from tressette_env.cards import NUM_RANKS, ONE, SUITS, IntArray, card_text, cards_of, hand_text, lowest_cards
from tressette_env.deals import DealBatch
from tressette_env.episode import results_of
from tressette_env.matches import SEED_OF_LATER_DEALS, next_dealers, settle
from tressette_env.pettingzoo_env import TressetteWrapper
from tressette_env.play import NOBODY
from tressette_env.record_form import Form, RecordError, form_of, shown

_MOST_AT_ONCE = 4096
"""Deals in one batch, which bounds the memory."""
_NO_CARD = -1


class _Deal(NamedTuple):
    """A deal of one of the records that are checked: ``form`` is the record's number, ``number`` the deal's."""

    form: int
    number: int
    scores: list[int]


def find_faults(forms: Sequence[Form]) -> list[RecordError | None]:
    """Return for each record what is wrong first, in the order of its deals, None if nothing is."""
    faults: list[RecordError | None] = [_decided_before(form) for form in forms]
    groups: dict[tuple[Any, bool], list[_Deal]] = {}
    for index, form in enumerate(forms):
        if faults[index] is None:
            of_game = groups.setdefault((form.rules, form.match), [])
            of_game += [_Deal(index, number, scores) for number, scores in enumerate(_scores_before(form))]
    for deals in groups.values():
        for start in range(0, len(deals), _MOST_AT_ONCE):
            part = deals[start : start + _MOST_AT_ONCE]
            for deal, fault in zip(part, _faults_of(part, forms), strict=True):
                faults[deal.form] = faults[deal.form] or fault
    return faults


def _scores_before(form: Form) -> Iterator[list[int]]:
    """Yield the scores before each deal, as the points of the earlier ones are claimed."""
    scores = form.scores
    for points in form.points:
        yield scores
        scores = [min(before + more, np.iinfo(np.int64).max) for before, more in zip(scores, points, strict=True)]


def _decided_before(form: Form) -> RecordError | None:
    scores = np.array([form.scores])
    if form.match and settle(form.rules, scores, np.zeros_like(scores), np.zeros(1, bool)).winner[0] != NOBODY:
        return RecordError(f"options: the scores {form.scores} have decided the match before its first deal")
    return None


def _faults_of(deals: Sequence[_Deal], forms: Sequence[Form]) -> Iterator[RecordError | None]:
    """Yield what is wrong with each of some deals, of one kind of game."""
    rules, match = forms[deals[0].form].rules, forms[deals[0].form].match
    batch = _dealt(
        rules,
        match,
        [forms[deal.form].decks[deal.number] for deal in deals],
        [forms[deal.form].dealers[deal.number] for deal in deals],
        [deal.scores for deal in deals],
    )
    stops = _play(batch, [forms[deal.form].plays[deal.number] for deal in deals])
    points, plays = batch.points, batch.ply
    outcome = settle(rules, batch.scores, points, plays > 0) if match else None
    results = results_of(batch, outcome)
    for row, deal in enumerate(deals):
        form, number = forms[deal.form], deal.number
        last = number == len(form.decks) - 1
        if number and form.dealers[number] != (due := int(next_dealers(rules, np.array(form.dealers[number - 1])))):
            reason = f"the dealer is seat {form.dealers[number]}, but after that of the deal before it is seat {due}"
            yield RecordError(reason, number)
        elif row in stops:
            ply, reason = stops[row]
            yield RecordError(reason, number, ply)
        elif form.points[number] != points[row].tolist():
            reason = f"the points are {form.points[number]}, but the deal comes to {points[row].tolist()}"
            yield RecordError(reason, number)
        elif outcome is not None and last != (outcome.winner[row] != NOBODY):
            standing = f"after it the match stands at {outcome.scores[row].tolist()}"
            reason = f"{standing} and is not won, but there is no other deal"
            yield RecordError(f"{standing}, which wins it, but another deal follows" if not last else reason, number)
        else:
            yield _wrong_result(form.result, results[row]) if last else None


def _wrong_result(given: Any, right: dict[str, Any]) -> RecordError | None:
    if type(given) is not dict:
        return RecordError(f"result must be an object, not {shown(given)}")
    for key in [*right, *given]:
        if key not in given:
            return RecordError(f"result: {key!r} is missing")
        if key not in right:
            return RecordError(f"result: {shown(key)} is unknown; known: {', '.join(right)}")
        if not _same(given[key], right[key]):
            return RecordError(f"result: {key} is {shown(given[key])}, but the deals come to {right[key]}")
    return None


def _same(given: Any, right: Any) -> bool:
    """Return whether two values are equal and of one type: neither True nor 1.0 is 1."""
    if isinstance(right, list):
        return type(given) is list and len(given) == len(right) and all(map(_same, given, right))
    return type(given) is type(right) and bool(given == right)


def _dealt(rules: Any, match: bool, decks: Any, dealers: Any, scores: Any) -> DealBatch:
    """Return deals before their first card; those of a match show its target."""
    deals = DealBatch(len(dealers), rules)
    deals.reset(decks=decks, dealers=dealers, scores=scores)
    if match:
        deals._target = rules.target
    return deals


def _play(deals: DealBatch, plays: Sequence[Sequence[int]]) -> dict[int, tuple[int, str]]:
    """Play whole deals; return where and why those stop that can not be played so, {row: (ply, reason)}."""
    stops: dict[int, tuple[int, str]] = {}
    columns = _padded(plays, deals.rules.num_cards + 1)
    for ply, cards in enumerate(columns.T):
        going = cards != _NO_CARD
        going[list(stops)] = False
        for row in np.flatnonzero(going & ~deals.active).tolist():
            stops[row] = ply, _over(deals, row, len(plays[row]) - ply)
        legal = (deals.legal >> np.where(going, cards, 0).astype(np.uint64)) & ONE != 0
        for row in np.flatnonzero(going & deals.active & ~legal).tolist():
            stops[row] = ply, _why_illegal(deals, row, int(cards[row]))
        going &= legal
        if going.any():
            deals.step(cards, rows=going)
    for row in np.flatnonzero(deals.active).tolist():
        reason = f"the plays end here, but the deal has {deals.rules.num_cards}"
        stops.setdefault(row, (len(plays[row]), reason))
    return stops


def _padded(plays: Sequence[Sequence[int]], most: int) -> IntArray:
    """Return (deals, plies): the cards, at most `most` of them, then -1."""
    columns = np.full((len(plays), min(most, max(map(len, plays)))), _NO_CARD, np.int64)
    for row, cards in enumerate(plays):
        columns[row, : len(cards)] = cards[:most]
    return columns


def _over(deals: DealBatch, row: int, more: int) -> str:
    follow = f"{more} plays follow" if more > 1 else "a play follows"
    if not deals.ply[row]:
        return f"the declarations have won the deal, so that no card is played, but {follow}"
    return f"the deal is over, but {follow}"


def _why_illegal(deals: DealBatch, row: int, card: int) -> str:
    """Return why the seat to act may not play a card."""
    view = deals.view().take([row])
    played, hand = f"seat {view.seat[0]} played the {card_text(card)}", cards_of(view.hand[0])
    if card in hand:
        suit = SUITS[int(lowest_cards(view.suit)[0]) // NUM_RANKS]
        return f"{played}, but must follow {suit} with {hand_text(cards_of(view.legal_cards[0]))}"
    fell = int(view.fell[0, card])
    why = f"it fell at ply {fell - 1}" if fell else f"its hand is {hand_text(hand)}"
    return f"{played}, which it does not hold: {why}"


def checked(record: Any) -> Form:
    """Return what a record says; `RecordError` if it breaks its form or the rules."""
    form = form_of(record)
    fault = find_faults([form])[0]
    if fault is not None:
        raise fault
    return form


def replay(record: Any, ply: int | None = None, deal: int = -1) -> DealBatch:
    """Return a batch of one deal of a record, standing before play `ply` (default: after the last).

    `deal`: its number in a match, from the end where negative.  Scores and target are those of the match; what the
    batch does not do is to go on with the next deal.
    Raises `RecordError` if the record, any part of it, breaks the rules, ``ValueError`` for a ply or deal it has not.
    """
    form = checked(record)
    number = _deal_number(form, deal)
    deals = _one_deal(form, number, 1)
    for card in form.plays[number][: _checked_ply(form, number, ply)]:
        deals.step([card])
    return deals


def replay_plies(record: Any, deal: int = -1) -> DealBatch:
    """Return a batch whose row i is one deal of a record before its play i, for all its plays.

    Raises ``ValueError`` as `replay` does, and for a deal won by declarations: it has no plays.
    """
    form = checked(record)
    number = _deal_number(form, deal)
    cards = form.plays[number]
    if not cards:
        raise ValueError(f"deal {number} was won by declarations: it has no plays")
    deals = _one_deal(form, number, len(cards))
    for ply, card in enumerate(cards[:-1]):
        deals.step(np.full(len(cards), card), rows=np.arange(len(cards)) > ply)
    return deals


def replay_env(record: Any, ply: int | None = None, deal: int = -1, render_mode: str | None = None) -> TressetteWrapper:
    """Return the PettingZoo environment of a record, standing before play `ply` of a deal (default: at its end).

    A match begins in it with that deal, at the scores it had by then.  At the end of a deal that is not the last it
    stands, as the environment does, before the first card of the next.  Deals that a game played on otherwise would
    need are drawn from seed 0.  Raises as `replay` does.
    """
    form = checked(record)
    number = _deal_number(form, deal)
    stop = _checked_ply(form, number, ply)
    if stop == len(form.plays[number]) and number < len(form.decks) - 1:
        number, stop = number + 1, 0
    env = tressette_v0.env(form.rules, episode="match" if form.match else "deal", render_mode=render_mode)
    score = list(_scores_before(form))[number]
    env.reset(SEED_OF_LATER_DEALS, {"deck": form.decks[number], "dealer": form.dealers[number], "score": score})
    for card in form.plays[number][:stop]:
        env.step(card)
    return env


def _one_deal(form: Form, number: int, rows: int) -> DealBatch:
    """Return a deal of a record before its first card, so many times."""
    scores = list(_scores_before(form))[number]
    return _dealt(form.rules, form.match, [form.decks[number]] * rows, [form.dealers[number]] * rows, [scores] * rows)


def _deal_number(form: Form, deal: int) -> int:
    count = len(form.decks)
    if isinstance(deal, bool) or not isinstance(deal, int | np.integer) or not -count <= deal < count:
        raise ValueError(f"deal={deal!r} is not allowed: the game has {count}, from 0, or from -1 backwards")
    return int(deal) % count


def _checked_ply(form: Form, number: int, ply: int | None) -> int:
    count = len(form.plays[number])
    if ply is None:
        return count
    if isinstance(ply, bool) or not isinstance(ply, int | np.integer) or not 0 <= ply <= count:
        raise ValueError(f"ply={ply!r} is not allowed: deal {number} has {count} plays, so from 0 to {count}")
    return int(ply)


def deal_text(record: Any, deal: int = -1) -> str:
    """Return one deal of a record as text for people: the hands as dealt, the tricks with their winners, the points.

    Raises as `replay` does.
    """
    form = checked(record)
    number = _deal_number(form, deal)
    rules, deck, end = form.rules, form.decks[number], replay(record, None, number)
    view = end.view()
    lines = [f"deal {number}: dealer seat {form.dealers[number]}, score {':'.join(map(str, end.scores[0]))}"]
    for seat in range(rules.seats):
        hand = deck[seat * rules.hand : (seat + 1) * rules.hand]
        lines.append(f"  seat {seat} ({form.players[seat]}): {hand_text(hand)}")
    if rules.stock:
        lines.append("  stock: " + " ".join(map(card_text, deck[rules.seats * rules.hand :])))
    plays: npt.NDArray[np.int64] = view.plays[0].astype(np.int64)
    for start in range(0, len(form.plays[number]), rules.seats):
        cards, seats = (row[start : start + rules.seats] for row in (plays, view.play_seats[0]))
        winner = next(seat for seat, card in zip(seats, cards, strict=True) if view.won[0] >> np.uint64(card) & ONE)
        told = " ".join(map(card_text, cards))
        lines.append(f"  trick {start // rules.seats + 1}: seat {seats[0]} led {told}, seat {winner} took it")
    lines.append(f"  points {':'.join(map(str, form.points[number]))}")
    return "\n".join(lines)


def game_text(record: Any) -> str:
    """Return a record as text for people: the game, its deals and its result; `RecordError` if it breaks the rules."""
    form = checked(record)
    kind = f"match to {form.rules.target}" if form.match else "deal"
    napoletana = " with napoletana" if form.rules.napoletana else ""
    result = ", ".join(f"{name} {value}" for name, value in form.result.items())
    deals = [deal_text(record, number) for number in range(len(form.decks))]
    return "\n".join([f"{form.rules.variant}{napoletana}, {kind}", *deals, f"result: {result}"])
