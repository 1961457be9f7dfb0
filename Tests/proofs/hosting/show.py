"""Plays a whole show with a game server, end to end, counts everything again, and prints a line for each fact.

    python3 -m proofs.hosting.show --server PROGRAM --cuelight PROGRAM --clip CLIP --folder FOR_ITS_FILES [--players 200] [--questions 3] [--seed 1]

The players know nothing but the stream: they load its segments, find the questions in them, and answer at the position where they are.
"""

import collections
import heapq
import json
import queue
import random
import shutil
import threading
import time

from proofs.facts import prove_and_end
from proofs.hosting.game import Player, Server, Watcher, join_all, member, write_quiz, written
from proofs.processes import ffmpeg, finished, wait_until
from proofs.wire import ticks
from proofs.witnesses.audience import Recount, end_of, questions_of

SCORING = "speed:1000:500+streak:50"
# Seconds: of a question, of what viewers may be behind, of a result. The players act by the clock of this machine, which may be busy.
TIME, DELAY, PAUSE = 8, 10, 2
# The most players of a board.
BOARD = 100
# The most seconds by which a result may come behind the reveal instant.
MOST_LATE = 8
# By how much the edge's time may be ahead of the frame that an event goes to: two or three frames.
FRAMES = 0.12
# How far behind the one who loads the segments the last players are, in seconds.
MOST_LAG = 0.7
LATE_JOINERS = 10
OFFLINE = "Oona Offline"
CONNECTIONS = 12
# The statuses of what becomes of answers, where they are not 409.
STATUSES = {"recorded": 202, "unknown-question": 404}


