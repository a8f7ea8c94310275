"""Single-observer information set Monte Carlo tree search in compiled code.

Cowling, Powley, Whitehouse: "Information set Monte Carlo tree search" (IEEE TCIAIG 4(2), 2012), SO-ISMCTS: one tree
over the cards played from now on, and each iteration goes down it with the hidden cards of one world.  A child that
the world does not allow is not there in that iteration, so the UCB term counts, in the place of the parent's visits,
how often the child was *available*.  What is drawn is part of the world and no branch of the tree.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from agents.search import game_kernel
from agents.search.compiled import compiled, lowest, mix64
from agents.search.game_kernel import HANDS, PLAYER, STATE, TAKEN, Game
from agents.search.playout_kernel import MOST_CHOICES, FloatArray, pick, play_out
from tressette_env.baselines.bits import distinct
from tressette_env.cards import NUM_CARDS, ONE, IntArray, UInt64Array

_FIRST_CHILD, _SIBLING, _CARD, _VISITS, _AVAILABLE, _TOTAL = range(6)
_FIELDS = 8
_LONGEST_RUN = 4  # of neighbours worth the same: 4 5 6 7
_ROOT = 0
_NONE = 0  # no node: the root is nobody's child
_ZERO = np.uint64(0)
_ALL_CARDS = np.uint64((1 << NUM_CARDS) - 1)
_AS_THE_WEAKER = _ALL_CARDS & ~distinct(np.array([_ALL_CARDS]), np.zeros(1, np.uint64))[0]
"""The cards worth the same as the next weaker one of their suit."""


@compiled()
def different_cards(state: UInt64Array, game: Game) -> np.uint64:
    """Return the legal cards without those as good as a lower one, as `distinct` has it."""
    hand = state[HANDS + np.int64(state[PLAYER])]
    separating = game.pack & ~(hand | state[TAKEN] | state[TAKEN + 1])
    bridge = _AS_THE_WEAKER & ~separating
    cards = game_kernel.legal_cards(state)
    reached = cards
    for _ in range(_LONGEST_RUN - 2):
        reached |= (reached << ONE) & bridge
    return cards & ~((reached << ONE) & _AS_THE_WEAKER)


@compiled()
def _select(
    node: np.int64, legal: np.uint64, nodes: npt.NDArray[np.int32], logarithms: npt.NDArray[np.float64], c: float
) -> np.int64:
    """Return the legal child with the highest upper bound, `_NONE` if there is none; count all as available."""
    best, highest = np.int64(_NONE), -np.inf
    child = np.int64(nodes[node, _FIRST_CHILD])
    while child != _NONE:
        if legal >> np.uint64(nodes[child, _CARD]) & ONE != _ZERO:
            nodes[child, _AVAILABLE] += 1
            visits = nodes[child, _VISITS]
            bound = nodes[child, _TOTAL] / visits + c * np.sqrt(logarithms[nodes[child, _AVAILABLE]] / visits)
            if bound > highest:
                best, highest = child, bound
        child = np.int64(nodes[child, _SIBLING])
    return best


@compiled()
def _add_child(node: np.int64, new: np.int64, bit: np.uint64, nodes: npt.NDArray[np.int32], tried: UInt64Array) -> None:
    for field in range(_FIELDS):
        nodes[new, field] = 0
    nodes[new, _CARD] = lowest(bit)
    nodes[new, _AVAILABLE] = 1
    nodes[new, _SIBLING] = nodes[node, _FIRST_CHILD]
    nodes[node, _FIRST_CHILD] = new
    tried[new] = _ZERO
    tried[node] |= bit


@compiled()
def _search_row(
    known: UInt64Array,
    hands: UInt64Array,
    stock: npt.NDArray[np.int8],
    game: Game,
    iterations: np.int64,
    c: float,
    weights: FloatArray,
    seed: np.uint64,
    nodes: npt.NDArray[np.int32],
    tried: UInt64Array,
    logarithms: npt.NDArray[np.float64],
    state: UInt64Array,
    generator: UInt64Array,
    sums: FloatArray,
    path: IntArray,
    sides: IntArray,
) -> None:
    """Grow the tree of one decision in `nodes`; a total is of the points of the side that moved to the node.

    The last five arrays are working space.
    """
    generator[0] = seed
    generator[1] = mix64(seed) | ONE
    for field in range(_FIELDS):
        nodes[_ROOT, field] = 0
    tried[_ROOT] = _ZERO
    size = np.int64(1)
    for iteration in range(iterations):
        world = iteration % len(hands)
        game_kernel.set_world(state, known, hands[world])
        node = np.int64(_ROOT)
        length = np.int64(0)
        grown = False
        while not grown and not game_kernel.is_over(state, game):
            legal = different_cards(state, game)
            best = _select(node, legal, nodes, logarithms, c)
            untried = legal & ~tried[node]
            if untried != _ZERO:
                bit = pick(untried, generator)
                _add_child(node, size, bit, nodes, tried)
                node = size
                size += 1
                grown = True
            else:
                node = best
                bit = ONE << np.uint64(nodes[node, _CARD])
            path[length] = node
            sides[length] = np.int64(state[PLAYER] & ONE)
            length += 1
            game_kernel.play(state, stock[world], bit, game)
        play_out(state, stock[world], game, weights, sums, generator)
        margin = game_kernel.side_points(state, 0, game) - game_kernel.side_points(state, 1, game)
        for step in range(length):
            nodes[path[step], _VISITS] += 1
            nodes[path[step], _TOTAL] += margin if sides[step] == 0 else -margin


@compiled(allocates=True)
def search(
    known: UInt64Array,
    hands: UInt64Array,
    stock: npt.NDArray[np.int8],
    game: Game,
    iterations: np.int64,
    c: float,
    weights: FloatArray,
    seeds: UInt64Array,
) -> tuple[IntArray, IntArray]:
    """Search n decisions and return the visits of each card and its total of points for the side to act, (n, 40) int64.

    `known` (n, STATE): rows of `states_of`; `hands` (n, worlds, seats) and `stock` (n, worlds, longest): the worlds,
    taken in turn; `c`: points of exploration; `weights`: of the playouts; `seeds` (n,).
    """
    visits = np.zeros((len(known), NUM_CARDS), np.int64)
    totals = np.zeros((len(known), NUM_CARDS), np.int64)
    nodes = np.empty((iterations + 1, _FIELDS), np.int32)
    tried = np.empty(iterations + 1, np.uint64)
    logarithms = np.log(np.arange(1, iterations + 2))
    logarithms[1:] = logarithms[:-1].copy()
    for row in range(len(known)):
        _search_row(
            known[row],
            hands[row],
            stock[row],
            game,
            iterations,
            c,
            weights,
            seeds[row],
            nodes,
            tried,
            logarithms,
            np.empty(STATE, np.uint64),
            np.empty(2, np.uint64),
            np.empty(MOST_CHOICES, np.float32),
            np.empty(NUM_CARDS, np.int64),
            np.empty(NUM_CARDS, np.int64),
        )
        child = np.int64(nodes[_ROOT, _FIRST_CHILD])
        while child != _NONE:
            visits[row, nodes[child, _CARD]] = nodes[child, _VISITS]
            totals[row, nodes[child, _CARD]] = nodes[child, _TOTAL]
            child = np.int64(nodes[child, _SIBLING])
    return visits, totals
