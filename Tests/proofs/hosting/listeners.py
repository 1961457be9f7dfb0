"""Lets tens of thousands listen to server-sent events of one server, and measures what a connection takes; prints a line for each fact.

    python3 -m proofs.hosting.listeners --server PROGRAM --clip CLIP --folder FOR_ITS_FILES [--page PAGE] [--listeners 50000] [--messages 5]

Each connection is one of HTTP/1.1 that asks for what happens to the stream. Half of them come first, so that a connection's memory is that of the second
half, and not of what the server has anyway. A message to all of them has to reach every one. Where the system allows fewer open files than that takes,
there are as many as it allows, and the memory of those that are missing is added. What they take is held against the page of sizes.
"""

import os
import resource
import select
import socket
import time

from proofs.facts import prove_and_end
from proofs.hosting import sizing
from proofs.hosting.game import STREAM_TOKEN, Server, write_quiz, write_tokens
from proofs.processes import processor_time, raise_limit, wait_until

# So much memory may fifty thousand take, in bytes.
MOST_MEMORY, WANTED = 1_500 << 20, 50_000
# The server has files of its own, and keeps so many descriptors for them.
RESERVED = 1_000
# So many connections come from one address: the server takes ten thousand.
OF_ADDRESS = 5_000
# Seconds in which nothing happens, but for signs of life.
QUIET = 12


class Listeners:
    """Connections that listen, all of them in this process."""

    def __init__(self, port):
        self.port, self.poll, self.sockets, self.heads = port, select.epoll(), {}, {}
        # How many messages of a name have come, and how many connections were closed.
        self.messages, self.closed, self.greeted = 0, 0, 0
        self.request = (f"GET /v1/streams/live/stream HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {STREAM_TOKEN}\r\n"
                        "Accept: text/event-stream\r\n\r\n").encode()

    def add(self, count):
        """Opens so many connections, and waits until each one is answered."""
        for _ in range(count):
            number = len(self.sockets)
            made = socket.socket()
            made.bind((f"127.0.1.{1 + number // OF_ADDRESS}", 0))
            made.connect(("127.0.0.1", self.port))
            made.setblocking(False)
            made.sendall(self.request)
            self.sockets[made.fileno()], self.heads[made.fileno()] = made, b""
            self.poll.register(made, select.EPOLLIN)
            if number % 200 == 0:
                self.read(0)
        self.read_until(lambda: self.greeted == len(self.sockets), 120, "everybody is answered")

    def read(self, seconds):
        """Reads what has come."""
        for descriptor, _ in self.poll.poll(seconds, 4_096):
            try:
                data = self.sockets[descriptor].recv(1 << 16)
            except ConnectionResetError:
                data = b""
            if not data:
                self.closed += 1
                self.poll.unregister(descriptor)
                continue
            head = self.heads.get(descriptor)
            if head is not None:
                data = head + data
                if b": cuelight\n\n" not in data:
                    self.heads[descriptor] = data
                    continue
                assert data.startswith(b"HTTP/1.1 200 "), data[:200]
                del self.heads[descriptor]
                self.greeted += 1
            self.messages += data.count(b"event: accepted\n")

    def read_until(self, condition, seconds, what):
        end = time.monotonic() + seconds
        while not condition():
            assert time.monotonic() < end, f"not within {seconds} s: {what}; {self.greeted} are answered, {self.closed} closed, {self.messages} messages"
            self.read(0.1)

    def rest(self, seconds):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self.read(0.1)


class Measured:
    """What the server takes at a moment: memory in bytes, seconds of a processor, and the time."""

    def __init__(self, server):
        self.memory, self.most, _ = server.resources()
        self.processor, self.time = processor_time(server.process), time.monotonic()


def allowed(wanted):
    """How many connections one process may have: no more than the system allows."""
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    return wanted if most == resource.RLIM_INFINITY else min(wanted, most - RESERVED)


def run(lines, options):
    raise_limit(0)
    count = allowed(options.listeners)
    write_quiz(options.folder / "quiz.json", 1)
    with Server(
            options.server, options.folder / "data", "--input", options.clip, "--loop", "--quiz", options.folder / "quiz.json", "--hosted",
            "--token-file", write_tokens(options.folder / "tokens"), log=options.folder / "server.log") as server:
        wait_until(server.is_ready, 20, "the input comes")
        listeners = Listeners(server.port)
        # The first connections bring in what the server needs for any.
        first = count // 2
        listeners.add(first)
        listeners.rest(2)
        half = Measured(server)
        began = time.monotonic()
        listeners.add(count - first)
        came = time.monotonic() - began
        listeners.rest(2)
        there = Measured(server)
        listeners.rest(QUIET)
        quiet = Measured(server)
        sent, delays = 0, []
        for number in range(options.messages):
            posted = time.monotonic()
            status, said = server.post({"event": "custom", "name": "proof", "data": {"number": number}, "in": 600 + number},
                                       headers={"Authorization": f"Bearer {STREAM_TOKEN}"})
            assert status == 202, said
            sent += 1
            listeners.read_until(lambda: listeners.messages >= sent * count, 60, "everybody hears of the event")
            delays.append(time.monotonic() - posted)
        after = Measured(server)
        each = (there.memory - half.memory) / (count - first)
        # The most that there ever was, and what those take that are not there.
        whole = after.most + (WANTED - count) * each

        def memory():
            text = (f"{count:,} connections, {each:,.0f} bytes each; {after.most >> 20:,} MB in use at most, which is {whole / (1 << 20):,.0f} MB for {WANTED:,} "
                    f"(of {MOST_MEMORY >> 20:,})")
            assert whole <= MOST_MEMORY, text
            return text + ("" if count == options.listeners else f"; {options.listeners:,} are more open files than this system allows")

        def delivery():
            assert listeners.closed == 0, f"{listeners.closed} connections were closed"
            assert listeners.messages == sent * count, f"{listeners.messages} messages, not {sent * count}"
            return (f"{sent} messages to each, the last one hears after {max(delays):.2f} s at most; {(after.processor - quiet.processor) / sent / count * 1e6:.1f} µs of a "
                    f"core for each connection")

        def rest():
            share = (quiet.processor - there.processor) / (quiet.time - there.time)
            return f"{share * 100:.1f} % of a core for {count:,} connections that hear nothing; {(count - first) / came:,.0f} came a second"

        def page():
            return sizing.holds(options.page, {
                "a connection that listens": each, "a message to a listener": (after.processor - quiet.processor) / sent / count * 1e6,
                "a listener that hears nothing, each second": (quiet.processor - there.processor) / (quiet.time - there.time) / count * 1e6})

        lines.prove("listeners, memory", memory)
        lines.prove("listeners, messages", delivery)
        lines.prove("listeners, in quiet", rest)
        if options.page:
            lines.prove("listeners, the page", page)
        for made in listeners.sockets.values():
            made.close()


if __name__ == "__main__":
    prove_and_end(run, "server", "clip", listeners=WANTED, messages=5, page=str)
