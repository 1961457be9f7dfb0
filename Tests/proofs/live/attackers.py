"""What attacks on the servers have in common: their limits, connections that hang, clients of HTTP/2 that take nothing, and proxies."""

import contextlib
import multiprocessing
import socket
import ssl
import subprocess
import time

from proofs.processes import free_port, in_background, new_folder, wait_until

# The memory that an attack may cost, in bytes.
MOST_GROWTH = 64 << 20
# How many connections of each kind a crowd makes in a second. Those that come faster than a server accepts them wait for each other, and everybody with them.
RATE = 500


def limited(program, folder, hard=None):
    """A program as systems start it: it may open 1,024 files, and raise that up to `hard`, or as far as this process may."""
    path = folder / f"limited-{hard or 'soft'}"
    path.write_text(f"#!/bin/sh\nulimit {'-n' if hard else '-S -n'} {hard or 1024}\nexec '{program}' \"$@\"\n")
    path.chmod(0o755)
    return str(path)


def hang(port, count, text, address="127.0.0.2", rate=None):
    """So many connections from an address, at most so many a second, each of which has said something; what the server closes at once is missing."""
    connections, start = [], time.monotonic()
    for number in range(count):
        if rate:
            time.sleep(max(start + number / rate - time.monotonic(), 0))
        with contextlib.suppress(OSError):
            connection = socket.create_connection(("127.0.0.1", port), timeout=60, source_address=(address, 0))
            connection.sendall(text)
            connections.append(connection)
    return connections


def hold(pipe, *arguments):
    connections = hang(*arguments)
    pipe.send(len(connections))
    # They are closed when nobody wants them any more.
    with contextlib.suppress(EOFError):
        pipe.recv()


@contextlib.contextmanager
def crowds(port, count, kept):
    """Connections of a process of their own: so many that have asked for something and are kept, and as many that never end their request."""
    holders = []
    for address, text in (("127.0.0.2", f"GET {kept} HTTP/1.1\r\nHost: x\r\n\r\n"), ("127.0.0.3", "GET / HTTP/1.1\r\nHost: x\r\nX-A: ")):
        ours, theirs = multiprocessing.Pipe()
        process = multiprocessing.get_context("fork").Process(target=hold, args=(theirs, port, count, text.encode(), address, RATE), daemon=True)
        process.start()
        holders.append((process, ours))
    try:
        yield [pipe.recv() for _, pipe in holders]
    finally:
        for process, _ in holders:
            process.kill()
            process.join()


class Repeated:
    """Makes a call every so many seconds, and knows how long each took since it was due: also one that had to wait for the call before it. The call returns
    what is wrong, or nothing."""

    def __init__(self, call, interval=0.02):
        self.call, self.interval, self.times, self.failures = call, interval, [], []
        self.is_running = True
        self.thread = in_background(self.run)

    def run(self):
        due = time.monotonic()
        while self.is_running:
            try:
                failure = self.call()
            except OSError as error:
                failure = f"{type(error).__name__} {error}"
            self.times.append(time.monotonic() - due)
            if failure:
                self.failures.append(failure)
            due += self.interval
            time.sleep(max(due - time.monotonic(), 0))

    def end(self):
        """Ends it; returns how long the calls took."""
        self.is_running = False
        self.thread.join()
        assert not self.failures, f"{len(self.failures)} of {len(self.times)} calls failed: {self.failures[:3]}"
        return self.times


# HTTP/2 (RFC 9113; RFC 7541, 5).
HEADERS, RST_STREAM, SETTINGS = 1, 3, 4
END_STREAM, END_HEADERS = 1, 4


def frame(kind, flags, stream, payload):
    return len(payload).to_bytes(3, "big") + bytes([kind, flags]) + stream.to_bytes(4, "big") + payload


PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + frame(SETTINGS, 0, 0, b"")


def hpack_text(text):
    """A text as it is, without Huffman's code."""
    data = text.encode()
    if len(data) < 127:
        return bytes([len(data)]) + data
    left, length = len(data) - 127, [127]
    while left >= 128:
        length.append(left % 128 + 128)
        left //= 128
    return bytes(length + [left]) + data


