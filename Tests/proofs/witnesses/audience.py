"""Counts the answers of an audience again, as simply as can be, and compares that with what `cuelight replay` says.

    python3 -m proofs.witnesses.audience --cuelight PROGRAM --stream STREAM --folder FOR_ITS_FILES
"""

import json
import random
from decimal import Decimal

from proofs.facts import prove_and_end
from proofs.witnesses.media import run

RULES = [
    "right", "first", "points", "speed:1000:500", "right+speed:100+streak:10", "streak:5:3", "elimination", "elimination:2",
    "first:3+elimination:1:answered", "right+first+points+speed:60+streak:7+elimination:3:answered",
]


def ticks(seconds):
    """Seconds as ticks of 90 kHz."""
    return int((Decimal(seconds) * 90_000).to_integral_value())


def seconds(ticks):
    """Ticks of 90 kHz as seconds, with as many digits as lead back to the same tick."""
    return float(round(Decimal(ticks) / 90_000, 6))


def lines(text):
    return [json.loads(line, parse_float=Decimal) for line in text.splitlines()]


def questions_of(events):
    """The questions of a game, in order: when they take answers, which is right, what each answer is worth."""
    questions = []
    for event in events:
        now = ticks(event["at"])
        ends_question = event["eventType"] in ("askQuestion", "showResults", "endGame")
        if ends_question and questions:
            questions[-1]["closes"] = max(min(questions[-1]["closes"], now), questions[-1]["opens"])
        if event["eventType"] == "askQuestion":
            questions.append({
                "guid": event["guid"], "number": event["questionNumber"], "answers": len(event["answers"]), "opens": now,
                "allotted": ticks(event["allottedTime"]), "closes": now + ticks(event["allottedTime"]), "right": None, "points": None,
                "shown": None})
        elif event["eventType"] == "showResults":
            (question,) = [question for question in questions if question["guid"] == event["questionGuid"]]
            question["right"], question["points"], question["shown"] = event["correctAnswer"], event.get("points"), now
        elif event["eventType"] == "endGame":
            break
    return questions


def end_of(events):
    """When the game ends."""
    return next(ticks(event["at"]) for event in events if event["eventType"] == "endGame")


def write_answers(path, questions, seed):
    """People who change their minds, answer too early, too late, at the first and the last tick, before they join, and twice the same."""
    chance = random.Random(seed)
    borders = [question[key] + shift for question in questions for key in ("opens", "closes", "shown") for shift in (-1, 0, 1)]
    written = []
    for index in range(60):
        player = f"{chance.choice(['ann', 'Ben', 'Émile', '水銀', 'zoë'])} {index}"
        joins = chance.choice([None, None, chance.choice(borders), chance.randrange(questions[-1]["shown"] + 90_000)])
        if joins is not None:
            written.append({"player": player, "joinedAt": seconds(joins)})
        elif chance.random() < 0.5:
            written.append({"player": player})
        # Some know a lot, so that somebody is left.
        wisdom = chance.choice([0, 0.5, 0.95])
        for question in questions:
            opens, closes = question["opens"], question["closes"]
            for _ in range(chance.choice([0, 1, 1, 2, 3, 9])):
                moment = chance.choice([opens - 1, opens, closes - 1, closes, opens - 45_000, closes + 45_000] + 6 * [chance.randrange(opens, closes)])
                answer = question["right"] if chance.random() < wisdom else chance.randrange(question["answers"] + (chance.random() < 0.1))
                record = {
                    "player": player, "question": question[chance.choice(["number", "guid"])], "answer": answer, "time": seconds(moment)}
                written += chance.choice([1, 1, 1, 2]) * [record]
                if chance.random() < 0.2:
                    written.append(record | {"answer": chance.randrange(question["answers"])})
                # A server has seen some of them arrive, in another order.
                if chance.random() < 0.2:
                    written.append(record | {"answer": chance.randrange(question["answers"]), "arrival": len(written)})
    chance.shuffle(written)
    path.write_text("".join(json.dumps(record) + "\n" for record in written))
    return lines(path.read_text())


def rules_of(text):
    """The rules as a dictionary of lists of numbers."""
    rules = {}
    for part in text.split("+"):
        name, *numbers = part.split(":")
        rules[name] = [number if number in ("answered", "exact") else int(number) for number in numbers]
    return rules


def by_name(player):
    """Within a rank the bytes of nicknames decide, letters of ASCII in either case alike."""
    return player.encode().lower()


