"""A game server under test, and who talks to it: players, a host, and somebody who watches the stream."""

import collections
import decimal
import http.client
import json
import os
import random
import re
import select
import socket
import subprocess
import threading
import time
import urllib.parse
import uuid
from concurrent.futures import ThreadPoolExecutor

from proofs import transport, wire
from proofs.client import Client
from proofs.live.playlists import Playlist
from proofs.live.server import Server as LiveServer, new_guid
from proofs.processes import in_background, ordinary, wait_until
from proofs.transport import signed, timestamp
from proofs.wire import ticks

TICKS = 90_000
# With this token the stream's own interface tells all its events.
STREAM_TOKEN = "publish-0123456789abcdef"


class Server(LiveServer):
    """A process of `cuelight-server serve`, at whichever port is free, and what it says."""

    def __init__(self, program, data, *arguments, log, parts=False):
        # Whoever reads transport streams wants whole segments.
        if "--input" in arguments and not parts:
            arguments = (*arguments, "--part-duration", 0)
        self.said, self.log = [], open(log, "ab")
        self.process = subprocess.Popen(
            ordinary(program, "serve", "--data", data, "--listen", "127.0.0.1:0", "--json", *arguments), stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        self.reading = in_background(self.read)
        try:
            self.begun = wait_until(self.listening, 60, "the server listens")
        except BaseException:
            # Whoever ends this program meanwhile does not leave that one behind.
            self.kill()
            raise
        self.port = urllib.parse.urlsplit(self.begun["listening"]).port
        self.game, self.host_token = self.begun.get("game"), self.begun.get("token")
        self.operator_token = self.begun["operatorToken"]

    def read(self):
        for line in self.process.stderr:
            self.log.write(line)
            self.log.flush()
            try:
                self.said.append(json.loads(line))
            except ValueError:
                # Where the process breaks, the system says so in its own words.
                self.said.append({"message": line.decode(errors="replace").rstrip()})

    def listening(self):
        """The line that says where the server is."""
        status = self.process.poll()
        assert status is None, f"the server has ended with status {status}: {self.said[-3:]}"
        return next((line for line in self.said if "listening" in line), None)

    @property
    def messages(self):
        """What the server has told its operator."""
        return [line["message"] for line in self.said if "message" in line]

    def path(self, name=""):
        return f"/v1/games/{self.game}" + (f"/{name}" if name else "")

    def host(self):
        return self.client(self.host_token)

    def is_ready(self):
        return self.get("/readyz")[0] == 200

    def state(self):
        """How far the game is."""
        return json.loads(self.get(self.path("state"))[2])

    def stop(self):
        took = super().stop()
        self.reading.join()
        return took


class Player:
    """Somebody who plays: a UUID and, once joined, a place and a token."""

    def __init__(self, nickname, chance):
        self.nickname, self.uuid = nickname, new_guid(chance)
        self.number = self.token = None

    def join(self, client, server, at=None):
        """Joins; returns the server's answer."""
        body = {"nickname": self.nickname} | ({} if at is None else {"at": at})
        answer = client.call("PUT", server.path(f"players/{self.uuid}"), body)
        if answer.status in (200, 201):
            self.number, self.token = answer.object["player"], answer.object["token"]
        return answer

    def answer(self, client, server, *answers):
        """Sends answers (question, index, position); returns the server's answer."""
        body = {"answers": [{"question": question, "answer": index, "at": at} for question, index, at in answers]}
        return client.call("POST", server.path("answers"), body, token=self.token)


def join_all(server, players, connections=16):
    """Lets players join over some connections; each must be new."""
    def some(share):
        with server.client() as client:
            for player in share:
                answer = player.join(client, server)
                assert answer.status == 201, f"{player.nickname} cannot join: {answer}"

    with ThreadPoolExecutor(connections) as pool:
        list(pool.map(some, [players[index::connections] for index in range(connections)]))


class Host:
    """Who leads a game."""

    def __init__(self, server):
        # A command line of the operator, who overrules every console.
        self.server, self.client = server, server.client(server.operator_token)

    def call(self, command, **keys):
        return self.client.call("POST", self.server.path("commands"), {"id": str(uuid.uuid4()), "command": command} | keys)

    def command(self, command, **keys):
        answer = self.call(command, **keys)
        assert answer.status == 200, f"{command}: {answer}"
        return answer.object

    def ask(self):
        """Asks the next question; returns what the state says of it once it is in the stream."""
        before = self.server.state()["question"]
        self.command("next")

        def is_open():
            state = self.server.state()
            question = state["question"]
            return state["phase"] == "open" and (before is None or question["guid"] != before["guid"]) and question

        return wait_until(is_open, 60, "the question is in the stream")


class Listener:
    """Who listens to the server's messages for hosts."""

    def __init__(self, server, query="", last=None):
        self.connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=120)
        headers = {"Authorization": f"Bearer {server.host_token}"} | ({} if last is None else {"Last-Event-ID": str(last)})
        self.connection.request("GET", server.path("events") + query, headers=headers)
        self.answer = self.connection.getresponse()
        self.status, self.messages = self.answer.status, []
        self.thread = in_background(self.read)

    def read(self):
        """Keeps (id, name, object) of each message."""
        fields = {}
        try:
            for line in self.answer:
                name, _, value = line.decode().rstrip("\n").partition(": ")
                if name:
                    fields[name] = value
                elif "data" in fields:
                    self.messages.append((int(fields["id"]) if "id" in fields else None, fields["event"], json.loads(fields["data"])))
                    fields = {}
        except (OSError, http.client.HTTPException):
            # The connection was cut, here or there.
            pass

    def of(self, name):
        """The objects of the messages with a name."""
        return [said for _, found, said in list(self.messages) if found == name]

    def close(self):
        if self.connection.sock:
            self.connection.sock.shutdown(socket.SHUT_RDWR)
        self.thread.join()
        self.connection.close()


