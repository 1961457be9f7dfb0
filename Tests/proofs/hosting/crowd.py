"""Kills a game server again and again under twenty thousand answers a second, and prints a line for each fact. With --quiet nothing is killed: it says how
fast answers are acknowledged, how soon the board is there, and what memory that takes, beside the limits.

    python3 -m proofs.hosting.crowd --server PROGRAM --crowd PROGRAM --clip CLIP --folder FOR_ITS_FILES [--kills 50 | --quiet] [--players 100000] [--seed 1]

The crowd is that of scripts/crowd: it posts again what was not answered, and compares the record with what it was told. Each question must have one result.
Times are judged only where the machine has nothing else to do.
"""

import collections
import csv
import datetime
import io
import json
import os
import random
import shutil
import subprocess
import threading
import time
import zipfile

from proofs.facts import prove_and_end
from proofs.hosting.game import STREAM_TOKEN, Client, is_quiet, write_quiz, write_tokens
from proofs.processes import free_port, in_background, memory_of, wait_until

TIME, DELAY, PAUSE = 6, 3, 2
# What a question and its result take.
ROUND = TIME + DELAY + PAUSE
# The seconds over which the answers to a question are spread.
WINDOW = 5
# Without kills: how many questions, and how long each takes answers.
QUESTIONS, LONG_TIME = 3, 10
# What a hundred thousand players may take: for an acknowledgement in milliseconds (99 %), from the instant of the result to the board in seconds, and in
# megabytes.
MOST_LATENCY, MOST_BOARD, MOST_MEMORY = 250, 2, 400
# With the tables of their results.
MOST_RESULT_MEMORY = 600


