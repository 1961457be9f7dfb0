"""Pushes a live stream to three origins at once, beside a UDP output and a recording: nginx with DAV, a strict ingest of DASH-IF's interface 1, and moto's
S3. Each is slowed and killed in turn, and nobody else loses anything: neither the encoder, nor the events, nor the other outputs.

    python3 -m proofs.live.origins --server PROGRAM --clip CLIP --folder FOR_ITS_FILES [--seed 1]
"""

import contextlib
import os
import random
import re
import socket
import time

import boto3

from proofs.facts import prove_and_end
from proofs.live.pair import unbroken
from proofs.live.pushes import KEYS, Ingest, Nginx, frames, is_whole, moto
from proofs.live.server import Poster, Publisher, Receiver, Server, udp
from proofs.processes import free_port, in_background, new_folder, wait_until
from proofs.stream import Stream, whole

# What a slow origin takes, in bytes a second: a sixth of the stream. For how long an origin is away, in seconds; and what an answer, and the way to the
# output, may take meanwhile on a busy machine.
SLOW, AWAY, MOST = 8_000, 6, 2
WINDOW = 8


class Throttle:
    """Passes connections on to a port, as slowly as it is told."""

    def __init__(self, target):
        self.target, self.rate, self.connections = target, None, set()
        self.socket = socket.socket()
        # So that what waits does not wait in here.
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 8 << 10)
        self.socket.bind(("127.0.0.1", 0))
        self.socket.listen(64)
        self.port = self.socket.getsockname()[1]
        in_background(self.accept)

    def accept(self):
        while True:
            client, _ = self.socket.accept()
            try:
                origin = socket.create_connection(("127.0.0.1", self.target), timeout=5)
            except OSError:
                client.close()
                continue
            origin.settimeout(None)
            self.connections |= {client, origin}
            in_background(self.copy, client, origin, True)
            in_background(self.copy, origin, client, False)

    def copy(self, source, sink, is_slow):
        with contextlib.suppress(OSError):
            while data := source.recv(2 << 10):
                if is_slow and self.rate:
                    time.sleep(len(data) / self.rate)
                sink.sendall(data)
        for end in (source, sink):
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)

    def cut(self):
        """Ends all connections, as those of a machine that is gone."""
        while self.connections:
            end = self.connections.pop()
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
            end.close()


class Origin:
    """An origin behind a throttle, which can be killed and started again."""

    def __init__(self, port):
        self.throttle = Throttle(port)

    def kill(self):
        self.end()
        self.throttle.cut()


class Storage(Origin):
    name = "nginx"

    def __init__(self, folder):
        self.nginx = Nginx(folder)
        super().__init__(self.nginx.port)
        self.address = f"http://127.0.0.1:{self.throttle.port}/live/index.m3u8"

    def start(self):
        self.nginx.start()

    def end(self):
        self.nginx.process.kill()
        self.nginx.process.wait()


class StrictIngest(Origin):
    name = "ingest"

    def __init__(self):
        self.all = [Ingest()]
        self.port = self.all[0].server_address[1]
        super().__init__(self.port)
        self.address = f"cmaf+http://127.0.0.1:{self.throttle.port}/point"

    def start(self):
        # It knows of no header yet.
        self.all.append(Ingest(self.port))

    def end(self):
        self.all[-1].shutdown()
        self.all[-1].server_close()


class Bucket(Origin):
    name = "S3"

    def __init__(self, folder):
        self.folder, self.port = folder, free_port()
        self.start()
        super().__init__(self.port)
        self.address = "s3://shows/friday/index.m3u8"

    def start(self):
        self.running = contextlib.ExitStack()
        address, self.process = self.running.enter_context(moto(self.folder, self.port))
        self.client = boto3.client(
            "s3", endpoint_url=address, region_name=KEYS["AWS_REGION"], aws_access_key_id=KEYS["AWS_ACCESS_KEY_ID"],
            aws_secret_access_key=KEYS["AWS_SECRET_ACCESS_KEY"])
        self.client.create_bucket(Bucket="shows", CreateBucketConfiguration={"LocationConstraint": KEYS["AWS_REGION"]})

    def end(self):
        self.running.close()


class OriginPoster(Poster):
    """Posts events, and knows how long the answers take."""

    def __init__(self, server, seed):
        self.server, self.delays = server, []
        super().__init__(seed)

    def post(self):
        guid, event = self.next()
        started = time.monotonic()
        status, answer = self.server.post(event)
        assert status == 202, answer
        self.delays.append(time.monotonic() - started)
        self.accepted[guid] = answer
        time.sleep(self.random.uniform(0.2, 0.5))


