"""The README: its examples run, its tables are those of the code."""

import re
from importlib.util import find_spec
from pathlib import Path

import pytest

from tressette_env.cards import card_text
from tressette_env.layout_table import with_tables
from tressette_env.scoring import BONUSES

README = Path(__file__).parent.parent / "README.md"
TEXT = README.read_text(encoding="utf-8")
EXAMPLES = [
    example
    for example in re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)
    if "agents" not in example or find_spec("numba")  # the extra `train`
]


@pytest.mark.parametrize("example", EXAMPLES)
def test_examples_run(example: str) -> None:
    exec(compile(example, "README.md", "exec"), {})


def test_observation_tables_come_from_the_layout() -> None:
    assert with_tables(TEXT) == TEXT, "run: python -m tressette_env.layout_table README.md"


def test_the_named_card_and_bonuses() -> None:
    assert card_text(17) == "AC"
    for name, points in BONUSES.items():
        assert f"`{name}` {points}" in TEXT


def test_transcript_is_what_the_program_prints() -> None:
    from tressette_env import tressette_v0

    env = tressette_v0.env(variant="partners", render_mode="ansi")
    env.reset(seed=7)
    for _ in range(4):
        env.step(int(env.last()[0]["action_mask"].argmax()))
    shown = [line.rstrip() for line in str(env.render()).strip().splitlines()]
    assert "\n".join(shown) in TEXT
