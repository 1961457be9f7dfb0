"""Measures the processor time and memory that one live stream takes by kind of its output, and prints a Markdown table.

    live_cost.py --rounds N --server PROGRAM [--before PROGRAM] --clip CLIP.ts --duration SECONDS --scratch FOLDER --history FILE --commit NAME [--seconds 20]

Each round is the clip again and again, at its own pace, into a folder with a playlist: as transport stream, as fragmented MP4, and both with parts. Each
kind has a server of its own, and all of them run side by side, so that other load on the machine affects them alike. An earlier build may be named: it
does the same at the same time. The
medians are a share of a core for each Mbit/s, held against that of the transport stream and that of the earlier build in the same round, and appended to the
history. Status 1 where a limit is missed.
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


def measure(programs, options):
    """For each kind and program the share of a core, and the most memory in bytes, while all of them run beside each other."""
    with contextlib.ExitStack() as ends:
        servers = {}
        for kind, (_, *arguments) in KINDS.items():
            for number, program in enumerate(programs):
                folder = new_folder(options.scratch / f"{kind}-{number}")
                servers[kind, number] = ends.enter_context(Server(
                    program, options.clip, "--loop", "-o", folder / "www" / "index.m3u8", "--journal", folder / "journal", "--game", "cost",
                    "--window", 20, *arguments, log=folder / "server.log"))
        for server in servers.values():
            wait_until(server.is_ready, 20, "the input comes")
        time.sleep(WARM_UP)
        began, before = time.monotonic(), {key: processor_time(server.process) for key, server in servers.items()}
        for number in range(options.seconds):
            time.sleep(max(began + number + 1 - time.monotonic(), 0))
            for server in servers.values():
                assert server.post(cue(number))[0] == 202
        lasted, after = time.monotonic() - began, {key: processor_time(server.process) for key, server in servers.items()}
        memory = {key: server.resources()[1] for key, server in servers.items()}
        for server in servers.values():
            server.stop()
    return {key: ((after[key] - before[key]) / lasted, memory[key]) for key in servers}


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
    rounds = [measure(programs, options) for _ in range(options.rounds)]

    def shares(kind, number=0):
        return [share[kind, number][0] / rate * 100 for share in rounds]

    def ratio(kind, other):
        """What a kind takes of what another one takes in the same round."""
        return statistics.median(one / two for one, two in zip(shares(*kind), shares(*other)))

    status, rows = 0, []
    print(f"{rate:.1f} Mbit/s, with an event a second; all beside each other in each round, and medians of the rounds and of their ratios.\n")
    print("| output | % of a core for each Mbit/s | in the rounds | of the transport stream's | at most | earlier build | ratio | at most | peak MB | earlier |")
    print("|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|")
    for kind, (what, *_) in KINDS.items():
        plain = "ts-parts" if kind == "fmp4-parts" else "ts"
        share, reference, of_plain = statistics.median(shares(kind)), statistics.median(shares(plain)), ratio((kind, 0), (plain, 0))
        is_limited = kind.startswith("fmp4")
        is_missed = is_limited and of_plain > LIMIT
        earlier = statistics.median(shares(kind, 1)) if options.before else None
        of_earlier = ratio((kind, 0), (kind, 1)) if options.before else None
        is_worse = of_earlier is not None and of_earlier > EARLIER_LIMIT
        status = status or int(is_missed or is_worse)
        memories = [max(share[kind, number][1] for share in rounds) / 1e6 for number in range(len(programs))]
        print(
            f"| {what} | {share:.3f} | {', '.join(f'{value:.3f}' for value in shares(kind))} | {of_plain:.2f}{' **missed**' if is_missed else ''} "
            f"| {LIMIT if is_limited else ''} | {f'{earlier:.3f}' if earlier else ''} "
            f"| {f'{of_earlier:.2f}' if earlier else ''}{' **worse**' if is_worse else ''} | {EARLIER_LIMIT if earlier else ''} "
            f"| {memories[0]:.1f} | {f'{memories[1]:.1f}' if earlier else ''} |")
        rows.append([
            datetime.date.today().isoformat(), options.commit, machine(), f"live-cost-{kind}", f"{share:.4f}", f"{reference:.4f}", f"{of_plain:.4f}",
            f"{memories[0]:.1f}", f"{of_earlier:.4f}" if earlier else ""])
    history.append(options.history, COLUMNS, rows)
    return status


if __name__ == "__main__":
    sys.exit(main())
