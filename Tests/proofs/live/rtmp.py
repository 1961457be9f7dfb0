"""Lets ffmpeg, GStreamer and a publisher of its own publish by RTMP to a live server, and prints a line for each fact.

    python3 -m proofs.live.rtmp --server PROGRAM --cuelight PROGRAM --clip CLIP.ts --folder FOR_ITS_FILES [--seconds 20]
"""

import base64
import json
import os
import re
import socket
import struct
import subprocess
import time

from proofs.client import JSON
from proofs.facts import prove_and_end
from proofs.live import peers
from proofs.live.server import Server
from proofs.processes import ffmpeg, free_port, in_background, wait_until
from proofs.stream import Stream, whole

TOKEN = "publish-0123456789abcdef"


class FFmpeg:
    """ffmpeg that publishes a clip again and again, at its own pace."""

    def __init__(self, clip, address, log=None, loops=True):
        self.process = subprocess.Popen(
            ["ffmpeg", "-nostdin", "-v", "error", "-re", *(["-stream_loop", "-1"] if loops else []), "-i", clip, "-c", "copy", "-f", "flv", address],
            stdout=subprocess.DEVNULL, stderr=open(log, "ab") if log else subprocess.DEVNULL)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()


class GStreamer(FFmpeg):
    """GStreamer that publishes a clip once."""

    def __init__(self, clip, address, log=None):
        pipeline = (f"filesrc location={clip} ! tsdemux name=demux demux. ! queue ! h264parse ! mux. demux. ! queue ! aacparse ! mux. "
                    f"flvmux name=mux streamable=true ! rtmp2sink sync=true location={address}")
        self.process = subprocess.Popen(
            ["gst-launch-1.0", "-q", *pipeline.split()], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=open(log, "ab") if log else subprocess.DEVNULL)


def amf(value):
    """A value in AMF 0."""
    if value is None:
        return b"\5"
    if isinstance(value, bool):
        return bytes([1, value])
    if isinstance(value, (int, float)):
        return b"\0" + struct.pack(">d", value)
    if isinstance(value, str):
        data = value.encode()
        return b"\2" + struct.pack(">H", len(data)) + data
    if isinstance(value, list):
        return b"\12" + struct.pack(">I", len(value)) + b"".join(map(amf, value))
    return b"\3" + b"".join(amf(key)[1:] + amf(member) for key, member in value.items()) + b"\0\0\11"


class Encoder:
    """A publisher that sends the tags of an FLV file as messages, and data between them."""

    def __init__(self, port, application, key):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=10)
        self.answers = b""
        self.socket.sendall(b"\3" + bytes(8) + os.urandom(1528))
        answer = self.read(1 + 2 * 1536)
        assert answer[0] == 3, "the server's version is not 3"
        self.socket.sendall(answer[1:1537])
        self.command(0, "connect", 1, {"app": application, "tcUrl": f"rtmp://127.0.0.1:{port}/{application}"})
        self.command(0, "createStream", 2, None)
        self.command(1, "publish", 3, None, key, "live")
        self.reader = in_background(self.listen)

    def read(self, count):
        data = b""
        while len(data) < count:
            part = self.socket.recv(count - len(data))
            assert part, "the server has closed the connection"
            data += part
        return data

    def listen(self):
        try:
            while part := self.socket.recv(65536):
                self.answers += part
        except OSError:
            pass

    def send(self, kind, timestamp, payload, stream=1):
        """A message in chunks of 128 bytes on a chunk stream of its kind."""
        chunk = {8: 4, 9: 6, 18: 5}.get(kind, 3)
        header = bytes([chunk]) + struct.pack(">I", timestamp)[1:] + struct.pack(">I", len(payload))[1:] + bytes([kind]) + struct.pack("<I", stream)
        parts = [payload[start:start + 128] for start in range(0, len(payload), 128)]
        self.socket.sendall(header + bytes([0xC0 | chunk]).join(parts))

    def command(self, stream, *values):
        self.send(20, 0, b"".join(map(amf, values)), stream)

    def data(self, timestamp, *values):
        self.send(18, timestamp, b"".join(map(amf, values)))

    def play(self, flv, between):
        """Sends the tags at their times; `between(timestamp)` is called in front of each video frame."""
        at, start = 13, time.monotonic()
        while at + 11 <= len(flv):
            kind, size = flv[at], int.from_bytes(flv[at + 1:at + 4], "big")
            timestamp = int.from_bytes(flv[at + 4:at + 7], "big") | flv[at + 7] << 24
            if kind == 9:
                between(timestamp)
            wait = start + timestamp / 1000 - time.monotonic()
            if wait > 0:
                time.sleep(wait)
            self.send(kind, timestamp, flv[at + 11:at + 11 + size])
            at += 15 + size


