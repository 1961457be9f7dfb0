"""The maker of quizzes in Chromium, at a game server: a file is read, questions of every kind are made, what is wrong is said at its question, and the quiz
is written, read again by the command line, and played. Prints a line for each fact.

    python3 -m proofs.web.page_make --server PROGRAM --cuelight PROGRAM --clip CLIP --folder FOR_ITS_FILES [--pages FOLDER] [--pictures]

With --pages the pages come from that folder, and not from the server.
"""

import io
import json
import random
import re
import subprocess
import time
import zipfile

from axe_playwright_python.sync_playwright import Axe

from proofs.facts import as_path, prove_and_end
from proofs.hosting.game import Server
from proofs.processes import wait_until
from proofs.web import pages
from proofs.web.page_languages import TIGHT
from proofs.web.page_states import TYPES
from proofs.web.pages import Window

LANGUAGES = "en ar de es fr hi it ja nl pl pt tr zh"
WIDTHS = (320, 390, 768, 1280, 1920)
QUIZ = {"title": "Friday", "questions": [
    {"question": "Which planet is red?", "answers": ["Venus", "Mars", "Saturn"], "correct": "Mars", "seconds": 20, "category": "Space"},
    {"question": "Which are even?", "kind": "multiple", "answers": ["1", "2", "3", "4"], "correct": ["2", "4"], "partial": True},
    {"question": "Tea or coffee?", "kind": "poll", "answers": ["Tea", "Coffee"], "live": True},
    {"question": "Who will win?", "kind": "prediction", "answers": ["Red", "Blue"]},
    {"question": "How far?", "kind": "number", "correct": 42, "least": 0, "most": 100, "step": 0.5, "unit": "km", "within": 10},
    {"question": "From small to large?", "kind": "order", "answers": ["Ant", "Cat", "Cow", "Whale"]},
    {"question": "Which city?", "kind": "text", "correct": ["Rome", "Roma"], "tolerance": 1, "points": 500},
    {"question": "In one word?", "kind": "poll", "words": True},
]}
CSV = 'question,correct,wrong,wrong\r\n"Which metal is liquid?",Mercury,Iron,\r\n=1+1?,2,3,4\r\nNo answers?,,,\r\n'


class Maker(Window):
    def __init__(self, browser, stage, **options):
        super().__init__(browser, **({"viewport": {"width": 1280, "height": 900}} | options))
        self.stage = stage
        if stage.pages:
            for pattern in ("**/make", "**/make?*", "**/host?*", "**/web/**"):
                self.context.route(pattern, self.send)
        self.context.route("**/web/make.mjs", self.late)

    def late(self, route):
        """The script comes late, as on a slow network: a press before it would be lost."""
        time.sleep(0.3)
        route.fallback()

    def send(self, route):
        path = route.request.url.split("?")[0].rsplit("/", 1)[-1]
        file = self.stage.pages / ({"make": "make.html", "host": "host.html"}.get(path, path))
        if not file.is_file():
            return route.fulfill(status=404, body="")
        body = file.read_text().replace("<!--cuelight-->", f'<meta name="cuelight-languages" content="{LANGUAGES}">')
        route.fulfill(content_type=TYPES[file.suffix], body=body)

    def open(self, query=""):
        self.page.goto(f"{self.stage.address}/make{query}")
        self.see("#add")
        return self

    def read(self, name, data):
        self.part("file").set_input_files({"name": name, "mimeType": "", "buffer": data})

    def names(self):
        return self.page.locator("#list .name").all_inner_texts()

    def says(self, name, text):
        self.until(lambda: text in self.text(name), lambda: f"{name} says {text!r}, not {self.text(name)!r}")

    def look(self, index):
        self.page.locator("#list button").nth(index).click()

    def save(self, format):
        with self.page.expect_download() as download:
            self.part(f"save-{format}").click()
        target = self.stage.folder / f"saved.{format}"
        download.value.save_as(target)
        return target

    def check(self):
        """Nobody is kept from using what is to be seen, and nothing sticks out."""
        violations = [f"{found['id']}: {[node['html'][:90] for node in found['nodes'][:2]]}" for found in Axe().run(self.page).response["violations"]]
        assert not violations, violations
        tight = self.page.evaluate(TIGHT, False)
        assert not tight, tight


