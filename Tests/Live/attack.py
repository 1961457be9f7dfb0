"""Attacks a live server with its defaults, as strangers on the network can, while an encoder and an operator go on, and prints a line for each fact.

    python attack.py --server PROGRAM --clip CLIP --folder FOR_ITS_FILES [--count 5000] [--limit 0.5] [--only NAME...]

The server runs without capabilities and with a soft limit of 1,024 open files, as systems give it.
"""

import contextlib
import http.client
import json
import os
import random
import resource
import shutil
import socket
import ssl
import subprocess
import threading
import time

import h2.config
import h2.connection
import h2.events
import h2.settings

from latency import percentile
from live import JSON, Lines, Publisher, Server, cue, end_proof, free_port, new_folder, new_guid, ordinary, proof_parser, udp, wait_until
from rtmp import FFmpeg

EVENTS = "/v1/streams/live/events"
PLAYLIST = "/live/live/index.m3u8"


def raise_own_limit():
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


class Limited(Server):
    """A server whose process may open only so many files: as many as it likes up to `hard`, once it has raised its limit."""

    def __init__(self, program, *arguments, soft=1024, hard=None, **options):
        limits = resource.getrlimit(resource.RLIMIT_NOFILE)
        # The limits of a process are its children's.
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, limits[1]))
        prefix = ["prlimit", f"--nofile={soft}:{hard or limits[1]}"]
        try:
            script = new_script(program, prefix)
            super().__init__(script, *arguments, **options)
        finally:
            resource.setrlimit(resource.RLIMIT_NOFILE, limits)


def new_script(program, prefix):
    """A program that runs another one behind a prefix."""
    path = f"{program}.limited-{os.getpid()}"
    with open(path, "w") as script:
        script.write(f"#!/bin/sh\nexec {' '.join(prefix)} {program} \"$@\"\n")
    os.chmod(path, 0o755)
    return path


class Operator:
    """Posts events one after the other, and knows how long each took."""

    def __init__(self, server):
        self.server, self.times, self.guids, self.failures = server, [], [], []
        self.is_running = True
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()

    def run(self):
        chance = random.Random(1)
        while self.is_running:
            guid, start = new_guid(chance), time.monotonic()
            try:
                status, _ = self.server.post(cue(len(self.guids) + 1, guid=guid), timeout=10)
                if status == 202:
                    self.guids.append(guid)
                else:
                    self.failures.append(status)
            except OSError as error:
                self.failures.append(str(error))
            self.times.append(time.monotonic() - start)
            time.sleep(0.02)

    def end(self):
        """Ends it, and proves that all that was accepted is in the stream."""
        self.is_running = False
        self.thread.join()
        assert not self.failures, f"{len(self.failures)} posts failed: {self.failures[:3]}"
        wait_until(lambda: {guid for guid, event in self.server.events().items() if event["state"] in ("placed", "published")} >= set(self.guids),
                   10, "all accepted events are in the stream")
        return len(self.guids), percentile(self.times, 0.99)


@contextlib.contextmanager
def running(options, *arguments, **limits):
    """A server with an encoder."""
    port = free_port(socket.SOCK_DGRAM)
    folder = new_folder(options.folder / "running")
    with Limited(options.server, udp(port), "--segment-duration", 1, *arguments, log=folder / "server.log", **limits) as server:
        with Publisher(options.clip, udp(port)):
            wait_until(server.is_ready, 20, "the input comes")
            wait_until(lambda: server.get("/live/live/media.m3u8")[0] == 200, 20, "a playlist")
            server.folder = folder
            yield server


def hang(port, count, text, address="127.0.0.2"):
    """So many connections from an address, each of which has said something."""
    connections = []
    for _ in range(count):
        try:
            connection = socket.create_connection(("127.0.0.1", port), timeout=5, source_address=(address, 0))
            connection.sendall(text)
            connections.append(connection)
        except OSError:
            pass
    return connections


def crowds(options):
    """Thousands of connections that are kept open, and as many that never end their request, at the system's soft limit."""
    with running(options) as server:
        before = server.now()["at"]
        operator = Operator(server)
        kept = hang(server.port, options.count, f"GET {PLAYLIST} HTTP/1.1\r\nHost: x\r\n\r\n".encode(), "127.0.0.2")
        half = hang(server.port, options.count, b"GET / HTTP/1.1\r\nHost: x\r\nX-A: ", "127.0.0.3")
        time.sleep(3)
        descriptors = server.resources()[2]
        count, p99 = operator.end()
        passed = server.now()["at"] - before
        assert passed > 3, f"the stream has gone on for {passed} s"
        for connection in kept + half:
            connection.close()
        assert p99 <= options.limit * 1000, f"99 of 100 posts took up to {p99:.0f} ms"
        return f"{len(kept)} kept and {len(half)} half-open connections ({descriptors} descriptors): {count} posts, p99 {p99:.0f} ms, none lost; the stream went on"


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
        wait_until(lambda: server.get(PLAYLIST, timeout=20)[0] == 200, 20, "a viewer gets in")
        count, p99 = operator.end()
        for connection in hanging + sum(more, []):
            connection.close()
        return f"1,200 unfinished requests of one address: viewers wait {worst * 1000:.0f} ms at most; 1,200 connections of four more: a viewer gets in; {count} posts, p99 {p99:.0f} ms"


