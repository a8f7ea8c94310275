"""Self-play: deals played by one network, in every seat or against opponents, and the decisions kept for learning.

Forced plays (one legal card) teach nothing and are left out.  Randomness comes from (seed, deal, ply), so that
the decisions do not depend on how deals are spread over workers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt
import torch

from agents.network import PolicyNetwork, autocast, masked_log_probs
from agents.open_cards import FloatArray, for_side, hidden_planes, points_taken
from agents.solved_ends import solve_rows
from tressette_env import DealBatch, Rules
from tressette_env.card_facts import with_facts
from tressette_env.cards import IntArray, UInt64Array, lowest_cards, popcount
from tressette_env.players import Player, decide
from tressette_env.shuffling import mix64, stream_keys
from tressette_env.view import View

_LEARNER, _NOBODY = -1, -2
_SAMPLE, _SOLVED = 1, 2  # streams of the numbers that choose cards, and solved deals; deals come from another one


@dataclass
class Decisions:
    """Unforced decisions of complete deals, in the order of play.

    ``inputs`` (n, inputs) uint8, what the policy reads, see `tressette_env.card_facts.with_facts`; ``hidden``
    (n, 4, hidden) uint8, what the critic sees besides; ``legal`` (n, 40) bool; ``card`` (n,); ``log_prob`` (n,) of the
    card when it was played; ``deal``, ``seat``, ``ply`` (n,); ``taken`` (n,) points already taken, own side minus the
    other; ``points`` (deals, 2) at the end, of which only the difference counts; ``best`` (n, 40) bool and ``value``
    (n,): of solved decisions the best cards and the final points by best play, see `agents.solved_ends`; ``taught``
    (n,) bool: whether the policy learns from it; ``plays``: all plays, forced ones too.
    """

    inputs: npt.NDArray[np.uint8]
    hidden: npt.NDArray[np.uint8]
    legal: npt.NDArray[np.bool_]
    card: IntArray
    log_prob: FloatArray
    deal: IntArray
    seat: IntArray
    ply: IntArray
    taken: FloatArray
    best: npt.NDArray[np.bool_]
    value: FloatArray
    taught: npt.NDArray[np.bool_]
    points: IntArray
    plays: int

    def __len__(self) -> int:
        """Return the number of decisions."""
        return len(self.card)

    @property
    def solved(self) -> npt.NDArray[np.bool_]:
        """(n,) bool: whether the decision is solved."""
        return ~np.isnan(self.value)

    @property
    def final(self) -> FloatArray:
        """(n,) float: the deal's points for the decider, own side minus the other."""
        return for_side(self.points[self.deal, 0] - self.points[self.deal, 1], self.seat)


class Opponent(Protocol):
    """Whoever sits against the learner; `uniform` (n,) numbers from 0 to below 1 are for drawing cards."""

    def choose(self, view: View, uniform: npt.NDArray[np.float64]) -> IntArray:
        """Return a card for each row of a view, (n,); every row has a choice."""


class PolicyOpponent:
    """A network that draws its cards, such as a past self."""

    def __init__(self, policy: PolicyNetwork, device: torch.device, precision: str = "float32") -> None:
        self._policy, self._device, self._precision = policy, device, precision

    def choose(self, view: View, uniform: npt.NDArray[np.float64]) -> IntArray:
        """Return cards drawn from the policy."""
        with autocast(self._device, self._precision):
            inputs = with_facts(view.variant, view.observation)
            return _sample(self._policy, inputs, view.legal, uniform, self._device)[0]


class PlayerOpponent:
    """A player by name; it does not use the numbers."""

    def __init__(self, player: Player) -> None:
        self._player = player

    def choose(self, view: View, uniform: npt.NDArray[np.float64]) -> IntArray:
        """Return the player's cards."""
        return decide(self._player, view)


class Guest(NamedTuple):
    """An opponent and the deals where it sits, as side 1 in the first half of them and side 0 in the others."""

    opponent: Opponent
    deals: slice


def unit_interval(bits: UInt64Array) -> npt.NDArray[np.float64]:
    """Return random bits as numbers from 0 to below 1."""
    return (bits >> np.uint64(11)).astype(np.float64) * 2.0**-53


