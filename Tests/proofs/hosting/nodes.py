"""Serves a game with several nodes on PostgreSQL, and takes away one thing after the other while a crowd answers; prints a line for each fact.

    python3 -m proofs.hosting.nodes --server PROGRAM --crowd PROGRAM --cuelight PROGRAM --clip CLIP --folder FOR_ITS_FILES [--rounds 1] [--players 300]
        [--connections 48] [--losses node,leader,primary,cut,power,restart] [--together] [--patient] [--public-record] [--seed 1]

There are three nodes behind HAProxy, a primary with a synchronous standby, and a stream of its own process. A round takes one thing away: `node` kills a
node that does not lead, `leader` the one that leads, `primary` the primary, whose standby is promoted, and `cut` keeps everything between a node and the
database for five seconds. `power` is the same without a standby: the server is stopped as by a loss of power, and started again. `restart` ends nodes as
operators do, one after the other. Each kind has a show of its own, or with --together all of them have one, with a standby.

An answer that was acknowledged must be in the record, each question must have one result, and all nodes must have the same scoreboards, which are those
of the record. With --public-record the nodes keep one: whoever leads continues it, all nodes give the same lines, and `verify_record.py` accepts it. How soon another node leads is not judged with --patient, where the machine may have much else to do.
"""

import collections
import http.client
import json
import os
import random
import re
import shutil
import signal
import socket
import subprocess
import time
import uuid
from pathlib import Path

from Support.TestSupport.PostgreSQL import postgresql_server as postgresql
from proofs import processes
from proofs.client import Client
from proofs.facts import prove_and_end
from proofs.hosting.crash import events_hold, replay_agrees, results_are_right, stream_holds
from proofs.hosting.game import STREAM_TOKEN, Server, Watcher, write_quiz, write_tokens
from proofs.hosting.record import verify
from proofs.live.server import Server as LiveServer
from proofs.processes import HAProxy, free_port, in_background, ordinary, raise_limit, wait_until

# Seconds: of a question, of what viewers may be behind, over which its answers are spread, of a cut.
TIME, DELAY, WINDOW, CUT = 4, 2, 3.8, 5
SCORING = "right"
# After so many seconds another node has to lead.
MOST_TAKEOVER = 5
NODES = 3
KINDS = ["node", "leader", "primary", "cut", "power", "restart"]
# To a small record everything is counted again here, too.
MOST_COUNTED = 200_000
# One thread. Connections to nodes are kept also where those of players take most of the descriptors: without this, each answer had one of its own.
COMMON = "global\n  nbthread 1\n  maxconn 4000\n  tune.pool-low-fd-ratio 80\n  tune.pool-high-fd-ratio 90\ndefaults\n"


class Way(HAProxy):
    """The way of a node to the servers of the database. While it is cut nothing goes through, and nobody is told."""

    def __init__(self, path, targets):
        self.ports = [free_port() for _ in targets]
        parts = [f"listen way{port}\n  bind 127.0.0.1:{port}\n  server database 127.0.0.1:{target}" for port, target in zip(self.ports, targets)]
        super().__init__(path, COMMON + "\n".join(["  mode tcp\n  retries 0\n  timeout connect 2s\n  timeout client 1h\n  timeout server 1h", *parts, ""]))
        wait_until(lambda: all(map(self.listens, self.ports)), 60, "the way to the database is open")

    @staticmethod
    def listens(port):
        try:
            socket.create_connection(("127.0.0.1", port)).close()
            return True
        except OSError:
            return False

    def cut(self, seconds):
        self.process.send_signal(signal.SIGSTOP)
        time.sleep(seconds)
        self.process.send_signal(signal.SIGCONT)


