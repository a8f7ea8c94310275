"""``python -m benchmarks [NAMES …] [--quick]``: print tables of speeds, each taken on one core."""

from __future__ import annotations

import argparse
import importlib
import os
import sys

SUITES = {
    "core": "benchmarks.core",
    "pettingzoo": "benchmarks.pettingzoo_loop",
    "gymnasium": "benchmarks.gymnasium_steps",
    "baselines": "benchmarks.baselines_speed",
    "training": "benchmarks.training",
    "solver": "benchmarks.solver",
    "worlds": "benchmarks.worlds",
}
"""Each module has a ``TITLE`` and ``run(quick: bool) -> list[Row]``; it is imported only if it is asked for."""
SIGNATURE = "signature"
NAMES = (*SUITES, SIGNATURE)


def report(name: str, quick: bool) -> str:
    """Measure what has this name and return it as text."""
    if name == SIGNATURE:
        from benchmarks.signature import signature

        return f"Signature of a fixed set of games, which changes only on purpose: {signature()}"
    from benchmarks.measuring import table

    suite = importlib.import_module(SUITES[name])
    return table(suite.TITLE, suite.run(quick))


def main(arguments: list[str] | None = None) -> int:
    """Run the suites named (all, unless some are) and return the exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks",
        description="Measure speeds: medians of repeated runs, the lowest and the highest in brackets.",
        epilog="example: python -m benchmarks core --quick",
    )
    parser.add_argument("names", nargs="*", metavar="NAMES", help=f"what to measure: {', '.join(NAMES)} (default all)")
    parser.add_argument("--quick", action="store_true", help="fewer and shorter repetitions")
    options = parser.parse_args(arguments)
    unknown = [name for name in options.names if name not in NAMES]
    if unknown:
        parser.error(f"unknown name {unknown[0]!r}: use {', '.join(NAMES)}")
    from benchmarks.measuring import machine

    print(machine())
    for name in options.names or NAMES:
        print("\n" + report(name, options.quick), flush=True)
    return 0


if __name__ == "__main__":
    os.environ.setdefault("OMP_NUM_THREADS", "1")  # before numpy loads: the figures are those of one core
    sys.exit(main())
