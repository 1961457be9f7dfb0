"""Serves a game with several nodes on PostgreSQL, and takes away one thing after the other while answers come in; prints a line for each fact.

    python nodes.py --server PROGRAM --cuelight PROGRAM --clip CLIP --folder FOR_ITS_FILES [--rounds 2] [--losses node,leader,primary,cut,power]
        [--players 300] [--connections 48] [--seed 1]

There are three nodes behind HAProxy, a primary with a synchronous standby, and a stream of its own process. In turn a node is killed, the node that
leads, and the primary, whose standby is promoted; and a node is cut off from the database for five seconds. Then the same without a standby: the server
is stopped as by a loss of power, and started again. An answer that was acknowledged must be in the record, each question must have one result, and all
nodes must have the same scoreboards.
"""

import collections
import json
import random
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.parse
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parent.parent / "Support/TestSupport/PostgreSQL"))
import postgresql_server as postgresql
from crash import BOARD, SCORING, SPACING, events_hold, replay_agrees, results_are_right, stream_holds
from game import (
    STREAM_TOKEN, Client, Crowd, Lines, Player, Server, Watcher, end_proof, join_all, live, proof_parser, ticks, wait_until, write_quiz, write_tokens)

TIME, DELAY, PAUSE = 3, 1, 1
# What a question takes with its result.
QUESTION_TIME = TIME + DELAY + PAUSE + 0.5
CUT = 5


class Relay:
    """Carries connections from a port to another one, and carries nothing while it is cut."""

    def __init__(self, target):
        self.target, self.is_open, self.pairs = target, threading.Event(), []
        self.is_open.set()
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                ours, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self.connect, args=(ours,), daemon=True).start()

    def connect(self, ours):
        self.is_open.wait()
        try:
            theirs = socket.create_connection(("127.0.0.1", self.target))
        except OSError:
            ours.close()
            return
        for end in (ours, theirs):
            end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        threading.Thread(target=self.carry, args=(theirs, ours), daemon=True).start()
        self.carry(ours, theirs)

    def carry(self, source, target):
        try:
            while data := source.recv(1 << 16):
                self.is_open.wait()
                target.sendall(data)
        except OSError:
            pass
        self.is_open.wait()
        for end in (source, target):
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    def cut(self, seconds):
        self.is_open.clear()
        time.sleep(seconds)
        self.is_open.set()


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
        wait_until(lambda: self.primary.sql("SELECT sync_state FROM pg_stat_replication") == "sync", 30, "the standby follows")

    def lose_primary(self):
        """Kills the primary, and lets the standby take its place; returns when that one could be written to."""
        self.primary.kill()
        self.standby.promote()
        # Whoever promotes a standby does this, too: there is none behind it yet.
        self.standby.sql("ALTER SYSTEM RESET synchronous_standby_names")
        self.standby.sql("SELECT pg_reload_conf()")
        self.primary, self.standby = self.standby, self.primary
        return time.monotonic()

    def restart(self):
        """Stops the server as a loss of power does, and starts it again."""
        self.primary.stop(signal.SIGQUIT)
        self.primary.start()
        return time.monotonic()

    def end(self):
        for server in self.servers:
            server.remove()


