"""Measures how long an event takes from its POST to the bytes of its tag at a UDP socket, and prints a line for each fact.

    python3 -m proofs.live.latency --server PROGRAM --clip CLIP.ts --folder FOR_ITS_FILES [--posts 1000] [--rate 100] [--limit SECONDS] [--figures FILE]

With --limit, the 99th percentile must not be above it. --figures is written for scripts/benchmark.
"""

import json
import os
import random
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

from proofs.facts import as_path, prove_and_end
from proofs.live.server import Receiver, Server, cue, metric, new_guid, ten_at_once, udp
from proofs.processes import wait_until
from proofs.stream import Stream, numbers


def percentile(values, share):
    """In milliseconds, of seconds: what a share of the values is below."""
    return sorted(values)[min(int(len(values) * share), len(values) - 1)] * 1000


def run(lines, options):
    chance = random.Random(options.seed)
    guids = [new_guid(chance) for _ in range(options.posts)]
    sent, answered, other = {}, {}, []
    with Receiver() as receiver, Server(
            options.server, options.clip, "--loop", "-o", udp(receiver.port), "--journal", options.folder / "journal",
            "--game", "latency", "--refresh", "off", log=options.folder / "server.log") as server:
        wait_until(server.is_ready, 10, "the input comes")
        # The output by UDP begins with the next picture that decoding can start with.
        wait_until(lambda: len(receiver.datagrams) > 50, 10, "the stream comes by UDP")
        assert server.post({"event": "startGame", "title": "Latency"}, "?wait=placed")[0] == 202
        # A connection for each thread that stays open, as a program that posts events would have.
        local = threading.local()

        def post(number):
            if not hasattr(local, "client"):
                local.client = server.client(timeout=30)
            sent[guids[number]] = time.monotonic()
            answer = local.client.call("POST", "/v1/streams/live/events", cue(number, guid=guids[number]))
            answered[guids[number]] = time.monotonic()
            if answer.status != 202:
                other.append(answer)

        with ThreadPoolExecutor(8) as pool:
            started = time.monotonic()
            for number in range(options.posts):
                time.sleep(max(started + number / options.rate - time.monotonic(), 0))
                pool.submit(post, number)
        time.sleep(1.5)

        def twins_are_one():
            equal = 0
            for number in range(10):
                event = cue(10_000 + number) | ({"guid": new_guid(chance)} if number % 2 else {})
                equal += ten_at_once(server, event, {} if number % 2 else {"Idempotency-Key": f"twin-{number}"})
            return f"ten times the same request at once is one event, and {equal} of 10 times one answer"

        lines.prove("twins", twins_are_one)
        time.sleep(1)
        metrics = server.get("/metrics")[2].decode()
        _, most_memory, _ = server.resources()
        server.stop()
        time.sleep(0.2)
    stream = Stream(receiver.data)
    first = {guid: receiver.arrival(tags[0].end) for guid, tags in stream.guids.items()}

    def nothing_lost():
        assert not other, f"{len(other)} answers were none of 202: {other[:2]}"
        missing = [guid for guid in guids if guid not in first]
        assert not missing, f"{len(missing)} of {options.posts} are not in the stream"
        # At such a rate an event is replaced by the next one before all of its burst has room.
        copies = Counter(len(tags) for tags in stream.guids.values())
        doubled = [guid for guid, tags in stream.guids.items() if len({tag.event["copy"] for tag in tags}) < len(tags)]
        assert not doubled, f"{len(doubled)} events have a copy twice"
        wrong = [guid for guid in guids if int(stream.guids[guid][0].event["copy"]) != 1]
        assert not wrong, f"{len(wrong)} events do not begin with their first copy"
        return f"{options.posts} posts at {options.rate:g} a second: nothing lost, nothing doubled, places 1 to {numbers(stream)}; events by copies {dict(sorted(copies.items()))}"

    def continuity():
        assert not stream.errors, f"{len(stream.errors)} packets are missing or doubled by their counters: {stream.errors[:3]}"
        return f"no continuity error in {len(receiver.data) // 188} packets"

    def latency():
        figures = [first[guid] - sent[guid] for guid in guids if guid in first]
        answers = [answered[guid] - sent[guid] for guid in guids if guid in answered]
        p50, p99 = percentile(figures, 0.5), percentile(figures, 0.99)
        text = (f"POST to the tag's bytes p50 {p50:.1f} ms, p90 {percentile(figures, 0.9):.1f} ms, p99 {p99:.1f} ms, most {max(figures) * 1000:.1f} ms; "
                f"POST to its answer p50 {percentile(answers, 0.5):.1f} ms, p99 {percentile(answers, 0.99):.1f} ms; load {os.getloadavg()[0]:.1f}")
        if options.figures:
            options.figures.write_text(json.dumps({"p50": p50 / 1000, "p99": p99 / 1000, "memory": most_memory}))
        assert options.limit is None or p99 <= options.limit * 1000, text
        return text

    def order_is_kept():
        # An event that was answered before another one was posted comes before it.
        places = {guid: int(tags[0].event["sequence"]) for guid, tags in stream.guids.items()}
        for left, right in zip(guids, guids[20:]):
            if left in answered and answered[left] < sent.get(right, 0):
                assert places[left] < places[right], f"{left} was answered before {right} was posted, and comes behind it"
        return "events keep the order of their answers"

    def twins_are_there_once():
        guids_of = {}
        for tag in stream.tags:
            if tag.event["eventType"] == "periodicInfo":
                guids_of.setdefault(int(tag.event["viewers"]), set()).add(tag.guid)
        assert all(len(guids_of[10_000 + number]) == 1 for number in range(10)), "an event is there twice"
        return "what was posted ten times at once is in the stream as one event"

    def metrics_agree():
        count = metric(metrics, "event_latency_seconds_count")
        total = metric(metrics, "event_latency_seconds_sum")
        assert count == options.posts + 11, f"the metrics count {count} events"
        return f"/metrics counts all, {total / count * 1000:.1f} ms each on average"

    for name, body in [("posts", nothing_lost), ("packets", continuity), ("latency", latency), ("order", order_is_kept), ("twins in the stream", twins_are_there_once), ("metrics", metrics_agree)]:
        lines.prove(name, body)


if __name__ == "__main__":
    prove_and_end(run, "server", "clip", posts=1000, rate=100.0, limit=float, figures=as_path, seed=1)
