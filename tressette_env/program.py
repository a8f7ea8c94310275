"""A program of any language that answers lines of JSON on its standard input with lines on its standard output."""

from __future__ import annotations

import json
import os
import shlex
import signal
import subprocess
import threading
import weakref
from contextlib import suppress
from queue import SimpleQueue
from typing import IO, Any

from tressette_env.errors import PlayerError

LONGEST_LINE = 2**20
"""Bytes that an answer may have."""
_CHUNK = 2**16
_GRACE_SECONDS = 1.0  # for a program whose input has ended to end by itself
_LAST_BYTES, _LAST_LINES = 4096, 3  # kept, and told, of what it wrote to standard error
_SHOWN = 120  # letters of its texts in errors


class Program:
    """A running program, asked one question at a time.

    Reading and writing are done by threads, so that a wait can end on every platform.  The program is stopped with
    the first failure or interrupt, when this object is collected and at the end of the interpreter.

    Raises ``ValueError`` if the command can not be started.
    """

    def __init__(self, command: str) -> None:
        self._command, self._count = command, 0
        process = _start(command)
        self._process = process
        self._output, self._errors = _Output(_pipe(process.stdout)), _LastWords(_pipe(process.stderr))
        self._requests: SimpleQueue[bytes | None] = SimpleQueue()
        threading.Thread(target=_write, args=(_pipe(process.stdin), self._requests), daemon=True).start()
        self._finalizer = weakref.finalize(self, _stop, process, self._requests)

    def ask(self, request: dict[str, Any], asked: str, seconds: float) -> dict[str, Any]:
        """Send a request, to which an ``id`` is added that counts from 0, and return the answer, a JSON object.

        `asked` says for errors what the request asks, as in "what time it is".  Raises `PlayerError` if there is no
        answer within so many seconds, or none that is a JSON object, and if more was written than was asked for.
        """
        if not self._finalizer.alive:
            raise self.failure(asked, "is no longer running: it was stopped after a failure or an interrupt")
        try:
            return self._exchange(request, asked, seconds)
        except BaseException:
            self._end()
            raise

    def failure(self, asked: str, what: str) -> PlayerError:
        """Stop the program and return the error that says what it did when it was asked."""
        self._end()
        words = self._errors.text()
        told = f"; it last wrote on standard error: {words}" if words else ""
        return PlayerError(f"program {_cut(self._command)!r}, asked {asked}, {what}{told}")

    def _exchange(self, request: dict[str, Any], asked: str, seconds: float) -> dict[str, Any]:
        number, self._count = self._count, self._count + 1
        early = self._output.waiting() if number else b""  # what it writes at its start is taken for its first answer
        if early:
            raise self.failure(asked, f"had already written {shown(early)} without being asked")
        self._requests.put(json.dumps({"id": number} | request).encode() + b"\n")
        try:
            line = self._output.line(seconds)
        except EOFError:
            raise self.failure(asked, self._ending()) from None
        except (TimeoutError, OverflowError) as error:
            raise self.failure(asked, str(error)) from None
        try:
            reply = json.loads(line)
        except (ValueError, RecursionError):
            reply = None
        if not isinstance(reply, dict):
            raise self.failure(asked, f"answered {shown(line)}, which is no JSON object")
        if reply.get("id", number) != number:
            raise self.failure(asked, f"answered {shown(line)}, which has not the id of the request, {number}")
        return reply

    def _ending(self) -> str:
        try:
            code = self._process.wait(_GRACE_SECONDS)
        except subprocess.TimeoutExpired:
            return "closed its output instead of answering"
        return f"ended with exit code {code} instead of answering"

    def _end(self) -> None:
        _kill(self._process)
        self._finalizer()


class _Output:
    """What a program writes, gathered by a thread."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream, self._text, self._ended = stream, bytearray(), False
        self._changed = threading.Condition()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        with self._stream:
            while chunk := self._stream.read(_CHUNK):
                with self._changed:
                    if len(self._text) <= LONGEST_LINE:  # what follows is of no use
                        # Added at once: a line too many that was written with an answer is seen with it.
                        self._text += chunk
                    self._changed.notify()
        with self._changed:
            self._ended = True
            self._changed.notify()

    def waiting(self) -> bytes:
        """Return what was written and not yet read."""
        with self._changed:
            return bytes(self._text)

    def line(self, seconds: float) -> bytes:
        """Return the next line without its end.

        Raises ``TimeoutError`` if it takes longer, ``OverflowError`` if it is too long, ``EOFError`` if there is none.
        """
        with self._changed:
            if not self._changed.wait_for(self._has_line, seconds):
                raise TimeoutError(f"did not answer within {seconds:g} s")
            line, end, rest = self._text.partition(b"\n")
            if len(line) > LONGEST_LINE:
                raise OverflowError(f"wrote more than {LONGEST_LINE:,} bytes without ending the line")
            if not end:
                raise EOFError
            self._text[:] = rest
            return bytes(line)

    def _has_line(self) -> bool:
        return self._ended or len(self._text) > LONGEST_LINE or b"\n" in self._text


class _LastWords:
    """The end of what a program writes to standard error, kept by a thread that reads all of it."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream, self._last = stream, b""
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def _read(self) -> None:
        with self._stream:
            while chunk := self._stream.read(_CHUNK):
                self._last = (self._last + chunk)[-_LAST_BYTES:]

    def text(self) -> str:
        """Return the last lines of a program that has ended, in one line."""
        self._thread.join(_GRACE_SECONDS)  # another process may still hold the stream
        lines = [line.strip() for line in self._last.decode("utf-8", "replace").splitlines()]
        return " | ".join(repr(_cut(line)) for line in [line for line in lines if line][-_LAST_LINES:])


def shown(line: bytes | str) -> str:
    """Return a line that a program wrote, for an error: quoted, and cut to a bearable length."""
    return repr(_cut(line[: 4 * _SHOWN + 4].decode("utf-8", "replace") if isinstance(line, bytes) else line))


def _cut(text: str) -> str:
    return text if len(text) <= _SHOWN else text[:_SHOWN] + "…"


def _start(command: str) -> subprocess.Popen[bytes]:
    """Start a command, without a shell, in a process group of its own, which Ctrl-C on the terminal does not reach."""
    try:
        arguments = shlex.split(command) if os.name == "posix" else command.strip()  # Windows splits it by itself
        if not arguments:
            raise ValueError("the command is empty: write process:COMMAND, as in process:python my_player.py")
        return subprocess.Popen(
            arguments,
            bufsize=0,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
            creationflags=getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0),
        )
    except OSError as error:
        raise ValueError(f"the command can not be started: {error.strerror}: {_cut(str(error.filename))}") from None


def _pipe(stream: IO[bytes] | None) -> IO[bytes]:
    assert stream is not None  # of a program started with pipes
    return stream


def _write(stream: IO[bytes], requests: SimpleQueue[bytes | None]) -> None:
    """Write requests until None, then close the stream, which tells the program to end."""
    with suppress(OSError), stream:  # that the program has ended is seen by its reader
        for line in iter(requests.get, None):
            while line:
                line = line[stream.write(line) :]


def _stop(process: subprocess.Popen[bytes], requests: SimpleQueue[bytes | None]) -> None:
    requests.put(None)
    try:
        process.wait(_GRACE_SECONDS)
    except subprocess.TimeoutExpired:
        _kill(process)
        process.wait()


def _kill(process: subprocess.Popen[bytes]) -> None:
    """Kill a program and what it started."""
    if process.poll() is not None:
        return
    if os.name == "posix":
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
    else:
        process.kill()