class Proxy(HAProxy):
    """What players reach: a proxy in front of the nodes."""

    def __init__(self, path, ports):
        self.port = free_port()
        servers = "".join(f"  server node{number} 127.0.0.1:{port} check inter 500 fall 3 rise 1\n" for number, port in enumerate(ports))
        super().__init__(
            path,
            f"{COMMON}  mode http\n  timeout connect 2s\n  timeout client 60s\n  timeout server 60s\n  retries 3\n  option redispatch\n  option http-keep-alive\n"
            f"frontend games\n  bind 127.0.0.1:{self.port}\n  default_backend nodes\n"
            f"backend nodes\n  balance roundrobin\n  option httpchk GET /readyz\n  http-reuse always\n{servers}")
        wait_until(self.answers, 60, "the proxy answers")

    def answers(self):
        try:
            with Client(self.port) as client:
                return client.get("/readyz").status == 200
        except OSError:
            return False


class Database:
    """A primary and, unless it is alone, a synchronous standby. Either may be either."""

    def __init__(self, folder, has_standby):
        self.servers = [postgresql.Server(folder / name) for name in ("first", "second")]
        self.has_standby = has_standby
        self.primary, self.standby = self.servers
        self.primary.create()
        self.primary.start()
        if has_standby:
            self.follow()

    def follow(self):
        """Makes the other server a synchronous standby."""
        shutil.rmtree(self.standby.folder, ignore_errors=True)
        self.standby.copy(self.primary)
        self.standby.start()
        self.primary.sql("ALTER SYSTEM SET synchronous_standby_names = 'standby'")
        self.primary.sql("SELECT pg_reload_conf()")
        wait_until(lambda: self.primary.sql("SELECT sync_state FROM pg_stat_replication") == "sync", 60, "the standby follows")

    def lose_primary(self):
        """Kills the primary, and lets the standby take its place; returns when that one could be written to."""
        self.primary.kill()
        self.standby.promote()
        self.primary, self.standby = self.standby, self.primary
        return time.monotonic()

    def lose_power(self):
        """Stops the server as `pg_ctl stop -m immediate` does."""
        self.primary.run("pg_ctl", "stop", "-D", self.primary.data, "-m", "immediate")
        self.primary.process.wait()

    def start_again(self):
        """Starts the server; returns when it could be written to."""
        self.primary.start()
        return time.monotonic()

    def has_leader(self):
        """Whether anybody holds the lock of the lead, as the database says."""
        return self.primary.sql(
            "SELECT count(*) FROM pg_locks, (SELECT hashtextextended('cuelight lead', 0) AS key) AS lead WHERE locktype = 'advisory' AND granted "
            "AND classid::bigint = (key >> 32 & 4294967295) AND objid::bigint = (key & 4294967295)") == "1"

    def end(self):
        for server in self.servers:
            server.remove()


class Node(Server):
    """A node: `cuelight-server serve` with --store."""

    def __init__(self, program, port, address, stream, tokens, log, *more):
        self.said, self.log = [], open(log, "ab")
        self.process = subprocess.Popen(
            ordinary(
                program, "serve", "--store", address, "--live", f"http://127.0.0.1:{stream}", "--live-token-file", tokens, "--listen",
                f"127.0.0.1:{port}", "--drain", "3", "--accounts", *more), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=self.log)
        self.port = port

    def operator_token(self):
        """The token that the node has printed at its start."""
        return re.findall(r"[\w-]+\.[\w-]+\.[\w-]{43}", Path(self.log.name).read_text())[-1]

    def stop(self):
        return LiveServer.stop(self)

    def is_ready(self):
        assert self.process.poll() is None, f"the node has ended with status {self.process.returncode}"
        try:
            return super().is_ready()
        except OSError:
            return False

    def misses_database(self):
        status, _, body = self.get("/readyz")
        return status == 503 and "store cannot be used" in body.decode()

    def is_leading(self):
        try:
            return self.process.poll() is None and self.metric("leading") == 1
        except (OSError, StopIteration):
            return False


def new_folder(folder):
    """An empty folder. The servers of the database belong to another user, who may read it."""
    folder = processes.new_folder(folder)
    folder.chmod(0o755)
    return folder


