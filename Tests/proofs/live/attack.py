"""Attacks live servers with their defaults, as strangers on the network can, while encoders and operators go on, and prints a line for each fact.

    python3 -m proofs.live.attack --server PROGRAM --clip CLIP --folder FOR_ITS_FILES [--count 5000] [--limit SECONDS] [--step 1] [--only NAME...]

The servers run without capabilities and with a soft limit of 1,024 open files, as systems give it. With --limit, 99 of 100 posts must be accepted within so
many seconds. With --step, every so many numbers are sent.
"""

import contextlib
import json
import random
import signal
import socket
import time

from proofs.client import JSON, Client, call
from proofs.facts import prove_and_end
from proofs.live.attackers import MOST_GROWTH, PROXIES, Listener, Repeated, certify, closed_windows, crowds, hang, limited, trusting
from proofs.live.extremes import Numbers
from proofs.live.latency import percentile
from proofs.live.pair import Node, Tee
from proofs.live.rtmp import FFmpeg
from proofs.live.server import Publisher, Server, cue, new_guid, udp
from proofs.processes import free_port, new_folder, raise_limit, wait_until

EVENTS = "/v1/streams/live/events"
PLAYLIST = "/live/live/index.m3u8"
MEDIA = "/live/live/media.m3u8"


class Operator(Repeated):
    """Posts events one after the other."""

    def __init__(self, server):
        self.server, self.guids, self.chance = server, [], random.Random(1)
        super().__init__(self.post)

    def post(self):
        guid = new_guid(self.chance)
        status, _ = self.server.post(cue(len(self.guids) + 1, guid=guid), timeout=60)
        if status != 202:
            return status
        self.guids.append(guid)

    def end(self, limit=None):
        """Ends it, and proves that all that was accepted is in the stream, and how soon it was accepted; says so."""
        p99 = percentile(super().end(), 0.99)
        wait_until(lambda: {guid for guid, event in self.server.events().items() if event["state"] in ("placed", "published")} >= set(self.guids),
                   60, "all accepted events are in the stream")
        assert limit is None or p99 <= limit * 1000, f"99 of 100 posts took up to {p99:.0f} ms"
        return f"{len(self.guids)} posts, p99 {p99:.0f} ms, none lost"


@contextlib.contextmanager
def running(options, *arguments, hard=None, **keys):
    """A server with an encoder."""
    port = free_port(socket.SOCK_DGRAM)
    folder = new_folder(options.folder / "running")
    with Server(limited(options.server, folder, hard), udp(port), "--segment-duration", 1, *arguments, log=folder / "server.log", **keys) as server:
        with Publisher(options.clip, udp(port)):
            wait_until(server.is_ready, 60, "the input comes")
            wait_until(lambda: server.get(MEDIA)[0] == 200, 60, "a playlist")
            server.folder = folder
            yield server


def first_line(text):
    """The first line of a playlist that is no tag."""
    return next(line for line in text.decode().split("\n") if line and line[0] != "#")


def flooded(options, server, ports, closing=()):
    """Lets crowds come to all ports while somebody posts to a server; says what became of that. Those of some ports may be closed at once."""
    before, operator = server.now()["at"], Operator(server)
    with contextlib.ExitStack() as stack:
        for port in closing:
            stack.enter_context(crowds(port, options.count, PLAYLIST))
        counts = [stack.enter_context(crowds(port, options.count, PLAYLIST)) for port in ports]
        time.sleep(3)
        descriptors = server.resources()[2]
        said = operator.end(options.limit)
        passed = server.now()["at"] - before
        assert passed > 3, f"the stream has gone on for {passed} s"
        few = [count for kinds in counts for count in kinds if count < options.count]
        assert not few, f"only {few} of {options.count} connections were made"
    return f"{len(ports)} times {options.count} kept and as many half-open connections ({descriptors} descriptors): {said}; the stream went on"


def crowds_hold(options):
    """Thousands of connections that are kept open, and as many that never end their request, at the system's soft limit."""
    with running(options) as server:
        return flooded(options, server, [server.port])


