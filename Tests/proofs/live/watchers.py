"""Lets programs that nobody here wrote watch a live server while it runs, one line a fact: PyAV, tshark, GStreamer, hls.js and video.js.

    python3 -m proofs.live.watchers --server PROGRAM --clip CLIP.ts --library FOLDER --folder FOR_ITS_FILES [--seconds 40] [--seed 1]

The library is that of scripts/check-players. ffmpeg publishes by UDP.
"""

import collections
import random
import signal
import socket
import struct
import subprocess
import threading
import time

from proofs.facts import prove_and_end
from proofs.live.peers import watch_by_pyav
from proofs.live.players import WebPlayer
from proofs.live.playlists import Watch
from proofs.live.server import Publisher, Receiver, Server, cue, new_guid, udp
from proofs.processes import free_port, in_background, wait_until
from proofs.stream import Stream, whole

# How long everybody watches on behind the last event, in seconds: players are some segments behind.
AFTER = 14


class Tshark:
    """tshark that dissects the datagrams of a receiver as they come, out of a pipe: that needs no rights."""

    # What a capture in the file format begins with; the packets begin with their IPv4 headers.
    HEADER = struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 101)

    def __init__(self, receiver, folder):
        self.lines = []
        self.process = subprocess.Popen(
            ["tshark", "-l", "-i", "-", "-o", "mpeg_sect.verify_crc:TRUE", "-d", f"udp.port=={receiver.port},mp2t", "-T", "fields", "-E", "aggregator=,", "-e", "mp2t.pid", "-e", "_ws.malformed",
             "-e", "mp2t.cc.drop", "-e", "_ws.expert.message", "-e", "mpeg_pmt.stream.elementary_pid"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=open(folder / "tshark.log", "wb"))
        self.process.stdin.write(self.HEADER)
        self.receiver, self.count, self.is_running = receiver, 0, True
        self.threads = [threading.Thread(target=body, daemon=True) for body in (self.feed, self.read)]
        for thread in self.threads:
            thread.start()

    def feed(self):
        while self.is_running or self.count < len(self.receiver.datagrams):
            for _, data in self.receiver.datagrams[self.count:]:
                address = bytes([127, 0, 0, 1])
                packet = struct.pack(">BBHHHBBH4s4s", 0x45, 0, 28 + len(data), 0, 0, 64, 17, 0, address, address) + struct.pack(">HHHH", 40_000, self.receiver.port, 8 + len(data), 0) + data
                self.process.stdin.write(struct.pack("<IIII", 0, self.count, len(packet), len(packet)) + packet)
                self.count += 1
            self.process.stdin.flush()
            time.sleep(0.05)
        self.process.stdin.close()

    def read(self):
        for line in self.process.stdout:
            self.lines.append(line.decode().rstrip("\n").split("\t"))

    def end(self):
        self.is_running = False
        for thread in self.threads:
            thread.join(60)
        self.process.wait(timeout=60)

    def check(self):
        assert self.process.returncode == 0, f"status {self.process.returncode}"
        assert len(self.lines) == self.count, f"tshark says something about {len(self.lines)} of {self.count} datagrams"
        names = ("malformed", "missing by their counters", "to complain about")
        for index, name in enumerate(names, 1):
            found = [(number, line[index]) for number, line in enumerate(self.lines) if line[index]]
            assert not found, f"{len(found)} datagrams are {name}: {found[:3]}"
        pids = collections.Counter(pid for line in self.lines for pid in line[0].split(","))
        maps = sum(bool(line[4]) for line in self.lines)
        assert maps, "tshark sees no program map"
        return f"tshark dissects {self.count} datagrams with {sum(pids.values())} packets of {len(pids)} PIDs and {maps} program maps: none malformed, none missing"


class GStreamer:
    """A pipeline that demultiplexes and decodes, and keeps what it was given: this demultiplexer knows no timed ID3."""

    def __init__(self, name, source, folder):
        self.name, self.given, self.log = name, folder / f"{name}.ts", folder / f"{name}.log"
        self.pictures = folder / f"{name}.gray"
        pipeline = [*source, "!", "tee", "name=t", "t.", "!", "queue", "!", "filesink", f"location={self.given}", "buffer-mode=unbuffered", "async=false", "t.", "!", "queue", "!", "tsdemux", "name=d"]
        # Each picture as so many bytes, to count them.
        pipeline += ["d.", "!", "video/x-h264", "!", "queue", "!", "h264parse", "!", "avdec_h264", "!", "videoscale", "!", "videoconvert", "!",
                     "video/x-raw,format=GRAY8,width=16,height=16", "!", "filesink", f"location={self.pictures}", "buffer-mode=unbuffered", "sync=false", "async=false"]
        pipeline += ["d.", "!", "audio/mpeg", "!", "queue", "!", "aacparse", "!", "avdec_aac", "!", "fakesink", "sync=false", "async=false"]
        self.process = subprocess.Popen(["gst-launch-1.0", *pipeline], stdin=subprocess.DEVNULL, stdout=open(self.log, "wb"), stderr=subprocess.STDOUT)

    def has_begun(self):
        assert self.process.poll() is None, f"{self.name} has ended: {self.log.read_text()[-500:]}"
        return self.given.exists() and Stream(whole(self.given)).tags

    def end(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
        try:
            self.process.wait(timeout=20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    def check(self, guids):
        said = self.log.read_text(errors="replace")
        wrong = [line for line in said.split("\n") if line.startswith(("WARNING", "ERROR")) or " WARN " in line]
        assert not wrong, f"{wrong[:3]}"
        assert self.process.returncode == 0, f"status {self.process.returncode}"
        pictures, stream = self.pictures.stat().st_size // 256, Stream(whole(self.given))
        missing = [guid for guid in guids if guid not in stream.guids]
        assert not missing, f"{len(missing)} of {len(guids)} events are missing"
        # The end may be cut off within a picture, and before the first one to decode with there may be others.
        assert pictures >= len(stream.video) - 30, f"{pictures} of {len(stream.video)} pictures are decoded"
        return f"GStreamer decodes {pictures} of {len(stream.video)} pictures without a warning, and is given all {len(guids)} events"


def play(server, seconds, seed):
    """Plays a game for so long; returns the events in their order."""
    chance = random.Random(seed)
    guids = []

    def post(event):
        status, answer = server.post(event | {"guid": new_guid(chance)}, "?wait=placed")
        assert status == 202 and answer["state"] in ("placed", "published"), (status, answer)
        guids.append(answer["guid"])

    end, number = time.monotonic() + seconds, 0
    while time.monotonic() < end:
        number += 1
        post({"event": "askQuestion", "question": f"How many are {number} and {number}?", "answers": [f"{number}", f"{2 * number}", "0x"], "correct": f"{2 * number}", "allottedTime": 1})
        time.sleep(chance.uniform(0.5, 1.5))
        post({"event": "showResults", "counts": [number, 2, 3]})
        post(cue(number))
        time.sleep(chance.uniform(0.5, 1.5))
    post({"event": "endGame"})
    return guids


def run(lines, options):
    folder = options.folder
    source, sink = free_port(socket.SOCK_DGRAM), free_port(socket.SOCK_DGRAM)
    watch, pyav = Watch(), {}
    with Receiver() as receiver, Server(
            options.server, f"udp://127.0.0.1:{source}", "-o", udp(receiver.port), "-o", udp(sink),
            "--journal", folder / "journal", "--game", "watchers", "--segment-duration", 2, "--window", 8, log=folder / "server.log") as server, Publisher(
                options.clip, udp(source), log=folder / "ffmpeg.log"):
        url = f"http://127.0.0.1:{server.port}/live/live/index.m3u8"
        watch.begin(server.port)
        wait_until(lambda: server.get("/live/live/index.m3u8")[0] == 200, 20, "a playlist")
        assert server.post({"event": "startGame", "title": "Watchers"}, "?wait=placed")[0] == 202
        tshark = Tshark(receiver, folder)
        by_udp = GStreamer("tsdemux", ["udpsrc", "address=127.0.0.1", f"port={sink}", "buffer-size=4194304", "caps=video/mpegts,packetsize=188"], folder)
        by_hls = GStreamer("hlsdemux", ["souphttpsrc", f"location={url}", "!", "hlsdemux"], folder)
        players = [WebPlayer(name, options.library, url, options.seconds + AFTER + 10) for name in ("hls.js", "video.js")]
        try:
            # The game has begun: with its next copy they all have it.
            for pipeline in (by_udp, by_hls):
                wait_until(pipeline.has_begun, 40, f"{pipeline.name} has a tag")
            viewer = in_background(watch_by_pyav, url, options.seconds + AFTER, pyav)
            guids = play(server, options.seconds, options.seed)
            wait_until(lambda: server.events()[guids[-1]]["state"] == "published", 20, "the last event is published")
            last = server.events()[guids[-1]]["segments"][0]
            # By then it has left the window: whoever watched has seen it.
            wait_until(lambda: watch.last.sequence > last, 60, "the window goes on")
            viewer.join(timeout=60)
        finally:
            for each in (by_udp, by_hls, tshark):
                each.end()
            for player in players:
                player.thread.join(120)
        server.stop()
    watch.end()

    def by_pyav():
        assert "error" not in pyav, pyav["error"]
        missing = [guid for guid in guids if guid not in pyav.get("tags", [])]
        assert not missing, f"{len(missing)} of {len(guids)} events are missing"
        return f"PyAV decodes {pyav['frames']} frames of live HLS and reads all {len(guids)} events"

    def playlists():
        assert not watch.problems, f"{len(watch.problems)}: " + "; ".join(watch.problems[:5])
        return f"{watch.versions} versions keep the rules"

    lines.prove_all("while it runs", [
        ("tshark", tshark.check), ("GStreamer, UDP", lambda: by_udp.check(guids)), ("GStreamer, HLS", lambda: by_hls.check(guids)),
        ("PyAV", by_pyav), *[(player.name, lambda player=player: player.check(watch)) for player in players], ("playlists", playlists)])


if __name__ == "__main__":
    prove_and_end(run, "server", "clip", "library", seconds=40.0, seed=1)
