"""Stable-Baselines3's `VecEnv` over our vector environment: thousands of games in one process.

TressetteVecEnv(gymnasium.make_vec("tressette_env:Tressette-v0", num_envs=128, autoreset_mode="SameStep"))
"""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode
from stable_baselines3.common.vec_env import VecEnv

from tressette_env.cards import card_text

MASK = "action_mask"


class TressetteVecEnv(VecEnv):
    """A vector environment of `Tressette-v0` as Stable-Baselines3 wants one, the mask by `action_masks`.

    `env`: a vector environment in SAME_STEP mode, wrapped or not.  Raises ``ValueError`` for any other mode, and when
    its observations hold no mask.
    """

    # What goes wrong most often here: PPO instead of MaskablePPO, the plain evaluate_policy instead of the maskable
    # one, or predict without action_masks=.  None of them looks at the mask, and none says so; `step_async` does.

    def __init__(self, env: Any) -> None:
        if env.metadata.get("autoreset_mode") is not AutoresetMode.SAME_STEP:
            raise ValueError(f"{env} must be made with autoreset_mode='SameStep': a step of a VecEnv begins the next")
        space = env.single_observation_space
        if not isinstance(space, spaces.Dict) or MASK not in space.spaces:
            raise ValueError(
                f"the observations of {env} hold no {MASK!r}: Tressette-v0 has it, a wrapper around it took it away"
            )
        self.env = env
        super().__init__(env.num_envs, space["observation"], env.single_action_space)
        self._actions: Any = None
        self._masks: Any = None
        self._lengths = np.zeros(env.num_envs, int)

    def reset(self) -> Any:
        """Begin all games and return the observations, (n, obs_size) float32."""
        seed = self._seeds[0]
        self._reset_seeds()
        observation, _ = self.env.reset(seed=seed)
        self._masks = observation[MASK].astype(bool)
        self._lengths[:] = 0
        return observation["observation"]

    def step_async(self, actions: Any) -> None:
        """Keep the cards (n,) for `step_wait`; ``ValueError`` if one may not be played: who chose it saw no mask."""
        illegal = np.flatnonzero(~self._masks[np.arange(self.num_envs), actions])
        if len(illegal):
            raise ValueError(
                f"the algorithm played {card_text(int(actions[illegal[0]]))} in game {illegal[0]}, which its mask "
                "forbids: use MaskablePPO, and hand action_masks= to predict"
            )
        self._actions = actions

    def step_wait(self) -> Any:
        """Play the cards; where a game ended the observation is the next one's first."""
        observation, rewards, ended, _, info = self.env.step(self._actions)
        self._masks = observation[MASK].astype(bool)
        self._lengths += 1
        infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        for row in np.flatnonzero(ended):
            final = info["final_obs"][row]["observation"]
            episode = {"r": rewards[row], "l": self._lengths[row]}
            infos[row] = {"terminal_observation": final, "episode": episode}
        self._lengths[ended] = 0
        return observation["observation"], rewards.astype(np.float32), ended, infos

    def action_masks(self) -> Any:
        """Return which cards may be played, (n, 40) bool."""
        return self._masks

    def env_method(self, method_name: str, *args: Any, indices: Any = None, **kwargs: Any) -> list[Any]:
        """Return what `action_masks`, the only method asked for, gives each game."""
        values = getattr(self, method_name)(*args, **kwargs)
        return [values[row] for row in self._get_indices(indices)]

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        """Return an attribute once for each game."""
        owner = self if attr_name == "action_masks" else self.env.unwrapped
        return [getattr(owner, attr_name) for _ in self._get_indices(indices)]

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        """Set an attribute of the vector environment, for all games."""
        setattr(self.env.unwrapped, attr_name, value)

    def env_is_wrapped(self, wrapper_class: type[Any], indices: Any = None) -> list[bool]:
        """Return that no game has a wrapper of its own."""
        return [False for _ in self._get_indices(indices)]

    def close(self) -> None:
        """Close the vector environment."""
        self.env.close()
