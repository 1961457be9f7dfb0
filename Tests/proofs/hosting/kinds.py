"""A show with questions of all kinds at a real server: three players answer, results come, and a prediction is settled by another process. Prints a line
for each fact.

    python3 -m proofs.hosting.kinds --server PROGRAM --clip CLIP --folder FOR_ITS_FILES [--seed 1]
"""

import csv
import io
import json
import random
import urllib.request

import openpyxl

from proofs.facts import prove_and_end
from proofs.hosting.game import Host, Player, Server, edge, join_all, write_tokens
from proofs.processes import wait_until

QUIZ = {
    "id": "kinds", "title": "All kinds",
    "questions": [
        {"question": "Which are even?", "kind": "multiple", "answers": ["1", "2", "3", "4"], "correct": ["2", "4"], "partial": True},
        {"question": "Who will win?", "kind": "prediction", "answers": ["Red", "Blue"]},
        {"question": "How far?", "kind": "number", "least": 0, "most": 100, "step": 0.5, "unit": "km", "correct": 42, "within": 10},
        {"question": "From small to large?", "kind": "order", "answers": ["Ant", "Cat", "Cow", "Whale"]},
        {"question": "Tea?", "kind": "poll", "answers": ["Yes", "No", "Both"], "live": True},
        {"question": "Which is the highest mountain?", "kind": "text", "correct": ["Mount Everest", "Everest"], "tolerance": 1, "points": 250},
        {"question": "In one word?", "kind": "poll", "words": True, "live": True},
        {"question": "Which planet is red?", "answers": ["Venus", "Mars"], "correct": "Mars", "seconds": 20},
    ]}
POINTS = 100


def serve(options, *arguments):
    return Server(
        options.server, options.folder / "data", "--input", options.clip, "--loop", "--hosted", "--delay", 2, "--time", 6, "--scoring",
        f"right:{POINTS}", "--token-file", write_tokens(options.folder / "tokens"), *arguments, log=options.folder / "server.log")


# By question: the answers of the three players, and their points when its result is shown; none where the order of the items is not known before.
GIVEN = [
    ([[1, 3], [1], [0, 2]], [100, 50, 0]), ([1, 0, 1], [0, 0, 0]), ([42, 47, 53], [100, 75, 0]), (None, [100, 66, 0]), ([0, 2, 2], [0, 0, 0]),
    (["everest", "Mont Blanc", "mount éverst"], [250, 0, 250]), (["Fun", "fun!", "=Long"], [0, 0, 0]), ([1, 0, 1], [100, 0, 100])]
# What the prediction brings once it is settled.
SETTLED = [100, 0, 100]
# By kind: answers that such a question does not take.
OTHERS = {"multiple": 9, "number": 0.3, "order": [0, 1], "text": 1}
# By board: the texts that most players gave.
TEXTS = {
    6: {"most": [{"text": "Everest", "count": 1, "right": True}, {"text": "Mont Blanc", "count": 1}, {"text": "mount éverst", "count": 1, "right": True}], "others": 0},
    7: {"most": [{"text": "Fun", "count": 2}, {"text": "=Long", "count": 1}], "others": 0},
}


