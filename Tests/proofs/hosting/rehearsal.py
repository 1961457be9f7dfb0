"""Rehearsals: bots play a quiz over a picture that says what it is, and nothing is left of it. Prints a line for each fact.

    python3 -m proofs.hosting.rehearsal --server PROGRAM --clip CLIP --folder FOR_ITS_FILES [--times 3] [--bots 25]

The clip is not used: a rehearsal has a picture of its own.
"""

import json
import os
import signal
import subprocess
import urllib.parse

from proofs.facts import prove_and_end
from proofs.hosting.game import Host, Server
from proofs.processes import in_background, ordinary, wait_until

QUIZ = {"title": "Friday", "questions": [
    {"question": "Which planet is red?", "answers": ["Venus", "Mars"], "correct": "Mars"},
    {"question": "How far?", "kind": "number", "most": 100, "correct": 42},
    {"question": "From small to large?", "kind": "order", "answers": ["Ant", "Cat", "Cow"]}]}


class Rehearsal(Server):
    """A process of `cuelight-server rehearse`, whose temporary files are in a folder of its own."""

    def __init__(self, options, *arguments):
        self.temporary = options.folder / "temporary"
        self.temporary.mkdir(exist_ok=True)
        self.said, self.log = [], open(options.folder / "server.log", "ab")
        self.process = subprocess.Popen(
            ordinary(options.server, "rehearse", options.folder / "quiz.json", "--json", *arguments), stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=os.environ | {"TMPDIR": str(self.temporary)})
        self.reading = in_background(self.read)
        self.begun = wait_until(self.listening, 60, "the rehearsal listens")
        self.port = urllib.parse.urlsplit(self.begun["listening"]).port
        self.game, self.host_token, self.operator_token = self.begun["game"], self.begun["token"], self.begun["operatorToken"]


def rehearse(options):
    counts = []
    for time in range(options.times):
        rehearsal = Rehearsal(options, "--bots", options.bots, "--time", 4)
        try:
            wait_until(rehearsal.is_ready, 30, "the picture is there")
            with rehearsal.client(rehearsal.host_token) as client:
                game = client.get(rehearsal.path()).object
                assert game["title"] == "Rehearsal: Friday", game
                wait_until(lambda: client.get(rehearsal.path()).object["players"] == options.bots, 20, "the bots have joined")
                host = Host(rehearsal)
                for _ in QUIZ["questions"]:
                    host.ask()
                    wait_until(lambda: rehearsal.state()["phase"] in ("closed", "result"), 30, "the time is up")
                    host.command("reveal")
                    wait_until(lambda: rehearsal.state()["phase"] == "result", 30, "the result")
                table = client.get(rehearsal.path("results.csv?of=questions")).body.decode("utf-8-sig").splitlines()
                answered = [int(line.split(",")[5]) for line in table[1:]]
                assert all(count >= options.bots * 0.9 for count in answered), f"{answered} of {options.bots} bots have answered: {table}"
                counts.append(answered)
                host.client.close()
        finally:
            rehearsal.process.send_signal(signal.SIGINT if time % 2 else signal.SIGTERM)
            rehearsal.process.wait(30)
        left = list(rehearsal.temporary.iterdir())
        assert not left, f"{left} is left of rehearsal {time + 1}"
    return f"{options.times} rehearsals with {options.bots} bots, which gave {counts[0]} answers; nothing is left"


def mistakes(options):
    """A quiz with a mistake is refused as a show would refuse it."""
    broken = options.folder / "broken.json"
    broken.write_text(json.dumps({"questions": [{"question": "", "answers": ["a"]}]}))
    run = subprocess.run(ordinary(options.server, "rehearse", broken), capture_output=True, text=True, check=False)
    assert run.returncode != 0 and "broken.json:" in run.stderr, run
    assert not list((options.folder / "temporary").iterdir())
    return "it is refused, with the place of the mistake"


def run(lines, options):
    (options.folder / "quiz.json").write_text(json.dumps(QUIZ))
    lines.prove("rehearsals", rehearse, options)
    lines.prove("a quiz with a mistake", mistakes, options)


if __name__ == "__main__":
    prove_and_end(run, "server", "clip", times=3, bots=25)
