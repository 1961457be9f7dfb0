"""Events as date ranges in live playlists: the rules over all reloads and delta updates, m3u8 of PyPI, and hls.js in Chromium, also for a page that joins late.

    python3 -m proofs.live.ranges --server PROGRAM --clip CLIP.ts --library FOLDER --folder FOR_ITS_FILES [--seconds 60]
        [--segment-type ts|fmp4] [--seed 1] [--brief]

With --brief no browser watches. The library is that of scripts/check-players.
"""

import datetime
import json
import random
import re
import time

import m3u8

from proofs.facts import as_path, prove_and_end
from proofs.live.players import WebPlayer
from proofs.live.server import Server, cue, new_guid
from proofs.processes import in_background, wait_until

ATTRIBUTE = re.compile(r'([A-Z0-9-]+)=("[^"]*"|[^",]+)')
NAME = "X-COM-CUELIGHT-EVENT"
SEGMENT, WINDOW = 1, 30
# What comes after the last event, so that players get there; and how late a cue may begin: hls.js looks at each frame, and a browser four times a second.
AFTER, LATE = 20, 0.3
# How far before its tag in the media hls.js may show a range. Its segments start with their earliest sample: in a transport stream, FFmpeg's muxer puts up
# to half a second of audio into a packet, which comes behind the video of its time; fragmented MP4 starts with its decoding time, two frames before the first picture.
EARLY = {"ts": 0.5, "fmp4": 0.1}


def seconds(text):
    return datetime.datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp()


class Ranges:
    """A client that follows a playlist with and without delta updates, and knows the date ranges by these alone."""

    def __init__(self, server, name, skip):
        self.server, self.name, self.skip = server, name, skip
        self.problems, self.ever, self.known, self.gone = [], {}, {}, {}
        self.reloads = self.updates = self.left_out = 0
        self.boundary = None
        self.is_running = True
        self.thread = in_background(self.run)

    def run(self):
        while self.is_running:
            try:
                self.reload()
            except Exception as error:
                if self.is_running:
                    self.problems.append(f"{type(error).__name__}: {error}")
            time.sleep(0.4)

    def reload(self):
        # Each fifth reload is complete: what delta updates have led to is what it says.
        asks = self.skip and self.boundary and self.reloads % 5
        status, _, body = self.server.get(f"/live/live/{self.name}{f'?_HLS_skip={self.skip}' if asks else ''}")
        assert status == 200, status
        self.read(body.decode())

    def read(self, text):
        self.reloads += 1
        version = int(re.search(r"VERSION:(\d+)", text)[1])
        control = dict(ATTRIBUTE.findall(re.search(r"SERVER-CONTROL:(.*)", text)[1]))
        target = int(re.search(r"TARGETDURATION:(\d+)", text)[1])
        self.boundary = float(control["CAN-SKIP-UNTIL"])
        assert self.boundary >= 6 * target and control["CAN-SKIP-DATERANGES"] == "YES", control
        assert "#EXT-X-PROGRAM-DATE-TIME" in text, "no date"
        skip = re.search(r"#EXT-X-SKIP:(.*)", text)
        listed = {}
        for line in re.findall(r"#EXT-X-DATERANGE:(.*)", text):
            attributes = dict(ATTRIBUTE.findall(line))
            assert attributes["ID"] not in listed, "an ID twice"
            listed[attributes["ID"]] = attributes
            assert attributes["CLASS"] == '"com.cuelight.event"' and float(attributes["DURATION"]) > 0, attributes
            assert re.fullmatch(r'"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z"', attributes["START-DATE"]), attributes["START-DATE"]
            assert "END-ON-NEXT" not in attributes, "END-ON-NEXT"
            known = self.ever.setdefault(attributes["ID"], attributes)
            assert known == attributes, f"{attributes['ID']} changes"
        now = time.monotonic()
        if skip:
            self.updates += 1
            skipped = dict(ATTRIBUTE.findall(skip[1]))
            removed = skipped.get("RECENTLY-REMOVED-DATERANGES")
            assert (removed is not None) == (self.skip == "v2"), skip[0]
            assert version >= (10 if removed is not None else 9), f"version {version} with {skip[0]}"
            if removed is not None:
                gone = removed.strip('"').split("\t")
                self.left_out += len([name for name in self.known if name not in listed and name.strip('"') not in gone])
                for name in gone:
                    self.known.pop(f'"{name}"', None)
                self.known.update(listed)
                return
        elif self.skip == "v2" and self.updates:
            missing, surplus = set(listed) - set(self.known), set(self.known) - set(listed)
            fresh = {name for name in missing if name not in self.gone}
            # What came or left since the update before is new here.
            self.problems += [f"the updates never told of {name}" for name in surplus if now - self.gone.setdefault(name, now) > 3]
            assert len(fresh) <= 5, f"the updates lack {fresh}"
        self.known = listed

    def end(self):
        self.is_running = False
        self.thread.join()