class Crowd:
    """The players, who act on what is in the stream."""

    def __init__(self, server, players, seed):
        self.server, self.chance = server, random.Random(f"crowd {seed}")
        self.players = players
        self.lags = {player.nickname: self.chance.uniform(0, MOST_LAG) for player in players}
        self.late = [Player(f"Late {number}", self.chance) for number in range(LATE_JOINERS)]
        self.joined_at = {}
        self.recorded, self.sent = [], collections.Counter()
        self.wrong = []
        self.offline = next(player for player in players if player.nickname == OFFLINE)
        self.waiting = []
        self.plan, self.number, self.lock = [], 0, threading.Lock()
        self.ready = queue.Queue()
        self.questions = []
        self.watcher = Watcher(self.see)
        self.threads = [threading.Thread(target=body, daemon=True) for body in [self.release] + CONNECTIONS * [self.send]]
        self.is_running = True
        for thread in self.threads:
            thread.start()
        self.watcher.begin(server.port)

    def end(self):
        self.is_running = False
        for thread in self.threads:
            thread.join()
        self.watcher.end()

    # What the players do when.

    def at(self, position, act, lag=0.0):
        """Does something when a player who is this much behind has come to a position."""
        moment, start = self.watcher.anchor
        with self.lock:
            self.number += 1
            heapq.heappush(self.plan, (moment + position - start + lag, self.number, act))

    def release(self):
        while self.is_running:
            with self.lock:
                act = heapq.heappop(self.plan)[2] if self.plan and self.plan[0][0] <= time.monotonic() else None
            if act:
                self.ready.put(act)
            else:
                time.sleep(0.002)

    def send(self):
        with self.server.client() as client:
            while self.is_running:
                try:
                    act = self.ready.get(timeout=0.1)
                except queue.Empty:
                    continue
                try:
                    act(client)
                except Exception as error:
                    self.wrong.append(f"{type(error).__name__}: {error}")

    # What they see.

    def see(self, event):
        if event["eventType"] == "askQuestion":
            self.questions.append(event)
            self.see_question(event)
        elif event["eventType"] == "showResults":
            self.see_results(event)

    def see_question(self, event):
        opens, guid = ticks(event["at"]), event["guid"]
        closes, answers = opens + ticks(event["allottedTime"]), len(event["answers"])
        if len(self.questions) == 2:
            for player in self.late:
                self.join_late(player, opens, closes, guid, answers)
        for player in self.players:
            if player is self.offline:
                # Of the last moments, so that it is not too far behind when it comes.
                self.waiting.append((guid, self.chance.randrange(answers), written(closes - 1 - self.chance.randrange(45_000))))
            else:
                self.plan_answers(player, opens, closes, guid, answers)

    def plan_answers(self, player, opens, closes, guid, answers):
        """One player's answers to one question."""
        chance = self.chance
        kind = chance.choices(
            ["once", "changes", "twice", "late", "early", "ahead", "unknown answer", "unknown question", "silent"],
            [64, 20, 8, 6, 5, 4, 3, 3, 6])[0]
        moment = chance.randrange(opens + 9_000, closes - 9_000)
        answer = chance.randrange(answers)
        if kind in ("once", "changes", "twice"):
            self.later(player, moment, "recorded", (guid, answer, moment))
        if kind == "changes":
            for _ in range(chance.randrange(1, 4)):
                moment = chance.randrange(moment, closes)
                self.later(player, moment, "recorded", (guid, chance.randrange(answers), moment))
        elif kind == "twice":
            self.later(player, moment, "recorded", (guid, answer, moment))
        elif kind == "late":
            moment = closes + chance.randrange(45_000)
            self.later(player, moment, "too-late", (guid, answer, moment))
        elif kind == "early":
            self.later(player, opens, "too-early", (guid, answer, opens - 1 - chance.randrange(180_000)))
        elif kind == "ahead":
            self.later(player, opens, "ahead-of-live", (guid, answer, closes - 1))
        elif kind == "unknown answer":
            self.later(player, moment, "unknown-answer", (guid, answers + chance.randrange(3), moment))
        elif kind == "unknown question":
            self.later(player, moment, "unknown-question", (guid[:-4] + "0000", answer, moment))

    def later(self, player, moment, expected, answer):
        """Lets a player send an answer when it is at a position."""
        self.at(moment / 90_000, lambda client: self.send_now(client, player, expected, answer), self.lags.get(player.nickname, 0))

    def see_results(self, event):
        """Some try again once they know."""
        question = next(asked for asked in self.questions if asked["guid"] == event["questionGuid"])
        moment = ticks(question["at"]) + self.chance.randrange(TIME * 90_000)
        for player in self.chance.sample(self.players, 5):
            answer = question["guid"], event["correctAnswer"], moment
            self.ready.put(lambda client, player=player: self.send_now(client, player, "after-reveal", answer))

    def join_late(self, player, opens, closes, guid, answers):
        """Joins within a question, answers it, and cannot answer as of a time before that."""
        joins = self.chance.randrange(opens + 45_000, closes - 180_000)
        answer = self.chance.randrange(answers)
        self.at(joins / 90_000, lambda client: self.join_now(client, player, joins))
        self.later(player, joins + 45_000, "too-early", (guid, answer, joins - 9_000))
        self.later(player, joins + 90_000, "recorded", (guid, answer, joins + 90_000))

    def join_now(self, client, player, moment):
        answer = player.join(client, self.server, written(moment))
        assert answer.status == 201, f"{player.nickname} cannot join: {answer}"
        self.joined_at[player.nickname] = written(moment)

    def send_now(self, client, player, expected, answer):
        """Sends an answer (question, index, ticks), of which that must become what is expected."""
        guid, index, moment = answer
        # Who comes late may still be joining, on another connection.
        wait_until(lambda: player.token, 30, f"{player.nickname} has joined")
        said = player.answer(client, self.server, (guid, index, written(moment)))
        self.sent[expected] += 1
        if (said.status, said.kind) != (STATUSES.get(expected, 409), None if expected == "recorded" else expected):
            self.wrong.append(f"{player.nickname} sends {index} to {guid} as of {written(moment)}, which must be {expected}: {said}")
        if said.status == 202:
            self.recorded.append({"player": player.nickname, "question": guid, "answer": index, "time": written(moment)})

    # Not at a position.

    def come_back(self):
        """Who was offline sends the answers to all questions in one request: those that are decided are too late for that."""
        guid, _, at = self.waiting[-1]
        results = (len(self.waiting) - 1) * ["after-reveal"] + ["recorded"]
        with self.server.client() as client:
            answer = self.offline.answer(client, self.server, *self.waiting)
        assert answer.status == 202 and answer.object["results"] == results, f"{results} is expected: {answer}"
        self.recorded.append({"player": OFFLINE, "question": guid, "answer": self.waiting[-1][1], "time": at})

    def say_presence(self):
        """Everybody who watches says so."""
        with self.server.client() as client:
            for player in self.players:
                assert client.call("POST", self.server.path("presence"), b"", token=player.token).status == 204


