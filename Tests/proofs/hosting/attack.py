"""Attacks a game server with its defaults, as strangers and players can, while others play, and prints a line for each fact.

    python3 -m proofs.hosting.attack --server PROGRAM --clip CLIP --folder FOR_ITS_FILES [--count 5000] [--limit SECONDS] [--step 1] [--only NAME...] [--seed 1]

The server runs without capabilities and with a soft limit of 1,024 open files, as systems give it. With --limit, 99 of 100 answers, joins and states must be
there within so many seconds while connections hang, and within half of that beside heavy calls. With --step, every so many numbers are sent.
"""

import contextlib
import http.client
import itertools
import json
import multiprocessing
import random
import threading
import time
import types
import uuid

from proofs.client import JSON
from proofs.facts import prove_and_end
from proofs.hosting.api import CALLS, NOBODY, PASSWORD
from proofs.hosting.crash import answers_hold
from proofs.hosting.game import STREAM_TOKEN, Client, Crowd, Host, Player, Server, edge, join_all, write_quiz, write_tokens
from proofs.hosting.slow import SecureServer
from proofs.live.attackers import PROXIES, Listener, Repeated, certify, closed_windows, crowds, limited
from proofs.live.extremes import UNIQUE, Numbers
from proofs.live.latency import percentile
from proofs.live.server import cue, new_guid
from proofs.processes import raise_limit, wait_until
# The modules of the live server's proofs are found once `game` is read.

TIME = 600
PLAYERS = 500
# How much memory heavy calls may cost, in bytes.
HEAVY_GROWTH = 256 << 20
# How many connections make heavy calls, and for how many seconds.
HEAVY, HEAVILY = 8, 15


class Stage:
    """What the proofs share: the programs, and a folder."""

    def __init__(self, options):
        self.options, self.folder, self.chance = options, options.folder, random.Random(options.seed)
        write_quiz(self.folder / "quiz.json", 3, options.seed)
        self.program = limited(options.server, self.folder)

    def server(self, name, *arguments, kind=Server, has_game=True):
        """A server with its defaults and, where nothing else is said, a game that a host leads, once the stream is there."""
        game = ["--quiz", self.folder / "quiz.json", "--hosted", "--time", TIME] if has_game else []
        server = kind(
            self.program, self.folder / name, "--input", self.options.clip, "--loop", "--accounts", *game, *arguments, log=self.folder / f"{name}.log", parts=True)
        wait_until(server.is_ready, 60, "the stream is there")
        return server

    def tokens(self):
        """The options with which the stream tells where it is."""
        return ["--token-file", write_tokens(self.folder / "tokens")]

    def player(self, client, server):
        """A new player, who has joined."""
        player = Player(f"Guest {self.chance.getrandbits(60)}", self.chance)
        answer = player.join(client, server)
        assert answer.status == 201, f"nobody can join: {answer}"
        return player


def account(client):
    """The token of a new account."""
    made = client.call("POST", "/v1/accounts", {"name": str(uuid.uuid4()), "password": PASSWORD})
    assert made.status == 201, made
    return made.object["token"]


def first_line(text):
    """The first line of a playlist that is no tag."""
    return next(line for line in text.decode().split("\n") if line and line[0] != "#")


@contextlib.contextmanager
def played(stage, server, limit):
    """A game in which players answer, others join and everybody asks for the state. Afterwards all that was acknowledged is in the record, and it is told
    how long that took."""
    players = [Player(f"Player {number}", stage.chance) for number in range(PLAYERS)]
    join_all(server, players)
    question = Host(server).ask()
    crowd = Crowd(players, 50, stage.options.seed, 1)
    crowd.game, crowd.port = server.game, server.port
    edges = server.client()

    def join():
        with server.client() as client:
            stage.player(client, server)

    def state():
        with server.client() as client:
            answer = client.get(server.path("state"))
            return None if answer.status == 200 else answer

    repeated = {"joins": Repeated(join, 0.1), "states": Repeated(state, 0.1)}
    # Players know from the stream where it is.
    following = Repeated(lambda: crowd.follow(question, TIME, edge(edges)), 0.5)
    told = []
    yield told
    crowd.end()
    following.end()
    times = {"answers": crowd.times} | {name: calls.end() for name, calls in repeated.items()}
    assert not crowd.others, f"other answers than taken ones: {crowd.others}"
    with server.host() as host:
        answers_hold(types.SimpleNamespace(crowd=crowd, record=host.get(server.path("record")).body))
    edges.close()
    told.append(", ".join(f"{len(values)} {name} p99 {percentile(values, 0.99):.0f} ms" for name, values in times.items()) + ", no answer lost")
    late = [name for name, values in times.items() if limit and percentile(values, 0.99) > limit * 1000]
    assert not late, f"{late} take too long: {told[0]}"


