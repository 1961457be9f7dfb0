"""Counts the instructions of commands and of their peers with valgrind's callgrind, and prints a Markdown table.

    instructions.py --scratch FOLDER --history FILE --commit NAME --figure NAME LIMIT OURS PEER [--figure ...]...

`{out}` in a command is a folder that is empty before each run. LIMIT is what the ratio of OURS to PEER may be, - for none. Each count is appended to
the history, and compared with the latest entry of the figure, whichever machine that was made on: what is worse is said to be. Status 1 where a limit
is missed.
"""

import datetime
import re
import shlex
import shutil
import subprocess
import sys

import history

COLUMNS = ["date", "commit", "figure", "instructions", "peer instructions", "ratio"]
# More than this factor above the ratio before is a regression.
REGRESSION = 1.03


def count(command, folder):
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    arguments = shlex.split(command.replace("{out}", str(folder)))
    result = subprocess.run(
        ["valgrind", "--tool=callgrind", f"--callgrind-out-file={folder}.callgrind", *arguments], capture_output=True, text=True)
    found = re.search(r"Collected : (\d+)", result.stderr)
    if result.returncode or not found:
        sys.exit(f"failed: {command}\n{result.stderr}")
    return int(found[1])


def main():
    parser = history.parser("Counts the instructions of commands and of their peers.")
    parser.add_argument("--figure", action="append", nargs=4, required=True)
    options = parser.parse_args()
    earlier = history.read(options.history)
    folder = options.scratch / "out"
    status, rows = 0, []
    print("| what | million instructions | its peer's | ratio | at most | before |\n|---|---:|---:|---:|---:|---:|", flush=True)
    for name, limit, ours, peer in options.figure:
        counts = [count(command, folder) for command in (ours, peer)]
        ratio = counts[0] / counts[1]
        before = next((float(row["ratio"]) for row in reversed(earlier) if row["figure"] == name), None)
        is_missed = limit != "-" and ratio > float(limit)
        is_worse = before is not None and ratio > before * REGRESSION
        status = status or int(is_missed)
        print(
            f"| {name} | {counts[0] / 1e6:.1f} | {counts[1] / 1e6:.1f} | {ratio:.3f}{' **missed**' if is_missed else ''} | {limit} "
            f"| {f'{before:.3f}' if before else ''}{' **worse**' if is_worse else ''} |", flush=True)
        rows.append([datetime.date.today().isoformat(), options.commit, name, *map(str, counts), f"{ratio:.4f}"])
    shutil.rmtree(folder, ignore_errors=True)
    history.append(options.history, COLUMNS, rows)
    return status


if __name__ == "__main__":
    sys.exit(main())