@torch.inference_mode()
def play_deals(
    policy: PolicyNetwork,
    rules: Rules,
    seed: int,
    deal_ids: IntArray,
    device: torch.device,
    precision: str = "float32",
    guests: Sequence[Guest] = (),
    solved: float = 0.0,
) -> Decisions:
    """Play these deals with `policy`, in the seats that no guest has, and return its unforced decisions.

    `solved`: in two_player, in this share of the deals the decisions with an empty stock are solved.  Then the
    policy learns from no others of them.
    """
    deals = DealBatch(len(deal_ids), rules)
    deals.reset(seed=seed, deal_ids=deal_ids)
    keys = stream_keys(seed, _SAMPLE, deal_ids)
    parts: list[tuple[Any, ...]] = []
    plays = 0
    seating, everyone = _seating(len(deal_ids), guests), np.arange(len(deal_ids))
    solves = unit_interval(mix64(stream_keys(seed, _SOLVED, deal_ids))) < solved
    while not deals.done:
        plays += int(deals.active.sum())
        legal = deals.legal
        cards = lowest_cards(legal)
        who = np.where(popcount(legal) > 1, seating[everyone, deals.player & 1], _NOBODY)
        view = deals.view() if (who != _NOBODY).any() else None
        if view is not None:
            uniform = unit_interval(mix64(keys + view.ply.astype(np.uint64)))
            for index, guest in enumerate(guests):
                rows = np.flatnonzero(who == index)
                if len(rows):
                    cards[rows] = guest.opponent.choose(view.take(rows), uniform[rows])
            rows = np.flatnonzero(who == _LEARNER)
            if len(rows):
                seen = view.take(rows)
                inputs = with_facts(rules.variant, seen.observation)
                with autocast(device, precision):
                    cards[rows], log_prob = _sample(policy, inputs, seen.legal, uniform[rows], device)
                hidden = hidden_planes(deals, seen, rows)
                ending = seen.ply >= rules.stock
                known = solve_rows(deals, rows, seen, solves[rows] & ending)
                parts.append(
                    (
                        inputs,
                        hidden,
                        seen.legal,
                        cards[rows],
                        log_prob,
                        rows,
                        seen.seat,
                        seen.ply,
                        points_taken(seen),
                        *known,
                        ~ending | solves[rows] if solved else np.ones(len(rows), bool),
                    )
                )
        deals.step(cards)
    joined = [np.concatenate(columns) for columns in zip(*parts, strict=True)]
    joined[5:8] = [column.astype(np.int64) for column in joined[5:8]]
    return Decisions(*joined, points=deals.points, plays=plays)  # type: ignore[arg-type, misc]


def _seating(deals: int, guests: Sequence[Guest]) -> IntArray:
    """Return (deals, 2): which guest has each side, by index, or `_LEARNER`."""
    seating = np.full((deals, 2), _LEARNER)
    for index, guest in enumerate(guests):
        rows = np.arange(deals)[guest.deals]
        half = len(rows) // 2
        seating[rows[:half], 1] = index
        seating[rows[half:], 0] = index
    return seating


def _sample(
    policy: PolicyNetwork,
    inputs: npt.NDArray[np.uint8],
    may: npt.NDArray[np.bool_],
    uniform: npt.NDArray[np.float64],
    device: torch.device,
) -> tuple[IntArray, FloatArray]:
    """Return a card drawn from the policy for each row, and its log-probability."""
    legal = torch.from_numpy(may).to(device)
    log_probs = masked_log_probs(policy(torch.from_numpy(inputs).to(device)), legal)
    cumulative = log_probs.exp().cumsum(dim=1)
    threshold = torch.from_numpy(uniform.astype(np.float32)).to(device)[:, None] * cumulative[:, -1:]
    # The first card whose cumulative probability exceeds the number; always one of positive probability.
    card = (cumulative <= threshold).sum(dim=1).clamp(max=legal.shape[1] - 1)
    safe = torch.where(legal.gather(1, card[:, None])[:, 0], card, log_probs.argmax(dim=1))
    log_prob = log_probs.gather(1, safe[:, None])[:, 0]
    return safe.cpu().numpy(), log_prob.cpu().numpy()
