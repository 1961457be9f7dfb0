"""Puts events into a stream of constant bit rate while it runs, and compares every packet with what came in, one line a fact.

    python3 -m proofs.live.rate --server PROGRAM --cuelight PROGRAM --clip CLIP.ts --folder FOR_ITS_FILES [--events 100] [--rate 4M] [--pace 4] [--seed 1]
"""

import bisect
import random
import time

from proofs.facts import prove_and_end
from proofs.live.server import Server, cue, metric, new_guid
from proofs.processes import ffmpeg, finished, wait_until
from proofs.stream import Stream, numbers
from proofs.transport import NULL, PACKET, packets, pcrs, signed


def run(lines, options):
    folder = options.folder
    source, show = folder / "source.ts", folder / "show.ts"
    ffmpeg("-i", options.clip, "-c", "copy", "-muxrate", options.rate, "-f", "mpegts", source)
    before = source.read_bytes()
    chance = random.Random(options.seed)
    posted, metrics = {}, ""
    with Server(
            options.server, source, "--constant-rate", "--pace", options.pace, "-o", show, "-o", folder / "hls" / "index.m3u8", "--event", "--game", "rate",
            "--journal", folder / "journal", log=folder / "server.log") as server:
        wait_until(server.is_ready, 10, "the input comes")
        assert server.post({"event": "startGame", "title": "Rate"})[0] == 202
        for number in range(options.events):
            guid = new_guid(chance)
            status, answer = server.post(cue(number, guid=guid), "?wait=placed")
            assert status == 202, answer
            posted[guid] = answer
            time.sleep(chance.uniform(0, 0.15 / options.pace))
        metrics = server.get("/metrics")[2].decode()
        # The input ends, and the server with it.
        server.process.wait(timeout=60)
    after = show.read_bytes()
    stream = Stream(after)

    def same_size():
        added, replaced = metric(metrics, "added_packets_total"), metric(metrics, "replaced_null_packets_total")
        assert len(before) == len(after), f"{len(before)} bytes in, {len(after)} out"
        assert added == 0, f"{added} packets added"
        return f"{len(after) // PACKET} packets in and out, {sum(pid == NULL for pid, _ in packets(before))} null packets, {replaced} of them replaced while events came"

    def same_packets():
        kinds = {}
        tag_pid = next(new for (old, _), (new, _) in zip(packets(before), packets(after)) if old == NULL and new not in (NULL, stream.pmt_pid))
        names = {NULL: "null", stream.pmt_pid: "map", tag_pid: "tag"}
        for number, ((old, was), (new, now)) in enumerate(zip(packets(before), packets(after))):
            kind = "same" if was == now else f"{names.get(old, 'other')} to {names.get(new, 'other')}"
            assert kind in ("same", "null to tag", "map to map"), f"packet {number}: {kind}"
            kinds[kind] = kinds.get(kind, 0) + 1
        return ", ".join(f"{count} {kind}" for kind, count in sorted(kinds.items()))

    def same_clocks():
        clocks = list(pcrs(after))
        assert clocks == list(pcrs(before))
        assert not stream.errors, f"continuity: {stream.errors[:3]}"
        return f"{len(clocks)} PCRs where they were, continuity counters without a gap"

    def events():
        missing = [guid for guid in posted if guid not in stream.guids]
        assert not missing, f"{len(missing)} of {len(posted)} events are not in the stream"
        for guid, answer in posted.items():
            tag = stream.guids[guid][0]
            assert tag.pts == answer["pts"], f"the tag of {guid} says {tag.pts}, the answer {answer['pts']}"
        return f"all {len(posted)} events once each, places 1 to {numbers(stream)}, each with the PTS of its answer"

    def in_time():
        ticks = [(offset, clock // 300) for offset, clock in pcrs(after)]
        left = [signed(tag.pts - ticks[bisect.bisect_left(ticks, (tag.end, 0)) - 1][1]) for tag in stream.tags]
        assert min(left) > 9_000, f"a tag ends {min(left) / 90:.0f} ms before its time by the PCR"
        return f"each tag ends {min(left) / 90:.0f} ms or more before its time by the PCR"

    def doctored(path):
        def check():
            found = finished(options.cuelight, "doctor", path)
            return (found.stdout + found.stderr).strip().split("\n")[-1][:160]
        return check

    lines.prove_all("constant rate", [
        ("size", same_size), ("packets", same_packets), ("clocks", same_clocks), ("events", events), ("time", in_time),
        ("doctor, recording", doctored(show)), ("doctor, HLS", doctored(folder / "hls" / "index.m3u8"))])


if __name__ == "__main__":
    prove_and_end(run, "server", "cuelight", "clip", events=100, rate="4M", pace=4.0, seed=1)