def crowds_hold(stage):
    """Thousands of connections that are kept open, and as many that never end their request, at the system's soft limit."""
    options = stage.options
    with stage.server("crowds", *stage.tokens()) as server:
        with played(stage, server, options.limit) as told, crowds(server.port, options.count, server.path("state")) as counts:
            time.sleep(3)
            descriptors = server.resources()[2]
        assert min(counts) == options.count, f"only {counts} connections were made"
    return f"{options.count} kept and as many half-open connections ({descriptors} descriptors): {told[0]}"


def windows(stage):
    """HTTP/2 with windows that are closed."""
    with stage.server("windows", *certify(stage.folder), kind=SecureServer) as server:
        index = wait_until(lambda: (found := server.get("/live/live/index.m3u8"))[0] == 200 and found[2], 60, "a playlist")
        media = wait_until(lambda: b"#EXTINF" in (found := server.get(f"/live/live/{first_line(index)}"))[2] and found[2], 60, "a segment")
        grown = closed_windows(server, [f"/live/live/{first_line(media)}", "/v1/openapi.json"])
    return f"8 connections of 100 streams with closed windows, half of them for a segment: {grown >> 20} MB"


# Numbers.

class Tokens:
    """Gives each call a token that may make it; another one where that is used up."""

    def __init__(self, stage, server):
        self.stage, self.server, self.client = stage, server, server.client()
        self.roles = {call: role for role, calls in CALLS.items() for call in calls}
        self.known = {}

    def token(self, method, path, is_again):
        role = self.roles.get((method, path), "stream")
        if role == "everybody":
            return None
        if role in ("host", "maker", "owner", "operator"):
            return self.server.operator_token
        if role == "stream":
            return STREAM_TOKEN
        if is_again or role not in self.known:
            self.known[role] = self.stage.player(self.client, self.server).token if role == "player" else account(self.client)
        return self.known[role]


def numbers(stage):
    """Extreme numbers in everything that the document describes."""
    with stage.server("numbers", *stage.tokens()) as server, server.client() as client:
        question = Host(server).ask()["guid"]
        quiz = client.call("POST", "/v1/quizzes", (stage.folder / "quiz.json").read_bytes(), JSON, token=account(client)).object["id"]
        names = {
            "game": server.game, "uuid": NOBODY, "version": "1", "quiz": quiz, "account": "1", "stream": "live", "guid": NOBODY,
            "file": first_line(client.get("/live/live/index.m3u8").body)}
        values = {"question": [question], "command": ["extend", "kick"], "id": [UNIQUE]}
        proof = Numbers(server, client.get("/v1/openapi.json").object, names, values, Tokens(stage, server).token, stage.options.step)
        return proof.run(HEAVY_GROWTH)


# Heavy calls.

def hammer(port, calls, pipe):
    """Makes calls one after the other, on several connections, until nobody wants them any more; tells the statuses."""
    statuses, is_running = {}, True

    def run(number):
        with Client(port) as client:
            for method, path, body, token in itertools.islice(itertools.cycle(calls), number, None):
                if not is_running:
                    return
                with contextlib.suppress(OSError, http.client.HTTPException):
                    status = client.call(method, path, body, JSON, token).status
                    key = f"{method} {path.rpartition('/')[2]} {status}"
                    statuses[key] = statuses.get(key, 0) + 1

    threads = [threading.Thread(target=run, args=(number,), daemon=True) for number in range(HEAVY)]
    for thread in threads:
        thread.start()
    pipe.recv()
    is_running = False
    for thread in threads:
        thread.join()
    pipe.send(statuses)


def large_quiz():
    """A quiz of 500 questions in a mebibyte of JSON."""
    questions = [
        {"question": f"{number} " + "q" * 180, "answers": ["a" * 40, "b" * 40], "correct": "a" * 40, "explanation": "e" * 200} for number in range(500)]
    text = json.dumps({"title": "Large", "questions": questions}).encode()
    return text + b" " * ((1 << 20) - len(text))