class Show:
    """The show, and all that is known of it afterwards."""

    def __init__(self, options):
        self.options, self.folder = options, options.folder
        self.rights = write_quiz(self.folder / "quiz.json", options.questions, options.seed, "It is this one.", points=True)
        self.clip = self.folder / f"clip{options.clip.suffix}"
        self.make_clip()

    def make_clip(self):
        """Puts the clip behind itself until it is longer than the show: where a stream begins anew, it falls behind the clock."""
        seconds = (self.options.questions + 1) * (TIME + DELAY + PAUSE) + 60
        ffmpeg("-stream_loop", "-1", "-i", self.options.clip, "-t", seconds, "-c", "copy", self.clip)

    def server(self, *arguments, data="data"):
        options = self.options
        return Server(
            options.server, self.folder / data, "--input", self.clip, "--loop", "--quiz", self.folder / "quiz.json", "--delay", DELAY,
            "--time", TIME, "--pause", PAUSE, "--start-in", 3, "--segment-duration", 1, "--scoring", SCORING, *arguments,
            log=self.folder / "server.log")

    def play(self):
        chance = random.Random(self.options.seed)
        self.players = [Player(f"Player {number}", chance) for number in range(self.options.players - 1)] + [Player(OFFLINE, chance)]
        with self.server() as server:
            self.game = server.game
            join_all(server, self.players)
            self.crowd = crowd = Crowd(server, self.players, self.options.seed)
            self.second_tab = self.rejoin(server, self.players[0])
            watcher = crowd.watcher
            for number in range(1, self.options.questions + 1):
                wait_until(lambda: len(watcher.of("askQuestion")) == number, 60, f"question {number} is in the stream")
                # The server counts in intervals of ten seconds. Questions are about two of them apart: so not always at the same time of one.
                time.sleep(3 * (number % 3))
                crowd.say_presence()
                if number == self.options.questions:
                    wait_until(lambda: watcher.position() > float(watcher.of("askQuestion")[-1]["at"]) + TIME, 60, "the last question's time is up")
                    crowd.come_back()
            wait_until(lambda: watcher.of("endGame"), 60, "the end is in the stream")
            loaded = len(watcher.segments)
            wait_until(lambda: len(watcher.segments) > loaded + 1, 60, "the end's segment is complete")
            crowd.end()
            self.read(server)
            self.took = server.stop()
        shutil.copytree(self.folder / "data", self.folder / "backup")
        with self.server() as server:
            self.again = self.boards_of(server)
        with self.server(data="backup") as server:
            self.backup = self.boards_of(server)

    def rejoin(self, server, player):
        """A second tab joins as the same player: the status, and the place before and now."""
        with server.client() as client:
            number = player.number
            return player.join(client, server).status, number, player.number

    def read(self, server):
        """Reads all that the server says of the game."""
        self.boards = self.boards_of(server)
        with server.client() as client:
            self.standings = {player.nickname: client.get(server.path("me"), player.token).object for player in self.players + self.crowd.late}
            answer = client.get(server.path("record"), server.host_token)
            assert answer.status == 200, answer
            self.record = answer.body
        (self.folder / "record.ndjson").write_bytes(self.record)
        (self.folder / "show.ts").write_bytes(self.crowd.watcher.data)

    def boards_of(self, server):
        """The text of each scoreboard."""
        with server.client() as client:
            path = f"/v1/games/{self.game}/board"
            count = client.get(path).object["version"]
            return [client.get(f"{path}/{number}").body.decode() for number in range(1, count + 1)]

    # Counting.

    @property
    def events(self):
        return sorted(self.crowd.watcher.events.values(), key=lambda event: event["sequence"])

    def count(self):
        """Counts again what the players were told."""
        joins = [{"player": player.nickname} for player in self.players]
        joins += [{"player": nickname, "joinedAt": joined_at} for nickname, joined_at in self.crowd.joined_at.items()]
        # Two changes may pass each other on their way: the record says which one arrived first.
        arrivals = {key_of(line): line["arrival"] for line in map(json.loads, self.record.splitlines()) if "question" in line}
        recorded = [line | {"arrival": arrivals.get(key_of(line), 0)} for line in self.crowd.recorded]
        self.recount = Recount(questions_of(self.events), joins + recorded, SCORING, end_of(self.events))