def tokens(folder):
    """A file with a token to publish."""
    path = folder / "tokens"
    path.write_text(f"publish {TOKEN}\n")
    path.chmod(0o600)
    return path


def keys(options):
    """Wrong keys and applications are refused, the right key is not."""
    folder = options.folder / "keys"
    folder.mkdir(parents=True)
    port = free_port()
    with Server(options.server, f"rtmp://127.0.0.1:{port}/live", "--token-file", tokens(folder), log=folder / "server.log") as server:
        for path in ("live/wrong", f"other/{TOKEN}"):
            with FFmpeg(options.clip, f"rtmp://127.0.0.1:{port}/{path}", loops=False) as wrong:
                assert wrong.process.wait(timeout=15) != 0, f"{path} was taken"
            assert not server.is_ready(), "bytes of a stranger came in"
        with FFmpeg(options.clip, f"rtmp://127.0.0.1:{port}/live/{TOKEN}") as first:
            wait_until(server.is_ready, 15, "the right publisher comes in")
            with FFmpeg(options.clip, f"rtmp://127.0.0.1:{port}/live/{TOKEN}", loops=False) as second:
                assert second.process.wait(timeout=15) != 0, "a second publisher was taken"
            assert first.process.poll() is None and server.is_ready(), "the first publisher was disturbed"
        server.stop()
    assert TOKEN not in (folder / "server.log").read_text(), "the key is in the messages"
    return "a wrong key, a wrong application and a second publisher are refused, and the key is in no message"


def returns(options):
    """Publishers that are killed and come back, one after the other."""
    folder = options.folder / "returns"
    folder.mkdir(parents=True)
    port, rounds = free_port(), 4
    with Server(options.server, f"rtmp://127.0.0.1:{port}/live", "-o", folder / "show.ts", "--segment-duration", 1, "--window", 100, log=folder / "server.log") as server:
        posted = []
        for number in range(rounds):
            program = GStreamer if number % 2 else FFmpeg
            with program(options.clip, f"rtmp://127.0.0.1:{port}/live/any"):
                before = server.metric("input_bytes_total")
                wait_until(lambda: server.metric("input_bytes_total") > before + 20_000, 15, "bytes come")
                for _ in range(3):
                    status, answer = server.post({"event": "poll", "number": len(posted)}, "?wait=placed")
                    assert status == 202 and answer["state"] in ("placed", "published"), (status, answer)
                    posted.append((answer["guid"], answer["at"]))
                    time.sleep(0.4)
        wait_until(lambda: all(event["state"] == "published" for event in server.events().values()), 15, "the last segment")
        discontinuities = server.metric("discontinuities_total")
        server.stop()
    stream = Stream(whole(folder / "show.ts"))
    assert all(guid in stream.guids for guid, _ in posted), "an event is missing"
    times = [at for _, at in posted]
    assert times == sorted(times), "programme time goes back"
    assert discontinuities == rounds - 1, f"{discontinuities} discontinuities for {rounds} publishers"
    return f"{rounds} publishers, ffmpeg and GStreamer in turn, killed: {len(posted)} events, programme time goes on, {rounds - 1} discontinuities"


