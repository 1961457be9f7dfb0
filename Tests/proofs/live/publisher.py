"""Stops and starts the publisher of a live server, with clocks that go back, forward and round, and prints a line for each fact.

    python3 -m proofs.live.publisher --server PROGRAM --clip CLIP.ts --folder FOR_ITS_FILES [--restarts 20] [--seed 1]
"""

import random
import socket
import time

from proofs.facts import prove_and_end
from proofs.live.playlists import Watch
from proofs.live.server import FRAME, Publisher, Receiver, Server, cue, new_guid, udp
from proofs.processes import free_port, wait_until
from proofs.stream import Stream, numbers
from proofs.transport import WRAP, signed

# The times at which the publisher's clock begins, in seconds: 0, far ahead, back again, and shortly before the 33 bits wrap (95,443.7 s).
OFFSETS = [0, 50_000, 100, 95_440.5, 3, 80_000, 79_000, 95_441.2, 0, 47_721.9]


def run(lines, options):
    folder = options.folder
    chance = random.Random(options.seed)
    port = free_port(socket.SOCK_DGRAM)
    posted, watch, absences = [], Watch(), []
    with Receiver() as receiver, Server(
            options.server, f"udp://127.0.0.1:{port}", "-o", folder / "show.ts", "-o", udp(receiver.port),
            "--journal", folder / "journal", "--game", "publisher", "--segment-duration", 1, "--window", 1000, log=folder / "server.log") as server:
        watch.begin(server.port)
        for number in range(options.restarts + 1):
            offset = OFFSETS[number % len(OFFSETS)]
            with Publisher(options.clip, udp(port), offset, log=folder / "ffmpeg.log"):
                before = server.metric("input_bytes_total")
                wait_until(lambda: server.metric("input_bytes_total") > before + 20_000, 15, "the publisher's bytes come")
                if number == 0:
                    assert server.post({"event": "startGame", "title": "Publisher"})[0] == 202
                # Long enough for a clock that begins shortly before the wrap to wrap.
                for _ in range(6 if offset > 95_000 else 3):
                    guid = new_guid(chance)
                    status, answer = server.post(cue(number, guid=guid), "?wait=placed")
                    posted.append((guid, status, answer))
                    time.sleep(chance.uniform(0, 0.9))
            absence = [0.1, 0.4, 1.0, 4.0][number % 4]
            absences.append((offset, absence))
            if number < options.restarts:
                time.sleep(absence)
        # The silence ends the last segment.
        wait_until(lambda: all(event["state"] == "published" for event in server.events().values()), 15, "the last segment is published")
        events = server.events()
        latest = max(segment for event in events.values() for segment in event["segments"])
        wait_until(lambda: len(watch.last.segments) > latest, 15, "the last segment is in the playlist that was loaded")
        took = server.stop()
    watch.end()
    (folder / "media.m3u8").write_text(watch.last.text)
    recording = Stream((folder / "show.ts").read_bytes())

    def found():
        wrong = [(status, answer) for _, status, answer in posted if status != 202 or answer["state"] not in ("placed", "published")]
        missing = [guid for guid, _, _ in posted if guid not in recording.guids]
        assert not missing, f"{len(missing)} of {len(posted)} events are not in the recording: {[events[guid]['state'] for guid in missing]}"
        assert not wrong, f"{len(wrong)} answers: {wrong[:2]}"
        return f"all {len(posted)} events are in the recording, places 1 to {numbers(recording)}"

    def one_each():
        marks = [segment for segment in watch.last.segments if segment.is_discontinuous]
        assert len(marks) == options.restarts, f"{len(marks)} discontinuities for {options.restarts} restarts"
        return f"{len(marks)} discontinuities for {options.restarts} restarts"

    def at_is_right():
        # The event's frame is the one behind its tag: their presentation times differ by reordering alone, and `at` by as much.
        worst = 0
        for guid, _, answer in posted:
            tag = recording.guids[guid][0]
            if tag.video >= len(recording.video):
                continue
            near = min(abs(signed(video.pts - tag.pts)) for video in recording.video[max(tag.video - 4, 0):tag.video + 5])
            worst = max(worst, near)
            assert near <= FRAME, f"the tag of {guid} is {near / 90:.1f} ms off any frame beside it"
            assert abs(float(tag.event["at"]) - answer["at"]) < 0.001, f"the tag says {tag.event['at']}, the answer {answer['at']}"
        return f"every tag is {worst / 90:.1f} ms at most from a frame beside it"

    def timeline_is_true():
        # Between two restarts of the publisher, the PTS minus the programme's time is constant.
        origins = []
        for tag in recording.tags:
            origin = (tag.pts - round((float(tag.event["at"]) + float(tag.event["age"])) * 90_000)) % WRAP
            if not origins or abs(signed(origin - origins[-1])) > 2:
                origins.append(origin)
        assert len(origins) <= options.restarts + 1, f"the timeline has {len(origins)} origins for {options.restarts} restarts"
        return f"{len(origins)} timeline origins for {options.restarts} restarts"

    def at_goes_on():
        # Between two restarts, the times in the answers to two events are as far apart as the arrivals of their frames.
        order = [tags[0] for tags in recording.guids.values()]
        for left, right in zip(order, order[1:]):
            assert float(right.event["at"]) >= float(left.event["at"]), f"`at` goes back from {left.event['at']} to {right.event['at']}"
        return f"`at` never goes back over {len(order)} events"

    def dates_are_true():
        for guid, _, _ in posted:
            event = events[guid]
            for segment in watch.last.segments:
                if segment.number == (event["segments"] or [None])[0]:
                    break
            else:
                raise AssertionError(f"{guid} is in no segment: {event}")
            assert not segment.is_gap
        return "each event names a segment of the playlist"

    def gaps():
        gap = sum(segment.is_gap for segment in watch.last.segments)
        long = sum(absence > 2 for _, absence in absences[:-1])
        assert not watch.problems, f"{len(watch.problems)}: " + "; ".join(watch.problems[:6])
        assert gap >= long, f"{gap} gaps for {long} absences of more than two targets"
        return f"{gap} gaps for {long} long absences; {watch.versions} playlist versions keep the rules"

    def durations():
        # The whole playlist is as long as the time that has passed.
        first, last = watch.last.segments[0], watch.last.segments[-1]
        listed = sum(segment.duration for segment in watch.last.segments)
        passed = (last.date - first.date) / 1000 + last.duration
        return f"segments last {listed:.1f} s of {passed:.1f} s"

    def ends():
        assert took[0] < 2 and took[1] in (0, 130), f"SIGTERM: {took[0]:.2f} s, status {took[1]}"
        return f"{took[0]:.2f} s"

    lines.prove_all(f"{options.restarts} publishers", [
        ("events", found), ("discontinuities", one_each), ("frames", at_is_right), ("timeline", timeline_is_true), ("at", at_goes_on),
        ("segments", dates_are_true), ("gaps", gaps), ("length", durations), ("end", ends)])


if __name__ == "__main__":
    prove_and_end(run, "server", "clip", restarts=20, seed=1)