class Node(Server):
    """A node: `cuelight-server serve` with --store."""

    def __init__(self, program, address, stream, tokens, log):
        self.said, self.log = [], open(log, "ab")
        self.process = subprocess.Popen(
            [program, "serve", "--store", address, "--live", f"http://127.0.0.1:{stream}", "--live-token-file", tokens, "--listen", "127.0.0.1:0",
             "--trusted-proxy", "127.0.0.1", "--json"], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        self.reading = threading.Thread(target=self.read, daemon=True)
        self.reading.start()
        try:
            self.begun = wait_until(self.listening, 60, "the node listens")
        except BaseException:
            self.kill()
            raise
        self.port = urllib.parse.urlsplit(self.begun["listening"]).port
        self.operator_token = self.begun["operatorToken"]

    def is_leading(self):
        try:
            return self.process.poll() is None and self.metric("leading") == 1
        except (OSError, StopIteration):
            return False


class Proxy:
    """HAProxy in front of the nodes."""

    def __init__(self, folder, ports):
        self.port = live.free_port()
        servers = "\n".join(f"  server node{number} 127.0.0.1:{port} check inter 200 fall 1 rise 1 on-marked-down shutdown-sessions"
                            for number, port in enumerate(ports))
        path = folder / "haproxy.cfg"
        path.write_text(f"""defaults
  mode http
  timeout connect 2s
  timeout client 30s
  timeout server 30s
  retries 3
  option redispatch
frontend games
  bind 127.0.0.1:{self.port}
  default_backend nodes
backend nodes
  balance roundrobin
  option httpchk GET /readyz
{servers}
""")
        self.process = subprocess.Popen(["haproxy", "-db", "-f", path], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        wait_until(self.answers, 10, "the proxy answers")

    def answers(self):
        try:
            with Client(self.port) as client:
                return client.get("/readyz").status == 200
        except OSError:
            return False

    def end(self):
        self.process.terminate()
        self.process.wait()


class Front:
    """Where players go: the proxy, as a server of one game."""

    def __init__(self, port, game, host_token):
        self.port, self.game, self.host_token = port, game, host_token

    def client(self, token=None):
        return Client(self.port, token)

    def path(self, name=""):
        return f"/v1/games/{self.game}" + (f"/{name}" if name else "")


class Show:
    """A show on many nodes."""

    def __init__(self, options, folder, has_standby, kinds):
        self.options, self.folder, self.kinds = options, folder, kinds
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        # The servers of the database belong to another user.
        folder.chmod(0o755)
        self.questions = max(round(len(kinds) * 14 / QUESTION_TIME), 4)
        write_quiz(folder / "quiz.json", self.questions, options.seed)
        self.tokens = write_tokens(folder / "tokens")
        self.live_token = folder / "live-token"
        self.live_token.touch(mode=0o600)
        self.live_token.write_text(f"{STREAM_TOKEN}\n")
        # What passed until somebody led again, by what was taken away.
        self.takeovers = collections.defaultdict(list)
        self.watcher = Watcher()
        self.database = Database(folder, has_standby)
        # Each node has a way of its own to each server.
        self.relays = [[Relay(server.port) for server in self.database.servers] for _ in range(3)]

    def start(self, number):
        hosts = ",".join(f"127.0.0.1:{relay.port}" for relay in self.relays[number])
        return Node(
            self.options.server, f"postgresql://{postgresql.USER}@{hosts}/postgres", self.stream.port, self.live_token,
            self.folder / f"node{number}.log")

    def leader(self):
        return next((node for node in self.nodes if node.is_leading()), None)

    def state(self):
        """How far the game is, from whichever node says so."""
        for node in self.nodes:
            try:
                answer = node.get(self.front.path("state"), timeout=2)
                if answer[0] == 200:
                    return json.loads(answer[2])
            except OSError:
                continue
        return None

    def follow(self, crowd):
        state = self.state()
        if state is None:
            return "unknown"
        question = state["question"]
        if state["phase"] not in ("open", "closed") or question is None or question["opensAt"] is None:
            crowd.question = None
        elif crowd.question is None or crowd.question[0] != question["guid"]:
            crowd.follow(question, TIME, question["opensAt"])
        return state["phase"]

    def go_on(self, crowd, seconds):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if self.follow(crowd) == "ended":
                return
            time.sleep(0.02)

    def take_away(self, kind, crowd, chance):
        """Takes one thing away; the crowd goes on meanwhile."""
        leader = wait_until(self.leader, 20, "a node leads")
        if kind == "node":
            number = chance.choice([number for number, node in enumerate(self.nodes) if node is not leader])
            self.nodes[number].kill()
        elif kind == "leader":
            number = self.nodes.index(leader)
            leader.kill()
            self.note_takeover(kind, time.monotonic(), leader)
        elif kind == "primary":
            self.note_takeover(kind, self.database.lose_primary())
            self.database.follow()
            return
        elif kind == "power":
            self.note_takeover(kind, self.database.restart())
            return
        elif kind == "cut":
            number = self.nodes.index(leader)
            cuts = [threading.Thread(target=relay.cut, args=(CUT,)) for relay in self.relays[number]]
            for cut in cuts:
                cut.start()
            for cut in cuts:
                cut.join()
            self.note_takeover(kind, time.monotonic())
            return
        self.go_on(crowd, 1)
        # At the same port, which the proxy knows: the old process has gone.
        self.nodes[number] = self.restarted(number)

    def restarted(self, number):
        node = self.start(number)
        self.proxy.end()
        self.proxy = Proxy(self.folder, [node.port if index == number else other.port for index, other in enumerate(self.nodes)])
        self.crowd.port = self.front.port = self.proxy.port
        return node

    def note_takeover(self, kind, since, gone=None):
        def somebody():
            return any(node.is_leading() for node in self.nodes if node is not gone)

        wait_until(somebody, 20, f"a node leads after {kind}")
        self.takeovers[kind].append(time.monotonic() - since)

    def play(self):
        options = self.options
        chance = random.Random(options.seed)
        with live.Server(
                options.server, options.clip, "--loop", "--journal", self.folder / "live.journal", "--segment-duration", "1", "--token-file", self.tokens,
                log=self.folder / "live.log") as self.stream:
            self.nodes = [self.start(number) for number in range(3)]
            try:
                self.proxy = Proxy(self.folder, [node.port for node in self.nodes])
                self.play_with_nodes(chance)
            finally:
                self.watcher.end() if self.watcher.thread.is_alive() else None
                for node in self.nodes:
                    node.kill()
                self.proxy.end()

    def play_with_nodes(self, chance):
        options = self.options
        for node in self.nodes:
            wait_until(node.is_ready, 20, "the node is ready")
        rules = {"delay": DELAY, "allottedTime": TIME, "pause": PAUSE, "scoring": SCORING}
        body = {"quiz": json.loads((self.folder / "quiz.json").read_text()), "rules": rules, "automatic": True,
                "startsAt": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + 8))}
        with Client(self.nodes[0].port, self.nodes[1].operator_token) as client:
            made = client.call("POST", "/v1/games", body)
            assert made.status == 201, made
        self.front = Front(self.proxy.port, made.object["id"], made.object["token"])
        players = [Player(f"Player {number}", chance) for number in range(options.players)]
        crowd = self.crowd = Crowd(players, options.connections, options.seed, SPACING)
        crowd.game = self.front.game
        try:
            wait_until(lambda: self.try_state(), 10, "all nodes know the game")
            join_all(self.front, players)
            numbers = sorted(player.number for player in players)
            assert numbers == list(range(len(players))), f"the players' numbers are {numbers[:5]} to {numbers[-5:]}"
            self.watcher.begin(self.stream.port)
            crowd.port = self.front.port
            wait_until(lambda: self.follow(crowd) == "open", 30, "the first question is open")
            self.began = time.monotonic()
            for kind in self.kinds:
                self.go_on(crowd, chance.uniform(2, 6))
                work = threading.Thread(target=self.take_away_safely, args=(kind, crowd, chance))
                work.start()
                while work.is_alive():
                    self.follow(crowd)
                    time.sleep(0.02)
                assert not self.failures, self.failures
            wait_until(lambda: self.follow(crowd) == "ended", self.questions * 15 + 60, "the game ends")
        finally:
            crowd.end()
        self.finish()

    failures = ()

    def take_away_safely(self, kind, crowd, chance):
        try:
            self.take_away(kind, crowd, chance)
        except BaseException as error:
            self.failures = (f"{kind}: {type(error).__name__} {error}",)

    def try_state(self):
        return all(node.get(self.front.path("state"))[0] == 200 for node in self.nodes)

    def finish(self):
        """Reads all that the nodes say of the game."""
        wait_until(lambda: self.watcher.of("endGame"), 15, "the end is in the stream")
        loaded = len(self.watcher.segments)
        wait_until(lambda: len(self.watcher.segments) > loaded + 1, 15, "the end's segment is complete")
        self.watcher.end()
        self.took = time.monotonic() - self.began
        with Client(self.stream.port, STREAM_TOKEN) as client:
            self.listed = client.get("/v1/streams/live/events").object["events"]
        self.by_node = []
        for node in self.nodes:
            with Client(node.port) as client:
                version = client.get(self.front.path("board")).object["version"]
                boards = [client.get(self.front.path(f"board/{number}")).body.decode() for number in range(1, version + 1)]
                record = client.get(self.front.path("record"), self.front.host_token)
                assert record.status == 200, record
                self.by_node.append((boards, sorted(set(record.body.splitlines()))))
        self.boards, self.record = self.by_node[0][0], record.body
        (self.folder / "record.ndjson").write_bytes(self.record)
        self.presentation = self.watcher.save(self.folder / "hls")

    @property
    def events(self):
        return sorted(self.watcher.events.values(), key=lambda event: event["sequence"])


