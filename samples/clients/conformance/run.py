"""Runs conformance vectors with a reader: Python's standard library alone.

    python3 run.py FOLDER [PROGRAM ARGUMENT...]

The program is called for each vector with the paths of its files, in their order, and prints a JSON object with `copies` and `states`, whose members are those
of copies.ndjson and states.ndjson. Without a program it is reader.py, which lies beside this one. The exit status is 1 if a vector is read otherwise.
"""

import hashlib
import json
import subprocess
import sys
from pathlib import Path

SECOND_READER = [sys.executable, "-B", str(Path(__file__).with_name("reader.py"))]


def same(one, other):
    """Whether two values are equal, times to a tick."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if isinstance(one, float) or isinstance(other, float):
        return isinstance(one, (int, float)) and isinstance(other, (int, float)) and abs(one - other) <= 1 / 90_000
    return one == other


def difference(name, found, wanted):
    """Where a list of objects differs from the one that is expected; nothing where it does not."""
    for number, (one, other) in enumerate(zip(found, wanted), 1):
        if not same(one, other):
            return f"{name}, line {number}: {one} instead of {other}"
    return f"{len(found)} {name} instead of {len(wanted)}" if len(found) != len(wanted) else ""


def check(folder, vector, program=SECOND_READER):
    """What is wrong with the vector; nothing if it is read as it says."""
    place = folder / vector["name"]
    files = [place / name for name in vector["files"]]
    if hashlib.sha256(b"".join(path.read_bytes() for path in files)).hexdigest() != vector["sha256"]:
        return "the stream is not the one of the list"
    done = subprocess.run([*program, *map(str, files)], stdout=subprocess.PIPE)
    if done.returncode:
        return f"the reader ended with the status {done.returncode}"
    found = json.loads(done.stdout)
    for name in ("copies", "states"):
        wanted = [json.loads(line) for line in (place / f"{name}.ndjson").read_text().splitlines()]
        if wrong := difference(name, found[name], wanted):
            return wrong
    return ""


def run(folder, program):
    """Prints a line for each vector; returns whether all are read as they say."""
    is_right = True
    for vector in json.loads((folder / "vectors.json").read_text())["vectors"]:
        wrong = check(folder, vector, program)
        is_right = is_right and not wrong
        print(f"{'broken' if wrong else 'ok'}  {vector['name']}{': ' + wrong if wrong else ''}")
    return is_right


if __name__ == "__main__":
    sys.exit(0 if run(Path(sys.argv[1]), sys.argv[2:] or SECOND_READER) else 1)
