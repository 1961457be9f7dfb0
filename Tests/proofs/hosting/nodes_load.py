"""Measures what nodes take that share a PostgreSQL database; prints a line for each fact.

    python3 -m proofs.hosting.nodes_load --proof rates|fold --server PROGRAM --clip CLIP --folder FOR_ITS_FILES [--answers 10000000] [--players 10000]
        [--connections 192] [--seconds 6] [--seed 1]

`rates` lets one, two and three nodes take as many answers as they can, from wrk. A core is a second of the nodes' processor time, or of the database's, so
that what wrk takes does not count. `fold` writes packed batches of so many answers into the tables, and starts a node, which makes the game of them:
what it takes longer than without them is the fold.
"""

import json
import os
import random
import uuid
from concurrent.futures import ThreadPoolExecutor

from Support.TestSupport.PostgreSQL import postgresql_server as postgresql
from proofs.client import Client
from proofs.facts import prove_and_end
from proofs.hosting import intake
from proofs.hosting.game import Player, edge, join_all, write_quiz, write_tokens
from proofs.hosting.nodes import NODES, Database, Node, kill_all, make_game, new_folder, write_live_token
from proofs.live.server import Server as LiveServer
from proofs.processes import free_port, processor_time, raise_limit, wait_until

# Nobody is too far behind as long as wrk runs.
TIME, DELAY = 600, 120
# So many seconds of a core may ten million answers take.
MOST_FOLD = 4
# The answers are to so many questions.
QUESTIONS = 10


class Games:
    """A database with nodes, and the stream that they lead."""

    def __init__(self, options):
        self.options, self.folder = options, new_folder(options.folder)
        self.live_token = write_live_token(self.folder / "live-token")
        self.nodes, self.started = [], 0
        self.database = Database(self.folder, False)
        self.stream = LiveServer(
            options.server, options.clip, "--loop", "--journal", self.folder / "live.journal", "--token-file", write_tokens(self.folder / "tokens"),
            log=self.folder / "live.log")

    def start(self, count):
        for _ in range(count):
            self.started += 1
            address = f"postgresql://{postgresql.USER}@127.0.0.1:{self.database.primary.port}/postgres"
            self.nodes.append(Node(
                self.options.server, free_port(), address, self.stream.port, self.live_token, self.folder / f"node{self.started}.log"))
        for node in self.nodes:
            wait_until(node.is_ready, 120, "the node is ready")
        wait_until(lambda: any(node.is_leading() for node in self.nodes), 30, "a node leads")

    def stop(self):
        for node in self.nodes:
            node.stop()
        self.nodes = []

    def make(self, questions):
        """Makes a game of one who hosts it; returns its name and the host's token."""
        write_quiz(self.folder / "quiz.json", questions)
        return self.make_of(self.folder / "quiz.json", {"delay": DELAY, "allottedTime": TIME})

    def make_of(self, quiz, rules):
        """The same with a quiz of one's own."""
        game, token = make_game(self.nodes, quiz, rules)
        for node in self.nodes:
            node.game, node.host_token = game, token
        return game, token

    def __enter__(self):
        return self

    def __exit__(self, *_):
        kill_all(self.nodes)
        self.stream.kill()
        self.database.end()


