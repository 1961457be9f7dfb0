"""The dates of a live server's playlists: an encoder whose clock is wrong, a server that is stopped, and a network that holds back.

    python3 -m proofs.live.dates --server PROGRAM --folder FOR_ITS_FILES [--seconds 60] [--ppm 1000] [--only drift stop network]

Each access unit has a true date: that at which the sender should send it. On a busy machine it sends late. A server can only know the earliest access unit of
the last minute, so dates may be late by as much as that one was, which the sender has recorded, and no more. An event may be late by as long as the server's threads
waited for a processor meanwhile, which the kernel has recorded.
"""

import contextlib
import dataclasses
import datetime
import random
import signal
import socket
import time

from proofs.facts import prove_and_end
from proofs.live.playlists import Playlist
from proofs.live.server import Server, new_guid, udp
from proofs.processes import ffmpeg, free_port, in_background, processor_waits, wait_until
from proofs.stream import Stream
from proofs.transport import PACKET, signed

RATE, SEGMENT, LATE = 25, 2, 10
# How far dates may be from the truth, and events from their frames, in seconds.
BOUND, FRAME = 0.1, 1.5 / RATE
# For how long the earliest access unit counts, in seconds.
MEMORY = 60
# Events are posted so long before their dates, in seconds, and count if so much is left when the answer comes.
LEAD, LEFT = 1.5, 0.7
# An access unit that is later than this may make a discontinuity, in seconds.
LATEST = 0.15


class Sender:
    """Sends a transport stream by UDP. Its clock is slower by so many millionths; what is in a hold, from one time to another, comes at its end."""

    def __init__(self, clip, port, ppm, hold=None):
        self.data, self.ppm, self.hold = clip.read_bytes(), ppm, hold
        self.video = Stream(self.data).video
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.address = ("127.0.0.1", port)
        self.started = self.monotonic = None
        # Of each access unit that was sent its time on the encoder's clock, and how much after its true date it was sent.
        self.sent = []
        self.is_running = True
        self.thread = in_background(self.run)

    def run(self):
        self.started, self.monotonic = time.time(), time.monotonic()
        offsets = [unit.offset for unit in self.video[1:]] + [len(self.data)]
        start = 0
        for unit, end in zip(self.video, offsets):
            at = (unit.dts - self.video[0].dts) / 90_000
            moment = at if not self.hold or not self.hold[0] <= at < self.hold[1] else self.hold[1]
            time.sleep(max(0, self.monotonic + self.passed(moment) - time.monotonic()))
            if not self.is_running:
                return
            for offset in range(start, end, 7 * PACKET):
                self.socket.sendto(self.data[offset:min(offset + 7 * PACKET, end)], self.address)
            self.sent.append((at, time.monotonic() - self.monotonic - self.passed(at)))
            start = end

    def passed(self, seconds):
        """How long the sender takes for a time of its clock."""
        return seconds * (1 + self.ppm / 1e6)

    def date(self, pts):
        """The true date of a picture."""
        return self.started + self.passed(signed(pts - self.video[0].pts) / 90_000)

    @property
    def late(self):
        """How late the earliest access unit of a minute was at most, in seconds."""
        sent = list(self.sent)
        ends = range(SEGMENT, int(sent[-1][0]) + SEGMENT + 1, SEGMENT)
        return max(min(late for at, late in sent if end - MEMORY <= at < end) for end in ends)

    def end(self):
        self.is_running = False
        self.thread.join(15)
        self.socket.close()


