#!/usr/bin/env python3
"""A web server for tests that misbehaves as it is told. It prints its port on its first line and ends when its standard input does.

    hostile_server.py [--folder FOLDER] [--script SCRIPT.json] [--certificate CERTIFICATE.pem]

Files of the folder are served under their names, and `/bytes/N` is N bytes of a pattern: byte i is i modulo 251. How the server behaves
stands in the query of the request (`/bytes/100?cut=10&times=1`) or in the script, which maps a path to a list of behaviours, used one a
request; after the last one the server behaves well. `/-/requests` lists the requests so far, one line each: the target, a space, the
value of the Range field or `-`; `/-/sent` lists them with their method, their content, and the fields that are no usual ones;
`/-/connections` is the number of connections so far.

    times=N          the first N requests of this target only (in a query)
    delay=S          wait S seconds before the answer
    status=N         answer with this status, and the text "no"
    redirect=URL     answer 302 (or `status`) with this Location
    loop=1           redirect to the very same
    hops=N           redirect to the same path with one hop less, until none is left
    framing=F        length (as it is without), chunked, or none
    chunk=N          chunks of N bytes (1,000)
    trailer=1        a field behind the last chunk
    cut=N            close the connection after N bytes of content
    reset=N          the same, with a reset
    drip=S           wait S seconds after every piece
    piece=N          pieces of N bytes (65,536; with drip 1)
    endless=1        content without end
    headers=endless  a head without end (with drip: slowly)
    range=R          off: answer 200 with everything; wrong: answer 206 with a part one byte later; short: half of it
    raw=TEXT         send exactly this and close the connection
    keep=1           keep the connection for the next request, which is usually closed
    silent=1         close the connection without an answer
    hang=1           never answer; with raw: leave the connection open behind it
"""

import argparse
import json
import os
import re
import socket
import ssl
import struct
import sys
import threading
import time
from pathlib import Path
from urllib.parse import parse_qsl, unquote, urlsplit

PATTERN = bytes(index % 251 for index in range(251))