class Recount:
    """Everything counted again, question by question, player by player."""

    def __init__(self, questions, records, rules, end):
        self.rules = rules_of(rules)
        elimination = self.rules.get("elimination")
        self.chances = None if elimination is None else (elimination or [0])[0]
        self.forgives_missed = "answered" in (elimination or [])
        self.players = list(dict.fromkeys(record["player"] for record in records))
        self.joined = dict.fromkeys(self.players, float("-inf"))
        self.joined |= {record["player"]: ticks(record["joinedAt"]) for record in records if "joinedAt" in record}
        self.end = end
        self.score, self.right, self.answered = ({player: 0 for player in self.players} for _ in range(3))
        self.streak, self.mistakes, self.late = ({player: 0 for player in self.players} for _ in range(3))
        self.out = {}
        self.last_close = max(question["closes"] for question in questions)
        self.counted = [self.count(question, records) for question in questions]

    def count(self, question, records):
        given = {
            (record["player"], record["answer"], ticks(record["time"]), record.get("arrival", 0)): record for record in records
            if record.get("question") in (question["guid"], question["number"])}.values()
        known = [record for record in given if record["answer"] < question["answers"]]
        in_time = [record for record in known if question["opens"] <= ticks(record["time"]) < question["closes"]]
        there = [record for record in in_time if ticks(record["time"]) >= self.joined[record["player"]]]
        # Of changed answers the one that arrived last, or else the last one in time; of one tick the one with the smallest index.
        last = {record["player"]: record for record in sorted(
            there, key=lambda record: (record.get("arrival", 0), ticks(record["time"]), -record["answer"]))}
        # A change counts as given at the latest of their times.
        latest = {player: max((record["time"] for record in there if record["player"] == player), key=ticks) for player in last}
        last = {player: record | {"time": latest[player]} for player, record in last.items()}
        chosen = {player: record for player, record in last.items() if player not in self.out}
        refused = len(given) - len(known) + len(in_time) - len(there) + len(last) - len(chosen)
        counts = [sum(record["answer"] == answer for record in chosen.values()) for answer in range(question["answers"])]
        first = min((ticks(record["time"]) for record in chosen.values() if record["answer"] == question["right"]), default=None)
        for player in self.players:
            # What was over before somebody joined was not missed.
            if self.joined[player] >= question["closes"]:
                self.late[player] += 1
            elif player not in self.out:
                self.judge(player, chosen.get(player), question, first)
        board = self.board(question["shown"])
        return {
            "time": question["shown"], "counts": counts, "taken": len(chosen), "otherwiseRefused": refused,
            "tooLate": sum(ticks(record["time"]) >= question["closes"] for record in known),
            "tooEarly": sum(ticks(record["time"]) < question["opens"] for record in known),
            "players": len(board), "playersLeft": sum(line["outAt"] is None for line in board), "leaders": board}

    def judge(self, player, record, question, first):
        is_right = record is not None and record["answer"] == question["right"]
        self.streak[player] = self.streak[player] + 1 if is_right else 0
        if record is not None:
            self.answered[player] += 1
            self.right[player] += is_right
            self.score[player] += self.award(player, record, is_right, question, first)
        if self.chances is not None and not is_right and (record is not None or not self.forgives_missed):
            self.mistakes[player] += 1
            if self.mistakes[player] > self.chances:
                self.out[player] = question["number"]

    def award(self, player, record, is_right, question, first):
        rules = self.rules
        award = 0
        if "right" in rules or not rules.keys() & {"first", "points", "speed"}:
            award += is_right * (rules.get("right") or [1])[0]
        if "first" in rules and is_right and ticks(record["time"]) == first:
            award += (rules["first"] or [1])[0]
        if "points" in rules:
            award += question["points"][record["answer"]] if question["points"] else is_right
        if "speed" in rules and is_right:
            most, least, exact = (rules["speed"] + [0, 0])[:2] + [rules["speed"][2:] == ["exact"]]
            passed = ticks(record["time"]) - question["opens"]
            left = max(question["allotted"] - (passed if exact else passed - passed % 90_000), 0)
            award += least + (most - least) * left // question["allotted"]
        if "streak" in rules and is_right:
            points, length = (rules["streak"] + [2])[:2]
            award += points if self.streak[player] >= length else 0
        return award

    def board(self, time):
        """All players who had joined by a time, in order, with their ranks."""
        key = {player: (player in self.out, -self.score[player], self.late[player]) for player in self.players if self.joined[player] <= time}
        order = sorted(key, key=lambda player: (key[player], by_name(player)))
        first = {}
        for place, player in enumerate(order):
            first.setdefault(key[player], place + 1)
        return [{
            "rank": first[key[player]], "player": player, "score": self.score[player], "right": self.right[player],
            "answered": self.answered[player], "outAt": self.out.get(player)} for player in order]

    def winners(self):
        left = [player for player in self.players if player not in self.out and self.joined[player] <= self.end]
        if self.rules.keys() == {"elimination"}:
            return sorted((player for player in left if self.joined[player] < self.last_close), key=by_name)
        best = max(((self.score[player], -self.late[player]) for player in left), default=(0, 0))
        return sorted((player for player in left if best[0] > 0 and (self.score[player], -self.late[player]) == best), key=by_name)


def events_of(cuelight, stream):
    """Each event of a stream once, in order."""
    copies = lines(run(cuelight, "inspect", "--json", stream))
    events = {line["event"]["guid"]: line["event"] for line in copies if line["type"] == "copy"}
    return sorted(events.values(), key=lambda event: event["sequence"])


