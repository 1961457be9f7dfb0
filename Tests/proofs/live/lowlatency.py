"""Lets hls.js watch low-latency HLS, and measures how far behind live it plays and how long events take from their POST to the page.

    python3 -m proofs.live.lowlatency --server PROGRAM --library FOLDER --folder FOR_ITS_FILES [--segment-type ts|fmp4] [--seconds 40] [--seed 1] [--variant]
        [--brief]

The library is that of scripts/check-players. A publisher sends a picture of the clock by UDP; the page reads the clock from the picture that it shows.
All run on the same machine, so that they have one clock. With --variant there are two renditions. With --brief no browser watches, and some seconds are enough.
"""

import contextlib
import json
import random
import re
import socket
import statistics
import subprocess
import time

from proofs.facts import as_path, prove_and_end
from proofs.live.clock import ClockPublisher
from proofs.live.latency import percentile
from proofs.live.players import WebPlayer, number_of
from proofs.live.server import Server, cue, new_guid, udp
from proofs.processes import free_port, in_background, wait_until

# Seconds that a player may be behind live, and how much of that it may take to catch up at the start.
LIMIT = 2.0
SETTLING = 8
# What comes behind the last event.
AFTER = 6


class Reloads:
    """A client that always asks for the next part, and keeps what it gets."""

    def __init__(self, server, playlist):
        self.server, self.playlist = server, playlist
        self.problems, self.parts, self.bytes, self.segments, self.waits = [], {}, {}, {}, []
        # When each event was there with its part, and how many playlists were complete or delta updates.
        self.dates, self.updates = {}, 0
        self.is_running = True
        self.thread = in_background(self.run)

    def run(self):
        try:
            self.follow()
        except Exception as error:
            # What is asked for when the stream ends does not come.
            if self.is_running:
                self.problems.append(f"{type(error).__name__}: {error}")

    def get(self, name):
        status, headers, body = self.server.get(f"/live/live/{name}")
        assert status == 200, (status, name, body[:200])
        return headers, body

    def load(self, name):
        self.bytes[name] = body = self.get(name)[1]
        for guid in re.findall(rb'"guid":"([^"]+)"', body):
            self.dates.setdefault(guid.decode(), time.time())

    def follow(self):
        query, known = "", 0
        while self.is_running:
            started = time.monotonic()
            _, body = self.get(self.playlist + query)
            if query:
                self.waits.append(time.monotonic() - started)
            sequence, part, hint, is_ended = self.read(body.decode())
            if is_ended:
                return
            known += 1
            # A client that has just loaded the playlist may leave out what it knows.
            query = f"?_HLS_msn={sequence}&_HLS_part={part}{'&_HLS_skip=YES' if known % 2 else ''}"
            # The file that is hinted at is asked for before it is there.
            if hint and len(self.bytes) % 3 == 0:
                self.load(hint)
            for name in list(self.parts):
                if name not in self.bytes:
                    self.load(name)

    def read(self, text):
        """Keeps what a playlist lists; the media sequence number and the part that come next."""
        target = float(re.search(r"PART-TARGET=([\d.]+)", text)[1])
        sequence = int(re.search(r"MEDIA-SEQUENCE:(\d+)", text)[1])
        hold = float(re.search(r"PART-HOLD-BACK=([\d.]+)", text)[1])
        if hold < 3 * target - 1e-9:
            self.problems.append(f"PART-HOLD-BACK is {hold} for parts of {target} s")
        skipped = re.search(r"SKIPPED-SEGMENTS=(\d+)", text)
        if skipped:
            self.updates += 1
            sequence += int(skipped[1])
        count, open_parts = 0, []
        for line in text.splitlines():
            if line.startswith("#EXT-X-PART:"):
                name, duration = re.search(r'URI="([^"]+)"', line)[1], float(re.search(r"DURATION=([\d.]+)", line)[1])
                if duration > target + 1e-9:
                    self.problems.append(f"{name} lasts {duration} s of {target}")
                if self.parts.setdefault(name, duration) != duration:
                    self.problems.append(f"{name} lasts another time")
                open_parts.append(name)
            elif line and not line.startswith("#"):
                if number_of(line) != sequence:
                    self.problems.append(f"{line} has number {sequence}")
                if open_parts:
                    self.segments[line] = open_parts
                    for short in open_parts[:-1]:
                        if self.parts[short] < 0.85 * target:
                            self.problems.append(f"{short} lasts {self.parts[short]} s of {target} and is not the last one")
                sequence, count, open_parts = sequence + 1, 0, []
        count = len(open_parts)
        hint = re.search(r'PRELOAD-HINT:TYPE=PART,URI="([^"]+)"', text)
        return sequence, count, hint and hint[1], "#EXT-X-ENDLIST" in text

    def end(self):
        self.is_running = False
        self.thread.join(30)