def together(options):
    """Two streams at once over one port, as renditions of one programme."""
    folder = options.folder / "together"
    folder.mkdir(parents=True)
    small = folder / "small.ts"
    ffmpeg("-i", options.clip, "-t", "30", "-vf", "scale=160:-2", "-c:v", "libx264", "-preset", "veryfast", "-g", "25", "-flags", "+cgop", "-bf", "2", "-c:a", "copy", small)
    port = free_port()
    with Server(options.server, f"rtmp://127.0.0.1:{port}/main", "--variant", f"rtmp://127.0.0.1:{port}/small", "--segment-duration", 1, log=folder / "server.log") as server:
        command = ["ffmpeg", "-nostdin", "-v", "error", "-re", "-i", options.clip, "-re", "-i", small, "-map", "0", "-c", "copy", "-f", "flv", f"rtmp://127.0.0.1:{port}/main/a",
                   "-map", "1", "-c", "copy", "-f", "flv", f"rtmp://127.0.0.1:{port}/small/b"]
        with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=open(folder / "ffmpeg.log", "wb")) as publisher:
            try:
                wait_until(server.is_ready, 20, "the input comes")
                assert server.post({"event": "poll"}, "?wait=placed")[0] == 202
                wait_until(lambda: server.metric("segments_total") >= 6, 30, "six segments")
                text = server.get("/live/live/index.m3u8")[2].decode()
                media = [line for line in text.splitlines() if line.endswith(".m3u8")]
                counts = [len([line for line in server.get(f"/live/live/{name}")[2].decode().splitlines() if line.startswith("#EXTINF")]) for name in media]
                gaps = sum(server.get(f"/live/live/{name}")[2].decode().count("EXT-X-GAP") for name in media)
            finally:
                publisher.kill()
        server.stop()
    assert len(media) == 2 and min(counts) >= 3 and gaps == 0, f"{media}: {counts} segments, {gaps} gaps"
    return f"two applications on one port are two renditions, {min(counts)} segments each, no gap"


def data(options):
    """Data that an encoder sends are events, by Wowza's rules."""
    folder = options.folder / "data"
    folder.mkdir(parents=True)
    flv = folder / "clip.flv"
    ffmpeg("-i", options.clip, "-t", "6", "-c", "copy", "-flvflags", "no_duration_filesize", flv)
    port = free_port()
    with Server(options.server, f"rtmp://127.0.0.1:{port}/live", "-o", folder / "show.ts", "--game", "data", log=folder / "server.log") as server:
        encoder = Encoder(port, "live", "any")
        sent = {
            1000: ("onTextData", {"text": "Grüße", "wowzaConverter": "basic_json", "guid": "text-1"}),
            1200: ("onTextData", {"text": "Grüße", "wowzaConverter": "basic_json", "guid": "text-1"}),
            2000: ("onCuePoint", {"name": "ad", "time": 1.5, "parameters": {"list": [1, True, None]}, "wowzaConverter": "basic_json"}),
            2500: ("anything", {"payload": "as it is", "wowzaConverter": "basic_string"}),
            3000: ("startGame", {"title": "From the encoder", "wowzaConverter": "basic_json", "guid": "start-1"}),
            3500: ("onTextData", {"text": "without a converter"}),
        }
        left = dict(sent)

        def between(timestamp):
            for due in [due for due in left if timestamp >= due]:
                encoder.data(timestamp, *left.pop(due))

        encoder.play(flv.read_bytes(), between)
        wait_until(lambda: len(server.events()) == 4 and all(event["state"] != "accepted" for event in server.events().values()), 10, "four events are placed")
        encoder.socket.close()
        server.stop()
    assert b"NetStream.Publish.Start" in encoder.answers, "publishing was not answered"
    stream = Stream(whole(folder / "show.ts"))
    said = {tags[0].event["eventType"]: tags[0] for tags in stream.guids.values()}
    assert len(stream.guids) == 4, f"{len(stream.guids)} events"
    text, cue, anything, start = (said[name].event for name in ("onTextData", "onCuePoint", "anything", "startGame"))
    assert text["guid"] == "text-1" and text["text"] == "Grüße" and "wowzaConverter" not in text, text
    assert cue["name"] == "ad" and float(cue["time"]) == 1.5 and cue["parameters"]["list"][1:] == [True, None], cue
    assert anything["payload"] == "as it is" and start["title"] == "From the encoder", (anything, start)
    log = (folder / "server.log").read_text()
    assert log.count("has no wowzaConverter") == 1, log
    worst = max(abs(float(event["at"]) - due / 1000) for event, due in ((text, 1.0e3), (cue, 2.0e3), (anything, 2.5e3), (start, 3.0e3)))
    assert worst < 0.3, f"an event is {worst:.2f} s from where it was sent"
    return f"four events of six data messages, a repeat and one without a converter among them, within {worst * 1000:.0f} ms of their place"


