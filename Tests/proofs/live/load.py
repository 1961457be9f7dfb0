"""Lets many players load from a live server while events are posted, one line a fact.

    python3 -m proofs.live.load --server PROGRAM --clip CLIP.ts --folder FOR_ITS_FILES [--viewers 2000] [--seconds 60] [--rate 20] [--limit SECONDS] [--seed 1]

Each viewer keeps its connection, loads the playlist at every half of the target duration, and every new segment once. With --limit, 99 of 100 posts
must be answered within it.
"""

import heapq
import multiprocessing
import os
import random
import select
import socket
import time

from proofs.facts import prove_and_end
from proofs.live.latency import percentile
from proofs.live.playlists import Playlist, Watch
from proofs.live.server import Server, cue, new_guid, ten_at_once
from proofs.processes import in_background, raise_limit, wait_until

PATH = "/live/live/"
# How many target durations may pass between two versions of the playlist (RFC 8216, 6.2.2).
MOST_AGE = 1.5
# Players begin so many segments before the end.
BEHIND = 3


class Viewer:
    """A player's connection, and what it has loaded."""

    def __init__(self, audience, number):
        self.audience, self.number = audience, number
        self.next = None
        self.waiting = []

    def connect(self):
        self.socket = socket.create_connection(("127.0.0.1", self.audience.port))
        self.socket.setblocking(False)
        self.audience.viewers[self.socket.fileno()] = self
        self.audience.poll.register(self.socket, select.EPOLLIN)

    def ask(self, name):
        self.name, self.head, self.left = name, b"", None
        self.asked = time.monotonic()
        self.socket.send(f"GET {PATH}{name} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode())

    def reload(self, due):
        # By its own clock, however late this one is: viewers that were once late together do not stay together.
        self.due = due + self.audience.interval
        self.ask("media.m3u8")

    def receive(self):
        if self.left is None:
            data = self.socket.recv(1 << 16)
            if not data:
                return self.is_lost()
            self.head += data
            end = self.head.find(b"\r\n\r\n")
            if end < 0:
                return
            head, self.body = self.head[:end].lower(), self.head[end + 4:]
            assert head.startswith(b"http/1.1 200"), f"{self.name}: {head[:60]}"
            self.left = int(head.partition(b"content-length:")[2].split(b"\r\n")[0]) - len(self.body)
        elif self.name == "media.m3u8":
            data = self.socket.recv(1 << 16)
            if not data:
                return self.is_lost()
            self.body += data
            self.left -= len(data)
        else:
            # Nobody looks at it: the kernel throws it away.
            count = self.socket.recv_into(self.audience.buffer, min(self.left, len(self.audience.buffer)), socket.MSG_TRUNC)
            if not count:
                return self.is_lost()
            self.left -= count
        if self.left == 0:
            self.finish()

    def is_lost(self):
        """The server has closed the connection within an answer."""
        raise AssertionError(f"the connection ended within {self.name}")

    def finish(self):
        audience = self.audience
        audience.took(self)
        if self.name == "media.m3u8":
            first, uris = audience.playlist(self.body)
            if self.next is None:
                self.next = max(first, first + len(uris) - BEHIND)
            if self.next < first:
                audience.missed += first - self.next
                self.next = first
            self.waiting = uris[self.next - first:]
            self.next = first + len(uris)
        self.left, self.head = None, b""
        if self.waiting:
            self.ask(self.waiting.pop(0))
        else:
            heapq.heappush(audience.reloads, (self.due, self.number, self))


class Audience:
    """All viewers, in one thread."""

    def __init__(self, port, count, target, chance):
        self.port, self.interval = port, target / 2
        self.poll, self.viewers = select.epoll(), {}
        self.buffer = bytearray(1 << 20)
        self.known, self.versions = {}, []
        self.missed = self.playlists = self.segments = self.bytes = 0
        self.times = {"playlist": [], "segment": []}
        self.lag = 0
        self.reloads = []
        viewers = [Viewer(self, number) for number in range(count)]
        for viewer in viewers:
            viewer.connect()
        started = time.monotonic()
        for viewer in viewers:
            heapq.heappush(self.reloads, (started + chance.uniform(0, self.interval), viewer.number, viewer))

    def playlist(self, body):
        """The first number and the names of a version; each version is read once."""
        found = self.known.get(body)
        if found is None:
            playlist = Playlist(body.decode())
            found = self.known[body] = (playlist.sequence, [segment.uri for segment in playlist.segments])
            self.versions.append(time.monotonic())
        return found

    def took(self, viewer):
        kind = "playlist" if viewer.name == "media.m3u8" else "segment"
        self.times[kind].append(time.monotonic() - viewer.asked)
        if kind == "playlist":
            self.playlists += 1
        else:
            self.segments += 1

    def run(self, seconds):
        end = time.monotonic() + seconds
        while (now := time.monotonic()) < end:
            while self.reloads and self.reloads[0][0] <= now:
                due, _, viewer = heapq.heappop(self.reloads)
                self.lag = max(self.lag, now - due)
                viewer.reload(due)
            wait = self.reloads[0][0] - now if self.reloads else 0.1
            for descriptor, _ in self.poll.poll(max(min(wait, 0.1), 0)):
                self.viewers[descriptor].receive()
        # Who has not even loaded the playlist for so long waits for an answer that does not come.
        waiting = [viewer for viewer in self.viewers.values() if not any(viewer is other for _, _, other in self.reloads)]
        return {
            "playlists": self.playlists, "segments": self.segments, "missed": self.missed, "lag": self.lag, "versions": self.versions,
            "stuck": sum(now - viewer.asked > 2 * self.interval for viewer in waiting), "watching": sum(viewer.next is not None for viewer in self.viewers.values()),
            "times": {kind: [percentile(values, share) for share in (0.5, 0.99)] + [max(values) * 1000] for kind, values in self.times.items()}}


def watch_all(port, options, target, pipe):
    try:
        pipe.send(Audience(port, options.viewers, target, random.Random(options.seed)).run(options.seconds))
    except Exception as error:
        pipe.send({"error": f"{type(error).__name__}: {error}"})


class Poster:
    """Posts so many events a second over one connection, as a control room does."""

    def __init__(self, server, rate, seed):
        self.server, self.rate, self.chance = server, rate, random.Random(seed)
        self.accepted, self.other, self.times = [], [], []
        self.is_running = True
        self.thread = in_background(self.run)

    def run(self):
        client = self.server.client(timeout=30)
        started, number = time.monotonic(), 0
        while self.is_running:
            number += 1
            guid = new_guid(self.chance)
            asked = time.monotonic()
            answer = client.call("POST", "/v1/streams/live/events", cue(number, guid=guid))
            self.times.append(time.monotonic() - asked)
            if answer.status == 202:
                self.accepted.append(guid)
            else:
                self.other.append(answer)
            time.sleep(max(started + number / self.rate - time.monotonic(), 0))

    def end(self):
        self.is_running = False
        self.thread.join()


def run(lines, options):
    folder = options.folder
    # The server and the audience have a descriptor for each viewer.
    raise_limit(options.viewers + 100)
    ours, theirs = multiprocessing.Pipe()
    watch = Watch(check_segments=False)
    with Server(options.server, options.clip, "--loop", "--journal", folder / "journal", "--game", "load", log=folder / "server.log") as server:
        wait_until(lambda: server.get(PATH + "media.m3u8")[0] == 200, 20, "a playlist")
        target = Playlist(server.get(PATH + "media.m3u8")[2].decode()).target
        assert server.post({"event": "startGame", "title": "Load"}, "?wait=placed")[0] == 202
        watch.begin(server.port)
        audience = multiprocessing.get_context("fork").Process(target=watch_all, args=(server.port, options, target, theirs), daemon=True)
        audience.start()
        poster = Poster(server, options.rate, options.seed)
        chance = random.Random(options.seed + 1)

        def twins():
            equal = 0
            for number in range(5):
                time.sleep(options.seconds / 8)
                equal += ten_at_once(server, cue(1_000_000 + number, guid=new_guid(chance)))
            return f"five times ten equal posts at once are one event each, {equal} of 5 times with equal answers"

        lines.prove("load, twins", twins)
        assert ours.poll(options.seconds + 60), "the audience says nothing"
        seen = ours.recv()
        audience.join(10)
        poster.end()
        memory = server.resources()
        wait_until(lambda: all(event["state"] == "published" for event in server.events().values()), 20, "all is published")
        events = server.events()
        took = server.stop()
    watch.end()

    def viewers():
        assert "error" not in seen, seen["error"]
        assert seen["watching"] == options.viewers, f"{seen['watching']} of {options.viewers} viewers have a playlist"
        assert not seen["stuck"], f"{seen['stuck']} viewers wait for an answer"
        assert not seen["missed"], f"{seen['missed']} segments have left the window before they were loaded"
        least = options.viewers * (len(seen["versions"]) - 2)
        assert seen["segments"] >= least, f"{seen['segments']} segments are loaded, of {least} at least"
        return f"{options.viewers} viewers load {seen['playlists']} playlists and {seen['segments']} segments, none of these late"

    def freshness():
        ages = [right - left for left, right in zip(seen["versions"], seen["versions"][1:])]
        text = f"a new playlist after {max(ages):.2f} s at most, of {MOST_AGE * target:g} s"
        assert max(ages) <= MOST_AGE * target, text
        assert not watch.problems, f"{len(watch.problems)}: " + "; ".join(watch.problems[:5])
        return f"{text}; {watch.versions} versions keep the rules"

    def answers():
        return "; ".join(f"{kind}s after p50 {p50:.1f} ms, p99 {p99:.1f} ms, most {most:.1f} ms" for kind, (p50, p99, most) in seen["times"].items()) + (
            f"; the audience itself is {seen['lag'] * 1000:.0f} ms late at most")

    def posts():
        text = (f"{len(poster.times)} posts at {options.rate:g} a second, answered after p50 {percentile(poster.times, 0.5):.1f} ms, p99 {percentile(poster.times, 0.99):.1f} ms, "
                f"most {max(poster.times) * 1000:.1f} ms; load {os.getloadavg()[0]:.1f}")
        assert not poster.other, f"{len(poster.other)} answers were none of 202: {poster.other[:2]}"
        assert options.limit is None or percentile(poster.times, 0.99) <= options.limit * 1000, text
        return text + (f"; limit of p99 {options.limit * 1000:g} ms" if options.limit else "")

    def events_are_there():
        missing = [guid for guid in poster.accepted if guid not in events]
        assert not missing, f"{len(missing)} of {len(poster.accepted)} events are not known any more"
        places = sorted(event["sequence"] for event in events.values())
        assert places == list(range(1, len(poster.accepted) + 7)), f"{len(places)} places, the last one is {places[-1]}"
        return f"{len(events)} events are published, places 1 to {places[-1]}"

    def ends():
        assert took[1] in (0, 130), f"status {took[1]}"
        return f"SIGTERM ends it in {took[0]:.2f} s; it had {memory[1] / 1048576:.1f} MB in use at most"

    lines.prove_all("load", [
        ("viewers", viewers), ("freshness", freshness), ("answers", answers), ("posts", posts), ("events", events_are_there), ("end", ends)
    ])


if __name__ == "__main__":
    prove_and_end(run, "server", "clip", viewers=2000, seconds=60.0, rate=20.0, limit=float, seed=1)
