"""Measures how long events take from their POST to the bytes of their tags at a UDP socket, and prints a Markdown table.

    live_latency.py --rounds N --server PROGRAM --clip CLIP.ts --scratch FOLDER --history FILE --commit NAME

Each round is one of Tests/proofs/live/latency.py: a thousand events at a hundred a second into a stream of 25 frames a second. The medians of the rounds
are held against a frame and 15 ms, appended to the history, and compared with its latest entries of this machine there. Status 1 where the
limit is missed.
"""

import datetime
import json
import statistics
import subprocess
import sys
from pathlib import Path

import history
from compare import COLUMNS, REGRESSION, machine, remembered

# An event goes in front of the next frame, and has 15 ms for the journal, the stream and the socket.
LIMIT = 1 / 25 + 0.015


def measure(options):
    """The figures of one round."""
    options.scratch.mkdir(parents=True, exist_ok=True)
    path = options.scratch / "figures.json"
    path.unlink(missing_ok=True)
    result = subprocess.run(
        [sys.executable, "-B", "-m", "proofs.live.latency", "--server", options.server, "--clip", options.clip, "--folder", options.scratch / "round", "--figures", path],
        capture_output=True, text=True)
    if result.returncode:
        sys.exit(f"failed: {result.stdout}{result.stderr}")
    return json.loads(path.read_text())


def main():
    parser = history.parser("Measures the latency of live events.")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--server", required=True)
    parser.add_argument("--clip", required=True, type=Path)
    options = parser.parse_args()
    earlier = history.read(options.history)
    rounds = [measure(options) for _ in range(options.rounds)]
    memory = max(figures["memory"] for figures in rounds) / 1e6
    status, rows = 0, []
    print("| POST to the tag's bytes | ms | in the rounds | at most | ratio | before | peak MB |\n|---|---:|---:|---:|---:|---:|---:|")
    for name, what in (("p50", "half of the events"), ("p99", "99 of 100")):
        seconds = statistics.median(figures[name] for figures in rounds)
        ratio, before = seconds / LIMIT, remembered(earlier, f"live-{name}")
        is_missed, is_worse = ratio > 1, before is not None and ratio > before * REGRESSION
        status = status or int(is_missed)
        print(
            f"| {what} | {seconds * 1000:.1f} | {', '.join(f'{figures[name] * 1000:.1f}' for figures in rounds)} | {LIMIT * 1000:.0f}{' **missed**' if is_missed else ''} "
            f"| {ratio:.2f} | {f'{before:.2f}' if before else ''}{' **worse**' if is_worse else ''} | {memory:.1f} |")
        rows.append([
            datetime.date.today().isoformat(), options.commit, machine(), f"live-{name}", f"{seconds:.4f}", f"{LIMIT:.4f}", f"{ratio:.4f}", f"{memory:.1f}", ""])
    history.append(options.history, COLUMNS, rows)
    return status


if __name__ == "__main__":
    sys.exit(main())
