"""Looks after a server as its operators do, and prints a line for each fact.

    python3 -m proofs.operations.looked_after --server PROGRAM --cuelight PROGRAM --clip CLIP.ts --folder FOR_ITS_FILES [--schemas CHECK_JSONSCHEMA]

The service is checked by systemd-analyze, the rules for alerts by promtool, configurations by check-jsonschema, which must agree with `check`. A receiver of webhooks fails, hangs and comes back while the server is
killed. curl and FFmpeg watch with view tokens, directly, behind nginx and behind HAProxy with the configurations of the samples.
"""

import base64
import contextlib
import hashlib
import hmac
import http.server
import json
import os
import signal
import socket
import subprocess
import threading
import time
from pathlib import Path

from proofs.facts import as_path, prove_and_end
from proofs.live.server import Server
from proofs.processes import finished, free_port, new_folder, wait_until

SAMPLES = Path(__file__).resolve().parents[3] / "samples" / "operations"
PUBLISH, READ, VIEW, OTHER = ("publish-0123456789ab", "read-0123456789abcdef", "view-0123456789abcdef", "view-fedcba9876543210")


def write_private(path, text):
    path.write_text(text)
    path.chmod(0o600)
    return path


# The service, the rules and configurations


def service(options):
    """The unit is right, and protected: what it starts is the program under test, since none need be installed."""
    folder = new_folder(options.folder / "unit")
    unit = folder / "cuelight.service"
    unit.write_text((SAMPLES / "cuelight.service").read_text().replace("/usr/bin/cuelight-server", str(options.server)))
    said = finished("systemd-analyze", "verify", unit)
    assert not said.stderr, said.stderr
    text = finished("systemd-analyze", "security", "--offline=true", "--threshold=20", unit).stdout
    return f"systemd-analyze finds nothing wrong, {text.strip().splitlines()[-1].partition(': ')[2].split()[0]} of 10 is exposed"


def schema(options):
    """The schema for editors accepts the configuration of the page, and refuses what `check` refuses for its form."""
    folder = new_folder(options.folder / "schema")
    path = folder / "schema.json"
    path.write_text(finished(options.server, "check", "--schema").stdout)
    program = options.schemas or "check-jsonschema"
    finished(program, "--check-metaschema", path)
    page = next((SAMPLES.parents[1] / "Sources").rglob("Configuration.md")).read_text()
    (folder / "page.yaml").write_text(page.split("```yaml\n")[1].split("```")[0])
    good = {
        "small": "streams: { a: { input: -, window: 30, loop: true, outputs: [x/index.m3u8, y.ts] } }",
        "foreign": "data: d\nstreams: { a: { to: 'https://x/', title: T }, b: { live: 'http://127.0.0.1:1/v1/streams/z' } }",
    }
    bad = {
        "key": "streams: { a: { input: -, windw: 30 } }", "list": "streams: [a]", "kind": "streams: { a: { input: [x] } }", "flag": "streams: { a: { input: -, loop: 3 } }",
        "missing": "streams: { a: { window: 3 } }", "name": "streams: { a/b: { input: - } }", "process": "listn: x\nstreams: { a: { input: - } }",
        "both": "streams: { a: { input: -, to: 'https://x/' } }",
    }
    for name, text in (good | bad).items():
        (folder / f"{name}.yaml").write_text(text + "\n")
    for name in ("page", *good):
        finished(program, "--schemafile", path, folder / f"{name}.yaml")
    for name in bad:
        finished(program, "--schemafile", path, folder / f"{name}.yaml", status=1)
        finished(options.server, "check", folder / f"{name}.yaml", status=65)
    return f"check-jsonschema accepts {1 + len(good)} configurations and refuses {len(bad)}, as check does"


def rules(options):
    text = finished("promtool", "check", "rules", SAMPLES / "alerts.yaml").stdout
    assert "SUCCESS" in text, text
    return f"promtool reads {text.split('SUCCESS: ')[1].split()[0]} rules"


