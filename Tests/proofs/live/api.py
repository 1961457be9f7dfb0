"""Treats the HTTP interface of a live server badly, and prints a line for each fact.

    python3 -m proofs.live.api --server PROGRAM --clip CLIP.ts --folder FOR_ITS_FILES [--schemathesis PROGRAM] [--examples 50]
"""

import json
import random
import signal
import socket
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor

from proofs.client import JSON
from proofs.facts import as_path, prove_and_end
from proofs.live.schemas import answers_are_described, testable
from proofs.live.server import Publisher, Server, cue, new_guid, udp
from proofs.processes import free_port, wait_until
from proofs.stream import Stream, numbers

EVENTS = "/v1/streams/live/events"
MANAGE, PUBLISH, READ, VIEW = "manage-0123456789abcdef", "publish-0123456789abcdef", "read-0123456789abcdef", "view-0123456789abcdef"


def problem(answer, status, kind=None):
    """Checks that an answer is a problem of RFC 9457."""
    assert answer[0] == status, f"the status is {answer[0]} and not {status}: {answer[2][:200]}"
    assert answer.kind, f"Content-Type: {answer.headers.get('content-type')}"
    body = json.loads(answer[2])
    assert body["status"] == status and body["type"] and body["detail"], body
    assert kind is None or kind in body["type"], f"{kind} is expected: {body}"
    return body


class Listener:
    """A client of server-sent events."""

    def __init__(self, port, last=None):
        self.socket = socket.create_connection(("127.0.0.1", port))
        self.socket.settimeout(0.2)
        header = f"Last-Event-ID: {last}\r\n" if last is not None else ""
        self.socket.sendall(f"GET /v1/streams/live/stream HTTP/1.1\r\nHost: 127.0.0.1\r\n{header}\r\n".encode())
        self.text = b""
        self.is_closed = False

    def read(self, seconds):
        end = time.monotonic() + seconds
        while time.monotonic() < end and not self.is_closed:
            try:
                data = self.socket.recv(1 << 16)
            except TimeoutError:
                continue
            except OSError:
                data = b""
            self.is_closed = not data
            self.text += data
        return self

    @property
    def messages(self):
        """What came: (id, name, data)."""
        body = self.text.partition(b"\r\n\r\n")[2]
        plain = b""
        while body:
            size, _, rest = body.partition(b"\r\n")
            if not size or int(size, 16) > len(rest):
                break
            plain += rest[:int(size, 16)]
            body = rest[int(size, 16) + 2:]
        found = []
        for block in plain.decode().split("\n\n"):
            fields = dict(line.split(": ", 1) for line in block.split("\n") if ": " in line and not line.startswith(":"))
            if "id" in fields:
                found.append((int(fields["id"]), fields["event"], json.loads(fields["data"])))
        return found


class Stage:
    def __init__(self, options):
        self.options = options
        self.folder = options.folder

    def server(self, *arguments, **keys):
        return Server(self.options.server, *(arguments if arguments and keys.pop("all", False) else (self.options.clip, "--loop", *arguments)), log=self.folder / "server.log", **keys)

    def ends(self, *arguments, seconds=10):
        """How a server ends that cannot begin: its status and what it says."""
        started = time.monotonic()
        done = subprocess.run([self.options.server, "live", *map(str, arguments)], stdin=subprocess.DEVNULL, capture_output=True, timeout=seconds, text=True)
        return done.returncode, done.stderr.strip(), time.monotonic() - started


def schema_holds(stage):
    """schemathesis finds no answer of 5xx, and none that the document does not describe."""
    with stage.server("--journal", stage.folder / "schema", "--game", "schema") as server:
        wait_until(server.is_ready, 10, "the input comes")
        document = testable(json.loads(server.get("/v1/openapi.json")[2]), {"stream": "live"})
        return answers_are_described(stage.options.schemathesis, document, server, stage.folder, examples=stage.options.examples)


