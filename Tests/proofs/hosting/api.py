"""Treats the HTTP interface of a game server badly, and prints a line for each fact.

    python3 -m proofs.hosting.api --server PROGRAM --clip CLIP --folder FOR_ITS_FILES [--schemathesis PROGRAM] [--examples 50] [--only NAME...] [--seed 1]
"""

import base64
import errno
import hashlib
import hmac
import http.client
import json
import os
import random
import signal
import socket
import subprocess
import time
import uuid

from proofs.client import JSON
from proofs.facts import as_path, prove_and_end
from proofs.hosting.game import Host, Player, Server, Watcher, join_all, write_quiz
from proofs.live.schemas import answers_are_described, testable
from proofs.live.server import new_guid
from proofs.processes import wait_until

# What nobody may read before the reveal.
EXPLANATION = "Zebrafish regrow their hearts."
PIPELINED = b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"
# How many connections send such requests: to the end and without one, and answers as well.
PIPELINES = 10
# How long others may wait then, in seconds.
MOST_WAIT = 1
# How many answers and joins are half there when the server is told to end.
ENDINGS = 20
PASSWORD = "quite-a-secret-password"
NOBODY = "00000000-0000-4000-8000-000000000000"

# Who may make each call.
GAME = "/v1/games/{game}"
CALLS = {
    "everybody": [
        ("GET", "/v1/games"), ("GET", GAME), ("PUT", GAME + "/players/{uuid}"), ("GET", GAME + "/state"), ("GET", GAME + "/board"),
        ("GET", GAME + "/board/{version}"), ("POST", GAME + "/presence"), ("POST", "/v1/quiz-files"), ("POST", "/v1/quiz-files/{format}"), ("GET", GAME + "/stage"), ("POST", "/v1/accounts"), ("POST", "/v1/sessions"), ("GET", "/healthz"),
        ("GET", "/readyz"), ("GET", "/metrics"), ("GET", "/v1/openapi.json")],
    "player": [
        ("POST", GAME + "/answers"), ("GET", GAME + "/me"), ("POST", GAME + "/contacts"), ("GET", GAME + "/players/{uuid}"),
        ("DELETE", GAME + "/players/{uuid}")],
    "host": [
        ("PATCH", GAME), ("GET", GAME + "/players"), ("GET", GAME + "/contacts"), ("DELETE", GAME + "/contacts"), ("POST", GAME + "/commands"),
        ("GET", GAME + "/events"), ("GET", GAME + "/record"), ("POST", GAME + "/again"), ("GET", GAME + "/results.xlsx"), ("GET", GAME + "/results.csv"),
        ("GET", GAME + "/questions")],
    "account": [
        ("POST", "/v1/quizzes"), ("GET", "/v1/quizzes"), ("GET", "/v1/quizzes/{quiz}"), ("DELETE", "/v1/quizzes/{quiz}"),
        ("GET", "/v1/me"), ("DELETE", "/v1/me")],
    "maker": [("POST", "/v1/games"), ("GET", "/v1/me/results")],
    "owner": [("POST", GAME + "/host-token")],
    "operator": [
        ("POST", GAME + "/approval"), ("DELETE", GAME + "/approval"), ("GET", "/v1/accounts"), ("DELETE", "/v1/accounts/{account}"),
        ("PUT", "/v1/accounts/{account}/ban"), ("DELETE", "/v1/accounts/{account}/ban"), ("GET", "/v1/status")],
    "session": [("DELETE", "/v1/sessions")]}


class Stage:
    """What the proofs share: the programs, and a folder."""

    def __init__(self, options):
        self.options, self.folder = options, options.folder
        self.quiz = self.folder / "quiz.json"
        self.rights = write_quiz(self.quiz, 3, options.seed, EXPLANATION, points=True)
        self.chance = random.Random(options.seed)

    def server(self, name, *arguments, data=None):
        """A server with a game that a host leads, once the stream is there."""
        server = Server(
            self.options.server, data or self.folder / name, "--input", self.options.clip, "--loop", "--quiz", self.quiz, "--hosted", "--segment-duration", 1, "--accounts",
            *arguments, log=self.folder / f"{name}.log")
        wait_until(server.is_ready, 60, "the stream is there")
        return server

    def players(self, server, *nicknames):
        players = [Player(nickname, self.chance) for nickname in nicknames]
        join_all(server, players, 1)
        return players


def problem(answer, status, kind=None):
    """Checks that an answer is a problem of RFC 9457."""
    assert answer.status == status, f"the status is not {status}: {answer}"
    assert answer.kind is not None and answer.object["status"] == status and answer.object["detail"], f"no problem: {answer}"
    assert kind is None or answer.kind == kind, f"not {kind}: {answer}"
    return answer.object


# Tokens.

