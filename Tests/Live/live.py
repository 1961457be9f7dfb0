"""A live server under test, and what watches it: its publishers, its outputs, its playlists."""

import argparse
import http.client
import json
import os
import random
import resource
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.parse
import uuid
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parent.parent / "Witnesses"))
import wire

PACKET = 188
WRAP = 1 << 33
FRAME = 3600
JSON = {"Content-Type": "application/json"}


def new_folder(folder):
    """An empty folder in the place of any that is there."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return folder


def free_port(kind=socket.SOCK_STREAM):
    """A port that nobody uses now."""
    with socket.socket(socket.AF_INET, kind) as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


def wait_until(condition, seconds, what):
    """Waits until something is true, and gives back what was true about it."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        found = condition()
        if found:
            return found
        time.sleep(0.02)
    raise AssertionError(f"not within {seconds} s: {what}")


def ordinary(*command):
    """A command as it is run by root of a container, or by an ordinary user: without capabilities."""
    drop = ["setpriv", "--bounding-set=-all", "--inh-caps=-all", "--ambient-caps=-all"] if os.geteuid() == 0 else []
    return [*drop, *map(str, command)]


def raise_limit(needed):
    """Allows this process, and those that it starts, as many open files as the system does."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    assert most == resource.RLIM_INFINITY or most >= needed, f"{most} open files are allowed, {needed} are needed"


def signed(ticks):
    """A difference of two 33-bit timestamps."""
    return (ticks + WRAP // 2) % WRAP - WRAP // 2


class Server:
    """A process of cuelight-server."""

    def __init__(self, program, *arguments, port=None, log=None, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, wait=True):
        self.port = port or free_port()
        self.log = open(log, "ab") if log else subprocess.DEVNULL
        self.process = subprocess.Popen(
            ordinary(program, "live", *arguments, "--listen", f"127.0.0.1:{self.port}"), stdin=stdin, stdout=stdout, stderr=self.log)
        if wait:
            wait_until(self.answers, 20, "the server answers")

    def answers(self):
        assert self.process.poll() is None, f"the server has ended with status {self.process.returncode}"
        try:
            return self.get("/health")[0] == 200
        except OSError:
            return False

    def call(self, method, path, body=None, headers=None, timeout=35):
        """Status, headers, body of an answer."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)
        try:
            connection.request(method, path, body, headers or {})
            answer = connection.getresponse()
            return answer.status, dict(answer.getheaders()), answer.read()
        finally:
            connection.close()

    def get(self, path, headers=None, timeout=35):
        return self.call("GET", path, headers=headers, timeout=timeout)

    def post(self, cue, query="", headers=None, timeout=35):
        """Status and object of the answer to an event."""
        status, _, body = self.call("POST", f"/v1/streams/live/events{query}", json.dumps(cue), JSON | (headers or {}), timeout)
        return status, json.loads(body)

    def events(self):
        """What became of all events, by GUID."""
        status, _, body = self.get("/v1/streams/live/events")
        assert status == 200
        return {event["guid"]: event for event in json.loads(body)["events"]}

    def now(self):
        """Where the programme is."""
        return json.loads(self.get("/v1/streams/live/now")[2])

    def metric(self, name):
        """One of the numbers at /metrics."""
        return float(next(line.split()[1] for line in self.get("/metrics")[2].decode().split("\n") if line.startswith(f"cuelight_{name} ")))

    def resources(self):
        """The memory that the process has in use, in bytes, the most that it ever had, and the number of its descriptors."""
        lines = dict(line.split(":", 1) for line in open(f"/proc/{self.process.pid}/status"))
        kilobytes = [int(lines[name].split()[0]) for name in ("VmRSS", "VmHWM")]
        return kilobytes[0] << 10, kilobytes[1] << 10, len(os.listdir(f"/proc/{self.process.pid}/fd"))

    def sheet(self):
        """A cue sheet of the events that the server lists, as if they had been known before."""
        body = json.loads(self.get("/v1/streams/live/events")[2])
        cues = []
        for event in sorted(body["events"], key=lambda event: event["sequence"]):
            cue = {key: value for key, value in event["cue"].items() if key not in ("at", "in", "wallClock", "late", "expires")}
            cues.append(cue | {"at": event["at"], "guid": event["guid"]})
        return {"game": body["game"], "cues": cues}

    def is_ready(self):
        return self.get("/ready")[0] == 200

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def stop(self, seconds=2):
        """Ends it as an operator does; returns how long that took and its status."""
        started = time.monotonic()
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(timeout=20)
        except subprocess.TimeoutExpired:
            self.kill()
            raise AssertionError("SIGTERM does not end it within 20 s")
        return time.monotonic() - started, self.process.returncode

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.kill()