def pipelines(options):
    """Clients that ask for segments again and again, and read nothing."""
    with running(options) as server:
        name = next(line for line in server.get("/live/live/media.m3u8")[2].decode().split("\n") if line and line[0] != "#")
        before = server.resources()[0]
        connections = hang(server.port, 200, f"GET /live/live/{name} HTTP/1.1\r\nHost: x\r\n\r\n".encode() * 200)
        time.sleep(3)
        grown = server.resources()[0] - before
        assert grown < 64 << 20, f"the memory has grown by {grown >> 20} MB"
        for connection in connections:
            connection.close()
        return f"200 clients with 200 requests each, who read nothing: {grown >> 20} MB"


def windows(options):
    """HTTP/2 with windows that are closed."""
    certificate = options.folder / "certificate.pem"
    subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", options.folder / "key.pem", "-out", certificate, "-days", "1", "-subj", "/CN=localhost"],
                   check=True, capture_output=True)
    port = free_port(socket.SOCK_DGRAM)
    with Limited(options.server, udp(port), "--segment-duration", 4, "--certificate", certificate, "--private-key", options.folder / "key.pem", log=options.folder / "tls.log",
                 wait=False) as server, Publisher(options.clip, udp(port)):
        trust = ssl.create_default_context(cafile=certificate)
        trust.check_hostname = False

        def get(path):
            connection = http.client.HTTPSConnection("127.0.0.1", server.port, timeout=10, context=trust)
            try:
                connection.request("GET", path)
                answer = connection.getresponse()
                return answer.status, answer.read(), answer.getheader("Strict-Transport-Security")
            except OSError:
                return 0, b"", None
            finally:
                connection.close()

        wait_until(lambda: get("/live/live/media.m3u8")[0] == 200, 40, "a playlist over TLS")
        name = next(line for line in get("/live/live/media.m3u8")[1].decode().split("\n") if line and line[0] != "#")
        size = len(get(f"/live/live/{name}")[1])
        before, connections = server.resources()[0], []
        for _ in range(8):
            context = ssl.create_default_context(cafile=certificate)
            context.check_hostname = False
            context.set_alpn_protocols(["h2"])
            secure = context.wrap_socket(socket.create_connection(("127.0.0.1", server.port), timeout=5))
            assert secure.selected_alpn_protocol() == "h2"
            speaker = h2.connection.H2Connection(h2.config.H2Configuration(client_side=True))
            speaker.local_settings[h2.settings.SettingCodes.INITIAL_WINDOW_SIZE] = 0
            speaker.initiate_connection()
            for number in range(100):
                path = (f"/live/live/{name}", "/v1/openapi.json")[number % 2]
                speaker.send_headers(1 + 2 * number, [(":method", "GET"), (":scheme", "https"), (":authority", "localhost"), (":path", path)], end_stream=True)
            secure.sendall(speaker.data_to_send())
            connections.append(secure)
        time.sleep(3)
        grown = server.resources()[0] - before
        assert grown < 64 << 20, f"the memory has grown by {grown >> 20} MB"
        assert get("/healthz")[2], "no Strict-Transport-Security"
        return f"8 connections of 100 streams with closed windows, half of them for a segment of {size >> 10} KB: {grown >> 20} MB"


def publishers(options):
    """Idle connections to RTMP keep no encoder out, and what is refused is said."""
    port = free_port()
    log = options.folder / "rtmp.log"
    with Server(options.server, f"rtmp://127.0.0.1:{port}/show", log=log) as server:
        idle = hang(port, 50, b"\3", "127.0.0.2") + hang(port, 50, b"\3", "127.0.0.3")
        with FFmpeg(options.clip, f"rtmp://127.0.0.1:{port}/other/key"):
            wait_until(lambda: "there is no application" in log.read_text(), 10, "the wrong application is reported")
        with FFmpeg(options.clip, f"rtmp://127.0.0.1:{port}/show/key"):
            wait_until(server.is_ready, 10, "the encoder publishes")
        for connection in idle:
            connection.close()
        assert "Publish: rtmp://" in log.read_text(), "the start does not say where to publish"
    return "100 idle connections, and the encoder gets in; a wrong application is reported"


