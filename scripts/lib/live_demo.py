"""Plays a live game with a dozen simulated players, whom people join in their browsers.

    live_demo.py --server PROGRAM --input VIDEO --delay SECONDS --quiz QUIZ --web FOLDER --library FILE --folder FOR_ITS_FILES [--seed 1]

QUIZ is JSON. On a terminal there is time to join before the first question and to look at the result; elsewhere nobody is waited for. Status 1 where
something of the game was not as it must be.
"""

import argparse
import collections
import heapq
import http.client
import json
import random
import shutil
import signal
import sys
import time
from pathlib import Path

from proofs.hosting.game import Player, Server, Watcher

# The nicknames, and how much of a quiz each of them knows.
PLAYERS = {
    "Ada": 0.9, "Benedikt": 0.5, "Chiara": 0.75, "Dmitri": 0.6, "Émile": 0.8, "Fatima": 0.7,
    "Grace": 0.85, "Hiroshi": 0.65, "Imani": 0.55, "José": 0.45, "Kirsten": 0.7, "Łukasz": 0.4,
}
# Seconds.
LEAD, LEAD_WITHOUT_TERMINAL = 35, 8
STAY = 90
TIME, PAUSE = 10, 8
# The longest time without any event before something must be wrong.
PATIENCE = 120
PRESENCE = 10
SCORING = "speed:1000:500"


class Ended(Exception):
    """Somebody ends the demo."""


class Troubled(Exception):
    """The game is not as it must be; the text says how."""


class Bots:
    """Players who know of the game what the stream says, and of the world what they have learned.

    They load the segments as a viewer's device does, find the questions in them, and answer at the position where they are.
    """

    def __init__(self, server, quiz, lead, seed):
        self.server, self.chance = server, random.Random(seed)
        self.players = [Player(nickname, self.chance) for nickname in PLAYERS]
        self.rights = {question["question"]: question["correct"] for question in quiz["questions"]}
        self.client = server.client()
        self.recorded, self.wrong = 0, []
        # What is to be done when: (moment, place, act).
        self.plan, self.planned = [], 0
        self.events = collections.deque()
        self.watcher = Watcher(self.events.append)
        for player in self.players:
            self.later(self.chance.uniform(0, 0.7 * lead), lambda player=player: self.join(player))
        self.later(PRESENCE, self.be_there)
        self.watcher.begin(server.port)

    def end(self):
        self.watcher.end()
        self.client.close()

    def later(self, seconds, act):
        self.planned += 1
        heapq.heappush(self.plan, (time.monotonic() + seconds, self.planned, act))

    def go_on(self):
        """Does what is due."""
        while self.plan and self.plan[0][0] <= time.monotonic():
            act = heapq.heappop(self.plan)[2]
            try:
                act()
            except (OSError, http.client.HTTPException) as error:
                self.wrong.append(f"{type(error).__name__}: {error}")

    def join(self, player):
        answer = player.join(self.client, self.server)
        if answer.status == 409 and answer.kind == "nickname-taken":
            # A person was faster.
            player.nickname = answer.object["suggestions"][0]
            answer = player.join(self.client, self.server)
        if answer.status != 201:
            self.wrong.append(f"{player.nickname} cannot join: {answer}")

    def be_there(self):
        for _ in self.players:
            self.client.call("POST", self.server.path("presence"), b"")
        self.later(PRESENCE, self.be_there)

    def think(self, event):
        """Plans who answers a question, what, and when: the more somebody knows, the sooner."""
        chance, opens, allotted = self.chance, float(event["at"]), float(event["allottedTime"])
        right = event["answers"].index(self.rights[event["question"]])
        others = [index for index in range(len(event["answers"])) if index != right]
        for player, knows in zip(self.players, PLAYERS.values()):
            if chance.random() < 0.05:
                continue
            knows_it = chance.random() < knows
            after = min(1.2 + chance.gammavariate(2.5, 0.8 if knows_it else 1.4), allotted - 1.5)
            answer = right if knows_it else chance.choice(others)
            if chance.random() < 0.1:
                self.answer_at(player, event, chance.choice(others), opens + after / 2)
            self.answer_at(player, event, answer, opens + after)

    def answer_at(self, player, event, answer, position):
        self.later(position - self.watcher.position(), lambda: self.answer(player, event, answer))

    def answer(self, player, event, answer):
        said = player.answer(self.client, self.server, (event["guid"], answer, round(self.watcher.position(), 3)))
        if said.status == 202:
            self.recorded += 1
        else:
            self.wrong.append(f"{player.nickname} answers {event['question']}: {said}")


def printable(text):
    """A text of others, without what a terminal would obey."""
    return "".join(sign if sign.isprintable() else "\N{REPLACEMENT CHARACTER}" for sign in text)


def tell(text=""):
    print(text, flush=True)


def board(leaders):
    return "   ".join(f"{number}. {printable(line['nickname'])} {line['score']}" for number, line in enumerate(leaders, 1))


