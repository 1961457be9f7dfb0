"""Runs commands side by side, in turn, and prints what each took as a Markdown table; the first is what the others are measured against.

    compare.py --rounds N --scratch FOLDER NAME COMMAND [NAME COMMAND]...

`{out}` in a command is a folder that is empty before each run. Wall and processor time are medians, memory is the largest peak.
"""

import argparse
import os
import shlex
import shutil
import statistics
import sys
import time
from pathlib import Path


def measure(command, folder):
    """One run: seconds by the clock, seconds of processor time, peak memory in MB."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    arguments = [word.replace("{out}", str(folder)) for word in shlex.split(command)]
    started = time.monotonic()
    # A process's peak counts what its parent had when it began: this parent is small.
    process = os.posix_spawnp(arguments[0], arguments, os.environ, file_actions=[
        (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0), (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)])
    _, status, usage = os.wait4(process, 0)
    elapsed = time.monotonic() - started
    shutil.rmtree(folder, ignore_errors=True)
    if status:
        sys.exit(f"failed with status {os.waitstatus_to_exitcode(status)}: {command}")
    unit = 1 if sys.platform == "darwin" else 1_024
    return elapsed, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * unit / 1e6


def main():
    parser = argparse.ArgumentParser(description="Compares commands side by side.")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--scratch", required=True, type=Path)
    parser.add_argument("words", nargs="+", metavar="NAME COMMAND")
    options = parser.parse_args()
    commands = list(zip(options.words[::2], options.words[1::2]))
    runs = {name: [] for name, _ in commands}
    # The first round only warms the caches up.
    for number in range(options.rounds + 1):
        for name, command in commands:
            run = measure(command, options.scratch / "out")
            if number:
                runs[name].append(run)
    print("| command | seconds | ratio | processor seconds | ratio | peak memory, MB |\n| --- | --- | --- | --- | --- | --- |")
    base = None
    for name, _ in commands:
        wall, processor, _ = (statistics.median(values) for values in zip(*runs[name]))
        base = base or (wall, processor)
        memory = max(memory for *_, memory in runs[name])
        print(f"| {name} | {wall:.3f} | {wall / base[0]:.2f} | {processor:.3f} | {processor / base[1]:.2f} | {memory:.1f} |")


if __name__ == "__main__":
    main()