class Server:
    def __init__(self, options):
        self.folder = Path(options.folder).resolve() if options.folder else None
        self.script = json.loads(Path(options.script).read_text()) if options.script else {}
        self.lock = threading.Lock()
        self.requests = []
        self.sent = []
        self.connections = 0
        self.counts = {}
        self.context = None
        if options.certificate:
            self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            self.context.load_cert_chain(options.certificate)

    def behaviour(self, target):
        """What is to be done this time, as texts."""
        url = urlsplit(target)
        with self.lock:
            count = self.counts[target] = self.counts.get(target, 0) + 1
        steps = self.script.get(url.path)
        if steps is not None:
            return {key: str(value) for key, value in (steps[count - 1] if count <= len(steps) else {}).items()}
        behaviour = dict(parse_qsl(url.query, keep_blank_values=True))
        return behaviour if count <= int(behaviour.get("times", count)) else {}

    def content(self, path):
        """The bytes of a resource; None where there is none."""
        if path == "/-/requests":
            with self.lock:
                return "".join(f"{target} {part}\n" for target, part in self.requests).encode()
        if path == "/-/sent":
            with self.lock:
                return "".join(line + "\n" for line in self.sent).encode()
        if path == "/-/connections":
            return str(self.connections).encode()
        if match := re.fullmatch(r"/bytes/(\d+)", path):
            size = int(match[1])
            return (PATTERN * (size // 251 + 1))[:size]
        if self.folder:
            file = (self.folder / unquote(path).lstrip("/")).resolve()
            if self.folder in file.parents and file.is_file():
                return file.read_bytes()
        return None

    def note(self, head, body):
        """Remembers what was sent."""
        first, *lines = head.split("\r\n")
        method, target, _ = first.split(" ")
        if target.startswith("/-/"):
            return
        fields = sorted(line for line in lines if line.split(":")[0].lower() not in ("host", "user-agent", "accept"))
        with self.lock:
            self.sent.append(" | ".join([f"{method} {target}", *fields, body]))

    @staticmethod
    def joined(connection, rest):
        """The content that arrives in chunks."""
        content = b""
        while True:
            while b"\r\n" not in rest:
                rest += connection.recv(65536)
            size, _, rest = rest.partition(b"\r\n")
            size = int(size, 16)
            while len(rest) < size + 2:
                rest += connection.recv(65536)
            content, rest = content + rest[:size], rest[size + 2 :]
            if size == 0:
                return content

    def serve(self, connection):
        try:
            if self.context:
                connection = self.context.wrap_socket(connection, server_side=True)
            is_kept = True
            while is_kept:
                request = b""
                while b"\r\n\r\n" not in request:
                    more = connection.recv(65536)
                    if not more:
                        return
                    request += more
                head, _, body = request.partition(b"\r\n\r\n")
                length = re.search(rb"^content-length: *(\d+)\r?$", head, re.IGNORECASE | re.MULTILINE)
                while length and len(body) < int(length[1]):
                    body += connection.recv(65536)
                if re.search(rb"^transfer-encoding: *chunked\r?$", head, re.IGNORECASE | re.MULTILINE):
                    body = self.joined(connection, body)
                self.note(head.decode("latin-1"), body.decode())
                answer = Answer(self, connection, request.decode("latin-1"))
                answer.send()
                is_kept = "keep" in answer.how and answer.how.keys().isdisjoint({"cut", "reset", "raw", "silent"})
        except (OSError, ValueError):
            pass
        finally:
            connection.close()


class Answer:
    def __init__(self, server, connection, request):
        self.server = server
        self.connection = connection
        self.target = request.split(" ")[1]
        self.path = urlsplit(self.target).path
        found = re.search(r"^range: *(.*?)\r$", request, re.IGNORECASE | re.MULTILINE)
        self.range = found[1] if found else None
        self.how = server.behaviour(self.target)
        if self.path != "/-/requests":
            with server.lock:
                server.requests.append((self.target, self.range or "-"))
        self.drip = float(self.how.get("drip", 0))
        self.piece = int(self.how.get("piece", 1 if self.drip else 65536))

    def number(self, name):
        return int(self.how[name]) if name in self.how else None

    def send(self):
        time.sleep(float(self.how.get("delay", 0)))
        if "silent" in self.how:
            return
        if "raw" in self.how:
            self.write(self.how["raw"].encode("latin-1"))
        if "hang" in self.how:
            while self.connection.recv(65536):
                pass
        if "raw" in self.how or "hang" in self.how:
            return
        if "headers" in self.how:
            self.write(b"HTTP/1.1 200 OK\r\n")
            while True:
                self.write(b"X-More: and more\r\n")
        location = self.target if "loop" in self.how else self.how.get("redirect")
        if (hops := self.number("hops")) is not None and hops > 0:
            location = f"{self.path}?hops={hops - 1}"
        if location is not None:
            self.head(self.number("status") or 302, [f"Location: {location}", "Content-Length: 0"])
        elif "status" in self.how:
            self.head(self.number("status"), ["Content-Length: 2"])
            self.write(b"no")
        elif (content := self.server.content(self.path)) is None:
            self.head(404, ["Content-Length: 2"])
            self.write(b"no")
        else:
            self.resource(content)

    def resource(self, content):
        status, fields = 200, []
        mode = self.how.get("range", "on")
        if self.range and mode != "off":
            first, last = re.fullmatch(r"bytes=(\d+)-(\d*)", self.range).groups()
            size = len(content)
            first, last = int(first), min(int(last or size - 1), size - 1)
            if first >= size:
                self.head(416, [f"Content-Range: bytes */{size}", "Content-Length: 0"])
                return
            if mode == "wrong":
                first += 1
            if mode == "short":
                last = (first + last) // 2
            content = content[first:last + 1]
            status, fields = 206, [f"Content-Range: bytes {first}-{last}/{size}"]
        framing = self.how.get("framing", "length")
        if framing == "length":
            fields.append(f"Content-Length: {len(content) if 'endless' not in self.how else 1 << 40}")
        elif framing == "chunked":
            fields.append("Transfer-Encoding: chunked")
        self.head(status, fields)
        self.body(content, framing)

    def body(self, content, framing):
        end = self.number("cut") if "cut" in self.how else self.number("reset")
        size = int(self.how.get("chunk", 1000)) if framing == "chunked" else 65536
        sent = 0
        while "endless" in self.how or sent < len(content):
            data = (PATTERN * (size // 251 + 1))[:size] if "endless" in self.how else content[sent:sent + size]
            before, after = (b"%x\r\n" % len(data), b"\r\n") if framing == "chunked" else (b"", b"")
            if end is not None and sent + len(data) >= end:
                # A cut at the end of a chunk leaves the chunk whole.
                whole = sent + len(data) == end
                self.write(before + data[:end - sent] + (after if whole else b""))
                self.part()
                return
            self.write(before + data + after)
            sent += len(data)
        if framing == "chunked":
            self.write(b"0\r\n" + (b"X-Trailer: end\r\n" if "trailer" in self.how else b"") + b"\r\n")

    def part(self):
        """Prepares to end the connection early: with a reset where that is asked for."""
        if "reset" in self.how:
            # So that the client has read what was sent before.
            time.sleep(0.05)
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))

    def head(self, status, fields):
        end = [] if "keep" in self.how else ["Connection: close"]
        self.write("\r\n".join([f"HTTP/1.1 {status} Text", *fields, *end, "", ""]).encode(), slowly=False)

    def write(self, data, slowly=True):
        if not (slowly and self.drip):
            self.connection.sendall(data)
            return
        for start in range(0, len(data), self.piece):
            self.connection.sendall(data[start:start + self.piece])
            time.sleep(self.drip)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder")
    parser.add_argument("--script")
    parser.add_argument("--certificate", help="a PEM file with a certificate and its key; the server speaks TLS")
    server = Server(parser.parse_args())
    listener = socket.create_server(("127.0.0.1", 0), backlog=64)
    print(listener.getsockname()[1], flush=True)

    def accept():
        while True:
            connection, _ = listener.accept()
            # Each piece is sent at once, without waiting for the next one.
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            server.connections += 1
            threading.Thread(target=server.serve, args=(connection,), daemon=True).start()

    threading.Thread(target=accept, daemon=True).start()
    # The parent holds the other end of standard input, which is closed when the parent ends, however that happens.
    sys.stdin.buffer.read()
    os._exit(0)


if __name__ == "__main__":
    main()