def notices(options):
    """What a service manager hears from the start to the end."""
    name = f"@cuelight-proof-{os.getpid()}"
    tokens = write_private(options.folder / "notices.tokens", f"publish {PUBLISH}\n")
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
        manager.bind("\0" + name[1:])
        manager.settimeout(20)
        os.environ["NOTIFY_SOCKET"], os.environ["WATCHDOG_USEC"] = name, "400000"
        try:
            server = Server(options.server, options.clip, "--loop", "--token-file", tokens, log=options.folder / "notices.log")
        finally:
            del os.environ["NOTIFY_SOCKET"], os.environ["WATCHDOG_USEC"]

        def hear(word):
            end = time.monotonic() + 20
            while time.monotonic() < end:
                text = manager.recv(4096).decode()
                if word in text.splitlines():
                    return text
            raise AssertionError(f"{word} is not heard")

        with server:
            assert "STATUS=live at http://127.0.0.1" in hear("READY=1")
            begin = time.monotonic()
            for _ in range(5):
                hear("WATCHDOG=1")
            assert time.monotonic() - begin < 3, "the watchdog is told too seldom"
            server.process.send_signal(signal.SIGHUP)
            assert "MONOTONIC_USEC=" in hear("RELOADING=1")
            hear("READY=1")
            server.process.send_signal(signal.SIGTERM)
            hear("STOPPING=1")
            server.process.wait(20)
    return "a service manager hears that it is ready, works, reloads and ends"


# Webhooks


class Receiver:
    """A receiver of webhooks that takes messages, fails, or never answers; it checks each signature as the page tells."""

    def __init__(self, secret):
        self.key = base64.b64decode(secret.removeprefix("whsec_"))
        self.mode, self.attempts, self.taken, self.wrong = "fail", [], [], []
        receiver = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                receiver.receive(self.headers, body)
                if receiver.mode == "hang":
                    receiver.end_of_silence.wait(30)
                    return
                if receiver.mode == "take":
                    receiver.taken.append((self.headers["webhook-id"], json.loads(body)))
                self.send_response(204 if receiver.mode == "take" else 500)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_):
                pass

        self.end_of_silence = threading.Event()
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/hook"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def receive(self, headers, body):
        identifier, sent = headers["webhook-id"], headers["webhook-timestamp"]
        code = hmac.new(self.key, f"{identifier}.{sent}.".encode() + body, hashlib.sha256).digest()
        if f"v1,{base64.b64encode(code).decode()}" not in headers["webhook-signature"].split() or abs(time.time() - int(sent)) > 60:
            self.wrong.append(identifier)
        self.attempts.append((identifier, body, sent, headers["webhook-signature"]))

    def end(self):
        self.end_of_silence.set()
        self.server.shutdown()


def webhooks(options):
    """Nothing is lost, in order, whatever the receiver and the server do."""
    folder = new_folder(options.folder / "webhooks")
    secret = "whsec_" + base64.b64encode(bytes(range(32))).decode()
    key = write_private(folder / "hook.key", secret + "\n")
    receiver = Receiver(secret)

    def begin():
        return Server(
            options.server, options.clip, "--loop", "--journal", folder / "show.journal", "--game", "hooks", "--webhook", receiver.url,
            "--webhook-secret-file", key, log=folder / "server.log")

    def tried(count):
        return len({identifier for identifier, *_ in receiver.attempts}) >= count

    try:
        server = begin()
        with server:
            assert server.post({"event": "startGame", "title": "Hooks"}, "?wait=placed")[0] == 202
            wait_until(lambda: tried(1), 20, "a message is tried")
            time.sleep(0.5)
            server.process.kill()
            server.process.wait()
        receiver.mode = "hang"
        server = begin()
        with server:
            attempts = len(receiver.attempts)
            wait_until(lambda: len(receiver.attempts) > attempts, 20, "the message is tried again")
            assert server.post({"event": "endGame"}, "?wait=placed")[0] == 202
            time.sleep(0.5)
            server.process.kill()
            server.process.wait()
        receiver.mode = "take"
        receiver.end_of_silence.set()
        server = begin()
        with server:
            wait_until(lambda: len(receiver.taken) >= 5, 60, "the messages are taken")
            server.process.send_signal(signal.SIGTERM)
            server.process.wait(30)
        wait_until(lambda: len(receiver.taken) >= 6, 10, "the end is told")
    finally:
        receiver.end()
    told = [data["data"].get("state") or data["data"]["input"] for _, data in receiver.taken]
    # What was under way when the server was killed may come twice, with the same identifier.
    kept = list(dict(receiver.taken))
    assert not receiver.wrong, f"wrong signatures: {receiver.wrong}"
    assert told == ["up", "began", "up", "ended", "up", "ended"], told
    assert kept[0] == receiver.attempts[0][0], "the first message is another one"
    assert len({body for identifier, body, *_ in receiver.attempts if identifier == kept[0]}) == 1, "the body has changed"
    identifier, body, sent, signature = receiver.attempts[-1]
    (folder / "body.json").write_bytes(body)
    arguments = [options.cuelight, "webhook", "verify", "--secret-file", key, "--id", identifier, "--timestamp", sent, "--signature", signature]
    finished(*arguments, folder / "body.json")
    (folder / "body.json").write_bytes(body + b" ")
    finished(*arguments, folder / "body.json", status=1)
    return f"{len(kept)} messages came in order after {len(receiver.attempts)} attempts and two kills, each signed"


