"""Proves that the C library plays as `cuelight` does, in C, in Python and in Java, and prints a line for each fact.

    python3 -m proofs.clients.native --cuelight PROGRAM --library FOLDER --header FOLDER --clip VIDEO --folder FOR_ITS_FILES
        [--languages c python java] [--swift FOLDER]

The examples below samples/clients are what is built and run. Their transitions and items are those of `replay --json` and `inspect --json`, whole.
--swift names the folder of a debug build, with the headers that the Swift compiler has made: these and ours in one program must agree.
"""

import ctypes
import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

from proofs.clients import phone
from proofs.facts import prove_and_end
from proofs.processes import finished

TOP = Path(__file__).resolve().parents[3]
CLIENTS = TOP / "samples" / "clients"
# What the state of a player has besides that of `replay`, which has none.
PLAYERS = ("selectedAnswer", "correctAnswer", "isQuestionOver", "selection", "right")
WARNINGS = ["-std=c11", "-Wall", "-Wextra", "-Werror", "-pedantic"]


def lines_of(text):
    """The objects of a program that writes an object, or an array of them, on each line."""
    for line in text.splitlines():
        value = json.loads(line)
        yield from value if isinstance(value, list) else [value]


def without_player(transition):
    state = {key: value for key, value in transition["state"].items() if key not in PLAYERS}
    return transition | {"state": state}


def first_difference(found, wanted):
    for index, (one, other) in enumerate(zip(found, wanted)):
        if one != other:
            return f"line {index + 1}: {json.dumps(one)[:600]} instead of {json.dumps(other)[:600]}"
    return f"{len(found)} lines instead of {len(wanted)}" if len(found) != len(wanted) else ""


class Languages:
    """The examples, built: how each is called."""

    def __init__(self, options):
        self.options, self.folder = options, options.folder
        self.environment = {**os.environ, "CUELIGHT_LIBRARY": str(options.library / "libCuelightC.so"), "PYTHONDONTWRITEBYTECODE": "1"}
        self.commands = {name: getattr(self, name)() for name in options.languages}

    def compile(self, compiler, *arguments):
        link = ["-I", self.options.header, "-L", self.options.library, "-lCuelightC", f"-Wl,-rpath,{self.options.library}"]
        # A library of Swift's debug build finds the runtime where the compiler is.
        runtime = ["-Wl,--allow-shlib-undefined"]
        finished(compiler, *WARNINGS, *arguments, *link, *runtime, cwd=CLIENTS)

    def c(self):
        program = self.folder / "replay"
        self.compile("cc", "c/replay.c", "-o", program)
        return [program]

    def python(self):
        return [sys.executable, CLIENTS / "python" / "replay.py"]

    def java(self):
        home = Path(finished("sh", "-c", "readlink -f $(command -v javac)").stdout.strip()).parents[1]
        sources = sorted((CLIENTS / "java").rglob("*.java")) + phone.sources(CLIENTS, self.folder)
        finished("javac", "--release", "17", "-Xlint:all", "-Werror", "-d", self.folder / "classes", *sources)
        self.compile("cc", "-shared", "-fPIC", "java/cuelight_jni.c", "-I", home / "include", "-I", home / "include" / "linux",
                     "-o", self.folder / "libcuelight_jni.so")
        self.machine = ["java", "-Xcheck:jni", "-cp", self.folder / "classes", f"-Djava.library.path={self.folder}"]
        return [*self.machine, "Replay"]

    def run(self, language, *arguments, status=0):
        return finished(*self.commands[language], *arguments, status=status, env=self.environment)


def streams(options):
    """The samples, as a transport stream and as fragmented MP4, with what `replay` and `inspect` make of them."""
    for cues in sorted((TOP / "samples").glob("*.yaml")):
        for ending in ("ts", "mp4"):
            path = options.folder / f"{cues.stem}.{ending}"
            finished(options.cuelight, "stamp", options.clip, "--cues", cues, "-o", path)
            said = [list(lines_of(finished(options.cuelight, command, "--json", path).stdout)) for command in ("replay", "inspect")]
            yield path, [line for line in said[0] if line["type"] == "transition"], said[1]


def check_header(options):
    """The header says what the library has: functions, errors and version; and the Swift compiler agrees about every type."""
    text = re.sub(r"/\*.*?\*/", "", (options.header / "cuelight.h").read_text(), flags=re.DOTALL)
    declared = set(re.findall(r"\b(cuelight_\w+)\(", text))
    symbols = finished("nm", "--dynamic", "--defined-only", options.library / "libCuelightC.so").stdout
    exported = set(re.findall(r" T (cuelight_\w+)$", symbols, re.MULTILINE))
    assert declared == exported, f"only in one of header and library: {sorted(declared ^ exported)}"
    library = ctypes.CDLL(str(options.library / "libCuelightC.so"))
    for name in ("version", "error_name", "error_text"):
        getattr(library, f"cuelight_{name}").restype = ctypes.c_char_p
    errors = {int(number): name for name, number in re.findall(r"\b(CUELIGHT_\w+) = (-?\d+)", text)}
    for number in range(min(errors) - 1, 2):
        name = library.cuelight_error_name(ctypes.c_ssize_t(number)).decode()
        assert name == errors.get(number, "CUELIGHT_OK" if number > 0 else "CUELIGHT_ERROR_UNKNOWN"), f"{number} is called {name}"
    texts = {library.cuelight_error_text(ctypes.c_ssize_t(number)) for number in errors}
    assert len(texts) == len(errors) and all(texts), f"errors share a text: {texts}"
    versions = {re.search(r'CUELIGHT_VERSION "(.*)"', text)[1], library.cuelight_version().decode(),
                finished(options.cuelight, "--version").stdout.split()[1]}
    assert len(versions) == 1, f"versions differ: {versions}"
    both = ""
    if options.swift:
        source = options.folder / "both.c"
        modules = ("GameBoundary", "CuelightC")
        source.write_text('#include "cuelight.h"\n' + "".join(f'#include "{module}-Swift.h"\n' for module in modules))
        folders = [f"-I{options.swift / f'{module}.build' / 'include'}" for module in modules]
        finished("clang", "-fsyntax-only", "-Werror", "-I", options.header, *folders, source)
        both = ", each with the types that Swift's compiler says"
    return f"{len(declared)} functions of the header are those of the library{both}, {len(errors) - 1} errors have their names and texts, and all are version {versions.pop()}"


