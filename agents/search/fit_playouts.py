"""Fit the playout policy to the choices of a baseline: ``python -m agents.search.fit_playouts`` (a minute).

For each variant a teacher plays some thousand deals with itself, and the logits of `playout_kernel`'s factors are
fitted to its cards by maximum likelihood: a multinomial logistic regression, by Adam on shuffled batches.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from agents.search.game_kernel import game_of, states_of
from agents.search.ismcts import WEIGHTS
from agents.search.playout_kernel import NO_FACTOR, SIZE, FloatArray, factors_of_choices
from tressette_env import DealBatch, Rules, make_player
from tressette_env.cards import IntArray

TEACHERS = {"two_player": "tuned", "partners": "rules", "historical": "rules"}
"""The stronger of the quick players of each variant."""
DEALS, EPOCHS, BATCH, RATE, DECAY = 15_000, 6, 4096, 0.1, 1e-5
_SEED = 123


class Choices(NamedTuple):
    """Decisions with several legal cards.

    ``factors`` (n, MOST_CHOICES, FACTORS) int16, -1 where there is no further card; ``chosen`` (n,) the card played,
    as its place among them.
    """

    factors: npt.NDArray[np.int16]
    chosen: IntArray


def collect(rules: Rules, teacher: str, deals: int, seed: int) -> Choices:
    """Return the choices of a player that plays both sides."""
    player, game = make_player(teacher, rules, seed), game_of(rules)
    batch = DealBatch(deals, rules)
    batch.reset(seed=seed)
    parts = []
    while not batch.done:
        view = batch.view()
        cards = np.where(view.seat >= 0, np.asarray(player.act(view)), 0)
        rows = np.flatnonzero(np.bitwise_count(view.legal_cards) > 1)
        if len(rows):
            seen = view.take(rows)
            factors, places = factors_of_choices(states_of(seen), batch.hands[rows], seen.legal_cards, game)
            parts.append(Choices(factors, (places == cards[rows, None]).argmax(axis=1)))
        batch.step(cards)
    return Choices(np.concatenate([part.factors for part in parts]), np.concatenate([part.chosen for part in parts]))


def probabilities(logits: FloatArray, factors: npt.NDArray[np.int16]) -> FloatArray:
    """Return the policy's probability of each choice, (n, MOST_CHOICES) float32; 0 where there is no further card."""
    marks = logits[factors].sum(axis=2)
    marks[factors[:, :, 0] < 0] = -np.inf
    marks -= marks.max(axis=1, keepdims=True)
    likely: FloatArray = np.exp(marks)
    return likely / likely.sum(axis=1, keepdims=True)


def fit(choices: Choices, epochs: int = EPOCHS, batch: int = BATCH) -> FloatArray:
    """Return the logits (SIZE,) float32 that make the choices likely; the one of `NO_FACTOR` is 0."""
    rng = np.random.default_rng(_SEED)
    logits, mean, square = (np.zeros(SIZE, np.float32) for _ in range(3))
    per_epoch = max(len(choices.chosen) // batch, 1)
    for step in range(epochs * per_epoch):
        if step % per_epoch == 0:
            order = rng.permutation(len(choices.chosen))
        rows = order[step % per_epoch * batch :][:batch]
        factors = choices.factors[rows]
        slope = probabilities(logits, factors)
        slope[np.arange(len(rows)), choices.chosen[rows]] -= 1
        there = factors >= 0
        weights = np.broadcast_to(slope[:, :, None], factors.shape)[there]
        gradient = np.bincount(factors[there], weights, SIZE) / len(rows) + 2 * DECAY * logits
        gradient[NO_FACTOR] = 0
        mean += 0.1 * (gradient - mean)
        square += 0.01 * (gradient**2 - square)
        corrected = (1 - 0.9 ** (step + 1)), (1 - 0.99 ** (step + 1))
        rate = RATE * (1 - step / (epochs * per_epoch))
        logits -= (rate * mean / corrected[0] / (np.sqrt(square / corrected[1]) + 1e-8)).astype(np.float32)
    return logits


def main() -> None:
    """Fit every variant, say how well, and write the file."""
    fitted: dict[str, Any] = {}
    for variant, teacher in TEACHERS.items():
        rules = Rules(variant)
        logits = fit(collect(rules, teacher, DEALS, seed=_SEED))
        fitted[variant] = logits.astype(np.float16)
        unseen = collect(rules, teacher, DEALS // 10, seed=_SEED + 1)
        likely = probabilities(logits, unseen.factors)
        chosen = likely[np.arange(len(likely)), unseen.chosen]
        print(
            f"{variant}: on new deals of {teacher} the policy's first choice is its card in"
            f" {(likely.argmax(axis=1) == unseen.chosen).mean():.1%}, {-np.log(chosen).mean():.3f} nats a choice",
            flush=True,
        )
    np.savez_compressed(WEIGHTS, **fitted)


if __name__ == "__main__":
    main()