def run(lines, options):
    folder, chance, posted = options.folder, random.Random(options.seed), {}
    early = late = None
    with Server(
            options.server, options.clip, "--loop", "--daterange", "--journal", folder / "journal", "--game", "ranges", "--segment-duration", SEGMENT,
            "--segment-type", options.segment_type, "--window", WINDOW, log=folder / "server.log") as server:
        wait_until(server.is_ready, 20, "the input comes")
        wait_until(lambda: b"#EXTINF" in server.get("/live/live/media.m3u8")[2], 20, "a segment")
        clients = [Ranges(server, "media.m3u8", skip) for skip in (None, "YES", "v2")]
        address = f"http://127.0.0.1:{server.port}/live/live/index.m3u8"
        if not options.brief:
            early = WebPlayer("hls.js", options.library, address, options.seconds + AFTER)
        time.sleep(5)
        end, seen, witness = time.monotonic() + options.seconds - 5, {}, []
        while time.monotonic() < end:
            guid = new_guid(chance)
            status, answer = server.post(cue(len(posted) + 1, guid=guid))
            assert status == 202, answer
            posted[guid] = time.time()
            time.sleep(chance.uniform(0.5, 2))
            for segment in m3u8.loads(server.get("/live/live/media.m3u8")[2].decode()).segments:
                for found in segment.dateranges:
                    seen[found.id] = found
            if late is None and not options.brief and time.monotonic() > end - options.seconds / 2:
                late, joined = WebPlayer("hls.js", options.library, address, options.seconds / 2 + AFTER), time.time()
        time.sleep(AFTER)
        update = m3u8.loads(server.get("/live/live/media.m3u8?_HLS_skip=v2")[2].decode())
        events = server.events()
        reports = {name: player.end() for name, player in (("from the start", early), ("late", late)) if player}
        for client in clients:
            client.end()
    (folder / "reports.json").write_text(json.dumps(reports))

    def rules():
        problems = [problem for client in clients for problem in client.problems]
        assert not problems, f"{len(problems)} problems: {problems[:5]}"
        for client in clients:
            missing = [guid for guid in posted if f'"{guid}"' not in client.ever]
            assert not missing, f"{len(missing)} of {len(posted)} events are in no playlist"
        assert clients[1].updates and clients[2].updates and clients[2].left_out, "no updates"
        return (f"{sum(client.reloads for client in clients)} reloads, {sum(client.updates for client in clients)} of them delta updates, which leave out "
                f"{clients[2].left_out} ranges: {len(posted)} events, none changes")

    def dates():
        for name, attributes in clients[0].ever.items():
            event = events[name.strip('"')]
            copy = json.loads(bytes.fromhex(attributes[NAME][2:]))
            assert copy["guid"] == event["guid"] and abs(copy["at"] - event["at"]) < 1e-4, (copy, event)
            apart = seconds(attributes["START-DATE"].strip('"')) - seconds(event["wallClock"])
            assert abs(apart) <= 0.001, f"{name} is {apart} s off"
        return f"{len(clients[0].ever)} ranges have the dates and the copies of their events"

    def library():
        assert set(posted) <= set(seen), "m3u8 misses ranges"
        assert update.skip and update.skip.skipped_segments > 0, "m3u8 reads no EXT-X-SKIP"
        return f"m3u8 reads {len(seen)} ranges, and EXT-X-SKIP of {update.skip.skipped_segments} segments"

    def watches(name):
        def fact():
            report = reports[name]
            assert not [error for error in report["errors"] if "fatal" in error], report["errors"][:3]
            ids = [found["id"] for found in report["ranges"]]
            copies = [(json.loads(sample["text"]), sample["start"]) for sample in report["samples"]]
            # Where the first copies of the events are in the media.
            places = {event["guid"]: start for event, start in reversed(copies) if event["age"] == 0}
            assert len(ids) == len(set(ids)), "an event twice"
            expected = [guid for guid, date in posted.items() if name != "late" or date > joined]
            missing = [guid for guid in expected if guid not in ids]
            assert not missing, f"{len(missing)} of {len(expected)} events are missing"
            off = max((found["seen"] - found["start"] for found in report["ranges"] if not found["isLate"]), default=0)
            assert off <= LATE, f"an event is {off:.2f} s late"
            joins = sum(found["isLate"] for found in report["ranges"])
            assert joins or name != "late", "no event was active when it joined"
            apart = sorted(places[found["id"]] - found["start"] for found in report["ranges"] if found["id"] in places)
            assert len(apart) > len(ids) / 2 and -0.06 < apart[0] and apart[-1] < EARLY[options.segment_type], (len(apart), apart[:3], apart[-3:])
            return (f"hls.js {report['version']} shows {len(ids)} events once each, none later than {off:.2f} s, {joins} of them active when it joins; their tags in the "
                    f"media are {apart[0]:.2f} to {apart[-1]:.2f} s after that")
        return fact

    lines.prove_all(f"{options.segment_type}, {options.seconds:g} s", [("rules", rules), ("dates", dates), ("m3u8", library)] + [(f"hls.js {name}", watches(name)) for name in reports])


if __name__ == "__main__":
    prove_and_end(run, "server", "clip", library=as_path, seconds=60.0, segment_type="ts", seed=1, brief=False)
