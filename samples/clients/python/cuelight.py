"""Cuelight in Python: the C library by ctypes.

The library is found by its name, or in the file that the environment variable CUELIGHT_LIBRARY names.
"""

import ctypes
import ctypes.util
import json
import math
import os

_library = ctypes.CDLL(os.environ.get("CUELIGHT_LIBRARY") or ctypes.util.find_library("CuelightC") or "libCuelightC.so")
_handle, _count, _seconds = ctypes.c_void_p, ctypes.c_ssize_t, ctypes.c_double

# The functions of cuelight.h: what each returns, and what it takes.
_SIGNATURES = {
    "version": (ctypes.c_char_p,), "error_name": (ctypes.c_char_p, _count), "error_text": (ctypes.c_char_p, _count),
    "reader_create": (_handle,), "reader_destroy": (None, _handle), "reader_room": (_handle, _handle, _count), "reader_answer": (_handle, _handle),
    "reader_push": (_count, _handle, _count), "reader_start_segment": (_count, _handle), "reader_skip": (_count, _handle, _seconds),
    "reader_finish": (_count, _handle), "reader_end": (_seconds, _handle), "reader_problem": (_count, _handle),
    "create": (_handle, ctypes.c_bool), "destroy": (None, _handle), "room": (_handle, _handle, _count), "answer": (_handle, _handle),
    "play": (_count, _handle, _handle), "tag": (_count, _handle, _count, _seconds, _seconds),
    "frame": (_count, _handle, _count, _count, _seconds, _seconds), "date_range": (_count, _handle, _count, _seconds, _seconds),
    "discontinuity": (None, _handle, _seconds), "advance": (_count, _handle, _seconds), "seek": (_count, _handle, _seconds),
    "finish": (_count, _handle, _seconds), "select": (_count, _handle, _count, _seconds), "state": (_count, _handle), "origin": (_seconds, _handle),
    "next_deadline": (_seconds, _handle), "unusable": (_count, _handle),
}
for _name, (_result, *_arguments) in _SIGNATURES.items():
    _function = getattr(_library, f"cuelight_{_name}")
    _function.restype, _function.argtypes = _result, _arguments


def version():
    """The version of the library."""
    return _library.cuelight_version().decode()


class CuelightError(Exception):
    """Why a stream cannot be read; `code` is one of cuelight.h."""

    def __init__(self, code, reason):
        super().__init__(reason)
        self.code, self.name = code, _library.cuelight_error_name(code).decode()


class _Object:
    """What a reader and a game have in common: a handle, a room, and answers."""

    _prefix = ""

    def __init__(self, *arguments):
        self._object = self._function("create")(*arguments)

    def close(self):
        if self._object:
            self._function("destroy")(self._object)
        self._object = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def _function(self, name):
        return getattr(_library, f"cuelight_{self._prefix}{name}")

    def _call(self, name, *values):
        """Calls a function with the handle; closed handles raise ValueError."""
        if not self._object:
            raise ValueError("the handle is closed")
        return self._function(name)(self._object, *values)

    def _write(self, data):
        ctypes.memmove(self._call("room", len(data)), bytes(data), len(data))

    def _answer(self, count):
        return ctypes.string_at(self._call("answer"), count).decode()

    def _json(self, count):
        return json.loads(self._answer(count)) if count else []


class Reader(_Object):
    """Finds events in the bytes of a stream. Each call returns what it found: lines of `cuelight inspect --json`."""

    _prefix = "reader_"

    def push(self, data):
        self._write(data)
        return self._found(self._call("push", len(data)))

    def start_segment(self):
        return self._found(self._call("start_segment"))

    def skip(self, seconds):
        return self._found(self._call("skip", seconds))

    def finish(self):
        return self._found(self._call("finish"))

    @property
    def end(self):
        """The programme time up to which the stream was read; None if that is not known."""
        return _known(self._call("end"))

    def _found(self, count):
        if count < 0:
            raise CuelightError(count, self._answer(self._call("problem")))
        return self._json(count)


class Game(_Object):
    """The game of a viewer. Each call returns transitions: lines of `cuelight replay --json`."""

    def __init__(self, checks_seals=True):
        super().__init__(checks_seals)

    def play(self, reader):
        """Receives the copies that the reader's last call found."""
        return self._json(self._call("play", reader._object))

    def tag(self, data, presented_at, now):
        self._write(data)
        return self._json(self._call("tag", len(data), presented_at, now))

    def frame(self, text, description, presented_at, now):
        value, name = text.encode(), description.encode()
        self._write(value + name)
        return self._json(self._call("frame", len(value), len(name), presented_at, now))

    def date_range(self, data, start_date, now):
        self._write(data)
        return self._json(self._call("date_range", len(data), start_date, now))

    def discontinuity(self, time=math.nan):
        self._call("discontinuity", time)

    def advance(self, now):
        return self._json(self._call("advance", now))

    def seek(self, now):
        return self._json(self._call("seek", now))

    def finish(self, now):
        return self._json(self._call("finish", now))

    def select(self, answer, now):
        """Selects an answer; returns the outcome and the transitions."""
        text = json.dumps(answer).encode()
        self._write(text)
        result = self._json(self._call("select", len(text), now))
        return result["outcome"], result["transitions"]

    @property
    def state(self):
        return self._json(self._call("state"))

    @property
    def origin(self):
        return _known(self._call("origin"))

    @property
    def next_deadline(self):
        return _known(self._call("next_deadline"))

    @property
    def unusable(self):
        return self._call("unusable")


def _known(seconds):
    return None if math.isnan(seconds) else seconds
