"""The torch networks of the examples, which read observations as other libraries hand them on."""

import pytest
import torch

from examples.networks import Scores, Value
from tressette_env import DealBatch
from tressette_env.cards import NUM_CARDS
from tressette_env.rules import VARIANTS


@pytest.mark.parametrize("variant", VARIANTS)
def test_observations_are_read_in_any_shape_as_numbers_of_any_kind(variant: str) -> None:
    deals = DealBatch(6, variant)
    deals.reset(seed=1)
    observation = torch.from_numpy(deals.observe())
    scores, value = Scores(variant), Value(variant)
    assert scores(observation).shape == (6, NUM_CARDS)
    assert value(observation).shape == (6, 1)
    assert torch.equal(scores(observation.float()), scores(observation))
    assert torch.equal(value(observation.reshape(2, 3, -1)).reshape(6, 1), value(observation))
    assert len(scores(observation).unique(dim=0)) == 6