class Listing:
    """A client that reloads the playlist, and reads the first picture of each segment."""

    def __init__(self, server, sender):
        self.server, self.sender = server, sender
        self.problems, self.segments = [], {}
        self.is_running = True
        self.thread = in_background(self.run)

    def run(self):
        while self.is_running:
            try:
                self.look()
            except Exception as error:
                if self.is_running:
                    self.problems.append(f"{type(error).__name__}: {error}")
            time.sleep(0.3)

    def look(self):
        status, _, body = self.server.get("/live/live/media.m3u8")
        if status != 200:
            return
        playlist = Playlist(body.decode())
        # What the clock alone makes in a segment is corrected as well.
        playlist.check_dates(12 + abs(self.sender.ppm) * SEGMENT * 2 / 1000)
        for segment in playlist.segments:
            known = self.segments.get(segment.uri)
            if known:
                assert known[0].key == segment.key, f"{segment.uri} was listed differently before"
            elif segment.is_gap:
                self.segments[segment.uri] = segment, None
            else:
                first = Stream(self.server.get(f"/live/live/{segment.uri}")[2]).video[0]
                self.segments[segment.uri] = segment, segment.date / 1000 - self.sender.date(first.pts)

    def end(self):
        self.is_running = False
        self.thread.join(10)

    @property
    def errors(self):
        return [error for _, error in self.segments.values() if error is not None]