def pair_holds(options):
    """The same at both nodes of a pair: then one of them leads, they are together, and either has all events."""
    folder = new_folder(options.folder / "pair")
    ports, inputs, source = [free_port(), free_port()], [free_port(socket.SOCK_DGRAM) for _ in range(2)], free_port(socket.SOCK_DGRAM)
    options.server, plain = limited(options.server, folder), options.server
    nodes = [Node(options, number, ports[number], ports[1 - number], inputs[number], folder) for number in range(2)]
    options.server, tee = plain, Tee(source, inputs)
    try:
        for node in nodes:
            node.start()
        with Publisher(options.clip, udp(source)):
            wait_until(lambda: all(node.is_ready() for node in nodes), 60, "the input comes")
            wait_until(lambda: all(node.is_connected() for node in nodes) and any(node.leads() for node in nodes), 60, "the nodes are together")
            wait_until(lambda: all(node.server.get(MEDIA)[0] == 200 for node in nodes), 60, "playlists")
            leader, other = sorted(nodes, key=lambda node: not node.leads())
            said = flooded(options, leader.server, ports)
            wait_until(
                lambda: sum(node.leads() for node in nodes) == 1 and all(node.is_connected() for node in nodes), 60, "the nodes are together again")
            wait_until(lambda: leader.server.events().keys() <= other.server.events().keys(), 60, "the other node has all events")
    finally:
        for node in nodes:
            if node.is_alive():
                node.server.kill()
        tee.end()
    return f"{said}; the nodes are together, and the other one has all events"


def publishers_hold(options):
    """The same at the port for encoders and at the web server while an encoder publishes; then the next encoder gets in, and what is refused is said."""
    port, folder = free_port(), new_folder(options.folder / "rtmp")
    log = folder / "server.log"
    with Server(limited(options.server, folder), f"rtmp://127.0.0.1:{port}/show", "--segment-duration", 1, log=log) as server:
        idle = hang(port, 50, b"\3", "127.0.0.2") + hang(port, 50, b"\3", "127.0.0.3")
        with FFmpeg(options.clip, f"rtmp://127.0.0.1:{port}/other/key"):
            wait_until(lambda: "there is no application" in log.read_text(), 60, "the wrong application is reported")
        with FFmpeg(options.clip, f"rtmp://127.0.0.1:{port}/show/key"):
            wait_until(server.is_ready, 60, "the encoder publishes")
            wait_until(lambda: server.get(MEDIA)[0] == 200, 60, "a playlist")
            said = flooded(options, server, [server.port], [port])
        wait_until(lambda: not server.is_ready(), 60, "the encoder has gone")
        with crowds(port, options.count, PLAYLIST), FFmpeg(options.clip, f"rtmp://127.0.0.1:{port}/show/key"):
            wait_until(server.is_ready, 60, "the next encoder publishes")
        for connection in idle:
            connection.close()
        assert "Publish: rtmp://" in log.read_text(), "the start does not say where to publish"
    return f"{said}; the next encoder gets in meanwhile; a wrong application is reported"


def scarce(options):
    """A hard limit of 1,024: one address cannot keep others out, and what is idle goes."""
    with running(options, hard=1024) as server:
        operator = Operator(server)
        hanging = hang(server.port, 1200, b"GET / HTTP/1.1\r\nHost: x\r\nX-A: ")
        worst = 0.0
        for _ in range(20):
            start = time.monotonic()
            assert server.get(PLAYLIST)[0] == 200
            worst = max(worst, time.monotonic() - start)
        more = [hang(server.port, 300, b"", f"127.0.1.{number}") for number in range(4)]
        wait_until(lambda: server.get(PLAYLIST, timeout=60)[0] == 200, 60, "a viewer gets in")
        said = operator.end()
        for connection in hanging + sum(more, []):
            connection.close()
        return f"1,200 unfinished requests of one address: viewers wait {worst * 1000:.0f} ms at most; 1,200 connections of four more: a viewer gets in; {said}"


def pipelines(options):
    """Clients that ask for segments again and again, and read nothing."""
    with running(options) as server:
        name = first_line(server.get(MEDIA)[2])
        before = server.resources()[0]
        connections = hang(server.port, 200, f"GET /live/live/{name} HTTP/1.1\r\nHost: x\r\n\r\n".encode() * 200)
        time.sleep(3)
        grown = server.resources()[0] - before
        assert grown < MOST_GROWTH, f"the memory has grown by {grown >> 20} MB"
        for connection in connections:
            connection.close()
        return f"200 clients with 200 requests each, who read nothing: {grown >> 20} MB"


class SecureServer(Server):
    """A server with a certificate."""

    def client(self, token=None, timeout=35):
        return Client(self.port, token, timeout, trusting())


