"""Lets bots try to gain by what they say of their position, and prints what is accepted and what they have gained of it as a table.

    python3 -m proofs.hosting.fairness --server PROGRAM --clip CLIP --folder FOR_ITS_FILES [--seed 1]

The table must say of each bot what is written here, and be the one of the page on games. It is the same with --delay auto, which pages that report their
delay, and others that lie about it, have moved to the same delay. Whoever is right has 1,000 points in the first moment and 500 in the last one.
"""

import random
from pathlib import Path

from proofs.facts import prove_and_end
from proofs.hosting.game import Host, Player, Server, Watcher, edge, join_all, reach, write_quiz, write_tokens
from proofs.processes import wait_until

# Where the table is told.
PAGE = Path(__file__).resolve().parents[3] / "Sources/cuelight/cuelight.docc/Serve.md"
HEAD = ["| bot | what it does | its answers | points | gain |", "| --- | --- | --- | --- | --- |"]
TIME, DELAY = 5, 4
SCORING = "speed:1000:500"


class Act:
    """An answer that a bot sends when the live edge is at a time, in seconds from the question on.

    It says that it is so many seconds behind the edge, or where it is from the question on.
    """

    def __init__(self, edge, claim=None, behind=None, is_right=True):
        self.edge, self.claim, self.behind, self.is_right = edge, claim, behind, is_right


class Bot:
    """A bot: what it does in words and by its answers, what must become of these, and the points that it must have at the end."""

    def __init__(self, name, does, acts, results, points):
        self.name, self.does, self.acts = name, does, acts
        self.expected = self.row(results, points)
        self.results = []

    def row(self, results, points):
        # What somebody gains beyond who is honest at the live edge.
        return f"| {self.name} | {self.does} | {', '.join(results)} | {points} | {points - HONEST:+} |"


HONEST = 800
BOTS = [
    Bot("Honest", "is at the live edge, and is right after 2 s", [Act(2, 2)], ["recorded"], HONEST),
    Bot("Far", "is 3.5 s behind, and is right after 2 s", [Act(5.5, 2)], ["recorded"], 800),
    Bot("Too far", "is 6 s behind, and is right after 2 s", [Act(8, 2)], ["too-far-behind"], 0),
    Bot("Much too far", "is 6 s behind, and is right after 4 s", [Act(10, 4)], ["after-reveal"], 0),
    Bot("Cut off", "is right after 2 s, and its network lets the answer through 5 s later", [Act(7, 2)], ["too-far-behind"], 0),
    Bot("Liar", "says that it is 30 s behind, while it is at the live edge", [Act(2, behind=30)], ["too-early"], 0),
    Bot("Patient liar", "goes on to say so until the question is where it says it is", [Act(31, behind=30)], ["after-reveal"], 0),
    Bot("Thinker", "says that it is 4 s behind, as is allowed, and thinks 4 s longer", [Act(8.5, 4.5)], ["recorded"], 600),
    Bot("Fast thinker", "says so, and that it was right in the first moment", [Act(4, 0)], ["recorded"], 1000),
    Bot("Backdater", "thinks until the result is near, and says that it was right in the first moment", [Act(8.5, 0)], ["too-far-behind"], 0),
    Bot("Prophet", "says that it is 4 s ahead", [Act(0.7, 4.7)], ["ahead-of-live"], 0),
    Bot("Fast clock", "has a clock that is 0.3 s ahead, and is right after 2 s", [Act(2, 2.3)], ["recorded"], 800),
    Bot("Forestaller", "says that it was right before the question", [Act(2, -0.5)], ["too-early"], 0),
    Bot("Straggler", "says that it was right after the time was up", [Act(6, 5.5)], ["too-late"], 0),
    Bot("Copyist", "reads the result, and says that it was right after 1 s", [Act(10, 1)], ["after-reveal"], 0),
    Bot("Turncoat", "is wrong, reads the result, and changes its answer", [Act(2, 2, is_right=False), Act(10, 4.9)], ["recorded", "after-reveal"], 0),
    Bot("Relayed", "is 3 s behind, and is told by Honest", [Act(5.5, 2.5)], ["recorded"], 800),
    Bot("Told at the end", "is 4 s behind, and is told the result by who reads it first", [Act(10, 4.9)], ["after-reveal"], 0),
    Bot("Reviser", "is wrong after 3 s, is told, and says that it was right before that", [Act(3, 3, is_right=False), Act(4, 1)], ["recorded", "recorded"], 700),
]