def edge(client):
    """The programme's time at the live edge, from a server whose stream has an interface of its own."""
    now = client.get("/v1/streams/live/now", STREAM_TOKEN)
    assert now.status == 200, f"the stream's time: {now}"
    return now.object["at"]


def reach(client, seconds):
    """Waits until the live edge is at a time of the programme."""
    wait_until(lambda: edge(client) >= seconds, 30 + seconds, f"the live edge is at {seconds}")


def write_tokens(path):
    """A file of tokens for the stream's own interface."""
    path.touch(mode=0o600)
    path.write_text(f"publish {STREAM_TOKEN}\n")
    return path


def answer_count(number):
    """How many answers the question of a number has in these quizzes."""
    return 2 + number % 3


def write_quiz(path, count, seed=1, explanation=None, points=False):
    """Writes a quiz of so many questions; returns the index of the right answer of each."""
    chance, rights, questions = random.Random(seed), [], []
    for number in range(1, count + 1):
        answers = [f"{number * 10 + index}" for index in range(answer_count(number))]
        rights.append(chance.randrange(len(answers)))
        question = {"question": f"Question {number}: which number is it?", "answers": answers, "correct": answers[rights[-1]]}
        if explanation:
            question["explanation"] = explanation
        if points:
            question["points"] = [chance.randrange(-1, 4) for _ in answers]
        questions.append(question)
    path.write_text(json.dumps({"id": "proof", "title": "Proof", "questions": questions}))
    return rights


def written(tick_count):
    """Ticks as seconds with as many decimals as lead back to them."""
    return float(round(decimal.Decimal(tick_count) / TICKS, 6))


def member(text, key):
    """The text of a member of a JSON object, as it is written; nothing where there is none."""
    start = re.search(rf'"{key}":', text)
    if start is None:
        return None
    _, end = json.JSONDecoder().raw_decode(text, start.end())
    return text[start.end():end]


def untimed(scoreboard):
    """A scoreboard without the time at which it was seen."""
    return scoreboard.replace(member(scoreboard, "time"), "", 1)


def first_frame(data):
    """The PTS of the first frame of H.264 in a segment."""
    _, maps = transport.program_maps(data)
    pid = next(pid for kind, pid, _ in maps[0].streams if kind == 0x1B)
    return timestamp(next(transport.units(data, pid))[9:14])