def key_of(line):
    return line["player"], line["question"], line["answer"], ticks(str(line["time"]))


def joins_hold(show):
    status, before, now = show.second_tab
    assert status == 200 and before == now, f"a second tab: status {status}, player {now} and not {before}"
    assert len(show.crowd.joined_at) == LATE_JOINERS, f"{len(show.crowd.joined_at)} of {LATE_JOINERS} have joined within a question"
    return f"{len(show.players)} players, {LATE_JOINERS} more within a question, and a second tab is the same player"


def stream_holds(show):
    watcher, events = show.crowd.watcher, show.events
    assert not watcher.problems, f"{len(watcher.problems)} problems: {watcher.problems[:3]}"
    assert [event["sequence"] for event in events] == list(range(1, len(events) + 1)), "the events' places are not complete"
    counts = collections.Counter(event["eventType"] for event in events)
    count = show.options.questions
    for kind, number in [("startGame", 1), ("askQuestion", count), ("showResults", count), ("endGame", 1)]:
        assert counts[kind] == number, f"{counts[kind]} events {kind} and not {number}"
    results = [event["questionGuid"] for event in watcher.of("showResults")]
    assert results == [event["guid"] for event in watcher.of("askQuestion")], "the results are not those of the questions, in their order"
    assert not any("correctAnswer" in event for event in watcher.of("askQuestion")), "a question tells its answer"
    right = [event["correctAnswer"] for event in watcher.of("showResults")]
    assert right == show.rights, f"the right answers are {right} and not {show.rights}"
    return f"{len(watcher.segments)} segments with {watcher.copies} tags: {len(events)} events, each GUID one event, one result a question, one end"


def answers_hold(show):
    crowd = show.crowd
    assert not crowd.wrong, f"{len(crowd.wrong)} of {sum(crowd.sent.values())} answers: {crowd.wrong[:4]}"
    assert set(crowd.sent) == {"recorded", "too-late", "too-early", "ahead-of-live", "unknown-answer", "unknown-question", "after-reveal"}, crowd.sent
    return ", ".join(f"{count} {name}" for name, count in sorted(crowd.sent.items(), key=lambda item: -item[1]))


def results_come_in_time(show):
    delays = []
    for asked, result in zip(show.crowd.watcher.of("askQuestion"), show.crowd.watcher.of("showResults")):
        delays.append(float(result["at"] - asked["at"]) - TIME - DELAY)
    text = f"results are in the stream {min(delays) * 1000:.0f} to {max(delays) * 1000:.0f} ms behind the reveal instant"
    assert -FRAMES <= min(delays) and max(delays) <= MOST_LATE, text
    return text


