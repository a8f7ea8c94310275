"""Exact play with open cards (CONTRACT §9): the value of every legal card, for one position or many at once.

No card may be left to draw.  The search is in `double_dummy`; compiling it takes some seconds once on a machine.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import numpy.typing as npt

from agents.search import memory, values
from agents.search.compiled import compiling
from agents.search.described import position_from
from agents.search.double_dummy import ALL_ENHANCEMENTS, FLAGS, MANY_TRICKS, Work, new_work
from agents.search.positions import Positions
from tressette_env.cards import NUM_CARDS, IntArray, UInt64Array, popcount
from tressette_env.rules import Rules, resolve_rules
from tressette_env.scoring import all_but_one_counts

NO_VALUE = int(values.NO_VALUE)
_MOST_SETS = 1 << 17  # of the transposition table: 56 MiB
_FEWEST_SETS = 1 << 8
_CARDS_OF_FEWEST = 16  # in hands; a small table stays in the processor's cache
_CARDS_PER_DOUBLING = 2
_ROWS_AT_ONCE = 16  # what a thread takes in one go
_local = threading.local()


def thirds_to_come(positions: Positions, rules: Rules, threads: int = 1, flags: int = ALL_ENHANCEMENTS) -> IntArray:
    """Return (n,) int64: the thirds that side 0 still takes under best play, the last trick's point as three.

    Historical bonuses are not counted (`card_points` counts them).  `flags`: the enhancements that are on.
    """
    return _of_positions(positions, rules, False, threads, flags)


def final_points(positions: Positions, rules: Rules, threads: int = 1, flags: int = ALL_ENHANCEMENTS) -> IntArray:
    """Return (n,) int64: final points of side 0 minus side 1's under best play.

    What counts is as in `card_points`, whose best value this is, for the side to move; it takes a third of the time.
    """
    return _of_positions(positions, rules, True, threads, flags)


def _of_positions(positions: Positions, rules: Rules, in_points: bool, threads: int, flags: int) -> IntArray:
    found = np.zeros(len(positions.leader), np.int64)

    def solve_rows(work: Work, rows: slice) -> None:
        values.values_of_positions(work, *_arrays(positions, rows), positions.bonus[rows], in_points, found[rows])

    _solve(solve_rows, positions, rules, threads, flags)
    return found


def card_points(
    positions: Positions, rules: Rules, threads: int = 1, flags: int = ALL_ENHANCEMENTS
) -> npt.NDArray[np.int8]:
    """Return (n, 40) int8: final points of the mover's side minus the other's after each legal card.

    All play best with open cards.  Floors, the last trick and, in `historical`, the bonus are counted, declared
    points are not; `NO_VALUE` stands where a card is not legal.  `threads`: how many work at once; the result does
    not depend on it.  `flags`: the enhancements that are on.
    """
    found = np.full((len(positions.leader), NUM_CARDS), NO_VALUE, np.int8)

    def solve_rows(work: Work, rows: slice) -> None:
        values.values_of_cards(work, *_arrays(positions, rows), positions.bonus[rows], found[rows])

    _solve(solve_rows, positions, rules, threads, flags)
    return found


def solve(
    hands: Sequence[Iterable[int]],
    player: int,
    trick: Sequence[tuple[int, int]] = (),
    thirds: Sequence[int] = (0, 0),
    variant: str | Rules = "partners",
    tricks: Sequence[Sequence[tuple[int, int]]] = (),
) -> dict[int, int]:
    """Return for every legal card the final points of the mover's side minus the other's, {card id: points}.

    `hands`: the ids in each hand, by seat, no card left to draw; `player`: the seat to move; `trick`: (seat, card)
    pairs on the table, leader first, not in `hands` any more; `thirds`: taken so far by side 0 and side 1.  With the
    cards on the table counted, all seats hold equally many.  All play best with open cards; floors and the last
    trick are counted, declared points are not.
    `tricks` (historical): those played before, in order, each as `trick`.  They decide which bonus can be won (none
    when they are left out and the deal is not at its first trick) and, where `thirds` is left out, the thirds.
    Raises ``ValueError`` that names what is wrong.
    """
    rules = resolve_rules(variant)
    position = position_from(hands, player, trick, thirds, tricks, rules)
    points = card_points(position, rules)[0]
    return {card: int(points[card]) for card in range(NUM_CARDS) if points[card] != NO_VALUE}


def warm_up() -> None:
    """Have the solver compiled, so that the first position is not kept waiting."""
    rules = Rules("two_player")
    position = position_from([[0], [1]], 0, (), (0, 0), (), rules)
    card_points(position, rules)
    thirds_to_come(position, rules)


def _arrays(positions: Positions, rows: slice) -> tuple[UInt64Array, IntArray, npt.NDArray[np.int8], IntArray]:
    hands, leader, table, thirds, _ = positions
    return hands[rows], leader[rows], table[rows], thirds[rows]


def _solve(
    solve_rows: Callable[[Work, slice], None], positions: Positions, rules: Rules, threads: int, flags: int
) -> None:
    """Call `solve_rows` on all rows, with the working space of its thread."""
    size = int(popcount(np.bitwise_or.reduce(positions.hands, axis=1)).max(initial=0))
    settings = rules, size, flags
    number = len(positions.leader)
    with compiling("the solver"):
        if threads == 1 or number <= 1:
            solve_rows(_work(*settings), slice(0, number))
            return
        chunks = [slice(first, first + _ROWS_AT_ONCE) for first in range(0, number, _ROWS_AT_ONCE)]
        with ThreadPoolExecutor(threads) as pool:
            list(pool.map(lambda rows: solve_rows(_work(*settings), rows), chunks))


def _work(rules: Rules, size: int, flags: int) -> Work:
    """Return this thread's working space, for positions of at most `size` cards."""
    if not hasattr(_local, "memory"):
        _local.memory = memory.new_memory(_MOST_SETS)
        _local.work = new_work(_local.memory)
    sets = min(_MOST_SETS, _FEWEST_SETS << max(0, (size - _CARDS_OF_FEWEST) // _CARDS_PER_DOUBLING))
    entries = _local.memory[:sets]
    work: Work = _local.work._replace(memory=entries)
    work.numbers[[FLAGS, MANY_TRICKS]] = flags, all_but_one_counts(rules)
    return work