def adapters(options):
    """Wowza's and OvenMediaEngine's interfaces, as their own examples call them."""
    folder = options.folder / "adapters"
    folder.mkdir(parents=True)
    port = free_port()
    application = "/v1/server/plugin/metaDataInjection/applications/vod/streams/show"
    with Server(options.server, f"rtmp://127.0.0.1:{port}/vod", "--name", "show", "--token-file", tokens(folder), "-o", folder / "show.ts", log=folder / "server.log") as server:
        key = JSON | {"metadata-api-key": TOKEN}
        basic = JSON | {"Authorization": "Basic " + base64.b64encode(TOKEN.encode()).decode()}
        event = {"event": "dataTest", "delay": 200, "repeat": 3, "repeatInterval": 50, "injectTime": True, "id3": True, "data": {"stringTest": "apple", "doubleTest": 1.123}}
        status, _, body = server.call("POST", application, json.dumps(event), key)
        assert status == 404 and json.loads(body)["reason"] == "stream not found: show", (status, body)
        with FFmpeg(options.clip, f"rtmp://127.0.0.1:{port}/vod/{TOKEN}"):
            wait_until(server.is_ready, 15, "the input comes")
            status, headers, body = server.call("POST", application, json.dumps(event), key)
            assert status == 201 and headers["access-control-allow-origin"] == "*" and re.fullmatch(rb'\{"status":"success", "guid":"[0-9a-f-]{36}", "count":3, "inserted_at":\[("[\d-]{10}T[\d:.]{12}Z",?){3}\]\}', body), (status, headers, body)
            guid = json.loads(body)["guid"]
            again = server.call("GET", f"/v1/server/plugin/metaDataInjection/injections/{guid}", headers=key)
            assert again[0] == 200 and again[2] == body, again
            refused = server.call("POST", application, json.dumps(event), JSON)
            assert refused[0] == 401 and refused[2] == b"", refused
            event = {"eventFormat": "id3v2", "eventType": "video", "events": [{"frameType": "TXXX", "info": "AirenSoft", "data": "OvenMediaEngine"}]}
            sent = server.call("POST", "/v1/vhosts/default/apps/vod/streams/show:sendEvent", json.dumps(event), basic)
            assert sent[0] == 200 and sent[2] == b'{"statusCode":200,"message":"OK"}', sent
            time.sleep(1)
        server.stop()
    stream = Stream(whole(folder / "show.ts"))
    said = {tags[0].event["eventType"]: tags[0].event for tags in stream.guids.values()}
    assert said["dataTest"]["stringTest"] == "apple" and said["dataTest"]["guid"] == guid and said["dataTest"]["injectTime"] > 0, said
    assert said["AirenSoft"]["data"] == "OvenMediaEngine", said
    return "both interfaces answer byte for byte, and both events are in the stream"


def run(lines, options):
    lines.prove_all("RTMP", {"keys": keys, "returns": returns, "together": together, "data": data, "adapters": adapters}, options)
    for name, program in [("ffmpeg", FFmpeg), ("GStreamer", GStreamer)]:
        port = free_port()
        address = f"rtmp://127.0.0.1:{port}/live"
        lines.prove(f"RTMP by {name}, session", lambda: peers.session(
            lines, options, f"rtmp-{name}", address, lambda folder: program(options.clip, f"{address}/any", log=folder / "publisher.log")) or "ended")


if __name__ == "__main__":
    prove_and_end(run, "server", "cuelight", "clip")
