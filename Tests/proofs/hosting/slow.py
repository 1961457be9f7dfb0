"""Lets thousands of slow connections lie upon a game server while players answer, and prints a line for each fact.

    python3 -m proofs.hosting.slow --server PROGRAM --clip CLIP --folder FOR_ITS_FILES [--slow 5000] [--players 500] [--limit 0.5] [--seed 1]

Each slow connection sends a byte of a request every second: of its head, or of its body, or never one. With --limit, 99 of 100 answers must be
acknowledged within so many seconds. Behind TLS there are connections without a handshake, without requests and without readers, and hosts who listen.
"""

import errno
import heapq
import json
import multiprocessing
import os
import random
import select
import socket
import ssl
import subprocess
import time
import urllib.parse
import warnings

from proofs.facts import prove_and_end
from proofs.hosting.game import Client, Crowd, Host, Player, Server, edge, join_all, write_quiz, write_tokens
from proofs.live.attackers import END_HEADERS, END_STREAM, HEADERS, PREFACE, RST_STREAM, SETTINGS, certify, frame, hpack_text, trusting
from proofs.live.latency import percentile
from proofs.processes import raise_limit, wait_until
# The modules of the live server's proofs are found once `game` is read.

# A request has to be whole within half a minute; then the server has some seconds to find out.
MOST_AGE = 40
TIME = 90
# How many connections ask and do not read.
READERS = 20
# How many calls are made while nobody reads what the server says of them: a pipe has room for five hundred lines, and the server for some thousands more.
UNREAD = 15_000
# How many connections begin no handshake of TLS, or do not end it, and until when they are closed: ten seconds are allowed.
HALVES = 500
HANDSHAKE = 12
# How often a client of HTTP/2 takes back what it has asked.
RESETS = 1_000


class Slow:
    """A slow connection."""

    def __init__(self, port, kind, game):
        self.socket = socket.create_connection(("127.0.0.1", port))
        self.socket.setblocking(False)
        self.kind, self.began, self.place = kind, time.monotonic(), 0
        head = f"POST /v1/games/{game}/answers HTTP/1.1\r\nHost: localhost\r\nX-Nothing: {'x' * 200}\r\n"
        self.text = (head + "Content-Length: 4000\r\n\r\n" + " " * 4000).encode()
        if kind == "body":
            self.place = self.text.index(b"\r\n\r\n") + 4
            self.socket.sendall(self.text[:self.place])

    def go_on(self):
        """Sends a byte, and tells whether the connection is still there."""
        if self.kind != "silent":
            try:
                self.socket.send(self.text[self.place:self.place + 1])
            except OSError:
                return False
            self.place += 1
        return True

    def is_closed(self):
        """Whether the server has closed it; what it says before that does not matter."""
        try:
            return not self.socket.recv(1 << 12)
        except OSError as error:
            return error.errno not in (errno.EAGAIN, errno.EWOULDBLOCK)


def hold(port, game, count, seed, pipe):
    """Holds slow connections until the server has closed all of them; tells how old each one became."""
    chance, poll = random.Random(seed), select.epoll()
    connections, due, ages = {}, [], {}
    for number in range(count):
        connection = Slow(port, ("head", "body", "silent")[number % 3], game)
        connections[connection.socket.fileno()] = connection
        poll.register(connection.socket, select.EPOLLIN | select.EPOLLRDHUP)
        heapq.heappush(due, (time.monotonic() + chance.random(), connection.socket.fileno()))
    pipe.send(("connected", count))

    def end(descriptor):
        connection = connections.pop(descriptor)
        ages.setdefault(connection.kind, []).append(time.monotonic() - connection.began)
        connection.socket.close()

    limit = time.monotonic() + 2 * MOST_AGE
    while connections and time.monotonic() < limit:
        now = time.monotonic()
        while due and due[0][0] <= now:
            moment, descriptor = heapq.heappop(due)
            if descriptor in connections:
                if connections[descriptor].go_on():
                    heapq.heappush(due, (moment + 1, descriptor))
                else:
                    end(descriptor)
        for descriptor, _ in poll.poll(0.05):
            if descriptor in connections and connections[descriptor].is_closed():
                end(descriptor)
    pipe.send(("ended", ages, len(connections)))


