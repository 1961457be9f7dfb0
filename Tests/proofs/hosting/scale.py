"""Plays a show of twelve questions with millions of simulated players on three nodes with PostgreSQL, with time stretched as far as needed; counts everything
again, measures what one of each thing takes, and compares that with the page of sizes. Prints a line for each fact.

    python3 -m proofs.hosting.scale --server PROGRAM --crowd PROGRAM --clip CLIP --page PAGE --folder FOR_ITS_FILES [--players 2400000] [--questions 12]
        [--rate 8000] [--connections 300] [--seed 1]

Each player answers each question; the answers to one are spread over as many seconds as --rate, answers a second, needs. Every acknowledged answer has to be in
the record, and count: the sum of a result's counts is the number of players whose answer was acknowledged. The counts and points of the record, computed
again here, have to be those in the stream and on the scoreboards of all nodes.
"""

import json
import os
import random
import re
import subprocess
import time
import uuid
from math import ceil

from proofs.client import Client
from proofs.facts import prove_and_end
from proofs.hosting import sizing
from proofs.hosting.game import STREAM_TOKEN
from proofs.hosting.nodes import NODES
from proofs.hosting.nodes_load import Games
from proofs.processes import processor_time, raise_limit, wait_until

DELAY, SCORING = 8, "right"
# The most seconds that a question may have.
LONGEST = 600
# So many looks at the state are measured.
LOOKS = 2_000
# Costs of small runs are those of what runs anyway.
LEAST_JUDGED = 20_000
# How far what the run took may be from what the page computes for it: a page that promises too little is a smaller mistake.
LEAST_PART, MOST_PART = 0.25, 1.5
LINE = re.compile(rb'\{"player":"crowd-\d+-(\d{7})","question":"([^"]+)","answer":(\d+),')


class Moment:
    """What was taken until now: seconds of a processor on nodes and on the database, bytes of memory of the largest node."""

    def __init__(self, games):
        self.time = time.monotonic()
        self.nodes = sum(processor_time(node.process) for node in games.nodes)
        self.primary = games.database.primary.processor_time()
        self.memory = max(node.resources()[0] for node in games.nodes)