def check_errors(languages):
    """What is no stream is refused, with the name of the error."""
    folder = languages.folder
    (folder / "empty").write_bytes(b"")
    (folder / "text").write_text("Nothing that plays.\n" * 400)
    for file, name in (("empty", "CUELIGHT_ERROR_EMPTY"), ("text", "CUELIGHT_ERROR_NOT_A_STREAM"), (languages.options.clip, "CUELIGHT_ERROR_PLAIN_MP4")):
        for language in languages.commands:
            said = languages.run(language, folder / file, status=1).stderr
            assert said.startswith(f"{name}: "), f"{language}, {file}: {said}"
    return f"an empty file, text and a plain MP4 file are refused by name in {', '.join(languages.commands)}"


def check_stream(languages, language, path, transitions, items):
    found = [without_player(line) for line in lines_of(languages.run(language, path).stdout)]
    assert not (wrong := first_difference(found, transitions)), f"transitions, {wrong}"
    found = list(lines_of(languages.run(language, "--items", path).stdout))
    assert not (wrong := first_difference(found, items)), f"items, {wrong}"
    return f"{len(transitions)} transitions and {len(items)} items are those of cuelight, whole"


PIECES = """
import json, sys
import cuelight

def items(data, sizes):
    with cuelight.Reader() as reader:
        found, start, index = [], 0, 0
        while start < len(data):
            size = sizes[index % len(sizes)]
            found += reader.push(data[start:start + size])
            start, index = start + size, index + 1
        found += reader.finish()
        try:
            reader.push(b"more")
        except cuelight.CuelightError as error:
            assert error.name == "CUELIGHT_ERROR_ENDED", error.name
        else:
            raise AssertionError("bytes after the end are read")
        try:
            reader._found(reader._call("push", -1))
        except cuelight.CuelightError as error:
            assert error.name == "CUELIGHT_ERROR_BAD_COUNT", error.name
        else:
            raise AssertionError("a count below 0 is taken")
    return found

data = open(sys.argv[1], "rb").read()
whole = items(data, [len(data)])
for sizes in ([1, 187, 188, 189, 4_093], [7, 65_536]):
    assert items(data, sizes) == whole, f"pieces of {sizes} bytes give other items"
with cuelight.Game() as game:
    for item in [item for item in whole if item["type"] == "copy"]:
        text = item["event"] | {"copy": item["copy"], "copies": item["copies"], "age": item["age"]}
        game.frame(json.dumps(text, ensure_ascii=False, separators=(",", ":")), item["eventType"], item["time"], item["time"])
        if game.state["phase"] == "asking" and game.state["selectedAnswer"] is None:
            assert game.select(1, item["time"])[0] == "accepted"
    assert game.select([1, 2], 1e9)[0] in ("noQuestion", "unknownAnswer", "tooLate") and game.unusable == 0, game.unusable
    print(game.state["phase"], game.state["score"], game.state["answered"])
"""


def check_pieces(languages, path):
    """Bytes in pieces of any size give the same, and a game takes frames and answers."""
    environment = languages.environment | {"PYTHONPATH": str(CLIENTS / "python")}
    said = finished(sys.executable, "-c", PIECES, path, env=environment).stdout.split()
    assert said == ["ended", "2", "2"], f"the game ends with {said}"
    return "pieces of 1 to 65,536 bytes give the same items; frames alone play the game, with both answers right"


def run(lines, options):
    languages = Languages(options)
    lines.prove("the header", check_header, options)
    lines.prove("errors", check_errors, languages)
    for path, transitions, items in streams(options):
        assert transitions and items
        for language in languages.commands:
            lines.prove(f"{path.name} in {language}", check_stream, languages, language, path, transitions, items)
        if "java" in languages.commands and path.suffix == ".ts":
            lines.prove(f"{path.name}, media3's listener on the JDK", phone.check, languages, path, transitions, lines_of, without_player)
    lines.prove("quick-round.ts in python", check_pieces, languages, options.folder / "quick-round.ts")


if __name__ == "__main__":
    prove_and_end(run, "cuelight", "library", "header", "clip", languages={"c": 1, "python": 1, "java": 1}, swift=Path)