def write_live_token(path):
    """A file with the token that nodes put events into the stream with."""
    path.touch(mode=0o600)
    path.write_text(f"{STREAM_TOKEN}\n")
    return path


def make_game(nodes, quiz, rules):
    """Makes a game as somebody who has an account, on one node, and waits until all know it; returns its name and the host's token.

    The operator approves it on another node."""
    with Client(nodes[0].port) as client:
        token = client.call("POST", "/v1/accounts", {"name": f"maker{uuid.uuid4().hex[:8]}", "password": f"{uuid.uuid4()}"}).object["token"]
        made = client.call("POST", "/v1/games", {"quiz": json.loads(quiz.read_text()), "rules": rules}, token=token)
    assert made.status == 201, made
    game = made.object["id"]
    wait_until(lambda: all(node.get(f"/v1/games/{game}/state")[0] == 200 for node in nodes), 60, "all nodes know the game")
    with Client(nodes[-1].port) as client:
        approved = client.call("POST", f"/v1/games/{game}/approval", b"", token=nodes[0].operator_token())
    assert approved.status == 200, approved
    approvals = lambda: [json.loads(node.get(f"/v1/games/{game}")[2])["approved"] for node in nodes]
    wait_until(lambda: all(approvals()), 60, "all nodes know that the game is approved")
    return game, made.object["token"]


def kill_all(nodes):
    """Kills those that still run."""
    for node in nodes:
        if node.process.poll() is None:
            node.kill()


