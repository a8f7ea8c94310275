"""Search with open cards, sampled worlds, and the players made of both (CONTRACT §9)."""

from agents.search.solver import card_points, final_points, solve, thirds_to_come
from agents.search.worlds import draw_worlds, sample_worlds

__all__ = ["card_points", "draw_worlds", "final_points", "sample_worlds", "solve", "thirds_to_come"]
