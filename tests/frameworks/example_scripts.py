"""Runs the examples as their users do, and tells how it went: a row of a table for each.

python -m tests.frameworks.example_scripts [--full] [--require EXAMPLE …]

runs those whose framework is installed, which are to include the required ones; --full: with the settings of their own,
after which they must play better than before.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
import time
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parent.parent.parent
LIBRARIES = ("numpy", "gymnasium", "pettingzoo")
_POINTS = re.compile(r"^(before|after): (\S+) \((\S+) … (\S+)\) points a deal against (\w+),", re.MULTILINE)
_LIMIT = 600  # seconds
_PATIENCE = 10  # seconds for Ray's processes to go when the example has ended


class Example(NamedTuple):
    """An example, the distribution and the module that it needs, and settings with which it takes a few seconds."""

    script: str
    distribution: str
    module: str
    short: str
    measures: bool = True

    @property
    def installed(self) -> bool:
        """Whether the framework is there."""
        return find_spec(self.module) is not None


EXAMPLES = (
    Example("sb3_maskable_ppo", "sb3-contrib", "sb3_contrib", "--steps 8192"),
    Example("cleanrl_ppo", "torch", "torch", "--seconds 1"),
    Example("rllib_ppo", "ray", "ray", "--seconds 0 --batch 400"),
    Example("tianshou_dqn", "tianshou", "tianshou", "--steps 640"),
    Example("torchrl_ppo", "torchrl", "torchrl", "--steps 200 --batch 200"),
    Example("agilerl_dqn", "agilerl", "agilerl", "--steps 640"),
    Example("openspiel_train", "open-spiel", "pyspiel", "--steps 1 --iterations 2"),
    Example("shimmy_pettingzoo", "shimmy", "shimmy", "--deals 1", measures=False),
    Example("pufferlib_ppo", "pufferlib", "pufferlib", "--steps 2000"),
)


class Points(NamedTuple):
    """A mean in points a deal and its interval."""

    mean: float
    low: float
    high: float


class Outcome(NamedTuple):
    """How an example went: the ``points`` by moment and opponent, and the ``errors``, empty if there were none."""

    seconds: float
    points: dict[tuple[str, str], Points]
    errors: list[str]


def run(example: Example, full: bool = False) -> Outcome:
    """Run an example in an empty folder; `full`: with its own settings."""
    with tempfile.TemporaryDirectory() as folder:
        places = {"PYTHONPATH": str(ROOT), "RAY_TMPDIR": folder, "OMP_NUM_THREADS": "1", "PYTHONIOENCODING": "utf-8"}
        command = [sys.executable, "-m", f"examples.{example.script}", *([] if full else example.short.split())]
        start = time.monotonic()
        try:
            ended = subprocess.run(
                command, cwd=folder, env=os.environ | places, capture_output=True, encoding="utf-8", timeout=_LIMIT
            )
        except subprocess.TimeoutExpired:
            left = [f"left a process behind: {process}" for process in processes_left(folder)]
            return Outcome(_LIMIT, {}, [f"did not end within {_LIMIT} s", *left])
        seconds = time.monotonic() - start
        left = processes_left(folder)
    points = {
        (when, opponent): Points(float(mean), float(low), float(high))
        for when, mean, low, high, opponent in _POINTS.findall(ended.stdout)
    }
    errors = [f"ended with code {ended.returncode}: {ended.stderr[-2000:]}"] if ended.returncode else []
    errors += [f"left a process behind: {process}" for process in left]
    if not errors and example.measures:
        errors = _missing(points) or (unlearned(points) if full else [])
    return Outcome(seconds, points, errors)


def _missing(points: dict[tuple[str, str], Points]) -> list[str]:
    wanted = [(when, opponent) for when in ("before", "after") for opponent in ("random", "rules")]
    return [f"printed no points {when} training against {opponent}" for when, opponent in set(wanted) - set(points)]


def unlearned(points: dict[tuple[str, str], Points]) -> list[str]:
    """Intervals of 500 pairs that do not meet: by chance alone about one time in 350."""
    before, after = points["before", "random"], points["after", "random"]
    return [] if after.low > before.high else [f"learned nothing: {before} before, {after} after, against random"]


def processes_left(folder: str) -> list[str]:
    """Return the processes with this folder in their command line, after a little patience; Ray's all have it."""
    end = time.monotonic() + _PATIENCE
    while True:
        listed = subprocess.run(["ps", "-ww", "-eo", "args="], capture_output=True, text=True, check=True).stdout
        left = [line for line in listed.splitlines() if folder in line]
        if not left or time.monotonic() > end:
            return left
        time.sleep(0.2)


def row(example: Example, outcome: Outcome) -> str:
    """Return what the table says of an example."""
    changes = []
    for opponent in ("random", "rules"):
        both = [outcome.points.get((when, opponent)) for when in ("before", "after")]
        changes.append(" → ".join(f"{found.mean:+.2f}" for found in both if found) or "–")
    libraries = " / ".join(version(library) for library in LIBRARIES)
    framework = f"{example.distribution} {version(example.distribution)}"
    cells = [framework, libraries, example.script, f"{outcome.seconds:.0f}", *changes]
    return f"| {' | '.join(cells)} | {'failed' if outcome.errors else 'passed'} |"


def main() -> int:
    """Run what can be run; returns 1 if something failed."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--full", action="store_true", help="the examples' own settings, a minute each")
    parser.add_argument(
        "--require",
        nargs="*",
        default=[],
        metavar="EXAMPLE",
        choices=[each.script for each in EXAMPLES],
        help="examples whose framework must be installed",
    )
    arguments = parser.parse_args()
    missing = [each.script for each in EXAMPLES if each.script in arguments.require and not each.installed]
    for script in missing:
        print(f"{script}: its framework is not installed here", file=sys.stderr)
    failed = bool(missing)
    for example in filter(lambda each: each.installed, EXAMPLES):
        outcome = run(example, arguments.full)
        print(row(example, outcome), flush=True)
        for error in outcome.errors:
            print(f"{example.script}: {error}", file=sys.stderr, flush=True)
        failed |= bool(outcome.errors)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
