"""Lets a live server run for a day of programme, faster than it would be, and proves that it needs no more at the end than at the beginning, one line
a fact.

    python3 -m proofs.live.long --server PROGRAM --day STREAM.ts --folder FOR_ITS_FILES [--hours 24] [--pace 20] [--segment-type ts] [--seed 1]

STREAM lasts at least so many hours, and its clock begins shortly before 33 bits are full. Events are posted all along.
"""

import random
import statistics
import subprocess
import time

from proofs.facts import prove_and_end
from proofs.live.playlists import Watch
from proofs.live.server import FRAME, Server, cue, new_guid
from proofs.processes import in_background, reserved_by, wait_until
from proofs.stream import Stream
from proofs.transport import PACKET, WRAP, signed

# What the process may have in use, in bytes.
MOST_MEMORY = 64 << 20
# By how much the last quarter may need more than the second one: what is remembered of events, and what the allocator does.
MOST_GROWTH = 8 << 20
# The same of what it has reserved and need not have in use: threads have stacks and pools of memory of their own.
MOST_RESERVED_GROWTH = 32 << 20
# Seconds of programme between two events.
INTERVAL = 10


class Output(Stream):
    """The output while it comes: counts frames, and keeps nothing but what is wrong and when each event came first."""

    def __init__(self, pipe):
        super().__init__()
        self.pipe = pipe
        self.frames = self.rounds = self.copies = self.wraps = 0
        self.last = self.origin = None
        self.firsts, self.problems = {}, []
        self.thread = in_background(self.run)

    def run(self):
        rest = b""
        try:
            while data := self.pipe.read1(1 << 16):
                rest += data
                size = len(rest) // PACKET * PACKET
                self.push(rest[:size])
                rest = rest[size:]
                self.look()
        except Exception as error:
            self.problems.append(f"{type(error).__name__}: {error}")
            # The server must not wait for its output to be read.
            while self.pipe.read1(1 << 16):
                pass

    def look(self):
        for video in self.video:
            if self.last is not None:
                step = signed(video.dts - self.last)
                self.wraps += video.dts < self.last and step > 0
                # The clip begins again behind a frame that is missing.
                self.rounds += step == 2 * FRAME
                if step not in (FRAME, 2 * FRAME):
                    self.problems.append(f"behind {self.frames} frames {step} ticks to the next one")
            if video.is_discontinuous:
                self.problems.append(f"frame {self.frames} says that it is discontinuous")
            self.last = video.dts
            self.frames += 1
        for tag in self.tags:
            self.copies += 1
            # The clock at the timeline's origin is the same all day.
            origin = (tag.pts - round((float(tag.event["at"]) + float(tag.event["age"])) * 90_000)) % WRAP
            self.origin = origin if self.origin is None else self.origin
            if abs(signed(origin - self.origin)) > 2:
                self.problems.append(f"{tag.guid} is {signed(origin - self.origin)} ticks off the timeline")
            self.firsts.setdefault(tag.guid, (int(tag.event["sequence"]), float(tag.event["at"])))
        self.video.clear()
        self.tags.clear()


