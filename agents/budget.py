"""How many worlds or iterations a player of search can afford: measured once, so that play goes by count."""

from __future__ import annotations

from typing import NamedTuple

from agents.arena import NO_EFFORT
from agents.deal_ranges import DEVELOPMENT, RANGES
from agents.pairs import play_pairs
from tressette_env import Rules
from tressette_env.players import make_player

_PAIRS, _MOST_PAIRS, _SECONDS = 4, 64, 1.0
_TRIALS, _CLOSE, _LARGEST_STEP = 6, 0.05, 10.0


class Fitted(NamedTuple):
    """A player's name with its count filled in, and the milliseconds measured for an unforced decision.

    ``fits``: they are within the budget; False where even the smallest count takes longer.
    """

    name: str
    ms: float
    fits: bool


def fit_budget(name: str, rules: Rules, seed: int, ms: float) -> Fitted | None:
    """Return `name` with as many worlds or iterations as fit into `ms` milliseconds a decision on this machine.

    None where there is nothing to fit: the player has no such option (its attribute ``budget_option``) or its name
    says how many.  The mean over unforced decisions of deals against `rules` counts.
    Raises ``ValueError`` for an unknown player.
    """
    player = make_player(name, rules.variant, seed)
    player = getattr(player, "wrapped", player)  # as in pimc+solver
    option = getattr(player, "budget_option", None)
    if option is None or _says(name, option):
        return None
    count = int(getattr(player, option))
    tried: dict[int, float] = {}
    for _ in range(_TRIALS):
        tried[count] = _milliseconds(with_option(name, option, count), rules, seed)
        if abs(tried[count] - ms) <= _CLOSE * ms:
            break
        scale = min(max(ms / tried[count], 1 / _LARGEST_STEP), _LARGEST_STEP)
        count = max(round_down(count * scale), 1)
        if count in tried:
            break
    fitting = [number for number, time in tried.items() if time <= ms * (1 + _CLOSE)]
    best = max(fitting) if fitting else min(tried)
    return Fitted(with_option(name, option, best), tried[best], bool(fitting))


def with_option(name: str, option: str, value: int) -> str:
    """Return a player's name with one more option."""
    return f"{name}{',' if ':' in name else ':'}{option}={value}"


def _says(name: str, option: str) -> bool:
    return any(part.startswith(f"{option}=") for part in name.partition(":")[2].split(","))


def round_down(count: float) -> int:
    """Return a count rounded down to two digits, so that it is easy to quote."""
    whole = int(count)
    unit = int(10 ** max(len(str(whole)) - 2, 0))
    return whole // unit * unit


def _milliseconds(name: str, rules: Rules, seed: int) -> float:
    players = make_player(name, rules.variant, seed), make_player("rules", rules.variant, seed)
    effort = NO_EFFORT
    for first in range(0, _MOST_PAIRS, _PAIRS):
        effort += play_pairs(*players, rules, RANGES[DEVELOPMENT].seed, first, _PAIRS).effort
        if effort.seconds[0] >= _SECONDS:
            break
    return effort.ms_per_decision[0]
