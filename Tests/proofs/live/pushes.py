"""Pushes a live stream to origins that take it, are slow, fail and refuse, and reads back what they have stored, one line a fact.

    python3 -m proofs.live.pushes --server PROGRAM --clip CLIP --folder FOR_ITS_FILES

The origins: nginx with DAV, a strict ingest of DASH-IF's interface 1 that is written here, and moto for S3. FFmpeg reads what they have,
and PyAV the event track.
"""

import contextlib
import json
import os
import re
import signal
import socketserver
import subprocess
import sys
import threading
import time
import urllib.request
from http.server import BaseHTTPRequestHandler

import av

from proofs.facts import prove_and_end
from proofs.live.server import Server, cue
from proofs.processes import finished, free_port, new_folder, wait_until

KEYS = {"AWS_ACCESS_KEY_ID": "AKIDEXAMPLE", "AWS_SECRET_ACCESS_KEY": "SecretOfTheBucket", "AWS_REGION": "eu-west-1"}


class Nginx:
    """nginx that stores what is put."""

    def __init__(self, folder, refuses=False):
        self.port, self.folder = free_port(), new_folder(folder)
        self.root = new_folder(folder / "root")
        temporary = " ".join(f"{name}_temp_path {folder}/{name};" for name in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
        methods = "" if refuses else "dav_methods PUT DELETE; create_full_put_path on;"
        # One process, so that a signal stops all of it.
        (folder / "nginx.conf").write_text(
            f"daemon off; master_process off; user root; worker_processes 1; pid {folder}/pid; error_log {folder}/error.log; events {{}}\n"
            f"http {{ access_log {folder}/access.log; {temporary} client_max_body_size 64m;\n"
            f"server {{ listen 127.0.0.1:{self.port}; root {self.root}; {methods} }} }}\n")
        self.start()

    def start(self):
        (self.folder / "pid").unlink(missing_ok=True)
        command = ["nginx", "-p", self.folder, "-c", self.folder / "nginx.conf"]
        self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        wait_until(lambda: (self.folder / "pid").exists() and (self.folder / "pid").read_text(), 10, "nginx runs")

    def stop(self):
        self.process.terminate()
        self.process.wait()

    @property
    def log(self):
        return (self.folder / "access.log").read_text()


class Ingest(socketserver.ThreadingTCPServer):
    """A strict ingest: it wants a header first, one connection a track, rising numbers, `prft`; and fails as it is told."""

    allow_reuse_address, daemon_threads = True, True

    def __init__(self, port=0):
        super().__init__(("127.0.0.1", port), IngestHandler)
        self.lock = threading.Lock()
        self.headers, self.stored, self.numbers, self.connections = {}, {}, {}, {}
        self.faults, self.complaints, self.answers = [], [], []
        threading.Thread(target=self.serve_forever, daemon=True).start()

    @property
    def address(self):
        return f"127.0.0.1:{self.server_address[1]}"


def boxes(data):
    place = 0
    while place + 8 <= len(data):
        size = int.from_bytes(data[place : place + 4], "big")
        yield data[place + 4 : place + 8].decode("latin-1"), data[place : place + size]
        place += max(size, 8)


class IngestHandler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def content(self):
        if self.headers.get("Transfer-Encoding") != "chunked":
            return self.rfile.read(int(self.headers.get("Content-Length", 0)))
        content = b""
        while size := int(self.rfile.readline(), 16):
            content += self.rfile.read(size)
            self.rfile.readline()
        self.rfile.readline()
        return content

    def do_POST(self):
        server, content = self.server, self.content()
        fault = None
        with server.lock:
            if server.faults:
                fault = server.faults.pop(0)
        if fault == "reset":
            self.forget()
            self.close_connection = True
            return self.connection.close()
        if isinstance(fault, float):
            time.sleep(fault)
            fault = None
        status = fault or self.take(content)
        if status >= 400:
            self.forget()
        with server.lock:
            server.answers.append(status)
        self.send_response(status)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def forget(self):
        with self.server.lock:
            self.server.headers.pop(self.path, None)

    def take(self, content):
        server, path = self.server, self.path
        names = [name for name, _ in boxes(content)]
        with server.lock:
            if self.headers.get("DASH-IF-Ingest") != "1.1":
                server.complaints.append(f"{path}: no DASH-IF-Ingest")
            if not re.fullmatch(r"/point/Streams\([a-z0-9]+\.cmf[vam]\)", path):
                return 404
            server.connections.setdefault(path, set()).add(self.client_address[1])
            if "moov" in names:
                if path not in server.stored:
                    server.stored[path] = content
                server.headers[path] = content
                return 200
            if path not in server.headers:
                return 412
            if not path.endswith(".cmfm)") and "prft" not in names:
                server.complaints.append(f"{path}: no prft")
            for name, box in boxes(content):
                if name == "moof":
                    number = int.from_bytes(box[20:24], "big")
                    if number <= server.numbers.get(path, 0):
                        server.complaints.append(f"{path}: {number} after {server.numbers.get(path)}")
                    server.numbers[path] = number
            server.stored[path] += content
            return 200


class Stream:
    """A live stream of a file, with an event, and what the server has said."""

    def __init__(self, options, name, *arguments, environment=None):
        self.folder = new_folder(options.folder / name)
        self.log = self.folder / "server.log"
        self.recording = self.folder / "stream.ts"
        os.environ.update(environment or {})
        self.server = Server(
            options.server, options.clip, "--loop", "--segment-duration", 1, "-o", self.recording, *arguments, log=self.log)

    @property
    def said(self):
        return self.log.read_text()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.server.stop(8)

    def says(self, words, seconds=30):
        wait_until(lambda: words in self.said, seconds, f"it says: {words}; it has said: {self.said[-400:]}")

    def lost(self):
        found = re.search(r"^cuelight_output_lost_segments_total\{.*\} (\d+)$", self.server.get("/metrics")[2].decode(), re.M)
        return int(found[1])


def frames(path, *kind):
    """How many packets FFmpeg reads of a stream, without an error."""
    done = finished("ffprobe", "-v", "error", "-allowed_extensions", "ALL", "-select_streams", "v:0", "-count_packets", "-show_entries",
                    "stream=nb_read_packets", "-of", "csv=p=0", *kind, path)
    assert not done.stderr.strip(), done.stderr[:300]
    return int(done.stdout.strip().split("\n")[0].strip(","))


def is_whole(recording):
    """Whether the recording beside an origin has lost nothing: its counters go on."""
    done = finished("ffmpeg", "-nostdin", "-v", "warning", "-i", recording, "-c", "copy", "-f", "null", "-")
    assert "corrupt" not in done.stderr and "discontinuity" not in done.stderr, done.stderr[:300]


def nginx_stores(options, kind):
    origin = Nginx(options.folder / f"nginx-{kind}")
    url = f"http://127.0.0.1:{origin.port}/live/index.m3u8"
    arguments = ["--segment-type", kind, "--window", 3]
    try:
        with Stream(options, f"put-{kind}", "-o", url, *arguments) as stream:
            stream.server.post(cue(1))
            wait_until(lambda: "DELETE" in origin.log, 40, "old segments are removed")
            # Slow: nginx stands still. Killed: it is gone. What the encoder sends goes on.
            os.kill(origin.process.pid, signal.SIGSTOP)
            time.sleep(4)
            os.kill(origin.process.pid, signal.SIGCONT)
            origin.stop()
            time.sleep(7)
            origin.start()
            stream.says("it takes segments again")
            lost = stream.lost()
            time.sleep(5)
        is_whole(stream.recording)
        playlist = (origin.root / "live" / "media.m3u8").read_text()
        assert "#EXT-X-ENDLIST" in playlist, playlist[-200:]
        count = frames(origin.root / "live" / "media.m3u8")
        assert lost > 0 and count >= 50, (lost, count)
        return f"{lost} segments lost while nginx was away, told once, FFmpeg reads {count} frames of the rest, and the recording has all"
    finally:
        origin.stop()


def refused(options):
    origin = Nginx(options.folder / "nginx-refuses", refuses=True)
    try:
        url = f"http://127.0.0.1:{origin.port}/live/index.m3u8"
        done = subprocess.run(
            [options.server, "live", options.clip, "--loop", "--segment-duration", "1", "-o", url, "--listen", f"127.0.0.1:{free_port()}"],
            capture_output=True, text=True, timeout=40, stdin=subprocess.DEVNULL)
        assert done.returncode == 74 and "HTTP 405" in done.stderr, (done.returncode, done.stderr[-300:])
        return f"{done.stderr.strip().splitlines()[-1][:120]}"
    finally:
        origin.stop()


def ingest(options):
    origin = Ingest()
    arguments = ["--segment-type", "fmp4", "--event-track", "-o", f"cmaf+http://{origin.address}/point"]
    guids = []
    with Stream(options, "ingest", *arguments) as stream:
        for number in range(2):
            guids.append(stream.server.post(cue(number))[1]["guid"])
            wait_until(lambda: len(origin.answers) > 6 * number + 6, 40, "the ingest has segments")
        for fault in (412, 500, 403, "reset", 2.5):
            with origin.lock:
                origin.faults.append(fault)
                count = len(origin.answers)
            wait_until(lambda: len(origin.answers) > count + 8 and not origin.faults, 40, f"it goes on after {fault}")
        time.sleep(2)
        places = {guid: stream.server.events()[guid]["pts"] for guid in guids}
    is_whole(stream.recording)
    assert not origin.complaints, origin.complaints[:3]
    tracks = sorted(origin.stored)
    assert tracks == ["/point/Streams(audio1.cmfa)", "/point/Streams(events.cmfm)", "/point/Streams(video.cmfv)"], tracks
    read = []
    for path in tracks:
        assert b"lmsg" in origin.stored[path][-400_000:], f"{path}: no lmsg"
        file = stream.folder / re.search(r"\((.*)\)", path)[1].replace(".", "-")
        file = file.with_suffix(".mp4")
        file.write_bytes(origin.stored[path])
        done = finished("ffprobe", "-v", "error", "-count_packets", "-show_entries", "stream=codec_tag_string,nb_read_packets", "-of", "json", file)
        found = json.loads(done.stdout)["streams"][0]
        read.append(f"{found['codec_tag_string']} {found['nb_read_packets']}")
        assert int(found["nb_read_packets"]) > 3
        if path.endswith(".cmfm)"):
            samples = check_event_track(file, places)
    return (f"412, 500, 403, a reset and 2.5 s of silence; FFmpeg reads {', '.join(read)} packets, PyAV {samples} samples of the event track with both events at their times; "
            "lmsg at the end")


def check_event_track(file, places):
    """Proves by PyAV that the samples of an event track (ISO/IEC 23001-18) follow each other, and that each event has one time in all of them, as far from the
    others as the server says. Returns how many samples there are.
    """
    with av.open(str(file)) as container:
        (track,) = container.streams
        samples = [(packet.pts, packet.duration, bytes(packet)) for packet in container.demux(track) if packet.size]
        scale = track.time_base
    assert all(duration > 0 and time + duration <= after for (time, duration, _), (after, *_) in zip(samples, samples[1:])), "samples overlap"
    times = {}
    for time, _, data in samples:
        while data:
            size, kind = int.from_bytes(data[:4], "big"), data[4:8]
            assert kind in (b"emib", b"emeb") and 8 <= size <= len(data), (kind, size, len(data))
            if kind == b"emib":
                # A full box, 32 reserved bits, and the distance of the event from its sample.
                distance = int.from_bytes(data[16:24], "big", signed=True)
                for guid in places:
                    if guid.encode() in data[:size]:
                        times.setdefault(guid, set()).add((time + distance) * scale)
            data = data[size:]
    assert times.keys() == places.keys() and all(len(found) == 1 for found in times.values()), times
    (first, *_), (second, *_) = (times[guid] for guid in places)
    start, end = places.values()
    assert abs(float(second - first) - (end - start) / 90_000) < 0.001, f"{float(second - first)} s apart, not {(end - start) / 90_000}"
    return len(samples)


@contextlib.contextmanager
def moto(folder, port=None):
    port = port or free_port()
    code = f"from moto.server import ThreadedMotoServer as S\nimport threading\ns = S('127.0.0.1', {port}); s.start(); threading.Event().wait()"
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.DEVNULL, stderr=open(folder / "moto.log", "ab"))
    try:
        def answers():
            with contextlib.suppress(OSError):
                return urllib.request.urlopen(f"http://127.0.0.1:{port}/moto-api/", timeout=5).status == 200
        wait_until(answers, 60, "moto runs")
        yield f"http://127.0.0.1:{port}", process
    finally:
        process.kill()
        process.wait()