class Show:
    """A show on many nodes, whose host is here."""

    def __init__(self, options, name, kinds):
        self.options, self.kinds, self.folder = options, kinds, new_folder(options.folder / name)
        # More than are needed: the host asks as long as things go wrong.
        write_quiz(self.folder / "quiz.json", 20 + 4 * len(kinds), options.seed)
        self.tokens = write_tokens(self.folder / "tokens")
        self.live_token = write_live_token(self.folder / "live-token")
        # What passed until somebody led again, by what was taken away; how long there was nobody to store answers.
        self.takeovers = collections.defaultdict(list)
        # How long the database was away when all nodes had said so.
        self.absence = None
        self.watcher, self.questions, self.goes_on, self.failure = Watcher(), 0, True, None
        self.has_standby = kinds[0] != "power"
        self.database = Database(self.folder, self.has_standby)
        self.chance = random.Random(options.seed)

    def start(self, number):
        hosts = ",".join(f"127.0.0.1:{port}" for port in self.ways[number].ports)
        return Node(
            self.options.server, self.ports[number], f"postgresql://{postgresql.USER}@{hosts}/postgres", self.stream.port, self.live_token,
            self.folder / f"node{number}.log", *(["--public-record"] if self.options.public_record else []))

    # What `crash` and the crowd know a server by.
    def path(self, name=""):
        return f"/v1/games/{self.game}" + (f"/{name}" if name else "")

    def ask(self, method, name, body=None, token=None):
        """The object of an answer from whichever node the proxy chooses; None where there is none."""
        try:
            with Client(self.proxy.port, token, timeout=10) as client:
                answer = client.call(method, self.path(name), body)
                return answer.object if answer.status == 200 else None
        except (OSError, ValueError, http.client.HTTPException):
            return None

    def command(self, name):
        """Lets the host command; the same command is given again until it is heard."""
        body = {"id": str(uuid.uuid4()), "command": name}
        wait_until(lambda: self.ask("POST", "commands", body, self.host_token), 60, f"the host's {name} is carried out")

    def lead(self):
        """Asks one question after the other, until enough has gone wrong."""
        try:
            while True:
                state = self.ask("GET", "state") or {}
                if state.get("phase") in ("lobby", "starting", "result"):
                    if not self.goes_on:
                        return self.command("end")
                    self.command("next")
                    self.questions += 1
                    # Asked, in the stream, answered, decided and shown.
                    wait_until(lambda: (self.ask("GET", "state") or {}).get("board") == self.questions, TIME + DELAY + 60, "the question has a result")
                time.sleep(0.02)
        except BaseException as error:
            self.failure = self.failure or f"the host: {type(error).__name__} {error}"

    def public_records(self):
        """The lines of the public record, as each node gives them."""
        answers = [node.get(self.path("public-record")) for node in self.nodes]
        assert all(status == 200 for status, _, _ in answers), answers
        return [body.decode().splitlines() for _, _, body in answers]

    def leader(self):
        return next((node for node in self.nodes if node.is_leading()), None)

    def note_takeover(self, kind, since, gone=None):
        """Waits until a node leads that is not gone, with the database's own word for it."""
        def somebody():
            return any(node.is_leading() for node in self.nodes if node is not gone) and self.database.has_leader()

        wait_until(somebody, 30, f"a node leads after {kind}")
        self.takeovers[kind].append(time.monotonic() - since)

    def bring_back(self, number):
        self.nodes[number] = self.start(number)

    def take_away(self, kind):
        """Takes one thing away, and puts it back."""
        leader = wait_until(self.leader, 30, "a node leads")
        place = self.nodes.index(leader)
        others = [number for number in range(NODES) if number != place]
        if kind == "node":
            number = self.chance.choice(others)
            self.nodes[number].kill()
            time.sleep(0.5)
            self.bring_back(number)
        elif kind == "leader":
            leader.kill()
            self.note_takeover(kind, time.monotonic(), leader)
            self.bring_back(place)
        elif kind == "primary":
            self.note_takeover(kind, self.database.lose_primary())
            # The database has one server until the other one follows it again.
            self.database.follow()
        elif kind == "power":
            self.database.lose_power()
            # Once it stays away for so long that the nodes say so.
            if self.absence is None:
                lost = time.monotonic()
                wait_until(lambda: all(node.misses_database() for node in self.nodes), 30, "all nodes say that the database is missing")
                self.absence = time.monotonic() - lost
            self.note_takeover(kind, self.database.start_again())
        elif kind == "cut":
            # The node that leads, or another one.
            number = self.chance.choice([place, place, *others])
            self.ways[number].cut(CUT)
            self.note_takeover(kind, time.monotonic())
        elif kind == "restart":
            for number in range(NODES):
                took, status = self.nodes[number].stop()
                assert status in (0, 130), f"SIGTERM: status {status}"
                self.bring_back(number)
                self.wait_until_ready()

    def wait_until_ready(self):
        wait_until(lambda: all(node.is_ready() for node in self.nodes), 60, "all nodes are ready")
        wait_until(self.leader, 30, "a node leads")

    def play(self):
        options = self.options
        with LiveServer(
                options.server, options.clip, "--loop", "--journal", self.folder / "live.journal", "--segment-duration", "1", "--token-file", self.tokens,
                log=self.folder / "live.log") as self.stream:
            self.ways = [Way(self.folder / f"way{number}.cfg", [server.port for server in self.database.servers]) for number in range(NODES)]
            self.ports = [free_port() for _ in range(NODES)]
            self.nodes, self.proxy, self.crowd = [], None, None
            try:
                self.nodes += [self.start(number) for number in range(NODES)]
                self.wait_until_ready()
                self.proxy = Proxy(self.folder / "proxy.cfg", self.ports)
                self.game, self.host_token = make_game(
                    self.nodes, self.folder / "quiz.json", {"delay": DELAY, "allottedTime": TIME, "scoring": SCORING})
                self.watcher.begin(self.stream.port)
                self.play_with_nodes()
            finally:
                if self.watcher.thread.is_alive():
                    self.watcher.end()
                kill_all(self.nodes)
                for other in [self.proxy, *self.ways]:
                    if other:
                        other.end()
                if self.crowd and self.crowd.poll() is None:
                    self.crowd.kill()
                    self.crowd.wait()

    def play_with_nodes(self):
        options = self.options
        self.crowd = subprocess.Popen(
            [options.crowd, f"http://127.0.0.1:{self.proxy.port}", "--players", str(options.players), "--connections", str(options.connections), "--seed",
             str(options.seed), "--window", str(WINDOW), "--json"],
            stdout=open(self.folder / "crowd.json", "wb"), stderr=open(self.folder / "crowd.log", "wb"),
            env=os.environ | {"CUELIGHT_HOST_TOKEN": self.host_token})
        wait_until(lambda: sum(node.metric("players") for node in self.nodes) == NODES * options.players, 60 + options.players / 500, "all have joined")
        host = in_background(self.lead)
        wait_until(lambda: any(node.metric("answers_recorded_total") for node in self.nodes), 60, "answers come")
        self.began = time.monotonic()
        for kind in self.kinds:
            # At any moment of a question, of its decision or of its result.
            time.sleep(self.chance.uniform(0.2, 3))
            known = max(self.public_records(), key=len) if options.public_record else []
            self.take_away(kind)
            self.wait_until_ready()
            for lines in self.public_records() if options.public_record else []:
                assert lines[:len(known)] == known, f"the public record is another one after {kind}"
            assert self.failure is None, self.failure
        self.goes_on = False
        host.join(TIME + DELAY + 90)
        assert self.failure is None and not host.is_alive(), self.failure or "the game does not end"
        self.finish()

    def finish(self):
        """Reads all that the nodes say of the game."""
        wait_until(lambda: self.watcher.of("endGame"), 30, "the end is in the stream")
        self.took = time.monotonic() - self.began
        loaded = len(self.watcher.segments)
        wait_until(lambda: len(self.watcher.segments) > loaded + 1, 30, "the end's segment is complete")
        self.watcher.end()
        status = self.crowd.wait(600)
        self.said = json.loads((self.folder / "crowd.json").read_text() or "null")
        assert self.said, f"the crowd has ended with status {status}: {(self.folder / 'crowd.log').read_text()[-500:]}"
        with Client(self.stream.port, STREAM_TOKEN) as client:
            self.listed = client.get("/v1/streams/live/events").object["events"]
        self.by_node = []
        if self.options.public_record:
            self.verify()
        for node in self.nodes:
            with Client(node.port, timeout=300) as client:
                version = client.get(self.path("board")).object["version"]
                boards = [client.get(self.path(f"board/{number}")).body.decode() for number in range(1, version + 1)]
                answer = client.get(self.path("record"), self.host_token)
                assert answer.status == 200, answer
                lines = answer.body.splitlines()
                self.by_node.append((boards, frozenset(map(hash, lines)), len(lines)))
        self.boards, self.record = self.by_node[0][0], answer.body
        self.line_count = len(lines)
        (self.folder / "record.ndjson").write_bytes(self.record)
        self.presentation = self.watcher.save(self.folder / "hls")

    def verify(self):
        """Lets the verifier compute the game again from what each node gives of the public record."""
        (end,), self.verdicts = self.watcher.of("endGame"), []
        wait_until(lambda: all(json.loads(lines[-1])["type"] == "end" for lines in self.public_records()), 30, "all nodes know the record's end")
        self.public = self.public_records()
        for node in self.nodes:
            key = json.loads(node.get("/v1/public-record/key")[2])["key"]
            self.verdicts.append(verify(f"http://127.0.0.1:{node.port}{self.path('public-record')}", "--key", key, "--end-hash", end["record"]))

    @property
    def events(self):
        return sorted(self.watcher.events.values(), key=lambda event: event["sequence"])


