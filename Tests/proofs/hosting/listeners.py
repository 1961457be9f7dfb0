"""Lets tens of thousands listen to server-sent events, all at once, and measures what a connection takes; prints a line for each fact.

    python3 -m proofs.hosting.listeners --server PROGRAM --clip CLIP --folder FOR_ITS_FILES [--page PAGE] [--listeners 50000] [--messages 5]

Each connection is one of HTTP/1.1 that asks for what happens to the stream. Half of them come first, so that a connection's memory is that of the second
half, and not of what the server has anyway. A message to all of them has to reach every one. Where the system allows a process fewer open files than that
takes, they are shared by as many servers as are needed, like those of nodes. What connections take is held against the page of sizes.
"""

import contextlib
import math
import multiprocessing
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

    def __init__(self, group, port):
        self.group, self.port, self.poll, self.sockets, self.heads = group, port, select.epoll(), {}, {}
        # How many messages of a name have come, and how many connections were closed.
        self.messages, self.closed, self.greeted = 0, 0, 0
        self.request = (f"GET /v1/streams/live/stream HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {STREAM_TOKEN}\r\n"
                        "Accept: text/event-stream\r\n\r\n").encode()

    def add(self, count):
        """Opens so many connections, and waits until each one is answered."""
        for _ in range(count):
            number = len(self.sockets)
            made = socket.socket()
            made.bind((f"127.0.{1 + self.group}.{1 + number // OF_ADDRESS}", 0))
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

    def hear(self, count):
        self.read_until(lambda: self.messages >= count, 60, "everybody hears of the event")

    def rest(self, seconds):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self.read(0.1)


class Group:
    """The listeners of one server, in a process of their own, which has as many files as the server."""

    def __init__(self, number, server, count):
        self.server, self.count = server, count
        self.pipe, other = multiprocessing.Pipe()
        self.process = multiprocessing.get_context("spawn").Process(target=obey, args=(other, number, server.port), daemon=True)
        self.process.start()

    def ask(self, name, *values):
        self.pipe.send((name, *values))

    def told(self):
        said = self.pipe.recv()
        assert not isinstance(said, str), said
        return said


def obey(pipe, number, port):
    """Does what the group of this process is asked, and tells what has come so far."""
    listeners = Listeners(number, port)
    while True:
        name, *values = pipe.recv()
        try:
            getattr(listeners, name)(*values)
            pipe.send((listeners.messages, listeners.closed))
        except (AssertionError, OSError) as error:
            pipe.send(f"{type(error).__name__}: {error}")


def all_do(groups, name, values):
    """Lets all groups do the same at once, and waits; returns what each tells."""
    for group, value in zip(groups, values, strict=True):
        group.ask(name, value)
    return [group.told() for group in groups]


class Measured:
    """What the servers take at a moment, all together: memory in bytes, seconds of a processor, and the time."""

    def __init__(self, groups):
        resources = [group.server.resources() for group in groups]
        self.memory, self.most = sum(now for now, _, _ in resources), sum(most for _, most, _ in resources)
        self.processor, self.time = sum(processor_time(group.server.process) for group in groups), time.monotonic()


def shares(count):
    """How many connections each server has: no more than the system allows a process."""
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    assert most > RESERVED, f"a process may open only {most} files"
    servers = 1 if most == resource.RLIM_INFINITY else math.ceil(count / (most - RESERVED))
    return [count // servers + (number < count % servers) for number in range(servers)]


class Found:
    """The run: what it measured."""

    def __init__(self, options, groups):
        self.options, self.count, self.groups = options, sum(group.count for group in groups), groups
        self.bare = Measured(groups)
        first = [group.count // 2 for group in groups]
        all_do(groups, "add", first)
        all_do(groups, "rest", [2] * len(groups))
        self.half, self.came = Measured(groups), self.count - sum(first)
        began = time.monotonic()
        all_do(groups, "add", [group.count - there for group, there in zip(groups, first)])
        self.took = time.monotonic() - began
        all_do(groups, "rest", [2] * len(groups))
        self.there = Measured(groups)
        all_do(groups, "rest", [QUIET] * len(groups))
        self.quiet = Measured(groups)
        self.delays = []
        for number in range(options.messages):
            posted = time.monotonic()
            for group in groups:
                status, said = group.server.post({"event": "custom", "name": "proof", "data": {"number": number}, "in": 600 + number},
                                                 headers={"Authorization": f"Bearer {STREAM_TOKEN}"})
                assert status == 202, said
            self.told = all_do(groups, "hear", [(number + 1) * group.count for group in groups])
            self.delays.append(time.monotonic() - posted)
        self.after = Measured(groups)

    @property
    def costs(self):
        """What one of each thing takes, as the page names it."""
        there, quiet, after = self.there, self.quiet, self.after
        return {
            "a connection that listens": (there.memory - self.half.memory) / self.came,
            "a message to a listener": (after.processor - quiet.processor) / self.options.messages / self.count * 1e6,
            "a listener that hears nothing, each second": (quiet.processor - there.processor) / (quiet.time - there.time) / self.count * 1e6}


def memory_holds(found):
    each, servers = found.costs["a connection that listens"], len(found.groups)
    # What all servers but one have anyway is not counted. Connections that are missing from fifty thousand are added.
    whole = found.after.most - found.bare.memory * (servers - 1) / servers + (WANTED - found.count) * each
    text = (f"{found.count:,} connections to {servers} server{'s' if servers > 1 else ''} at once, {each:,.0f} bytes each; {found.after.most >> 20:,} MiB in use at most, "
            f"which is {whole / (1 << 20):,.0f} MiB for {WANTED:,} to one server (of {MOST_MEMORY >> 20:,})")
    assert whole <= MOST_MEMORY, text
    return text


def messages_hold(found):
    messages, closed = map(sum, zip(*found.told))
    sent = found.options.messages
    assert closed == 0, f"{closed} connections were closed"
    assert messages == sent * found.count, f"{messages} messages, not {sent * found.count}"
    return (f"{sent} messages to each, the last one hears after {max(found.delays):.2f} s at most; {found.costs['a message to a listener']:.1f} µs of a core for "
            f"each connection")


def quiet_holds(found):
    share = (found.quiet.processor - found.there.processor) / (found.quiet.time - found.there.time)
    return f"{share * 100:.1f} % of a core for {found.count:,} connections that hear nothing; {found.came / found.took:,.0f} came a second"


def run(lines, options):
    raise_limit(0)
    write_quiz(options.folder / "quiz.json", 1)
    write_tokens(options.folder / "tokens")
    with contextlib.ExitStack() as stack:
        groups = []
        for number, count in enumerate(shares(options.listeners)):
            server = stack.enter_context(Server(
                options.server, options.folder / f"data-{number}", "--input", options.clip, "--loop", "--quiz", options.folder / "quiz.json", "--hosted",
                "--token-file", options.folder / "tokens", log=options.folder / f"server-{number}.log"))
            wait_until(server.is_ready, 20, "the input comes")
            groups.append(Group(number, server, count))
        try:
            proofs = {"memory": memory_holds, "messages": messages_hold, "in quiet": quiet_holds}
            if options.page:
                proofs["the page"] = lambda found: sizing.holds(options.page, found.costs)
            lines.prove_all("listeners", proofs, Found(options, groups))
        finally:
            for group in groups:
                group.process.kill()
                group.process.join()


if __name__ == "__main__":
    prove_and_end(run, "server", "clip", listeners=WANTED, messages=5, page=str)
