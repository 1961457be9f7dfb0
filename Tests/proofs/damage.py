"""Reads damaged streams with cuelight and proves that it neither crashes nor hangs nor takes damage for an event, and prints a line for each fact.

    python3 -m proofs.damage --cuelight PROGRAM --folder FOR_ITS_FILES --video VIDEO --cues CUES [--count 10000] [--seed 1]

Streams and presentations are flipped, cut, spliced, and have blocks repeated, moved and blanked. Every event that is read must be one of those
that were stamped, byte for byte. The same seed gives the same damage.
"""

import json
import os
import random
import shutil
import subprocess
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

from proofs.facts import prove_and_end

# The most seconds and bytes that a reading may take: a longer one hangs, and a larger one has no bound on its memory.
LONGEST = 30
LARGEST_RSS = 128 << 20
# The expected statuses: read; no stream; a file that is missing; a part that cannot be read.
STATUSES = {0, 1, 65, 66, 74}
TIMESTAMP_OWNER = b"com.apple.streaming.transportStreamTimestamp\0"


def synchsafe(size):
    return bytes(size >> shift & 0x7F for shift in (21, 14, 7, 0))


def tags(data):
    """The ID3 tags of version 2.4 in some bytes."""
    start = data.find(b"ID3\x04\x00")
    while start >= 0:
        size = sum((byte & 0x7F) << shift for byte, shift in zip(data[start + 6:start + 10], (21, 14, 7, 0)))
        yield data[start:start + 10 + size]
        start = data.find(b"ID3\x04\x00", start + 10)


def packed_audio(audio, events):
    """Frames of AAC behind a tag with their timestamp, with the events' tags between them (RFC 8216, 3.4)."""
    private = TIMESTAMP_OWNER + (900_000).to_bytes(8, "big")
    frame = b"PRIV" + synchsafe(len(private)) + b"\0\0" + private
    output = b"ID3\x04\0\0" + synchsafe(len(frame)) + frame
    position, waiting = 0, list(events)
    while position + 7 <= len(audio):
        size = (audio[position + 3] & 3) << 11 | audio[position + 4] << 3 | audio[position + 5] >> 5
        output += audio[position:position + size]
        position += size
        if waiting:
            output += waiting.pop(0)
    assert not waiting, "the audio is too short for the events"
    return output


