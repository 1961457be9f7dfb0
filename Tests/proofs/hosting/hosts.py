"""Lets a host lead a show in every way that there is, and proves that boards, record, stream and messages agree, and prints a line for each fact.

    python3 -m proofs.hosting.hosts --server PROGRAM --cuelight PROGRAM --clip CLIP --folder FOR_ITS_FILES [--seed 1]
"""

import collections
import json
import random
import time

from proofs.facts import prove_and_end
from proofs.hosting.game import Host, Listener, Player, Server, Watcher, join_all, member, untimed, write_quiz
from proofs.processes import finished, wait_until

TIME, DELAY = 3, 1
QUESTIONS = 6
BOARD = 100


class Show:
    """A show that a host leads, and all that is known of it afterwards."""

    def __init__(self, options):
        self.options, self.folder = options, options.folder
        write_quiz(self.folder / "quiz.json", QUESTIONS, options.seed, points=True)
        self.chance = random.Random(options.seed)
        self.wrong, self.not_open = [], []

    def server(self):
        server = Server(
            self.options.server, self.folder / "data", "--input", self.options.clip, "--loop", "--quiz", self.folder / "quiz.json", "--hosted",
            "--time", TIME, "--delay", DELAY, "--segment-duration", 1, log=self.folder / "server.log")
        wait_until(server.is_ready, 15, "the stream is there")
        return server

    def ask(self, server, client, ahead=0.0):
        """Asks the next question, which everybody who may answers."""
        question = self.host.ask()
        for number, player in enumerate(self.players):
            choice = question["guid"], (number + question["number"]) % 2, round(question["opensAt"] + ahead, 6)
            answer = player.answer(client, server, choice)
            if answer.kind == "unknown-question":
                self.not_open.append(question["number"])
                time.sleep(0.2)
                answer = player.answer(client, server, choice)
            if answer.status != 202 and answer.kind != "eliminated":
                self.wrong.append(f"{player.nickname} to question {question['number']}: {answer}")
        return question

    def answer_when_extended(self, server, client, question):
        """Cat changes her mind when the question's first time is up."""
        wait_until(lambda: abs(server.state()["question"]["closesAt"] - question["opensAt"] - TIME - 1) < 0.001, 5, "the time is longer")
        choice = question["guid"], (2 + question["number"] + 1) % 2, round(question["opensAt"] + TIME + 0.3, 6)
        wait_until(lambda: self.players[2].answer(client, server, choice).status == 202, 10, "the longer time takes answers")

    def wait_for_result(self, server):
        wait_until(lambda: server.state()["phase"] == "result", 20, "the result is in the stream")

    def play(self):
        self.players = [Player(nickname, self.chance) for nickname in ("Ann", "Ben", "Cat", "Dan", "Eve")]
        watcher = self.watcher = Watcher()
        with self.server() as server, server.client() as client:
            self.game = server.game
            watcher.begin(server.port)
            self.first = Listener(server)
            self.second = Listener(server).status
            self.host = Host(server)
            join_all(server, self.players, 1)
            self.ask(server, client)
            self.wait_for_result(server)
            # Within the delay of the first viewer who has seen the result.
            self.join(server, client, "Fay")
            self.ask(server, client)
            self.host.command("close")
            self.wait_for_result(server)
            self.host.command("kick", player=self.players[1].number)
            self.ask(server, client)
            self.host.command("void")
            self.ask(server, client, ahead=0.4)
            self.host.command("reveal")
            self.wait_for_result(server)
            extended = self.ask(server, client)
            self.host.command("extend", seconds=1)
            self.answer_when_extended(server, client, extended)
            self.wait_for_result(server)
            self.ask(server, client)
            self.host.command("end")
            wait_until(lambda: watcher.of("endGame"), 20, "the end is in the stream")
            loaded = len(watcher.segments)
            wait_until(lambda: len(watcher.segments) > loaded + 1, 10, "the end's segment is complete")
            watcher.end()
            self.read(server, client)
            server.stop()
        with self.server() as server, server.client() as client:
            self.again = self.boards_of(client)

    def join(self, server, client, nickname):
        player = Player(nickname, self.chance)
        answer = player.join(client, server)
        if answer.status != 201:
            self.wrong.append(f"{nickname} cannot join: {answer}")
        self.players.append(player)

    def read(self, server, client):
        self.boards = self.boards_of(client)
        self.heard = list(self.first.messages)
        middle = next(number for number, name, _ in self.heard if name == "decision")
        over = Listener(server, "?takeover", middle)
        rest = [message for message in self.heard if message[0] is not None and message[0] > middle]
        wait_until(lambda: len([message for message in over.messages if message[0] is not None]) >= len(rest), 10, "what came before comes again")
        wait_until(lambda: self.first.messages[-1] == (None, "takeover", {}), 10, "the first host is told that another one leads")
        self.again_heard, self.expected = over.messages, rest
        over.close()
        self.first.close()
        (self.folder / "record.ndjson").write_bytes(client.get(server.path("record"), server.host_token).body)
        (self.folder / "show.ts").write_bytes(self.watcher.data)

    def boards_of(self, client):
        """The text of each scoreboard."""
        path = f"/v1/games/{self.game}/board"
        return [client.get(f"{path}/{number}").body.decode() for number in range(1, client.get(path).object["version"] + 1)]


