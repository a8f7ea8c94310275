"""Ctrl-C and SIGTERM while an agent is trained."""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from agents.trainer import Trainer

SIGNALS = (signal.SIGINT, signal.SIGTERM)


@contextmanager
def stopping_cleanly(trainer: Trainer) -> Iterator[None]:
    """Let a signal end the run, with a checkpoint, after the update in progress; a second one acts as it did before."""
    before = {number: signal.getsignal(number) for number in SIGNALS}

    def restore() -> None:
        for number, handler in before.items():
            signal.signal(number, handler)

    def stop(number: int, frame: FrameType | None) -> None:
        print("stopping after this update …", file=sys.stderr)
        trainer.stopping = True
        restore()

    for number in SIGNALS:
        signal.signal(number, stop)
    try:
        yield
    finally:
        restore()
