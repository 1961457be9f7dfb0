"""Reads the HLS of a live server with another one, and compares what comes out with what went into both, one line a fact.

    python3 -m proofs.live.pull --server PROGRAM --cuelight PROGRAM --clip CLIP.ts --folder FOR_ITS_FILES [--events 30] [--seed 1]
"""

import json
import random
import subprocess
import time

from proofs.facts import prove_and_end
from proofs.live.server import FRAME, Receiver, Server, cue, new_guid, udp
from proofs.processes import free_port, wait_until
from proofs.stream import Stream
from proofs.transport import signed

SEGMENT = 2


def run(lines, options):
    folder = options.folder
    chance = random.Random(options.seed)
    port, show = free_port(), folder / "show.ts"
    source = [options.server, options.clip, "--loop", "--journal", folder / "source.journal", "--game", "source", "--segment-duration", SEGMENT,
              "-o", folder / "source" / "index.m3u8"]
    posted = {"source": {}, "own": {}}

    def post(name, server, count):
        for number in range(count):
            guid = new_guid(chance)
            sent = time.monotonic()
            status, answer = server.post(cue(number, guid=guid), "?wait=placed")
            assert status == 202, answer
            posted[name][guid] = (sent, answer)
            time.sleep(chance.uniform(0, 0.3))

    with Receiver() as receiver:
        first = Server(*source, port=port, log=folder / "source.log")
        try:
            wait_until(lambda: first.get("/live/live/index.m3u8")[0] == 200, 20, "the source has a playlist")
            with Server(
                    options.server, f"http://127.0.0.1:{port}/live/live/index.m3u8", "-o", show, "-o", udp(receiver.port),
                    "--journal", folder / "journal", "--game", "own", "--segment-duration", SEGMENT, log=folder / "server.log") as server:
                wait_until(server.is_ready, 20, "the input comes")
                wait_until(lambda: len(receiver.datagrams) > 50, 10, "the stream comes by UDP")
                for _ in range(options.events // 3):
                    post("source", first, 1)
                    post("own", server, 2)
                steady = time.monotonic()
                first.kill()
                time.sleep(4)
                first = Server(*source, port=port, log=folder / "source.log")
                wait_until(first.is_ready, 20, "the source is back")
                back = time.monotonic()
                for _ in range(options.events // 3):
                    post("source", first, 2)
                    post("own", server, 1)
                # Until the last of them has come through.
                last = list(posted["source"])[-1]
                wait_until(lambda: last.encode() in receiver.data[-8_000_000:], 20, "the last event comes through")
                time.sleep(1)
                said = (folder / "server.log").read_text()
                took = server.stop()
        finally:
            first.kill()
    stream = Stream(show.read_bytes())
    network = Stream(receiver.data)

    def all_events(name):
        def check():
            missing = [guid for guid in posted[name] if guid not in stream.guids]
            assert not missing, f"{len(missing)} of {len(posted[name])} are not in the recording"
            # What the source had asked before comes again where it is active still: each event has one place.
            places = [int(tags[0].event["sequence"]) for guid, tags in stream.guids.items() if guid in posted[name]]
            assert places == sorted(set(places)), f"places {places}"
            return f"all {len(posted[name])} events, in their order"
        return check

    def times():
        for guid, (_, answer) in posted["own"].items():
            tag = stream.guids[guid][0]
            assert tag.pts == answer["pts"], f"the tag of {guid} says {tag.pts}, the answer {answer['pts']}"
        return f"the PTS of {len(posted['own'])} answers are those of the tags"

    def paced():
        # When each picture comes against its clock: a segment that is sent at once moves that forward by its duration.
        offsets = [receiver.arrival(video.offset) - signed(video.dts - network.video[0].dts) / 90_000 for video in network.video
                   if receiver.arrival(video.offset) < steady][25:]
        assert len(offsets) > 100, f"{len(offsets)} pictures"
        ahead = max(offset - min(offsets[number:number + 50]) for number, offset in enumerate(offsets))
        late = max(right - left for left, right in zip(offsets, offsets[1:]))
        # Clips that begin again are a jump of the clock, which is none of the pace.
        assert ahead < SEGMENT / 2, f"pictures come {ahead:.2f} s ahead of those before"
        return f"{len(offsets)} pictures by UDP come {ahead * 1000:.0f} ms ahead of those before at most, and {late * 1000:.0f} ms late"

    def not_far_behind():
        behind = []
        for guid, (sent, _) in posted["source"].items():
            moment = receiver.arrival(network.guids[guid][0].end)
            if sent > back or moment < steady:
                behind.append(moment - sent)
        # A segment until it is complete, one to look for it, one to send it.
        assert max(behind) < 3.5 * SEGMENT + 1, f"an event comes {max(behind):.1f} s after it was posted at the source"
        return f"events of the source come {min(behind):.1f} to {max(behind):.1f} s after they were posted there, with segments of {SEGMENT} s"

    def goes_on():
        lost = [line for line in said.split("\n") if "again failed" in line or "nothing comes" in line]
        assert lost, f"nothing was said of the source that was away: {said[-600:]}"
        late = [video for video in network.video if receiver.arrival(video.offset) > back]
        assert len(late) > 50, f"{len(late)} pictures after the source came back"
        return f"{len(late)} pictures since the source is back; said: {lost[0].strip()[:110]}"

    def inspected():
        found = subprocess.run([options.cuelight, "inspect", "--json", show], capture_output=True, text=True)
        assert found.returncode in (0, 1), found.stderr[-400:]
        read = [json.loads(line) for line in found.stdout.splitlines()]
        # Behind the source's restart its programme has another time than ours: a stream has one, and the reader says so.
        # The tags behind its last frame belong to the next one.
        steps = zip(stream.video, stream.video[1:])
        jump = next((before.offset for before, after in steps if not 0 < signed(after.dts - before.dts) <= 3 * FRAME), stream.size)
        wrong = [line for line in read if line["type"] != "copy" and line["offset"] < jump]
        assert not wrong, wrong[0]
        return f"{sum(line['type'] == 'copy' and line['offset'] < jump for line in read)} verified copies and nothing else until the source is killed"

    def ends():
        assert took[0] < 2 and took[1] in (0, 130), f"SIGTERM: {took[0]:.2f} s, status {took[1]}"
        return f"{took[0]:.2f} s"

    lines.prove_all("HLS as input", [
        ("events of the source", all_events("source")), ("own events", all_events("own")), ("times", times), ("pace", paced),
        ("delay", not_far_behind), ("a source that is killed", goes_on), ("copies", inspected), ("end", ends)])


if __name__ == "__main__":
    prove_and_end(run, "server", "cuelight", "clip", events=30, seed=1)
