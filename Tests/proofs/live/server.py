"""A live server under test, and what is around it: its publishers, who posts to it, and who receives from it."""

import bisect
import json
import os
import random
import re
import signal
import socket
import subprocess
import time
import uuid
from concurrent.futures import ThreadPoolExecutor

from proofs.client import JSON, Client
from proofs.processes import free_port, in_background, memory_of, ordinary, wait_until

FRAME = 3600


def metric(text, name):
    """The number of this name in what /metrics says of the only stream, or of games."""
    return float(re.search(rf"^cuelight_{name}(?:{{[^}}]*}})? (\S+)$", text, re.MULTILINE)[1])


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

    def client(self, token=None, timeout=35):
        """A connection that stays open."""
        return Client(self.port, token, timeout)

    def call(self, method, path, body=None, headers=None, timeout=35):
        """The answer to a call by a connection of its own."""
        with self.client(timeout=timeout) as client:
            return client.call(method, path, body, headers)

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
        return metric(self.get("/metrics")[2].decode(), name)

    def resources(self):
        """The memory that the process has in use, in bytes, the most that it ever had, and the number of its descriptors."""
        return *memory_of(self.process), len(os.listdir(f"/proc/{self.process.pid}/fd"))

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
        self.thread = in_background(self.run)

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
        self.thread = in_background(self.receive)

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
        return self.ends[bisect.bisect_right(self.ends, (offset, float("inf")))][1]


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