# Pages that are nearly as far behind as the delay, those that lie, and the bounds of the delay that follows them.
HONEST_PAGES, FEW_LIARS, MANY_LIARS = 300, 2, 3_000
WIDE, NARROW = "auto:2-30", f"auto:2-{DELAY}"


def report(server, liars):
    """Lets pages report how far they are behind; those that lie say ten minutes. A proxy says that each comes from an address of its own."""
    with server.client() as client:
        for number in range(HONEST_PAGES + liars):
            latency = 600_000 if number >= HONEST_PAGES else DELAY * 1000 - 100
            line = f'e=t,ltc={latency},sid="page-{number}",sn=0,ts=1,v=2\n'
            headers = {"Content-Type": "application/cmcd", "X-Forwarded-For": f"10.0.{number >> 8}.{number & 255}"}
            answer = client.call("POST", "/v1/streams/live/cmcd", line.encode(), headers)
            assert answer.status == 204, f"a page cannot report: {answer}"


def play(options, folder, delay, liars=None):
    """Plays one question with all bots; returns the row of each. With a number of liars pages report before it."""
    folder.mkdir(exist_ok=True)
    for bot in BOTS:
        bot.results = []
    (right,) = write_quiz(folder / "quiz.json", 1, options.seed)
    chance, watcher = random.Random(options.seed), Watcher()
    players = {bot: Player(bot.name, chance) for bot in BOTS}
    with Server(
            options.server, folder / "data", "--input", options.clip, "--loop", "--quiz", folder / "quiz.json", "--hosted", "--delay", delay,
            "--trusted-proxy", "127.0.0.1", "--time", TIME, "--scoring", SCORING, "--segment-duration", 1, "--token-file", write_tokens(folder / "tokens"),
            log=folder / "server.log") as server:
        wait_until(server.is_ready, 10, "the input comes")
        watcher.begin(server.port)
        join_all(server, list(players.values()))
        if liars is not None:
            report(server, liars)
        question = Host(server).ask()
        opens = question["opensAt"]
        with server.client() as client:
            for act, bot in sorted(((act, bot) for bot in BOTS for act in bot.acts), key=lambda pair: pair[0].edge):
                reach(client, opens + act.edge)
                at = edge(client) - act.behind if act.claim is None else opens + act.claim
                answer = players[bot].answer(client, server, (question["guid"], right if act.is_right else 1 - min(right, 1), round(at, 6)))
                bot.results.append(answer.object["results"][0])
            rows = [bot.row(bot.results, client.get(server.path("me"), players[bot].token).object["score"]) for bot in BOTS]
        watcher.end()
    # The seal hides the answer until this is in the stream.
    (result,) = watcher.of("showResults")
    return rows, float(result["at"]) - opens


def run(lines, options):
    def table(name, delay, liars=None):
        rows, revealed = play(options, options.folder / name, delay, liars)
        if liars is None:
            for row in HEAD + rows:
                print(row)
        wrong = [f"{row} and not {bot.expected}" for row, bot in zip(rows, BOTS) if row != bot.expected]
        assert not wrong, "; ".join(wrong)
        told = PAGE.read_text().split("\n")
        start = told.index(HEAD[0])
        told = told[start:told.index("", start)]
        assert told == HEAD + rows, f"the page {PAGE.name} has another table: {[row for row in told if row not in HEAD + rows] or 'rows are missing'}"
        return f"{len(rows)} bots as expected, and as the page says; the result is in the stream {revealed:.2f} s after the question, its time being {TIME} s and the delay {DELAY} s"

    lines.prove("fairness", table, "fixed", DELAY)
    lines.prove(f"fairness with --delay {WIDE}, and {FEW_LIARS} of {HONEST_PAGES + FEW_LIARS} pages lie", table, "few", WIDE, FEW_LIARS)
    lines.prove(f"fairness with --delay {NARROW}, and {MANY_LIARS} of {HONEST_PAGES + MANY_LIARS} pages lie", table, "many", NARROW, MANY_LIARS)


if __name__ == "__main__":
    prove_and_end(run, "server", "clip", seed=1)
