"""Lets hls.js watch low-latency HLS, and measures how far behind live it plays and how long events take from their POST to the page.

    python lowlatency.py --server PROGRAM --clip CLIP.ts --library FOLDER --folder FOR_ITS_FILES [--seconds 40] [--seed 1]

The library is that of scripts/check-players. The server reads the clip at its own pace, again and again; the browser runs on the same machine, so that
both have one clock.
"""

import json
import random
import re
import shutil
import statistics
import threading
import time

from live import Server, cue, new_guid, proof_parser, prove_and_end, wait_until
from players import WebPlayer

PART = 0.5
# Seconds that a player may be behind live, and how much of that it may take to catch up at the start.
LIMIT = 2.0
SETTLING = 8


class Reloads:
    """A client that always asks for the next part, and keeps what it gets."""

    def __init__(self, server, playlist):
        self.server, self.playlist = server, playlist
        self.problems, self.parts, self.bytes, self.segments, self.waits = [], {}, {}, {}, []
        self.is_running = True
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()

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

    def follow(self):
        query = ""
        while self.is_running:
            started = time.monotonic()
            _, body = self.get(self.playlist + query)
            if query:
                self.waits.append(time.monotonic() - started)
            sequence, part, hint, is_ended = self.read(body.decode())
            if is_ended:
                return
            query = f"?_HLS_msn={sequence}&_HLS_part={part}"
            # The file that is hinted at is asked for before it is there.
            if hint and len(self.bytes) % 3 == 0:
                self.bytes[hint] = self.get(hint)[1]
            for name in list(self.parts):
                if name not in self.bytes:
                    self.bytes[name] = self.get(name)[1]

    def read(self, text):
        """Keeps what a playlist lists; the media sequence number and the part that come next."""
        target = float(re.search(r"PART-TARGET=([\d.]+)", text)[1])
        sequence = int(re.search(r"MEDIA-SEQUENCE:(\d+)", text)[1])
        hold = float(re.search(r"PART-HOLD-BACK=([\d.]+)", text)[1])
        if hold < 3 * target - 1e-9:
            self.problems.append(f"PART-HOLD-BACK is {hold} for parts of {target} s")
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


def percentile(values, share):
    return sorted(values)[min(len(values) - 1, int(len(values) * share))]


def run(lines, options):
    folder = options.folder
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    chance = random.Random(options.seed)
    posted = {}
    with Server(
            options.server, options.clip, "--loop", "-o", folder / "www" / "index.m3u8", "--journal", folder / "journal", "--game", "low", "--segment-duration", 4, "--part-duration", PART,
            "--segment-type", options.segment_type, log=folder / "server.log") as server:
        wait_until(lambda: b"PART-INF" in server.get("/live/live/media.m3u8")[2], 30, "a playlist with parts")
        reloads = Reloads(server, "media.m3u8")
        player = WebPlayer("hls.js", options.library, f"http://127.0.0.1:{server.port}/live/live/index.m3u8", options.seconds + 12)
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
        report = player.end()
        (folder / "report.json").write_text(json.dumps(report))
        wrong = [server.get(f"/live/live/media.m3u8?{query}")[0] for query in ("_HLS_part=1", "_HLS_msn=x", "_HLS_msn=999999", "_HLS_msn=-1")]
        reloads.is_running = False
        server.stop()
    reloads.end()

    def plays():
        fatal = [error for error in report["errors"] if ", fatal" in error]
        assert not fatal, fatal[:3]
        samples = report["delays"][int(SETTLING * 10):]
        settled = [delay for delay, *_ in samples]
        assert settled, f"hls.js does not play: {report['errors'][:3]}"
        half, most = statistics.median(settled), percentile(settled, 0.95)
        assert half <= LIMIT + 0.25, f"it plays {half:.2f} s behind live (half), {most:.2f} s (95 of 100); its own words for the delay and its aim: {samples[-1][1:3]}; {report['errors'][:3]}"
        stalls = [error for error in report["errors"] if "Stalled" in error]
        parts = sum(name.split("?")[0].rpartition("/")[2].count(".") == 2 for name in report["loaded"])
        return (f"hls.js {report['version']} plays {report['played']:.0f} s at {half:.2f} s behind live (half), {most:.2f} s (95 of 100), loads {parts} parts; "
                f"{len(report['errors'])} errors, {len(stalls)} of them stalls")

    def events():
        missing = [guid for guid in posted if guid not in report["taken"]]
        assert not missing, f"{len(missing)} of {len(posted)} events are missing"
        assert len(report["events"]) == len(set(report["events"]))
        taken = [report["taken"][guid] / 1000 - at for guid, at in posted.items()]
        return f"all {len(posted)} events come to the page, from their POST after {percentile(taken, 0.5):.2f} s (half), {percentile(taken, 0.99):.2f} s (99 of 100)"

    def shown():
        dates = {}
        for active in report["active"]:
            dates.setdefault(json.loads(active["text"])["guid"], active["date"] / 1000)
        seen = [dates[guid] - at for guid, at in posted.items() if guid in dates]
        assert len(seen) >= 0.95 * len(posted), f"{len(posted) - len(seen)} of {len(posted)} cues were never active"
        return f"{len(seen)} of {len(posted)} are shown with their frame, from their POST after {percentile(seen, 0.5):.2f} s (half), {percentile(seen, 0.99):.2f} s (99 of 100)"

    def playlists():
        assert not reloads.problems, f"{len(reloads.problems)}: {reloads.problems[:3]}"
        complete = {name: parts for name, parts in reloads.segments.items() if (folder / "www" / name).exists() and all(part in reloads.bytes for part in parts)}
        assert len(complete) > 2, f"only {len(complete)} segments are complete"
        for name, parts in complete.items():
            if options.segment_type == "ts":
                assert b"".join(reloads.bytes[part] for part in parts) == (folder / "www" / name).read_bytes(), f"{name} is not its parts"
        plain = (folder / "www" / "media.m3u8").read_text()
        assert "PART" not in plain and "SERVER-CONTROL" not in plain, "the folder's playlist has parts"
        return f"{len(reloads.waits)} blocking reloads, {len(reloads.bytes)} parts; {len(complete)} segments are byte for byte their parts; the folder's playlist has none"

    def refusals():
        assert wrong == [400, 400, 400, 400], wrong
        return "what no client of the playlist asks for has status 400"

    for name, body in [("plays", plays), ("events", events), ("shown", shown), ("playlists", playlists), ("refusals", refusals)]:
        lines.prove(f"low latency ({options.segment_type}), {name}", body)


def main():
    parser = proof_parser("clip", "library")
    parser.add_argument("--seconds", type=float, default=40)
    parser.add_argument("--segment-type", default="ts")
    prove_and_end(run, parser)


if __name__ == "__main__":
    main()