class Poster:
    """Posts an event at every so many seconds of programme, as a game would."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.accepted, self.other = [], []
        self.round = 0

    def post(self, server, at):
        self.round += 1
        number, kind = self.round // 3 + 1, self.round % 3
        if kind == 1:
            event = {"event": "askQuestion", "question": f"How many are {number} and {number}?", "answers": [f"{number}", f"{2 * number}", "0x"], "correct": "0x", "allottedTime": 5}
        elif kind == 2:
            event = {"event": "showResults", "counts": [self.random.randrange(10_000) for _ in range(3)]}
        else:
            event = cue(self.random.randrange(1_000_000))
        guid = new_guid(self.random)
        status, answer = server.post(event | {"guid": guid} | ({"at": at + 3, "late": "next"} if self.round % 5 == 0 else {}))
        if status == 202:
            self.accepted.append(guid)
        else:
            self.other.append((status, answer))


def run(lines, options):
    folder = options.folder
    seconds = options.hours * 3600
    poster, watch, samples = Poster(options.seed), Watch(check_segments=False), []
    with Server(
            options.server, options.day, "--pace", options.pace, "--duration", seconds, "--window", 12, "--segment-type", options.segment_type, "-o", "-", "-o", folder / "hls" / "index.m3u8", "--journal", folder / "journal",
            "--game", "long", stdout=subprocess.PIPE, log=folder / "server.log") as server:
        output = Output(server.process.stdout)
        watch.begin(server.port)
        wait_until(server.is_ready, 20, "the input comes")
        assert server.post({"event": "startGame", "title": "Long"}, "?wait=placed")[0] == 202
        next_post = next_sample = 0
        while True:
            at = server.now()["at"]
            # The rest is for what was posted last to come into the stream.
            if at >= seconds - 10:
                break
            if at >= next_post:
                poster.post(server, at)
                next_post += INTERVAL
            if at >= next_sample:
                samples.append((at, *server.resources(), reserved_by(server.process)))
                next_sample = at + seconds / 400
            time.sleep(0.05)
        events = server.events()
        watch.is_running = False
        server.process.wait(timeout=60)
        output.thread.join(20)
        status = server.process.returncode
    watch.end()
    (folder / "resources.csv").write_text("at,resident,most,descriptors,reserved\n" + "".join(f"{at:.1f},{','.join(map(str, values))}\n" for at, *values in samples))
    quarters = [[sample for sample in samples if number * seconds / 4 <= sample[0] < (number + 1) * seconds / 4] for number in range(4)]

    def memory():
        resident = [statistics.median(sample[1] for sample in quarter) for quarter in quarters]
        most = max(sample[2] for sample in samples)
        text = (f"at most {most / 1048576:.1f} MB in use, of {MOST_MEMORY >> 20}; medians of the quarters " + ", ".join(f"{value / 1048576:.1f}" for value in resident) + " MB")
        assert most <= MOST_MEMORY, text
        # Two quarters lie between the middles of these.
        growth = resident[3] - resident[1]
        text += f"; {growth / 1048576:.1f} MB more in the last quarter than in the second one, of {MOST_GROWTH >> 20}, with {len(poster.accepted) // 2} more events to remember"
        assert growth <= MOST_GROWTH, text
        reserved = [statistics.median(sample[4] for sample in quarter) for quarter in quarters]
        growth = reserved[3] - reserved[1]
        text += f"; {growth / 1048576:.1f} MB more are reserved, of {MOST_RESERVED_GROWTH >> 20}"
        assert growth <= MOST_RESERVED_GROWTH, text
        return text

    def descriptors():
        # The least of a quarter: what is always open. A segment's file or a request is open half of the time.
        counts = [min(sample[3] for sample in quarter) for quarter in quarters]
        assert counts[3] <= counts[1], f"the least of each quarter {counts}"
        return f"{counts[1]} descriptors in the second quarter, {counts[3]} in the last one, {max(sample[3] for sample in samples)} at most"

    def output_is_whole():
        assert not output.problems, f"{len(output.problems)}: " + "; ".join(output.problems[:3])
        assert not output.errors, f"{len(output.errors)} errors of continuity counters: {output.errors[:3]}"
        assert output.wraps >= 1, "the clock did not begin anew"
        # A round lasts a minute.
        assert output.rounds <= seconds // 60, f"{output.rounds} rounds of the clip"
        assert output.frames + output.rounds >= seconds * 90_000 // FRAME, f"{output.frames} frames in {seconds} s"
        return f"{output.frames} frames one after the other, the clock begins anew {output.wraps} time; no continuity error"

    def events_are_there():
        assert not poster.other, f"{len(poster.other)} other answers: {poster.other[:2]}"
        missing = [guid for guid in poster.accepted if guid not in output.firsts]
        assert not missing, f"{len(missing)} of {len(poster.accepted)} are not in the stream: {[events[guid]['state'] for guid in missing[:5]]}"
        places = [place for place, _ in output.firsts.values()]
        assert places == list(range(1, len(places) + 1)), "places are missing or in another order"
        wrong = [guid for guid in poster.accepted if events[guid]["state"] not in ("placed", "published")]
        assert not wrong, f"the server says otherwise of {len(wrong)}"
        return f"all {len(poster.accepted)} events are in the stream, in {output.copies} copies, places 1 to {len(places)}"

    def playlists():
        assert not watch.problems, f"{len(watch.problems)}: " + "; ".join(watch.problems[:5])
        assert not any(segment.is_discontinuous or segment.is_gap for segment in watch.last.segments) and watch.last.discontinuity_sequence == 0, "the playlist says that the stream is discontinuous"
        return f"{watch.versions} versions keep the rules, up to segment {watch.last.segments[-1].number}"

    def folder_is_small():
        files = list((folder / "hls").iterdir())
        # In fragmented MP4, audio has segments of its own.
        audio = [file for file in files if "-audio" in file.name]
        counts = (len(files) - len(audio), len(audio))
        assert max(counts) <= 40, f"{counts[0]} files, and {counts[1]} of audio"
        return f"{len(files)} files in the folder of segments; the journal has {(folder / 'journal').stat().st_size / 1048576:.1f} MB"

    def ends():
        assert status == 0, f"status {status}"
        return f"status {status} at the end of {seconds} s"

    lines.prove_all(f"{options.hours:g} hours ({options.segment_type})", [
        ("memory", memory), ("descriptors", descriptors), ("stream", output_is_whole), ("events", events_are_there), ("playlists", playlists),
        ("folder", folder_is_small), ("end", ends)])


if __name__ == "__main__":
    prove_and_end(run, "server", "day", hours=24.0, pace=20.0, segment_type="ts", seed=1)