class Show:
    """The game from the first question to the last board."""

    def __init__(self, bots, count):
        self.bots, self.count = bots, count
        self.asked, self.results, self.is_over = {}, 0, False

    def see(self, event):
        """Tells what the stream says."""
        kind = event["eventType"]
        if kind == "startGame":
            tell("\nThe show begins.")
        elif kind == "askQuestion":
            self.asked[event["guid"]] = event
            self.bots.think(event)
            tell(f"\nQuestion {len(self.asked)} of {self.count}: {event['question']}   {'   '.join(event['answers'])}")
        elif kind == "showResults":
            self.results += 1
            question = self.asked[event["questionGuid"]]
            counts = "   ".join(f"{answer} {count}" for answer, count in zip(question["answers"], event["counts"]))
            tell(f"Answer: {question['answers'][event['correctAnswer']]}   ({counts})")
            if event.get("leaderboard"):
                tell(f"Best: {board(event['leaderboard'])}")
        elif kind == "endGame":
            self.is_over = True
            tell(f"\nThe show is over. {' and '.join(printable(name) for name in event.get('winners', [])) or 'Nobody'} has won.")
            tell(f"Best: {board(event.get('leaderboard', []))}")

    def play(self):
        """Plays until the end is in the stream."""
        patience = time.monotonic() + PATIENCE
        while not self.is_over:
            self.bots.go_on()
            while self.bots.events:
                self.see(self.bots.events.popleft())
                patience = time.monotonic() + PATIENCE
            status = self.bots.server.process.poll()
            if status is not None:
                raise Troubled(f"the server has ended with status {status}: {' '.join(self.bots.server.messages[-3:])}")
            if time.monotonic() > patience:
                raise Troubled(f"nothing has happened in the stream for {PATIENCE} s: {self.bots.watcher.problems[-1:] or 'no problem is known'}")
            time.sleep(0.02)

    def stay(self, seconds):
        """Leaves the pages to those who are behind live, and to who looks at the result."""
        end = time.monotonic() + seconds
        while time.monotonic() < end and self.bots.server.process.poll() is None:
            self.bots.go_on()
            time.sleep(0.1)

    def check(self):
        """What the bots have seen must be a whole game, where no person leads it."""
        wrong = self.bots.wrong + self.bots.watcher.problems
        if wrong:
            raise Troubled(f"{len(wrong)} things went wrong, such as {wrong[0]}")
        joined = sum(player.token is not None for player in self.bots.players)
        if joined < len(PLAYERS):
            raise Troubled(f"{joined} of {len(PLAYERS)} simulated players have joined")
        if (len(self.asked), self.results) != (self.count, self.count):
            raise Troubled(f"{len(self.asked)} questions and {self.results} results are in the stream, and not {self.count}")


def invite(server, lead):
    begun = server.begun
    tell(f"\n    Play here:   {begun['page']}")
    tell(f"    Code:        {begun['code']}")
    tell(f"    Host:        {begun['console']}")
    tell(f"    with token   {begun['token']}")
    tell(f"\nThe first question comes in about {lead + 5} s; {len(PLAYERS)} simulated players join meanwhile. Press Ctrl-C to end.")


def end_by_signal(number, _):
    raise Ended(number)


def run(options):
    has_terminal = sys.stdin.isatty()
    lead = LEAD if has_terminal else LEAD_WITHOUT_TERMINAL
    quiz = json.loads(options.quiz.read_text())
    # Another show each time; one that was not played to its end would go on.
    shutil.rmtree(options.folder / "data", ignore_errors=True)
    with Server(
            options.server, options.folder / "data", "--input", options.input, "--loop", "--quiz", options.quiz, "--web", options.web,
            "--player-library", options.library, "--time", TIME, "--delay", options.delay, "--pause", PAUSE, "--start-in", lead,
            "--segment-duration", 2, "--scoring", SCORING, log=options.folder / "server.log") as server:
        invite(server, lead)
        bots = Bots(server, quiz, lead, options.seed)
        show = Show(bots, len(quiz["questions"]))
        try:
            show.play()
            if not has_terminal:
                show.check()
            tell(f"{bots.recorded} answers of the simulated players were recorded.")
            if has_terminal:
                tell(f"\nThe pages stay for {STAY} s more. Ctrl-C ends them now.")
                show.stay(STAY)
        except Ended:
            if not show.is_over:
                raise
        finally:
            # Whoever is impatient does not leave a process behind.
            for number in signals:
                signal.signal(number, signal.SIG_IGN)
            bots.end()
            if server.process.poll() is None:
                server.stop()


signals = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def main():
    parser = argparse.ArgumentParser(description="Plays a live game with simulated players, whom people join in their browsers.")
    parser.add_argument("--delay", required=True, type=int)
    parser.add_argument("--seed", type=int, default=1)
    for name in ("server", "input", "quiz", "web", "library", "folder"):
        parser.add_argument(f"--{name}", required=True, type=Path)
    options = parser.parse_args()
    for number in signals:
        signal.signal(number, end_by_signal)
    try:
        run(options)
    except Ended as ended:
        tell("\nEnded.")
        return 128 + ended.args[0]
    except (Troubled, AssertionError) as error:
        print(f"live_demo: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