def record_is_one(show):
    assert all(lines == show.public[0] for lines in show.public), "the nodes give other public records"
    assert len(set(show.verdicts)) == 1, show.verdicts
    status, said = show.verdicts[0]
    assert status == 0 and said.startswith("right: "), said
    answers = int(re.search(r"(\d+) answers", said)[1])
    assert answers >= show.said["recorded"], f"{answers} answers, and {show.said['recorded']} were acknowledged"
    return f"one chain whichever node leads, the same of {len(show.public)} nodes, and the verifier says of each: {said}"


def answers_hold(show):
    said = show.said
    assert said["missing"] == 0 and said["unknown"] == 0 and said["unreadable"] == 0, f"{said['missing']} acknowledged answers are not in the record, " \
        f"{said['unknown']} are in it that nobody sent: {said['examples'][:3]}"
    assert said["recorded"] > 0, "no answer was acknowledged"
    rates = sorted(question["recorded"] / WINDOW for question in said["questions"])
    refused = ", ".join(f"{count:,} {kind}" for kind, count in said["refused"].items()) or "none"
    return (f"all {said['recorded']:,} acknowledged answers of {said['joined']:,} players are in the record; a second of a question {rates[len(rates) // 2]:,.0f} "
            f"in the middle, {rates[-1]:,.0f} at most; {said['retried']:,} tried again, {said['resent']:,} sent once more, "
            f"{said['unanswered']:,} without a response, {said['leftOut']:,} not sent in time, refused: {refused}; p50 {said['p50']:.0f} ms, p99 {said['p99']:.0f} ms")


