"""What a run writes and shows while it trains: TensorBoard, metrics.jsonl, progress (CONTRACT §7)."""

from __future__ import annotations

import json
import math
import sys
import time
from pathlib import Path
from types import TracebackType
from typing import Self

from torch.utils.tensorboard import SummaryWriter
from tqdm import tqdm

from agents.checkpoint import FOLDER
from agents.config import CONFIG_FILE, TrainConfig, write_config

RUNS = Path("runs")
METRICS_FILE = "metrics.jsonl"
MEASURED = "eval/points_vs_rules"
"""The tag of the points a deal while a run trains; with ``_low`` and ``_high`` those of its 95 % interval."""
_SECONDS_BETWEEN_LINES = 30.0


def make_run_dir(config: TrainConfig) -> Path:
    """Create ``runs/NAME`` (``NAME_2`` … if it exists) with the configuration in it, and return it."""
    name = config.run_name
    for number in range(1, 100_000):
        path = RUNS / (name if number == 1 else f"{name}_{number}")
        try:
            path.mkdir(parents=True)
        except FileExistsError:
            continue
        (path / FOLDER).mkdir()
        write_config(config, path / CONFIG_FILE)
        return path
    raise ValueError(f"there are too many runs named {name!r} in {RUNS}")


class RunLog:
    """Writes each update's metrics, and shows progress on standard error; a context manager.

    On a terminal a bar, elsewhere a plain line every 30 s and at every measurement.  `measured`: the tag of what is
    measured, in points a deal, and `against` whom.
    """

    def __init__(
        self, run_dir: Path, updates: int, done: int, measured: str = MEASURED, against: str = "rules"
    ) -> None:
        self._run_dir, self._measured, self._against = run_dir, measured, against
        self._updates, self._first = updates, done
        self._latest: dict[str, float] = {}

    def __enter__(self) -> Self:
        """Open the files."""
        self._start = self._last_line = time.monotonic()
        _forget_after(self._run_dir / METRICS_FILE, self._first)
        self._file = (self._run_dir / METRICS_FILE).open("a", encoding="utf-8")
        self._board = SummaryWriter(str(self._run_dir), purge_step=self._first + 1)
        print(f"writing to {self._run_dir}", file=sys.stderr)
        terminal = sys.stderr.isatty()
        self._bar = tqdm(total=self._updates, initial=self._first, unit="update") if terminal else None
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the files."""
        if self._bar is not None:
            self._bar.close()
        self._board.close()
        self._file.close()

    def write(self, metrics: dict[str, float]) -> None:
        """Record the metrics of an update."""
        step = int(metrics["update"])
        defined = {tag: value if math.isfinite(value) else None for tag, value in metrics.items()}
        self._file.write(json.dumps(defined) + "\n")
        self._file.flush()
        for tag, value in metrics.items():
            if "/" in tag:
                self._board.add_scalar(tag, value, step)
        self._latest |= metrics
        self._show(step, measured=self._measured in metrics)

    def _show(self, step: int, measured: bool) -> None:
        text = f"{self._latest['speed/decisions_per_second']:,.0f} decisions/s"
        if self._measured in self._latest:
            text += f", {self._latest[self._measured]:+.2f} points/deal vs {self._against}"
        if self._bar is not None:
            self._bar.set_postfix_str(text, refresh=False)
            self._bar.update()
            return
        now = time.monotonic()
        if measured or now - self._last_line >= _SECONDS_BETWEEN_LINES or step == self._updates:
            left = (now - self._start) / (step - self._first) * (self._updates - step)
            print(f"update {step}/{self._updates}, {text}, {left:.0f} s left", file=sys.stderr, flush=True)
            self._last_line = now


def _forget_after(path: Path, update: int) -> None:
    """Drop the lines of updates that a resumed run is going to do again, and one that a killed run left unfinished."""
    if not path.exists():
        return
    kept = [line for line in path.read_text("utf-8").splitlines() if _update_of(line) <= update]
    temporary = path.with_suffix(".tmp")
    temporary.write_text("".join(line + "\n" for line in kept), encoding="utf-8")
    temporary.replace(path)


def _update_of(line: str) -> float:
    """Return the update that a line tells of; infinity if the line is not whole."""
    try:
        return float(json.loads(line)["update"])
    except (json.JSONDecodeError, KeyError, TypeError):
        return math.inf