def rates(lines, options):
    chance = random.Random(options.seed)
    for count in range(1, NODES + 1):
        options.folder = options.top / f"{count}"
        with Games(options) as games:
            games.start(count)
            games.make(1)
            players = [Player(f"Player {number}", chance) for number in range(options.players)]
            join_all(games.nodes[0], players)
            tokens = options.folder / "players"
            tokens.write_text("".join(f"{player.token}\n" for player in players))
            wait_until(lambda: all(node.metric("players") == options.players for node in games.nodes), 30, "all nodes know the players")
            with games.nodes[0].host() as host:
                said = host.call("POST", games.nodes[0].path("commands"), {"id": "ask", "command": "next"})
                assert said.status == 200, said
            question = wait_until(
                lambda: all(node.state()["phase"] == "open" for node in games.nodes) and games.nodes[0].state()["question"], 20, "the question is open")
            with Client(games.stream.port) as client:
                at = min(edge(client), question["opensAt"] + 1)
            with games.nodes[-1].client() as client:
                wait_until(lambda: players[0].answer(client, games.nodes[-1], (question["guid"], 0, at)).status == 202, 10, "an answer is taken")
            before, commits = games.database.primary.processor_time(), sum(node.metric("store_commit_seconds_count") for node in games.nodes)
            part = changed(options, connections=options.connections // count)

            def load(node):
                return intake.load(node, part, "/", TOKENS=tokens, QUESTION=question["guid"], AT=at, WHERE=node.path("answers"))

            with ThreadPoolExecutor(count) as pool:
                loads = list(pool.map(load, games.nodes))
            answers, took = sum(calls for calls, _ in loads), sum(processor for _, processor in loads)
            database = games.database.primary.processor_time() - before
            commits = sum(node.metric("store_commit_seconds_count") for node in games.nodes) - commits
            wait_until(lambda: all(node.metric("follow_age_seconds") < 1 for node in games.nodes), 30, "all nodes know all answers")
            memory = max(node.resources()[1] for node in games.nodes) >> 20
            games.stop()

        def fact():
            assert answers > 0
            return (f"{answers / options.seconds:,.0f} answers a second in all; {answers / took:,.0f} a second and core of the nodes, {answers / max(database, 0.01):,.0f} of the "
                    f"database; {commits / options.seconds:,.0f} commits a second, {answers / max(commits, 1):,.0f} answers each; {memory} MB in use at most; "
                    f"load {os.getloadavg()[0]:.1f} of {os.cpu_count()} cores, which wrk and the database share")

        lines.prove(f"{count} node{'s' if count > 1 else ''}", fact)


def changed(options, **changes):
    """The same options but for some."""
    return type(options)(**{**vars(options), **changes})


def fold(lines, options):
    players = options.answers // QUESTIONS
    with Games(options) as games:
        games.start(1)
        game, _ = games.make(QUESTIONS)
        games.stop()
        sql = games.database.primary.sql
        records, guids = [], [str(uuid.uuid5(uuid.NAMESPACE_OID, str(number))) for number in range(QUESTIONS + 1)]
        for number, guid in enumerate(guids):
            records.append({"type": "asked", "guid": guid, "question": number - 1} if number else {"type": "started", "guid": guid})
            records.append({"type": "placed", "guid": guid, "at": 700 * number + 1})
        values = ",".join(f"('{game}',{number + 10},'{json.dumps(record)}')" for number, record in enumerate(records))
        # Behind those that the making has written, in order.
        sql(f"INSERT INTO cuelight.event (game, number, json) SELECT g, (SELECT coalesce(max(number), 0) FROM cuelight.event WHERE game = g) + n - 9, j "
            f"FROM (VALUES {values}) AS v (g, n, j)")
        sql(f"INSERT INTO cuelight.player (game, player, nickname, key) SELECT '{game}', n, 'Player ' || n, "
            f"md5(n::text)::uuid::text FROM generate_series(0, {players - 1}) AS n")
        took = {}
        for name in ("players", "answers"):
            if name == "answers":
                # In batches of a thousand; players answer in no order.
                sql(f"INSERT INTO cuelight.batch (game, answers) SELECT '{game}', '\\x01'::bytea || string_agg(int4send(((n::bigint * 7919) % {players})::int) "
                    f"|| int4send(q) || '\\x01000000'::bytea || int8send((700 * (q + 1) + 1) * 90000::bigint + n % 450000), ''::bytea) "
                    f"FROM generate_series(0, {QUESTIONS - 1}) AS q, generate_series(0, {players - 1}) AS n GROUP BY q, n / 1000")
            games.start(1)
            took[name] = processor_time(games.nodes[0].process)
            memory = games.nodes[0].resources()[1] >> 20
            with games.nodes[0].client() as client:
                answered = client.get(f"/v1/games/{game}/state")
                assert answered.status == 200, answered
            games.stop()
        assert sql(f"SELECT count(*), sum((length(answers) - 1) / 20) FROM cuelight.batch WHERE game = '{game}'") == \
            f"{-(-players // 1000) * QUESTIONS}|{players * QUESTIONS}", "the batches are not those that were meant"

    def fact():
        seconds = took["answers"] - took["players"]
        most = MOST_FOLD * options.answers / 10_000_000
        text = (f"{options.answers:,} answers of {players:,} players are read and folded in {seconds:.2f} s of a core, of {most:.1f}: "
                f"{options.answers / seconds:,.0f} a second; the players take {took['players']:.2f} s; {memory} MB in use at most")
        assert seconds <= most, text
        return text

    lines.prove("fold", fact)


def run(lines, options):
    raise_limit(options.connections + 1_000)
    options.top = options.folder
    {"rates": rates, "fold": fold}[options.proof](lines, options)


if __name__ == "__main__":
    prove_and_end(run, "server", "clip", proof="rates", answers=10_000_000, players=10_000, connections=192, seconds=6, seed=1)
