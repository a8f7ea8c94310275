"""The learning curves of training runs as a picture: ``python -m agents.curves RUN [RUN …] --out curves.png``.

A run is its folder or its ``metrics.jsonl``, or what ``--keep`` left of one: the lines with a measurement, few enough
to be committed.  Exit codes: 0 done, 1 a file can not be read or written, 2 bad usage.
"""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from matplotlib.figure import Figure

from agents.evaluate_parser import OneLineParser
from agents.ladder import ANCHOR
from agents.run_log import MEASURED, METRICS_FILE
from tressette_env.files import write_whole

DONE, FAILED = 0, 1
_COLOURS = ("#2166ac", "#b2182b", "#1b7837", "#762a83", "#bf812d", "#35978f")


class Curve(NamedTuple):
    """The measurements of a run: plays in millions, and points a deal with the ends of their 95 % interval."""

    name: str
    plays: list[float]
    mean: list[float]
    low: list[float]
    high: list[float]


def read_lines(run: Path) -> list[dict[str, Any]]:
    """Return the updates of a run at which it was measured; ``ValueError`` if there are none, or no such file."""
    path = run / METRICS_FILE if run.is_dir() else run
    try:
        lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
        measured = [line for line in lines if line.get(MEASURED) is not None]
    except (OSError, ValueError, AttributeError) as error:
        raise ValueError(f"{path} can not be read as the metrics of a run: {error}") from None
    if not measured:
        raise ValueError(f"{path} holds no {MEASURED!r}: the run was not measured (evaluation.every)")
    return measured


def curve_of(run: Path, lines: Sequence[dict[str, Any]]) -> Curve:
    """Return the curve of the lines of a run, named like its folder or file."""
    name = run.stem if run.suffix else run.name
    columns = [
        [float(line[tag]) for line in lines] for tag in ("plays", MEASURED, f"{MEASURED}_low", f"{MEASURED}_high")
    ]
    return Curve(name, [plays / 1e6 for plays in columns[0]], *columns[1:])


def draw(curves: Sequence[Curve]) -> Figure:
    """Return the picture: points a deal against `rules` by plays, with the 95 % interval as a band."""
    figure = Figure(figsize=(8, 4.5), layout="constrained")
    axes = figure.add_subplot()
    axes.spines[["top", "right"]].set_visible(False)
    axes.axhline(0, color="#1a1a1a", linewidth=0.8)
    for number, curve in enumerate(curves):
        colour = _COLOURS[number % len(_COLOURS)]
        axes.fill_between(curve.plays, curve.low, curve.high, color=colour, alpha=0.2, linewidth=0)
        axes.plot(curve.plays, curve.mean, color=colour, label=curve.name)
    axes.set_xlabel("million plays of self-play (40 a deal)")
    axes.set_ylabel(f"points a deal against {ANCHOR}")
    axes.legend(frameon=False)
    return figure


def main(arguments: list[str] | None = None) -> int:
    """Run the command and return its exit code."""
    parser = OneLineParser(prog="python -m agents.curves", description=__doc__.split("\n\n")[0])
    parser.add_argument("runs", type=Path, nargs="+", metavar="RUN", help="a run's folder, or a file of metrics")
    parser.add_argument("--out", type=Path, required=True, metavar="FILE", help="the picture, a PNG file")
    parser.add_argument(
        "--keep", type=Path, metavar="FOLDER", help="also write each run's measurements to FOLDER/NAME.jsonl"
    )
    options = parser.parse_args(arguments)
    try:
        lines = [read_lines(run) for run in options.runs]
        curves = [curve_of(run, of_run) for run, of_run in zip(options.runs, lines, strict=True)]
        picture = io.BytesIO()
        draw(curves).savefig(picture, format="png", dpi=120, metadata={"Software": None})
        if options.keep is not None:
            options.keep.mkdir(parents=True, exist_ok=True)
            for curve, of_run in zip(curves, lines, strict=True):
                write_whole(options.keep / f"{curve.name}.jsonl", [json.dumps(line) + "\n" for line in of_run])
        write_whole(options.out, [picture.getvalue()])
    except (ValueError, OSError) as error:
        print(f"{parser.prog}: error: {error}", file=sys.stderr)
        return FAILED
    return DONE


if __name__ == "__main__":
    sys.exit(main())