def bucket(options):
    import boto3

    folder = new_folder(options.folder / "bucket-files")
    with moto(folder) as (address, process):
        client = boto3.client(
            "s3", endpoint_url=address, region_name="eu-west-1", aws_access_key_id=KEYS["AWS_ACCESS_KEY_ID"],
            aws_secret_access_key=KEYS["AWS_SECRET_ACCESS_KEY"])
        client.create_bucket(Bucket="shows", CreateBucketConfiguration={"LocationConstraint": "eu-west-1"})
        arguments = ["-o", "s3://shows/friday night/index.m3u8".replace(" ", "%20"), "--s3-endpoint", address, "--window", 3]
        with Stream(options, "bucket", *arguments, environment=KEYS) as stream:
            stream.server.post(cue(1))
            time.sleep(8)
            os.kill(process.pid, signal.SIGSTOP)
            time.sleep(6)
            os.kill(process.pid, signal.SIGCONT)
            time.sleep(6)
        is_whole(stream.recording)
        assert KEYS["AWS_SECRET_ACCESS_KEY"] not in stream.said
        listed = client.list_objects_v2(Bucket="shows")["Contents"]
        for item in listed:
            name = item["Key"].rsplit("/", 1)[1]
            (folder / name).write_bytes(client.get_object(Bucket="shows", Key=item["Key"])["Body"].read())
        count = frames(folder / "media.m3u8")
        kind = client.head_object(Bucket="shows", Key="friday night/index.m3u8")["ContentType"]
        assert count >= 50 and kind == "application/vnd.apple.mpegurl", (count, kind)
        return f"{len(listed)} objects; FFmpeg reads {count} frames"


PROOFS = {
    "nginx, transport streams": lambda options: nginx_stores(options, "ts"),
    "nginx, fragmented MP4": lambda options: nginx_stores(options, "fmp4"),
    "a refused push": refused, "an ingest": ingest, "S3": bucket,
}


def run(lines, options):
    lines.prove_all("pushes", PROOFS, options)


if __name__ == "__main__":
    prove_and_end(run, "server", "clip")