def certify(folder):
    """The options with a certificate of the server's own."""
    chain, key = folder / "chain.pem", folder / "key.pem"
    if not chain.exists():
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", key, "-out", chain, "-days", "2", "-subj", "/CN=localhost"],
            check=True, capture_output=True)
    return ["--certificate", chain, "--private-key", key]


def trusting():
    """A context that trusts everybody."""
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    return context


def closed_windows(server, paths):
    """Lets eight connections ask for a hundred things each, and take nothing; returns by how many bytes the memory has grown."""
    # The setting 4 is the size of a stream's window: 0.
    closed = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + frame(SETTINGS, 0, 0, b"\0\4" + bytes(4))
    # The fields 2 (GET), 7 (https) and 4 (:path) of HPACK's table.
    asked = b"".join(frame(HEADERS, END_STREAM | END_HEADERS, 1 + 2 * number, b"\x82\x87\x04" + hpack_text(paths[number % len(paths)])) for number in range(100))
    before, connections = server.resources()[0], []
    for _ in range(8):
        context = trusting()
        context.set_alpn_protocols(["h2"])
        connection = context.wrap_socket(socket.create_connection(("127.0.0.1", server.port), timeout=60))
        assert connection.selected_alpn_protocol() == "h2"
        connection.sendall(closed + asked)
        connections.append(connection)
    time.sleep(3)
    grown = server.resources()[0] - before
    for connection in connections:
        connection.close()
    assert grown < MOST_GROWTH, f"the memory has grown by {grown >> 20} MB"
    return grown


# Proxies.

class Listener:
    """Who listens to a server's messages through a proxy."""

    def __init__(self, port, path, token):
        self.socket, self.heard = socket.create_connection(("127.0.0.1", port), timeout=60), b""
        self.socket.sendall(f"GET {path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {token}\r\n\r\n".encode())

    def hear(self, text):
        """Waits for a text."""
        end = time.monotonic() + 60
        while text not in self.heard:
            said = self.socket.recv(4096)
            self.heard += said
            assert said and time.monotonic() < end, f"{text} is not heard: {self.heard[-300:]}"

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()


def answers(port):
    with contextlib.suppress(OSError):
        with socket.create_connection(("127.0.0.1", port), timeout=1) as connection:
            connection.sendall(b"GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
            return b"200" in connection.recv(100)
    return False


@contextlib.contextmanager
def proxy(port, *command):
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        wait_until(lambda: answers(port), 20, f"{command[0]} answers")
        yield port
    finally:
        process.terminate()
        process.wait()


def nginx(folder, upstream, says_who=False):
    """nginx with a plain configuration; `says_who`: it names the client, as trusted proxies do."""
    port, folder = free_port(), new_folder(folder / "nginx")
    named = "proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;" if says_who else ""
    (folder / "nginx.conf").write_text(
        f"daemon off; pid {folder}/pid; error_log {folder}/error.log; events {{}}\n"
        f"http {{ access_log off; client_body_temp_path {folder}/a; proxy_temp_path {folder}/b; fastcgi_temp_path {folder}/c; uwsgi_temp_path {folder}/d; scgi_temp_path {folder}/e;\n"
        f"server {{ listen 127.0.0.1:{port}; location / {{ {named} proxy_pass http://127.0.0.1:{upstream}; }} }} }}\n")
    return proxy(port, "nginx", "-p", folder, "-c", folder / "nginx.conf")


def haproxy(folder, upstream, says_who=False):
    """HAProxy with a plain configuration; `says_who`: it names the client, as trusted proxies do."""
    port, folder = free_port(), new_folder(folder / "haproxy")
    (folder / "haproxy.cfg").write_text(
        f"defaults\n  mode http\n  timeout connect 5s\n  timeout client 30s\n  timeout server 30s\n{'  option forwardfor' if says_who else ''}\n"
        f"frontend all\n  bind 127.0.0.1:{port}\n  default_backend one\nbackend one\n  server one 127.0.0.1:{upstream}\n")
    return proxy(port, "haproxy", "-db", "-f", folder / "haproxy.cfg")


PROXIES = {"nginx": nginx, "HAProxy": haproxy}