def tokens_hold(stage):
    """Each scope allows what it should and nothing more."""
    path = stage.folder / "tokens"
    path.write_text(f"# who may\nmanage {MANAGE}\npublish {PUBLISH}\nread {READ}\nview {VIEW}\n")
    path.chmod(0o644)
    status, said, _ = stage.ends(stage.options.clip, "--token-file", path, "--listen", f"127.0.0.1:{free_port()}")
    assert status == 65 and "chmod" in said, f"a readable token file: {status} {said}"
    path.chmod(0o600)
    with stage.server("--token-file", path, "--segment-duration", 1) as server:
        wait_until(server.is_ready, 10, "the input comes")
        wait_until(lambda: server.get("/live/live/media.m3u8", {"Authorization": f"Bearer {VIEW}"})[0] == 200, 10, "a playlist")
        calls = [("POST", EVENTS, 2), ("GET", EVENTS, 2), ("GET", EVENTS + "/x", 2), ("DELETE", EVENTS + "/x", 2), ("POST", EVENTS + ":batch", 2), ("PUT", "/v1/streams/live/cues", 2),
                 ("POST", "/v1/streams/live/next", 2), ("GET", "/v1/streams/live/now", 1), ("GET", "/live/live/media.m3u8", 0)]
        count = 0
        for method, path, needed in calls:
            for token, rank in [(None, -1), ("wrong-0123456789abcdef", -1), ("", -1), (PUBLISH[:-1], -1), (PUBLISH + "x", -1), (VIEW, 0), (READ, 1), (PUBLISH, 2), (MANAGE, 3)]:
                answer = server.call(method, path, b"{}" if method in ("POST", "PUT") else None, JSON | ({"Authorization": f"Bearer {token}"} if token is not None else {}))
                count += 1
                if rank < 0:
                    problem(answer, 401, "unauthorized")
                elif rank < needed:
                    problem(answer, 403, "forbidden")
                else:
                    assert answer[0] not in (401, 403) and answer[0] < 500, f"{method} {path} with rank {rank}: {answer[0]}"
        # A page of another origin may not publish, not even with a token.
        problem(server.call("POST", EVENTS, json.dumps(cue(1)), JSON | {"Origin": "https://evil.example", "Authorization": f"Bearer {PUBLISH}"}), 403)
        for name in ("/health", "/ready", "/metrics", "/v1/openapi.json"):
            assert server.get(name)[0] == 200
        text = (stage.folder / "server.log").read_text(errors="replace")
        assert PUBLISH not in text and MANAGE not in text, "a token is in the messages"
    with stage.server() as server:
        problem(server.call("POST", EVENTS, json.dumps(cue(1)), JSON | {"Host": "evil.example"}), 403)
        problem(server.call("POST", EVENTS, json.dumps(cue(1)), JSON | {"Origin": "https://evil.example"}), 403)
        problem(server.call("POST", EVENTS, json.dumps(cue(1)), {"Content-Type": "text/plain"}), 415)
        assert server.call("POST", EVENTS, json.dumps(cue(1)), JSON | {"Host": "127.0.0.1.evil.example"})[0] == 403, "127.0.0.1.evil.example counts as this machine (DNS rebinding)"
    return f"{count} calls with 9 tokens, foreign pages and hosts"