def heavy(stage):
    """An account and an anonymous address make what takes long, again and again, beside players who answer, join and ask for the state."""
    with stage.server("heavy", *stage.tokens(), has_game=False) as server, server.client() as client:
        maker, quiz = account(client), large_quiz()
        for _ in range(10):
            answer = client.call("POST", "/v1/quizzes", quiz, JSON, token=maker)
            assert answer.status == 201, answer
        # The players play a game of the account, whose record and lists are its own.
        made = client.call("POST", "/v1/games", {"quiz": json.loads((stage.folder / "quiz.json").read_text()), "rules": {"allottedTime": TIME}}, token=maker)
        assert made.status == 201, made
        server.game, server.host_token = made.object["id"], made.object["token"]
        assert client.call("POST", server.path("approval"), b"", token=server.operator_token).status == 200
        own = [("GET", path, None, maker) for path in (
            "/v1/me", "/v1/me/results", "/v1/quizzes", f"/v1/quizzes/{answer.object['id']}", *(server.path(name) for name in ("contacts", "record", "players")))]
        own += [("POST", "/v1/quizzes", quiz, maker), ("POST", "/v1/games?format=json", quiz, maker)]
        foreign = [
            ("POST", "/v1/sessions", b'{"name":"Nobody","password":"quite-a-long-password"}', None), ("GET", "/v1/openapi.json", None, None), ("GET", server.path("board"), None, None),
            ("POST", "/v1/accounts", b'{"name":"Nobody","password":"quite-a-long-password"}', None), ("POST", "/v1/quizzes", quiz, None)]
        before, statuses = server.resources()[0], []
        with played(stage, server, stage.options.limit and stage.options.limit / 2) as told:
            hammers = []
            for calls in (own, foreign):
                ours, theirs = multiprocessing.Pipe()
                process = multiprocessing.get_context("fork").Process(target=hammer, args=(server.port, calls, theirs), daemon=True)
                process.start()
                hammers.append((process, ours))
            time.sleep(HEAVILY)
            for process, pipe in hammers:
                pipe.send(None)
                statuses.append(pipe.recv())
                process.join()
        grown = server.resources()[1] - before
    counts = {status: sum(count for made in statuses for key, count in made.items() if key.endswith(status)) for status in sorted({key[-3:] for made in statuses for key in made})}
    said = f"{counts} heavy calls: {told[0]}; {grown >> 20} MB at most"
    assert grown < HEAVY_GROWTH, said
    assert counts.keys() <= {"200", "201", "401", "409", "429", "503"}, f"{statuses}"
    return said


# Proxies.

def strangers(stage):
    """Behind a proxy on the same machine nobody is an operator or without limits, with plain configurations."""
    with stage.server("strangers") as server:
        with Host(server).client as host:
            for (name, proxy), command, event in zip(PROXIES.items(), ("start", "next"), (b"event: started", b"event: asked")):
                with proxy(stage.folder, server.port) as port:
                    with Client(port) as client:
                        assert client.get(server.path("state")).status == 200, name
                        for method, path in sum((CALLS[role] for role in ("host", "account", "maker", "owner", "operator", "session")), []):
                            path = path.replace("{game}", server.game).replace("{quiz}", "none").replace("{account}", "1")
                            answer = client.call(method, path, None if method == "GET" else b"{}")
                            assert answer.status in (401, 429), f"a stranger behind {name} calls {method} {path}: {answer}"
                        for method, path in (("POST", "events"), ("GET", "events"), ("GET", "now"), ("PUT", "cues")):
                            answer = client.call(method, f"/v1/streams/live/{path}", None if method == "GET" else cue(1), {"Host": "localhost"})
                            assert answer.status == 403, f"a stranger behind {name} reaches the stream: {answer}"
                        assert 429 in joins(stage, client, server, headers={"Host": "show.example"}), f"behind {name} a stranger joins without end"
                    with Listener(port, f"{server.path('events')}?client={name}&takeover", server.host_token) as listener:
                        listener.hear(b"event: counts")
                        assert host.call("POST", server.path("commands"), {"id": name, "command": command}).status == 200
                        listener.hear(event)
    with stage.server("trusted", "--trusted-proxy", "127.0.0.1") as server:
        for number, (name, proxy) in enumerate(PROXIES.items(), 1):
            with proxy(stage.folder, server.port, says_who=True) as port, Client(port) as one, Client(port) as other:
                one.connection.source_address, other.connection.source_address = (f"127.0.{number}.5", 0), (f"127.0.{number}.6", 0)
                assert joins(stage, one, server).count(201) >= 50 and joins(stage, one, server, 3) == [429] * 3, f"a client of {name} joins without end"
                forged = joins(stage, one, server, 3, {"X-Forwarded-For": f"127.0.{number}.7"})
                assert forged == [429] * 3, f"a client of {name} says that it is another one: {forged}"
                assert joins(stage, other, server, 3) == [201] * 3, f"a client of {name} pays for another one"
    return f"behind {' and '.join(PROXIES)} strangers only play, as often as each may; messages pass at once"


def joins(stage, client, server, count=61, headers={}):
    """The statuses of so many joins."""
    return [client.call("PUT", server.path(f"players/{new_guid(stage.chance)}"), {"nickname": f"Guest {stage.chance.getrandbits(60)}"}, headers).status for _ in range(count)]


PROOFS = {"crowds": crowds_hold, "windows": windows, "numbers": numbers, "heavy": heavy, "strangers": strangers}


def run(lines, options):
    raise_limit(options.count + 1_000)
    lines.prove_all("attack", {name: PROOFS[name] for name in options.only}, Stage(options))


if __name__ == "__main__":
    prove_and_end(run, "server", "clip", count=5000, limit=float, step=1, only=PROOFS, seed=1)