def commands_hold(show):
    assert not show.wrong, show.wrong[:3]
    watcher = show.watcher
    numbers = [event["questionNumber"] for event in watcher.of("showResults")]
    assert numbers == [1, 2, 4, 5], f"there are results of the questions {numbers}"
    asked = {event["questionNumber"]: float(event["at"]) for event in watcher.of("askQuestion")}
    results = {event["questionNumber"]: float(event["at"]) - asked[event["questionNumber"]] for event in watcher.of("showResults")}
    assert results[2] < TIME, f"closed at once, and the result comes after {results[2]:.2f} s"
    # An answer of a player whose clock is ahead must be in front of the result that counts it.
    assert 0.4 < results[4] < TIME, f"revealed at once, and the result comes after {results[4]:.2f} s"
    assert results[5] >= TIME + DELAY + 0.9, f"extended, and the result comes after {results[5]:.2f} s"
    questions = {event["guid"]: event["questionNumber"] for event in watcher.of("askQuestion")}
    adjusted = {questions[event["questionGuid"]]: float(event["allottedTime"]) for event in watcher.of("adjustTime")}
    assert sorted(adjusted) == [2, 5] and adjusted[2] < TIME and adjusted[5] == TIME + 1, f"the stream says of the times {adjusted}"
    counts = {event["questionNumber"]: sum(event["counts"]) for event in watcher.of("showResults")}
    assert counts == {1: 5, 2: 6, 4: 5, 5: 5}, f"counted answers {counts}"
    assert len(watcher.of("endGame")) == 1 and not watcher.problems, watcher.problems[:3]
    return "close, reveal, extend, void, kick and end do what they should; results after " + ", ".join(f"{after:.2f} s" for after in results.values())


def open_is_open(show):
    assert not show.not_open, f"the state says that a question is open, and answers at once are `unknown-question`: {show.not_open}"
    return "as soon as the state says that a question is open, it takes answers"


def messages_hold(show):
    assert show.first.status == 200 and show.second == 409, f"two hosts: {show.first.status} and {show.second}"
    counts = collections.Counter(name for _, name, _ in show.heard)
    for name, number in [("started", 1), ("asked", QUESTIONS), ("decision", 4), ("voided", 2), ("kicked", 1), ("ended", 1)]:
        assert counts[name] == number, f"{counts[name]} messages {name} and not {number}"
    numbers = [number for number, _, _ in show.heard if number is not None]
    assert numbers == sorted(set(numbers)), "the messages' numbers are not in order"
    assert [message for message in show.again_heard if message[0] is not None][:len(show.expected)] == show.expected, "what comes again is other than what came"
    leaks = [message for message in show.heard if any(word in json.dumps(message) for word in ("correct", "salt", "points"))]
    assert not leaks, leaks[:2]
    return f"{len(show.heard)} messages, again from where a host was; a second host is told"


def restart_holds(show):
    changed = [number for number, (left, right) in enumerate(zip(show.boards, show.again), 1) if left != right]
    assert len(show.boards) == len(show.again) and not changed, f"the boards {changed} are others after a restart: " + "; ".join(
        f"{member(show.boards[number - 1], 'scoreboard')[:260]} and {member(show.again[number - 1], 'scoreboard')[:260]}" for number in changed)
    return f"all {len(show.boards)} boards are the same after a restart"


def replay_agrees(show):
    done = finished(show.options.cuelight, "replay", "--json", "--top", BOARD, "--answers", show.folder / "record.ndjson", show.folder / "show.ts")
    # Replay shows a board of a question without a result, too, on which nobody has gained anything.
    lines = [line for line in done.stdout.splitlines() if line.startswith('{"type":"scoreboard"') and json.loads(line)["scored"]]
    boards = [board for board in (member(text, "scoreboard") for text in show.boards) if board]
    # A result that had to wait for the last answer may lie between two frames; who watches learns of it with the next one.
    later = sum(left != right for left, right in zip(boards, lines))
    changed = [number for number, (left, right) in enumerate(zip(boards, lines), 1) if untimed(left) != untimed(right)]
    assert len(boards) == len(lines) and not changed, f"{len(boards)} boards, {len(lines)} scoreboards of replay; others are {changed}: " + "; ".join(
        f"{boards[number - 1][:260]} and {lines[number - 1][:260]}" for number in changed)
    return f"{len(boards)} scoreboards, byte for byte; {later} of them are seen a frame later"


PROOFS = {"commands": commands_hold, "open": open_is_open, "messages": messages_hold, "restart": restart_holds, "replay": replay_agrees}


def run(lines, options):
    show = Show(options)
    show.play()
    lines.prove_all("hosts", PROOFS, show)


if __name__ == "__main__":
    prove_and_end(run, "server", "cuelight", "clip", seed=1)