class Stage:
    def __init__(self, options):
        self.options, self.folder, self.pages = options, options.folder, options.pages and as_path(options.pages)
        self.server = Server(options.server, self.folder / "data", "--input", options.clip, "--loop", log=self.folder / "server.log")
        wait_until(self.server.is_ready, 30, "the input comes")
        self.address = f"http://127.0.0.1:{self.server.port}"

    def questions(self, path):
        """What the command line finds in a file."""
        run = subprocess.run([self.options.cuelight, "questions", "convert", "--to", "json", path], capture_output=True, text=True, check=False)
        assert run.returncode == 0, f"{run.args}: {run.stderr}"
        return json.loads(run.stdout)

    def lint(self, path):
        run = subprocess.run([self.options.cuelight, "questions", "lint", "--json", path], capture_output=True, text=True, check=False)
        return [json.loads(line) for line in run.stdout.splitlines()]


def ordered(quiz):
    """A quiz in which the items of an order are in their right order: a file hides it."""
    questions = [question | ({"answers": question["correct"]} if question.get("kind") == "order" and "correct" in question else {}) for question in quiz["questions"]]
    return [{key: value for key, value in question.items() if not (key == "correct" and question.get("kind") == "order")} for question in questions]


def every_kind(maker, stage):
    """A file is read; nothing of it changes on its way through the page and two formats."""
    maker.open()
    maker.see("#empty")
    maker.read("friday.json", json.dumps(QUIZ).encode())
    maker.until(lambda: len(maker.names()) == 8, "the questions are listed")
    maker.says("verdict", "Ready to play")
    assert maker.part("title").input_value() == "Friday"
    for format in ("yaml", "csv"):
        found = stage.questions(maker.save(format))
        assert ordered(found) == QUIZ["questions"], f"{format}: {found}"
    maker.check()


def making(maker, stage):
    """A quiz by keys alone."""
    maker.open()
    maker.part("title").fill("Keys")
    maker.part("add").focus()
    maker.page.keyboard.press("Enter")
    maker.until(lambda: maker.page.evaluate("document.activeElement.id") == "text", "the new question has the focus")
    maker.page.keyboard.type("Which is red?")
    for keys in ("Tab", "Tab", "Tab"):
        maker.page.keyboard.press(keys)
    maker.page.keyboard.type("Venus")
    maker.page.keyboard.press("Enter")
    maker.page.keyboard.type("Mars")
    maker.page.keyboard.press("Enter")
    maker.page.keyboard.type("Pluto")
    assert maker.page.locator("#answer-list .answer-field").count() == 3
    maker.page.locator("#answer-list input[type=radio]").nth(1).focus()
    maker.page.keyboard.press("Space")
    maker.says("verdict", "Ready to play")
    maker.part("field-seconds").fill("15")
    maker.part("copy").click()
    maker.until(lambda: maker.names() == ["Which is red?"] * 2, "there is a copy")
    # The same question twice is said at the second one.
    maker.says("mistakes", "this question is already in Question 1; remove one of them")
    assert maker.page.locator("#list button.wrong").count() == 1
    maker.part("kind").select_option("multiple")
    maker.part("text").fill("Which are planets?")
    maker.page.locator("#answer-list input[type=checkbox]").nth(0).check()
    maker.says("verdict", "Ready to play")
    maker.part("up").click()
    maker.until(lambda: maker.names() == ["Which are planets?", "Which is red?"], "it is the first one")
    maker.part("remove").click()
    maker.until(lambda: maker.names() == ["Which is red?"], "it is gone")
    maker.part("undo").click()
    maker.until(lambda: len(maker.names()) == 2, "it is back")
    found = stage.questions(maker.save("yaml"))
    wanted = [
        {"question": "Which are planets?", "kind": "multiple", "answers": ["Venus", "Mars", "Pluto"], "correct": ["Venus", "Mars"], "seconds": 15},
        {"question": "Which is red?", "answers": ["Venus", "Mars", "Pluto"], "correct": "Mars", "seconds": 15}]
    assert (found["title"], found["questions"]) == ("Keys", wanted), found


