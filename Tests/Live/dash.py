"""Lets players of MPEG-DASH watch a live server while it runs: a client that reads the MPD, and FFmpeg.

    python dash.py --server PROGRAM --folder FOR_ITS_FILES [--seconds 20] [--seed 1]

The publisher goes once and comes back, so that there is a second period.
"""

import datetime
import random
import re
import shutil
import socket
import subprocess
import threading
import time
import urllib.parse
import xml.etree.ElementTree as ElementTree

from clock import RATE, ClockPublisher
from live import Server, cue, free_port, new_guid, proof_parser, prove_and_end, udp, wait_until

NAMESPACE = {"": "urn:mpeg:dash:schema:mpd:2011"}
SEGMENT = 2
ID3 = "https://aomedia.org/emsg/ID3"


def seconds_of(duration):
    """A duration of XML Schema that has seconds only."""
    return float(re.fullmatch(r"PT([\d.]+)S", duration)[1])


class Client:
    """Reads the MPD again and again, and loads every segment that it lists."""

    def __init__(self, server):
        self.server, self.problems, self.files, self.starts, self.periods, self.texts = server, [], {}, {}, {}, []
        self.is_running = True
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()

    def run(self):
        try:
            while self.is_running:
                self.look()
                time.sleep(0.5)
        except Exception as error:
            if self.is_running:
                self.problems.append(f"{type(error).__name__}: {error}")

    def get(self, name):
        status, headers, body = self.server.get(urllib.parse.urljoin("/live/live/index.mpd", name))
        assert status == 200, (status, name)
        return headers, body

    def look(self):
        headers, body = self.get("index.mpd")
        assert headers["Content-Type"] == "application/dash+xml", headers
        text = body.decode()
        if self.texts and self.texts[-1] == text:
            return
        self.texts.append(text)
        mpd = ElementTree.fromstring(text)
        assert mpd.get("type") == "dynamic" and mpd.get("availabilityStartTime") == "1970-01-01T00:00:00Z"
        clock = mpd.find("UTCTiming", NAMESPACE)
        assert clock.get("schemeIdUri") == "urn:mpeg:dash:utc:http-iso:2014"
        now = datetime.datetime.fromisoformat(self.get(clock.get("value"))[1].decode()).timestamp()
        if abs(now - time.time()) > 1:
            self.problems.append(f"the clock is {now - time.time():.1f} s off")
        for period in mpd.findall("Period", NAMESPACE):
            start = seconds_of(period.get("start"))
            if self.periods.setdefault(period.get("id"), start) != start:
                self.problems.append(f"period {period.get('id')} starts elsewhere")
            for number, adaptation in enumerate(period.findall("AdaptationSet", NAMESPACE)):
                stream = adaptation.find("InbandEventStream", NAMESPACE)
                if (stream is not None and stream.get("schemeIdUri") == ID3) != (number == 0):
                    self.problems.append("the events are announced elsewhere")
                for representation in adaptation.findall("Representation", NAMESPACE):
                    assert representation.get("codecs") and int(representation.get("bandwidth")) > 1000, text
                    self.load(start, representation.find("SegmentTemplate", NAMESPACE))

    def load(self, period, template):
        number, end = int(template.get("startNumber")), None
        scale, offset = int(template.get("timescale")), int(template.get("presentationTimeOffset"))
        initialization = template.get("initialization")
        if initialization not in self.files:
            self.files[initialization] = self.get(initialization)[1]
        for entry in template.find("SegmentTimeline", NAMESPACE).findall("S", NAMESPACE):
            at = int(entry.get("t", end))
            for _ in range(int(entry.get("r", 0)) + 1):
                name = template.get("media").replace("$Number$", str(number))
                self.starts[name] = period + (at - offset) / scale
                if name not in self.files:
                    self.files[name] = self.get(name)[1]
                number, at = number + 1, at + int(entry.get("d"))
            end = at


