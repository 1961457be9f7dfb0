"""Measures commands against their peers, in turn, with hyperfine, and prints a Markdown table of medians and ratios.

    compare.py --rounds N --scratch FOLDER --history FILE --commit NAME
               --figure NAME WHAT LIMIT OURS PEER-NAME PEER [BESIDE-NAME BESIDE]... [--figure ...]...

In each round every command runs once, so that whatever else the machine does falls on all of them alike. `{out}` in a command is a folder that
is empty before each run. Ratios are those of the medians, by the clock and of processor time; LIMIT is what the ratio of OURS to PEER may be by the
clock, behind a slash of processor time, and behind another one how many MB of memory OURS may take; - for none. Each figure is appended to the
history, and compared with its latest entries of this machine there: what is worse is said to be. Status 1 where a limit is missed.
"""

import datetime
import json
import os
import platform
import shlex
import shutil
import statistics
import subprocess
import sys
from pathlib import Path

import history

COLUMNS = ["date", "commit", "machine", "figure", "seconds", "peer seconds", "ratio", "peak MB", "processor ratio"]
# A figure is compared with the median of this many earlier entries; more than this factor above it is a regression.
REMEMBERED = 5
REGRESSION = 1.15


def prepare(command, folder):
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return command.replace("{out}", str(folder))


def seconds(command, folder, scratch):
    """How long one run takes, by the clock and of processor time."""
    report = scratch / "hyperfine.json"
    result = subprocess.run(
        ["hyperfine", "--shell=none", "--runs=1", "--style=none", f"--export-json={report}", prepare(command, folder)],
        capture_output=True, text=True)
    if result.returncode:
        sys.exit(f"failed: {command}\n{result.stderr}")
    times = json.loads(report.read_text())["results"][0]
    return times["median"], times["user"] + times["system"]


def peak_memory(command, folder):
    """The peak memory of one run in MB. A process's peak counts what its parent had when it began: this parent is small."""
    arguments = shlex.split(prepare(command, folder))
    process = os.posix_spawnp(arguments[0], arguments, os.environ, file_actions=[
        (os.POSIX_SPAWN_OPEN, number, os.devnull, os.O_RDWR, 0) for number in (0, 1, 2)])
    usage = os.wait4(process, 0)[2]
    return usage.ru_maxrss * (1 if sys.platform == "darwin" else 1_024) / 1e6


def machine():
    for line in Path("/proc/cpuinfo").read_text().splitlines() if Path("/proc/cpuinfo").exists() else []:
        if line.startswith("model name"):
            return f"{line.split(':')[1].strip()}, {os.cpu_count()} cores"
    return f"{platform.machine()}, {os.cpu_count()} cores"


def remembered(earlier, name):
    """The median of the latest ratios of a figure on this machine; None where there are none."""
    rows = [float(row["ratio"]) for row in earlier if row["figure"] == name and row["machine"] == machine()][-REMEMBERED:]
    return statistics.median(rows) if rows else None


def main():
    parser = history.parser("Measures commands against their peers.")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--figure", action="append", nargs="+", required=True)
    options = parser.parse_args()
    earlier = history.read(options.history)
    folder = options.scratch / "out"
    status, rows = 0, []
    print("| what | seconds | against | its seconds | ratio | at most | before | processor | at most | peak MB |")
    print("|---|---:|---|---:|---:|---:|---:|---:|---:|---:|", flush=True)
    for name, what, limits, ours, *peers in options.figure:
        limit, processor_limit, most_memory = (limits.split("/") + ["-", "-"])[:3]
        names, commands = ["cuelight", *peers[::2]], [ours, *peers[1::2]]
        runs = [[] for _ in commands]
        # The first round only warms the caches up.
        for number in range(options.rounds + 1):
            for command, times in zip(commands, runs):
                time = seconds(command, folder, options.scratch)
                if number:
                    times.append(time)
        medians, processor = [[statistics.median(run[kind] for run in times) for times in runs] for kind in (0, 1)]
        memory = peak_memory(ours, folder)
        is_large = most_memory != "-" and memory > float(most_memory)
        status = status or int(is_large)
        before = remembered(earlier, name)
        for index in range(1, len(commands)):
            ratio, processor_ratio = medians[0] / medians[index], processor[0] / processor[index]
            is_main = index == 1
            is_missed = is_main and limit != "-" and ratio > float(limit)
            is_costly = is_main and processor_limit != "-" and processor_ratio > float(processor_limit)
            is_worse = is_main and before is not None and ratio > before * REGRESSION
            status = status or int(is_missed or is_costly)
            print(
                f"| {what if is_main else ''} | {f'{medians[0]:.3f}' if is_main else ''} | {names[index]} | {medians[index]:.3f} "
                f"| {ratio:.2f}{' **missed**' if is_missed else ''} | {limit if is_main else ''} "
                f"| {f'{before:.2f}' if is_main and before else ''}{' **worse**' if is_worse else ''} "
                f"| {processor_ratio:.2f}{' **missed**' if is_costly else ''} | {processor_limit if is_main else ''} "
                f"| {f'{memory:.1f}' if is_main else ''}{' **missed**' if is_main and is_large else ''} |", flush=True)
        rows.append([
            datetime.date.today().isoformat(), options.commit, machine(), name, f"{medians[0]:.4f}", f"{medians[1]:.4f}",
            f"{medians[0] / medians[1]:.4f}", f"{memory:.1f}", f"{processor[0] / processor[1]:.4f}"])
    shutil.rmtree(folder, ignore_errors=True)
    history.append(options.history, COLUMNS, rows)
    return status


if __name__ == "__main__":
    sys.exit(main())
