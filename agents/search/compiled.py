"""What all compiled search code shares: how it is compiled and kept, bit tricks, and a word to the user meanwhile."""

from __future__ import annotations

import hashlib
import os
import shutil
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numba import config, njit, types
from numba.extending import intrinsic

from tressette_env import shuffling

SECONDS_BEFORE_MESSAGE = 2.0  # loading compiled code from the cache takes less
_COMPILED: set[str] = set()  # what has been through a block of `compiling` in this process
_HERE = Path(__file__).parent
_SECONDS_KEPT = 30 * 24 * 3600
_ENVIRONMENT = ("cards", "declarations", "rules", "scoring", "shuffling")
"""Modules of the environment whose functions or constants are compiled in."""


@cache
def _cache_folder() -> Path:
    """Return the folder of the compiled code of just these sources.

    numba notices a change in the file of a function, but not in those of the functions and constants it uses, so
    the folder is named after all of them.  Folders not used for a month are removed.
    """
    digest = hashlib.sha256()
    environment = _HERE.parent.parent / "tressette_env"
    sources = [path.read_bytes() for path in sorted(_HERE.glob("*.py"))]
    for source in sources:
        if b"@compiled(" in source:
            digest.update(source)
    for name in _ENVIRONMENT:
        digest.update((environment / f"{name}.py").read_bytes())
    if config.CACHE_DIR:
        parent = Path(config.CACHE_DIR)
    elif os.access(_HERE, os.W_OK):
        parent = _HERE / "__pycache__"
    else:
        parent = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "tressette"
    folder = parent / f"compiled-{digest.hexdigest()[:12]}"
    folder.mkdir(parents=True, exist_ok=True)
    os.utime(folder)
    for other in parent.glob("compiled-*"):
        if time.time() - other.stat().st_mtime > _SECONDS_KEPT:
            shutil.rmtree(other, ignore_errors=True)
    return folder


def compiled(*, inline: bool = False, allocates: bool = False) -> Callable[[Callable[..., Any]], Any]:
    """Return the decorator of compiled functions: kept between runs, and free of the interpreter lock.

    Unless it `allocates` arrays, a function does not count references to those it is given, which its caller keeps
    alive: counting takes more time than the search itself.
    """

    def decorate(function: Callable[..., Any]) -> Any:
        before, config.CACHE_DIR = config.CACHE_DIR, str(_cache_folder())
        try:
            return njit(cache=True, nogil=True, inline="always" if inline else "never", _nrt=allocates)(function)
        finally:
            config.CACHE_DIR = before

    return decorate


@intrinsic
def _count_bits(typing_context: Any, bits: Any) -> Any:
    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.ctpop(arguments[0])

    return types.uint64(types.uint64), build


@intrinsic
def _trailing_zeros(typing_context: Any, bits: Any) -> Any:
    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.cttz(arguments[0], context.get_constant(types.boolean, 0))

    return types.uint64(types.uint64), build


@intrinsic
def _leading_zeros(typing_context: Any, bits: Any) -> Any:
    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.ctlz(arguments[0], context.get_constant(types.boolean, 0))

    return types.uint64(types.uint64), build


@compiled(inline=True)
def popcount(bits: np.uint64) -> np.int64:
    """Return how many cards a bitboard (uint64) holds, as int64."""
    return np.int64(_count_bits(bits))


@compiled(inline=True)
def lowest(bits: np.uint64) -> np.int64:
    """Return the lowest card id of a bitboard (uint64) that is not empty, as int64."""
    return np.int64(_trailing_zeros(bits))


@compiled(inline=True)
def highest(bits: np.uint64) -> np.int64:
    """Return the highest card id of a bitboard (uint64) that is not empty, as int64."""
    return np.int64(np.int64(63) - np.int64(_leading_zeros(bits)))


mix64 = compiled(inline=True, allocates=True)(shuffling.mix64)
"""The package's own mixing function (uint64 to uint64), compiled."""


@contextmanager
def compiling(what: str) -> Iterator[None]:
    """Say on standard error that `what` is being compiled, if the first call in this block takes a while.

    Later blocks of the same name say nothing and cost nothing.
    """
    if what in _COMPILED:
        yield
        return
    timer = threading.Timer(
        SECONDS_BEFORE_MESSAGE,
        lambda: print(f"compiling {what}, once on this machine: up to half a minute", file=sys.stderr, flush=True),
    )
    timer.daemon = True
    timer.start()
    try:
        yield
        _COMPILED.add(what)
    finally:
        timer.cancel()