class Watcher:
    """Somebody who loads each segment of the stream once, and reads the events in it without the programs under test."""

    def __init__(self, on_event=None):
        self.on_event = on_event
        self.port = None
        # The segments by their names, in the order of the programme.
        self.segments, self.problems = {}, []
        # The events, as their first copies say, and where their tags were.
        self.events, self.copies = {}, 0
        # When the programme was where, of the first segment with an event.
        self.anchor = None
        self.is_running = True
        self.thread = threading.Thread(target=self.run, daemon=True)

    def begin(self, port):
        """Watches a server from now on; another one after a restart."""
        self.port = port
        if not self.thread.is_alive():
            self.thread.start()

    def run(self):
        client, port = None, None
        while self.is_running:
            try:
                if client is None or port != self.port:
                    port = self.port
                    client = Client(port, timeout=5)
                self.reload(client)
            except (OSError, http.client.HTTPException):
                # The server was killed, or is not there yet.
                pass
            except Exception as error:  # What cannot be read is a problem of the stream.
                self.problems.append(f"{type(error).__name__}: {error}")
            time.sleep(0.05)

    def end(self):
        self.is_running = False
        self.thread.join()

    def reload(self, client):
        """Loads the playlist, and the segments that are new in it."""
        index = client.get("/live/live/index.m3u8")
        if index.status == 404 and not self.segments:
            return
        name = next(line for line in index.body.decode().split("\n") if line and not line.startswith("#"))
        playlist = client.get(f"/live/live/{name}")
        assert (index.status, playlist.status) == (200, 200), f"the playlists' statuses are {index.status} and {playlist.status}"
        for segment in Playlist(playlist.body.decode()).segments:
            if segment.uri not in self.segments:
                answer = client.get(f"/live/live/{segment.uri}")
                assert answer.status == 200, f"{segment.uri} is listed, and its status is {answer.status}"
                segment.data = answer.body
                self.segments[segment.uri] = segment
                self.take(segment.data, time.monotonic())

    def take(self, data, now):
        """Reads the tags of a segment."""
        _, tags = transport.timed_id3(data)
        for pts, payload in tags:
            text = wire.text_of(payload)
            event = json.loads(text, parse_float=decimal.Decimal)
            self.copies += 1
            self.anchor = self.anchor or self.place(data, pts, event, now)
            content = {key: value for key, value in event.items() if key not in ("copy", "copies", "age", "crc")}
            known = self.events.setdefault(event["guid"], content)
            assert known == content, f"two copies of {event['guid']} differ: {known} and {content}"
            if known is content:
                checked = wire.with_crc(text.rpartition(',"crc":')[0] + "}")
                assert checked == text, f"the crc of {text} is wrong"
                if self.on_event:
                    self.on_event(event)

    def place(self, data, pts, event, now):
        """When the segment with an event was loaded, and the programme's time at its first frame, in seconds."""
        start = first_frame(data)
        return now, float(event["at"] + event["age"]) - signed(pts - start) / TICKS

    def position(self):
        """Where a player is that began with the first segment that has an event."""
        moment, at = self.anchor
        return at + time.monotonic() - moment

    def of(self, kind):
        """The events of a type, in the order of the programme."""
        return sorted((event for event in self.events.values() if event["eventType"] == kind), key=lambda event: event["sequence"])

    @property
    def data(self):
        """All segments, one after the other."""
        return b"".join(segment.data for segment in self.segments.values())

    def save(self, folder):
        """Writes the segments with a playlist, as if they had been a presentation that has ended."""
        folder.mkdir()
        lines = ["#EXTM3U", "#EXT-X-VERSION:3", f"#EXT-X-TARGETDURATION:{max(round(segment.duration) for segment in self.segments.values())}"]
        for uri, segment in self.segments.items():
            (folder / uri).write_bytes(segment.data)
            lines += (["#EXT-X-DISCONTINUITY"] if segment.is_discontinuous else []) + [f"#EXTINF:{segment.duration:f},", uri]
        (folder / "index.m3u8").write_text("\n".join(lines + ["#EXT-X-ENDLIST", ""]))
        return folder / "index.m3u8"


