"""# Tressette.

| Creation           | `from tressette_env import tressette_v0; env = tressette_v0.env()`                 |
|--------------------|-------------------------------------------------------------------------------------|
| Actions            | Discrete                                                                            |
| Parallel API       | `tressette_v0.parallel_env()` (only the agent to act is heard)                      |
| Manual Control     | No                                                                                  |
| Agents             | `['player_0', 'player_1']` in `two_player`, `['player_0', ..., 'player_3']` otherwise |
| Action Shape       | (1,)                                                                                |
| Action Values      | Discrete(40)                                                                        |
| Observation Shape  | (473,) in `two_player`, (651,) in `partners`, (891,) in `historical`                |
| Observation Values | [0, 255]                                                                            |
| State Shape        | (553,) in `two_player`, (771,) in `partners`, (1011,) in `historical`               |

Tressette is an Italian trick-taking game with forty cards and no trump: follow the led suit if you can; the
strongest card of that suit takes the trick.  Ranks from strongest: 3, 2, ace, re, cavallo, fante, 7, 6, 5, 4.
An ace is worth a point; 3, 2, re, cavallo and fante a third each, rounded down once for each side; the
last trick a point.  So every deal shares out eleven points.

### Arguments

```python
tressette_v0.env(variant="partners", napoletana=False, episode="deal", target=21, render_mode=None, illegal="lose")
```

`variant`: `"two_player"` (ten cards each and a stock of twenty to draw from, both drawn cards shown),
`"partners"` (four seats, 0 and 2 against 1 and 3) or `"historical"` (partners with declarations before the
first card and bonuses, to 21 marks); or a `tressette_env.Rules` object, which may describe a smaller pack.

`napoletana`: 3, 2 and ace of a suit in one hand score three points and are shown (not in `historical`).

`episode`: `"deal"` ends after one deal, `"match"` when a side has won with `target` points or more.

`target`: 21, 31 or 41; `historical`: 21.

`render_mode`: `"ansi"` returns text, `"rgb_array"` a picture of shape (800, 1200, 3), `"human"` shows it in a
window after every card.  All of them show a spectator's table, with every hand face up.  The two that draw need
pygame-ce (`pip install tressette-env[render]`).

`illegal`: what a card off the mask does; see Rewards.

`reset(seed=7)` plays deal (match) 0 of seed 7, each later `reset()` the next one: the deals of
`DealBatch.reset(seed=7)`.  Without any seed one is drawn from the operating system.
`reset(options={"deck": ids, "dealer": seat, "score": [a, b]})` sets up a position, every part optional: seat k
holds the k-th ten cards of the deck, the rest is the stock, first drawn first; the player after the dealer
leads; `score` is what the sides have before the game; deck and dealer hold for the first deal of a match.

### Observation Space

A dictionary with `'observation'`, float32, and `'action_mask'`, int8.  The observation is all that a perfect
memory of the public past holds beside the own hand: who played which card when, who led and who won, cards on
the table, cards shown (drawn or declared), suits not followed, what silence excludes, thirds, points, tricks,
stock, scores.  Seats are relative to the observer: 0 itself, 1 the next to play.  One block for each suit, all
with the same inner order, then one for the rest; `tressette_env.OBSERVATION_LAYOUT[variant]` names every column.
`observe(agent)` is what that agent may know at that moment, whoever acts, also after the end, when all is zero.

`state()` is the full hidden state for centralised critics: the observation of `player_0`, then the hands of
the other agents, 40 columns each, then in `two_player` 40 columns with 1 + the place in the stock of each card
still to be drawn.

#### Legal Actions Mask

`action_mask[card]` is 1 where the card may be played.  Off turn and after the end it is all zeros, so that it
shows nobody's hand.  `infos` stay empty.

### Action Space

The card id is 10 x suit + strength:

| Suit    | 4  | 5  | 6  | 7  | fante | cavallo | re | ace | 2  | 3  |
|---------|----|----|----|----|-------|---------|----|-----|----|----|
| denari  | 0  | 1  | 2  | 3  | 4     | 5       | 6  | 7   | 8  | 9  |
| coppe   | 10 | 11 | 12 | 13 | 14    | 15      | 16 | 17  | 18 | 19 |
| spade   | 20 | 21 | 22 | 23 | 24    | 25      | 26 | 27  | 28 | 29 |
| bastoni | 30 | 31 | 32 | 33 | 34    | 35      | 36 | 37  | 38 | 39 |

### Rewards

Zero until the end of the game; then, for every agent of a side alike and summing to zero:

| Episode | End of the game                   | Reward                                                      |
|---------|-----------------------------------|-------------------------------------------------------------|
| deal    | the last card, or won declarations | the points of the own side minus those of the other         |
| match   | a side has won                    | +1 / -1; `historical`: + / - the chips paid (1 or 2)        |
| either  | an illegal card, `illegal="lose"` | `-illegal_loss` for the offender's side, + for the other    |

`env.unwrapped.illegal_loss` is as bad as any legal end: a deal 11, with napoletana 23, `historical` 60; a match
1, `historical` 2; another number of at least 0 may be set.  The warning is logged, all agents are terminated
and none is truncated.  With `env(illegal="raise")`, and in `raw_env()`, an illegal card raises
`tressette_env.IllegalCardError` instead and the game is as it was.  All agents terminate together and get their
reward from `last()`; a terminated agent steps with `None`.  A historical deal may be won by declarations: its
agents are terminated at reset.

`env.unwrapped.result()` is None before the end, then a dictionary of plain Python values: `points` and `thirds`
of the two sides and `bonus` (a name or None) in the last deal; in a match also `scores`, `winner` (side),
`payment` and `next_marks`; after an illegal card `forfeited_by` (seat) as well.

### Version History

* v0: the first version.
"""

from __future__ import annotations

from typing import Any

import pettingzoo
from pettingzoo.utils.conversions import turn_based_aec_to_parallel, turn_based_aec_to_parallel_wrapper

from tressette_env.pettingzoo_env import TressetteEnv, TressetteWrapper
from tressette_env.rules import DEFAULT_TARGET, Rules

__all__ = ["env", "parallel_env", "raw_env"]

raw_env = TressetteEnv


def env(
    variant: str | Rules = "partners",
    napoletana: bool = False,
    episode: str = "deal",
    target: int = DEFAULT_TARGET,
    render_mode: str | None = None,
    illegal: str = "lose",
) -> TressetteWrapper:
    """Return the environment with checks; ``ValueError`` for an unknown value of any argument."""
    return TressetteWrapper(TressetteEnv(variant, napoletana, episode, target, render_mode), illegal)


def parallel_env(**arguments: Any) -> turn_based_aec_to_parallel_wrapper:
    """Return `env` of the same arguments in PettingZoo's parallel interface."""
    return turn_based_aec_to_parallel(env(**arguments))


if hasattr(pettingzoo, "register"):  # since PettingZoo 1.27
    pettingzoo.register("aec", "tressette_env/tressette_v0", entry_point="tressette_env.tressette_v0:env")
    pettingzoo.register("parallel", "tressette_env/tressette_v0", entry_point="tressette_env.tressette_v0:parallel_env")
