"""Feeds a live server with two renditions of one programme by UDP, whose encoder ends and begins again, and prints a line for each fact.

    python3 -m proofs.live.renditions --server PROGRAM --clip CLIP.ts --library PLAYERS --folder FOR_ITS_FILES [--restarts 4] [--seed 1]
"""

import random
import socket
import subprocess
import time

from proofs.facts import prove_and_end
from proofs.live.players import WebPlayer
from proofs.live.playlists import Watch
from proofs.live.server import Server, cue, new_guid, udp
from proofs.processes import ffmpeg, free_port, wait_until
from proofs.stream import Stream

# The times at which the encoder's clock begins, in seconds.
OFFSETS = [10, 50_000, 100, 95_440.5, 3]
# A small rendition without reordered frames, and with key frames where the large one has them.
SMALL = ["-s", "160x90", "-c:v", "libx264", "-preset", "ultrafast", "-crf", "40", "-bf", "0", "-g", "250", "-sc_threshold", "0", "-force_key_frames", "source"]


class Encoder:
    """ffmpeg that sends a clip again and again at its own pace: as it is, and small without reordered frames."""

    def __init__(self, clip, ports, offset, log):
        self.log = open(log, "ab")
        common = ["-c:a", "copy", "-output_ts_offset", str(offset), "-f", "mpegts", "-flush_packets", "1"]
        address = [udp(port) for port in ports]
        self.process = subprocess.Popen(
            ["ffmpeg", "-nostdin", "-v", "error", "-re", "-stream_loop", "-1", "-i", str(clip), "-c:v", "copy", *common, address[0], *SMALL, *common,
             address[1]], stdout=subprocess.DEVNULL, stderr=self.log)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        self.log.close()


def copies(data):
    """The tags of a segment, as bytes and with their PTS."""
    return [(tag.pts, tag.payload) for tag in Stream(data).tags]


def a_player_plays(options, kind, name):
    """hls.js plays the other rendition, by itself or chosen among both, and its page acts once on each event."""
    folder = options.folder / kind
    folder.mkdir()
    small = folder / "small.ts"
    ffmpeg("-i", options.clip, "-copyts", *SMALL, "-c:a", "copy", "-muxdelay", "0", small)
    chance = random.Random(options.seed + 1)
    with Server(
            options.server, options.clip, "--variant", small, "--game", "players", "--segment-type", kind, "--segment-duration", 1,
            log=folder / "server.log") as server:
        wait_until(lambda: server.get("/live/live/media2.m3u8")[0] == 200, 15, "there is another rendition")
        time.sleep(4)
        # It takes the network for a slow one, so that it begins with the small rendition and changes to the large one.
        player = WebPlayer("hls.js", options.library, f"http://127.0.0.1:{server.port}/live/live/{name}", 20, abrEwmaDefaultEstimate=100_000)
        guids = []
        for number in range(8):
            time.sleep(1.5)
            guids.append(new_guid(chance))
            assert server.post(cue(number, guid=guids[-1]))[0] == 202
        report = player.end()
        server.stop()
    fatal = [error for error in report["errors"] if ", fatal" in error]
    assert not fatal, fatal[:3]
    loaded = [name.rpartition("/")[2] for name in report["loaded"] if "-" in name and "init" not in name]
    counts = [sum(("-v2." in name) == is_other for name in loaded) for is_other in (False, True)]
    seen = [guid for guid in report["events"] if guid in guids]
    assert len(report["events"]) == len(set(report["events"])), "the page has acted twice on an event"
    assert len(seen) >= 5, f"the page has acted on {len(seen)} of {len(guids)} events"
    assert counts[1], f"none of the {counts[0]} segments that were loaded is of the other rendition"
    return (f"hls.js {report['version']} plays {report['played']:.0f} s of {counts[0]} segments of one rendition and {counts[1]} of the other; its page acts once "
            f"on each of {len(seen)} events")


