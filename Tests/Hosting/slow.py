"""Lets thousands of slow connections lie upon a game server while players answer, and prints a line for each fact.

    python slow.py --server PROGRAM --clip CLIP --folder FOR_ITS_FILES [--slow 5000] [--players 500] [--limit 0.5] [--seed 1]

Each slow connection sends a byte of a request every second: of its head, or of its body, or never one. With --limit, 99 of 100 answers must be
acknowledged within so many seconds.
"""

import errno
import heapq
import multiprocessing
import os
import random
import select
import shutil
import socket
import ssl
import subprocess
import time

from game import Crowd, Host, Player, Server, edge, join_all, proof_parser, prove_and_end, raise_limit, wait_until, write_quiz, write_tokens
from latency import percentile

# A request has to be whole within half a minute; then the server has some seconds to find out.
MOST_AGE = 40
TIME = 90
# How many connections ask and do not read.
READERS = 20


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
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
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

    for name, body in [("answers", answers), ("slow connections", slow), ("server", server_holds)]:
        lines.prove(f"slow, {name}", body)
    lines.prove("slow, readers", readers_are_closed, options)
    lines.prove("slow, TLS", handshakes_are_closed, options)


def readers_are_closed(options):
    """Who asks for more than the connection holds, and reads none of it, does not keep the connection."""
    with Server(
            options.server, options.folder / "readers", "--input", options.clip, "--loop", "--quiz", options.folder / "quiz.json", "--hosted",
            log=options.folder / "server.log") as server:
        wait_until(server.is_ready, 10, "the input comes")
        before, sockets = server.resources()[2], []
        for _ in range(READERS):
            connection = socket.socket()
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            connection.connect(("127.0.0.1", server.port))
            connection.sendall(b"GET /v1/openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n" * 200)
            sockets.append(connection)
        began = time.monotonic()
        wait_until(lambda: server.resources()[2] > before + READERS * 3 // 4, 30, "the server has the connections")
        wait_until(lambda: server.resources()[2] < before + READERS // 4, MOST_AGE, f"most of {READERS} connections that read nothing are closed")
        took = time.monotonic() - began
        for connection in sockets:
            connection.close()
    return f"{READERS} connections that ask and do not read are closed after {took:.0f} s"


def handshakes_are_closed(options):
    """With a certificate nobody keeps a connection either: not without a handshake, and not with HTTP/2."""
    chain, key = options.folder / "chain.pem", options.folder / "key.pem"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", key, "-out", chain, "-days", "2", "-subj", "/CN=localhost"], check=True,
        capture_output=True)
    with Server(
            options.server, options.folder / "tls", "--input", options.clip, "--loop", "--quiz", options.folder / "quiz.json", "--hosted",
            "--certificate", chain, "--private-key", key, log=options.folder / "server.log") as server:
        connections = {
            "without a handshake": silent(server), "with half of one": silent(server, HELLO), "HTTP/1.1": silent(server, protocol="http/1.1"),
            "HTTP/2": silent(server, PREFACE, "h2"), "HTTP/2 with half of a request": silent(server, PREFACE + REQUEST, "h2")}
        began, ages = time.monotonic(), {}
        while len(ages) < len(connections) and time.monotonic() < began + MOST_AGE:
            for name in connections.keys() - ages.keys():
                if is_over(connections[name]):
                    ages[name] = time.monotonic() - began
            time.sleep(0.1)
        for connection in connections.values():
            connection.close()
    open_still = sorted(connections.keys() - ages.keys())
    assert not open_still, f"after {MOST_AGE} s these are still open: {', '.join(open_still)}"
    return "closed after " + ", ".join(f"{age:.0f} s {name}" for name, age in ages.items())


# The beginning of a handshake; that of HTTP/2 with its settings; and the head of a POST whose body does not come.
HELLO = b"\x16\x03\x01\x02\x00\x01"
PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\4\0\0\0\0\0"
REQUEST = b"\0\0\x03\1\4\0\0\0\1\x83\x84\x87"


def silent(server, data=b"", protocol=None):
    """A connection, by TLS where there is a protocol for it, that says nothing more."""
    connection = socket.create_connection(("127.0.0.1", server.port), timeout=10)
    if protocol:
        context = ssl.create_default_context()
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        context.set_alpn_protocols([protocol])
        connection = context.wrap_socket(connection)
    connection.sendall(data)
    connection.setblocking(False)
    return connection


def is_over(connection):
    """Whether the server has closed a connection."""
    try:
        while connection.recv(1 << 16):
            # What it says before that does not matter.
            pass
    except (BlockingIOError, ssl.SSLWantReadError):
        return False
    except OSError:
        # It was cut.
        return True
    return True


def main():
    parser = proof_parser("clip")
    parser.add_argument("--slow", type=int, default=5000)
    parser.add_argument("--players", type=int, default=500)
    parser.add_argument("--limit", type=float, default=0.5)
    prove_and_end(run, parser)


if __name__ == "__main__":
    main()