class Connection:
    """A connection that sends an answer as soon as the one before it is acknowledged."""

    def __init__(self, port):
        self.socket = socket.create_connection(("127.0.0.1", port))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.key, self.said, self.began = None, b"", 0

    def send(self, key, data):
        self.key, self.said, self.began = key, b"", time.monotonic()
        self.socket.sendall(data)

    def receive(self):
        """The status of the answer once it is whole."""
        data = self.socket.recv(1 << 16)
        if not data:
            raise ConnectionResetError
        self.said += data
        head, end, body = self.said.partition(b"\r\n\r\n")
        if not end or len(body) < int(head.lower().partition(b"content-length:")[2].split(b"\r\n")[0]):
            return None
        return int(head[9:12]), body


class Crowd:
    """Players who answer the question that is open, again and again, to whichever server there is.

    Everybody is up to half a second behind the live edge, and answers at most once within so many seconds. What was not acknowledged before a
    connection was lost is not sent again.
    """

    def __init__(self, players, count, seed, spacing):
        self.players, self.count, self.spacing = players, count, spacing
        self.chance = random.Random(f"crowd {seed}")
        self.turn, self.last = 0, {}
        # What was sent, and what was acknowledged: (player, question, answer, ticks).
        self.sent, self.acknowledged, self.others = set(), set(), collections.Counter()
        # How long the server took for each answer, in seconds.
        self.times = []
        self.port, self.game = None, None
        # The question that is open: its GUID, the number of its answers, from when on, how long, and when it opened by this clock.
        self.question = None
        self.connections, self.poll = {}, None
        self.is_running = True
        self.thread = in_background(self.run)

    def follow(self, question, allotted, edge):
        """Answers a question, as the state describes it, for so many seconds. The live edge is at a time now."""
        opens = question["opensAt"]
        since = time.monotonic() - (edge - opens)
        self.question = question["guid"], answer_count(question["number"]), ticks(str(opens)), allotted * TICKS, since

    def end(self):
        self.is_running = False
        self.thread.join()

    def run(self):
        while self.is_running:
            port = self.port
            if port is None:
                time.sleep(0.005)
                continue
            try:
                self.connect(port)
                while self.is_running and self.port == port:
                    self.go_on()
            except OSError:
                # The server was killed. Of what was not acknowledged nobody knows.
                time.sleep(0.02)

    def connect(self, port):
        self.poll, self.connections = select.epoll(), {}
        for _ in range(self.count):
            connection = Connection(port)
            self.connections[connection.socket.fileno()] = connection
            self.poll.register(connection.socket, select.EPOLLIN)

    def go_on(self):
        for connection in self.connections.values():
            if connection.key is None:
                self.answer(connection)
        for descriptor, _ in self.poll.poll(0.01):
            connection = self.connections[descriptor]
            said = connection.receive()
            if said is None:
                continue
            status, body = said
            self.times.append(time.monotonic() - connection.began)
            if status == 202:
                self.acknowledged.add(connection.key)
            else:
                self.others[status, self.kind(body)] += 1
            connection.key = None

    @staticmethod
    def kind(body):
        """The kind of a problem; a proxy that reaches no server has words of its own."""
        return json.loads(body)["type"].rpartition(":")[2] if body.startswith(b"{") else "proxy"

    def answer(self, connection):
        """Sends an answer of the next player, unless everybody has just sent one."""
        question, player, now = self.question, self.players[self.turn], time.monotonic()
        if question is None or now - self.last.get(player.number, 0) < self.spacing:
            return
        self.last[player.number], self.turn = now, (self.turn + 1) % len(self.players)
        guid, answers, opens, allotted, since = question
        passed = min(int((now - since) * TICKS), allotted - 1)
        moment = opens + self.chance.randrange(max(passed - TICKS // 2, 0), passed + 1)
        key = player.nickname, guid, self.chance.randrange(answers), moment
        if key in self.sent:
            return
        self.sent.add(key)
        body = json.dumps({"answers": [{"question": guid, "answer": key[2], "at": written(key[3])}]})
        head = (f"POST /v1/games/{self.game}/answers HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {player.token}\r\n"
                f"Content-Length: {len(body)}\r\n\r\n")
        connection.send(key, (head + body).encode())


def is_quiet(patience=90):
    """Whether the machine has nothing else to do, so that times say something of the program. What has just ended counts for a minute: that is waited for."""
    end = time.monotonic() + patience
    while os.getloadavg()[0] > 0.5 * (os.cpu_count() or 1):
        if time.monotonic() > end:
            return False
        time.sleep(5)
    return True