class Originals:
    """What is damaged: files, and folders of presentations with the playlist that is read."""

    def __init__(self, cuelight, folder, video, cues):
        self.cuelight = cuelight
        key = folder / "key"
        key.touch(mode=0o600)
        key.write_bytes(bytes(range(32)))
        for output, options in (("show.ts", []), ("ts/index.m3u8", []), ("cmaf/index.m3u8", ["--segment-type", "fmp4"])):
            (folder / output).parent.mkdir(exist_ok=True)
            subprocess.run([cuelight, "stamp", video, "--cues", cues, "--seal-key", key, "--reproducible", "--force", "-o", folder / output, *options],
                           check=True, stdout=subprocess.DEVNULL)
        media = folder / "cmaf"
        parts = [media / "index-segment-init.mp4", *sorted(media.glob("index-segment-*.m4s"))]
        fragments = b"".join(path.read_bytes() for path in parts)
        audio = subprocess.run(["ffmpeg", "-nostdin", "-v", "error", "-i", video, "-vn", "-c:a", "aac", "-f", "adts", "-"],
                               check=True, stdout=subprocess.PIPE).stdout
        self.files = {
            "transport stream": (folder / "show.ts").read_bytes(),
            "fragmented MP4": fragments,
            "packed audio": packed_audio(audio, tags(fragments)),
        }
        self.folders = {
            f"presentation of {name}": {path.name: path.read_bytes() for path in sorted((folder / source).iterdir())}
            for name, source in (("transport streams", "ts"), ("fragmented MP4", "cmaf"))
        }
        self.kinds = [*self.files, *self.folders]
        self.events = set()
        for data in self.files.values():
            whole = folder / "whole"
            whole.write_bytes(data)
            found = list(events(subprocess.run(
                [cuelight, "inspect", "--json", whole], check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout))
            assert found, "an original has no events"
            self.events |= {event for event, _ in found}


def events(output):
    """The events of what `inspect --json` prints, as they are printed, each with whether it was verified."""
    for line in output.splitlines():
        if line.startswith(b'{"type":"copy"'):
            yield line.split(b',"event":', 1)[1][:-1], json.loads(line)["verified"]


def damaged(data, other, chance):
    """Some bytes with damage of one kind or several."""
    data = bytearray(data)
    for _ in range(chance.randint(1, 3)):
        if not data:
            break
        start = chance.randrange(len(data))
        length = int(2 ** chance.uniform(0, 16))
        block = data[start:start + length]
        kind = chance.choice(("flip", "flip", "flip", "cut", "end", "splice", "repeat", "move", "blank"))
        if kind == "flip":
            for _ in range(max(1, int(len(data) * 8 * 10 ** chance.uniform(-7, -3)))):
                data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
        elif kind == "cut":
            del data[start:start + length]
        elif kind == "end":
            del data[start:]
        elif kind == "splice":
            begin = chance.randrange(len(other))
            data[start:start] = other[begin:begin + length]
        elif kind == "repeat":
            data[start:start] = block
        elif kind == "move":
            del data[start:start + length]
            place = chance.randrange(len(data) + 1)
            data[place:place] = block
        else:
            data[start:start + length] = bytes(chance.choice((0, 0xFF)) for _ in range(1)) * len(block)
    return bytes(data)


def prepare(originals, kind, chance, folder):
    """Writes a damaged stream or presentation; returns what is to be read."""
    other = originals.files[chance.choice(list(originals.files))]
    if kind in originals.files:
        path = folder / "stream"
        path.write_bytes(damaged(originals.files[kind], other, chance))
        return path
    files = originals.folders[kind]
    chosen = set(chance.sample(sorted(files), chance.randint(1, 3)))
    for name, data in files.items():
        if name in chosen:
            data = damaged(data, other, chance)
            # A playlist without an end would be waited for.
            data += b"\n#EXT-X-ENDLIST\n" if name.endswith(".m3u8") and name != "index.m3u8" else b""
        (folder / name).write_bytes(data)
    return folder / "index.m3u8"


def read(originals, number, seed, top):
    """Damages and reads one stream; returns its kind, the events that were read, what is wrong, its memory and its time."""
    chance = random.Random(f"{seed}/{number}")
    kind = originals.kinds[number % len(originals.kinds)]
    folder = top / f"{number}"
    folder.mkdir()
    try:
        path = prepare(originals, kind, chance, folder)
        start = time.monotonic()
        with open(folder / "printed", "wb") as printed:
            process = subprocess.Popen(
                [originals.cuelight, "inspect", "--json", path], stdin=subprocess.DEVNULL, stdout=printed, stderr=subprocess.DEVNULL)
            timer = threading.Timer(LONGEST, process.kill)
            timer.start()
            _, status, usage = os.wait4(process.pid, 0)
            timer.cancel()
            process.returncode = os.waitstatus_to_exitcode(status)
        spent = time.monotonic() - start
        problems = []
        if spent >= LONGEST:
            problems.append(f"hangs: not done after {LONGEST} s")
        elif process.returncode not in STATUSES:
            problems.append(f"ends with status {process.returncode}")
        memory = usage.ru_maxrss * 1024
        if memory > LARGEST_RSS:
            problems.append(f"takes {memory >> 20} MiB")
        count = 0
        for event, verified in events((folder / "printed").read_bytes()):
            count += 1
            if event not in originals.events or not verified:
                problems.append(f"false event: {event.decode(errors='replace')}")
        return kind, count, problems, memory, spent
    finally:
        shutil.rmtree(folder)


def run(lines, options):
    originals = Originals(options.cuelight, options.folder, options.video, options.cues)
    streams, copies, problems, memory, slowest = Counter(), Counter(), [], 0, 0
    with ThreadPoolExecutor(os.cpu_count()) as workers:
        readings = workers.map(lambda number: read(originals, number, options.seed, options.folder), range(options.count))
        for number, (kind, count, found, used, spent) in enumerate(readings):
            streams[kind] += 1
            copies[kind] += count
            memory, slowest = max(memory, used), max(slowest, spent)
            problems += [f"stream {number} ({kind}): {problem}" for problem in found]
    for kind in originals.kinds:
        print(f"    {streams[kind]} times {kind}: {copies[kind]} copies of events read")
    for problem in problems[:20]:
        lines.fails(problem)
    if not problems:
        lines.fact(
            f"{options.count} damaged streams, seed {options.seed}: no crash, no hang (the slowest took {slowest:.1f} s), no false event, "
            f"at most {memory >> 20} MiB")


if __name__ == "__main__":
    prove_and_end(run, "cuelight", "video", "cues", count=10_000, seed=1)