def wrong_requests_hold(stage):
    """Nothing that a client sends brings the server down or gives 5xx."""
    chance = random.Random(1)
    with stage.server("--journal", stage.folder / "wrong", "--game", "wrong") as server:
        wait_until(server.is_ready, 10, "the input comes")
        for method, path, status in [
                ("GET", "/", 404), ("GET", "/v1", 404), ("GET", "/v1/streams/other/now", 404), ("GET", "/live/live/../../etc/passwd", 404), ("GET", "/live/live/%2e%2e%2fjournal", 404),
                ("GET", "/live/live/%00", 404), ("GET", "//live//live", 404), ("GET", "/v1/streams/live/events/" + "x" * 5000, 404), ("GET", "/live/live/%ff", 404), ("DELETE", EVENTS + "/none", 404),
                ("PATCH", EVENTS, 405), ("DELETE", "/health", 405), ("POST", "/v1/streams/live/now", 405), ("GET", EVENTS + ":batch", 405), ("POST", "/v1/streams/live/next", 409)]:
            problem(server.call(method, path, b"" if method == "POST" else None), status)
        bodies = [b"", b"{", b"[]", b"null", b"\xff\xfe", b"{}", b'{"event":null}', b'{"event":"no"}', b'{"event":"periodicInfo","viewers":-1}', b'{"event":"periodicInfo","viewers":1e999}',
                  b'{"event":"periodicInfo","viewers":1,"at":1e300}', b'{"event":"periodicInfo","viewers":1,"in":9223372036854775807}', b'{"event":"periodicInfo","viewers":1,"in":-1}',
                  b'{"event":"periodicInfo","viewers":1,"wallClock":"9999-99-99T99:99:99Z"}', b'{"event":"periodicInfo","viewers":1,"at":1,"in":2}', b"[" * 60_000, b'{"a":' * 10_000,
                  b'{"event":"periodicInfo","viewers":1,"guid":""}', b'{"event":"periodicInfo","viewers":1,"guid":5}', b'{"event":"periodicInfo","viewers":1,"guid":"' + b"x" * 200 + b'"}',
                  b'{"event":"periodicInfo","viewers":1,"expires":-5}', b'{"event":"periodicInfo","viewers":1,"late":"never"}', b'{"event":"periodicInfo","event":"startGame"}',
                  b'{"event":"askQuestion","question":"?","answers":["a"],"correct":"a"}', json.dumps({"event": "askQuestion", "question": "x" * 5000, "answers": ["a", "b"], "correct": "a"}).encode(),
                  b'{"event":"showResults","counts":[1,2]}', b'{"event":"periodicInfo","viewers":1,"wallClock":"9999-12-31T23:59:59Z","expires":1e15}']
        accepted = []
        for body in bodies:
            answer = server.call("POST", EVENTS, body, JSON)
            if answer[0] in (200, 202):
                accepted.append(body[:80])
            else:
                # Without a body no type is asked for.
                problem(answer, 422)
        for _ in range(300):
            base = bytearray(json.dumps(cue(chance.randrange(9), at=chance.random() * 5, late="next")).encode())
            for _ in range(chance.randrange(1, 4)):
                base[chance.randrange(len(base))] = chance.randrange(256)
            status = server.call("POST", EVENTS, bytes(base), JSON)[0]
            assert status < 500, f"status {status} for {bytes(base)}"
        # Too large, announced or not, and a body that never ends.
        problem(server.call("POST", EVENTS, b" " * (1 << 20), JSON), 413)
        problem(server.call("POST", EVENTS + ":batch", b" " * (2 << 20), JSON), 413)
        chunks = server.call("POST", EVENTS, iter([b" " * 60_000] * 20), JSON)
        problem(chunks, 413)
        problem(server.call("PUT", "/v1/streams/live/cues", b"a: [" * 200_000, {"Content-Type": "application/yaml"}), 422)
        problem(server.call("POST", EVENTS + ":batch", json.dumps([cue(1)] * 101), JSON), 422)
        body = problem(server.call("POST", EVENTS + ":batch", json.dumps({"events": [cue(1), {"event": "askQuestion"}]}), JSON), 422)
        assert body["pointer"].startswith("/events/1") or body["pointer"].startswith("/1"), body
        # Headers without end.
        with socket.create_connection(("127.0.0.1", server.port)) as flood:
            flood.settimeout(5)
            try:
                flood.sendall(b"GET /health HTTP/1.1\r\n")
                for number in range(20_000):
                    flood.sendall(f"X-{number}: {'x' * 500}\r\n".encode())
                said = flood.recv(1000)
            except OSError:
                said = b""
            assert b"200 OK" not in said, "10 MB of headers are taken"
        # Slow clients do not slow others.
        slow = []
        for number in range(200):
            client = socket.create_connection(("127.0.0.1", server.port))
            client.sendall(b"POST " + EVENTS.encode() + b" HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{")
            slow.append(client)
        started = time.monotonic()
        assert server.post(cue(1), "?wait=placed")[0] == 202
        took = time.monotonic() - started
        assert took < 1, f"with 200 slow clients a post takes {took:.2f} s"
        for client in slow:
            client.close()
        assert server.get("/health")[0] == 200
        status = server.stop()
        assert status[0] < 2 and status[1] in (0, 130), status
        return f"16 paths, {len(bodies)} bodies ({len(accepted)} taken: {accepted}), 300 damaged ones, 200 slow clients: no 5xx"