def run(lines, options):
    folder = options.folder
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    chance, posted, listed = random.Random(options.seed), [], {}
    port = free_port(socket.SOCK_DGRAM)
    with Server(
            options.server, udp(port), "-o", folder / "www" / "index.m3u8", "--journal", folder / "journal", "--game", "dash", "--segment-duration", SEGMENT,
            "--segment-type", "fmp4", log=folder / "server.log") as server:
        address = f"http://127.0.0.1:{server.port}/live/live/index.mpd"
        publisher = ClockPublisher(udp(port), folder / "publisher.log")
        wait_until(lambda: server.get("/live/live/index.mpd")[0] == 200, 30, "an MPD")
        client = Client(server)
        time.sleep(2 * SEGMENT)
        # The demuxer of an FFmpeg with libxml2: wheels of FFmpeg have none.
        ffmpeg = subprocess.Popen(
            ["ffmpeg", "-nostdin", "-v", "error", "-y", "-i", address, "-t", str(options.seconds / 2), "-map", "0:v:0", "-f", "framemd5", folder / "frames.txt"],
            stderr=open(folder / "ffmpeg.log", "wb"))

        def post(seconds):
            end = time.monotonic() + seconds
            while time.monotonic() < end:
                guid = new_guid(chance)
                assert server.post(cue(len(posted) + 1) | {"guid": guid})[0] == 202
                posted.append(guid)
                time.sleep(chance.uniform(0.1, 0.4))

        post(options.seconds)
        try:
            ffmpeg.wait(10)
        except subprocess.TimeoutExpired:
            ffmpeg.kill()
            ffmpeg.wait()
        publisher.__exit__()
        wait_until(lambda: b"EXT-X-GAP" in server.get("/live/live/media.m3u8")[2], 20, "a gap")
        with ClockPublisher(udp(port), folder / "publisher.log"):
            wait_until(lambda: len(client.periods) > 1, 20, "a second period")
            post(3 * SEGMENT)
            time.sleep(2 * SEGMENT)
            date = None
            for line in server.get("/live/live/media.m3u8")[2].decode().splitlines():
                if line.startswith("#EXT-X-PROGRAM-DATE-TIME:"):
                    date = datetime.datetime.fromisoformat(line.partition(":")[2]).timestamp()
                elif line and not line.startswith("#"):
                    listed[line] = date
            upcoming = max((name for name in client.files if re.fullmatch(r"\w+-\d+\.m4s", name)), key=lambda name: int(name.split("-")[1][:-4]))
            number = int(upcoming.split("-")[1][:-4])
            early = server.get(f"/live/live/{upcoming.split('-')[0]}-{number + 1}.m4s")[0]
        client.is_running = False
        client.thread.join(10)
        server.stop()
    last = (folder / "www" / "index.mpd").read_text()

    def listing():
        assert not client.problems, client.problems[:3]
        apart = [abs(client.starts[name] - date) for name, date in listed.items() if name in client.starts]
        assert len(apart) >= 3 and max(apart) < 0.0025, (len(apart), max(apart, default=None))
        assert early == 200, early
        ended = ElementTree.fromstring(last)
        assert ended.get("minimumUpdatePeriod") is None and ended.get("mediaPresentationDuration") and "UTCTiming" not in last, last[:400]
        return (f"{len(client.texts)} states of the MPD, {len(client.periods)} periods, {len(client.files)} files; the dates are those of HLS within {max(apart) * 1000:.1f} ms; "
                "who asks for the next segment waits for it")

    def events():
        found = {guid.decode() for body in client.files.values() if b"emsg" in body for guid in re.findall(rb'"guid":"([^"]+)"', body)}
        missing = [guid for guid in posted if guid not in found]
        assert not missing, f"{len(missing)} of {len(posted)} events are in no emsg box"
        return f"the emsg boxes of the segments that it lists have all {len(posted)} events"

    def plays_ffmpeg():
        frames = [line for line in (folder / "frames.txt").read_text().splitlines() if not line.startswith("#")]
        hashes = [line.rpartition(",")[2] for line in frames]
        assert len(frames) >= options.seconds / 2 * RATE * 0.9, (len(frames), (folder / "ffmpeg.log").read_text()[-400:])
        assert len(set(hashes)) == len(hashes), "pictures come twice"
        return f"FFmpeg plays {len(frames)} pictures, each once"

    for name, body in [("listing", listing), ("events", events), ("FFmpeg", plays_ffmpeg)]:
        lines.prove(f"MPEG-DASH, {name}", body)


def main():
    parser = proof_parser()
    parser.add_argument("--seconds", type=float, default=20)
    prove_and_end(run, parser)


if __name__ == "__main__":
    main()