def strangers(options):
    """A proxy on the same machine opens nothing, with plain configurations."""
    said = []
    with running(options) as server:
        server.post({"event": "askQuestion", "question": "?", "answers": ["a", "b"], "correct": "a"})
        plain = {"Host": "localhost"}
        for field in ("X-Forwarded-For", "Forwarded", "X-Real-IP", "Via"):
            assert server.get(EVENTS, plain | {field: "127.0.0.1"})[0] == 403, field
        assert server.get(EVENTS, plain)[0] == 200 and server.get(EVENTS, {"Host": "show.example"})[0] == 403
        for name, start in (("nginx", nginx), ("HAProxy", haproxy)):
            with start(options.folder, server.port) as port:
                def call(method, path, body=None, host="show.example"):
                    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
                    try:
                        connection.request(method, path, body, JSON | {"Host": host})
                        return connection.getresponse().status
                    finally:
                        connection.close()

                wait_until(lambda: answers(port), 10, f"{name} answers")
                assert call("GET", PLAYLIST) == 200, name
                assert call("GET", EVENTS) == 403 and call("POST", EVENTS, json.dumps(cue(1))) == 403, f"a stranger behind {name} reads and posts"
                if name == "nginx":
                    assert call("GET", EVENTS, host="localhost") == 403, "nginx with a false Host"
                said.append(name)
        token = next(line.split()[1] for line in (server.folder / "server.log").read_text().split("\n") if line.startswith("Token:"))
        assert server.get(EVENTS, {"Host": "show.example", "Authorization": f"Bearer {token}"})[0] == 200, "the token that was made opens nothing"
        with nginx(options.folder, server.port) as port:
            wait_until(lambda: answers(port), 10, "nginx answers")
            with socket.create_connection(("127.0.0.1", port), timeout=5) as listener:
                listener.settimeout(30)
                listener.sendall(f"GET /v1/streams/live/stream?token={token} HTTP/1.1\r\nHost: x\r\n\r\n".encode())
                heard = b""
                # What is posted before the server listens for this client would not be told.
                while b"\r\n\r\n" not in heard:
                    heard += listener.recv(4096)
                server.post(cue(7))
                while b"event: accepted" not in heard:
                    heard += listener.recv(4096)
    return f"behind {' and '.join(said)} strangers only watch; messages pass through nginx at once; the token that was made opens the server"


def answers(port):
    with contextlib.suppress(OSError):
        with socket.create_connection(("127.0.0.1", port), timeout=1) as connection:
            connection.sendall(b"GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
            return b"200" in connection.recv(100)
    return False


@contextlib.contextmanager
def proxy(command):
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        yield
    finally:
        process.terminate()
        process.wait()


@contextlib.contextmanager
def nginx(folder, upstream):
    port, folder = free_port(), new_folder(folder / "nginx")
    (folder / "nginx.conf").write_text(
        f"daemon off; pid {folder}/pid; error_log {folder}/error.log; events {{}}\n"
        f"http {{ access_log off; client_body_temp_path {folder}/a; proxy_temp_path {folder}/b; fastcgi_temp_path {folder}/c; uwsgi_temp_path {folder}/d; scgi_temp_path {folder}/e;\n"
        f"server {{ listen 127.0.0.1:{port}; location / {{ proxy_pass http://127.0.0.1:{upstream}; }} }} }}\n")
    with proxy(["nginx", "-p", folder, "-c", folder / "nginx.conf"]):
        yield port


@contextlib.contextmanager
def haproxy(folder, upstream):
    port, folder = free_port(), new_folder(folder / "haproxy")
    (folder / "haproxy.cfg").write_text(
        "defaults\n  mode http\n  timeout connect 5s\n  timeout client 30s\n  timeout server 30s\n"
        f"frontend all\n  bind 127.0.0.1:{port}\n  default_backend live\nbackend live\n  server live 127.0.0.1:{upstream}\n")
    with proxy(["haproxy", "-db", "-f", folder / "haproxy.cfg"]):
        yield port


PROOFS = {"crowds": crowds, "scarce": scarce, "pipelines": pipelines, "windows": windows, "publishers": publishers, "strangers": strangers}


def main():
    parser = proof_parser("clip", seed=False)
    parser.add_argument("--count", type=int, default=5000)
    parser.add_argument("--limit", type=float, default=0.5, help="the seconds within which 99 of 100 posts are accepted; a debug build needs more")
    parser.add_argument("--only", nargs="*", choices=list(PROOFS), default=list(PROOFS))
    options = parser.parse_args()
    options.folder = new_folder(options.folder.resolve())
    shutil.copy(options.server, options.folder / "server")
    options.server = str(options.folder / "server")
    raise_own_limit()
    lines = Lines()
    for name in options.only:
        lines.prove(f"attack, {name}", PROOFS[name], options)
    end_proof(lines)


if __name__ == "__main__":
    main()