class Publisher:
    """ffmpeg that sends a clip again and again, at its own pace."""

    def __init__(self, clip, address, offset=0.0, loops=True, log=None):
        self.log = open(log, "ab") if log else subprocess.DEVNULL
        self.process = subprocess.Popen(
            ["ffmpeg", "-nostdin", "-v", "error", "-re", *(["-stream_loop", "-1"] if loops else []), "-i", str(clip), "-c", "copy",
             "-output_ts_offset", str(offset), "-f", "mpegts", "-flush_packets", "1", address],
            stdout=subprocess.DEVNULL, stderr=self.log)

    def stop(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()


def udp(port):
    return f"udp://127.0.0.1:{port}?pkt_size=1316"


class Poster:
    """Posts events one after the other, on a thread of its own, until it is ended. A subclass says how, in `post`, and what was accepted."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.accepted, self.count = {}, 0
        self.is_running = True
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()

    def run(self):
        while self.is_running:
            self.post()

    def next(self):
        """The next event and its GUID."""
        self.count += 1
        guid = new_guid(self.random)
        return guid, cue(self.count, guid=guid)

    def end(self):
        self.is_running = False
        self.thread.join()


class Receiver:
    """Keeps what comes to a UDP port, with the time of each datagram."""

    def __init__(self):
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 8 << 20)
        self.socket.bind(("127.0.0.1", 0))
        self.socket.settimeout(0.1)
        self.port = self.socket.getsockname()[1]
        self.datagrams = []
        self.is_open = True
        self.thread = threading.Thread(target=self.receive, daemon=True)
        self.thread.start()

    def receive(self):
        while self.is_open:
            try:
                data = self.socket.recv(65536)
            except TimeoutError:
                continue
            self.datagrams.append((time.monotonic(), data))

    def close(self):
        self.is_open = False
        self.thread.join()
        self.socket.close()
        return self

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.is_open:
            self.close()

    @property
    def data(self):
        return b"".join(data for _, data in self.datagrams)

    def arrival(self, offset):
        """When the byte at an offset of all data came."""
        if not hasattr(self, "ends"):
            self.ends, total = [], 0
            for moment, data in self.datagrams:
                total += len(data)
                self.ends.append((total, moment))
        import bisect
        return self.ends[bisect.bisect_right(self.ends, (offset, float("inf")))][1]


class Tag:
    """A tag of timed ID3: its PTS, its event, and where its last byte is."""

    def __init__(self, pts, payload, end, video):
        self.pts, self.payload, self.end, self.video = pts, payload, end, video
        self.event = json.loads(wire.text_of(payload))
        self.guid = self.event["guid"]


class Video:
    """The start of an access unit of video: its PTS and DTS, and where its first byte is."""

    def __init__(self, pts, dts, offset, is_random_access, is_discontinuous):
        self.pts, self.dts, self.offset = pts, dts, offset
        self.is_random_access, self.is_discontinuous = is_random_access, is_discontinuous


def timestamp(data):
    return (data[0] >> 1 & 7) << 30 | data[1] << 22 | data[2] >> 1 << 15 | data[3] << 7 | data[4] >> 1


class Stream:
    """The tags and the video's access units of a transport stream whose end, and whose pieces' ends, may be torn."""

    def __init__(self, data=b""):
        self.tags, self.video = [], []
        self.errors = []
        self.size = 0
        self.pmt_pid = self.video_pid = self.data_pid = None
        self.unit, self.counters = None, {}
        self.sorted, self.by_guid = 0, {}
        self.push(data)

    def push(self, data):
        """Receives whole packets."""
        for offset in range(0, len(data) - PACKET + 1, PACKET):
            self.packet(data[offset:offset + PACKET])

    def packet(self, packet):
        offset = self.size
        self.size += PACKET
        assert packet[0] == 0x47, f"no sync byte at {offset}"
        pid = (packet[1] & 0x1F) << 8 | packet[2]
        control = packet[3] >> 4 & 3
        if control & 1 and pid != 0x1FFF:
            counter = packet[3] & 15
            if pid in self.counters and counter != (self.counters[pid] + 1) % 16 and not (control & 2 and packet[4] and packet[5] & 0x80):
                self.errors.append((offset, pid, self.counters[pid], counter))
            self.counters[pid] = counter
        start = packet[1] & 0x40
        body = b"" if not control & 1 else packet[5 + packet[4]:] if control & 2 else packet[4:]
        if start and pid == 0:
            section = body[1 + body[0]:]
            self.pmt_pid = (section[10] & 0x1F) << 8 | section[11]
        elif start and pid == self.pmt_pid:
            self.map(body[1 + body[0]:])
        elif pid == self.video_pid and start and len(body) > 19 and body[:3] == b"\0\0\1" and body[7] & 0x80:
            pts = timestamp(body[9:14])
            flags = packet[5] if control & 2 and packet[4] else 0
            self.video.append(Video(pts, timestamp(body[14:19]) if body[7] & 0x40 else pts, offset, flags & 0x40, flags & 0x80))
        elif pid == self.data_pid:
            if start:
                self.unit = b""
            if self.unit is not None:
                self.unit += body
                unit = self.unit
                if len(unit) >= 14 and len(unit) >= 6 + (unit[4] << 8 | unit[5]):
                    assert unit[:4] == b"\0\0\1\xBD", f"no private stream 1 at {offset}"
                    self.tags.append(Tag(timestamp(unit[9:14]), bytes(unit[9 + unit[8]:6 + (unit[4] << 8 | unit[5])]), offset + PACKET - 1, len(self.video)))
                    self.unit = None

    def map(self, section):
        """Finds the PIDs in a program map section."""
        end = 3 + ((section[1] & 15) << 8 | section[2]) - 4
        at = 12 + ((section[10] & 15) << 8 | section[11])
        while at + 5 <= min(end, len(section)):
            kind, found = section[at], (section[at + 1] & 0x1F) << 8 | section[at + 2]
            if kind in (0x1B, 0x24):
                self.video_pid = found
            if kind == 0x15:
                self.data_pid = found
            at += 5 + ((section[at + 3] & 15) << 8 | section[at + 4])

    @property
    def guids(self):
        """The identifiers of the events, in the order of their first copies, with all their copies."""
        if self.sorted != len(self.tags):
            self.sorted, self.by_guid = len(self.tags), {}
            for tag in self.tags:
                self.by_guid.setdefault(tag.guid, []).append(tag)
        return self.by_guid


def numbers(stream):
    """Checks that each place in the game is that of one event and that none is missing; returns how many there are."""
    found = {}
    for tag in stream.tags:
        place = found.setdefault(int(tag.event["sequence"]), tag.guid)
        assert place == tag.guid, f"the place {tag.event['sequence']} is that of {place} and of {tag.guid}"
    missing = sorted(set(range(1, max(found, default=0) + 1)) - set(found))
    assert not missing, f"no event has the places {missing[:20]}"
    firsts = [int(tags[0].event["sequence"]) for tags in stream.guids.values()]
    assert firsts == sorted(firsts), "events come in another order than their places"
    return len(found)


def whole(path):
    """The whole packets of a file that may end within one."""
    data = path.read_bytes()
    return data[:len(data) // PACKET * PACKET]


def cue(number, **keys):
    """An event that may come at any time."""
    return {"event": "periodicInfo", "viewers": number} | keys


def new_guid(numbers):
    """A GUID from seeded numbers."""
    return str(uuid.UUID(int=numbers.getrandbits(128), version=4))


def ten_at_once(server, event, headers=None):
    """Sends the same request ten times at once, and proves that it is one event; returns whether all answers were equal."""
    with ThreadPoolExecutor(10) as pool:
        answers = [answer.result() for answer in [pool.submit(server.post, event, "", headers) for _ in range(10)]]
    statuses = sorted(status for status, _ in answers)
    assert statuses == [200] * 9 + [202], f"statuses {statuses}"
    assert len({(answer["guid"], answer["sequence"]) for _, answer in answers}) == 1, "the answers name several events"
    return len({json.dumps(answer, sort_keys=True) for _, answer in answers}) == 1


class Lines:
    """Prints a line for each fact, and remembers whether one is broken."""

    def __init__(self):
        self.broken = 0

    def fact(self, text):
        print(f"ok  {text}", flush=True)

    def fails(self, text):
        self.broken += 1
        print(f"broken: {text}", flush=True)

    def prove(self, name, body, *arguments):
        """Runs a proof that returns its line, or says what is wrong."""
        try:
            self.fact(f"{name}: {body(*arguments)}")
        except Exception as error:  # A proof that cannot be made is a broken one.
            self.fails(f"{name}: {type(error).__name__ + ': ' if not isinstance(error, AssertionError) else ''}{error}")


def proof_parser(*inputs, seed=True):
    """The options that proofs have: the server, the folder to work in, and those inputs among clip, cuelight, library and day."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--server", required=True)
    for name in inputs:
        parser.add_argument(f"--{name}", required=True, type=str if name == "cuelight" else Path)
    parser.add_argument("--folder", required=True, type=Path)
    if seed:
        parser.add_argument("--seed", type=int, default=1)
    return parser


def end_proof(lines):
    """Ends a proof: with status 1 where a line is broken."""
    sys.exit(1 if lines.broken else 0)


def prove_and_end(run, parser):
    """The whole of a proof that says its lines by itself."""
    lines = Lines()
    run(lines, parser.parse_args())
    end_proof(lines)
