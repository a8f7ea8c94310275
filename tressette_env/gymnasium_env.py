"""`Tressette-v0`: Tressette for one learner, in Gymnasium's interface.

| Import             | `gymnasium.make("tressette_env:Tressette-v0")`                        |
|--------------------|-----------------------------------------------------------------------|
| Action space       | `Discrete(40)`: the card id                                           |
| Observation space  | `Dict`: `"observation"` float32, `"action_mask"` int8 (40,)           |
| Reward             | zero until the end, then the points of the own side minus the other's |
| Vector environment | `gymnasium.make_vec("tressette_env:Tressette-v0", num_envs=N)`        |

### Arguments

`variant`, `napoletana`, `episode`, `target` and `render_mode` are those of `tressette_env.tressette_v0`, and so are
observations, actions and rewards.  One seat learns, players hold the others:

* `opponent`: a player by name (`"random"`, `"greedy"`, `"rules"`, `"tuned"`, …) or an object with `act(view)`; a
  mapping of players to weights, or a list of players that are equally likely: who plays is then drawn in each
  episode, one for all opposing seats;
* `partner`: the same for the seat opposite; None for whoever is the opponent of the episode;
* `seat`: the learner's, None to draw one in each episode.

`env.unwrapped.set_opponent(opponent, partner=None)` changes them from the next episode on.  A player draws what it
draws from its own seed and from what it knows, so `"random:seed=1"` plays otherwise than `"random"`.

### Episodes

`reset(seed=7)` plays deal (match) 0 of seed 7, each later `reset()` the next one, the deals of
`DealBatch.reset(seed=7)`; seat and opponents are drawn from the same two numbers.  A deal over before its first card
is passed over.  `reset(options=…)` takes `"deck"`, `"dealer"` and `"score"`.

The mask stands in the observation, as a fresh `info["action_mask"]` (int8) and in `action_masks()` (bool).  After the
end all three are ones.  An illegal card ends the episode with `-illegal_loss`.

A player that fails, or plays an illegal card, raises `tressette_env.errors.PlayerError`, which names it.
"""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium import spaces

from tressette_env.cards import NUM_CARDS
from tressette_env.checking import LARGEST_COUNT, count_array
from tressette_env.episode import checked_loss
from tressette_env.interface import (
    RENDER_FPS,
    RENDER_MODES,
    Display,
    Observation,
    card_of,
    observation_space,
)
from tressette_env.learner_games import NO_SEED, LearnerGames
from tressette_env.opponents import Opponent, checked_seat
from tressette_env.rules import DEFAULT_TARGET, Rules, resolve_rules


class TressetteGymEnv(gymnasium.Env[Observation, np.int64]):
    """One game at a time for one learner; see the page of this module.

    Raises ``ValueError`` for an unknown value of any argument.
    """

    metadata: dict[str, Any] = {"render_modes": list(RENDER_MODES), "render_fps": RENDER_FPS}  # noqa: RUF012

    def __init__(
        self,
        variant: str | Rules = "partners",
        napoletana: bool = False,
        episode: str = "deal",
        target: int = DEFAULT_TARGET,
        render_mode: str | None = None,
        opponent: Opponent = "rules",
        partner: Opponent | None = None,
        seat: int | None = None,
    ) -> None:
        self._display = Display(render_mode)
        self.render_mode = render_mode
        self.rules = resolve_rules(variant, napoletana, target)
        self.observation_space: spaces.Dict = observation_space(self.rules)  # type: ignore[assignment]
        self.action_space = spaces.Discrete(NUM_CARDS)
        learner = checked_seat(self.rules, seat)
        self._games = LearnerGames(1, self.rules, episode, opponent, partner, learner, followed=render_mode is not None)
        if render_mode == "human":
            self._games.on_play = self.render  # type: ignore[assignment]

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Begin an episode: game 0 of a given seed, else the next one of the seed in use.

        `seed`: from 0 to 2**63 - 1.  Without any so far one is drawn from `np_random`.
        `options`: ``deck`` (ids), ``dealer`` (seat), ``score`` (two sides' points before the game).
        Raises ``ValueError``, and changes nothing, when seed or options are wrong.
        """
        chosen = NO_SEED
        if seed is not None:
            chosen = int(count_array("seed", seed, ()))
        elif self._games.seeds[0] == NO_SEED:
            chosen = int(self.np_random.integers(LARGEST_COUNT))
        self._games.begin(np.array([0]), np.array([chosen]), options)
        super().reset(seed=seed if seed is None else chosen)
        return self._observe()

    def step(self, action: Any) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Play a card, then let the others play until the learner is to act again or the game is over.

        Raises ``ValueError`` for what is no integer, ``RuntimeError`` when no game is being played.
        """
        card = card_of(action)
        if self._games.deals.done:
            raise RuntimeError("no game is being played: call reset first")
        in_range = card if 0 <= card < NUM_CARDS else NUM_CARDS
        reward = float(self._games.play(np.array([in_range]), np.array([True]))[0])
        observation, info = self._observe()
        return observation, reward, self._games.deals.done, False, info

    def _observe(self) -> tuple[Observation, dict[str, Any]]:
        observation = {name: values[0] for name, values in self._games.observe().items()}
        return observation, {"action_mask": observation["action_mask"].copy()}

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """Return which cards may be played, (40,) bool; all True when the game is over."""
        masks: npt.NDArray[np.bool_] = self._games.masks()[0]
        return masks

    def set_opponent(self, opponent: Opponent, partner: Opponent | None = None) -> None:
        """Let other players sit with the learner from the next episode on; the arguments of the constructor."""
        self._games.set_opponent(opponent, partner)

    @property
    def seat(self) -> int:
        """The learner's seat in this episode."""
        return int(self._games.seats[0])

    @property
    def illegal_loss(self) -> float:
        """What an illegal card costs, at first as much as the worst legal end; a number of at least 0 may be set."""
        return self._games.illegal_loss

    @illegal_loss.setter
    def illegal_loss(self, loss: float) -> None:
        self._games.illegal_loss = checked_loss(loss)

    def render(self) -> str | npt.NDArray[np.uint8] | None:
        """Return the table as text (``"ansi"``) or as (H, W, 3) uint8, or show it in a window (``"human"``)."""
        return self._display.show(self._games.episode(0))

    def close(self) -> None:
        """Close the window, if there is one."""
        self._display.close()