def run(lines, options):
    folder = options.folder
    chance = random.Random(options.seed)
    ports = [free_port(socket.SOCK_DGRAM) for _ in range(2)]
    posted, watches = [], [Watch(), Watch(media="media2.m3u8")]
    with Server(
            options.server, f"udp://127.0.0.1:{ports[0]}", "--variant", f"udp://127.0.0.1:{ports[1]}", "--journal", folder / "journal",
            "--game", "renditions", "--segment-duration", 1, "--window", 1000, log=folder / "server.log") as server:
        for number in range(options.restarts + 1):
            with Encoder(options.clip, ports, OFFSETS[number % len(OFFSETS)], folder / "ffmpeg.log"):
                before = server.metric("input_bytes_total")
                wait_until(lambda: server.metric("input_bytes_total") > before + 20_000, 15, "the encoder's bytes come")
                if number == 0:
                    assert server.post({"event": "startGame", "title": "Renditions"})[0] == 202
                    wait_until(lambda: server.get("/live/live/media2.m3u8")[0] == 200, 15, "there is another rendition")
                    for watch in watches:
                        watch.begin(server.port)
                for _ in range(5):
                    guid = new_guid(chance)
                    posted.append((guid, server.post(cue(number, guid=guid), "?wait=placed")))
                    time.sleep(chance.uniform(0.2, 1.4))
            time.sleep([0.1, 3.0][number % 2])
        # The silence ends the last segment.
        wait_until(lambda: all(event["state"] == "published" for event in server.events().values()), 15, "the last segment is published")
        time.sleep(2)
        events = server.events()
        took = server.stop()
    for watch in watches:
        watch.end()
    main, other = [watch.last.segments for watch in watches]
    # The other rendition may have begun a segment later.
    main = [segment for segment in main if segment.number >= other[0].number]

    def rules():
        problems = [problem for watch in watches for problem in watch.problems]
        assert not problems, f"{len(problems)}: " + "; ".join(problems[:6])
        return f"{sum(watch.versions for watch in watches)} playlist versions keep the rules"

    def together():
        keys = [[(segment.number, segment.duration, segment.date, segment.is_discontinuous) for segment in segments] for segments in (main, other)]
        assert keys[0] == keys[1], next((left, right) for left, right in zip(*keys) if left != right)
        absent = [segment.number for left, segment in zip(main, other) if segment.is_gap and not left.is_gap]
        assert len(absent) <= options.restarts + 1, f"the other rendition has nothing in {absent} of {len(other)} segments"
        return f"{len(other)} segments with the same numbers, durations, dates and discontinuities; the other rendition has none of {len(absent)}"

    def same():
        count = 0
        for left, right in zip(main, other):
            if left.is_gap or right.is_gap:
                continue
            tags = [copies(watch.bytes[segment.uri]) for watch, segment in zip(watches, (left, right))]
            assert tags[0] == tags[1], f"the tags of {left.uri} and {right.uri} differ"
            count += len(tags[0])
        assert count > len(posted), f"{count} tags"
        return f"{count} tags are the same in both, byte for byte and tick for tick"

    def begins_with_key_frame(watch, segment):
        video = Stream(watch.bytes[segment.uri]).video
        return bool(video) and video[0].is_random_access

    def decodable():
        late = 0
        for left, right in zip(main, other):
            if right.is_gap or begins_with_key_frame(watches[1], right):
                continue
            # An encoder that is back sends from another port, and is heard when the earlier one has been silent for a while.
            assert right.is_discontinuous and not begins_with_key_frame(watches[0], left), f"{right.uri} does not begin with a key frame"
            late += 1
        assert late <= options.restarts, f"{late} segments begin between key frames"
        return f"every segment begins with a key frame, except {late} after a restart, in both"

    def found():
        known = {guid for watch in watches[1:] for data in watch.bytes.values() for guid in Stream(data).guids}
        wrong = [answer for _, answer in posted if answer[0] != 202]
        assert not wrong, wrong[:2]
        # Where the encoder ends, the other rendition has come less far, and has no segment.
        absent = {segment.number for segment in other if segment.is_gap}
        expected = [guid for guid, _ in posted if not set(events[guid]["segments"]) <= absent]
        missing = [guid for guid in expected if guid not in known]
        assert not missing, f"{len(missing)} of {len(expected)} events are not in the other rendition"
        assert len(expected) > len(posted) / 2, f"only {len(expected)} of {len(posted)} events are in segments of the other rendition"
        return f"all {len(expected)} of {len(posted)} events are in the other rendition whose segments are"

    def ends():
        assert took[0] < 2 and took[1] in (0, 130), f"SIGTERM: {took[0]:.2f} s, status {took[1]}"
        return f"{took[0]:.2f} s"

    lines.prove_all(f"two renditions, {options.restarts} restarts", [
        ("playlists", rules), ("segments", together), ("tags", same), ("key frames", decodable), ("events", found), ("end", ends)
    ])
    # Among both, hls.js begins with the small one and takes the other where that is fast enough; of fragmented MP4, it begins with the large one.
    for kind, name in [("ts", "index.m3u8"), ("fmp4", "media2.m3u8")]:
        lines.prove(f"two renditions, {kind}, a player of {name}", a_player_plays, options, kind, name)


if __name__ == "__main__":
    prove_and_end(run, "server", "clip", "library", restarts=4, seed=1)