# Viewers with tokens


def certificate(folder):
    finished(
        "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2", "-subj", "/CN=localhost",
        "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1", "-keyout", folder / "privkey.pem", "-out", folder / "fullchain.pem")
    (folder / "both.pem").write_text((folder / "fullchain.pem").read_text() + (folder / "privkey.pem").read_text())
    return folder


def tls_answers(port):
    """Whether a proxy takes connections. What it answers is for others to look at."""
    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
        return True
    return False


@contextlib.contextmanager
def sample_proxy(folder, name, upstream):
    """A proxy with the sample's configuration, but for its ports and its paths."""
    port, folder = free_port(), certificate(new_folder(folder / name))
    program, sample = {"nginx": ("nginx", "nginx.conf"), "HAProxy": ("haproxy", "haproxy.cfg")}[name]
    text = (SAMPLES / sample).read_text()
    changes = {
        "127.0.0.1:8080": f"127.0.0.1:{upstream}", "/etc/cuelight/": f"{folder}/", "listen 443": f"listen 127.0.0.1:{port}", "bind :443": f"bind 127.0.0.1:{port}",
        "/run/nginx.pid": f"{folder}/pid", "/var/log/nginx/": f"{folder}/", "/var/cache/nginx/cuelight": f"{folder}/cache",
        "maxconn 200000": "maxconn 2000", "worker_rlimit_nofile 1048576;": "", "worker_connections 65536": "worker_connections 512",
        "worker_processes auto;": f"worker_processes 1; daemon off; error_log {folder}/error.log;",
        "  sendfile on;": "".join(f"  {kind}_temp_path {folder}/{kind};\n" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")),
    }
    for before, after in changes.items():
        text = text.replace(before, after)
    (folder / sample).write_text(text)
    command = [program, "-p", folder, "-c", folder / sample] if program == "nginx" else [program, "-db", "-f", folder / sample]
    process = subprocess.Popen(list(map(str, command)), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=open(folder / "errors", "ab"))
    try:
        wait_until(lambda: tls_answers(port), 20, f"{name} answers: {(folder / 'errors').read_text()}")
        yield f"https://localhost:{port}"
    finally:
        process.terminate()
        process.wait()


def curl(url, *arguments):
    """The status, the address in the end, and the content, as curl has them."""
    said = finished("curl", "-sk", "-w", "\n%{http_code} %{url_effective}", *arguments, url, text=True).stdout
    body, _, last = said.rpartition("\n")
    status, _, address = last.partition(" ")
    return int(status), address, body


def plays(url):
    """Whether FFmpeg plays three seconds of a stream."""
    unverified = ["-tls_verify", "0"] if url.startswith("https:") else []
    done = subprocess.run(
        ["ffmpeg", "-nostdin", "-v", "error", *unverified, "-i", url, "-t", "3", "-map", "0:v", "-c", "copy", "-f", "null", "-"],
        capture_output=True, text=True, timeout=60)
    return done.returncode == 0, done.stderr[-300:]


def viewing(options):
    folder = new_folder(options.folder / "viewing")
    text = f"publish {PUBLISH}\nread {READ}\nview {VIEW}\nview {OTHER}\n"
    tokens = write_private(folder / "tokens", text)
    server = Server(
        options.server, options.clip, "--loop", "--segment-duration", "1", "--token-file", tokens, "--trusted-proxy", "127.0.0.1", "--json",
        log=folder / "server.log")
    with server, sample_proxy(folder, "nginx", server.port) as nginx, sample_proxy(folder, "HAProxy", server.port) as haproxy:
        direct = f"http://localhost:{server.port}"
        wait_until(lambda: curl(f"{direct}/live/live/media.m3u8?token={VIEW}", "-L")[2].count("#EXTINF") >= 3, 30, "there are segments")
        passes = set()
        for name, place in (("directly", direct), ("behind nginx", nginx), ("behind HAProxy", haproxy)):
            address = f"{place}/live/live/index.m3u8"
            for query in ("", "?token=view-0000000000000000"):
                assert curl(address + query)[0] == 401, f"{name} {query or 'without a token'}"
            status, led, body = curl(f"{address}?token={VIEW}", "-L")
            assert status == 200 and "#EXTM3U" in body and "/~" in led and VIEW not in led, f"{name}: {status} {led}"
            passes.add(led.split("/")[-2])
            media = led.replace("index.m3u8", next(line for line in body.splitlines() if line and line[0] != "#"))
            status, _, text_of_media = curl(media)
            assert status == 200 and "#EXTINF" in text_of_media, f"{name}: {status}"
            segment = [line for line in text_of_media.splitlines() if line and line[0] != "#"][-1]
            assert curl(media.rpartition("/")[0] + "/" + segment, "-o", "/dev/null")[0] == 200, f"{name}: the segment"
            # A playlist that is to come, by the number of its segment.
            sequence = int(text_of_media.split("#EXT-X-MEDIA-SEQUENCE:")[1].split()[0]) + text_of_media.count("#EXTINF")
            status, _, later = curl(f"{media}?_HLS_msn={sequence}")
            assert status == 200 and later.count("#EXTINF") >= 3, f"{name}: the reload"
            assert curl(led.replace("/live/live/", "/live/other/"))[0] in (403, 404), f"{name}: another stream"
            forged = led[:-len("index.m3u8") - 2] + ("B" if led[-len("index.m3u8") - 2] == "A" else "A") + "/index.m3u8"
            assert curl(forged)[0] == 403, f"{name}: a forged pass"
            is_played, said = plays(f"{address}?token={VIEW}")
            assert is_played, f"{name}: FFmpeg: {said}"
        assert curl(f"{nginx}/metrics")[0] == 200, "numbers for this machine"
        assert len(passes) == 1, "viewers do not share their paths"
        other = curl(f"{direct}/live/live/index.m3u8?token={OTHER}", "-L")[1]
        write_private(folder / "tokens", text.replace(f"view {VIEW}\n", ""))
        server.process.send_signal(signal.SIGHUP)
        wait_until(lambda: curl(f"{direct}/live/live/{next(iter(passes))}/index.m3u8")[0] == 403, 10, "the pass ends with its token")
        assert curl(other)[0] == 200, "another token has ended, too"
        said = finished(options.server, "status", direct, env={**os.environ, "CUELIGHT_TOKEN": READ}).stdout
        assert "live" in said and "up" in said, said
        finished(options.server, "status", direct, status=74)
    log = (folder / "server.log").read_text() + (folder / "nginx" / "cuelight.log").read_text()
    for secret in (VIEW, OTHER, READ, next(iter(passes)).split(".")[-1]):
        assert secret not in log, "a log has a token or a pass"
    return "curl and FFmpeg watch with a token, directly, behind nginx and behind HAProxy; a pass ends with its token, and no log has either"


PROOFS = {"service": service, "rules": rules, "schema": schema, "notices": notices, "webhooks": webhooks, "viewing": viewing}


def run(lines, options):
    for name in options.only:
        lines.prove(name, PROOFS[name], options)


if __name__ == "__main__":
    prove_and_end(run, "server", "cuelight", "clip", schemas=as_path, only=PROOFS)
