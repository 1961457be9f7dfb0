"""Kills a game server again and again while answers come in as fast as they can, and proves that no promise is broken, and prints a line for each fact.

    python3 -m proofs.hosting.crash --server PROGRAM --cuelight PROGRAM --clip CLIP --folder FOR_ITS_FILES [--kills 50] [--players 300] [--connections 48] [--seed 1]

Half of the kills come at any moment, half around the instant at which a result is decided. An answer that was acknowledged must be in the record, and each
question must have one result.
"""

import collections
import json
import random
import time

from proofs.facts import prove_and_end
from proofs.hosting.game import STREAM_TOKEN, Crowd, Player, Server, Watcher, join_all, member, untimed, write_quiz, write_tokens
from proofs.processes import finished, wait_until
from proofs.wire import ticks
from proofs.witnesses.audience import Recount, end_of, questions_of

TIME, DELAY, PAUSE = 3, 1, 1
# A player may send five answers a second.
SPACING = 0.21
SCORING = "right"
BOARD = 100
# What kills take of the programme's time in all, in seconds, at most.
LARGEST_GAP = 900


class Show:
    """A show of many questions, over all servers that play it."""

    def __init__(self, options):
        self.options, self.folder = options, options.folder
        # A question and its result take a little more than five seconds, which is about what passes between two kills.
        self.questions = max(options.kills * 6 // 5, 3)
        write_quiz(self.folder / "quiz.json", self.questions, options.seed)
        self.tokens = write_tokens(self.folder / "tokens")
        self.watcher, self.messages, self.starts = Watcher(), [], []
        self.reveal, self.kills_within = None, 0

    def server(self):
        started = time.monotonic()
        server = Server(
            self.options.server, self.folder / "data", "--input", self.options.clip, "--loop", "--quiz", self.folder / "quiz.json",
            "--delay", DELAY, "--time", TIME, "--pause", PAUSE, "--start-in", 5, "--segment-duration", 1, "--scoring", SCORING,
            "--token-file", self.tokens, log=self.folder / "server.log")
        self.starts.append(time.monotonic() - started)
        return server

    def follow(self, server, crowd):
        """Tells the crowd which question is open; returns how far the game is."""
        state = server.state()
        question = state["question"]
        if state["phase"] not in ("open", "closed") or question["opensAt"] is None:
            crowd.question = self.reveal = None
        elif crowd.question is None or crowd.question[0] != question["guid"]:
            crowd.follow(question, TIME, question["opensAt"])
            self.reveal = time.monotonic() + TIME + DELAY
        return state["phase"]

    def go_on(self, server, crowd, seconds, aims):
        """Plays for so many seconds, or until so many after the next reveal instant; returns whether the game goes on."""
        end = time.monotonic() + (30 if aims else seconds)
        while time.monotonic() < end:
            if self.follow(server, crowd) == "ended":
                return False
            if aims and self.reveal is not None:
                end, aims = self.reveal + seconds, False
            time.sleep(0.01)
        return True

    def play(self):
        options = self.options
        chance = random.Random(options.seed)
        players = [Player(f"Player {number}", chance) for number in range(options.players)]
        crowd = self.crowd = Crowd(players, options.connections, options.seed, SPACING)
        for run in range(options.kills + 1):
            with self.server() as server:
                if run == 0:
                    self.game = crowd.game = server.game
                    join_all(server, players)
                assert server.game == self.game, f"after the restart it is the game {server.game} and not {self.game}"
                self.watcher.begin(server.port)
                crowd.port = server.port
                if run == options.kills:
                    wait_until(lambda: self.follow(server, crowd) == "ended", self.questions * 15, "the game ends")
                    self.finish(server)
                else:
                    aims = chance.random() < 0.5
                    self.kills_within += self.go_on(server, crowd, chance.uniform(-0.1, 0.4) if aims else chance.uniform(0.1, 6), aims)
                    server.kill()
                    crowd.port = None
                self.messages += server.messages

    def finish(self, server):
        """Reads all that the last server says of the game."""
        self.crowd.end()
        wait_until(lambda: self.watcher.of("endGame"), 15, "the end is in the stream")
        loaded = len(self.watcher.segments)
        wait_until(lambda: len(self.watcher.segments) > loaded + 1, 15, "the end's segment is complete")
        self.watcher.end()
        with server.client() as client:
            answer = client.get("/v1/streams/live/events", STREAM_TOKEN)
            assert answer.status == 200, answer
            self.listed = answer.object["events"]
            self.record = client.get(server.path("record"), server.host_token).body
            version = client.get(server.path("board")).object["version"]
            self.boards = [client.get(server.path(f"board/{number}")).body.decode() for number in range(1, version + 1)]
        self.took = server.stop()
        (self.folder / "record.ndjson").write_bytes(self.record)
        self.presentation = self.watcher.save(self.folder / "hls")

    @property
    def events(self):
        return sorted(self.watcher.events.values(), key=lambda event: event["sequence"])


def answers_hold(show):
    crowd = show.crowd
    lines = [json.loads(line) for line in show.record.splitlines()]
    found = collections.Counter(
        (line["player"], line["question"], line["answer"], ticks(str(line["time"]))) for line in lines if "question" in line)
    lost = crowd.acknowledged - found.keys()
    assert not lost, f"{len(lost)} of {len(crowd.acknowledged)} acknowledged answers are not in the record: {list(lost)[:3]}"
    foreign = found.keys() - crowd.sent
    assert not foreign, f"{len(foreign)} answers are in the record that nobody sent: {list(foreign)[:3]}"
    twice = [key for key, count in found.items() if count > 1]
    assert not twice, f"{len(twice)} answers are in the record more than once: {twice[:3]}"
    return (f"all {len(crowd.acknowledged)} acknowledged answers of {len(crowd.sent)} sent are in the record once, and {len(found) - len(crowd.acknowledged)} "
            "whose acknowledgement a kill took")


def refusals_hold(show):
    # Right after a start there is no stream yet to judge an answer by: 503, and it may be sent again.
    right = {(503, "overloaded"), (429, "rate-limited"), *((409, kind) for kind in ("too-late", "ahead-of-live", "too-far-behind", "after-reveal"))}
    wrong = set(show.crowd.others) - right
    assert not wrong, f"answers at positions in time are refused otherwise: {show.crowd.others}"
    return ", ".join(f"{count} {kind}" for (_, kind), count in show.crowd.others.items()) or "none"


def events_hold(show):
    counts = collections.Counter(event["cue"]["event"] for event in show.listed)
    for kind, number in [("startGame", 1), ("askQuestion", show.questions), ("showResults", show.questions), ("endGame", 1)]:
        assert counts[kind] == number, f"{counts[kind]} events {kind} and not {number}"
    numbers = [event["cue"]["questionNumber"] for event in show.listed if event["cue"]["event"] == "showResults"]
    assert sorted(numbers) == list(range(1, show.questions + 1)), f"the results are of the questions {sorted(numbers)}"
    assert len({event["guid"] for event in show.listed}) == len(show.listed), "two events have one GUID"
    assert sorted(event["sequence"] for event in show.listed) == list(range(1, len(show.listed) + 1)), "places are missing"
    lost = [event for event in show.listed if event["state"] not in ("placed", "published") and event["cue"]["event"] != "periodicInfo"]
    assert not lost, f"{len(lost)} events are not in the stream: {lost[:2]}"
    return f"{show.questions} questions with one result each and one end, in places 1 to {len(show.listed)}"


def stream_holds(show):
    watcher = show.watcher
    assert not watcher.problems, f"{len(watcher.problems)} problems: {watcher.problems[:3]}"
    listed = {event["guid"]: event for event in show.listed}
    strangers = watcher.events.keys() - listed.keys()
    assert not strangers, f"{len(strangers)} events are in the segments and not listed"
    missing = [event["cue"]["event"] for guid, event in listed.items() if guid not in watcher.events and event["cue"]["event"] != "periodicInfo"]
    assert not missing, f"{len(missing)} events are in no segment that was loaded: {missing[:5]}"
    results = [event["questionGuid"] for event in watcher.of("showResults")]
    assert results == [event["guid"] for event in watcher.of("askQuestion")], "the results are not those of the questions, in their order"
    assert len(watcher.of("endGame")) == 1, "more than one end"
    moved = [guid for guid, event in watcher.events.items() if int(event["sequence"]) != listed[guid]["sequence"]]
    assert not moved, f"{len(moved)} events have another place in the stream than is listed"
    return f"{len(watcher.segments)} segments with {watcher.copies} tags say the same: {len(watcher.events)} events, all copies alike"


def reader_agrees(show):
    """What the reader finds in the saved presentation, copy by copy: each question with one result, and all copies of an event with one content."""
    contents, copies = {}, 0
    for line in map(json.loads, finished(show.options.cuelight, "inspect", "--json", show.presentation).stdout.splitlines()):
        if line["type"] != "copy":
            continue
        copies += 1
        known = contents.setdefault(line["guid"], line["event"])
        assert known == line["event"], f"two copies of one event differ: {known} and {line['event']}"
    asked = collections.Counter(guid for guid, event in contents.items() if event["eventType"] == "askQuestion")
    shown = collections.Counter(event["questionGuid"] for event in contents.values() if event["eventType"] == "showResults")
    ends = sum(event["eventType"] == "endGame" for event in contents.values())
    assert len(asked) == show.questions and shown == asked, f"{len(asked)} questions, and results of {dict(shown)}"
    assert ends == 1, f"{ends} ends"
    return f"one result for each of {len(asked)} questions, and one end, in {copies} copies"


def verify_agrees(show):
    """Each event that was acknowledged is in the presentation once, with that content, and no other. Kills let segments and their times go by."""
    cues = []
    for event in show.listed:
        if event["guid"] in show.watcher.events:
            cue = {key: value for key, value in event["cue"].items() if key not in ("game", "expires")}
            cues.append(cue | {"at": f"{event['at']:.5f}s"})
    sheet = show.folder / "sheet.json"
    sheet.write_text(json.dumps({"game": show.game, "cues": cues}))
    done = finished(show.options.cuelight, "verify", show.presentation, "--cues", sheet, "--tolerance", LARGEST_GAP)
    return done.stdout.splitlines()[0].split(": ", 1)[1]


def results_are_right(show):
    recount = Recount(questions_of(show.events), [json.loads(line) for line in show.record.splitlines()], SCORING, end_of(show.events))
    for result, counted in zip(show.watcher.of("showResults"), recount.counted, strict=True):
        number = result["questionNumber"]
        assert result["counts"] == counted["counts"], f"question {number}: {result['counts']} in the stream, {counted['counts']} counted again"
        best = [{"nickname": line["player"], "score": line["score"]} for line in counted["leaders"][:3]]
        assert result["leaderboard"] == best, f"question {number}: the leaders are {result['leaderboard']} in the stream, {best} counted again"
    (end,) = show.watcher.of("endGame")
    winners = recount.winners()
    assert end["winners"] == winners[:len(end["winners"])] and end["winners"], f"{end['winners']} in the stream, {winners} counted again"
    return f"the counts, leaders and winners of the record, counted again; {sum(sum(counted['counts']) for counted in recount.counted)} answers count"


def replay_agrees(show):
    done = finished(
        show.options.cuelight, "replay", "--json", "--scoring", SCORING, "--top", BOARD, "--answers", show.folder / "record.ndjson", show.presentation)
    replayed = [line for line in done.stdout.splitlines() if line.startswith('{"type":"scoreboard"')]
    boards = [board for board in (member(text, "scoreboard") for text in show.boards) if board]
    assert len(boards) == len(replayed) == show.questions, f"{len(boards)} boards, {len(replayed)} scoreboards of replay"
    later = 0
    for number, (ours, theirs) in enumerate(zip(boards, replayed), 1):
        # Where a kill took the segment with a result, who watches learns of it from the next one.
        assert untimed(ours) == untimed(theirs), f"board {number} is {ours[:400]}, replay says {theirs[:400]}"
        later += ours != theirs
    return f"{len(boards)} scoreboards, byte for byte; {later} of them are seen later, because a kill took the segment with the result"


def servers_hold(show):
    assert show.took[1] in (0, 130), f"SIGTERM: status {show.took[1]}"
    assert show.kills_within >= show.options.kills * 0.8, f"only {show.kills_within} of {show.options.kills} kills were before the end"
    return (f"{show.kills_within} of {show.options.kills} kills before the end; starts take {max(show.starts):.2f} s at most; "
            f"{len(show.messages)} messages, SIGTERM {show.took[0]:.2f} s")


PROOFS = {
    "answers": answers_hold, "refusals": refusals_hold, "events": events_hold, "stream": stream_holds, "results": results_are_right,
    "reader": reader_agrees, "verify": verify_agrees, "replay": replay_agrees, "servers": servers_hold}


def run(lines, options):
    show = Show(options)
    show.play()
    lines.prove_all(f"{options.kills} kills", PROOFS, show)


if __name__ == "__main__":
    prove_and_end(run, "server", "cuelight", "clip", kills=50, players=300, connections=48, seed=1)