def keys_hold(stage):
    """GUIDs and Idempotency-Keys mean what they should."""
    with stage.server("--journal", stage.folder / "keys", "--game", "keys") as server:
        wait_until(server.is_ready, 10, "the input comes")
        event = cue(1, guid="11111111-2222-4333-8444-555555555555")
        assert server.post(event)[0] == 202
        again = server.post(event)
        assert again[0] == 200 and again[1]["sequence"] == 1, again
        assert server.post(event | {"viewers": 2})[0] == 409
        assert server.post(event | {"guid": event["guid"].upper()})[0] in (200, 409), "a GUID in capitals is another event"
        assert server.post(cue(3), headers={"Idempotency-Key": "k"})[0] == 202
        assert server.post(cue(3), headers={"Idempotency-Key": "k"})[0] == 200
        assert server.post(cue(4), headers={"Idempotency-Key": "k"})[0] == 409
        # A key of one event with the guid of another one.
        assert server.post(event, headers={"Idempotency-Key": "k"})[0] == 409
        assert server.post(event, headers={"Idempotency-Key": "k2"})[0] == 200
        mixed = server.post(cue(9), headers={"Idempotency-Key": "k2"})
        assert mixed[0] in (202, 409), mixed
        status, answer = server.post(cue(5, **{"in": 60}))
        assert status == 202 and answer["state"] == "scheduled"
        path = EVENTS + "/" + answer["guid"]
        assert server.call("DELETE", path)[0] == 204
        assert server.call("DELETE", path)[0] in (204, 409)
        assert json.loads(server.get(path)[2])["state"] == "cancelled"
        problem(server.call("DELETE", EVENTS + "/" + event["guid"]), 409)
        now = wait_until(lambda: (now := server.now())["at"] > 0.5 and now, 10, "the programme goes on")
        late = server.call("POST", EVENTS, json.dumps(cue(6, at=0.1)), JSON)
        assert problem(late, 409, "tooLate")["now"] >= now["at"]
        assert server.post(cue(6, at=0.1, late="next"))[0] == 202
        # At an exact time, and by date.
        at = round(now["at"]) + 2
        status, answer = server.post(cue(7, at=at), "?wait=placed")
        assert status == 202 and answer["at"] == at, answer
        # What an outage does not change.
        server.kill()
        with stage.server("--journal", stage.folder / "keys", "--game", "keys") as second:
            assert second.post(cue(3), headers={"Idempotency-Key": "k"})[0] == 200, "an Idempotency-Key is forgotten by a restart"
            assert second.post(event)[0] == 200
            assert second.post(event | {"viewers": 2})[0] == 409
            assert second.events()[event["guid"]]["state"] in ("placed", "published"), second.events()[event["guid"]]
    return "the same twice is one event, other content 409, taken back, too late, exact, over a kill"


def now_goes_on(stage):
    """`now` never goes back."""
    with stage.server() as server:
        wait_until(server.is_ready, 10, "the input comes")
        last, back = -1, []
        for _ in range(300):
            at = json.loads(server.get("/v1/streams/live/now")[2])["at"]
            if at < last:
                back.append(round((last - at) * 1000))
            last = at
            time.sleep(0.005)
        assert not back, f"`at` goes back {len(back)} of 300 times, by up to {max(back)} ms"
    return "300 answers in order"


