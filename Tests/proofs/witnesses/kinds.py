"""Questions of all kinds: their points are counted again from their definitions, and compared with what `cuelight replay` says.

    python3 -m proofs.witnesses.kinds --cuelight PROGRAM --video CLIP --folder FOR_ITS_FILES
"""

import itertools
import json
import random
import unicodedata
from decimal import Decimal
from fractions import Fraction

from proofs.facts import prove_and_end
from proofs.witnesses.audience import events_of, said
from proofs.witnesses.media import run

# So that all parts of it that occur are whole numbers.
POINTS = 840

SHEET = """game: kinds
title: All kinds
defaults: { allottedTime: 2 }
cues:
  - { at: 0, event: startGame }
  - { at: 1, event: askQuestion, kind: multiple, question: "Which are even?", answers: ["1", "2", "3", "4", "5"], correct: ["2", "4"], partial: true }
  - { at: 4, event: showResults }
  - { at: 5, event: askQuestion, kind: multiple, question: "Which are odd?", answers: ["1", "2", "3"], correct: ["1", "3"] }
  - { at: 8, event: showResults }
  - { at: 9, event: askQuestion, kind: prediction, question: "Who will win?", answers: [Red, Blue, Nobody] }
  - { at: 12, event: showResults }
  - { at: 13, event: askQuestion, kind: order, question: "From small to large?", answers: [C, A, D, B], correct: [A, B, C, D] }
  - { at: 16, event: showResults }
  - { at: 17, event: askQuestion, kind: number, question: "How far?", least: -10, most: 50, step: 0.5, unit: km, correct: 21.3, within: 7.5 }
  - { at: 20, event: showResults }
  - { at: 21, event: askQuestion, kind: number, question: "How many?", most: 1000, correct: 333 }
  - { at: 24, event: showResults }
  - { at: 25, event: askQuestion, kind: poll, question: "Tea or coffee?", answers: [Tea, Coffee], live: true }
  - { at: 28, event: showResults, questionNumber: 3, correct: Blue }
  - { at: 29, event: showResults }
  - { at: 30, event: askQuestion, kind: text, question: "Who painted it?", correct: ["Cezanne", "Paul Cezanne"], tolerance: 1, points: 420 }
  - { at: 33, event: showResults }
  - { at: 34, event: askQuestion, kind: poll, words: true, question: "Which animal?" }
  - { at: 37, event: showResults }
  - { at: 37.5, event: endGame }
"""


def even(answer, right, _):
    found = len(set(answer) & set(right))
    return max(Fraction(0), Fraction(found - (len(answer) - found), len(right)))


def whole(answer, right, _):
    return Fraction(answer == right)


def pairs(answer, right, _):
    every = list(itertools.combinations(right, 2))
    return Fraction(sum(answer.index(first) < answer.index(second) for first, second in every), len(every))


def near(answer, right, _):
    away = abs(Fraction(answer) - Fraction(right))
    return Fraction(0) if away > Fraction("7.5") else 1 - away / Fraction("7.5") / 2


def nearest(answer, right, answers):
    away = lambda given: abs(Fraction(given) - Fraction(right))
    return Fraction(away(answer) == min(map(away, answers)))


PAINTERS = ["Cezanne", "Cézanne", "CEZANNE!", "paul  cezanne", "Paul Cezane", "Cezzanne", "Sezanne", "Cane", "Degas", "Manet", "Ce\u0301zan", "c e z a n n e"]
ANIMALS = ["Cat", "cat", "CAT", "Bee", "bée", "Fish", "fish!", "Newt"]


def letters(text):
    """What two spellings have in common: small letters without marks, signs and blanks."""
    return "".join(letter for letter in unicodedata.normalize("NFKD", text.casefold()) if letter.isalnum())


def distance(one, other):
    """How many letters are added, removed or replaced (Wagner and Fischer)."""
    table = {(row, 0): row for row in range(len(one) + 1)} | {(0, column): column for column in range(len(other) + 1)}
    for row, column in itertools.product(range(1, len(one) + 1), range(1, len(other) + 1)):
        table[row, column] = min(
            table[row - 1, column] + 1, table[row, column - 1] + 1, table[row - 1, column - 1] + (one[row - 1] != other[column - 1]))
    return table[len(one), len(other)]


def spelled(answer, right, _):
    # The question has half of the points of the others.
    return Fraction(any(distance(letters(answer), letters(text)) <= 1 for text in right), 2)


def texts_of(given, right):
    """The texts that most players gave."""
    found = {}
    for text in given:
        found.setdefault(letters(text), []).append(text)
    shown = {letters(text): text for text in reversed(right or [])}
    lines = []
    for key, texts in found.items():
        is_right = any(distance(key, letters(text)) <= 1 for text in right or [])
        lines.append({"text": shown.get(key) or min(texts, key=str.encode), "count": len(texts)} | ({"right": True} if is_right else {}))
    lines.sort(key=lambda line: (-line["count"], line["text"].encode()))
    return {"most": lines[:20], "others": sum(line["count"] for line in lines[20:])}


