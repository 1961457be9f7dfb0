"""Measures the processor time and memory that one live stream takes by kind of its output, and prints a Markdown table.

    live_cost.py --rounds N --server PROGRAM [--before PROGRAM] --clip CLIP.ts --duration SECONDS --scratch FOLDER --history FILE --commit NAME [--seconds 20]

Each round is the clip again and again, at its own pace, into a folder with a playlist: as transport stream, as fragmented MP4, and both with parts. The
kinds take turns. An earlier build of the server may be named: it gets the same clip at the same time. The medians are a share of a core for each Mbit/s,
held against that of the transport stream and that of the earlier build, and appended to the history. Status 1 where a limit is missed.
"""

import contextlib
import datetime
import statistics
import sys
import time
from pathlib import Path

import history
from compare import COLUMNS, machine
from proofs.live.server import Server, cue
from proofs.processes import new_folder, processor_time, wait_until

KINDS = {
    "ts": ("transport stream", "--segment-type", "ts"),
    "fmp4": ("fragmented MP4", "--segment-type", "fmp4"),
    "ts-parts": ("transport stream with parts", "--segment-type", "ts", "--part-duration", "0.5"),
    "fmp4-parts": ("fragmented MP4 with parts", "--segment-type", "fmp4", "--part-duration", "0.5"),
}
# What fragmented MP4 may take of the transport stream's processor time, and any kind of what the earlier build took.
LIMIT = 1.1
EARLIER_LIMIT = 1.03
# The first segments and all that a process does once.
WARM_UP = 5


def measure(programs, kind, options):
    """For each program the share of a core, and the most memory in bytes."""
    with contextlib.ExitStack() as ends:
        servers = []
        for number, program in enumerate(programs):
            folder = new_folder(options.scratch / f"{kind}-{number}")
            servers.append(ends.enter_context(Server(
                program, options.clip, "--loop", "-o", folder / "www" / "index.m3u8", "--journal", folder / "journal", "--game", "cost", "--window", 20,
                *KINDS[kind][1:], log=folder / "server.log")))
        for server in servers:
            wait_until(server.is_ready, 20, "the input comes")
        time.sleep(WARM_UP)
        began, before = time.monotonic(), [processor_time(server.process) for server in servers]
        for number in range(options.seconds):
            time.sleep(max(began + number + 1 - time.monotonic(), 0))
            for server in servers:
                assert server.post(cue(number))[0] == 202
        lasted, after = time.monotonic() - began, [processor_time(server.process) for server in servers]
        memory = [server.resources()[1] for server in servers]
        for server in servers:
            server.stop()
    return [((late - early) / lasted, most) for early, late, most in zip(before, after, memory)]


def main():
    parser = history.parser("Measures what a live stream takes.")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--server", required=True)
    parser.add_argument("--before")
    parser.add_argument("--clip", required=True, type=Path)
    parser.add_argument("--duration", required=True, type=float, help="of the clip, in seconds")
    parser.add_argument("--seconds", type=int, default=20)
    options = parser.parse_args()
    rate = options.clip.stat().st_size * 8 / options.duration / 1e6
    programs = [options.server] + ([options.before] if options.before else [])
    shares = {kind: [[] for _ in programs] for kind in KINDS}
    memories = {kind: [0] * len(programs) for kind in KINDS}
    for _ in range(options.rounds):
        for kind in KINDS:
            for number, (share, memory) in enumerate(measure(programs, kind, options)):
                shares[kind][number].append(share / rate * 100)
                memories[kind][number] = max(memories[kind][number], memory / 1e6)
    status, rows = 0, []
    print(f"{rate:.1f} Mbit/s, with an event a second.\n")
    print("| output | % of a core for each Mbit/s | in the rounds | of the transport stream's | at most | earlier build | ratio | at most | peak MB | earlier |")
    print("|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|")
    medians = {kind: [statistics.median(values) for values in shares[kind]] for kind in KINDS}
    for kind, (what, *_) in KINDS.items():
        share, reference = medians[kind][0], medians["ts-parts" if kind == "fmp4-parts" else "ts"][0]
        ratio = share / reference
        is_limited = kind.startswith("fmp4")
        is_missed = is_limited and ratio > LIMIT
        earlier = medians[kind][1] if options.before else None
        is_worse = earlier is not None and share / earlier > EARLIER_LIMIT
        status = status or int(is_missed or is_worse)
        print(
            f"| {what} | {share:.3f} | {', '.join(f'{value:.3f}' for value in shares[kind][0])} | {ratio:.2f}{' **missed**' if is_missed else ''} "
            f"| {LIMIT if is_limited else ''} | {f'{earlier:.3f}' if earlier else ''} "
            f"| {f'{share / earlier:.2f}' if earlier else ''}{' **worse**' if is_worse else ''} | {EARLIER_LIMIT if earlier else ''} "
            f"| {memories[kind][0]:.1f} | {f'{memories[kind][1]:.1f}' if earlier else ''} |")
        rows.append([
            datetime.date.today().isoformat(), options.commit, machine(), f"live-cost-{kind}", f"{share:.4f}", f"{reference:.4f}", f"{ratio:.4f}",
            f"{memories[kind][0]:.1f}", f"{share / earlier:.4f}" if earlier else ""])
    history.append(options.history, COLUMNS, rows)
    return status


if __name__ == "__main__":
    sys.exit(main())
