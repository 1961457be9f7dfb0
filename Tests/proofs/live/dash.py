"""Lets players of MPEG-DASH watch a live server while it runs: a client that reads the MPD, FFmpeg, and video.js in Chromium.

    python3 -m proofs.live.dash --server PROGRAM --cuelight PROGRAM --folder FOR_ITS_FILES [--library FOLDER] [--seconds 20] [--seed 1]

The library is that of Tests/proofs/players/dash.txt; without it no browser watches. The picture shows the clock. The publisher goes once and comes back, so that
there is a second period.
"""

import contextlib
import datetime
import itertools
import json
import random
import re
import socket
import subprocess
import time
import urllib.parse
import xml.etree.ElementTree as ElementTree

from proofs.facts import as_path, prove_and_end
from proofs.live.clock import RATE, ClockPublisher
from proofs.live.players import WebPlayer
from proofs.live.server import Server, cue, new_guid, udp
from proofs.processes import free_port, in_background, ordinary, wait_until

NAMESPACE = {"": "urn:mpeg:dash:schema:mpd:2011"}
SEGMENT = 2
ID3 = "https://aomedia.org/emsg/ID3"
# Seconds that a player in a browser may take to begin, that the publisher may be away, and that the player watches behind the last event: it is four
# segments behind live.
SETTLING, AWAY, AFTER = 6, 14, 6 * SEGMENT


def seconds_of(duration):
    """A duration of XML Schema that has seconds only."""
    return float(re.fullmatch(r"PT([\d.]+)S", duration)[1])


def standstill(clocks):
    """The longest time for which a picture that is looked at again and again stays the same, in seconds."""
    longest, since, shown = 0, *clocks[0]
    for now, made in clocks:
        if made > shown:
            since, shown = now, made
        longest = max(longest, now - since)
    return longest / 1000


class Client:
    """Reads the MPD again and again, and loads every segment that it lists."""

    def __init__(self, server):
        self.server, self.problems, self.files, self.starts, self.periods, self.texts = server, [], {}, {}, {}, []
        # Those in the emsg boxes of segments.
        self.events = set()
        self.is_running = True
        self.thread = in_background(self.run)

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
        assert headers["content-type"] == "application/dash+xml", headers
        text = body.decode()
        if self.texts and self.texts[-1] == text:
            return
        self.texts.append(text)
        mpd = ElementTree.fromstring(text)
        assert mpd.get("type") == "dynamic"
        origin = datetime.datetime.fromisoformat(mpd.get("availabilityStartTime")).timestamp()
        clock = mpd.find("UTCTiming", NAMESPACE)
        assert clock.get("schemeIdUri") == "urn:mpeg:dash:utc:http-iso:2014"
        before = time.time()
        now = datetime.datetime.fromisoformat(self.get(clock.get("value"))[1].decode()).timestamp()
        after = time.time()
        if not before - 1 <= now <= after + 1:
            self.problems.append(f"the clock says {now:.1f} between {before:.1f} and {after:.1f}")
        for period in mpd.findall("Period", NAMESPACE):
            start = origin + seconds_of(period.get("start"))
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
                    self.files[name] = body = self.get(name)[1]
                    if b"emsg" in body:
                        self.events.update(guid.decode() for guid in re.findall(rb'"guid":"([^"]+)"', body))
                number, at = number + 1, at + int(entry.get("d"))
            end = at


def verified(cuelight, manifest):
    """What verify --carriages says of an MPD."""
    output = subprocess.run(ordinary(cuelight, "verify", manifest, "--carriages", "--json", "--tolerance", "0"), capture_output=True, text=True)
    assert output.stdout, output.stderr
    return json.loads(output.stdout.splitlines()[-1])


