"""The dates of a live server's playlists: an encoder whose clock is wrong, a server that is stopped, and a network that holds back.

    python3 -m proofs.live.dates --server PROGRAM --folder FOR_ITS_FILES [--seconds 60] [--ppm 1000] [--only drift stop network]

Each access unit has a true date: that at which the sender sends it. The sender knows it, and this program compares.
"""

import datetime
import random
import signal
import socket
import time

from proofs.facts import prove_and_end
from proofs.live.playlists import Playlist
from proofs.live.server import Server, new_guid, udp
from proofs.processes import ffmpeg, free_port, in_background, wait_until
from proofs.stream import Stream
from proofs.transport import PACKET, signed

RATE, SEGMENT, LATE = 25, 2, 10
# How far dates may be from the truth, and events from their frames, in seconds.
BOUND, FRAME = 0.1, 1.5 / RATE


class Sender:
    """Sends a transport stream by UDP. Its clock is slower by so many millionths; what is in a hold, from one time to another, comes at its end."""

    def __init__(self, clip, port, ppm, hold=None):
        self.data, self.ppm, self.hold = clip.read_bytes(), ppm, hold
        self.video = Stream(self.data).video
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.address = ("127.0.0.1", port)
        self.started = self.monotonic = None
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
            start = end

    def passed(self, seconds):
        """How long the sender takes for a time of its clock."""
        return seconds * (1 + self.ppm / 1e6)

    def date(self, pts):
        """The true date of a picture."""
        return self.started + self.passed(signed(pts - self.video[0].pts) / 90_000)

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


def play(options, name, ppm, seconds, hold=None, stop_at=None):
    """Runs a stream to its end; returns what its client has seen, its events, and what the server says of its dates meanwhile."""
    folder = options.folder / name
    folder.mkdir()
    clip = folder / "clip.ts"
    ffmpeg("-f", "lavfi", "-i", f"testsrc=size=160x90:rate={RATE}:duration={seconds}", "-c:v", "libx264", "-preset", "veryfast", "-bf", "2", "-g", str(RATE), "-b:v", "50k",
           "-flags", "+cgop", "-pix_fmt", "yuv420p", "-muxdelay", "0", "-muxpreload", "0", "-flush_packets", "1", "-f", "mpegts", clip)
    port, chance, wanted = free_port(socket.SOCK_DGRAM), random.Random(1), {}
    with Server(options.server, udp(port), "--game", "dates", "--segment-duration", SEGMENT, "--window", 600, log=folder / "server.log") as server:
        sender = Sender(clip, port, ppm, hold)
        listing = Listing(server, sender)
        wait_until(lambda: server.now()["programmeDate"], 20, "the programme has a date")
        offsets = []
        while sender.thread.is_alive():
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
            if not stop_at and not (hold and passed < hold[1] + 1) and passed + 4 < seconds:
                guid, date = new_guid(chance), time.time() + 1.5
                status, answer = server.post({"event": "periodicInfo", "viewers": 1, "guid": guid, "wallClock": date_text(date)})
                assert status == 202, answer
                wanted[guid] = date
            time.sleep(0.7)
        time.sleep(1)
        events, metric = server.events(), server.metric("date_offset_seconds")
        listing.end()
        sender.end()
    apart = [sender.date(event["pts"]) - wanted[guid] for guid, event in events.items() if guid in wanted and event["pts"] is not None]
    return listing, apart, len(wanted), offsets, metric, (folder / "server.log").read_text()


def judge(listing, apart, wanted, least):
    assert not listing.problems, listing.problems[:3]
    errors = listing.errors
    assert len(errors) >= least, f"{len(errors)} segments were listed"
    assert max(map(abs, errors)) < BOUND, f"dates are between {min(errors):.3f} and {max(errors):.3f} s from the truth"
    assert len(apart) > wanted / 2 > 2 and -0.02 < min(apart) and max(apart) < FRAME, f"{len(apart)} of {wanted} events, {min(apart, default=0):.3f} to {max(apart, default=0):.3f} s from their dates"
    return (f"{len(errors)} segments, their dates within {max(map(abs, errors)) * 1000:.0f} ms of the truth; {len(apart)} events for a date, "
            f"{min(apart) * 1000:.0f} to {max(apart) * 1000:.0f} ms from it")


def run(lines, options):
    def drift():
        listing, apart, wanted, offsets, metric, log = play(options, "drift", options.ppm, options.seconds)
        line = judge(listing, apart, wanted, int(options.seconds / SEGMENT * 0.8))
        assert not any(segment.is_discontinuous for segment, _ in list(listing.segments.values())[1:]), "there is a discontinuity"
        assert "dates" not in log, log[-300:]
        assert max(map(abs, offsets)) < 1.2 and abs(metric) < 0.25, (min(offsets), max(offsets), metric)
        return f"a clock that is wrong by {options.ppm} millionths: {line}"

    def stop():
        return f"a server that is stopped for {LATE} s: " + judge(*play(options, "stop", 0, 30, stop_at=8)[:3], 5)

    def network():
        listing, apart, wanted, *_ = play(options, "network", 0, 36, hold=(8, 8 + LATE))
        line = judge(listing, apart, wanted, 14)
        gaps = sum(segment.is_gap for segment, _ in listing.segments.values())
        assert gaps, "no gap was listed"
        return f"a network that holds back {LATE} s, with {gaps} gaps: {line}"

    proofs = {"drift": drift, "stop": stop, "network": network}
    lines.prove_all("dates", {name: proofs[name] for name in options.only})


if __name__ == "__main__":
    prove_and_end(run, "server", seconds=60.0, ppm=1000.0, only={"drift": 0, "stop": 0, "network": 0})