def viewers_are_told(show):
    told = [(float(event["at"]), event["viewers"], event["players"]) for event in show.crowd.watcher.of("periodicInfo")]
    places = [int((at + FRAMES) // 10) for at, _, _ in told]
    assert places == list(range(places[0], places[0] + len(places))), f"not one every ten seconds: {told}"
    most = max(viewers for _, viewers, _ in told)
    assert most == len(show.players), f"{most} viewers at most, of {len(show.players)}: {told}"
    assert told[-1][2] == len(show.players) + LATE_JOINERS, f"{told[-1][2]} players at the end"
    return f"every 10 s, {len(told)} times; {most} viewers at most"


def counts_are_right(show):
    recount = show.recount
    for result, counted in zip(show.crowd.watcher.of("showResults"), recount.counted, strict=True):
        number = result["questionNumber"]
        assert result["counts"] == counted["counts"], f"question {number}: {result['counts']} in the stream, {counted['counts']} counted again"
        best = [{"nickname": line["player"], "score": line["score"]} for line in counted["leaders"][:3]]
        assert result["leaderboard"] == best, f"question {number}: the leaders are {result['leaderboard']} in the stream, {best} counted again"
    return f"{sum(sum(counted['counts']) for counted in recount.counted)} answers that count, of {len(show.crowd.recorded)} recorded; leaders as counted again"


def winners_are_right(show):
    (end,) = show.crowd.watcher.of("endGame")
    winners, board = show.recount.winners(), show.recount.board(end_of(show.events))
    assert end["winners"] == winners, f"{end['winners']} in the stream, {winners} counted again"
    best = [{"nickname": line["player"], "score": line["score"]} for line in board[:3]]
    assert end["leaderboard"] == best, f"{end['leaderboard']} in the stream, {best} counted again"
    for line in board:
        told = {key: show.standings[line["player"]][key] for key in ("rank", "score", "right", "answers", "outAt")}
        counted = {"answers" if key == "answered" else key: value for key, value in line.items() if key != "player"}
        assert told == counted, f"{line['player']} is told {told}, counted again {counted}"
    return f"{', '.join(winners)} with {board[0]['score']} points; all {len(board)} players are told their own places"


def record_holds(show):
    lines = [json.loads(line) for line in show.record.splitlines()]
    found = collections.Counter(key_of(line) for line in lines if "question" in line)
    told = collections.Counter(key_of(line) for line in show.crowd.recorded)
    missing, others = told - found, found - told
    assert not missing, f"{sum(missing.values())} answers were recorded and are not in the record: {list(missing)[:3]}"
    assert not others, f"{sum(others.values())} answers in the record that nobody was told of: {list(others)[:3]}"
    joins = {line["player"]: "joinedAt" in line and ticks(str(line["joinedAt"])) for line in lines if "question" not in line}
    expected = {player.nickname: False for player in show.players} | {name: ticks(str(at)) for name, at in show.crowd.joined_at.items()}
    assert joins == expected, f"others have joined, or at other times: {set(joins.items()) ^ set(expected.items())}"
    return f"{len(joins)} players and {sum(found.values())} answers, exactly those that were acknowledged"


def replay_agrees(show):
    """Replays the record against the stream, as it was loaded."""
    folder = show.folder
    done = finished(
        show.options.cuelight, "replay", "--json", "--scoring", SCORING, "--top", BOARD, "--answers", folder / "record.ndjson", folder / "show.ts")
    (folder / "replay.ndjson").write_text(done.stdout)
    said = collections.defaultdict(list)
    for line in done.stdout.splitlines():
        said[json.loads(line)["type"]].append(line)
    boards = [board for board in (member(text, "scoreboard") for text in show.boards) if board]
    assert len(boards) == show.options.questions == len(said["scoreboard"]), f"{len(boards)} boards, {len(said['scoreboard'])} scoreboards of replay"
    for number, (ours, theirs) in enumerate(zip(boards, said["scoreboard"]), 1):
        assert ours == theirs, f"board {number} is {ours[:400]}, replay says {theirs[:400]}"
    # With --json, replay lists all players, and a board the first hundred.
    replayed = said["winner"] + said["player"][:BOARD]
    results = member(show.boards[-1], "results")
    assert results == f"[{','.join(replayed)}]", f"the results are {results[:400]}, replay says {replayed[:4]}"
    summary = json.loads(done.stdout.splitlines()[-1])
    assert (summary["damaged"], summary["lost"], summary["conflicts"]) == (0, 0, 0), summary
    return f"{len(boards)} scoreboards and {len(replayed)} lines of results, byte for byte"


def restart_holds(show):
    assert show.took[1] in (0, 130), f"SIGTERM: status {show.took[1]}"
    assert show.again == show.boards, "another board after the restart: " + next(
        f"{left[:300]} and {right[:300]}" for left, right in zip(show.boards + [""], show.again + [""]) if left != right)
    assert show.backup == show.boards, "another board from a copy of the folder"
    return f"SIGTERM ends it in {show.took[0]:.2f} s; all {len(show.boards)} boards are the same after a restart, and from a copy of the folder"


PROOFS = {
    "joins": joins_hold, "stream": stream_holds, "answers": answers_hold, "in time": results_come_in_time, "viewers": viewers_are_told,
    "results": counts_are_right, "winners": winners_are_right, "record": record_holds, "replay": replay_agrees, "restart": restart_holds}


def run(lines, options):
    show = Show(options)
    show.play()
    show.count()
    lines.prove_all("show", PROOFS, show)


if __name__ == "__main__":
    prove_and_end(run, "server", "cuelight", "clip", players=200, questions=3, seed=1)