def windows(options):
    """HTTP/2 with windows that are closed."""
    port, folder = free_port(socket.SOCK_DGRAM), new_folder(options.folder / "windows")
    with SecureServer(limited(options.server, folder), udp(port), "--segment-duration", 4, *certify(folder), log=folder / "server.log") as server, Publisher(options.clip, udp(port)):
        wait_until(lambda: server.get(MEDIA)[0] == 200, 60, "a playlist over TLS")
        path = f"/live/live/{first_line(server.get(MEDIA)[2])}"
        size, grown = len(server.get(path)[2]), closed_windows(server, [path, "/v1/openapi.json"])
        assert "strict-transport-security" in server.get("/healthz")[1], "no Strict-Transport-Security"
        return f"8 connections of 100 streams with closed windows, half of them for a segment of {size >> 10} KB: {grown >> 20} MB"


def numbers(options):
    """Extreme numbers in everything that the document describes."""
    with running(options) as server:
        game, token = json.loads(server.get(EVENTS)[2])["game"], made_token(server)
        document = json.loads(server.get("/v1/openapi.json")[2])
        names = {"stream": "live", "file": "media.m3u8", "guid": new_guid(random.Random(1))}
        return Numbers(server, document, names, {"game": [game]}, lambda *_: token, options.step).run(MOST_GROWTH)


def made_token(server):
    """The token that a server without tokens of its own has made."""
    return next(line.split()[1] for line in (server.folder / "server.log").read_text().split("\n") if line.startswith("Token:"))


def strangers(options):
    """A proxy on the same machine opens nothing, with plain configurations."""
    with running(options) as server:
        server.post({"event": "askQuestion", "question": "?", "answers": ["a", "b"], "correct": "a"})
        plain = {"Host": "localhost"}
        for field in ("X-Forwarded-For", "Forwarded", "X-Real-IP", "Via"):
            assert server.get(EVENTS, plain | {field: "127.0.0.1"})[0] == 403, field
        assert server.get(EVENTS, plain)[0] == 200 and server.get(EVENTS, {"Host": "show.example"})[0] == 403
        token = made_token(server)
        assert server.get(EVENTS, {"Host": "show.example", "Authorization": f"Bearer {token}"})[0] == 200, "the token that was made opens nothing"
        for name, proxy in PROXIES.items():
            with proxy(options.folder, server.port) as port:
                def status(method, path, body=None, host="show.example"):
                    return call(port, method, path, body, JSON | {"Host": host}, timeout=60).status

                assert status("GET", PLAYLIST) == 200, name
                assert status("GET", EVENTS) == 403 and status("POST", EVENTS, cue(1)) == 403, f"a stranger behind {name} reads and posts"
                if name == "nginx":
                    assert status("GET", EVENTS, host="localhost") == 403, "nginx with a false Host"
                with Listener(port, "/v1/streams/live/stream", token) as listener:
                    # What is posted before the server listens for this client would not be told.
                    listener.hear(b"\r\n\r\n")
                    server.post(cue(7))
                    listener.hear(b"event: accepted")
    return f"behind {' and '.join(PROXIES)} strangers only watch; messages pass at once; the token that was made opens the server"


def tokens(options):
    """SIGHUP ends nothing, and reads the tokens again; a file with a mistake changes nothing."""
    path, log = options.folder / "tokens", options.folder / "tokens.log"
    path.touch(mode=0o600)
    first, second = "first-token-of-many", "second-token-of-many"
    path.write_text(f"publish {first}\n")
    with Server(options.server, udp(free_port(socket.SOCK_DGRAM)), "--token-file", path, log=log) as server:
        def status(token):
            return server.get(EVENTS, {"Authorization": f"Bearer {token}"})[0]

        assert (status(first), status(second)) == (200, 401), "the tokens of the start"
        path.write_text(f"publish {second}\n")
        assert status(first) == 200, "a file that nobody has asked for was read"
        server.process.send_signal(signal.SIGHUP)
        wait_until(lambda: (status(first), status(second)) == (401, 200), 10, "the new tokens hold")
        path.write_text("publish short\n")
        server.process.send_signal(signal.SIGHUP)
        wait_until(lambda: "the tokens stay as they were" in log.read_text(), 10, "the mistake is reported")
        assert status(second) == 200, "a mistake has changed the tokens"
    return "SIGHUP reads them again; a file with a mistake changes nothing, and is reported"


PROOFS = {"crowds": crowds_hold, "pair": pair_holds, "publishers": publishers_hold, "scarce": scarce, "pipelines": pipelines, "windows": windows, "numbers": numbers,
          "strangers": strangers, "tokens": tokens}


def run(lines, options):
    raise_limit(options.count + 1_000)
    lines.prove_all("attack", {name: PROOFS[name] for name in options.only}, options)


if __name__ == "__main__":
    prove_and_end(run, "server", "clip", count=5000, limit=float, step=1, only=PROOFS)