def run(lines, options):
    folder, port, told = options.folder, free_port(socket.SOCK_DGRAM), {}
    os.environ.update(KEYS)
    origins = [Storage(folder / "nginx"), StrictIngest(), Bucket(new_folder(folder / "bucket"))]
    recording, log = folder / "stream.ts", folder / "server.log"
    receiver = Receiver()
    arguments = ["--segment-type", "fmp4", "--segment-duration", 1, "--window", WINDOW, "--s3-endpoint", f"http://127.0.0.1:{origins[2].throttle.port}", "-o", recording,
                 "-o", udp(receiver.port), *(word for origin in origins for word in ("-o", origin.address))]

    def lost(server):
        """The lost segments of each output, in the order of the origins."""
        text = server.get("/metrics")[2].decode()
        found = dict(re.findall(r'^cuelight_output_lost_segments_total\{.*?output="([^"]*)".*?\} (\d+)$', text, re.MULTILINE))
        return {origin.name: next(int(count) for name, count in found.items() if name.startswith(origin.address.partition("index")[0])) for origin in origins}

    def again():
        return log.read_text().count("it takes segments again")

    def disturb(server, origin):
        before = lost(server)
        origin.throttle.rate = SLOW
        wait_until(lambda: lost(server)[origin.name] > before[origin.name], 40, f"{origin.name} is too slow")
        origin.throttle.rate = None
        # What was on its way then is there, and all that follows.
        wait_until(lambda: steady(server, origin), 40, f"{origin.name} keeps up again")
        slow, count = lost(server), again()
        origin.kill()
        time.sleep(AWAY)
        origin.start()
        wait_until(lambda: again() > count, 40, f"{origin.name} takes segments again; the server has said {log.read_text()[-400:]}")
        wait_until(lambda: steady(server, origin), 40, f"{origin.name} keeps up again")
        after = lost(server)
        others = {name for name in after if name != origin.name and after[name] != before[name]}
        assert not others, f"while {origin.name} was away, {others} lost segments: {before}, {after}"
        assert after[origin.name] > slow[origin.name] > before[origin.name]
        return slow[origin.name] - before[origin.name], after[origin.name] - slow[origin.name]

    def steady(server, origin):
        count = lost(server)[origin.name]
        time.sleep(3)
        return lost(server)[origin.name] == count

    try:
        with Server(options.server, udp(port), *arguments, log=log) as server, Publisher(options.clip, udp(port)):
            wait_until(server.is_ready, 30, "the input comes")
            poster = OriginPoster(server, options.seed)
            time.sleep(4)
            for origin in origins:
                lines.prove(f"{origin.name}, slowed and killed", lambda: told.setdefault(origin.name, disturb(server, origin)) and (
                    f"{told[origin.name][0]} segments lost while it was slow, {told[origin.name][1]} while it was away, and none by the others"))
            poster.end()
            wait_until(lambda: all(event["state"] in ("placed", "published") for event in server.events().values()), 20, "all events are in the stream")
            # What a bucket had before it was gone is in no playlist any more.
            time.sleep(WINDOW + 2)
            discontinuities = server.get("/live/live/media.m3u8")[2].count(b"EXT-X-DISCONTINUITY\n")
            server.stop(10)
        receiver.close()
        check(lines, origins, receiver, recording, poster, discontinuities)
    finally:
        for origin in origins:
            with contextlib.suppress(Exception):
                origin.end()


def check(lines, origins, receiver, recording, poster, discontinuities):
    stream = Stream(receiver.data)

    def by_udp():
        assert not stream.errors, f"continuity counters: {stream.errors[:3]}"
        count = unbroken(stream.video)
        missing = [guid for guid in poster.accepted if guid not in stream.guids]
        assert not missing, f"{len(missing)} of {len(poster.accepted)} events are missing"
        moments = [moment for moment, _ in receiver.datagrams]
        longest = max(right - left for left, right in zip(moments, moments[1:]))
        assert longest < MOST, f"nothing came for {longest:.2f} s"
        delay = max(poster.delays)
        assert delay < MOST, f"an answer took {delay:.2f} s"
        return (f"{count} frames without a missing one, each of {len(poster.accepted)} events; nothing came for {longest:.2f} s at most, and an answer took {delay * 1000:.0f} ms "
                "at most")

    def recorded():
        is_whole(recording)
        found = Stream(whole(recording))
        assert not found.errors and discontinuities == 0, (found.errors[:3], discontinuities)
        missing = [guid for guid in poster.accepted if guid not in found.guids]
        assert not missing, f"{len(missing)} events"
        return f"{unbroken(found.video)} frames, and the events; no discontinuity in the playlists"

    def stored():
        storage, ingest, bucket = origins
        complaints = [complaint for each in ingest.all for complaint in each.complaints]
        assert not complaints, complaints[:3]
        assert b"lmsg" in ingest.all[-1].stored["/point/Streams(video.cmfv)"][-400_000:], "no lmsg"
        folder = bucket.folder / "files"
        folder.mkdir()
        for item in bucket.client.list_objects_v2(Bucket="shows")["Contents"]:
            (folder / item["Key"].rsplit("/", 1)[1]).write_bytes(bucket.client.get_object(Bucket="shows", Key=item["Key"])["Body"].read())
        counts = []
        for playlist in (storage.nginx.root / "live" / "media.m3u8", folder / "media.m3u8"):
            assert "#EXT-X-ENDLIST" in playlist.read_text()
            counts.append(frames(playlist))
            assert counts[-1] >= 100, counts
        return f"FFmpeg reads {counts[0]} frames of nginx and {counts[1]} of S3; the ingest complains of nothing, and has lmsg at the end"

    lines.prove_all("beside them", [("UDP", by_udp), ("the recording", recorded), ("what is stored", stored)])


if __name__ == "__main__":
    prove_and_end(run, "server", "clip", seed=1)