def encoded(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def signed_token(key, claims, header='{"alg":"HS256","typ":"JWT"}'):
    """A token of whoever has the key."""
    text = f"{encoded(header.encode())}.{encoded(json.dumps(claims, separators=(',', ':')).encode())}"
    return f"{text}.{encoded(hmac.digest(key, text.encode(), hashlib.sha256))}"


def tokens_hold(stage):
    """Only tokens that the server has made are taken, for what they are."""
    with stage.server("tokens") as server, server.client() as client:
        (ann,) = stage.players(server, "Ann")
        me, record = server.path("me"), server.path("record")
        key = (stage.folder / "tokens" / "token.key").read_bytes().split(b"\n")[0]
        soon = int(time.time()) + 3600
        # What ties the token to the client is in it, too.
        claims = json.loads(base64.urlsafe_b64decode(ann.token.split(".")[1] + "==")) | {"exp": soon}
        assert client.get(me, signed_token(key, claims)).status == 200, "the key makes other tokens than is thought here"
        problem(client.get(me, signed_token(key, claims | {"exp": soon - 7200})), 401, "token-expired")
        problem(client.get(me, signed_token(key, claims | {"game": "another"})), 403, "forbidden")
        problem(client.get(me, signed_token(key, claims | {"role": "host"})), 403, "forbidden")
        problem(client.get(me, signed_token(key, claims | {"role": "admin"})), 401, "unauthorized")
        problem(client.get(record, signed_token(key, claims)), 403, "forbidden")
        body = {"answers": [{"question": NOBODY, "answer": 0, "at": 1}]}
        problem(client.call("POST", server.path("answers"), body, token=signed_token(key, claims | {"sub": 10**6})), 401, "unauthorized")
        none = encoded(b'{"alg":"none","typ":"JWT"}')
        payload, signature = ann.token.split(".")[1:]
        head = ann.token.split(".")[0]
        host_payload = encoded(json.dumps(claims | {"role": "host"}).encode())
        forged = [
            f"{none}.{payload}.", f"{none}.{payload}", f"{none}.{payload}.{signature}", f"{head}.{payload}.", f"{head}.{payload}", f"{head}..{signature}", head,
            f"{head}.{host_payload}.{signature}", f"{head}.{payload}.{signature}.{signature}", f"{head}.{payload}.{signature}=", f".{payload}.{signature}",
            signed_token(b"", claims), signed_token(b"0" * 64, claims), signed_token(bytes.fromhex(key.decode()), claims), signed_token(key, claims, '{"alg":"HS512","typ":"JWT"}'),
            signed_token(key, {"role": "player"}), signed_token(key, claims | {"exp": "never"}), signed_token(key, []), "x" * 7000, "..", "."]
        for token in forged:
            for path in (me, record):
                problem(client.get(path, token), 401)
        flipped = 0
        for place in range(len(ann.token)):
            for bit in range(7):
                letter = chr(ord(ann.token[place]) ^ 1 << bit)
                # What no header may have in it does not come as far as a token.
                if "!" <= letter <= "~":
                    answer = client.get(me, ann.token[:place] + letter + ann.token[place + 1:])
                    problem(answer, 401)
                    flipped += 1
        for value in (ann.token, f"Basic {ann.token}", "Bearer", "Bearer ", f"Bearer  {ann.token}", f"Bearer{ann.token}"):
            problem(client.call("GET", me, headers={"Authorization": value}), 401)
        problem(client.get(f"{me}?token={ann.token}"), 401)
        with Host(server).client as host:
            assert host.call("POST", server.path("commands"), {"id": "out", "command": "kick", "player": ann.number}).status == 200
        problem(client.get(me, ann.token), 403, "kicked")
        problem(ann.join(client, server), 403, "kicked")
    return f"{flipped} flipped bits, {len(forged)} forged tokens, expired ones, of another game, of another role, of who was taken out"


def roles_hold(stage):
    """Each call is for whom it should be, and for nobody else."""
    with stage.server("roles") as server, server.client() as client:
        (ann,) = stage.players(server, "Ann")
        document = client.get("/v1/openapi.json").object
        described = {(method.upper(), path) for path, item in document["paths"].items() for method in item if method != "parameters"}
        # The stream's interface has its own proofs.
        described = {call for call in described if not call[1].startswith(("/v1/streams/", "/live/")) and call[1] not in ("/health", "/ready")}
        known = {call for calls in CALLS.values() for call in calls}
        assert described == known, f"calls that are not known here, or not there: {described ^ known}"
        account = client.call("POST", "/v1/accounts", {"name": "maker", "password": PASSWORD}).object["token"]
        other = client.call("POST", "/v1/games", {"quiz": json.loads(stage.quiz.read_text())}, token=account).object
        tokens = {
            "nobody": None, "stranger": "wrong", "player": ann.token, "host": server.host_token, "another host": other["token"], "account": account,
            "operator": server.operator_token}
        allowed = {"player": {"player"}, "host": {"host", "operator"}, "account": {"account"}, "maker": {"account", "operator"},
            "owner": {"operator"}, "operator": {"operator"}, "session": {"host", "another host", "account", "operator"}}
        count = 0
        for role, holders in allowed.items():
            for method, path in CALLS[role]:
                path = path.replace("{game}", server.game).replace("{quiz}", "none").replace("{account}", "1")
                for name in tokens.keys() - holders:
                    answer = client.call(method, path, None if method == "GET" else b"{}", token=tokens[name])
                    problem(answer, 401 if name in ("nobody", "stranger") else 403)
                    count += 1
        # A game belongs to the account that has made it, and a quiz, too.
        foreign = client.call("POST", "/v1/accounts", {"name": "foreign", "password": PASSWORD}).object["token"]
        quiz = client.call("POST", "/v1/quizzes", stage.quiz.read_bytes(), JSON, token=account).object["id"]
        for method, path in [("GET", f"/v1/games/{other['id']}/record"), ("POST", f"/v1/games/{other['id']}/commands")]:
            problem(client.call(method, path, b"{}" if method == "POST" else None, token=foreign), 403)
        problem(client.get(f"/v1/quizzes/{quiz}", foreign), 404)
        problem(client.call("DELETE", f"/v1/quizzes/{quiz}", token=foreign), 404)
        problem(client.call("POST", "/v1/games", {"quiz": quiz}, token=foreign), 422)
        # The stream's own interface is closed where nobody has given it tokens.
        for method, path in [("GET", "/v1/streams/live/events"), ("POST", "/v1/streams/live/events"), ("GET", "/v1/streams/live/now")]:
            problem(client.call(method, path, None if method == "GET" else b"{}"), 403)
        # One host leads a game, and a second one is told.
        assert client.call("PATCH", server.path(), {"automatic": False}, token=server.host_token).status == 200
        problem(client.call("PATCH", server.path() + "?client=another", {"automatic": False}, token=server.host_token), 409, "host-busy")
        assert client.call("PATCH", server.path(), {"automatic": False}, token=server.operator_token).status == 200
        # A game of an account reaches the stream when the operator approves it.
        approval = f"/v1/games/{other['id']}/approval"
        begin = lambda: client.call("POST", f"/v1/games/{other['id']}/commands", {"id": str(uuid.uuid4()), "command": "next"}, token=other["token"])
        problem(begin(), 409, "not-now")
        assert client.call("POST", approval, b"", token=server.operator_token).object["approved"]
        problem(begin(), 409, "not-now")
        assert not client.call("DELETE", approval, token=server.operator_token).object["approved"]
        # The owner renews the host's access, and the tokens of before are none.
        path = f"/v1/games/{other['id']}/host-token"
        problem(client.call("POST", path, b"", token=foreign), 403)
        renewed = client.call("POST", path, b"", token=account)
        assert renewed.status == 201, renewed
        problem(client.get(f"/v1/games/{other['id']}/players", other["token"]), 401, "token-expired")
        problem(client.call("POST", "/v1/sessions", b"", token=other["token"]), 401, "token-expired")
        assert client.get(f"/v1/games/{other['id']}/players", renewed.object["token"]).status == 200
        # Who logs out is out, with all tokens of the session.
        again = client.call("POST", "/v1/sessions", b"", token=account).object["token"]
        assert client.call("DELETE", "/v1/sessions", token=account).status == 204
        for token in (account, again):
            problem(client.get("/v1/me", token), 401)
        assert client.call("DELETE", "/v1/sessions", token=server.host_token).status == 204
        problem(client.get(server.path("players"), server.host_token), 401, "token-expired")
        # A player goes and leaves nothing; the same again is done.
        own = server.path(f"players/{ann.uuid}")
        problem(client.call("DELETE", server.path(f"players/{NOBODY}"), token=ann.token), 403)
        assert client.get(own, ann.token).object["nickname"] == "Ann"
        for _ in range(2):
            assert client.call("DELETE", own, token=ann.token).status == 204
        problem(client.get(own, ann.token), 401)
        problem(client.get(server.path("me"), ann.token), 401)
        assert b"Ann" not in client.get(server.path("record"), server.operator_token).body
    return f"{count} calls with tokens of others; games, quizzes, sessions, a second host"


# Hostile input.

def bodies(question):
    """Bodies for answers that none can be, and the statuses that are right."""
    def one(**keys):
        return json.dumps({"answers": [{"question": question, "answer": 0, "at": 1} | keys]}).encode()

    def raw(text):
        return f'{{"answers":[{{"question":"{question}","answer":0,"at":{text}}}]}}'.encode()

    wrong = [
        b"{}", b"[]", b"null", b'"x"', b"1", b'{"answers":{}}', b'{"answers":[]}', b'{"answers":[1]}', b'{"answers":[{}]}', one(question=""), one(question=5), one(question=None),
        one(answer=-1), one(answer=1.5), one(answer="0"), one(answer=None), one(answer=10**30), one(at="now"), one(at=None), one(at=[]), raw("1e999"),
        json.dumps({"answers": [{"question": question, "answer": 0, "at": 1}] * 17}).encode()]
    broken = [
        b"", b"{", b"\xff\xfe", b'{"answers":[', raw("NaN"), raw("01"), raw("0x1"), raw("+1"), b'{"answers":1,"answers":2}', b"[" * 4000, b'{"a":' * 600, b'{"answers":[' * 300,
        b'{"answers":"' + b"\\u0000" * 600, b"\0" * 100, one()[:-1], one() + b"x"]
    refused = [one(answer=9), one(answer=255), one(answer=2**31), one(at=-1), one(at=1e15), one(question=NOBODY), raw("-0"), raw("1e-999999999"), raw("1" + "0" * 300), raw("0." + "0" * 3000 + "1")]
    return [(body, {422}) for body in wrong] + [(body, {400, 422}) for body in broken] + [(body, {404, 409, 422}) for body in refused]


def wrong_requests_hold(stage):
    """Nothing that a client sends brings the server down, gives 5xx, or is taken as something else."""
    with stage.server("wrong", "--time", 60) as server, server.client() as client:
        ann, ben, cat, dan = stage.players(server, "Ann", "Ben", "Cat", "Dan")
        question = Host(server).ask()["guid"]
        answers, token = server.path("answers"), ann.token
        count = 0
        for index, (body, statuses) in enumerate(bodies(question)):
            # Five a second are allowed.
            sender = (ann, ben, cat, dan)[index % 4]
            answer = client.call("POST", answers, body, token=sender.token)
            assert answer.status in statuses, f"{body[:120]}: {answer}"
            problem(answer, answer.status)
            count += 1
        large = [
            (answers, token, 5 << 10), (server.path(f"players/{NOBODY}"), None, 5 << 10), (server.path("commands"), server.host_token, 5 << 10),
            ("/v1/games", server.operator_token, (1 << 20) + 1)]
        for path, holder, size in large:
            method = "PUT" if "players" in path else "POST"
            problem(client.call(method, path, b" " * size, token=holder), 413)
            # A body whose length nobody has said.
            problem(client.call(method, path, iter([b" " * 4096] * (size // 4096 + 2)), token=holder), 413)
        for key in ("x", "", "1" * 36, NOBODY[:-1], NOBODY[:-1] + "g", NOBODY.replace("-", ""), "%00" * 12, "../" * 12, NOBODY + "0", "%7B" + NOBODY + "%7D"):
            problem(client.call("PUT", server.path(f"players/{key}"), {"nickname": "Eve"}), 404 if key in ("", "%00" * 12, "../" * 12) else 422)
        for game in ("none", "x" * 5000, "%ff", "%00", ".", "..", server.game.upper(), server.game + "%20", "*"):
            for method, name in [("GET", "state"), ("GET", "board"), ("POST", "answers"), ("GET", "me"), ("GET", "record"), ("PUT", f"players/{NOBODY}")]:
                answer = client.call(method, f"/v1/games/{game}/{name}", None if method == "GET" else b"{}", token=token)
                assert answer.status in (404, 414, 400, 431), f"{method} {name} of the game {game[:20]}: {answer}"
        for path, status in [
                ("/v1/games?code=none", 404), ("/v1/games?code=", 404), ("/v1/games", 422), ("/v1/games?code=%ff", 404), ("/v1/nothing", 404), ("//v1//games", 404), ("/v1/games/", 404),
                (server.path("board/0"), 404), (server.path("board/-1"), 404), (server.path("board/1e3"), 404), (server.path("board/99999999999999999999"), 404)]:
            problem(client.get(path), status)
        for method, path in [("DELETE", server.path("state")), ("PUT", server.path("answers")), ("POST", server.path("board")), ("PATCH", "/v1/openapi.json")]:
            problem(client.call(method, path), 405)
        for nickname in ("", " ", "\0", "x" * 65, "é" * 33, "\u202eAnn", "Ann\u200b", "...", "admin", 5, None, ["Ann"], {"a": 1}):
            problem(client.call("PUT", server.path(f"players/{uuid.UUID(int=stage.chance.getrandbits(128), version=4)}"), {"nickname": nickname}), 422)
        problem(client.call("PUT", server.path(f"players/{NOBODY}"), b'{"nickname":"\\ud800"}'), 400)
        quizzes_hold(client)
        fuzz(stage, server, client, question, (ann, ben, cat, dan))
        assert server.process.poll() is None and client.get("/healthz").status == 200
        assert server.state()["players"] == 4, f"{server.state()['players']} players"
        record = client.get(server.path("record"), server.host_token).body.decode().splitlines()
        assert not any('"question"' in line for line in record), f"{len(record) - 4} answers in the record, of which none was right"
        floods_hold(server)
        took = server.stop()
        assert took[0] < 2 and took[1] in (0, 130), f"SIGTERM: {took}"
    return f"{count} bodies of answers, 300 damaged ones, bodies without end, UUIDs, games, paths, nicknames, quizzes, floods: no 5xx, nothing recorded"


def quizzes_hold(client):
    """Quizzes that would need much memory, or are none."""
    account = client.call("POST", "/v1/accounts", {"name": "quizzes", "password": PASSWORD}).object["token"]
    laughs = "a: &a [x,x,x,x,x,x,x,x,x]\n" + "".join(f"{b}: &{b} [{','.join([f'*{a}'] * 9)}]\n" for a, b in zip("abcdefgh", "bcdefghi"))
    texts = [
        b"", b"{", b"[]", b"null", b'{"questions":[]}', b'{"questions":[{}]}', b"[" * 500_000, b'{"a":' * 200_000, b"a: [" * 200_000, laughs.encode(),
        b"\xff" * 1000, b"- " * 200_000, b"question,answers\n" * 1000, b'{"questions":[' + b"1," * 100_000 + b"1]}",
        json.dumps({"questions": [{"question": "?", "answers": ["a", "b"], "correct": "a"}] * 501}).encode(),
        json.dumps({"questions": [{"question": "x" * 100_000, "answers": ["a", "b"], "correct": "a"}]}).encode(),
        json.dumps({"questions": [{"question": "?", "answers": ["a"] * 10, "correct": "a"}]}).encode()]
    for text in texts:
        started = time.monotonic()
        answer = client.call("POST", "/v1/quizzes", text, token=account)
        took = time.monotonic() - started
        problem(answer, 422)
        assert took < 10, f"a quiz that begins {text[:40]} takes {took:.1f} s"


def fuzz(stage, server, client, question, players):
    """Right requests with a few bytes changed."""
    right = json.dumps({"answers": [{"question": question, "answer": 0, "at": 0.001}]}).encode()
    for number in range(300):
        body = bytearray(right)
        for _ in range(stage.chance.randrange(1, 4)):
            body[stage.chance.randrange(len(body))] = stage.chance.randrange(256)
        answer = client.call("POST", server.path("answers"), bytes(body), token=players[number % 4].token)
        assert answer.status in (400, 404, 409, 422, 429), f"{bytes(body)}: {answer}"


def floods_hold(server):
    """Heads without end, and more requests at once than anybody needs."""
    with socket.create_connection(("127.0.0.1", server.port)) as connection:
        connection.settimeout(5)
        try:
            connection.sendall(b"GET /healthz HTTP/1.1\r\nHost: x\r\n")
            for number in range(20_000):
                connection.sendall(b"X-%d: " % number + b"x" * 500 + b"\r\n")
            said = connection.recv(1000)
        except OSError:
            said = b""
    assert b"200 OK" not in said, "10 MB of a head are taken"


def pipelines_hold(stage):
    """Who sends thousands of requests at once, and reads no answer, keeps nobody waiting."""
    with stage.server("pipelines") as server, server.client() as client:
        before, sockets, sent = server.resources()[0], [], 0
        # Answers that are refused at once are answered before the router sees them.
        refused = f"POST {server.path('answers')} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer x\r\nContent-Length: 2\r\n\r\n{{}}".encode()
        for number in range(4 * PIPELINES):
            request = (PIPELINED, refused)[number % 2]
            connection = socket.create_connection(("127.0.0.1", server.port))
            connection.setblocking(False)
            try:
                for _ in range(1_000):
                    sent += connection.send(request * 10) // len(request)
            except OSError:
                # Nothing more fits.
                pass
            if number < 2 * PIPELINES:
                # The server reads all that is there, then.
                connection.shutdown(socket.SHUT_WR)
            sockets.append(connection)
        times, end = [], time.monotonic() + 5
        while time.monotonic() < end:
            started = time.monotonic()
            assert client.get(server.path("state")).status == 200
            times.append(time.monotonic() - started)
        grown = (server.resources()[0] - before) / 1048576
        for connection in sockets:
            connection.close()
        text = f"{sent} requests of {len(sockets)} connections, at once: others wait {max(times):.2f} s at most; {grown:.0f} MB"
        assert max(times) < MOST_WAIT and grown < 64, text
    return text


# The end.

def ending_holds(stage):
    """Who is told to end takes nothing new, answers what is being asked, and what it has acknowledged then is kept."""
    data = stage.folder / "ending-data"
    with stage.server("ending", data=data) as server, server.client() as client:
        players = stage.players(server, *(f"Late {number}" for number in range(ENDINGS)))
        question = Host(server).ask()
        requests = []
        for player in players:
            body = json.dumps({"answers": [{"question": question["guid"], "answer": 0, "at": question["opensAt"]}]})
            requests.append(("POST", server.path("answers"), player.token, body))
        requests += [("PUT", server.path(f"players/{new_guid(stage.chance)}"), "", json.dumps({"nickname": f"New {number}"})) for number in range(ENDINGS)]
        sockets = []
        for method, path, token, body in requests:
            connection = socket.create_connection(("127.0.0.1", server.port), timeout=35)
            head = f"{method} {path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {token}\r\n" if token else f"{method} {path} HTTP/1.1\r\nHost: x\r\n"
            connection.sendall(f"{head}Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n{body[:5]}".encode())
            sockets.append(connection)
        # The server has read these parts when it has answered somebody who came later.
        assert client.get("/healthz").status == 200
        started = time.monotonic()
        server.process.send_signal(signal.SIGTERM)
        wait_until(lambda: refuses(server.port), 30, "nobody can connect")
        # Open requests have a second: all of them go on before anybody waits for an answer.
        for (_, _, _, body), connection in zip(requests, sockets):
            connection.sendall(body[5:].encode())
        answers = []
        for connection in sockets:
            answer = http.client.HTTPResponse(connection)
            answer.begin()
            answer.read()
            answers.append((answer.status, answer.getheader("Connection")))
            connection.close()
        assert answers[:ENDINGS] == [(202, "close")] * ENDINGS, f"answers are answered by {set(answers[:ENDINGS])}"
        assert {status for status, _ in answers[ENDINGS:]} == {201}, f"joins are answered by {set(answers[ENDINGS:])}"
        status = server.process.wait(timeout=30)
        took = time.monotonic() - started
        assert status in (0, 130), f"SIGTERM: status {status}"
    with stage.server("ended", data=data) as server:
        lines = [json.loads(line) for line in server.host().get(server.path("record")).body.splitlines()]
    kept = sum("question" in line for line in lines)
    assert kept == ENDINGS, f"{kept} of {ENDINGS} acknowledged answers are in the record"
    return f"{ENDINGS} answers and {ENDINGS} joins whose requests were half there are answered, and kept; it has ended after {took:.2f} s"


def refuses(port):
    try:
        socket.create_connection(("127.0.0.1", port)).close()
    except ConnectionRefusedError:
        return True
    return False


# Secrets.

def secrets_hold(stage):
    """Before the reveal nothing tells which answer is right, to nobody."""
    right = stage.rights[0]
    with stage.server("secrets", "--time", 4, "--delay", 2, "--scoring", "speed:1000:500") as server, server.client() as client:
        watcher = Watcher()
        watcher.begin(server.port)
        knows, errs, idle = stage.players(server, "Knows", "Errs", "Idle")
        metrics = client.get("/metrics").body
        question = Host(server).ask()
        at = question["opensAt"]
        wait_until(lambda: watcher.of("askQuestion"), 10, "the question is in a segment")
        said = [knows.answer(client, server, (question["guid"], right, at)), errs.answer(client, server, (question["guid"], 1 - min(right, 1), at))]
        for answer in said:
            answer.headers.pop("date", None)
        assert (said[0].status, said[0].headers, said[0].body) == (said[1].status, said[1].headers, said[1].body), f"right {said[0]}, wrong {said[1]}"
        # A change, an answer that is none, and one that is early.
        problems = [knows.answer(client, server, (question["guid"], 9, at)), errs.answer(client, server, (question["guid"], 1 - min(right, 1), at - 1))]
        own = [client.get(server.path("me"), player.token).object for player in (knows, errs, idle)]
        alike = [{key: value for key, value in me.items() if key not in ("player", "nickname")} for me in own]
        assert alike[0] == alike[1] == alike[2], f"me tells who is right: {own}"
        paths = ["/metrics", "/v1/games?next", server.path(), server.path("state"), server.path("board"), server.path("board/1"), server.path(f"players/{NOBODY}")]
        public = [client.get(path) for path in paths]
        texts = [answer.body.decode() for answer in public + problems] + [json.dumps(line) for line in server.said]
        texts += [json.dumps({key: str(value) for key, value in event.items()}) for event in watcher.events.values()]
        assert server.state()["phase"] == "open", "the result is decided before it is looked at"
        leaks = [text for text in texts for word in (EXPLANATION, "correct", "salt", "counts", "points", '"right":1') if word in text]
        assert not leaks, f"told before the reveal: {leaks[:2]}"
        assert server.state()["leaders"] == [], server.state()["leaders"]
        names = {line.split()[0] for line in public[0].body.decode().splitlines()} - {line.split()[0] for line in metrics.decode().splitlines()}
        assert not names, f"metrics that a question brings: {names}"
        wait_until(lambda: server.state()["phase"] == "result", 15, "the result is in the stream")
        scores = [client.get(server.path("me"), player.token).object["score"] for player in (knows, errs)]
        assert scores == [1000, 0], f"then the scores are {scores}"
        wait_until(lambda: watcher.of("showResults"), 10, "the result is in a segment")
        assert watcher.of("showResults")[0]["explanation"] == EXPLANATION
        # The start tells the operator where the host goes, with the token.
        logged = "\n".join(json.dumps(line) for line in server.said if "listening" not in line)
        for secret in (knows.token, server.host_token, server.operator_token, "Knows", EXPLANATION, f'"at": {at}'):
            assert secret not in logged, f"in the messages: {secret[:40]}"
        watcher.end()
    return f"{len(texts)} texts and the stream tell nothing; right and wrong answers are answered alike"


def accounts_hold(stage):
    """What belongs to accounts is theirs, and goes with them."""
    with stage.server("accounts") as server, server.client() as client:
        first = client.call("POST", "/v1/accounts", {"name": "Zoe", "password": PASSWORD})
        assert first.status == 201, first
        problem(client.call("POST", "/v1/accounts", {"name": "zoe", "password": PASSWORD}), 409, "account-taken")
        problem(client.call("POST", "/v1/accounts", {"name": "Short", "password": "1234567"}), 422)
        problem(client.call("POST", "/v1/sessions", {"name": "Zoe", "password": PASSWORD + "x"}), 401, "credentials")
        problem(client.call("POST", "/v1/sessions", {"name": "Nobody", "password": PASSWORD}), 401, "credentials")
        token = client.call("POST", "/v1/sessions", {"name": "Zoe", "password": PASSWORD}).object["token"]
        quiz = client.call("POST", "/v1/quizzes", stage.quiz.read_bytes(), JSON, token=token).object["id"]
        assert client.call("POST", "/v1/games", {"quiz": quiz}, token=token).status == 201
        assert [found["id"] for found in client.get("/v1/me", token).object["quizzes"]] == [quiz]
        assert client.call("DELETE", "/v1/me", token=token).status == 204
        problem(client.get("/v1/me", token), 401)
        problem(client.call("POST", "/v1/sessions", {"name": "Zoe", "password": PASSWORD}), 401)
        others = client.call("POST", "/v1/quizzes", stage.quiz.read_bytes(), JSON, token=first.object["token"])
        assert others.status == 401, f"another session of an account that was deleted keeps a quiz: {others}"
        server.stop()
        kept = b"".join(path.read_bytes() for path in (stage.folder / "accounts").iterdir())
        assert PASSWORD.encode() not in kept, "the password is in the folder"
    return "taken names, wrong passwords, own quizzes and games, deletion ends all sessions"


def repeated_calls_hold(stage):
    """The same call twice does what it does once."""
    with stage.server("repeated", "--time", 60) as server, server.client() as client:
        (ann,) = stage.players(server, "Ann")
        question = Host(server).ask()
        answer = question["guid"], 0, question["opensAt"]
        statuses = [ann.answer(client, server, answer).status for _ in range(25)]
        limited = statuses.count(429)
        assert statuses.count(202) + limited == 25 and 1 <= limited <= 5, f"25 equal answers at once: {statuses}"
        host = Host(server).client
        command = {"id": "once", "command": "reveal"}
        path = server.path("commands")
        assert [host.call("POST", path, command).status for _ in range(3)] == [200] * 3
        wait_until(lambda: server.state()["phase"] == "result", 10, "the result is in the stream")
        assert host.call("POST", path, {"id": "next", "command": "next"}).status == 200
        wait_until(lambda: server.state()["phase"] == "open", 10, "the next question is in the stream")
        assert host.call("POST", path, {"id": "next", "command": "next"}).status == 200
        assert host.call("POST", path, command).status == 200
        assert server.state()["question"]["number"] == 2 and server.state()["phase"] == "open", "a repeated command does it again"
        server.kill()
    with stage.server("repeated", "--time", 60) as server, server.host() as host:
        assert host.call("POST", server.path("commands"), {"id": "next", "command": "next"}).status == 200
        state = server.state()
        assert state["question"]["number"] == 2, f"a command is carried out again after a restart: {state}"
        with server.client() as client:
            again = ann.join(client, server)
            assert again.status == 200 and again.object["player"] == ann.number, f"after a restart: {again}"
            old = ann.answer(client, server, answer)
        problem(old, 409, "after-reveal")
    return f"answers ({limited} of 25 at once are too many), commands, joins, over a kill"


def fill(path):
    """Writes a file until the disk is full."""
    file = os.open(path, os.O_WRONLY | os.O_CREAT)
    try:
        while True:
            os.write(file, b"x" * 4096)
    except OSError as error:
        assert error.errno == errno.ENOSPC, error
    finally:
        os.close(file)


def full_disk_holds(stage):
    """Where the disk is full, answers are refused and the video goes on; with room again, the game does."""
    place = stage.folder / "small"
    place.mkdir()
    done = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", place], capture_output=True, text=True)
    if done.returncode:
        return f"not tried: {done.stderr.strip()}"
    try:
        with stage.server("full", "--time", 120, "--delay", 1, data=place / "data") as server, server.client() as client:
            players = stage.players(server, *(f"Player {number}" for number in range(20)))
            question = Host(server).ask()
            filler = place / "filler"
            fill(filler)
            acknowledged, refused = [], None
            for number in range(4_000):
                player = players[number % 20]
                at = round(question["opensAt"] + number / 10_000, 6)
                answer = player.answer(client, server, (question["guid"], 0, at))
                if answer.status == 202:
                    acknowledged.append((player.nickname, at))
                elif answer.status == 503:
                    refused = answer
                    break
                else:
                    problem(answer, 429 if answer.status == 429 else 409)
                    time.sleep(0.05)
            assert refused is not None, f"{len(acknowledged)} answers fit"
            assert refused.kind == "overloaded" and refused.headers["retry-after"], refused
            problem(client.call("PUT", server.path(f"players/{NOBODY}"), {"nickname": "Late"}), 503)
            problem(client.get("/readyz"), 503)
            assert b"disk" in client.get("/readyz").body and b"\ncuelight_store_full 1\n" in client.get("/metrics").body
            assert b"nothing can be stored" in (stage.folder / "full.log").read_bytes()
            before = client.get("/live/live/media.m3u8").body
            wait_until(lambda: client.get("/live/live/media.m3u8").body != before, 10, "the video goes on")
            filler.unlink()
            player = players[0]
            wait_until(lambda: player.answer(client, server, (question["guid"], 1, question["opensAt"])).status == 202, 10, "answers are taken again")
            with server.host() as host:
                assert host.call("POST", server.path("commands"), {"id": "reveal", "command": "reveal"}).status == 200
            wait_until(lambda: server.state()["phase"] == "result", 15, "the result is in the stream")
            record = [json.loads(line) for line in client.get(server.path("record"), server.host_token).body.splitlines()]
            found = {(line["player"], line["time"]) for line in record if "question" in line}
            lost = [key for key in acknowledged if key not in found]
            assert not lost, f"{len(lost)} of {len(acknowledged)} acknowledged answers are not in the record: {lost[:3]}"
            assert not any(line["player"] == "Late" for line in record), "who was refused has joined"
            server.stop()
        return f"after {len(acknowledged)} answers 503 with Retry-After, the video goes on, and with room again the game does"
    finally:
        subprocess.run(["umount", "-l", place])


# The document.

def schema_holds(stage):
    """schemathesis finds no answer of 5xx, and none that the document does not describe."""
    options, told = stage.options, []
    with stage.server("schema") as server, server.client() as client:
        (ann,) = stage.players(server, "Ann")
        account = client.call("POST", "/v1/accounts", {"name": "schema", "password": PASSWORD}).object["token"]
        document = testable(client.get("/v1/openapi.json").object, {"game": server.game, "stream": "live"})
        # The stream's own calls have a proof of their own.
        document["paths"] = {path: item for path, item in document["paths"].items() if not path.startswith("/v1/streams")}
        for name, token in [("operator", server.operator_token), ("player", ann.token), ("account", account)]:
            said = answers_are_described(
                options.schemathesis, document, server, stage.folder, f"schemathesis-{name}", options.examples, options.seed, token)
            told.append(f"as {name} {said}")
    return "; ".join(told)


PROOFS = {
    "tokens": tokens_hold, "roles": roles_hold, "wrong": wrong_requests_hold, "pipelines": pipelines_hold, "ending": ending_holds,
    "secrets": secrets_hold, "accounts": accounts_hold,
    "repeated": repeated_calls_hold,
    "full disk": full_disk_holds, "schema": schema_holds}


def run(lines, options):
    stage = Stage(options)
    for name in options.only:
        if name != "schema" or options.schemathesis:
            lines.prove(name, PROOFS[name], stage)


if __name__ == "__main__":
    prove_and_end(run, "server", "clip", schemathesis=as_path, examples=50, only=PROOFS, seed=1)
