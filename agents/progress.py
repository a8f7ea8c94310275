"""Progress on standard error: a bar on a terminal, a plain line every 30 seconds elsewhere (CONTRACT §7)."""

from __future__ import annotations

import sys
import threading
import time
from types import TracebackType
from typing import NoReturn, Self

from tqdm import tqdm

SECONDS_BETWEEN_LINES = 30.0


class Progress:
    """Counts `total` units of work; a context manager.

    The lines come from a thread of their own, so that they also come during a long piece of work.
    """

    def __init__(self, total: int, unit: str, seconds_between_lines: float = SECONDS_BETWEEN_LINES) -> None:
        self._total, self._unit, self._period = total, unit, seconds_between_lines
        self._done = 0
        self._start = time.monotonic()
        self._stop = threading.Event()
        self._bar: tqdm[NoReturn] | None = None
        self._thread: threading.Thread | None = None

    def __enter__(self) -> Self:
        """Show the bar, or start the lines."""
        if sys.stderr.isatty():
            self._bar = tqdm(total=self._total, unit=" " + self._unit, file=sys.stderr, leave=False)
        else:
            self._thread = threading.Thread(target=self._print_lines, daemon=True)
            self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Remove the bar, or end the lines."""
        self._stop.set()
        if self._bar is not None:
            self._bar.close()
        if self._thread is not None:
            self._thread.join()

    def advance(self, count: int) -> None:
        """Note that `count` more units are done."""
        self._done += count
        if self._bar is not None:
            self._bar.update(count)

    def _print_lines(self) -> None:
        while not self._stop.wait(self._period):
            print(self._line(), file=sys.stderr, flush=True)

    def _line(self) -> str:
        seconds = time.monotonic() - self._start
        line = f"{self._done:,} of {self._total:,} {self._unit} after {seconds:.0f} s"
        if self._done:
            line += f", about {seconds * (self._total - self._done) / self._done:.0f} s left"
        return line