def run(lines, options):
    folder = options.folder
    chance, posted, listed = random.Random(options.seed), {}, {}
    port = free_port(socket.SOCK_DGRAM)
    with Server(
            options.server, udp(port), "-o", folder / "www" / "index.m3u8", "--journal", folder / "journal", "--game", "dash", "--segment-duration", SEGMENT,
            "--segment-type", "fmp4", "--daterange", log=folder / "server.log") as server:
        address = f"http://127.0.0.1:{server.port}/live/live/index.mpd"
        publisher = ClockPublisher(udp(port), folder / "publisher.log")
        wait_until(lambda: server.get("/live/live/index.mpd")[0] == 200, 30, "an MPD")
        client = Client(server)
        time.sleep(2 * SEGMENT)
        player = None
        if options.library:
            player = WebPlayer("video.js", options.library, address, SETTLING + options.seconds + AWAY + 3 * SEGMENT + AFTER)
            time.sleep(SETTLING)
        # The demuxer of an FFmpeg with libxml2: wheels of FFmpeg have none.
        ffmpeg = subprocess.Popen(
            ["ffmpeg", "-nostdin", "-v", "error", "-y", "-i", address, "-t", str(options.seconds / 2), "-map", "0:v:0", "-f", "framemd5", folder / "frames.txt"],
            stderr=open(folder / "ffmpeg.log", "wb"))

        def post(seconds, posted=posted):
            end = time.monotonic() + seconds
            while time.monotonic() < end:
                guid = new_guid(chance)
                started = time.time()
                assert server.post(cue(len(posted) + 1) | {"guid": guid})[0] == 202
                posted[guid] = started
                time.sleep(chance.uniform(0.1, 0.4))

        post(options.seconds)
        try:
            ffmpeg.wait(60)
        except subprocess.TimeoutExpired:
            ffmpeg.kill()
            ffmpeg.wait()
        publisher.__exit__()
        away = time.time()
        wait_until(lambda: b"EXT-X-GAP" in server.get("/live/live/media.m3u8")[2], 20, "a gap")
        with ClockPublisher(udp(port), folder / "publisher.log"):
            wait_until(lambda: len(client.periods) > 1, 20, "a second period")
            post(3 * SEGMENT)
            time.sleep(2 * SEGMENT)
            # What is missing then is the business of the proofs.
            with contextlib.suppress(AssertionError):
                wait_until(lambda: client.problems or posted.keys() <= client.events, 60, "the client has all events")
            agreed = [verified(options.cuelight, address)]
            if player:
                player.thread.join()
                # The events have left the window meanwhile, and the last MPD is to have some.
                post(2 * SEGMENT, posted={})
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
    agreed.append(verified(options.cuelight, folder / "www" / "index.mpd"))

    def listing():
        assert not client.problems, client.problems[:3]
        apart = [abs(client.starts[name] - date) for name, date in listed.items() if name in client.starts]
        assert len(apart) >= 3 and max(apart) < 0.0025, (len(apart), max(apart, default=None))
        assert early == 200, early
        ended = ElementTree.fromstring(last)
        assert ended.get("type") == "static" and ended.get("minimumUpdatePeriod") is None and ended.get("mediaPresentationDuration") and "UTCTiming" not in last, last[:400]
        return (f"{len(client.texts)} states of the MPD, {len(client.periods)} periods, {len(client.files)} files; the dates are those of HLS within {max(apart) * 1000:.1f} ms; "
                "who asks for the next segment waits for it")

    def events():
        missing = [guid for guid in posted if guid not in client.events]
        assert not missing, f"{len(missing)} of {len(posted)} events are in no emsg box"
        return f"the emsg boxes of the segments that it lists have all {len(posted)} events"

    def carriages():
        counts = []
        for report in agreed:
            totals = {total["carriage"]: total["events"] for total in report["carriages"]}
            assert report["passed"] and totals.keys() == {"emsg", "mpd"} and totals["mpd"] > 5, report
            counts.append(totals["mpd"])
        return f"the EventStream says the same as the event messages, to the tick, of {counts[0]} events while it runs, and of {counts[1]} at the end"

    def plays_ffmpeg():
        frames = [line for line in (folder / "frames.txt").read_text().splitlines() if not line.startswith("#")]
        hashes = [line.rpartition(",")[2] for line in frames]
        assert len(frames) >= options.seconds / 2 * RATE * 0.9, (len(frames), (folder / "ffmpeg.log").read_text()[-400:])
        times = [int(line.split(",")[2]) for line in frames]
        assert all(earlier < later for earlier, later in zip(times, times[1:])), "pictures go back"
        # A publisher that catches up makes two pictures in a millisecond, which show the same.
        different = [key for key, _ in itertools.groupby(hashes)]
        assert len(set(different)) == len(different), "pictures come twice"
        return f"FFmpeg plays {len(frames)} pictures, each once"

    def plays_browser():
        report = player.end()
        (folder / "report.json").write_text(json.dumps(report))
        assert not report["errors"], report["errors"][:3]
        clocks = report["clocks"][SETTLING * 5:]
        back = [(old, new) for old, new in zip(clocks, clocks[1:]) if new[1] < old[1]]
        assert not back, f"the picture goes back: {back[:3]}"
        first = [(now, made) for now, made in clocks if made / 1000 < away - SEGMENT]
        assert first, f"nobody could read the clock in the picture: {report['log'][:3]} {player.console[:3]}"
        still, behind = standstill(first), sorted((now - made) / 1000 for now, made in first)
        assert still < 1 and behind[-1] - behind[0] < 1, f"the picture stands for {still:.2f} s, and is between {behind[0]:.2f} and {behind[-1]:.2f} s old"
        later = [made / 1000 - away for _, made in clocks if made / 1000 > away + SEGMENT]
        assert later, "it does not go on with the second period"
        return (f"video.js {report['version']} plays {report['played']:.0f} s: {behind[len(behind) // 2]:.1f} s behind live, within {behind[-1] - behind[0]:.2f} s, without a stop; "
                "it goes on where the publisher comes back")

    def seen_in_browser():
        report = player.end()
        missing = [guid for guid in posted if guid not in report["events"]]
        assert not missing, f"{len(missing)} of {len(posted)} events are missing"
        assert len(report["events"]) == len(set(report["events"])), "the page has acted twice on an event"
        pictures = {}
        for entered in report["entered"]:
            pictures.setdefault(json.loads(entered["text"])["guid"], entered["clock"])
        apart = sorted(abs(pictures[guid] / 1000 - at) for guid, at in posted.items() if pictures.get(guid))
        assert len(apart) > len(posted) / 2, f"the clock could be read for {len(apart)} of {len(posted)} events"
        assert apart[-1] < 0.5, f"an event is shown {apart[-1]:.2f} s from its picture"
        return f"its page acts once on each of {len(posted)} events, of the emsg boxes in the segments that it plays; the clock in the picture is then {apart[-1]:.2f} s from the POST at most"

    proofs = [("listing", listing), ("events", events), ("carriages", carriages), ("FFmpeg", plays_ffmpeg)]
    if player:
        proofs += [("video.js", plays_browser), ("video.js, events", seen_in_browser)]
    lines.prove_all("MPEG-DASH", proofs)


if __name__ == "__main__":
    prove_and_end(run, "server", "cuelight", library=as_path, seconds=20.0, seed=1)
