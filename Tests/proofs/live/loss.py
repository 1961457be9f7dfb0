"""Loses datagrams on the way to a live server and on the way from it, one line a fact.

    python3 -m proofs.live.loss --server PROGRAM --cuelight PROGRAM --clip CLIP.ts --folder FOR_ITS_FILES [--seconds 60] [--srt 5] [--udp 1] [--seed 1]

Of 100 datagrams --srt are lost with SRT, both ways, and --udp with UDP.
"""

import json
import random
import select
import socket
import subprocess
import time

from proofs.facts import prove_and_end
from proofs.live.server import Publisher, Receiver, Server, cue, new_guid, udp
from proofs.processes import free_port, in_background, wait_until
from proofs.stream import Stream, numbers, whole
from proofs.transport import signed

# Within this time a reader has to know an event, in seconds of programme.
MOST_DELAY = 2
# How long SRT may ask for what was lost, in microseconds: so much that a busy machine does not decide.
LATENCY = 1_000_000


class LossyProxy:
    """Hands datagrams on to a port and back, and loses some of them by chance."""

    def __init__(self, target, percent, seed):
        self.share = percent / 100
        self.chances = {way: random.Random(f"{seed} {way}") for way in ("there", "back")}
        self.passed, self.lost = {"there": 0, "back": 0}, {"there": 0, "back": 0}
        self.front, self.back = (socket.socket(socket.AF_INET, socket.SOCK_DGRAM) for _ in range(2))
        for each in (self.front, self.back):
            each.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 8 << 20)
            each.bind(("127.0.0.1", 0))
        self.port = self.front.getsockname()[1]
        self.target, self.client = ("127.0.0.1", target), None
        self.is_open = True
        self.thread = in_background(self.run)

    def run(self):
        while self.is_open:
            for ready in select.select([self.front, self.back], [], [], 0.1)[0]:
                data, sender = ready.recvfrom(65536)
                if ready is self.front:
                    self.client = sender
                    self.hand("there", self.back, data, self.target)
                elif self.client:
                    self.hand("back", self.front, data, self.client)

    def hand(self, way, by, data, to):
        if self.chances[way].random() < self.share:
            self.lost[way] += 1
        else:
            self.passed[way] += 1
            by.sendto(data, to)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.is_open = False
        self.thread.join()
        self.front.close()
        self.back.close()

    def said(self, *ways):
        """How many were lost; some must have been."""
        ways = [way for way in ways if self.passed[way] + self.lost[way] > 200]
        assert ways and all(self.lost[way] for way in ways), f"too few datagrams to lose one: {self.passed}, {self.lost}"
        return " and ".join(f"{self.lost[way]} of {self.lost[way] + self.passed[way]} datagrams {way}" for way in ways) + " lost"


def play(server, seconds, seed):
    """Plays a game for so long; returns the answers by GUID, and what was asked for."""
    chance = random.Random(seed)
    posted = {}

    def post(event):
        event = event | {"guid": new_guid(chance)}
        status, answer = server.post(event)
        assert status == 202, (status, answer)
        posted[event["guid"]] = event

    post({"event": "startGame", "title": "Loss"})
    end, number = time.monotonic() + seconds, 0
    while time.monotonic() < end:
        number += 1
        post({"event": "askQuestion", "question": f"How many are {number} and {number}?", "answers": [f"{number}", f"{2 * number}", "0x"], "correct": f"{2 * number}", "allottedTime": 1})
        time.sleep(chance.uniform(0.3, 0.8))
        post({"event": "showResults", "counts": [number, 2, 3]})
        time.sleep(chance.uniform(0.3, 0.8))
        # At a time that is known before.
        post(cue(number, at=round(server.now()["at"] + 0.5, 3)))
        time.sleep(chance.uniform(0.5, 0.9))
    post({"event": "endGame"})
    time.sleep(3)
    return posted


def known(cuelight, path, posted, events):
    """Proves that a reader of a stream knows each event soon; returns how soon."""

    def lines(command):
        done = subprocess.run([cuelight, command, "--json", path], stdin=subprocess.DEVNULL, capture_output=True, timeout=120)
        assert done.returncode in (0, 65), f"{command}: status {done.returncode}: {done.stderr.decode()[-300:]}"
        return [json.loads(line) for line in done.stdout.decode().splitlines()]

    inspected, replayed = lines("inspect"), lines("replay")
    firsts = {}
    for line in inspected:
        if line["type"] == "copy" and line["verified"]:
            firsts.setdefault(line["guid"], line)
    delays = []
    for guid, event in posted.items():
        status = events[guid]
        assert guid in firsts, f"{event['event']} {status['sequence']} at {status['at']} is not known"
        # By the stream's own clock, which no reader's idea of the beginning changes.
        delay = signed(firsts[guid]["pts"] - status["pts"]) / 90_000
        assert -0.001 <= delay <= MOST_DELAY, f"{event['event']} {status['sequence']} at {status['at']} is known {delay:.3f} s later"
        assert abs(firsts[guid]["event"]["at"] - status["at"]) < 0.001, f"{guid}: {firsts[guid]['event']} and {status}"
        if "at" in event:
            assert -0.001 <= status["at"] - event["at"] <= MOST_DELAY, f"asked for at {event['at']}, it is at {status['at']}"
        delays.append(delay)
    seen = {}
    for line in replayed:
        if line["type"] == "transition" and line["guid"]:
            seen.setdefault(line["guid"], line["time"] - line["eventTime"])
    unseen = [guid for guid in posted if guid not in seen]
    assert not unseen, f"{len(unseen)} of {len(posted)} events change nothing for `replay`"
    late = sum(delay > 0.001 for delay in delays)
    return f"all {len(posted)} events are known, {late} of them by a later copy, {max(delays):.3f} s at most behind their time, of {MOST_DELAY} s"