def answers_hold(show):
    crowd = show.crowd
    lines = [json.loads(line) for line in show.record.splitlines()]
    found = {(line["player"], line["question"], line["answer"], ticks(str(line["time"]))) for line in lines if "question" in line}
    lost = crowd.acknowledged - found
    assert not lost, f"{len(lost)} of {len(crowd.acknowledged)} acknowledged answers are not in the record: {list(lost)[:3]}"
    foreign = found - crowd.sent
    assert not foreign, f"{len(foreign)} answers are in the record that nobody sent: {list(foreign)[:3]}"
    rate = len(crowd.acknowledged) / show.took
    return f"all {len(crowd.acknowledged)} acknowledged answers of {len(crowd.sent)} sent are in the record ({rate:,.0f} a second)"


def nodes_agree(show):
    boards, records = zip(*show.by_node)
    assert boards[0] == boards[1] == boards[2], "the nodes have other scoreboards"
    assert records[0] == records[1] == records[2], "the nodes give other records"
    return f"{len(boards[0])} scoreboards, and a record of {len(records[0])} lines, the same on {len(boards)} nodes"


def takeovers_hold(show):
    slow = {kind: max(times) for kind, times in show.takeovers.items() if max(times) > 5}
    assert not slow, f"a node leads again only after {slow}"
    return ", ".join(f"{kind} {max(times):.1f} s" for kind, times in sorted(show.takeovers.items())) or "none were needed"


PROOFS = {
    "answers": answers_hold, "nodes": nodes_agree, "leading": takeovers_hold, "events": events_hold, "stream": stream_holds,
    "results": results_are_right, "replay": replay_agrees}


def main():
    parser = proof_parser("clip", "cuelight")
    for name, value in (("rounds", 2), ("players", 300), ("connections", 48)):
        parser.add_argument(f"--{name}", type=int, default=value)
    parser.add_argument("--losses", default="node,leader,primary,cut,power")
    options = parser.parse_args()
    losses = options.losses.split(",")
    options.folder = options.folder.absolute()
    lines = Lines()
    for name, has_standby, possible in [("with a standby", True, ["node", "leader", "primary", "cut"]), ("alone", False, ["power"])]:
        kinds = [kind for kind in possible if kind in losses] * options.rounds
        if not kinds:
            continue
        show = Show(options, options.folder / name.replace(" ", "-"), has_standby, kinds)
        try:
            show.play()
        finally:
            show.database.end()
        for proof, body in PROOFS.items():
            lines.prove(f"{name}, {len(kinds)} losses, {proof}", body, show)
    end_proof(lines)


if __name__ == "__main__":
    main()