def mistakes(maker, stage):
    """What the command line says of a file, the page says at the question."""
    maker.open()
    broken = {"title": "Broken", "questions": [
        QUIZ["questions"][0], {"question": "", "answers": ["a", "b"], "correct": "a"}, {"question": "Which one?", "answers": ["Same", "Same"], "correct": "Same"},
        {"question": "How far?", "kind": "number", "correct": 20, "least": 100, "most": 10}]}
    maker.page.evaluate("(quiz) => localStorage.setItem('cuelight-make', quiz)", json.dumps({"title": "Broken", "drafts": [
        {"text": each["question"], "kind": each.get("kind", "single"), "values": {"correct": "20", "least": "100", "most": "10"} if each.get("kind") else {}, "rest": {},
         "answers": [{"text": text, "isRight": text == each["correct"]} for text in each.get("answers", [])]} for each in broken["questions"]]}))
    maker.open()
    file = stage.folder / "broken.json"
    rows = ",\n".join(json.dumps(each) for each in broken["questions"])
    file.write_text(f'{{"title":"Broken","questions":[\n{rows}\n]}}')
    told = {}
    for line in stage.lint(file):
        if line.get("line"):
            told.setdefault(line["line"] - 2, []).append(line["what"] if "what" in line else line["message"])
    maker.until(lambda: maker.page.locator("#list button.wrong").count() == 3, "three questions are marked")
    assert sorted(told) == [1, 2, 3], told
    for index, messages in told.items():
        maker.look(index)
        found = maker.page.locator("#mistakes li").all_inner_texts()
        wanted = [re.sub(r"line (\d+)(, column \d+)?", lambda place: f"Question {int(place[1]) - 1}", message) for message in messages]
        assert found == wanted, f"question {index + 1}: {found}, not {wanted}"
    maker.check()
    # Nothing of it is played, and the question is shown.
    maker.part("save-csv").click()
    maker.says("problem", "still something to correct")
    maker.problems = [problem for problem in maker.problems if "422" not in problem]