def no_gap(data, least):
    stream = Stream(data)
    assert not stream.errors, f"{len(stream.errors)} continuity errors: {stream.errors[:3]}"
    assert len(stream.video) >= least, f"{len(stream.video)} frames, of {least} at least"
    return f"no continuity error in {len(data) // 188} packets and {len(stream.video)} frames, places 1 to {numbers(stream)}"


def srt(lines, options):
    """SRT, there and back again: nothing of what the datagrams carry is lost."""
    folder = options.folder / "srt"
    folder.mkdir(parents=True)
    source, sink = free_port(socket.SOCK_DGRAM), free_port(socket.SOCK_DGRAM)
    recording, received = folder / "show.ts", folder / "received.ts"
    reader = subprocess.Popen(
        # The bytes as they are: no demuxer looks at them.
        ["ffmpeg", "-nostdin", "-v", "error", "-y", "-f", "data", "-i", f"srt://127.0.0.1:{sink}?mode=listener&latency={LATENCY}", "-map", "0", "-c", "copy", "-f", "data", received],
        stdout=subprocess.DEVNULL, stderr=open(folder / "reader.log", "wb"))
    try:
        with LossyProxy(source, options.srt, options.seed) as there, LossyProxy(sink, options.srt, options.seed + 1) as back, Server(
                options.server, f"srt://127.0.0.1:{source}?mode=listener&latency={LATENCY}", "-o", recording, "-o", f"srt://127.0.0.1:{back.port}?latency={LATENCY}",
                "--journal", folder / "journal", "--game", "srt", log=folder / "server.log") as server:
            with Publisher(options.clip, f"srt://127.0.0.1:{there.port}?pkt_size=1316&latency={LATENCY}", log=folder / "ffmpeg.log"):
                wait_until(server.is_ready, 30, "the input comes")
                wait_until(lambda: back.passed["there"] > 50, 30, "the output goes")
                posted = play(server, options.seconds, options.seed)
                events, gone = server.events(), server.metric("discontinuities_total")
                server.stop()
            reader.wait(timeout=30)
    finally:
        if reader.poll() is None:
            reader.kill()
            reader.wait()
    least = options.seconds * 25

    def whole_input():
        assert gone == 0, f"{gone:.0f} discontinuities"
        return f"{there.said('there', 'back')}; {no_gap(whole(recording), least)}"

    lines.prove(f"SRT input, {options.srt:g} %", whole_input)
    lines.prove(f"SRT input, {options.srt:g} %, events", lambda: known(options.cuelight, recording, posted, events))
    lines.prove(f"SRT output, {options.srt:g} %", lambda: f"{back.said('there', 'back')}; {no_gap(whole(received), least)}")
    lines.prove(f"SRT output, {options.srt:g} %, events", lambda: known(options.cuelight, received, posted, events))


def datagrams(lines, options):
    """UDP, there and back again: what is lost is lost, and events are known all the same."""
    folder = options.folder / "udp"
    folder.mkdir(parents=True)
    source = free_port(socket.SOCK_DGRAM)
    recording, received = folder / "show.ts", folder / "received.ts"
    with Receiver() as receiver, LossyProxy(source, options.udp, options.seed + 2) as there, LossyProxy(receiver.port, options.udp, options.seed + 3) as back, Server(
            options.server, f"udp://127.0.0.1:{source}", "-o", recording, "-o", udp(back.port), "--journal", folder / "journal",
            "--game", "udp", log=folder / "server.log") as server:
        with Publisher(options.clip, udp(there.port), log=folder / "ffmpeg.log"):
            wait_until(server.is_ready, 20, "the input comes")
            wait_until(lambda: len(receiver.datagrams) > 50, 10, "the stream comes by UDP")
            posted = play(server, options.seconds, options.seed)
            events, gone = server.events(), server.metric("discontinuities_total")
            server.stop()
        time.sleep(0.3)
    received.write_bytes(receiver.data)

    def goes_on():
        assert gone == 0, f"{gone:.0f} discontinuities"
        stream = Stream(whole(recording))
        assert stream.errors, "nothing is missing in the stream"
        return f"{there.said('there')}; {len(stream.errors)} gaps of the input go through, and make no discontinuity of the timeline; places 1 to {numbers(stream)}"

    lines.prove(f"UDP input, {options.udp:g} %", goes_on)
    lines.prove(f"UDP input, {options.udp:g} %, events", lambda: known(options.cuelight, recording, posted, events))
    lines.prove(f"UDP output, {options.udp:g} %", back.said, "there")
    lines.prove(f"UDP output, {options.udp:g} %, events", lambda: known(options.cuelight, received, posted, events))


def run(lines, options):
    for name, body in [("SRT", srt), ("UDP", datagrams)]:
        try:
            body(lines, options)
        except Exception as error:
            lines.fails(f"{name}: {type(error).__name__}: {error}")


if __name__ == "__main__":
    prove_and_end(run, "server", "cuelight", "clip", seconds=60.0, srt=5.0, udp=1.0, seed=1)
