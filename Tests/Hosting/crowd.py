"""Kills a game server again and again under twenty thousand answers a second, and prints a line for each fact.

    python crowd.py --server PROGRAM --crowd PROGRAM --clip CLIP --folder FOR_ITS_FILES [--kills 50] [--players 100000] [--seed 1]

The crowd is that of scripts/crowd: it posts again what was not answered, and compares the record with what it was told. Each question must have one result.
"""

import collections
import json
import os
import random
import shutil
import socket
import subprocess
import threading
import time

from game import STREAM_TOKEN, Client, Lines, end_proof, proof_parser, wait_until, write_quiz, write_tokens

TIME, DELAY, PAUSE = 6, 3, 2
# What a question and its result take.
ROUND = TIME + DELAY + PAUSE
# The seconds over which the answers to a question are spread.
WINDOW = 5


class Show:
    """One show, over all servers that play it: they have one folder and one port."""

    def __init__(self, options):
        self.options, self.folder = options, options.folder
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)
        # A kill and the start after it take most of a round.
        self.questions = max(options.kills * 9 // 10, 3)
        write_quiz(self.folder / "quiz.json", self.questions, options.seed)
        self.tokens = write_tokens(self.folder / "tokens")
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        self.log, self.host, self.game = open(self.folder / "server.log", "ab"), None, None

    def start(self):
        process = subprocess.Popen(
            [self.options.server, "serve", "--data", str(self.folder / "data"), "--listen", f"127.0.0.1:{self.port}", "--json", "--input",
             self.options.clip, "--loop", "--quiz", str(self.folder / "quiz.json"), "--time", str(TIME), "--delay", str(DELAY), "--pause", str(PAUSE),
             "--start-in", str(20 + self.options.players // 4_000), "--token-file", self.tokens],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        line = next((line for line in iter(process.stderr.readline, b"") if b'"listening"' in line), None)
        assert line, "the server does not listen"
        said = json.loads(line)
        self.host, self.game = self.host or said["token"], said["game"]
        threading.Thread(target=shutil.copyfileobj, args=(process.stderr, self.log), daemon=True).start()
        return process

    def state(self):
        with Client(self.port) as client:
            return client.get(f"/v1/games/{self.game}/state").object

    def events(self):
        """What the stream's interface tells of the events of this game."""
        with Client(self.port, STREAM_TOKEN) as client:
            listed = client.get("/v1/streams/live/events").object["events"]
        return [event for event in listed if event["cue"].get("game") == self.game]


def tell(lines, holds, text):
    (lines.fact if holds else lines.fails)(f"crowd: {text}")


def main():
    parser = proof_parser("clip")
    parser.add_argument("--crowd", required=True)
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--players", type=int, default=100_000)
    parser.add_argument("--connections", type=int, default=2_000)
    options = parser.parse_args()
    lines, numbers = Lines(), random.Random(options.seed)
    show = Show(options)
    process = show.start()
    game, kills, restarts = show.game, 0, []
    crowd = subprocess.Popen(
        [options.crowd, f"http://127.0.0.1:{show.port}", "--players", str(options.players), "--connections", str(options.connections), "--seed",
         str(options.seed), "--window", str(WINDOW), "--json"],
        stdout=open(show.folder / "crowd.json", "wb"), stderr=open(show.folder / "crowd.log", "wb"),
        env=os.environ | {"CUELIGHT_HOST_TOKEN": show.host})
    try:
        wait_until(lambda: show.state()["phase"] != "lobby", 120, "the game begins")
        while kills < options.kills and crowd.poll() is None:
            time.sleep(numbers.uniform(0.5, ROUND - 1))
            # A start behind the end would begin another game.
            if show.state()["board"] >= show.questions - 1:
                break
            process.kill()
            process.wait()
            kills += 1
            started = time.monotonic()
            process = show.start()
            restarts.append(time.monotonic() - started)
            assert show.game == game, "another game has begun"
        status = crowd.wait(timeout=ROUND * show.questions + 300)
        said = json.loads((show.folder / "crowd.json").read_text())
        tell(lines, status == 0 and said["missing"] == 0 and said["unknown"] == 0,
             f"{kills} kills, back in {max(restarts):.1f} s at most; {said['recorded']} acknowledged answers of {said['joined']} players, "
             f"{said['missing']} missing in the record, {said['unknown']} never sent")
        events = show.events()
        results = collections.Counter(event["cue"]["questionNumber"] for event in events if event["event"] == "showResults")
        tell(lines, len(results) == show.questions and set(results.values()) == {1},
             f"{len(results)} questions of {show.questions} have one result each in the stream")
        tell(lines, sum(event["event"] == "endGame" for event in events) == 1, "the stream has one end")
    finally:
        for child in (crowd, process):
            if child.poll() is None:
                child.kill()
                child.wait()
    end_proof(lines)


if __name__ == "__main__":
    main()