class Show:
    """The run."""

    def __init__(self, options, games):
        self.options, self.games, self.folder = options, games, options.folder
        self.window = min(options.players / options.rate, LONGEST - 5)
        self.allotted = ceil(self.window) + 3

    def make(self):
        """Makes the game: half of the players are right each time."""
        chance = random.Random(self.options.seed)
        self.right = [chance.randrange(2) for _ in range(self.options.questions)]
        questions = [{"question": f"Question {number}: which one?", "answers": ["this", "that"], "correct": ["this", "that"][right]}
                     for number, right in enumerate(self.right, 1)]
        path = self.folder / "quiz.json"
        path.write_text(json.dumps({"id": "scale", "title": "Scale", "questions": questions}))
        rules = {"delay": DELAY, "allottedTime": self.allotted, "scoring": SCORING, "mostPlayers": max(self.options.players, 1)}
        self.game, self.host_token = self.games.make_of(path, rules)

    def path(self, name):
        return f"/v1/games/{self.game}/{name}"

    def ask(self, method, name, body=None):
        with Client(self.games.nodes[0].port, self.host_token, timeout=60) as client:
            answer = client.call(method, self.path(name), body)
            assert answer.status == 200, f"{name}: {answer}"
            return answer.object

    def command(self, name):
        self.ask("POST", "commands", {"id": str(uuid.uuid4()), "command": name})

    def look(self):
        """What a look at the state takes, in seconds of a core, without what the nodes take anyway."""
        node = self.games.nodes[0]
        before, began = processor_time(node.process), time.monotonic()
        with node.client() as client:
            for _ in range(LOOKS):
                assert client.get(self.path("state")).status == 200
        return max(processor_time(node.process) - before - self.idle / NODES * (time.monotonic() - began), 0) / LOOKS

    def play(self):
        options, games = self.options, self.games
        games.start(NODES)
        self.make()
        self.begun = Moment(games)
        time.sleep(5)
        self.rested = Moment(games)
        # What all nodes take while nothing happens, in cores.
        self.idle = (self.rested.nodes - self.begun.nodes) / (self.rested.time - self.begun.time)
        self.crowd = subprocess.Popen(
            [options.crowd, *(f"http://127.0.0.1:{node.port}" for node in games.nodes), "--players", str(options.players), "--connections",
             str(options.connections), "--seed", str(options.seed), "--window", f"{self.window:.3f}", "--json"],
            stdout=open(self.folder / "crowd.json", "wb"), stderr=open(self.folder / "crowd.log", "wb"),
            env=os.environ | {"CUELIGHT_HOST_TOKEN": self.host_token})
        try:
            self.play_with_crowd()
        finally:
            if self.crowd.poll() is None:
                self.crowd.kill()
                self.crowd.wait()

    def all_have_joined(self):
        assert self.crowd.poll() is None, (self.folder / "crowd.log").read_text()[-500:]
        return sum(node.metric("players") for node in self.games.nodes) == NODES * self.options.players

    def play_with_crowd(self):
        options, games = self.options, self.games
        while not self.all_have_joined():
            time.sleep(0.5)
        # The crowd looks ten times a second whether a question is open.
        time.sleep(3)
        self.joined = Moment(games)
        self.look_cost = self.look()
        self.before = Moment(games)
        for number in range(1, options.questions + 1):
            self.command("next")
            wait_until(lambda: self.ask("GET", "state")["board"] == number, self.allotted + DELAY + 120, f"question {number} has a result")
        self.answered = Moment(games)
        self.command("end")
        self.status = self.crowd.wait(600 + options.players // 1_000)
        self.said = json.loads((self.folder / "crowd.json").read_text() or "null")
        assert self.said, (self.folder / "crowd.log").read_text()[-500:]
        with Client(games.stream.port, STREAM_TOKEN) as client:
            events = client.get("/v1/streams/live/events").object["events"]
        self.results = {event["cue"]["questionNumber"]: event["cue"] for event in events if event["event"] == "showResults"}
        self.is_once = len(self.results) == options.questions == sum(event["event"] == "showResults" for event in events)
        self.boards = []
        for node in games.nodes:
            with Client(node.port, timeout=300) as client:
                self.boards.append([client.get(self.path(f"board/{number}")).body for number in range(1, options.questions + 1)])
        self.count()
        sql = games.database.primary.sql
        self.tables = {name: int(sql(f"SELECT pg_total_relation_size('cuelight.{name}')")) for name in ("batch", "player", "look")}

    def count(self):
        """Counts the record again: the last answer of each player to each question counts."""
        guids = {question["guid"].encode(): place for place, question in enumerate(self.said["questions"])}
        last = [bytearray(self.options.players) for _ in guids]
        self.lines, rest = 0, b""
        with Client(self.games.nodes[-1].port, self.host_token, timeout=900) as client:
            client.connection.request("GET", self.path("record"), headers={"Authorization": f"Bearer {self.host_token}"})
            answer = client.connection.getresponse()
            assert answer.status == 200, answer.read()
            while piece := answer.read(4 << 20):
                head, end, rest = (rest + piece).rpartition(b"\n")
                for player, guid, index in LINE.findall(head + end):
                    last[guids[guid]][int(player)] = int(index) + 1
                    self.lines += 1
        assert not rest, "the record ends in the middle of a line"
        self.counted = [[answers.count(1), answers.count(2)] for answers in last]
        points = bytearray(self.options.players)
        for right, answers in zip(self.right, last):
            for player, index in enumerate(answers):
                if index == right + 1:
                    points[player] += 1
        self.points = points


def answers_hold(show):
    said = show.said
    assert said["joined"] == show.options.players, f"{said['joined']} have joined: {said['joins']['refused']}"
    assert show.status == 0 and said["missing"] == 0 and said["unknown"] == 0 and said["unreadable"] == 0, said["examples"][:3]
    assert show.lines >= said["recorded"] > 0, f"{show.lines} answers are in the record, {said['recorded']} were acknowledged"
    seconds = show.answered.time - show.before.time
    return (f"{said['joined']:,} players joined; all {said['recorded']:,} acknowledged answers to {len(said['questions'])} questions are among the {show.lines:,} of the record; "
            f"{said['sent'] - said['recorded']:,} of {said['sent']:,} were not taken ({said['refused']}), {said['leftOut']:,} not sent in time; {said['recorded'] / seconds:,.0f} a second "
            f"in all, p50 {said['p50']:.0f} ms, p99 {said['p99']:.0f} ms")


def counts_hold(show):
    assert show.is_once, "a question has no result, or two"
    assert [question["number"] for question in show.said["questions"]] == list(range(1, show.options.questions + 1)), "the crowd has not seen all questions"
    for question, counted in zip(show.said["questions"], show.counted, strict=True):
        published = show.results[question["number"]]["counts"]
        assert published == counted, f"question {question['number']}: {published} in the stream, {counted} counted again"
        # An answer whose response was lost may have been recorded.
        least, most = question["players"], question["players"] + question["unanswered"]
        assert least <= sum(published) <= most, f"question {question['number']}: {sum(published)} count, and {least} players have an acknowledgement"
    return f"the sum of each result's counts is the number of players with an acknowledged answer, {sum(map(sum, show.counted)):,} in all; each was counted again"


def boards_hold(show):
    assert all(boards == show.boards[0] for boards in show.boards), "the nodes have other scoreboards"
    leaders = json.loads(show.boards[0][-1])["leaders"]
    best = sorted(show.points, reverse=True)[:len(leaders)]
    assert leaders and [line["score"] for line in leaders] == best, f"the board has the points {[line['score'] for line in leaders][:5]}, and it is {best[:5]}"
    for line in leaders:
        own = show.points[int(line["player"][-7:])]
        assert line["score"] == own, f"{line['player']} has {line['score']} points on the board, and {own} when counted again"
    return f"{len(show.boards[0])} scoreboards are the same on {NODES} nodes; the last one has the {len(leaders)} best, with {best[0]} to {best[-1]} points when counted again"


def measured(show):
    """What one of each thing takes, as the page names it."""
    players, answers = show.options.players, show.said["recorded"]

    def each(first, second, count):
        nodes = max(second.nodes - first.nodes - show.idle * (second.time - first.time), 0)
        return nodes / count * 1e6, (second.primary - first.primary) / count * 1e6

    (answer, stored), (join, entered) = each(show.before, show.answered, answers), each(show.rested, show.joined, players)
    return {
        "an answer, on the nodes": answer, "an answer, on the primary": stored, "a join, on the nodes": join, "a join, on the primary": entered,
        "a look at the state": show.look_cost * 1e6, "a node without players": show.rested.memory / 1e6,
        "a player, on each node": (show.answered.memory - show.rested.memory) / players, "an answer in PostgreSQL": show.tables["batch"] / answers,
        "a player in PostgreSQL": (show.tables["player"] + show.tables["look"]) / players}


def took(show):
    return (f"{show.joined.time - show.rested.time:,.0f} s to join, {show.answered.time - show.before.time:,.0f} s for {show.options.questions} questions of "
            f"{show.allotted} s each; {show.answered.memory / 1e6:,.0f} MB on a node; load {os.getloadavg()[0]:.1f} of {os.cpu_count()} cores, which all share")


def costs_hold(show):
    found = measured(show)
    totals = {"answers": show.said["recorded"], "idle": show.idle, "seconds": show.answered.time - show.rested.time,
              "nodes": show.answered.nodes - show.rested.nodes, "primary": show.answered.primary - show.rested.primary}
    (show.folder / "figures.json").write_text(json.dumps(found | totals, indent=1))
    text = ", ".join(f"{name} {value:,.1f} {sizing.COSTS[name]}" for name, value in found.items())
    return text if show.options.players < LEAST_JUDGED else sizing.holds(show.options.page, found)


def formula_holds(show):
    """What the page computes for this run is what it took."""
    costs = sizing.costs_of(show.options.page)
    players, answers, first, second = show.options.players, show.said["recorded"], show.rested, show.answered
    wanted = {
        "the nodes": (answers * costs["an answer, on the nodes"] + players * costs["a join, on the nodes"]) / 1e6 + show.idle * (second.time - first.time),
        "the primary": (answers * costs["an answer, on the primary"] + players * costs["a join, on the primary"]) / 1e6}
    found = {"the nodes": second.nodes - first.nodes, "the primary": second.primary - first.primary}
    text = ", ".join(f"{name} {found[name]:,.0f} s of a core, {wanted[name]:,.0f} as the page computes" for name in wanted)
    is_right = all(LEAST_PART <= found[name] / wanted[name] <= MOST_PART for name in wanted)
    assert is_right or players < LEAST_JUDGED, text
    return text


def run(lines, options):
    raise_limit(2 * options.connections + 1_000)
    lines.prove("scale, the arithmetic of the page", lambda: sizing.arithmetic_holds(options.page))
    with Games(options) as games:
        show = Show(options, games)
        show.play()
        proofs = {"answers": answers_hold, "counts": counts_hold, "boards": boards_hold, "time": took, "costs": costs_hold, "formula": formula_holds}
        lines.prove_all("scale", proofs, show)


if __name__ == "__main__":
    prove_and_end(run, "server", "crowd", "clip", "page", players=2_400_000, questions=12, rate=8_000, connections=300, seed=1)