def foreign(maker, stage):
    """Tables of others, and files that are none."""
    maker.open()
    maker.read("others.csv", CSV.encode())
    maker.until(lambda: maker.names() == ["Which metal is liquid?", "=1+1?"], lambda: f"two questions are read, not {maker.names()}")
    maker.says("whole", "others.csv, row 4")
    for name, data in [("quiz.gift", b"::Q::Who is it? {=Ann ~Ben}"), ("quiz.txt", b"Who was it?\nA. Ann\nB. Ben\nANSWER: B\n")]:
        maker.read(name, data)
        maker.see("#confirm[open]")
        maker.page.locator("#confirm button[value=replace]").click()
        maker.until(lambda: len(maker.names()) == 1 and maker.names()[0].startswith("Who"), f"{name} is read")
    bomb = io.BytesIO()
    with zipfile.ZipFile(bomb, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("xl/workbook.xml", b" " * (200 << 20))
        file.writestr("content.xml", b" " * (200 << 20))
    noise = random.Random(1).randbytes(900_000)
    for name, data in [("bomb.xlsx", bomb.getvalue()), ("noise.csv", noise), ("empty.yaml", b""), ("deep.json", b"[" * 900_000)]:
        maker.read(name, data)
        maker.says("whole", name)
        assert len(maker.names()) == 1
    maker.read("large.yaml", b"#" * (1 << 20) + b"\n")
    maker.says("problem", "too large")
    # Texts of others are texts.
    maker.part("text").fill("<img src=x onerror=alert(1)>")
    maker.until(lambda: maker.text("preview-text") == "<img src=x onerror=alert(1)>", "a text stays a text")
    assert maker.page.locator("#preview img, #list img").count() == 0


def playing(maker, stage):
    """The browser keeps the quiz; a token makes a game of it, whose console opens."""
    maker.open()
    maker.read("friday.json", json.dumps(QUIZ).encode())
    maker.says("verdict", "Ready to play")
    maker.until(lambda: maker.page.evaluate("localStorage.getItem('cuelight-make') ?? ''").count("How far?") == 1, "the quiz is kept")
    maker.page.reload()
    maker.until(lambda: len(maker.names()) == 8, "the quiz is there again")
    maker.part("start").click()
    maker.part("token").fill("nonsense")
    maker.part("start-now").click()
    maker.says("start-problem", "cannot make games")
    maker.part("token").fill(stage.server.operator_token)
    maker.part("start-now").click()
    maker.see("#console")
    maker.until(lambda: maker.text("coming-text") == "Which planet is red?", "the console has the first question")
    maker.problems = [problem for problem in maker.problems if "401" not in problem]


def everywhere(maker, stage):
    """All widths, light and dark, and every language: nothing sticks out, and axe finds nothing."""
    for language in LANGUAGES.split() if not stage.options.brief else ["en", "ar", "de"]:
        widths = WIDTHS if not stage.options.brief else (320, 1280)
        for width in widths if language in ("en", "ar") else (320,):
            for scheme in ("light", "dark") if language in ("en", "ar") and width in (320, 1280) else ("light",):
                page = Maker(maker.browser, stage, viewport={"width": width, "height": 900}, color_scheme=scheme)
                page.page.add_init_script(f"localStorage.setItem('cuelight-make', {json.dumps(json.dumps(DRAFTS))})")
                page.open(f"?lang={language}")
                page.until(lambda: page.text("verdict"), "it is checked")
                page.look(1)
                try:
                    if width in (320, 1280) and language in ("en", "ar"):
                        page.check()
                    tight = page.page.evaluate(TIGHT, language in ("ja", "zh"))
                    assert not tight, f"{language} {width}: {tight}"
                finally:
                    if stage.options.pictures:
                        page.page.screenshot(path=stage.folder / f"{language}-{width}-{scheme}.png", full_page=True)
                page.context.close()


DRAFTS = {"title": "A show on Friday evening", "drafts": [
    {"text": each["question"], "kind": each.get("kind", "single"), "rest": {}, "values": {key: value if value is True else str(value) for key, value in each.items() if key not in ("question", "kind", "answers") and not isinstance(value, list)},
     "answers": [{"text": text, "isRight": text in each.get("correct", [])} for text in each.get("answers", [])]} for each in QUIZ["questions"]] + [
    {"text": "", "kind": "single", "answers": [{"text": "", "isRight": True}, {"text": "", "isRight": False}], "values": {}, "rest": {}}]}


FACTS = {
    "questions of every kind come from a file, and go into files that the command line reads": every_kind,
    "a quiz is made by keys, with copies, moves, and what was removed": making,
    "what cuelight questions lint says is said at the question": mistakes,
    "files of others are read, and what is none is refused": foreign,
    "the browser keeps a quiz, and a token makes a game of it": playing,
    "it has room on every screen, in every language, and axe finds nothing": everywhere,
}


def run(lines, options):
    stage = Stage(options)
    try:
        with pages.chromium() as browser:
            def open_page():
                maker = Maker(browser, stage)
                maker.browser = browser
                return maker, stage

            def check(maker):
                assert not maker.problems, maker.problems

            wanted = {fact: prove for fact, prove in FACTS.items() if options.only in ("", prove.__name__)}
            pages.prove_facts(lines, options.folder, "maker", wanted, open_page, check)
    finally:
        stage.server.kill()


if __name__ == "__main__":
    prove_and_end(run, "server", "cuelight", "clip", pages="", pictures=False, brief=False, only="")