class Show:
    """The game, its players, and what each of them has."""

    def __init__(self, options):
        self.options, self.scores, self.guids = options, [0, 0, 0], []
        chance = random.Random(options.seed)
        self.players = [Player(name, chance) for name in ("Ann", "Ben", "=CEM")]
        quiz = options.folder / "quiz.json"
        quiz.write_text(json.dumps(QUIZ))
        self.begin("--quiz", quiz)
        join_all(self.server, self.players, connections=1)

    def begin(self, *arguments):
        self.server = serve(self.options, *arguments)
        wait_until(self.server.is_ready, 20, "the input comes")
        self.host = Host(self.server)

    def question(self, number, answers, points):
        """Asks a question, answers it, shows the result, and looks at the board."""
        server = self.server
        self.host.command("next")
        question = wait_until(lambda: (state := server.state())["phase"] == "open" and state["question"], 20, "the question")
        self.guids.append(question["guid"])
        content = self.host.client.get(server.path("questions")).object["asked"][-1]["content"]
        if answers is None:
            right = [content["answers"].index(text) for text in content["correct"]]
            # Of six pairs, four are right in the second order, and none in the third.
            answers = [right, [right[1], right[0], right[3], right[2]], right[::-1]]
        kind = content.get("kind", "single")
        with server.client() as client:
            wait_until(lambda: edge(client) > float(question["opensAt"]) + 1, 10, "the question is at the edge")
            at = round(float(question["opensAt"]) + 0.5, 3)
            for player, answer in zip(self.players, answers):
                done = player.answer(client, server, (question["guid"], answer, at))
                assert done.status == 202 and done.object["results"] == ["recorded"], f"{kind}: {answer} of {player.nickname}: {done}"
            refused = self.players[0].answer(client, server, (question["guid"], OTHERS.get(kind, [0]), at))
            assert refused.object["results"] == ["unknown-answer"], f"{kind}: {OTHERS.get(kind, [0])} is taken: {refused}"
        self.host.command("reveal")
        wait_until(lambda: server.state()["phase"] == "result", 20, "the result")
        self.check(number, points)
        if number in TEXTS:
            self.check_texts(number)
        return f"{kind}: answers are taken, one of another form is refused, and the board is right"

    def check(self, board, points):
        """Compares a board, once it is there, with what the players have."""
        path = self.server.path(f"board/{board}")
        leaders = wait_until(lambda: (found := self.server.get(path))[0] == 200 and json.loads(found[2])["leaders"], 20, "the board")
        self.scores = [score + gain for score, gain in zip(self.scores, points)]
        found = {line["player"]: line["score"] for line in leaders}
        assert [found[player.nickname] for player in self.players] == self.scores, f"board {board}: {found}, expected are {self.scores}"

    def check_texts(self, number):
        """Compares the texts of a result on the screens with what was given."""
        with urllib.request.urlopen(f"http://127.0.0.1:{self.server.port}{self.server.path('stage')}", timeout=10) as stage:
            line = next(line for line in stage if line.startswith(b"data:"))
        found = json.loads(line.removeprefix(b"data:"))["question"]["texts"]
        assert found == TEXTS[number], f"the screens show {found}"

    def settle(self):
        """Another process names the right answer of the prediction, which was the second question."""
        game = self.server.game
        self.server.kill()
        self.begin()
        self.server.game = game
        self.host.command("settle", question=self.guids[1], answer=1)
        self.check(len(GIVEN) + 1, SETTLED)
        again = self.host.call("settle", question=self.guids[1], answer=0)
        assert again.status == 409, f"it is settled twice: {again}"
        return "the board is right, and nobody settles it again"

    def end(self):
        self.host.command("end")
        table = self.host.client.get(self.server.path("results.csv"))
        assert table.status == 200 and "Ant → Cat → Cow → Whale" in table.body.decode(), f"{table.status}: {table.body[:300]}"
        return "the table of results has answers in words"

    def spreadsheet(self):
        """What openpyxl finds in the spreadsheet is what the tables have: numbers are numbers, and nothing is a formula."""
        answer = self.host.client.get(self.server.path("results.xlsx"))
        assert answer.status == 200, answer
        book = openpyxl.load_workbook(io.BytesIO(answer.body))
        assert book.sheetnames == ["Players", "Questions"], book.sheetnames
        for name in book.sheetnames:
            sheet = book[name]
            table = self.host.client.get(self.server.path(f"results.csv?of={name.lower()}")).body.decode("utf-8-sig")
            rows = list(csv.reader(io.StringIO(table)))
            assert sheet.freeze_panes == "A2" and sheet["A1"].font.b, f"{name}: the first row does not stay in sight"
            cells = list(sheet.iter_rows())
            assert len(cells) == len(rows), f"{name}: {len(cells)} rows, not {len(rows)}"
            for row, texts in zip(cells, rows):
                assert not any(cell.data_type == "f" for cell in row), f"{name}: {row} has a formula"
                found = ["" if cell.value is None else str(cell.value) for cell in row]
                # Numbers with a unit are numbers here, and words in the other table.
                wanted = [text.removeprefix("'").removesuffix(" km") for text in texts] + [""] * (len(found) - len(texts))
                assert found + [""] * (len(wanted) - len(found)) == wanted, f"{name}: {found}, not {wanted}"
        players = book["Players"]
        columns = {cell.value: cell.column for cell in players[1]}
        assert [players.cell(row, columns["nickname"]).value for row in range(2, 5)] == ["Ann", "=CEM", "Ben"] and players["B3"].quotePrefix
        for heading in ("rank", "points", "right", "answered", "3: How far?"):
            values = [players.cell(row, columns[heading]).value for row in range(2, 5)]
            assert all(isinstance(value, (int, float)) for value in values), f"{heading}: {values}"
        return "openpyxl finds both tables, with numbers as numbers and no formula"


def prove(lines, options):
    show = Show(options)
    try:
        for number, (answers, points) in enumerate(GIVEN, 1):
            lines.prove(f"question {number}", show.question, number, answers, points)
        lines.prove("a prediction that is settled after a kill", show.settle)
        lines.prove("the end", show.end)
        lines.prove("the spreadsheet", show.spreadsheet)
    finally:
        show.server.kill()


if __name__ == "__main__":
    prove_and_end(prove, "server", "clip", seed=1)
