"""Proves the conformance vectors: they are made alike twice, a second reader in Python and the C library read them as they say, and whatever is changed in a
vector is found. Prints a line for each fact.

    python3 -m proofs.clients.conformance --cuelight PROGRAM --library FOLDER --folder FOR_ITS_FILES
"""

import hashlib
import importlib.util
import json
import os
import shutil
import sys
from pathlib import Path

from proofs.clients import vectors
from proofs.clients.native import without_player
from proofs.facts import prove_and_end
from proofs.processes import finished

CLIENTS = Path(__file__).resolve().parents[3] / "samples" / "clients"


def load(name, path):
    """A module of the samples."""
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def files(folder):
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def check_alike(folder, again, options):
    vectors.make(folder, options.cuelight)
    vectors.make(again, options.cuelight)
    first, second = files(folder), files(again)
    assert first == second, f"differ: {[name for name in first if first[name] != second.get(name)]}"
    return f"{len(first)} files of {sum(map(len, first.values())):,} bytes are the same in two runs"


def check_second_reader(folder):
    said = finished(sys.executable, "-B", CLIENTS / "conformance" / "run.py", folder).stdout.splitlines()
    assert said and all(line.startswith("ok  ") for line in said), said
    return f"reads all {len(said)} vectors as they say, by the standard library of Python alone"


def check_mutations(folder, runner, entry):
    """Each change of a vector's streams or expectations is found."""
    place, changes = folder / entry["name"], 0

    def is_found(path, changed, entry=entry):
        nonlocal changes
        before = path.read_bytes()
        assert changed != before, f"{path.name} is not changed"
        path.write_bytes(changed)
        try:
            wrong = runner.check(folder, entry)
        finally:
            path.write_bytes(before)
        assert wrong, f"a change of {path.name} is not found"
        changes += 1

    for name, old, new in (("copies", b'"verified":', b'"verified": null,"_":'), ("states", b'"phase":"', b'"phase":"_'), ("copies", b'"copy":', b'"copy":9')):
        path = place / f"{name}.ndjson"
        is_found(path, path.read_bytes().replace(old, new, 1))
    for name in ("copies", "states"):
        path = place / f"{name}.ndjson"
        lines = path.read_bytes().splitlines(keepends=True)
        is_found(path, b"".join(lines[:-1]))
        is_found(path, b"".join(lines + lines[-1:]))
    # A stream that is changed is found by its digest, and by what is read if the digest is changed, too.
    contents = {name: (place / name).read_bytes() for name in entry["files"]}
    name = next(name for name in entry["files"] if b"Vectors" in contents[name] or b"Every kind" in contents[name])
    old = b"Vectors" if b"Vectors" in contents[name] else b"Every kind"
    changed = contents[name].replace(old, b"?" * len(old))
    is_found(place / name, changed)
    digest = hashlib.sha256(b"".join((contents | {name: changed}).values())).hexdigest()
    is_found(place / name, changed, entry | {"sha256": digest})
    return f"{changes} changes are found"


def check_library(folder, cuelight, entry):
    """The C library finds the same copies and transitions."""
    place = folder / entry["name"]
    expected = {name: [json.loads(line) for line in (place / f"{name}.ndjson").read_text().splitlines()] for name in ("copies", "transitions")}
    found, transitions = [], []
    with cuelight.Reader() as reader, cuelight.Game() as game:
        for number, name in enumerate(entry["files"]):
            calls = [lambda: reader.start_segment()] if number else []
            data = (place / name).read_bytes()
            for call in [*calls, lambda: reader.push(data)]:
                found += call()
                transitions += game.play(reader)
        found += reader.finish()
        transitions += game.play(reader) + game.finish(reader.end)
    copies = [{key: line[key] for key in vectors.COPY} for line in found if line["type"] == "copy"]
    for copy in copies:
        if copy["event"].get("answers") == []:
            del copy["event"]["answers"]
    assert copies == expected["copies"], f"{len(copies)} copies, {len(expected['copies'])} expected"
    kinds = [line["transition"] for line in transitions]
    assert list(map(without_player, transitions)) == expected["transitions"], f"{kinds} instead of {[line['transition'] for line in expected['transitions']]}"
    return f"{len(copies)} copies and {len(transitions)} transitions"


def run(lines, options):
    folder, again = options.folder / "vectors", options.folder / "again"
    lines.prove("conformance vectors", check_alike, folder, again, options)
    shutil.rmtree(again)
    lines.prove("the second reader", check_second_reader, folder)
    runner = load("run", CLIENTS / "conformance" / "run.py")
    assert len((CLIENTS / "conformance" / "run.py").read_text().splitlines()) <= 100, "the runner has more than 100 lines"
    os.environ["CUELIGHT_LIBRARY"] = str(options.library / "libCuelightC.so")
    cuelight = load("cuelight", CLIENTS / "python" / "cuelight.py")
    for entry in json.loads((folder / "vectors.json").read_text())["vectors"]:
        lines.prove(f"{entry['name']}, the C library", check_library, folder, cuelight, entry)
        lines.prove(f"{entry['name']}, changed", check_mutations, folder, runner, entry)


if __name__ == "__main__":
    prove_and_end(run, "cuelight", "library")