# By question: an answer by chance, the right one, the part of the points that an answer gets, and whether it is right as a whole.
QUESTIONS = [
    (lambda chance: sorted(chance.sample(range(5), chance.randrange(1, 6))), [1, 3], even, lambda part, answer: part == 1),
    (lambda chance: sorted(chance.sample(range(3), chance.randrange(1, 4))), [0, 2], whole, lambda part, answer: part == 1),
    (lambda chance: chance.randrange(3), 1, whole, lambda part, answer: part == 1),
    (lambda chance: chance.sample(range(4), 4), [1, 3, 0, 2], pairs, lambda part, answer: part == 1),
    (lambda chance: float(Decimal(chance.randrange(-20, 101)) / 2), Decimal("21.3"), near, lambda part, answer: part > 0),
    (lambda chance: chance.randrange(1001), 333, nearest, lambda part, answer: part > 0),
    (lambda chance: chance.randrange(2), None, None, None),
    (lambda chance: chance.choice(PAINTERS), ["Cezanne", "Paul Cezanne"], spelled, lambda part, answer: part > 0),
    (lambda chance: chance.choice(ANIMALS), None, None, None),
]


def count(records, players):
    score, right, answered = ({player: 0 for player in players} for _ in range(3))
    for number, (_, correct, part_of, is_right) in enumerate(QUESTIONS, 1):
        given = {record["player"]: record["answer"] for record in records if record["question"] == number}
        if part_of is None:
            continue
        for player, answer in given.items():
            part = part_of(answer, correct, given.values())
            score[player] += int(part * POINTS)
            right[player] += bool(is_right(part, answer))
            answered[player] += 1
    return {player: (score[player], right[player], answered[player]) for player in players}


def points_are_those_of_the_definitions(options, seed, sealed):
    chance = random.Random(seed)
    sheet, stream = options.folder / "kinds.yaml", options.folder / f"kinds-{seed}.ts"
    sheet.write_text(SHEET)
    run(options.cuelight, "stamp", options.video, "--cues", sheet, "-o", stream, "--force", *([] if sealed else ["--open-answers"]))
    run(options.cuelight, "verify", stream, "--cues", sheet)
    questions = [event for event in events_of(options.cuelight, stream) if event["eventType"] == "askQuestion"]
    assert [question.get("kind") for question in questions] == ["multiple", "multiple", "prediction", "order", "number", "number", "poll", "text", "poll"]
    secrets = {"correctAnswer", "correctAnswers", "correctOrder", "correctNumber", "correctTexts"}
    if sealed:
        assert not any(secrets & question.keys() for question in questions), "a sealed question says what is right"
    players = [f"player {index}" for index in range(40)]
    records = [
        {"player": player, "question": number, "answer": make(chance), "time": float(question["at"]) + chance.randrange(19) / 10}
        for number, ((make, *_), question) in enumerate(zip(QUESTIONS, questions), 1) for player in players if chance.random() < 0.8]
    expected = count(records, players)
    chance.shuffle(records)
    answers = options.folder / f"answers-{seed}.ndjson"
    answers.write_text("".join(json.dumps(record) + "\n" for record in [{"player": player} for player in players] + records))
    found = said(run(options.cuelight, "replay", "--json", "--top", "all", "--answers", answers, "--scoring", f"right:{POINTS}", stream))
    board = {line["player"]: (line["score"], line["right"], line["answered"]) for line in found["player"]}
    assert board == expected, f"seed {seed}: {[(player, board.get(player), expected[player]) for player in players if board.get(player) != expected[player]][:3]}"
    boards = {line["number"]: line for line in found["scoreboard"]}
    for number, (_, correct, _, _) in enumerate(QUESTIONS, 1):
        given = [record["answer"] for record in records if record["question"] == number]
        line = boards[number]
        assert line["taken"] == len(given), f"question {number}: {line['taken']} answers are taken of {len(given)}"
        if number in (8, 9):
            assert line["texts"] == texts_of(given, correct), f"question {number}: {line['texts']}, expected are {texts_of(given, correct)}"
        elif number in (5, 6):
            assert sum(line["histogram"]["counts"]) == len(given) and 1 <= len(line["histogram"]["counts"]) <= 20, f"question {number}: {line}"
        elif number == 4:
            assert line["counts"] == [sum(answer.index(item) == correct.index(item) for answer in given) for item in range(4)], f"{line}"
        else:
            chosen = [index for answer in given for index in (answer if isinstance(answer, list) else [answer])]
            assert line["counts"] == [chosen.count(index) for index in range(len(line["counts"]))], f"question {number}: {line['counts']}"
    return f"{len(records)} answers to questions of seven kinds, {'sealed' if sealed else 'open'}: points, right answers and counts are those of the definitions"


def prove(lines, options):
    for seed in range(1, 4):
        lines.prove(f"show {seed}", points_are_those_of_the_definitions, options, seed, seed != 2)


if __name__ == "__main__":
    prove_and_end(prove, "cuelight", "video")