def date_text(date):
    return datetime.datetime.fromtimestamp(date, datetime.timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def play(options, name, ppm, seconds, least, hold=None, stop_at=None):
    """Runs a stream to its end. At least so many of its segments are listed."""
    folder = options.folder / name
    folder.mkdir()
    clip = folder / "clip.ts"
    ffmpeg("-f", "lavfi", "-i", f"testsrc=size=160x90:rate={RATE}:duration={seconds}", "-c:v", "libx264", "-preset", "veryfast", "-bf", "2", "-g", str(RATE), "-b:v", "50k",
           "-flags", "+cgop", "-pix_fmt", "yuv420p", "-muxdelay", "0", "-muxpreload", "0", "-flush_packets", "1", "-f", "mpegts", clip)
    port, chance, wanted = free_port(socket.SOCK_DGRAM), random.Random(1), {}
    with Server(options.server, udp(port), "--game", "dates", "--segment-duration", SEGMENT, "--window", 600, log=folder / "server.log") as server:
        ready = processor_waits(server.process)
        sender = Sender(clip, port, ppm, hold)
        listing = Listing(server, sender)
        wait_until(lambda: server.now()["programmeDate"], 20, "the programme has a date")
        offsets, lead = [], LEAD
        # How long the server had waited for a processor at which dates.
        waits = []
        while sender.thread.is_alive():
            waits.append((time.time(), processor_waits(server.process)))
            now = server.now()
            apart = (datetime.datetime.fromisoformat(now["programmeDate"]) - datetime.datetime.fromisoformat(now["wallClock"])).total_seconds()
            assert abs(apart - now["offset"]) < 0.0015, now
            offsets.append(now["offset"])
            if stop_at and time.monotonic() - sender.monotonic > stop_at:
                server.process.send_signal(signal.SIGSTOP)
                time.sleep(LATE)
                server.process.send_signal(signal.SIGCONT)
                stop_at = None
            # An event a little later, while frames are not late.
            passed = time.monotonic() - sender.monotonic
            if not stop_at and not (hold and passed < hold[1] + 1) and passed + 2.5 + lead < seconds:
                guid, date = new_guid(chance), time.time() + lead
                status, answer = server.post({"event": "periodicInfo", "viewers": 1, "guid": guid, "wallClock": date_text(date)})
                assert status == 202, answer
                # One that is accepted shortly before its date may be late. A busy machine gets more time.
                left = date - time.time()
                if left > LEFT:
                    wanted[guid] = date
                else:
                    lead += LEFT - left
            time.sleep(0.7)
        # What is missing then is the business of the proofs.
        with contextlib.suppress(AssertionError):
            wait_until(lambda: all(server.events()[guid]["pts"] is not None for guid in wanted), 10, "the events have their frames")
            wait_until(lambda: len(listing.errors) >= least, 10, "the segments are listed")
        events, metric = server.events(), server.metric("date_offset_seconds")
        waits.append((time.time(), processor_waits(server.process)))
        listing.end()
        sender.end()
    apart = [
        (sender.date(event["pts"]) - wanted[guid], waited(waits, wanted[guid] - lead, wanted[guid]))
        for guid, event in events.items() if guid in wanted and event["pts"] is not None]
    return Played(listing, sender, apart, waits[0][1] - ready, len(wanted), offsets, metric, (folder / "server.log").read_text())


def waited(waits, start, end):
    """For how long a server waited for a processor between two dates, as far as is known: since the last sample before, and until the first one after."""
    before = [waited for date, waited in waits if date <= start] or [waits[0][1]]
    after = [waited for date, waited in waits if date >= end] or [waits[-1][1]]
    return max(0, after[0] - before[-1])


@dataclasses.dataclass
class Played:
    """A stream that has ended: what its client has seen, how far each event was from its date and how long the server had waited for a processor, how long it
    waited while the stream began, how many events there were, and what the server said of its dates."""

    listing: Listing
    sender: Sender
    apart: list
    began: float
    wanted: int
    offsets: list
    metric: float
    log: str

    def judge(self, least):
        assert not self.listing.problems, self.listing.problems[:3]
        # A server that waits for a processor when the stream begins takes the first access units for later ones, and its dates come back slowly.
        errors, apart, late = self.listing.errors, self.apart, max(0, self.sender.late) + self.began
        assert len(errors) >= least, f"{len(errors)} segments were listed"
        told = f"; the earliest access unit of a minute was {late * 1000:.0f} ms late, or the server waited at the beginning" if late > 0.005 else ""
        assert -BOUND < min(errors) and max(errors) < BOUND + late, f"dates are between {min(errors):.3f} and {max(errors):.3f} s from the truth{told}"
        first, last = min(apart, default=(0, 0))[0], max(apart, default=(0, 0))[0]
        assert len(apart) > self.wanted / 2 > 2 and -0.02 - late < first and all(late < FRAME + waited for late, waited in apart), (
            f"{len(apart)} of {self.wanted} events, {first:.3f} to {last:.3f} s from their dates{told}: {[one for one in apart if one[0] >= FRAME + one[1]]}")
        told += f"; the server waited {max(waited for _, waited in apart):.2f} s for a processor" if last >= FRAME else ""
        return (f"{len(errors)} segments, their dates within {max(map(abs, errors)) * 1000:.0f} ms of the truth; {len(apart)} events for a date, "
                f"{first * 1000:.0f} to {last * 1000:.0f} ms from it{told}")


def run(lines, options):
    def drift():
        least = int(options.seconds / SEGMENT * 0.8)
        played = play(options, "drift", options.ppm, options.seconds, least)
        line = played.judge(least)
        late, latest = played.sender.late, max(late for _, late in played.sender.sent)
        if late < LATEST:
            assert not any(segment.is_discontinuous for segment, _ in list(played.listing.segments.values())[1:]), "there is a discontinuity"
            assert "dates" not in played.log, played.log[-300:]
        offsets, metric = played.offsets, played.metric
        assert max(map(abs, offsets)) < 1.2 + latest and abs(metric) < 0.25 + late, (min(offsets), max(offsets), metric, latest)
        return f"a clock that is wrong by {options.ppm} millionths: {line}"

    def stop():
        return f"a server that is stopped for {LATE} s: " + play(options, "stop", 0, 30, 5, stop_at=8).judge(5)

    def network():
        played = play(options, "network", 0, 36, 14, hold=(8, 8 + LATE))
        line = played.judge(14)
        gaps = sum(segment.is_gap for segment, _ in played.listing.segments.values())
        assert gaps, "no gap was listed"
        return f"a network that holds back {LATE} s, with {gaps} gaps: {line}"

    proofs = {"drift": drift, "stop": stop, "network": network}
    lines.prove_all("dates", {name: proofs[name] for name in options.only})


if __name__ == "__main__":
    prove_and_end(run, "server", seconds=60.0, ppm=1000.0, only={"drift": 0, "stop": 0, "network": 0})