def run(lines, options):
    folder = options.folder
    # The server has descriptors for the players and for its own files, too.
    raise_limit(options.slow + 1_000)
    write_quiz(folder / "quiz.json", 1)
    chance = random.Random(options.seed)
    players = [Player(f"Player {number}", chance) for number in range(options.players)]
    with Server(
            options.server, folder / "data", "--input", options.clip, "--loop", "--quiz", folder / "quiz.json", "--hosted", "--time", TIME,
            "--segment-duration", 1, "--token-file", write_tokens(folder / "tokens"), log=folder / "server.log") as server:
        wait_until(server.is_ready, 10, "the input comes")
        join_all(server, players)
        before = server.resources()[1]
        ours, theirs = multiprocessing.Pipe()
        holding = multiprocessing.get_context("fork").Process(
            target=hold, args=(server.port, server.game, options.slow, options.seed, theirs), daemon=True)
        holding.start()
        assert ours.poll(120), "the slow connections cannot be made"
        ours.recv()
        question = Host(server).ask()
        # Each player answers once a second.
        crowd = Crowd(players, 50, options.seed, 1)
        crowd.game, crowd.port = server.game, server.port
        with server.client() as client:
            while not ours.poll(0.5):
                # Players know from the stream where it is.
                crowd.follow(question, TIME, edge(client))
        _, ages, left = ours.recv()
        crowd.end()
        memory = server.resources()[1]
        status = server.get("/healthz")[0]
        took = server.stop()

    def answers():
        times = crowd.times
        text = (f"{len(times)} answers while {options.slow} slow connections are there, acknowledged after p50 {percentile(times, 0.5):.1f} ms, "
                f"p99 {percentile(times, 0.99):.1f} ms, most {max(times) * 1000:.0f} ms; load {os.getloadavg()[0]:.1f}")
        assert not crowd.others, f"{crowd.others}; {text}"
        assert percentile(times, 0.99) <= options.limit * 1000, text
        return text

    def slow():
        text = ", ".join(f"{kind} {min(found):.0f} to {max(found):.0f} s" for kind, found in sorted(ages.items()))
        assert not left, f"{left} slow connections are still there after {2 * MOST_AGE} s; {text}"
        assert max(max(found) for found in ages.values()) <= MOST_AGE, f"closed after {text}"
        return f"{sum(map(len, ages.values()))} are closed by the server: {text}"

    def server_holds():
        assert status == 200 and took[1] in (0, 130), f"health {status}, SIGTERM {took}"
        return f"{memory / 1048576:.1f} MB in use at most, {before / 1048576:.1f} MB before; SIGTERM ends it in {took[0]:.2f} s"

    lines.prove_all("slow", [("answers", answers), ("slow connections", slow), ("server", server_holds)])
    lines.prove("slow, operator", messages_are_left_out, options)
    lines.prove("slow, readers", readers_are_closed, options)
    lines.prove("slow, TLS", secure_connections_are_closed, options)
    lines.prove("slow, HTTP/2", resets_are_closed, options)