def quantiles(values):
    return f"{percentile(values, 0.5) / 1000:.2f} s (half), {percentile(values, 0.99) / 1000:.2f} s (99 of 100)"


def asks_late(server):
    """What becomes of a request for a part that does not come, since the publisher is gone: until then its segment is a gap."""
    wait_until(lambda: b"EXT-X-GAP" in server.get("/live/live/media.m3u8")[2], 20, "a gap")
    playlist = server.get("/live/live/media.m3u8")[2].decode()
    hint = re.search(r'PRELOAD-HINT:TYPE=PART,URI="([^"]+)"', playlist)[1]
    started = time.monotonic()
    return server.get(f"/live/live/{hint}", timeout=60)[0], time.monotonic() - started


def run(lines, options):
    folder, is_brief = options.folder, options.brief
    chance = random.Random(options.seed)
    posted, report = {}, None
    port, other = free_port(socket.SOCK_DGRAM), free_port(socket.SOCK_DGRAM) if options.variant else None
    segment, part = (1, 0.5) if is_brief else (4, 0.5)
    variant = ["--variant", udp(other)] if other else []
    with ClockPublisher(udp(port), folder / "publisher.log", other and udp(other)) as publisher, Server(
            options.server, udp(port), *variant, "-o", folder / "www" / "index.m3u8", "--journal", folder / "journal", "--game", "low", "--segment-duration", segment,
            "--part-duration", part, "--segment-type", options.segment_type, "--window", 20, log=folder / "server.log") as server:
        wait_until(lambda: b"PART-INF" in server.get("/live/live/media.m3u8")[2], 30, "a playlist with parts")
        reloads = Reloads(server, "media.m3u8")
        clients = {"": reloads}
        if options.segment_type == "fmp4":
            clients["audio: "] = Reloads(server, "audio1.m3u8")
        if other:
            wait_until(lambda: b"PART-INF" in server.get("/live/live/media2.m3u8")[2], 30, "a playlist of the other rendition")
            clients["another rendition: "] = Reloads(server, "media2.m3u8")
        address = f"http://127.0.0.1:{server.port}/live/live/index.m3u8"
        if not is_brief:
            player = WebPlayer("hls.js", options.library, address, SETTLING + options.seconds + AFTER, **json.loads(options.settings))
            time.sleep(SETTLING)
        end, number = time.monotonic() + options.seconds, 0
        while time.monotonic() < end:
            number += 1
            guid = new_guid(chance)
            started = time.time()
            status, answer = server.post(cue(number) | {"guid": guid})
            assert status == 202, (status, answer)
            posted[guid] = started
            time.sleep(chance.uniform(0.1, 0.5))
        if is_brief:
            time.sleep(2 * segment)
            watching = [client for name, client in clients.items() if "audio" not in name]
            # What is missing then is the business of the proofs.
            with contextlib.suppress(AssertionError):
                wait_until(
                    lambda: all(client.problems or posted.keys() <= client.dates.keys() for client in watching), 60, "the clients have all events")
        else:
            report = player.end()
            (folder / "report.json").write_text(json.dumps(report))
        wrong = [server.get(f"/live/live/media.m3u8?{query}")[0] for query in ("_HLS_part=1", "_HLS_msn=x", "_HLS_msn=999999", "_HLS_msn=-1")]
        watched = None if is_brief else subprocess.run(
            [options.library / "ffmpeg", "-nostdin", "-v", "error", "-i", address, "-t", "4", "-map", "0:v:0", "-f", "framemd5", "-"], capture_output=True, timeout=60)
        for client in clients.values():
            client.is_running = False
        publisher.__exit__()
        late = asks_late(server)
        server.stop()
    for client in clients.values():
        client.end()

    def plays():
        fatal = [error for error in report["errors"] if ", fatal" in error]
        assert not fatal, fatal[:3]
        samples = report["delays"][int(SETTLING * 10):]
        settled = [delay for delay, *_ in samples]
        assert settled, f"hls.js does not play: {report['errors'][:3]}"
        half, most = statistics.median(settled), percentile(settled, 0.95) / 1000
        ages = [(now - made) / 1000 for now, made in report["clocks"][int(SETTLING * 5):]]
        assert ages, "nobody could read the clock in the picture"
        assert half <= LIMIT + 0.25, f"it plays {half:.2f} s behind live (half), {most:.2f} s (95 of 100); its own words for the delay and its aim: {samples[-1][1:3]}; {report['errors'][:3]}"
        stalls = [error for error in report["errors"] if "Stalled" in error]
        parts = sum(name.split("?")[0].rpartition("/")[2].count(".") == 2 for name in report["loaded"])
        return (f"hls.js {report['version']} plays {report['played']:.0f} s at {half:.2f} s behind live (half), {most:.2f} s (95 of 100), loads {parts} parts; "
                f"the clock in its picture is {quantiles(ages)} old; {len(report['errors'])} errors, {len(stalls)} of them stalls")

    def events():
        missing = [guid for guid in posted if guid not in report["taken"]]
        assert not missing, f"{len(missing)} of {len(posted)} events are missing"
        assert len(report["events"]) == len(set(report["events"]))
        taken = [report["taken"][guid] / 1000 - at for guid, at in posted.items()]
        return f"all {len(posted)} events come to the page, from their POST after {quantiles(taken)}"

    def shown():
        dates, pictures = {}, {}
        for entered in report["entered"]:
            guid = json.loads(entered["text"])["guid"]
            if guid not in dates:
                dates[guid], pictures[guid] = entered["date"] / 1000, entered["clock"]
        missing = [guid for guid in posted if guid not in dates]
        assert not missing, f"{len(missing)} of {len(posted)} cues were never active"
        seen = [dates[guid] - at for guid, at in posted.items()]
        apart = [abs(pictures[guid] / 1000 - at) for guid, at in posted.items() if pictures[guid] is not None]
        assert len(apart) > len(posted) / 2, f"the clock could be read for {len(apart)} of {len(posted)}"
        changed = {json.loads(active["text"])["guid"] for active in report["active"]}
        return (f"all {len(seen)} are shown, from their POST after {quantiles(seen)}; the clock in the picture is then {quantiles(apart)} from the POST; "
                f"a page that looks at active cues alone sees {sum(guid in changed for guid in posted)}")

    def parts():
        said = []
        for name, client in clients.items():
            if "audio" in name:
                continue
            missing = [guid for guid in posted if guid not in client.dates]
            assert not missing, f"{name}{len(missing)} of {len(posted)} events are in no part"
            said.append(f"{name}after {quantiles([client.dates[guid] - at for guid, at in posted.items()])}")
        return f"all {len(posted)} events are in the part that is being written: a client has it {'; '.join(said)}"

    def playlists():
        said = []
        for kind, client in clients.items():
            assert not client.problems, f"{kind}{len(client.problems)}: {client.problems[:3]}"
            complete = {name: parts for name, parts in client.segments.items() if (folder / "www" / name).exists() and all(part in client.bytes for part in parts)}
            assert len(complete) > 2, f"only {len(complete)} segments are complete"
            for name, parts in complete.items():
                assert b"".join(client.bytes[part] for part in parts) == (folder / "www" / name).read_bytes(), f"{name} is not its parts"
            assert is_brief or client.updates > 5, f"{client.updates} delta updates"
            said.append(f"{kind}{len(client.waits)} blocking reloads, {client.updates} of them delta updates; {len(complete)} segments are byte for byte their {sum(map(len, complete.values()))} parts")
        for client in clients.values():
            plain = (folder / "www" / client.playlist).read_text()
            assert "PART" not in plain and "SERVER-CONTROL" not in plain, f"the folder's {client.playlist} has parts"
        return f"{'; '.join(said)}; the folder's playlists have none"

    def refusals():
        assert wrong == [400, 400, 400, 400], wrong
        status, waited = late
        assert status == 404 and waited <= 3 * segment + 3, late
        return f"what no client of the playlist asks for has status 400, and a part that does not come 404 after {waited:.1f} s"

    def others():
        frames = [line for line in watched.stdout.decode().splitlines() if not line.startswith("#")]
        assert watched.returncode == 0 and len(frames) >= 95, (watched.returncode, len(frames), watched.stderr[-300:])
        return f"FFmpeg 8, which knows no parts, decodes {len(frames)} frames of the same playlist"

    proofs = [("parts", parts), ("playlists", playlists), ("refusals", refusals)]
    if not is_brief:
        proofs = [("plays", plays), ("events", events), ("shown", shown), *proofs, ("others", others)]
    lines.prove_all(f"low latency ({options.segment_type}{', two renditions' if options.variant else ''})", proofs)


# The settings are those of hls.js, as JSON.
if __name__ == "__main__":
    prove_and_end(
        run, "server", library=as_path, seconds=40.0, segment_type="ts", settings='{"maxLiveSyncPlaybackRate": 1.5}', variant=False, brief=False, seed=1)