def nodes_agree(show):
    boards, records, _ = zip(*show.by_node)
    assert all(other == boards[0] for other in boards), "the nodes have other scoreboards"
    assert all(other == records[0] for other in records), "the nodes give other records"
    return f"{len(boards[0])} scoreboards, and a record of {show.line_count:,} lines, the same on {len(boards)} nodes"


def takeovers_hold(show):
    slow = {kind: max(times) for kind, times in show.takeovers.items() if max(times) > MOST_TAKEOVER}
    assert show.options.patient or not slow, f"a node leads again only after {slow}"
    return ", ".join(f"after {kind} {max(times):.1f} s at most" for kind, times in sorted(show.takeovers.items())) or "nobody had to take over"


def absence_is_told(show):
    return f"the database was away: /readyz of all nodes said so after {show.absence:.1f} s, and that they are ready again once it was back"


def nothing_is_lost(show):
    """Where nodes end as they should, nobody's answer is refused for it."""
    said = show.said
    assert said["recorded"] == said["sent"], f"{said['sent'] - said['recorded']} of {said['sent']} answers were not recorded: {said['refused']}, {said['statuses']}"
    return f"every one of {said['sent']:,} answers was recorded while {NODES} nodes were started anew one after the other, {len(show.kinds)} times"


PROOFS = {
    "answers": answers_hold, "nodes": nodes_agree, "leading": takeovers_hold, "events": events_hold, "stream": stream_holds,
    "results": results_are_right, "replay": replay_agrees}


def run(lines, options):
    raise_limit(2 * options.connections + 1_000)
    losses = [kind for kind in options.losses.split(",") if kind in KINDS]
    for name, kinds in [("-".join(losses), losses)] if options.together else [(kind, [kind]) for kind in losses]:
        show = Show(options, name, kinds * options.rounds)
        try:
            show.play()
        finally:
            show.database.end()
        proofs = dict(PROOFS)
        if options.public_record:
            proofs["public record"] = record_is_one
        if show.line_count > MOST_COUNTED:
            del proofs["results"]
        if "power" in kinds:
            proofs["absence"] = absence_is_told
        if set(kinds) == {"restart"}:
            proofs["restart"] = nothing_is_lost
        lines.prove_all(f"{name}, {len(show.kinds)} rounds", proofs, show)


if __name__ == "__main__":
    prove_and_end(
        run, "server", "cuelight", "crowd", "clip", rounds=1, players=300, connections=48, losses=",".join(KINDS), together=False, patient=False, public_record=False,
        seed=1)