def listeners_hold(stage):
    """Fifty listeners hear everything once and in order, and again from where they were."""
    with stage.server("--journal", stage.folder / "listeners", "--game", "listeners") as server:
        wait_until(server.is_ready, 10, "the input comes")
        listeners = [Listener(server.port) for _ in range(50)]
        for listener in listeners:
            listener.read(0.05)
        guids = []
        for number in range(40):
            status, answer = server.post(cue(number))
            assert status == 202
            guids.append(answer["guid"])
        time.sleep(0.5)
        with ThreadPoolExecutor(50) as pool:
            list(pool.map(lambda listener: listener.read(1.5), listeners))
        first = [message for message in listeners[0].messages]
        for listener in listeners:
            ids = [number for number, _, _ in listener.messages]
            assert ids == list(range(ids[0], ids[0] + len(ids))), f"messages are missing or doubled: {ids}"
            for kind in ("accepted", "placed"):
                found = [data["guid"] for _, name, data in listener.messages if name == kind]
                assert sorted(found) == sorted(guids), f"{len(found)} of 40 messages `{kind}`"
        order = {}
        for _, name, data in first:
            if name in ("accepted", "placed"):
                order.setdefault(data["guid"], []).append(name)
        swapped = [guid for guid, names in order.items() if names[0] != "accepted"]
        middle = first[len(first) // 2][0]
        back = Listener(server.port, middle).read(0.6).messages
        expected = [message for message in first if message[0] > middle]
        assert back[:len(expected)] == expected, "what comes again is other than what came"
        assert not swapped, f"{len(swapped)} events are `placed` before they are `accepted`"
        # Who never reads must not hold the server.
        deaf = [Listener(server.port) for _ in range(10)]
        for number in range(300):
            assert server.post(cue(number))[0] == 202
        seconds, status = server.stop()
        for listener in listeners + deaf:
            listener.read(0.3)
        assert seconds < 2 and status in (0, 130), f"SIGTERM with 60 listeners: {seconds:.2f} s, status {status}"
        assert all(listener.is_closed for listener in listeners)
    return f"50 listeners hear 80 messages and more, Last-Event-ID goes on, SIGTERM ends it in {seconds:.2f} s with status {status}"


def end_is_quick(stage):
    """SIGTERM and Control-C with everybody connected."""
    told = []
    for number, kind in enumerate([signal.SIGTERM, signal.SIGINT]):
        folder = stage.folder / f"end-{number}"
        folder.mkdir()
        port = free_port(socket.SOCK_DGRAM)
        with Publisher(stage.options.clip, udp(port)), Server(
                stage.options.server, f"udp://127.0.0.1:{port}", "-o", folder / "index.m3u8", "-o", folder / "show.ts", "-o", "udp://127.0.0.1:9?pkt_size=1316",
                "-o", f"srt://127.0.0.1:{free_port(socket.SOCK_DGRAM)}?mode=listener", "--journal", folder / "journal", "--game", "end", "--segment-duration", 1, log=stage.folder / "server.log") as server:
            wait_until(server.is_ready, 15, "the input comes")
            listeners = [Listener(server.port) for _ in range(20)]
            slow = [socket.create_connection(("127.0.0.1", server.port)) for _ in range(20)]
            for client in slow[:10]:
                client.sendall(b"POST " + EVENTS.encode() + b" HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{")
            kept = server.client()
            kept.get("/health")
            waiting = ThreadPoolExecutor(3)
            later = [waiting.submit(lambda: server.post(cue(1, **{"in": 25}), "?wait=placed", timeout=10)) for _ in range(3)]
            time.sleep(2.5)
            started = time.monotonic()
            server.process.send_signal(kind)
            server.process.wait(timeout=20)
            seconds, status = time.monotonic() - started, server.process.returncode
            waiting.shutdown(wait=True)
            assert seconds < 2 and status in (0, 130), f"{kind.name}: {seconds:.2f} s, status {status}"
            assert (folder / "media.m3u8").read_text().rstrip().endswith("#EXT-X-ENDLIST"), "no ENDLIST in the folder"
            assert b'"record":"ended"' in (folder / "journal").read_bytes(), "the journal does not say that it ended"
            told.append(f"{kind.name} {seconds:.2f} s, status {status}")
    return "; ".join(told)


def statuses_are_right(stage):
    """What cannot work ends with the right status, and says why."""
    clip, folder = stage.options.clip, stage.folder
    listen = ["--listen", f"127.0.0.1:{free_port()}"]
    with socket.socket() as busy:
        busy.bind(("127.0.0.1", 0))
        busy.listen()
        status, said, _ = stage.ends(clip, "--listen", f"127.0.0.1:{busy.getsockname()[1]}")
        assert status == 73, f"a port in use: {status} {said}"
        said_of_port = said
    status, said, _ = stage.ends(folder / "none.ts", *listen)
    assert status == 66, f"missing input: {status} {said}"
    text = folder / "text.ts"
    text.write_text("no video " * 10_000)
    status, said, _ = stage.ends(text, *listen)
    assert status == 65, f"no transport stream: {status} {said}"
    status, said, _ = stage.ends(clip, "-o", "/proc/none/index.m3u8", *listen)
    assert status == 73, f"unwritable folder: {status} {said}"
    status, said, _ = stage.ends(clip, "-o", "/proc/none.ts", *listen)
    assert status == 73, f"unwritable recording: {status} {said}"
    kept = folder / "kept.ts"
    kept.write_bytes(b"mine")
    status, said, _ = stage.ends(clip, "-o", kept, *listen)
    assert status == 73 and kept.read_bytes() == b"mine", f"a recording that exists: {status} {said}"
    status, said, _ = stage.ends(clip, "--journal", "/proc/journal", "--game", "x", *listen)
    assert status == 73, f"unwritable journal: {status} {said}"
    for bad in (["--listen", "nowhere"], ["--window", "1"], ["--copies", "0"], ["ftp://x"], ["--listen", "127.0.0.1:99999"]):
        status, said, _ = stage.ends(*([clip] if bad[0].startswith("-") else []), *bad)
        assert status == 64, f"{bad}: {status} {said}"
    status, said, _ = stage.ends(clip, "--listen", "192.0.2.1:8080")
    assert status == 73, f"an address of nobody here: {status} {said}"
    return f"port in use 73 ({said_of_port.rpartition('cuelight-server: ')[2][:90]}), missing 66, no stream 65, unwritable 73, kept 73, usage 64"


def journals_hold(stage):
    """The journal of another game, and damaged ones, are refused; a torn end is not."""
    path, listen = stage.folder / "damaged", ["--listen", f"127.0.0.1:{free_port()}"]
    with stage.server("--journal", path, "--game", "one", "--segment-duration", 1) as server:
        wait_until(server.is_ready, 10, "the input comes")
        for number in range(20):
            assert server.post(cue(number), "?wait=placed")[0] == 202
        # Two sessions must not write the same journal.
        status, said, _ = stage.ends(stage.options.clip, "--journal", path, "--game", "one", *listen)
        assert status not in (0, None), "two sessions write one journal"
        second = status, said
        server.kill()
    whole = path.read_bytes()
    status, said, _ = stage.ends(stage.options.clip, "--journal", path, "--game", "two", *listen)
    assert status == 65 and "one" in said, f"the journal of another game: {status} {said}"
    assert path.read_bytes() == whole, "a refused journal was changed"
    lines = whole.rstrip(b"\0").split(b"\n")[:-1]
    chance = random.Random(3)
    for _ in range(12):
        damaged = bytearray(whole)
        line = chance.randrange(len(lines) - 1)
        start = sum(len(text) + 1 for text in lines[:line])
        damaged[start + chance.randrange(len(lines[line]))] ^= 1 << chance.randrange(8)
        path.write_bytes(damaged)
        status, said, _ = stage.ends(stage.options.clip, "--journal", path, "--game", "one", *listen)
        assert status == 65 and f"line {line + 1}" in said, f"damage in line {line + 1}: {status} {said}"
    # A hole of zeros, a missing line, lines swapped.
    for name, text in [("a hole", b"\n".join(lines[:5] + [b"\0" * len(lines[5])] + lines[6:]) + b"\n"), ("no first line", b"\n".join(lines[1:]) + b"\n"), ("other text", b"hello\nworld\n" * 5)]:
        path.write_bytes(text)
        status, said, _ = stage.ends(stage.options.clip, "--journal", path, "--game", "one", *listen)
        assert status == 65, f"{name}: {status} {said}"
    # Torn in its last line, at each of some places.
    base = b"\n".join(lines[:-1]) + b"\n"
    for cut in (1, 20, len(lines[-1]) - 1):
        # Without the room that a killed process leaves after its lines, the journal was cut, and may lack events.
        path.write_bytes(base + lines[-1][:cut])
        status, said, _ = stage.ends(stage.options.clip, "--journal", path, "--game", "one", *listen)
        assert status == 65 and "the end of the journal is missing" in said, f"a journal without its end: {status} {said}"
        path.write_bytes(base + lines[-1][:cut] + b"\0" * 4096)
        with stage.server("--journal", path, "--game", "one") as server:
            assert server.post(cue(100 + cut))[0] == 202
            server.kill()
        text = path.read_bytes().rstrip(b"\0")
        assert text.startswith(base + b'{"record"'), "behind a torn line nothing was written"
    path.write_bytes(b"\0" * 4096)
    with stage.server("--journal", path, "--game", "one") as server:
        assert server.get("/health")[0] == 200
    return f"another game 65, 15 damages 65 with the line, 3 torn ends go on, a second session {second[0]}"


def full_disk_holds(stage):
    """While the journal's disk is full, events are refused and the video goes on. With room again the journal gets what has happened meanwhile."""
    place = stage.folder / "small"
    place.mkdir()
    done = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", place], capture_output=True, text=True)
    if done.returncode:
        return f"not tried: {done.stderr.strip()}"
    try:
        recording = stage.folder / "full.ts"
        with stage.server("--journal", place / "journal", "--game", "full", "-o", recording, "--segment-duration", 1) as server:
            wait_until(server.is_ready, 10, "the input comes")
            refused, accepted = None, []
            for number in range(3_000):
                guid = new_guid(random.Random(number))
                status, answer = server.post(cue(number, guid=guid))
                if status == 429:
                    time.sleep(0.5)
                elif status == 202:
                    accepted.append(guid)
                else:
                    refused = (status, answer, number, guid)
                    break
            else:
                (place / "filler").write_bytes(b"")
            if refused is None:
                raise AssertionError("3,000 events fit")
            assert refused[0] == 503, refused
            again = server.post(cue(refused[2], guid=refused[3]))
            assert again[0] == 503, f"refused with 503, and posted again it is {again[0]} {again[1].get('state')}"
            before = json.loads(server.get("/v1/streams/live/now")[2])["at"]
            segments = server.get("/live/live/media.m3u8")[2]
            time.sleep(3)
            now = json.loads(server.get("/v1/streams/live/now")[2])
            assert now["at"] - before > 2 and now["input"] == "up", f"the video stands at {now}"
            assert server.get("/live/live/media.m3u8")[2] != segments, "the playlist stands"
            listed = server.events()
            ghosts = [event for guid, event in listed.items() if guid not in accepted]
            subprocess.run(["mount", "-o", "remount,size=8m", place], check=True)
            wait_until(lambda: server.post(cue(refused[2], guid=refused[3]), "?wait=placed")[0] in (200, 202), 20, "there is room again")
            accepted.append(refused[3])
            server.kill()
        stream = Stream(recording.read_bytes())
        missing = [guid for guid in accepted if guid not in stream.guids]
        assert not missing, f"{len(missing)} of {len(accepted)} accepted events are not in the stream"
        places = numbers(stream)
        assert not ghosts, f"{len(ghosts)} events were refused and are listed: {ghosts[0]['state']}"
        # After a crash another session goes on, and stamps nothing again.
        with stage.server("--journal", place / "journal", "--game", "full") as server:
            wait_until(server.is_ready, 10, "the input comes")
            listed = server.events()
            again = [guid for guid in accepted if listed[guid]["state"] not in ("placed", "published")]
            assert not again, f"{len(again)} events that were in the stream are {listed[again[0]]['state']} after a crash"
            status, answer = server.post(cue(1), "?wait=placed")
            assert status == 202 and answer["sequence"] == places + 1, f"after the restart: {status} {answer}, {places} places before"
        return f"after {len(accepted)} events 503, the video goes on, and with room the next session takes place {places + 1}"
    finally:
        subprocess.run(["umount", "-l", place])


def absent_input_holds(stage):
    """An input that never comes: events wait, and what asks for it says so."""
    port = free_port(socket.SOCK_DGRAM)
    with Server(stage.options.server, f"udp://127.0.0.1:{port}", "--journal", stage.folder / "absent", "--game", "absent", log=stage.folder / "server.log") as server:
        problem(server.get("/ready"), 503)
        problem(server.get("/live/live/index.m3u8"), 404)
        assert json.loads(server.get("/v1/streams/live/now")[2])["input"] == "down"
        status, first = server.post({"event": "startGame", "title": "Absent"})
        assert status == 202 and first["state"] == "accepted"
        status, short = server.post(cue(1, expires=0.5))
        assert status == 202
        status, soon = server.post(cue(2, **{"in": 0.2}))
        assert status == 202, soon
        status, dated = server.post(cue(3, at=1))
        assert status == 202, dated
        time.sleep(1.5)
        with Publisher(stage.options.clip, udp(port)):
            wait_until(server.is_ready, 10, "the input comes")
            time.sleep(3)
            events = server.events()
            states = {name: events[event["guid"]]["state"] for name, event in [("at once", first), ("expired", short), ("soon", soon), ("at 1 s", dated)]}
            assert states["at once"] in ("placed", "published") and states["expired"] == "lost", states
            assert states["soon"] in ("placed", "published") and states["at 1 s"] in ("placed", "published"), states
        seconds, status = server.stop()
        assert seconds < 2 and status in (0, 130)
    with Server(stage.options.server, f"srt://127.0.0.1:{free_port(socket.SOCK_DGRAM)}?mode=listener", log=stage.folder / "server.log") as server:
        time.sleep(0.5)
        seconds, status = server.stop()
        assert seconds < 2 and status in (0, 130), f"waiting for SRT: {seconds:.2f} s, status {status}"
    return "events wait for it, expired ones are lost, it ends while it waits"


def sheets_hold(stage):
    """A cue sheet is taken as the other commands take it, and its cues go when the operator says so."""
    sheet = """game: sheets
title: Sheets
defaults: { allottedTime: 5 }
cues:
  - { at: go, event: startGame }
  - { at: go, event: askQuestion, question: Which one?, answers: [a, b], correct: b }
  - { at: go, event: showResults, counts: [1, 2] }
  - { at: go, event: endGame }
"""
    with stage.server("--game", "sheets") as server:
        wait_until(server.is_ready, 10, "the input comes")
        kind = {"Content-Type": "application/yaml"}
        wrong = problem(server.call("PUT", "/v1/streams/live/cues", sheet.replace("Which one?", '""').encode(), kind), 422)
        answer = server.call("PUT", "/v1/streams/live/cues", sheet.encode(), kind)
        assert answer[0] == 202, f"a sheet with a title and defaults: {answer[0]} {answer[2][:200]}"
        again = server.call("PUT", "/v1/streams/live/cues", sheet.encode(), kind)
        assert again[0] == 200 and again[2] == answer[2], f"the same sheet again: {again[0]} {again[2][:200]}"
        statuses = [server.call("POST", "/v1/streams/live/next?wait=placed", headers={"Idempotency-Key": key})[0] for key in "aabcde"]
        assert statuses == [202, 200, 202, 202, 202, 409], statuses
        assert [event["sequence"] for event in server.events().values()] == [1, 2, 3, 4]
        assert wrong["pointer"].startswith("/cues/1"), f"the pointer of a mistake in the second cue is {wrong['pointer']}"
    return "a sheet with a title and defaults, twice, four times `next`, once again under its key"


PROOFS = {"sheets": sheets_hold, "tokens": tokens_hold, "wrong": wrong_requests_hold, "keys": keys_hold, "now": now_goes_on, "listeners": listeners_hold, "end": end_is_quick, "statuses": statuses_are_right,
          "journals": journals_hold, "full disk": full_disk_holds, "no input": absent_input_holds, "schema": schema_holds}


def run(lines, options):
    stage = Stage(options)
    for name in options.only:
        if name != "schema" or options.schemathesis:
            lines.prove(name, PROOFS[name], stage)


if __name__ == "__main__":
    prove_and_end(run, "server", "clip", schemathesis=as_path, examples=50, only=PROOFS)