class Show:
    """One show, over all servers that play it: they have one folder and one port."""

    def __init__(self, options):
        self.options, self.folder = options, options.folder
        # A kill and the start after it take most of a round.
        self.questions = QUESTIONS if options.quiet else max(options.kills * 9 // 10, 3)
        self.time, self.window = (LONG_TIME, LONG_TIME - 1) if options.quiet else (TIME, WINDOW)
        write_quiz(self.folder / "quiz.json", self.questions, options.seed)
        self.tokens = write_tokens(self.folder / "tokens")
        self.port = free_port()
        self.log, self.host, self.game = open(self.folder / "server.log", "ab"), None, None

    def start(self):
        process = subprocess.Popen(
            [self.options.server, "serve", "--data", str(self.folder / "data"), "--listen", f"127.0.0.1:{self.port}", "--json", "--input",
             self.options.clip, "--loop", "--quiz", str(self.folder / "quiz.json"), "--time", str(self.time), "--delay", str(DELAY), "--pause", str(PAUSE),
             "--start-in", str(20 + self.options.players // 1_200), "--token-file", self.tokens, "--part-duration", "0"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        line = next((line for line in iter(process.stderr.readline, b"") if b'"listening"' in line), None)
        assert line, "the server does not listen"
        said = json.loads(line)
        self.host, self.game = self.host or said["token"], said["game"]
        in_background(shutil.copyfileobj, process.stderr, self.log)
        return process

    def crowd(self):
        options = self.options
        return subprocess.Popen(
            [options.crowd, f"http://127.0.0.1:{self.port}", "--players", str(options.players), "--connections", str(options.connections), "--seed",
             str(options.seed), "--window", str(self.window), "--json"],
            stdout=open(self.folder / "crowd.json", "wb"), stderr=open(self.folder / "crowd.log", "wb"),
            env=os.environ | {"CUELIGHT_HOST_TOKEN": self.host})

    def state(self):
        with Client(self.port) as client:
            return client.get(f"/v1/games/{self.game}/state").object

    def events(self):
        """What the stream's interface tells of the events of this game."""
        with Client(self.port, STREAM_TOKEN) as client:
            listed = client.get("/v1/streams/live/events").object["events"]
        return [event for event in listed if event["cue"].get("game") == self.game]


def tell(lines, holds, text):
    lines.tell(holds, f"crowd: {text}")


def records_hold(lines, show, status, text):
    """That the record has what was acknowledged, and the stream one result for each question and one end; returns what the crowd says."""
    said = json.loads((show.folder / "crowd.json").read_text())
    tell(lines, status == 0 and said["missing"] == 0 and said["unknown"] == 0 and said["recorded"] > 0,
         f"{text}; {said['recorded']} acknowledged answers of {said['joined']} players, {said['missing']} missing in the record, {said['unknown']} never sent")
    events = show.events()
    results = collections.Counter(event["cue"]["questionNumber"] for event in events if event["event"] == "showResults")
    tell(lines, len(results) == show.questions and set(results.values()) == {1},
         f"{len(results)} questions of {show.questions} have one result each in the stream")
    tell(lines, sum(event["event"] == "endGame" for event in events) == 1, "the stream has one end")
    return said


def play_with_kills(lines, options, show, children):
    numbers, kills, restarts = random.Random(options.seed), 0, []
    children["server"], game = show.start(), show.game
    crowd = children["crowd"] = show.crowd()
    wait_until(lambda: show.state()["phase"] != "lobby", 120, "the game begins")
    while kills < options.kills and crowd.poll() is None:
        time.sleep(numbers.uniform(0.5, ROUND - 1))
        # A start behind the end would begin another game.
        if show.state()["board"] >= show.questions - 1:
            break
        children["server"].kill()
        children["server"].wait()
        kills += 1
        started = time.monotonic()
        children["server"] = show.start()
        restarts.append(time.monotonic() - started)
        assert show.game == game, "another game has begun"
    status = crowd.wait(timeout=ROUND * show.questions + 300)
    records_hold(lines, show, status, f"{kills} kills, back in {max(restarts):.1f} s at most")


def play_quietly(lines, options, show, children):
    quiet = is_quiet()
    server = children["server"] = show.start()
    crowd = children["crowd"] = show.crowd()
    boards, known, reveal = [], 0, None
    with Client(show.port) as client:
        while crowd.poll() is None:
            state = client.get(f"/v1/games/{show.game}/state").object
            if state["board"] > known and reveal is not None:
                # From the instant at which the result is decided; the board is public when the result is in the stream.
                boards.append(time.time() - reveal)
                reveal = None
            known = state["board"]
            if state["revealAt"]:
                reveal = datetime.datetime.fromisoformat(state["revealAt"]).timestamp()
            time.sleep(0.05)
    memory = most_memory(server)
    said = records_hold(lines, show, crowd.returncode, f"{options.connections} connections, questions of {show.time} s")
    load = f"load {os.getloadavg()[0]:.1f}" + ("" if quiet else ", not judged: the machine is busy")
    tell(lines, not quiet or said["p99"] <= MOST_LATENCY,
         f"acknowledged after p50 {said['p50']:.0f} ms, p99 {said['p99']:.0f} ms, of {MOST_LATENCY}, most {said['max']:.0f} ms; {load}")
    tell(lines, len(boards) == show.questions and (not quiet or max(boards) <= MOST_BOARD),
         f"{len(boards)} boards, {max(boards, default=0):.2f} s behind the instant of the result at most, of {MOST_BOARD}; {load}")
    tell(lines, memory <= MOST_MEMORY, f"{memory} MB in use at most, of {MOST_MEMORY}")
    results_come(lines, show, server, said)


def most_memory(process):
    """The most memory that a process has had, in megabytes."""
    return memory_of(process)[1] >> 20


def results_come(lines, show, server, said):
    """That a host has the tables of all players, and that players are answered meanwhile."""
    for file, count in (("results.csv", csv_rows), ("results.xlsx", spreadsheet_rows)):
        waits, is_over = [], threading.Event()

        def ask():
            with Client(show.port) as client:
                while not is_over.is_set():
                    started = time.monotonic()
                    client.get(f"/v1/games/{show.game}/state")
                    waits.append(time.monotonic() - started)
                    is_over.wait(0.02)

        asking = in_background(ask)
        started = time.monotonic()
        with Client(show.port, show.host, timeout=120) as client:
            answer = client.get(f"/v1/games/{show.game}/{file}")
        seconds = time.monotonic() - started
        is_over.set()
        asking.join()
        rows, memory = count(answer.body) if answer.status == 200 else 0, most_memory(server)
        tell(lines, rows == min(said["joined"], 100_000) and memory <= MOST_RESULT_MEMORY,
             f"{file} has {rows} players, {len(answer.body) >> 10} KB, after {seconds:.1f} s, in which a state took {1000 * max(waits):.0f} ms at most; "
             f"{memory} MB in use at most, of {MOST_RESULT_MEMORY}")


def csv_rows(body):
    return sum(1 for _ in csv.reader(io.StringIO(body.decode("utf-8-sig")))) - 1


def spreadsheet_rows(body):
    with zipfile.ZipFile(io.BytesIO(body)) as file:
        return file.read("xl/worksheets/sheet1.xml").count(b"<row") - 1


def run(lines, options):
    show, children = Show(options), {}
    try:
        (play_quietly if options.quiet else play_with_kills)(lines, options, show, children)
    finally:
        for child in children.values():
            if child.poll() is None:
                child.kill()
                child.wait()


if __name__ == "__main__":
    prove_and_end(run, "server", "crowd", "clip", kills=50, quiet=False, players=100_000, connections=2_000, seed=1)