def messages_are_left_out(options):
    """Nobody reads the server's messages: calls are answered, and SIGTERM ends it."""
    process = subprocess.Popen(
        [options.server, "serve", "--data", options.folder / "unread", "--listen", "127.0.0.1:0", "--json", "--input", options.clip, "--loop"],
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    try:
        begun = next(said for said in map(json.loads, process.stderr) if "listening" in said)
        times = []
        with Client(urllib.parse.urlsplit(begun["listening"]).port, timeout=10) as client:
            for _ in range(UNREAD):
                started = time.monotonic()
                assert client.get("/healthz").status == 200
                times.append(time.monotonic() - started)
        started = time.monotonic()
        process.terminate()
        status = process.wait(timeout=10)
    finally:
        process.kill()
        process.wait()
    assert status in (0, 130), f"SIGTERM: status {status}"
    return f"{UNREAD} calls whose lines nobody reads, the slowest in {max(times) * 1000:.0f} ms; SIGTERM ends it in {time.monotonic() - started:.2f} s"


# Connections with TLS, and without.

class SecureServer(Server):
    """A server with a certificate of its own."""

    def client(self, token=None, timeout=35):
        return Client(self.port, token, timeout, trusting())


def start(options, name, is_secure):
    """A server with a game that a host leads."""
    return (SecureServer if is_secure else Server)(
        options.server, options.folder / name, "--input", options.clip, "--loop", "--quiz", options.folder / "quiz.json", "--hosted", "--time", TIME,
        "--segment-duration", 1, *(certify(options.folder) if is_secure else []), log=options.folder / "server.log")


def readers_are_closed(options):
    """Who asks for more than the connection holds, and reads none of it, does not keep the connection."""
    with start(options, "readers", False) as plain, start(options, "secure-readers", True) as secure:
        for server in (plain, secure):
            wait_until(server.is_ready, 15, "the input comes")
        before = {server: server.resources()[2] for server in (plain, secure)}
        sockets = [reader(server) for server in before for _ in range(READERS)]
        began, told = time.monotonic(), []
        for server, count in before.items():
            wait_until(lambda: server.resources()[2] > count + READERS * 3 // 4, 30, "the server has the connections")
        for server, count in before.items():
            wait_until(
                lambda: server.resources()[2] < count + READERS // 4, MOST_AGE, f"most of {READERS} connections that read nothing are closed")
            told.append(f"{time.monotonic() - began:.0f} s {'with' if server is secure else 'without'} TLS")
        for connection in sockets:
            connection.close()
    return f"{READERS} connections that ask and do not read are closed after {', '.join(told)}"


def reader(server):
    """A connection that asks, and does not read."""
    connection = socket.socket()
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    connection.settimeout(10)
    connection.connect(("127.0.0.1", server.port))
    if isinstance(server, SecureServer):
        connection = trusting().wrap_socket(connection)
    connection.sendall(b"GET /v1/openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n" * 200)
    return connection


def silent(server, data=b"", protocol=None):
    """A connection, by TLS where there is a protocol for it, that says nothing more."""
    connection = socket.create_connection(("127.0.0.1", server.port), timeout=10)
    if protocol:
        context = trusting()
        context.set_alpn_protocols([protocol])
        connection = context.wrap_socket(connection)
    connection.sendall(data)
    connection.setblocking(False)
    return connection


def received(connection):
    """What has come on a connection; nothing at all where the server has closed it."""
    data = b""
    try:
        while True:
            part = connection.recv(1 << 16)
            if not part:
                return data or None
            data += part
    except (BlockingIOError, ssl.SSLWantReadError):
        return data
    except OSError:
        # It was cut.
        return data or None


class Silent:
    """Connections that say nothing more, and how old each became."""

    def __init__(self, connections):
        self.connections, self.began, self.ages = connections, time.monotonic(), {}

    def look(self):
        for name in self.connections.keys() - self.ages.keys():
            if received(self.connections[name]) is None:
                self.ages[name] = time.monotonic() - self.began
                self.connections[name].close()

    @property
    def left(self):
        return sorted(map(str, self.connections.keys() - self.ages.keys()))


class Listening:
    """A host who listens."""

    def __init__(self, server, protocol, game, token):
        path = f"/v1/games/{game}/events"
        request = f"GET {path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {token}\r\n\r\n".encode()
        if protocol == "h2":
            # The whole request, with the fields 4 (:path) and 23 (authorization) of HPACK's table.
            fields = b"\x82\x87\x04" + hpack_text(path) + b"\x0f\x08" + hpack_text(f"Bearer {token}")
            request = PREFACE + frame(HEADERS, END_STREAM | END_HEADERS, 1, fields)
        self.connection, self.said, self.latest, self.is_open = silent(server, request, protocol), b"", time.monotonic(), True

    def look(self):
        data = received(self.connection)
        if data:
            self.said, self.latest = self.said + data, time.monotonic()
        self.is_open = self.is_open and data is not None


def old_versions_are_refused(server):
    """Nobody speaks a version of TLS that must not be spoken (RFC 8996)."""
    for version, expected in ((ssl.TLSVersion.TLSv1, False), (ssl.TLSVersion.TLSv1_1, False), (ssl.TLSVersion.TLSv1_2, True), (ssl.TLSVersion.TLSv1_3, True)):
        context = trusting()
        # The client offers old versions only where its own security level lets it.
        context.set_ciphers("ALL:@SECLEVEL=0")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)
            context.minimum_version, context.maximum_version = version, version
        with socket.create_connection(("127.0.0.1", server.port), timeout=10) as plain:
            try:
                with context.wrap_socket(plain) as connection:
                    spoken = connection.version()
            except (ssl.SSLError, ConnectionError):
                spoken = None
        assert (spoken is not None) == expected, f"{version.name}: the server speaks {spoken}"


def secure_connections_are_closed(options):
    """Behind TLS nobody keeps a connection for nothing, a host who listens does, and players are answered all the time."""
    with start(options, "tls", True) as server, server.client() as client:
        wait_until(server.is_ready, 15, "the stream is there")
        old_versions_are_refused(server)
        player = Player("Ann", random.Random(options.seed))
        assert player.join(client, server).status == 201, "a player cannot join"
        question, asked = Host(server).ask(), time.monotonic()
        quiz = {"questions": [{"question": "Which one?", "answers": ["This", "That"], "correct": "This"}]}
        # Each host has a game: one listens to it at a time.
        other = client.call("POST", "/v1/games", {"quiz": quiz}, token=server.operator_token).object
        hosts = {
            "HTTP/1.1": Listening(server, "http/1.1", server.game, server.host_token),
            "HTTP/2": Listening(server, "h2", other["id"], other["token"])}
        idle = Silent({
            "HTTP/1.1": silent(server, protocol="http/1.1"), "HTTP/2": silent(server, PREFACE, "h2"),
            "HTTP/2 with half of a request": silent(server, PREFACE + frame(HEADERS, END_HEADERS, 1, b"\x83\x84\x87"), "h2")})
        halves = Silent({number: silent(server, HELLO if number % 2 else b"") for number in range(HALVES)})
        times, next_answer = [], time.monotonic()
        while time.monotonic() < idle.began + MOST_AGE:
            for connections in (idle, halves, *hosts.values()):
                connections.look()
            if time.monotonic() > next_answer:
                # A player has 100 answers to a question.
                next_answer = time.monotonic() + MOST_AGE / 90
                started = time.monotonic()
                answer = player.answer(client, server, (question["guid"], 0, round(question["opensAt"] + started - asked, 6)))
                times.append(time.monotonic() - started)
                assert answer.status == 202, f"an answer while {HALVES} handshakes are open: {answer}"
            time.sleep(0.02)
    assert not halves.left, f"{len(halves.left)} of {HALVES} connections without a whole handshake are still open"
    assert max(halves.ages.values()) <= HANDSHAKE, f"handshakes are closed after {max(halves.ages.values()):.1f} s"
    assert not idle.left, f"after {MOST_AGE} s these are still open: {', '.join(idle.left)}"
    for name, host in hosts.items():
        assert b"event: counts" in host.said, f"a host does not hear anything with {name}: {host.said[:200]}"
        # There is a sign every ten seconds.
        silence = time.monotonic() - host.latest
        assert host.is_open, f"with {name} a host who listens is cut off after {host.latest - idle.began:.0f} s"
        assert silence < 15, f"with {name} a host has heard nothing for {silence:.0f} s"
    text = (f"{HALVES} handshakes closed after {max(halves.ages.values()):.0f} s, " + ", ".join(f"{name} after {age:.0f} s" for name, age in idle.ages.items())
            + f"; hosts listen for {MOST_AGE} s; {len(times)} answers, p99 {percentile(times, 0.99):.0f} ms")
    assert percentile(times, 0.99) <= options.limit * 1000, text
    return text


def resets_are_closed(options):
    """A client of HTTP/2 has so many requests at a time, and one that asks and takes it back, again and again, is closed."""
    with start(options, "resets", True) as server, server.client() as client:
        connection = silent(server, PREFACE, "h2")
        fields, cancel = b"\x82\x87\x04" + hpack_text("/healthz"), (8).to_bytes(4, "big")
        flood = b"".join(
            frame(HEADERS, END_STREAM | END_HEADERS, stream, fields) + frame(RST_STREAM, 0, stream, cancel) for stream in range(1, 2 * RESETS, 2))
        said, began = b"", time.monotonic()
        connection.settimeout(10)
        try:
            while len(said) < 9:
                said += connection.recv(1 << 16)
            connection.sendall(flood)
            while part := connection.recv(1 << 16):
                said += part
        except TimeoutError as error:
            raise AssertionError(f"{RESETS} requests that are taken back are all taken") from error
        except OSError:
            # It was cut.
            pass
        took = time.monotonic() - began
        connection.close()
        assert client.get("/healthz").status == 200
    length = int.from_bytes(said[:3], "big")
    settings = {int.from_bytes(said[place:place + 2], "big"): int.from_bytes(said[place + 2:place + 6], "big") for place in range(9, 9 + length, 6)}
    assert said[3] == SETTINGS and settings.get(3) == 100, f"the server's settings are {settings}"
    return f"100 streams at a time; {RESETS} requests that are taken back at once end the connection after {took:.1f} s"


# The beginning of a handshake.
HELLO = b"\x16\x03\x01\x02\x00\x01"


if __name__ == "__main__":
    prove_and_end(run, "server", "clip", slow=5000, players=500, limit=0.5, seed=1)