def said(text):
    """What `replay --json` says of the audience."""
    found = {"scoreboard": [], "winner": [], "player": []}
    for line in lines(text):
        if line["type"] in found:
            found[line["type"]].append(line)
    return found


def compare(found, recount, rules):
    assert len(found["scoreboard"]) == len(recount.counted) > 0, f"{rules}: {len(found['scoreboard'])} scoreboards"
    for line, counted in zip(found["scoreboard"], recount.counted):
        where = f"{rules}: question {line['number']}"
        assert ticks(line["time"]) == counted["time"], f"{where}: the scoreboard is of {line['time']}"
        for key in ("counts", "taken", "tooLate", "tooEarly", "otherwiseRefused", "players", "playersLeft"):
            assert line[key] == counted[key], f"{where}: {key} is {line[key]}, counted are {counted[key]}"
        assert sum(line["counts"]) == line["taken"], f"{where}: the counts do not add up"
        assert line["leaders"] == counted["leaders"], f"{where}: the scoreboard is another one"
    players = [{key: value for key, value in line.items() if key not in ("type", "game")} for line in found["player"]]
    assert players == recount.board(recount.end), f"{rules}: the players' results differ"
    assert [line["player"] for line in found["winner"]] == recount.winners(), f"{rules}: the winners differ"


def scoreboards_are_right(cuelight, stream, folder, bots="random:1000,perfect:3,late:50,sleepy:10", rules=RULES):
    """Bots and people play, their answers are counted again for each rule, and the same answers, read from their record, score the same."""
    events = events_of(cuelight, stream)
    questions = questions_of(events)
    written, record = folder / f"{stream.stem}-people.ndjson", folder / f"{stream.stem}-answers.ndjson"
    people = write_answers(written, questions, seed=6)
    names = {line["player"] for line in people}
    audience = ["--answers", written, "--bots", bots]
    run(cuelight, "replay", *audience, "--record-answers", record, "--force", stream)
    # What the bots have answered is known from the record alone, what the people have is known without it.
    records = people + [line for line in lines(record.read_text()) if line["player"] not in names]
    for text in rules:
        options = ["--json", "--top", "all", "--scoring", text, stream]
        played = run(cuelight, "replay", *audience, *options)
        assert played == run(cuelight, "replay", "--answers", record, *options), f"{text}: the record scores otherwise than the game"
        compare(said(played), Recount(questions, records, text, end_of(events)), text)
    answers, players = sum("question" in line for line in records), len({line["player"] for line in records})
    return (
        f"{answers} answers of {len(names)} people and {players - len(names)} bots, counted again by {len(rules)} rules: all scoreboards are right")


def emitted_results_are_real(cuelight, stream, folder, video):
    """The cue sheet that `--emit-results` writes can be stamped, and its results are those of the audience."""
    sheet, stamped = folder / f"{stream.stem}-results.yaml", folder / f"{stream.stem}-results.ts"
    record = folder / f"{stream.stem}-answers.ndjson"
    run(cuelight, "replay", "--answers", record, "--emit-results", sheet, "--force", "--top", 5, stream)
    run(cuelight, "stamp", video, "--cues", sheet, "-o", stamped, "--force")
    run(cuelight, "verify", stamped, "--cues", sheet)
    before, after = events_of(cuelight, stream), events_of(cuelight, stamped)
    recount = Recount(questions_of(before), lines(record.read_text()), "right", end_of(before))
    results = [event for event in after if event["eventType"] == "showResults"]
    for event, counted in zip(results, recount.counted, strict=True):
        assert event["counts"] == counted["counts"], f"the counts of question {event['questionNumber']} are not those of the audience"
        # Ten, or as many as fit a tag.
        best = [{"nickname": line["player"], "score": line["score"]} for line in counted["leaders"][:10]]
        assert len(event["leaderboard"]) >= 5 and event["leaderboard"] == best[:len(event["leaderboard"])], f"the leaderboard after question {event['questionNumber']} is another one"
    (end,) = [event for event in after if event["eventType"] == "endGame"]
    winners = recount.winners()
    assert end["winners"] and end["winners"] == winners[:len(end["winners"])], "the winners are others"
    for old, new in zip(before, after, strict=True):
        if old["eventType"] not in ("showResults", "endGame"):
            assert old["guid"] == new["guid"] and old["at"] == new["at"], f"the {old['eventType']} at {old['at']} has become another event"
    answers = ["--json", "--answers", record]
    found = [said(run(cuelight, "replay", *answers, source)) for source in (stream, stamped)]
    assert found[0] == found[1], "the stamped results score otherwise"
    return f"the results of {len(results)} questions, stamped from --emit-results, are those of the audience, and the stream scores the same"


def count_again(lines, options):
    lines.fact(scoreboards_are_right(options.cuelight, options.stream, options.folder))


if __name__ == "__main__":
    prove_and_end(count_again, "cuelight", "stream", keeps_folder=True)
